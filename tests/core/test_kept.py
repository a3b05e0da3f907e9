"""What is kept of each block: the same sums and the same changes in memory, on disk and on workers."""

import gc
import os
import tempfile
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.core import sums
from assay.core.sums import Block, DaskRows, Rows, Stream
from assay.errors import DataError

n, d = 1000, 4
X = np.random.default_rng(0).normal(size=(n, d)) + 100
y = (np.arange(n) % 7).astype(float)
CUTS = [0, 130, 400, 410, n]
SPANS = [slice(a, b) for a, b in pairwise(CUTS)]
WHERE = ("memory", "disk", "threads of Dask", "workers")


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes; started once for this file."""
    from tests.clusters import two_workers

    with two_workers(set_as_default=False) as client:
        yield client


@pytest.fixture(params=WHERE)
def source(request, monkeypatch):
    """The rows, in four blocks each."""
    import dask
    import dask.array as da

    if request.param == "memory":
        monkeypatch.setattr(
            Rows, "blocks", lambda self: [Block(self.X[s], self.y[s]) for s in SPANS]
        )  # cut as the others are
        yield Rows(X.copy(), y.copy())
    elif request.param == "disk":
        yield Stream([(X[s], y[s]) for s in SPANS], lambda raw: Block(*raw))
    else:
        chunks = tuple(np.diff(CUTS).tolist())
        parts = da.from_array(X, chunks=(chunks, d)), da.from_array(y, chunks=(chunks,))
        if request.param == "workers":
            with request.getfixturevalue("cluster").as_current():
                yield DaskRows(*parts, None, Block)
        else:
            with dask.config.set(scheduler="threads"):
                yield DaskRows(*parts, None, Block)


pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::ResourceWarning"
)  # of Dask's own start and stop


def descend(kept, fixed="X", moving="score", rounds=5):
    """Five steps of gradient descent on the squared error, the scores kept beside the rows."""
    w = np.zeros(d)
    path = []
    for _ in range(rounds):

        def step(arrays, w=w):
            arrays[moving] += 0.1 * (arrays[fixed] - 100) @ w
            return (arrays[fixed] - 100).T @ (arrays["y"] - arrays[moving])

        g = kept.update(step)
        path.append(g)
        w = g / n
    return np.array(path)


def made(block):
    return {"X": block.X, "y": block.y, "score": np.zeros(len(block.X))}


@pytest.mark.parametrize("writable", [None, ["score"]])
def test_changes_stay_and_the_sums_are_the_same_everywhere(source, writable):
    """Oracle: the same five steps on whole arrays."""
    score, w, expected = np.zeros(n), np.zeros(d), []
    for _ in range(5):
        score += 0.1 * (X - 100) @ w
        expected.append((X - 100).T @ (y - score))
        w = expected[-1] / n
    with source.keep(made, writable) as kept:
        assert_allclose(descend(kept), expected, rtol=1e-9)
        pairs = np.concatenate(kept.add_up(lambda a: [np.column_stack([a["X"][:, 0], a["score"]])]))
        assert_allclose(pairs[np.argsort(pairs[:, 0]), 1], score[np.argsort(X[:, 0])], rtol=1e-9)
    assert_array_equal(np.concatenate(source.add_up(lambda b: [np.array(b.X)])), X)  # untouched


def test_blocks_come_in_their_order_where_they_are_in_one_place(source, request):
    in_order = sorted if request.node.callspec.params["source"] == "workers" else list
    with source.keep(lambda block: {"first": block.y[:1]}) as kept:
        firsts = in_order([0, 130 % 7, 400 % 7, 410 % 7])
        assert in_order(kept.add_up(lambda arrays: arrays["first"].tolist())) == firsts
        assert in_order(kept.update(lambda arrays: arrays["first"].tolist())) == firsts


def test_arrays_are_locked_while_they_are_added_up_or_not_declared(source):
    def spoil(arrays):
        arrays["X"][0] = 0
        return 0

    with source.keep(made, ["score"]) as kept:
        with pytest.raises(ValueError, match="read-only"):
            kept.add_up(spoil)
        with pytest.raises(ValueError, match="read-only"):
            kept.update(spoil)
        assert kept.add_up(lambda arrays: len(arrays["X"])) == n


def test_what_an_update_names_changes_and_nothing_else(source):
    def step(arrays):
        arrays["score"] += arrays["y"]
        return arrays["score"].sum()

    def spoil(arrays):
        arrays["y"][:] = 0
        return 0

    with source.keep(made) as kept:
        assert kept.update(step, changes=["score"]) == y.sum()
        with pytest.raises(ValueError, match="read-only"):
            kept.update(spoil, changes=["score"])
        assert kept.update(step, changes=["score"]) == 2 * y.sum()  # what was not named is still there
        assert kept.update(spoil, changes=["y"]) == kept.add_up(lambda a: a["y"].sum()) == 0
        assert kept.add_up(lambda a: a["score"].sum()) == 2 * y.sum()


def test_a_table_of_the_user_is_never_written_to(source):
    """The arrays may be the block's own: they are copied before they are changed."""

    def spoil(arrays):
        arrays["X"][:] = 0
        return 0

    with source.keep(lambda block: {"X": block.X}) as kept:
        kept.update(spoil)
        assert float(kept.add_up(lambda arrays: arrays["X"].sum())) == 0
    assert float(source.add_up(lambda block: block.X.min())) > 0


def test_released_blocks_say_so(source):
    kept = source.keep(made)
    kept.close()
    with pytest.raises(DataError, match="have been released"):
        kept.add_up(lambda arrays: 0)
    with pytest.raises(DataError, match="have been released"):
        kept.update(lambda arrays: 0)


def test_an_error_of_the_function_is_the_caller_s(source):
    def fails(arrays):
        raise DataError("no")

    with source.keep(made) as kept:
        for go in (kept.add_up, kept.update):
            with pytest.raises(DataError, match="no"):
                go(fails)
        assert kept.add_up(lambda arrays: len(arrays["y"])) == n


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 1 << 10)
    stream = Stream([(X[a : a + 70], y[a : a + 70]) for a in range(0, n, 70)], lambda raw: Block(*raw))
    for source in (Rows(X, y), stream):
        paths = []
        for count in ("1", "2", "3"):
            monkeypatch.setenv("ASSAY_NUM_THREADS", count)
            monkeypatch.setattr("assay.threads._cores", lambda: 3)
            with source.keep(made) as kept:
                paths.append(descend(kept).tobytes())
        assert len(set(paths)) == 1


def test_files_on_disk_go_with_what_is_kept(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    stream = Stream([X[s] for s in SPANS], Block)
    with stream.keep(lambda block: {"X": block.X}):
        assert len(os.listdir(tmp_path)) == 1
    assert os.listdir(tmp_path) == []
    kept = stream.keep(lambda block: {"X": block.X})
    assert len(os.listdir(tmp_path)) == 1
    del kept
    gc.collect()
    assert os.listdir(tmp_path) == []

    def fails(block):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        stream.keep(fails)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_told_and_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("ASSAY_DISK_LIMIT", "10 kB")
    with pytest.raises(DataError, match="more than 10 kB of temporary disk"):
        Stream([X[s] for s in SPANS], Block).keep(lambda block: {"X": block.X})
    assert os.listdir(tmp_path) == []


def test_no_block_is_nothing_to_keep():
    with pytest.raises(DataError, match="There is no block of rows"):
        Stream([], Block).keep(lambda block: {})
