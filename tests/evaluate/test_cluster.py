"""Cells on a Dask cluster: the same numbers, whatever happens to the workers.

The workers are processes of this machine, started once for the file. One death makes a cell a suspect here
(allowed-failures is 0), so that a test waits for few workers to start again.
"""

import asyncio
import gc
import os
import signal
import socketserver
import threading
import time

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.baselines import MajorityClassifier
from assay.core import progress
from assay.core.progress import listen
from assay.errors import AssayError, ParameterError
from assay.evaluate import cluster as cluster_module
from assay.evaluate.cluster import DIED, Cluster, Shared, connected
from assay.experiments import Experiment
from assay.tables.data import load_iris, load_wine

distributed = pytest.importorskip("distributed", reason="needs the extra assay[dask]")
from tests.clusters import MortalWorkers, in_this_process, no_workers_yet  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")  # of ports and clean-up, which are the cluster's own


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine may take long to answer; a test that needs less says so."""
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 120.0)
    monkeypatch.setattr(cluster_module, "PATIENCE_SECONDS", 600.0)


@pytest.fixture(scope="module")
def workers():
    mortal = MortalWorkers(**{"distributed.scheduler.allowed-failures": 0})
    yield mortal
    mortal.close()


@pytest.fixture
def client(workers):
    return workers.client()


@pytest.fixture
def every_event(monkeypatch):
    """Listeners hear of each cell, not of some twenty a second: when they stop the work depends on no speed."""
    monkeypatch.setattr(progress, "_EVENT_SECONDS", 0.0)


@pytest.fixture
def no_garbage_collector():
    """What is let go must not wait for it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def tasks_left(client, seconds=120):
    """The cells that the scheduler still knows; it learns a moment later what is let go here."""

    def left(dask_scheduler):
        return [key for key in dask_scheduler.tasks if "run_in_turn" in str(key)]

    for _ in range(20 * seconds):
        if not client.run_on_scheduler(left):
            return []
        time.sleep(0.05)
    return client.run_on_scheduler(left)


def numbers(result):
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in result.records]


def deadly(folder, times):
    """A learner that takes its process with it, in that many of its fits."""

    class Deadly(MajorityClassifier):
        def fit(self, X, y, sample_weight=None):
            for i in range(times):
                try:
                    os.close(os.open(f"{folder}/{i}", os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)
            return super().fit(X, y, sample_weight)

    Deadly.__module__ = "__main__"  # sent as code: workers cannot import this file
    return Deadly()


def test_the_numbers_of_a_cluster_are_those_of_one_process(client):
    learners = ["majority", "lda", DecisionTreeClassifier(max_features=2)]
    options = {"design": "2x3", "metrics": ["error", "log-loss"]}
    here, far = (compare(learners, *load_wine(), **options, client=c) for c in (None, client))
    assert numbers(here) == numbers(far)
    assert here.notes == far.notes
    assert all(
        np.array_equal(here.out_of_fold(k).posterior, far.out_of_fold(k).posterior) for k in here.learners
    )


def test_a_worker_that_dies_costs_its_cells_only(client, tmp_path):
    learners = {"majority": "majority", "lda": "lda", "fragile": deadly(tmp_path, 1)}
    far = compare(learners, load_iris(), design="5-fold", client=client)
    assert os.listdir(tmp_path) == ["0"]  # it did die
    assert not far.failures and not far.partial
    assert numbers(far) == numbers(compare(learners, load_iris(), design="5-fold"))


def test_a_learner_that_always_takes_its_worker_with_it_has_failed_and_the_others_go_on(
    client, tmp_path, no_garbage_collector
):
    learners = {"majority": "majority", "deadly": deadly(tmp_path, 100)}
    far = compare(learners, load_iris(), design="holdout", client=client)
    assert list(far.failures) == ["deadly"] and DIED in str(far.failures["deadly"])
    others = [row for row in numbers(far) if row["learner"] == "majority"]
    assert others == numbers(compare(["majority"], load_iris(), design="holdout"))
    assert tasks_left(client) == []  # also of the cell that failed


def test_rows_that_were_lost_with_all_their_workers_are_sent_again(client):
    """Every worker is killed while the cells run: what was scattered is gone."""
    shared = Shared(np.arange(5.0), everywhere=True)

    def total(values, i):
        time.sleep(0.2)
        return float(values.sum()) + i

    total.__module__ = "__main__"
    pids = list(client.run(os.getpid).values())
    results = Cluster(client).each(total, ((i, (shared, i)) for i in range(6)))
    first = next(results)
    before = shared.future
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    everything = dict([first, *results])
    assert everything == {i: 10.0 + i for i in range(6)}
    assert shared.future is not before


def test_a_result_that_is_lost_before_it_is_fetched_is_that_of_a_killed_worker():
    class Fetched:
        """A future that is finished, whose worker dies while its result is on the way."""

        status = "finished"

        def __init__(self, error):
            self.error = error

        def result(self):
            raise self.error

    killed = distributed.KilledWorker("cell", None, 0)
    assert Cluster(None)._outcome(Fetched(killed)) == ("killed", None)
    assert Cluster(None)._outcome(Fetched(asyncio.CancelledError())) == ("lost", None)


@pytest.mark.parametrize("seen_by", ["the connection", "the scheduler"])
def test_a_worker_that_dies_while_it_is_given_rows_costs_another_sending(monkeypatch, seen_by):
    from distributed.comm import CommClosedError

    error = (
        CommClosedError("Stream is closed") if seen_by == "the connection" else KeyError("tcp://127.0.0.1:1")
    )

    class Client:
        """Two workers die while they are given their copies."""

        deaths = 2

        def scatter(self, values, broadcast, hash):
            if self.deaths:
                self.deaths -= 1
                raise error
            return ["future"]

        def nthreads(self):
            return {"one": 1}

    monkeypatch.setattr(cluster_module, "SENDING_SECONDS", 0.0)
    assert Cluster(Client())._sent(Shared("rows")) == "future"
    forever = Client()
    forever.deaths = 1000
    with pytest.raises(type(error)):
        Cluster(forever)._sent(Shared("rows"))


def test_ctrl_c_cancels_what_is_left_and_keeps_the_finished_splits(every_event, no_garbage_collector):
    """One worker of one thread runs the cells in their order: after five, two splits of two learners are whole."""

    def enough(event):
        if event.done >= 5 and event.state == "running":
            raise KeyboardInterrupt

    learners = ["majority", "naive bayes"]
    with in_this_process() as one, distributed.Client(one, set_as_default=False) as client:
        with listen(enough):
            result = compare(learners, load_iris(), design="10-fold", client=client)
        assert tasks_left(client) == []
    assert result.interrupted and len(result.places) == 2
    whole = compare(learners, load_iris(), design="10-fold")
    assert numbers(result) == [row for row in numbers(whole) if row["fold"] < 2]


@pytest.mark.parametrize("moment", ["a cell is handed out", "workers are waited for", "a result is fetched"])
def test_whenever_ctrl_c_comes_nothing_stays_with_the_scheduler(monkeypatch, moment):
    """Futures of no cluster, the second of which never ends; the interrupt comes at each place that takes time."""

    class Future:
        released = False

        def __init__(self, number):
            self.number, self.status = number, "pending" if number == 1 else "finished"

        def add_done_callback(self, tell):
            if self.status == "finished":
                tell(self)

        def result(self):
            if moment == "a result is fetched" and self.number == 2:
                raise KeyboardInterrupt
            return self.number

        def release(self):
            self.released = True

    class Client:
        def __init__(self):
            self.handed, self.cancelled = [], []

        def submit(self, function, *arguments, pure):
            if moment == "a cell is handed out" and len(self.handed) == 3:
                raise KeyboardInterrupt
            self.handed.append(Future(len(self.handed)))
            return self.handed[-1]

        def nthreads(self):
            if moment == "workers are waited for" and len(self.handed) == 4:
                raise KeyboardInterrupt
            return {"one": 1}

        def cancel(self, futures, force):
            self.cancelled += [future.number for future in futures]

    monkeypatch.setattr(cluster_module, "CHECK_SECONDS", 0.01)
    client = Client()
    with pytest.raises(KeyboardInterrupt):
        for _ in Cluster(client).each(abs, ((i, (i,)) for i in range(4))):
            pass
    assert all(future.released for future in client.handed)
    assert 1 in client.cancelled and 0 not in client.cancelled


def test_an_experiment_goes_on_where_it_was_left_also_on_a_cluster(client, tmp_path, every_event):
    def planned(folder):
        data = {"iris": load_iris(), "wine": load_wine()}
        return Experiment(["majority", "lda"], data, design="2-fold", folder=folder)

    def enough(event):
        if event.done >= 3 and event.state == "running":
            raise KeyboardInterrupt

    with listen(enough):
        part = planned(tmp_path / "far").run(client=client)
    assert part.missing == 8 - 3  # whichever came first
    whole = planned(tmp_path / "far").run(
        client=client.scheduler.address
    )  # by address, in a client of its own
    assert whole.missing == 0 and len(whole.manifest.sessions) == 2
    assert numbers(whole) == numbers(planned(tmp_path / "here").run())


def test_a_deadly_learner_in_an_experiment_is_recorded(monkeypatch):
    class Deadly(Cluster):
        """Workers that die of lda."""

        def each(self, function, work):
            for name, arguments in work:
                plain = [a.value if isinstance(a, Shared) else a for a in arguments]
                yield name, None if plain[1].name == "lda" else function(*plain)

    from assay.evaluate.fold import Task
    from assay.experiments.clock import Clock
    from assay.experiments.schedule import run_jobs

    made = Experiment(["majority", "lda"], {"iris": load_iris()}, design="2-fold")
    cells = {}
    task = Task(made.metrics, None, None, 0)
    ended = run_jobs(
        made.jobs,
        task,
        lambda job, cell, _: cells.setdefault(job.key, (job, cell)),
        Clock(),
        None,
        None,
        Deadly(None),
    )
    assert ended == "" and len(cells) == 4
    for job, cell in cells.values():
        assert (cell.failure == DIED) == (job.trial.entrant.name == "lda")


def test_a_budget_starts_no_cell_that_would_pass_it(client):
    made = Experiment(["majority", "lda"], {"iris": load_iris()}, design="2-fold")
    assert made.run(budget=0.0, client=client).missing == 4
    short = compare(["majority", "lda"], load_iris(), design="5-fold", budget=0, client=client)
    assert len(short.places) < 5 and "budget" in short.partial


def test_what_cannot_be_run_is_explained(client, monkeypatch):
    with pytest.raises(ParameterError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.5)
        compare(["majority"], load_iris(), design="holdout", client="tcp://127.0.0.1:9")
    with pytest.raises(ParameterError, match=r"client must be a distributed\.Client.*got 7"):
        compare(["majority"], load_iris(), design="holdout", client=7)
    for call in (
        lambda: compare(["majority"], load_iris(), n_jobs=2, client=client),
        lambda: Experiment(["majority"], ["iris"]).run(n_jobs=2, client=client),
    ):
        with pytest.raises(ParameterError, match="n_jobs=2 is about processes here"):
            call()

    def broken(_):
        raise ModuleNotFoundError("No module named 'mine'")

    broken.__module__ = "__main__"
    with pytest.raises(
        AssayError, match=r"could not run a cell: ModuleNotFoundError.*modules of your own learners"
    ):
        list(Cluster(client).each(broken, [(0, (1,))]))


@pytest.mark.parametrize("address", ["nonsense", "other://host:1", "", "a server of another kind"])
def test_an_address_without_a_scheduler_is_named_and_left_at_once(monkeypatch, address):
    def clients():
        return {id(c) for c in gc.get_objects() if type(c) is distributed.Client and c.status != "closed"}

    class Other(socketserver.BaseRequestHandler):
        def handle(self):
            self.request.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 5.0)
    before = clients()
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Other) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        place = f"tcp://127.0.0.1:{server.server_address[1]}" if " " in address else address
        with pytest.raises(ParameterError, match="no Dask scheduler answers at"), connected(place, "compare"):
            pass
        server.shutdown()
    assert clients() <= before


def test_a_cluster_without_workers_is_named(monkeypatch):
    monkeypatch.setattr(cluster_module, "PATIENCE_SECONDS", 0.3)
    monkeypatch.setattr(cluster_module, "CHECK_SECONDS", 0.1)
    with (
        no_workers_yet() as nobody,
        distributed.Client(nobody, set_as_default=False) as client,
        connected(client, "compare") as cluster,
        pytest.raises(AssayError, match="no workers for"),
    ):
        list(cluster.each(pow, [(0, (2, 3))]))
