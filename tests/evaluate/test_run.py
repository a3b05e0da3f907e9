"""Running: the same in one process and in two, stoppable, audible, and not too talkative."""

import warnings
from concurrent.futures import BrokenExecutor

import joblib
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from assay import compare
from assay.baselines import MajorityClassifier
from assay.core.progress import listen
from assay.errors import DegenerateError
from assay.tables.data import load_iris, load_wine

rng = np.random.default_rng(0)


def numbers(result):
    return [{k: v for k, v in row.items() if "seconds" not in k} for row in result.records]


def test_a_used_up_budget_starts_no_further_split():
    result = compare(["majority", "naive bayes"], load_iris(), design="10-fold", budget=0)
    assert len(result.places) == 1
    assert result.notes == ["The time budget was used up after 1 of 10 splits; the result rests on these."]
    assert "McNemar" in str(result.test("majority", "naive bayes"))


def test_two_processes_give_the_same_numbers_as_one():
    learners = ["naive bayes", DecisionTreeClassifier(max_features=1)]
    one, two = (compare(learners, *load_wine(), design="2x3", n_jobs=jobs) for jobs in (None, 2))
    assert numbers(one) == numbers(two)
    assert [s.p for s in one.ranking()[1:]] == [s.p for s in two.ranking()[1:]]


def test_warnings_are_told_once_a_kind_and_shortened():
    class Grumbles(MajorityClassifier):
        def predict(self, X):
            for k in range(5):
                warnings.warn(
                    f"{'abcde'[k]} kind, row {rng.integers(9)} of 'x'. " + "Long advice. " * 40, stacklevel=2
                )
            return super().predict(X)

    result = compare({"it": Grumbles()}, load_iris(), design="5-fold")
    assert len(result.notes) == 4
    assert result.notes[0].startswith("it warned on 5 of 5 splits: a kind, row ")
    assert all(len(note) < 300 for note in result.notes)
    assert result.notes[3] == "it gave 2 more kinds of warnings."


def test_progress_is_told_cell_by_cell():
    events = []
    with listen(events.append):
        compare(["majority", "naive bayes"], load_iris(), design="5-fold")
    assert events[0].total == 10 and events[-1].done == 10 and events[-1].state == "finished"


# joblib's manager of the workers may meet work that was cancelled just before (KeyError), and ends: rare, and harmless.
@pytest.mark.filterwarnings("ignore:Exception in thread ExecutorManagerThread")
def test_an_interruption_in_several_processes_keeps_the_finished_splits():
    learners = ["majority", "naive bayes"]

    def enough(event):
        if (
            event.done >= 6 and event.state == "running"
        ):  # three splits have come back; the third is being counted
            raise KeyboardInterrupt

    with listen(enough):
        result = compare(learners, load_iris(), design="10-fold", n_jobs=2)
    assert 1 <= len(result.places) < 10
    assert "Interrupted after" in result.notes[-1]
    whole = compare(learners, load_iris(), design="10-fold")
    assert numbers(result) == [row for row in numbers(whole) if row["fold"] < len(result.places)]
    short = compare(
        learners, load_iris(), design="10-fold", n_jobs=2, budget=0
    )  # no warning of cancelled work
    assert 1 <= len(short.places) < 10


@pytest.mark.parametrize("finished", [0, 2])
def test_a_process_that_dies_takes_no_finished_split_with_it(monkeypatch, finished):
    def broken(function, work, n_jobs):
        for _ in range(finished):
            yield function(*next(iter(work)))
        raise BrokenExecutor  # what joblib raises when a worker is killed

    monkeypatch.setattr("assay.evaluate.run.each", broken)
    if finished:
        result = compare(["majority"], load_iris(), design="10-fold", n_jobs=2)
        assert len(result.places) == 2
        assert result.notes[-1].startswith("A process died, often for want of memory, after 2 of 10 splits;")
    else:
        with pytest.raises(DegenerateError, match="a process died before any split was finished"):
            compare(["majority"], load_iris(), design="10-fold", n_jobs=2)


def test_a_dask_cluster_gives_the_same_numbers():
    distributed = pytest.importorskip("distributed", reason="dask's cluster is an extra")
    from tests.clusters import in_this_process

    learners = ["majority", "lda", DecisionTreeClassifier(max_features=2)]
    alone = compare(learners, *load_wine(), design="2x3", metrics=["error", "log-loss"])
    with (
        in_this_process(workers=2) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config("dask"),
    ):
        there = compare(learners, *load_wine(), design="2x3", metrics=["error", "log-loss"])
    assert numbers(alone) == numbers(there)
    assert all(
        np.array_equal(alone.out_of_fold(k).posterior, there.out_of_fold(k).posterior) for k in alone.learners
    )


def test_an_empty_place_in_the_table_has_its_sentence():
    from assay import compare
    from assay.tables.data import load_breast_cancer

    result = compare(["ridge", "lda"], load_breast_cancer(), design="3-fold", metrics=["error", "auc"])
    assert result.notes == [
        "ridge cannot be judged by auc, which needs probabilities: its place stays empty."
    ]
    assert not result.failures
