"""Subsets for logistic regression, warm-started: the scores of fits that are carried to the minimum."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores, both

from assay.linear import LogisticRegression
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table

TO_THE_MINIMUM = {"tol": 1e-12, "max_iter": 2000}


def read(scaled=True):
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, ::3]
    return (X - X.mean(axis=0)) / X.std(axis=0) if scaled else X, y


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(**TO_THE_MINIMUM),
        LogisticRegression(C=0.05, **TO_THE_MINIMUM),
        LogisticRegression(fit_intercept=False, solver="newton-cholesky", **TO_THE_MINIMUM),
    ],
    ids=repr,
)
def test_labels_and_probabilities_as_by_refitting_to_the_minimum(learner, scaled):
    X, y = read(scaled)
    assert_same_scores(learner, X, y)
    weights = np.random.default_rng(0).uniform(0.1, 3, len(y))
    assert_same_scores(learner, X, y, "log loss", weights, rtol=1e-8)


def test_dependent_and_constant_columns_and_few_rows():
    X, y = read()
    X = np.column_stack([X[:, :5], np.ones(len(y)), 2 * X[:, 0], X[:, 1] + X[:, 2]])
    for size in (20, 6):
        rows = np.concatenate([np.flatnonzero(y == k)[:size] for k in (0, 1)])
        learner = LogisticRegression(**TO_THE_MINIMUM)
        assert_same_scores(learner, X[rows], y[rows], "log loss", trials=5, rtol=1e-7)


def test_separable_classes():
    X = np.random.default_rng(0).normal(size=(60, 4))
    y = (X[:, 0] > 0).astype(int)
    assert_same_scores(LogisticRegression(C=1e4, **TO_THE_MINIMUM), X, y, "log loss", trials=5, rtol=1e-6)


def test_the_same_columns_are_chosen_with_the_learners_own_tolerance():
    X, y = read()
    assert_same_choice(LogisticRegression(), X, y)


def test_scores_with_the_learners_own_tolerance_differ_by_single_rows():
    quick, slow = both(LogisticRegression(), *read())
    others = list(range(1, 10))
    assert np.abs(quick.additions([0], others) - slow.additions([0], others)).max() <= 1.5 / 284


def test_what_is_not_reproduced_is_refitted():
    X, y = read()
    for settings in ({"C": np.inf}, {"l1_ratio": 1.0}, {"class_weight": "balanced"}, {"solver": "liblinear"}):
        assert isinstance(subset_scores(LogisticRegression(**settings), Table.of(X), y, cv=2), Refit)
    X, y = load_iris(return_X_y=True)
    assert isinstance(subset_scores(LogisticRegression(), Table.of(X), y, cv=2), Refit)
