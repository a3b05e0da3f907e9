"""What a learner says of itself: its model, its loss and its optimiser, and that it is so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_diabetes

from assay.core import Card
from assay.core.card import OPTIMA
from assay.learners import KIND_OF_TASK, learners
from assay.linear import LinearRegression, LogisticRegression, QuantileRegressor, Ridge
from assay.metrics import log_loss, mean_absolute_error, mean_squared_error
from assay.prepare import StandardScaler
from assay.svm import LinearSVC

CLASSES = load_breast_cancer(return_X_y=True)
NUMBERS = load_diabetes(return_X_y=True)


@pytest.mark.capability("IML-2-22")
@pytest.mark.parametrize("kind", list(KIND_OF_TASK.values()))
def test_every_learner_names_its_model_its_loss_and_its_optimiser(kind):
    without = [e.class_name for e in learners(kind).values() if e.load().card.learns is None]
    assert not without, f"card = Card(..., learns=(model, loss, optimiser, optimum)) is missing in {without}"
    for entry in learners(kind).values():
        learns = entry.load().card.learns
        assert all(isinstance(part, str) and part for part in learns)
        assert learns.optimum in OPTIMA


def test_a_card_takes_a_tuple_and_gives_names():
    card = Card("toy", "a toy", learns=("a constant", "squared error", "a mean", "analytic"))
    assert card.learns.model == "a constant" and card.learns.optimizer == "a mean"
    with pytest.raises(TypeError):
        Card("toy", "a toy", learns=("a constant", "squared error"))


@pytest.mark.capability("IML-2-22")
@pytest.mark.parametrize(
    ("model", "name", "measure"),
    [
        (LinearRegression(), "squared", mean_squared_error),
        (QuantileRegressor(alpha=0.0), "absolute", mean_absolute_error),
    ],
)
def test_the_error_is_the_sum_of_the_losses_of_the_rows(model, name, measure):
    X, y = NUMBERS
    predicted = model.fit(X, y).predict(X)
    each = np.abs(y - predicted) if name == "absolute" else (y - predicted) ** 2
    assert_allclose(each.sum(), len(y) * measure(y, predicted), rtol=1e-12)
    assert name in model.card.learns.loss or name in "absolute pinball"


@pytest.mark.capability("IML-2-22")
def test_the_log_loss_too():
    X, y = CLASSES
    model = LogisticRegression().fit(StandardScaler().fit_transform(X), y)
    P = model.predict_proba(StandardScaler().fit_transform(X))
    assert_allclose(-np.log(P[np.arange(len(y)), y]).sum(), len(y) * log_loss(y, P), rtol=1e-12)
    assert model.card.learns.loss.startswith("log loss")


def logistic(w, b, X, y):
    return margin_losses("log", w, b, X, y) + 0.5 * w @ w


def squared_hinge(w, b, X, y):
    return np.sum(np.maximum(0.0, 1 - (2 * y - 1) * (X @ w + b)) ** 2) + 0.5 * (w @ w + b * b)


def margin_losses(kind, w, b, X, y):
    return np.logaddexp(0.0, -(2 * y - 1) * (X @ w + b)).sum()


def ridge(w, b, X, y):
    return np.sum((y - X @ w - b) ** 2) + w @ w


def absolute(w, b, X, y):
    return np.abs(y - X @ w - b).sum()


@pytest.mark.capability("IML-2-22")
@pytest.mark.parametrize(
    ("model", "error", "data"),
    [
        (LogisticRegression(tol=1e-8), logistic, CLASSES),
        (LinearSVC(tol=1e-8), squared_hinge, CLASSES),
        (Ridge(), ridge, NUMBERS),
        (LinearRegression(), lambda *at: ridge(*at) - at[0] @ at[0], NUMBERS),
        (QuantileRegressor(alpha=0.0), absolute, NUMBERS),
    ],
    ids=lambda v: type(v).__name__ if hasattr(v, "fit") else "",
)
def test_what_is_called_analytic_or_global_is_the_smallest_sum(model, error, data):
    """No step from the parameters, however small, lowers the sum of the losses that the card names."""
    X, y = StandardScaler().fit_transform(data[0]), data[1].astype(float)
    model.fit(X, data[1])
    assert model.card.learns.optimum in ("analytic", "global")
    w, b = np.ravel(model.coef_), float(np.ravel(model.intercept_)[0])
    lowest, rng = error(w, b, X, y), np.random.default_rng(0)
    for size in (1e-3, 1e-2, 1.0):
        for _ in range(20):
            step = size * rng.normal(size=len(w) + 1)
            assert error(w + step[:-1], b + step[-1], X, y) >= lowest * (1 - 1e-9)
