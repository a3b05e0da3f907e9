"""Running cells here, elsewhere, and within a budget."""

import time

import numpy as np
import pytest

from assay.baselines import MajorityClassifier
from assay.errors import AssayError
from assay.evaluate.fold import Task
from assay.experiments import schedule
from assay.experiments.experiment import Experiment

rng = np.random.default_rng(0)
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
OTHER = (rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 3, np.arange(40) % 3)
DATA = {"small": SMALL, "other": OTHER}


def experiment(learners=("majority", "lda", "naive bayes"), data=DATA, **options):
    return Experiment(list(learners), data, **{"design": "2x3", "metrics": ["error", "log-loss"], **options})


def numbers(study):
    """Everything but the clock."""
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in study.records]


def test_a_budget_starts_nothing_that_would_pass_it(monkeypatch, tmp_path):
    """Each cell takes 10 s by a clock of our own; after a first one, 35 s have room for three in all."""
    now = [1000.0]

    class Costly(MajorityClassifier):
        def fit(self, X, y):
            now[0] += 10.0
            return super().fit(X, y)

    monkeypatch.setattr(schedule.time, "time", lambda: now[0])
    monkeypatch.setattr(schedule.time, "perf_counter", lambda: now[0])
    made = experiment([Costly()], {"small": SMALL}, metrics=["error"], folder=tmp_path / "e")
    study = made.run(budget=35.0)
    assert now[0] == 1030.0
    assert study.missing == 3
    assert study.manifest.sessions[-1]["ended"] == "The time budget was used up"
    study = made.run()
    assert study.missing == 0 and now[0] == 1060.0


def test_no_budget_runs_nothing():
    made = experiment(["majority", "lda"])
    made.plan(pilot=60)
    assert made.run(budget=0.0).missing == 24 - 4


def test_progress_tells_every_cell():
    from assay.core.progress import listen

    seen = []
    with listen(seen.append):
        experiment().run()
    assert (seen[0].done, seen[0].total) == (0, 36)
    assert (seen[-1].done, seen[-1].state) == (36, "finished")


def test_on_a_dask_cluster_the_numbers_are_the_same():
    distributed = pytest.importorskip("distributed", reason="the extra assay[dask] is not installed")
    import warnings

    import joblib
    from tests.clusters import in_this_process

    made = experiment(design="2-fold")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ports and clean-up, which are the cluster's own
        with (
            in_this_process(threads=2) as cluster,
            distributed.Client(cluster),
            joblib.parallel_config("dask"),
        ):
            far = made.run()
    assert numbers(far) == numbers(experiment(design="2-fold").run())


def test_a_dead_worker_is_explained(monkeypatch):
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    def dead(*_args, **_options):
        raise TerminatedWorkerError("gone")
        yield

    monkeypatch.setattr(schedule, "each", dead)
    with pytest.raises(AssayError, match=r"worker process was ended by the system.*fewer processes"):
        experiment().run(n_jobs=2)


@pytest.mark.parametrize("always", [True, False])
def test_a_learner_that_takes_its_process_with_it_has_failed_and_the_others_go_on(monkeypatch, always):
    """Two cells are out at a time. One that dies only in company is run again alone."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    def company(function, work, *_args, **_options):
        out = []
        for one in work:
            out.append(one)
            if any(o[1].name == "lda" for o in out) and (always or len(out) > 1):
                raise TerminatedWorkerError("gone")
            if len(out) > 1:
                yield function(*out.pop(0))
        for one in out:
            yield function(*one)

    monkeypatch.setattr(schedule, "each", company)
    found, whole = experiment().run(n_jobs=2), experiment().run()
    assert found.missing == 0
    if always:
        assert {learner for _, learner in found.failures} == {"lda"}
        assert all("process died" in why for why in found.failures.values())
        spared = [[r for r in numbers(study) if r["learner"] != "lda"] for study in (found, whole)]
        assert spared[0] == spared[1]
    else:
        assert numbers(found) == numbers(whole)


def test_a_cell_whose_time_has_passed_while_it_waited_is_not_begun():
    job = experiment().jobs[0]
    task = Task(experiment().metrics, None, None, 0)
    rest = job.trial.candidate, job.trial.problem.sent, job.split, "block", task
    assert schedule._one(7, *rest, time.time() - 1.0) == (7, None, 0.0)
    number, cell, seconds = schedule._one(7, *rest, time.time() + 60.0)
    assert number == 7 and 0 <= cell.values["error"] <= 1 and seconds > 0


def test_tables_of_a_split_are_cut_once_for_all_learners(monkeypatch):
    from assay.evaluate.fold import Data

    cut = []
    real = Data.fold
    monkeypatch.setattr(Data, "fold", lambda self, split: cut.append(split) or real(self, split))
    experiment().run()
    assert len(cut) == 12  # 2 data sets, 6 splits; 36 cells


def test_data_sets_with_the_same_splits_are_not_mixed_up():
    X, y = SMALL
    both = experiment(data={"a": (X, y), "b": (X[::-1].copy(), y)}).run()
    alone = experiment(data={"b": (X[::-1].copy(), y)}).run()
    assert (
        both.comparison("b").values("lda", "log-loss") == alone.comparison("b").values("lda", "log-loss")
    ).all()
    assert both.table("log-loss")[0, 1] != both.table("log-loss")[1, 1]
