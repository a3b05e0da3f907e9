"""Doubts after a comparison: each has a case that raises it and one that does not."""

from itertools import combinations

import numpy as np
import pytest

from assay import compare
from assay.baselines import MajorityClassifier
from assay.core import Classifier
from assay.errors import ParameterError
from assay.evaluate.doubts import doubts
from assay.stats.significance.power import smallest_difference
from assay.tables.data import load_breast_cancer, load_iris


class Scripted(Classifier):
    """Answers right with a given probability, by a column that holds the class; else the other class."""

    def __init__(self, right=0.9, seed=0, only=None):
        self.right = right
        self.seed = seed
        self.only = only

    def _learn(self, X, y, w):
        """Everything is known already."""

    def _posterior(self, X):
        values = np.asarray(X)
        truth, draw = values[:, 0].astype(int), values[:, 1 + self.seed]
        sure = draw < self.right if self.only is None else (draw < self.right) & (truth == self.only)
        said = np.where(sure, truth, 1 - truth if self.only is None else 1 - self.only)
        return np.eye(2)[said] * 0.98 + 0.01


def table(n, share=0.5, draws=8, seed=0):
    """A column with the class, and columns of uniform numbers that decide who is right where."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return np.column_stack([y, rng.random((n, draws))]), y


def found(result, **settings):
    return {f.code: f for f in doubts(result, **settings)}


def clean(name):
    """What is said about probabilities is tested elsewhere."""
    return name not in ("not-calibrated", "weighted-probabilities")


def test_a_clear_result_on_many_rows_raises_no_doubt():
    X, y = table(4000)
    learners = {"good": Scripted(0.95), "poor": Scripted(0.7, seed=1), "majority": MajorityClassifier()}
    result = compare(learners, X, y, "10-fold")
    assert [f for f in doubts(result) if clean(f.code)] == []


def test_a_learner_that_failed_is_named_with_its_reason():
    class Broken(Scripted):
        def _learn(self, X, y, w):
            raise RuntimeError("the disk is full")

    X, y = table(200)
    said = found(compare({"good": Scripted(0.95), "broken": Broken()}, X, y, "5-fold"))["failed-learner"]
    assert (
        said.severity == "warning"
        and said.column == "broken"
        and "the disk is full. The ranking" in said.sentence
    )
    alone = doubts(compare({"broken": Broken()}, X, y, "5-fold"))
    assert [f.code for f in alone] == ["failed-learner"]


@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize("design", ["10-fold", "holdout"])
def test_no_better_than_the_majority(present, design):
    X, y = table(300, share=0.5)
    learners = {"guess": Scripted(0.5)} | ({"majority": MajorityClassifier()} if present else {})
    said = found(compare(learners, X, y, design))["no-better-than-majority"]
    assert said.severity == "warning" and "nothing was shown to be learned" in said.sentence
    learners["good"] = Scripted(0.9, seed=1)
    said = found(compare(learners, X, y, design))["no-better-than-majority"]
    assert said.severity == "note" and "guess is not significantly better" in said.sentence
    del learners["guess"]
    assert "no-better-than-majority" not in found(compare(learners, X, y, design))


def test_the_same_question_by_accuracy():
    X, y = table(300)
    result = compare(
        {"guess": Scripted(0.5), "good": Scripted(0.9, seed=1)}, X, y, "10-fold", metrics=["accuracy"]
    )
    assert "guess is not significantly" in found(result)["no-better-than-majority"].sentence


def test_a_low_error_that_finds_no_rare_row():
    X, y = table(1000, share=0.05)
    shy = {"shy": Scripted(0.3, only=1), "majority": MajorityClassifier()}
    said = found(compare(shy, X, y, "5-fold"))["metric-misleads"]
    assert (
        said.severity == "warning"
        and "of the rows of 1 only; answering 0 always is right in 9" in said.sentence
    )
    assert "metric-misleads" not in found(compare({"good": Scripted(0.9)}, X, y, "5-fold"))
    assert "metric-misleads" not in found(compare(shy, X, y, "5-fold", metrics=["balanced error"]))


def test_significant_but_negligible():
    X, y = table(20_000)
    X[:, 2] = X[:, 1] + np.where(
        np.arange(20_000) % 250 == 0, 1.0, 0.0
    )  # one row in 250 worse than the other
    result = compare({"a": Scripted(0.9), "b": Scripted(0.9, seed=1)}, X, y, "10-fold")
    assert result.test("a", "b").significant
    said = found(result)["negligible-difference"]
    assert said.severity == "note" and "significantly worse than a but practically equal" in said.sentence
    assert "b (+0.00" in said.sentence
    assert "negligible-difference" not in found(result, rope=0.001)
    assert "negligible-difference" not in found(result, rope=0)


@pytest.mark.parametrize("design", ["10-fold", "holdout"])
def test_too_few_rows_to_tell(design):
    X, y = table(120)
    result = compare({"a": Scripted(0.8), "b": Scripted(0.78, seed=1)}, X, y, design)
    said = found(result)["too-few-rows"]
    assert said.severity == "warning" and f"and {result.design.name}, " in said.sentence
    X, y = table(20_000)
    result = compare({"a": Scripted(0.9), "b": Scripted(0.9, seed=1)}, X, y, design)
    assert "too-few-rows" not in found(result)


def test_equal_answers_need_no_more_rows():
    X, y = table(100)
    assert "too-few-rows" not in found(compare({"a": Scripted(0.9), "b": Scripted(0.9)}, X, y, "10-fold"))


def test_the_best_of_many_is_flattered_by_as_much_as_is_said():
    """Eight learners that are right with probability 0.8: the best seems better, by the minimum of eight means."""
    rng, n, gaps, corrected = np.random.default_rng(0), 150, [], []
    for seed in range(12):
        X, y = table(n, seed=seed)
        many = {f"l{k}": Scripted(0.8, seed=k) for k in range(8)}
        said = found(compare(many, X, y, "5-fold"))["best-of-many"]
        lowest, expected = (
            float(said.sentence.split(word)[1].split()[0]) for word in ("error of ", "Expect about ")
        )
        gaps.append(lowest - 0.2)
        corrected.append(expected - 0.2)
    true = rng.binomial(n, 0.2, size=(5000, 8)).min(axis=1).mean() / n - 0.2
    assert np.mean(gaps) == pytest.approx(true, abs=0.02) and true < -0.03
    assert abs(np.mean(corrected)) < 0.6 * abs(np.mean(gaps))


def test_one_clear_winner_is_not_flattered():
    X, y = table(500)
    few = {"good": Scripted(0.95), "b": Scripted(0.7, seed=1), "c": Scripted(0.6, seed=2)}
    assert "best-of-many" not in found(compare(few, X, y, "5-fold"))


def test_too_good_to_be_true():
    X, y = table(300)
    assert (
        "is right on all 300 rows"
        in found(compare({"all": Scripted(1.1)}, X, y, "5-fold"))["too-good"].sentence
    )
    assert "too-good" not in found(compare({"most": Scripted(0.98)}, X, y, "5-fold"))
    assert "too-good" not in found(compare({"all": Scripted(1.1)}, X[:100], y[:100], "5-fold"))


def test_another_metric_weights_and_a_loaded_comparison_are_no_obstacle():
    import pickle

    data = load_breast_cancer()
    result = compare(
        ["lda", "naive bayes", "majority"], data, design="5-fold", metrics=["auc", "log-loss", "error"]
    )
    assert {f.code for f in doubts(result)} <= {"not-calibrated", "too-few-rows"}
    weighed = compare(["lda", "majority"], load_iris(), design="5-fold", sample_weight=np.linspace(1, 2, 150))
    assert all(f.severity == "note" for f in doubts(weighed))
    assert doubts(pickle.loads(pickle.dumps(result))) == doubts(result)


def test_the_most_severe_come_first_and_rope_is_checked():
    X, y = table(200, share=0.1)
    said = doubts(compare({"guess": Scripted(0.5), "other": Scripted(0.52, seed=1)}, X, y, "5-fold"))
    order = ["error", "warning", "note"]
    assert [f.severity for f in said] == sorted((f.severity for f in said), key=order.index) and len(
        said
    ) >= 2
    for rope in (-0.1, "small", np.nan, True):
        with pytest.raises(ParameterError, match="rope must be a number from 0 up"):
            doubts(compare({"guess": Scripted(0.5)}, X, y, "5-fold"), rope=rope)


def test_the_difference_that_would_be_found_is_one_that_the_adjusted_test_finds():
    """Holm's method asks the smallest p of 10 undecided pairs to be below 0.05 / 10, and so does the promise."""
    X, y = table(400)
    names = "abcde"
    result = compare({name: Scripted(0.8, seed=k) for k, name in enumerate(names)}, X, y, "10-fold")
    assert all(result.test(i, j).adjusted > 0.05 for i, j in combinations(names, 2))
    first, second = (s.learner for s in result.ranking()[:2])
    gap = result.values(first) - result.values(second)
    least = smallest_difference("t", 10, sd=gap.std(ddof=1), ratio=1 / 9, alpha=0.05 / 10)
    assert f"differences in error of {least:.3f} or more" in found(result)["too-few-rows"].sentence
