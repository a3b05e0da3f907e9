"""Files that are gone through in many passes are read and encoded once."""

import errno
import os
import tempfile
import time
from functools import reduce

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from assay.bayes import GaussianNB
from assay.cluster import KMeans
from assay.core import block_store, sum_learner
from assay.core.block_store import LIMIT_VARIABLE
from assay.core.encoded_blocks import EncodedBlocks
from assay.core.sums import DaskRows
from assay.errors import DataError, ReadError
from assay.linear import LogisticRegression, PoissonRegressor
from assay.tables import Table
from assay.tables.readers import Blocks, read_blocks
from assay.threads import on_threads


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where temporary blocks go; empty again at the end of every test."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield place
    assert list(place.iterdir()) == []


def rows(n=400, seed=0):
    """Numbers, missing values and categories that come one after the other, so that blocks know different ones."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 3)).round(4), columns=list("abc"))
    frame["town"] = [f"t{i // 50}{'xy'[k]}" for i, k in enumerate(rng.integers(0, 2, n))]
    frame["late"] = [None if i < n // 2 else "ab"[i % 2] for i in range(n)]
    frame["weight"] = rng.integers(1, 4, n)
    frame["count"] = rng.poisson(np.exp(frame["a"].to_numpy() / 2))
    frame["kind"] = np.where(frame["a"] + rng.logistic(size=n) > 0, "yes", "no")
    return frame


def written(frame, folder, ending):
    path = folder / f"rows.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path, index=False)
    return path


CASES = {
    "classes": (lambda: LogisticRegression(max_iter=8, tol=1e-3), "kind", None, ["late", "weight", "count"]),
    "weighted classes": (
        lambda: LogisticRegression(max_iter=8, tol=1e-3),
        "kind",
        "weight",
        ["late", "count"],
    ),
    "numbers": (lambda: PoissonRegressor(), "count", None, ["late", "weight", "kind"]),
    "no target": (lambda: KMeans(2, random_state=0), None, None, ["late", "weight", "count", "kind", "town"]),
}


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("case", CASES)
def test_the_model_is_that_of_reading_anew_to_the_last_bit(folder, tmp_path, monkeypatch, case, ending):
    make, target, weights, without = CASES[case]
    path = written(rows().drop(columns=without), tmp_path, ending)
    passes = counted_passes(monkeypatch)
    once = make().fit_blocks(read_blocks(path, rows=70), target=target, weights=weights)
    assert passes == [1]
    monkeypatch.setenv(LIMIT_VARIABLE, "0")
    anew = make().fit_blocks(read_blocks(path, rows=70), target=target, weights=weights)
    assert passes[1] > 1
    fitted = [name for name in vars(anew) if name.endswith("_") and not name.startswith("_")]
    assert {"coef_", "cluster_centers_"} & set(fitted)
    for name in fitted:
        a, b = getattr(once, name), getattr(anew, name)
        if isinstance(a, np.ndarray):
            assert_array_equal(a, b)
    assert once.schema_ == anew.schema_


def counted_passes(monkeypatch):
    """The passes over each file collection, in the order of the collections."""
    passes, known = [], {}

    def counted(go):
        def counting(self):
            if id(self) not in known:
                known[id(self)] = (self, len(passes))
                passes.append(0)
            passes[known[id(self)][1]] += 1
            return go(self)

        return counting

    for way in ("__iter__", "as_begun"):
        monkeypatch.setattr(Blocks, way, counted(getattr(Blocks, way)))
    return passes


def test_categories_and_missing_values_of_late_blocks(folder, tmp_path):
    """A column without a value in the first blocks, and towns of which every block has its own."""
    frame = rows()
    seen = []

    class Watching(LogisticRegression):
        takes = frozenset({"nominal", "missing"})

        def _learn_from(self, source):
            seen.append([block.X.copy() for block in source])
            raise DataError("enough")

    path = written(frame, tmp_path, "csv")
    with pytest.raises(DataError, match="enough"):
        Watching().fit_blocks(read_blocks(path, rows=70), target="kind")
    with pytest.raises(DataError, match="enough"):
        Watching().fit_blocks([frame], target="kind")
    assert_array_equal(np.vstack(seen[0]), np.vstack(seen[1]))
    assert np.isnan(seen[0][0]).any()


@pytest.mark.parametrize("blocks", ["a list", "a function", "one pass"])
def test_nothing_is_written_where_it_does_not_help(monkeypatch, tmp_path, blocks):
    class Refused(sum_learner.EncodedBlocks):
        def __init__(self):
            raise AssertionError("a store was made")

    monkeypatch.setattr(sum_learner, "EncodedBlocks", Refused)
    frame = rows().drop(columns=["late", "town"])
    if blocks == "one pass":
        GaussianNB().fit_blocks(written(frame, tmp_path, "csv"), target="kind")
        return
    parts = [frame[:200], frame[200:]]
    LogisticRegression(tol=1e-2).fit_blocks(
        parts if blocks == "a list" else lambda: iter(parts), target="kind"
    )


def test_a_limit_that_is_too_small_is_said_and_leaves_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setenv(LIMIT_VARIABLE, "4 kB")
    path = written(rows().drop(columns="late"), tmp_path, "csv")
    with pytest.raises(DataError, match="need more than 4 kB of temporary disk") as caught:
        LogisticRegression().fit_blocks(path, target="kind")
    assert caught.value.code == "disk-limit"


def test_a_full_disk_is_said_and_leaves_nothing(folder, tmp_path, monkeypatch):
    path = written(rows().drop(columns="late"), tmp_path, "csv")
    true_open, files = open, []

    def full(name, mode="r", *args, **kwargs):
        if str(name).endswith(".block") and "w" in mode:
            files.append(name)
            if len(files) == 3:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return true_open(name, mode, *args, **kwargs)

    monkeypatch.setattr(block_store, "open", full, raising=False)
    with pytest.raises(DataError, match="The disk is full") as caught:
        LogisticRegression().fit_blocks(read_blocks(path, rows=70), target="kind")
    assert caught.value.code == "disk-full"
    assert len(files) == 3


def test_an_interrupt_leaves_nothing(folder, tmp_path, monkeypatch):
    path = written(rows().drop(columns="late"), tmp_path, "csv")
    seen = []

    def interrupted(self, source):
        seen.append(list(folder.iterdir()))
        raise KeyboardInterrupt

    monkeypatch.setattr(LogisticRegression, "_learn_from", interrupted)
    with pytest.raises(KeyboardInterrupt):
        LogisticRegression().fit_blocks(path, target="kind")
    assert len(seen[0]) == 1  # it was there while the learner worked


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("change", ["longer", "of another time", "gone"])
def test_a_file_that_changes_between_passes_is_named(folder, tmp_path, monkeypatch, change, ending):
    path = written(rows().drop(columns="late"), tmp_path, ending)
    monkeypatch.setenv(LIMIT_VARIABLE, "0")
    learn = LogisticRegression._learn_from

    def later(self, source):
        if change == "longer":
            path.write_bytes(path.read_bytes() + b"\n")
        elif change == "gone":
            path.unlink()
        else:
            os.utime(path, ns=(0, 12345))
        learn(self, source)

    monkeypatch.setattr(LogisticRegression, "_learn_from", later)
    with pytest.raises(ReadError, match=rf"rows\.{ending}: the file has changed since it was read first"):
        LogisticRegression().fit_blocks(path, target="kind")


def test_a_file_that_changes_while_it_is_read_is_named(tmp_path):
    path = written(rows(), tmp_path, "csv")
    blocks = read_blocks(path, rows=70)
    with pytest.raises(ReadError, match="has changed"):
        for _ in blocks:
            path.write_bytes(path.read_bytes()[:5000])


def test_other_rows_in_a_later_pass_are_noticed():
    frames = [rows().drop(columns=["late", "kind"])]
    calls = []

    def read():
        calls.append(0)
        return iter([frames[0] if len(calls) < 4 else frames[0][:-1]])

    with pytest.raises(DataError, match="changed between two passes: 400 rows before, 399 now"):
        PoissonRegressor().fit_blocks(read, target="count")


@pytest.mark.parametrize("learner", [GaussianNB, LogisticRegression])
@pytest.mark.parametrize("late", ["3.5", "word", ""])
def test_a_late_row_of_another_type_changes_nothing(folder, tmp_path, monkeypatch, learner, late):
    """The types of a CSV file are guessed from its first rows; where they do not hold, reading begins again."""
    from assay.tables.readers import csv, records, source

    for module in (records, source):
        monkeypatch.setattr(module, "CHUNK", 1 << 10)
    for module in (csv, source):
        monkeypatch.setattr(module, "SAMPLE", 1 << 10)
    frame = rows()[["a", "b", "kind"]].assign(c=[str(i % 4) for i in range(400)])
    frame.loc[390, "c"] = late
    if late == "":
        frame = frame[frame["c"] != ""]
    if learner is GaussianNB and late == "word":
        frame["c"] = frame["c"].mask(frame["c"] == "word", "4")
    path = written(frame, tmp_path, "csv")
    typed = pd.read_csv(path)
    target = typed.pop("kind")
    model = learner().fit_blocks(read_blocks(path, rows=70), target="kind")
    whole = learner().fit(typed, target)
    np.testing.assert_allclose(model.predict_proba(typed), whole.predict_proba(typed), atol=1e-5)
    assert model.schema_ == whole.schema_


# A cluster


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes; started once for this file."""
    from tests.clusters import two_workers

    with two_workers() as client:
        yield client


def partitions(frame, log):
    """The frame in four partitions, which say in a file when they are made."""
    import dask.dataframe as dd
    from dask.delayed import delayed

    def made(k):
        with open(log, "a") as file:
            file.write(f"{k}\n")
        return frame[100 * k : 100 * (k + 1)]

    parts = [delayed(made, pure=False)(k) for k in range(4)]
    return dd.from_delayed(parts, meta=frame[:0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_partitions_are_encoded_once_and_released(cluster, tmp_path):
    frame, log = rows().drop(columns=["late", "kind", "town"]), tmp_path / "log"
    X = partitions(frame, log)
    model = PoissonRegressor().fit(X.drop(columns="count"), X["count"])
    made = log.read_text().split()
    assert model.n_iter_ > 2
    assert len(made) <= 4 * 2 * 2  # to learn the columns and to encode, each time for X and for y
    whole = PoissonRegressor().fit(frame.drop(columns="count"), frame["count"])
    np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-6)
    assert wait_for(lambda: not cluster.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning", "ignore::UserWarning")
def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path, monkeypatch):
    import signal

    frame = rows().drop(columns=["late", "kind", "town"])
    X = partitions(frame, tmp_path / "log")
    calm = PoissonRegressor().fit(X.drop(columns="count"), X["count"])
    add_up, killed = DaskRows.add_up, []

    def with_an_accident(self, summarize):
        if len(killed) == 2:  # the columns are known, the partitions encoded and one pass is done
            os.kill(next(iter(cluster.run(os.getpid).values())), signal.SIGKILL)
        killed.append(0)
        return add_up(self, summarize)

    monkeypatch.setattr(DaskRows, "add_up", with_an_accident)
    model = PoissonRegressor().fit(X.drop(columns="count"), X["count"])
    assert len(killed) > 3
    np.testing.assert_allclose(
        model.coef_, calm.coef_, rtol=1e-9
    )  # memory lies elsewhere: the last bit may differ


def wait_for(what, seconds=120):
    for _ in range(10 * seconds):
        if what():
            return True
        time.sleep(0.1)
    return False


def test_blocks_that_threads_write_come_back_by_their_rows(folder):
    tables = [Table.of({"taste": [f"t{i % 3}", "sweet"], "size": [i, -i]}) for i in range(12)]
    schema = reduce(lambda a, b: a.merge(b), [table.schema for table in tables])
    with EncodedBlocks() as blocks:
        on_threads(lambda i: blocks.append(tables[i], np.array([i, i]), start=2 * i), [*range(11, -1, -1)], 2)
        blocks.schema = schema
        assert [block.y.tolist() for block in blocks] == [[i, i] for i in range(12)]
        assert [block.X.values[:, 1].tolist() for block in blocks] == [[i, -i] for i in range(12)]
        tastes = [schema[0].categories[int(block.X.values[0, 0])] for block in blocks]
        assert tastes == [f"t{i % 3}" for i in range(12)]


def test_after_one_block_that_cannot_be_written_no_other_is(folder, monkeypatch):
    table = Table.of(np.ones((4, 2)))
    with EncodedBlocks() as blocks:
        blocks.append(table)
        monkeypatch.setattr(blocks._store, "limit", blocks._store.nbytes)
        for _ in range(2):
            with pytest.raises(DataError, match="temporary disk"):
                blocks.append(table)
            monkeypatch.setattr(blocks._store, "limit", 1 << 30)
        blocks.clear()
        blocks.append(table)
        assert len(blocks) == 1


@pytest.mark.parametrize("learner", [LogisticRegression(tol=1e-8), PoissonRegressor()], ids=repr)
def test_the_number_of_threads_changes_no_bit_of_a_fit_from_a_file(folder, tmp_path, monkeypatch, learner):
    target = "kind" if isinstance(learner, LogisticRegression) else "count"
    frame = rows(900).drop(columns=["late", "count" if target == "kind" else "kind"])
    path, models = written(frame, tmp_path, "csv"), []
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.delenv("ASSAY_NUM_THREADS", raising=False)
    for cores in (1, 2, 3):
        monkeypatch.setattr("assay.threads._cores", lambda cores=cores: cores)
        models.append(clone(learner).fit_blocks(read_blocks(path, rows=70), target=target))
    for model in models[1:]:
        assert_array_equal(model.coef_, models[0].coef_)
        assert_array_equal(model.intercept_, models[0].intercept_)
