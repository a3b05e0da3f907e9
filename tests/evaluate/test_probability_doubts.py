"""Probabilities distorted by class weights, and probabilities that are too sure."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay import compare
from assay.decide import adjust_priors, effective_priors
from assay.evaluate.doubts import doubts


def found(result):
    return {(f.code, f.column): f for f in doubts(result)}


def rare(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.1).astype(int)
    return rng.normal(size=(n, 2)) + y[:, None], y


@pytest.mark.parametrize("inside", [False, True])
def test_class_weights_distort_and_are_named(inside):
    X, y = rare()
    model = LogisticRegression(class_weight="balanced")
    balanced = make_pipeline(StandardScaler(), model) if inside else model
    said = found(compare({"even": balanced, "plain": LogisticRegression()}, X, y, "5-fold"))
    finding = said["weighted-probabilities", "even"]
    assert finding.severity == "warning"
    assert "was trained with class_weight=balanced: on average it gives" in finding.sentence
    assert ("weighted-probabilities", "plain") not in said and ("not-calibrated", "plain") not in said


def test_the_remedy_that_is_named_works():
    X, y = rare()
    result = compare({"even": LogisticRegression(class_weight="balanced")}, X, y, "5-fold")
    seen = result.out_of_fold("even")
    back = adjust_priors(seen.posterior, [1 - y.mean(), y.mean()], effective_priors(y, "balanced"))
    assert abs(seen.posterior[:, 1].mean() - y.mean()) > 0.15
    assert abs(back[:, 1].mean() - y.mean()) < 0.01


def test_weights_that_change_little_are_no_reason_to_doubt():
    X, y = rare()
    result = compare({"even": LogisticRegression(class_weight={0: 1.0, 1: 1.1})}, X, y, "5-fold")
    assert ("weighted-probabilities", "even") not in found(result)


def test_probabilities_that_are_too_sure():
    """Naive Bayes on a column that is there five times counts its evidence five times."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 1000)
    x = rng.normal(size=1000) + y
    X = np.column_stack([x] * 5) + 1e-6 * rng.normal(size=(1000, 5))
    said = found(compare(["naive bayes", "logistic"], X, y, "5-fold"))
    finding = said["not-calibrated", "naive bayes"]
    assert "it is overconfident" in finding.sentence and "CalibratedClassifierCV" in finding.sentence
    assert ("not-calibrated", "logistic") not in said


@pytest.mark.parametrize("seed", range(8))
def test_calibrated_probabilities_are_believed(seed):
    """Logistic data, logistic learner, 1000 rows: no doubt of its probabilities."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(1000, 3))
    y = (rng.random(1000) < 1 / (1 + np.exp(-X @ [1.0, 2.0, 0.0]))).astype(int)
    assert not {code for code, _ in found(compare(["logistic"], X, y, "5-fold"))} & {"not-calibrated"}


def test_learners_without_probabilities_are_left_alone():
    from sklearn.svm import LinearSVC

    X, y = rare(300)
    result = compare({"svm": LinearSVC(class_weight="balanced")}, X, y, "5-fold")
    assert not {"not-calibrated", "weighted-probabilities"} & {code for code, _ in found(result)}
    unkept = compare(
        {"even": LogisticRegression(class_weight="balanced")}, X, y, "5-fold", probabilities=False
    )
    assert ("weighted-probabilities", "even") not in found(unkept)
