"""Subsets for least squares and ridge: the scores of refitting, without refitting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression as PeerLinearRegression
from sklearn.linear_model import Ridge as PeerRidge
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores

from assay.errors import AssayWarning
from assay.linear import LinearRegression, Ridge
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table

OURS = [
    LinearRegression(),
    LinearRegression(fit_intercept=False),
    Ridge(alpha=0.3),
    Ridge(alpha=2.0, fit_intercept=False),
]
LEARNERS = [*OURS, PeerLinearRegression(), PeerRidge(alpha=0.3)]


def read(rows=442):
    X, y = load_diabetes(return_X_y=True)
    return X[:rows], y[:rows]


@pytest.mark.parametrize("scoring", [None, "rmse", "mae", "neg_mean_squared_error", "adjusted r2"])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_measures_as_by_refitting(learner, scoring):
    if scoring == "adjusted r2" and learner in LEARNERS[4:]:
        scoring = "neg_median_absolute_error"
    assert assert_same_scores(learner, *read(), scoring).refitted == 0


@pytest.mark.parametrize("scoring", ["r2", "median absolute error"])
@pytest.mark.parametrize("learner", OURS, ids=repr)
def test_weights_as_by_refitting(learner, scoring):
    X, y = read()
    assert_same_scores(learner, X, y, scoring, np.random.default_rng(1).uniform(0.1, 3, len(y)))


@pytest.mark.parametrize("scoring", ["r2", "mae"])
@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_dependent_and_constant_columns_and_few_rows(learner, scoring):
    X, y = read(24)
    X = np.column_stack([X, X[:, 0] * 2, np.ones(len(y)), X[:, 1] + X[:, 2], X[:, 3] * 1e-9])
    assert_same_scores(learner, X, y, scoring, trials=4, largest=14, rtol=1e-8)


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
def test_the_same_columns_are_chosen(learner):
    assert_same_choice(learner, *read())


@pytest.mark.parametrize("power", [-120, 100])
def test_columns_of_any_scale(power):
    X, y = read()
    scale = 10.0 ** np.linspace(power, -power / 2, 10)
    assert_same_scores(LinearRegression(), X * scale, y)


def test_numbers_without_squares_are_left_to_the_learner():
    """Their sums are infinite, of which SciPy knows only "array must not contain infs or NaNs"."""
    X, y = read(60)
    X = X * ([1e300] + [1] * (X.shape[1] - 1))
    with pytest.warns(AssayWarning, match="column x0 are too large to be added up"):
        scores = subset_scores(LinearRegression(), X, y, cv=3)
        assert isinstance(scores, Refit)
        values = scores.scores([(0,), (1,)])
    assert np.isnan(values[0]).all() and np.isfinite(values[1]).all()


def test_a_perfect_fit_is_measured_by_rows():
    """Sums of squares would cancel: the errors are 1e-8 of the target."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    y = X[:, 0] - 2 * X[:, 3] + 1e-8 * rng.normal(size=60)
    quick = assert_same_scores(LinearRegression(), X, y, "rmse")
    slow = subset_scores(LinearRegression(), Table.of(X), y, 2, "rmse", fast=False)
    assert_allclose(quick.additions((0,), (3,)), slow.additions((0,), (3,)), rtol=1e-6)


def test_what_is_not_reproduced_is_refitted():
    X, y = read(60)
    for learner in (LinearRegression(positive=True), Ridge(penalize_intercept=True)):
        assert isinstance(subset_scores(learner, Table.of(X), y, cv=3), Refit)
    assert isinstance(subset_scores(PeerRidge(solver="lsqr"), X, y, cv=3), Refit)
    assert isinstance(subset_scores(LinearRegression(), Table.of(X.astype(np.float32)), y, cv=3), Refit)
