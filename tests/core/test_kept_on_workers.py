"""What is kept on workers of a cluster: changes are made once, and again where a worker was lost."""

import os
import signal

import numpy as np
import pytest

from assay.core import kept_on_workers
from assay.core.kept_on_workers import KeptOnWorkers, _ask, _Keeper
from assay.core.sums import Block, DaskRows
from assay.errors import DataError

pytest.importorskip("distributed", reason="needs the extra assay[dask]")
pytestmark = pytest.mark.filterwarnings("ignore")  # of ports and clean-up, which are the cluster's own


class Grow:
    """The scores grow; made again, they do so without a sum."""

    def __call__(self, arrays):
        self.again(arrays)
        return int(arrays["score"].sum())

    def again(self, arrays):
        arrays["score"] += arrays["y"]


def total(arrays):
    return int(arrays["score"].sum())


def packed(f, changes):
    from distributed.protocol import pickle

    return pickle.dumps((f, changes))


def keeper(journal=(), threads=1):
    blocks = [
        {"y": np.array([1, 2]), "score": np.zeros(2, int)},
        {"y": np.array([4]), "score": np.zeros(1, int)},
    ]
    return _Keeper(blocks, ["score"], threads, journal)


GROW, TOTAL = packed(Grow(), ("score",)), packed(total, ())


@pytest.mark.parametrize("threads", [1, 2])
def test_a_keeper_makes_each_change_once(threads):
    one = keeper(threads=threads)
    assert one.add_up(0, GROW, []).total == 7
    assert one.add_up(0, GROW, []).total == 7  # asked again, since somebody else was lost
    assert one.add_up(1, TOTAL, []).total == 7
    assert one.add_up(1, GROW, []).total == 14


def test_a_keeper_that_comes_later_goes_through_the_journal():
    assert keeper([GROW, GROW]).add_up(2, TOTAL, []).total == 14
    assert keeper([packed(lambda arrays: Grow()(arrays), None)]).add_up(1, GROW, []).total == 14


def test_a_keeper_that_has_made_other_changes_is_lost():
    one = keeper([GROW])
    assert one.add_up(0, TOTAL, []).lost and one.add_up(2, GROW, []).lost
    assert one.add_up(1, TOTAL, []).total == 7


def test_a_change_that_fails_half_way_is_not_built_upon():
    def fails(arrays):
        arrays["score"] += 1
        raise DataError("no")

    one = keeper()
    assert str(one.add_up(0, packed(fails, ("score",)), []).error) == "no"
    assert one.add_up(0, TOTAL, []).lost


class At:
    """A keeper as an actor of Dask would be, or one that is gone."""

    def __init__(self, keeper=None):
        self.keeper, self.asked = keeper, 0

    def add_up(self, *args):
        if self.keeper is None:
            raise RuntimeError("Worker holding Actor was lost.")
        self.asked += 1
        self.answer = self.keeper.add_up(*args)
        return self

    def result(self, timeout=None):
        return self.answer


@pytest.mark.parametrize("count", [1, 8, 9, 30])
def test_keepers_ask_others_in_turn(count):
    keepers = [At(keeper()) for _ in range(count)]
    calls = _ask(keepers, 0, GROW)
    assert len(calls) <= kept_on_workers.WAYS
    assert sum(call.result().total for call in calls) == 7 * count
    assert all(one.asked == 1 for one in keepers)
    keepers[-1] = At()
    assert any(call.result().lost for call in _ask(keepers, 0, GROW))


@pytest.fixture(scope="module")
def mortal():
    from tests.clusters import MortalWorkers

    workers = MortalWorkers()
    yield workers
    workers.close()


@pytest.fixture
def client(mortal):
    client = mortal.client()
    with client.as_current():
        yield client


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_clusters_of_tests_have_the_workers_that_were_asked_for(workers):
    from tests.clusters import in_this_process

    with in_this_process(workers) as cluster:
        assert len(cluster.workers) == workers


def rows():
    import dask.array as da

    y = np.arange(40)
    return DaskRows(da.from_array(np.ones((40, 1)), chunks=(10, 1)), da.from_array(y, chunks=10), None, Block)


def made(block):
    return {"y": block.y, "score": np.zeros(len(block.y), int)}


def test_an_error_of_the_function_leaves_the_blocks_as_they_were(client):
    def fails(arrays):
        arrays["score"] += 1
        if arrays["y"][0] == 10:
            raise DataError("no")
        return 0

    with rows().keep(made, ["score"]) as kept:
        assert kept.update(Grow(), ["score"]) == 780
        with pytest.raises(DataError, match="no"):
            kept.update(fails, ["score"])
        assert kept.add_up(total) == 780


def test_an_update_that_is_interrupted_is_not_built_upon(client, monkeypatch):
    wait = KeptOnWorkers._wait

    def interrupted(self, call):
        wait(self, call)  # the keepers have made the change by now
        raise KeyboardInterrupt

    def shrink(arrays):
        arrays["score"] -= 1
        return int(arrays["score"].sum())

    with rows().keep(made, ["score"]) as kept:
        assert kept.update(Grow(), ["score"]) == 780
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(KeptOnWorkers, "_wait", interrupted)
            kept.update(Grow(), ["score"])
        assert kept.add_up(total) == 780
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(KeptOnWorkers, "_wait", interrupted)
            kept.update(Grow(), ["score"])
        assert kept.update(shrink, ["score"]) == 780 - 40
        assert kept.add_up(total) == 780 - 40


def test_a_worker_that_dies_in_a_pass_loses_nothing(client, tmp_path):
    def grow_and_die(arrays, marks=tmp_path):
        if arrays["y"][0] == 10:
            mark = marks / "died"
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return Grow()(arrays)

    with rows().keep(made, ["score"]) as kept:
        assert kept.update(Grow(), ["score"]) == 780
        assert kept.update(grow_and_die, ["score"]) == 2 * 780
        assert (tmp_path / "died").exists()
        assert kept.update(Grow(), ["score"]) == 3 * 780
        assert kept.add_up(total) == 3 * 780


def test_work_that_kills_its_workers_ends_with_a_sentence(client, monkeypatch):
    def die(arrays):
        if arrays["y"][0] == 10:
            os.kill(os.getpid(), signal.SIGKILL)
        return 0

    monkeypatch.setattr(kept_on_workers, "LOSSES", 0)
    with rows().keep(made) as kept, pytest.raises(DataError, match="die while they add up their rows"):
        kept.update(die)
