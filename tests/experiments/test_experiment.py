"""Experiments: each cell once, whatever happens in between; the same numbers however they were run."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin

from assay.bayes import GaussianNB
from assay.errors import ParameterError
from assay.evaluate import Resampling, compare
from assay.experiments.experiment import Experiment
from assay.experiments.study import Study
from assay.metrics import measures

rng = np.random.default_rng(0)
OF_CLASSES = [name for name, m in measures().items() if m.task == "classification"]
SMALL = (rng.normal(size=(30, 2)) + np.arange(30)[:, None] % 2, np.arange(30) % 2)
OTHER = (rng.normal(size=(40, 3)) + np.arange(40)[:, None] % 3, np.arange(40) % 3)
DATA = {"small": SMALL, "other": OTHER}
LEARNERS = ["majority", "lda", "naive bayes"]


def experiment(learners=LEARNERS, data=DATA, **options):
    return Experiment(learners, data, **{"design": "2x3", "metrics": ["error", "log-loss"], **options})


def numbers(study):
    """Everything but the clock."""
    return [{k: v for k, v in row.items() if not k.endswith("seconds")} for row in study.records]


class Counts(ClassifierMixin, BaseEstimator):
    """Answers the most frequent class, and counts how often it was fitted; breaks as told."""

    fits = 0
    broken = False

    def __init__(self, name="a", breaks="never", stop=False):
        self.name, self.breaks, self.stop = name, breaks, stop

    def fit(self, X, y):
        Counts.fits += 1
        if self.stop and Counts.fits > 4:
            raise KeyboardInterrupt
        if self.breaks == "always" or (self.breaks == "at first" and Counts.broken):
            raise ZeroDivisionError("cannot divide by nothing")
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[np.argmax(counts)]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


@pytest.fixture(autouse=True)
def counted():
    Counts.fits, Counts.broken = 0, False


def test_the_numbers_are_those_of_compare():
    study = experiment(random_state=3).run()
    for name, (X, y) in DATA.items():
        alone = compare(LEARNERS, X, y, design="2x3", metrics=["error", "log-loss"], random_state=3)
        here = study.comparison(name)
        for learner in LEARNERS:
            for metric in ("error", "log-loss"):
                assert (here.values(learner, metric) == alone.values(learner, metric)).all()
                assert_array_equal(here.interval(learner, metric), alone.interval(learner, metric))
            assert (here.confusion(learner) == alone.confusion(learner)).all()
            assert (here.out_of_fold(learner).posterior == alone.out_of_fold(learner).posterior).all()
        assert [s.learner for s in here.ranking()] == [s.learner for s in alone.ranking()]
        assert all((a.test == b.test).all() for a, b in zip(here.splits, alone.splits))


def test_a_second_run_runs_nothing_and_says_the_same(tmp_path):
    first = experiment([Counts(), "lda"], folder=tmp_path / "e").run()
    assert Counts.fits == 12
    again = experiment([Counts(), "lda"], folder=tmp_path / "e").run()
    assert Counts.fits == 12
    assert again.records == first.records == Study.load(tmp_path / "e").records


def test_in_memory_too_a_cell_is_run_once():
    made = experiment([Counts()])
    made.plan()
    piloted = Counts.fits
    assert piloted == 2  # one cell on each data set
    made.run()
    made.run()
    assert Counts.fits == 12


def test_what_is_added_is_all_that_is_run(tmp_path):
    folder = tmp_path / "e"
    experiment([Counts()], folder=folder).run()
    experiment([Counts(), Counts("b")], folder=folder).run()
    assert Counts.fits == 24  # one more learner
    experiment([Counts(), Counts("b")], folder=folder, design="3x3").run()
    assert Counts.fits == 24 + 12  # one more repetition of each
    study = experiment([Counts(), Counts("b")], {"small": SMALL}, folder=folder).run()
    assert Counts.fits == 36  # less is nothing new
    assert study.data == ["small"] and study.missing == 0
    assert any("cells of other settings are in the folder" in note for note in study.notes)
    experiment([Counts()], {"small": (SMALL[0] + 1, SMALL[1])}, folder=folder).run()
    assert Counts.fits == 42  # other rows under the old name
    experiment([Counts()], {"small": SMALL}, folder=folder, random_state=1).run()
    assert Counts.fits == 48  # another seed


def test_a_further_metric_is_measured_and_fewer_are_not(tmp_path):
    folder = tmp_path / "e"
    experiment([Counts()], folder=folder, metrics=["error"]).run()
    study = experiment([Counts()], folder=folder, metrics=["error", "f1"]).run()
    assert Counts.fits == 24
    assert np.isfinite(study.table("f1")).all()
    experiment([Counts()], folder=folder, metrics=["f1"]).run()
    assert Counts.fits == 24


def test_posteriors_that_were_not_kept_are_made_when_they_are_wanted(tmp_path):
    bare = experiment(["lda"], folder=tmp_path / "e", probabilities=False)
    assert bare.run().comparison("small").out_of_fold("lda").posterior is None
    rich = experiment(["lda"], folder=tmp_path / "e")
    assert rich.plan(pilot=0).left == 6  # those of the first repetition
    assert rich.run().comparison("small").out_of_fold("lda").posterior.shape == (30, 2)
    assert bare.plan(pilot=0).left == rich.plan(pilot=0).left == 0


def test_two_names_of_one_learner_are_one_cell():
    study = experiment({"a": Counts(), "b": Counts()}).run()
    assert Counts.fits == 12
    assert (study.table()[:, 0] == study.table()[:, 1]).all()


def test_a_learner_that_fails_is_recorded_and_the_others_go_on(tmp_path):
    study = experiment(["lda", Counts(breaks="always")], metrics=["error"], folder=tmp_path / "e").run()
    assert np.isfinite(study.table()[:, 0]).all() and np.isnan(study.table()[:, 1]).all()
    assert study.failures["small", "Counts"] == (
        "failed on 6 of 6 splits. ZeroDivisionError: cannot divide by nothing"
    )
    failed = [row for row in study.records if row["learner"] == "Counts"]
    assert len(failed) == 12
    assert all(row["value"] is None and "ZeroDivisionError" in row["failure"] for row in failed)
    assert "Counts on small failed on 6 of 6 splits" in str(study)


def test_failed_cells_are_tried_again_when_asked(tmp_path):
    Counts.broken = True
    made = lambda: experiment([Counts(breaks="at first")], metrics=["error"], folder=tmp_path / "e")  # noqa: E731
    assert len(made().run().failures) == 2
    Counts.broken = False
    assert len(made().run().failures) == 2 and Counts.fits == 12  # not without being asked
    study = made().run(retry_failed=True)
    assert not study.failures and Counts.fits == 24
    assert made().run(retry_failed=True).missing == 0 and Counts.fits == 24


def test_an_interruption_keeps_what_is_finished_and_a_resume_ends_as_if_there_was_none(tmp_path):
    stopped = experiment(["lda", Counts(stop=True)], folder=tmp_path / "e").run()
    assert stopped.manifest.sessions[-1]["ended"] == "Interrupted"
    assert 4 <= 24 - stopped.missing < 24
    assert any("cells have not been run yet" in note for note in stopped.notes)
    Counts.fits = -100
    resumed = experiment(["lda", Counts(stop=True)], folder=tmp_path / "e").run()
    Counts.fits = -100
    straight = experiment(["lda", Counts(stop=True)]).run()
    assert resumed.missing == 0
    assert numbers(resumed) == numbers(straight)


def test_an_interruption_before_anything_is_an_interruption():
    Counts.fits = 10
    with pytest.raises(KeyboardInterrupt):
        experiment([Counts(stop=True)]).run()
    with pytest.raises(KeyboardInterrupt):
        experiment([Counts(stop=True)]).plan()


def test_two_processes_and_one_give_the_same_records_and_so_does_a_resume(tmp_path):
    learners = [*LEARNERS, ("forest", {"n_estimators": [5]})]
    data = {"small": SMALL, "wine": "wine"}
    one = experiment(learners, data, design="3-fold").run()
    part = experiment(learners, data, design="3-fold", folder=tmp_path / "e")
    part.run(budget=0.0)
    part.plan(pilot=0.2)
    two = part.run(n_jobs=2)
    assert two.missing == 0
    assert numbers(one) == numbers(two) == numbers(Study.load(tmp_path / "e"))
    keys = {r["key"]: (r["answer"], r["posterior"]) for r in one.journal.values()}
    assert keys == {r["key"]: (r["answer"], r["posterior"]) for r in two.journal.values()}


SCRIPT = """
import os, sys, time
import numpy as np
sys.path.insert(0, sys.argv[1])
from slow_learner import Slow
from assay.experiments.experiment import Experiment
X = np.arange(24.0).reshape(12, 2)
made = Experiment([Slow("a"), Slow("b")], {"rows": (X, np.arange(12) % 2)}, design="3x3", folder=sys.argv[2])
study = made.run()
print(study.missing, repr(study.table().tolist()))
"""

LEARNER = """
import os, time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

fits = []

class Slow(ClassifierMixin, BaseEstimator):
    def __init__(self, name):
        self.name = name

    def fit(self, X, y):
        with open(os.environ["FITS"], "a") as file:
            file.write("x")
        fits.append(self.name)
        if len(fits) > int(os.environ["QUICK"]):  # then it waits to be killed, however busy the machine is
            time.sleep(600)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(np.arange(len(X)) % 2, self.classes_[0], self.classes_[-1])
"""


def test_a_killed_process_loses_the_running_cell_at_most(tmp_path, monkeypatch):
    (tmp_path / "slow_learner.py").write_text(LEARNER)
    folder, fits = tmp_path / "e", tmp_path / "fits"
    journal = folder / "cells.journal"
    environment = {**os.environ, "FITS": str(fits), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), str(folder)]
    kept = 0
    for times, how in enumerate((signal.SIGINT, signal.SIGKILL), 1):
        running = subprocess.Popen(
            command, env={**environment, "QUICK": "3"}, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        deadline = time.monotonic() + 300
        while not (journal.exists() and journal.read_bytes().count(b"\n") >= kept + 2):
            assert time.monotonic() < deadline and running.poll() is None, running.communicate()[1].decode()
            time.sleep(0.02)
        with pytest.raises(ParameterError, match="another process"):  # it holds the folder while it lives
            Experiment(["lda"], {"rows": SMALL}, folder=folder).run()
        running.send_signal(how)
        running.communicate(timeout=300)
        before, kept = kept, journal.read_bytes().count(b"\n")
        assert before + 2 <= kept < 18
        assert len(fits.read_text()) <= kept + times
    with open(journal, "ab") as file:
        file.write(b'0badc0de {"key": "half a rec')  # as if it had been killed in the middle of a record
    done = subprocess.run(
        command, env={**environment, "QUICK": "18"}, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("0 ")
    assert len(fits.read_text()) <= 18 + 2
    whole = {}
    exec(LEARNER, whole)
    X = np.arange(24.0).reshape(12, 2)
    monkeypatch.setenv("FITS", str(fits))
    monkeypatch.setenv("QUICK", "18")
    learners = [whole["Slow"]("a"), whole["Slow"]("b")]
    straight = Experiment(learners, {"rows": (X, np.arange(12) % 2)}, design="3x3").run()
    assert done.stdout.strip() == f"0 {straight.table().tolist()!r}"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random_state": -1}, "random_state must be a whole number"),
        ({"random_state": None}, "random_state must be a whole number"),
        ({"alpha": 2}, "alpha must be a number above 0 and below 1"),
        ({"design": "nonsense"}, "^experiment: design must be a name"),
        ({"design": [([0, 1], [2])]}, "has no name by which it can be found again"),
        ({"metrics": ["cost"]}, "rests on costs"),
        ({"metrics": []}, "^experiment: metrics is empty"),
        ({"folder": 3}, "folder must be the path of a folder, got 3"),
        ({"checklist": "aim"}, "checklist must be a Checklist"),
        ({"data": "irs"}, "Did you mean iris"),
        ({"learners": ["ldaa"]}, "Did you mean lda"),
        ({"factors": {"depth": [1]}}, "has no parameter 'depth'"),
    ],
)
def test_wrong_input_is_explained_before_anything_runs(tmp_path, options, words):
    with pytest.raises((ParameterError, ValueError), match=words):
        experiment(**{"folder": tmp_path / "e", **options}).run()
    assert not (tmp_path / "e").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_jobs": 0}, "n_jobs must be a number of processes"),
        ({"n_jobs": 1.5}, "n_jobs must be a number of processes"),
        ({"budget": -1}, "budget must be a number of seconds"),
        ({"budget": "1h"}, "budget must be a number of seconds"),
        ({"budget": float("nan")}, "budget must be a number of seconds"),
    ],
)
def test_wrong_options_of_a_run_are_explained(options, words):
    with pytest.raises(ParameterError, match=words):
        experiment().run(**options)


def test_designs_and_metrics_that_compare_knows_work_here():
    for design in ("3x2", "2xholdout", "leave-one-out", "bootstrap(3)", Resampling.of("3-fold")):
        study = experiment(["majority"], {"small": SMALL}, design=design, metrics=OF_CLASSES[:3]).run()
        assert study.missing == 0 and np.isfinite(study.table()).all()


def test_settings_of_estimators_reach_the_cells():
    study = experiment([(GaussianNB(), {"var_smoothing": [1e-9, 100.0]})], metrics=["log-loss"]).run()
    assert study.learners == ["GaussianNB(var_smoothing=1e-09)", "GaussianNB(var_smoothing=100.0)"]
    alone = compare([GaussianNB(var_smoothing=100.0)], *SMALL, design="2x3", metrics=["log-loss"])
    assert study.table()[0, 1] == alone.values("GaussianNB").mean() != study.table()[0, 0]


def test_the_settings_that_a_tuned_learner_chose_are_kept(tmp_path):
    from assay.tables.data import load_iris
    from assay.tuning import Tuned

    learners = {"tree": Tuned("decision tree", {"max_depth": [1, 3]}, inner="2-fold")}
    made = experiment(learners, {"iris": "iris"}, design="2-fold", folder=tmp_path / "e")
    made.run()
    found = Study.load(tmp_path / "e").comparison("iris")
    assert (
        found.chosen("tree")
        == compare(learners, *load_iris(), design="2-fold").chosen("tree")
        != [None, None]
    )
