"""The training loss of a boosting learner never rises, however rare the classes and large the steps."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

from assay.ensembles import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    GentleBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    LogitBoostClassifier,
)
from assay.ensembles.damping import damped
from assay.ensembles.hist_losses import HistLoss


def rare_classes(n=3000, rare=(6, 5), seed=0):
    """Five classes by a linear rule with noise, and a few rows anywhere that are of two more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    y = np.argmax(X @ rng.normal(size=(5, 5)) + rng.gumbel(size=(n, 5)), axis=1)
    places, start = rng.permutation(n), 0
    for k, count in enumerate(rare):
        y[places[start : start + count]] = 5 + k
        start += count
    return X, y


def separable(n=300):
    X = np.random.default_rng(1).normal(size=(n, 3))
    return X, (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 1.5)


def weighted():
    X, y = rare_classes(2000, seed=2)
    return X, y, np.where(y >= 5, 300.0, 1.0)


def with_missing_values():
    X, y = rare_classes(2000, seed=3)
    return np.where(np.random.default_rng(0).random(X.shape) < 0.3, np.nan, X), y


def with_categories():
    X, y = rare_classes(2000, seed=4)
    table = pd.DataFrame(X, columns=list("abcde"))
    table["place"] = pd.Categorical.from_codes(np.arange(2000) * 7919 % 40, [f"p{i}" for i in range(40)])
    return table, y


def random_labels():
    rng = np.random.default_rng(5)
    return rng.normal(size=(400, 2)), rng.choice(4, 400, p=[0.9, 0.05, 0.04, 0.01])


MULTI_CLASS = [rare_classes, separable, weighted, with_missing_values, with_categories, random_labels]
TWO_CLASSES = [
    lambda: (rare_classes()[0], rare_classes()[1] == 5),
    lambda: (separable()[0], separable()[1] > 1),
]


def log_losses(model, X, y, w=None):
    codes = np.searchsorted(model.classes_, y)
    shares = np.bincount(codes, weights=w) / (len(y) if w is None else w.sum())
    at = np.arange(len(codes))
    stages = [np.tile(shares, (len(y), 1)), *model.staged_predict_proba(X)]
    with np.errstate(divide="ignore"):
        return np.array([np.average(-np.log(P[at, codes]), weights=w) for P in stages])


def assert_falls(losses):
    assert np.isfinite(losses).all()
    assert (np.diff(losses) <= 1e-11 * np.abs(losses[:-1])).all(), np.diff(losses).max()
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("data", MULTI_CLASS + TWO_CLASSES)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"learning_rate": 1.0},
        {"learning_rate": 30.0, "max_iter": 8},
        {"min_samples_leaf": 1, "learning_rate": 0.5},
        {"max_leaf_nodes": 3, "l2_regularization": 1.0, "learning_rate": 2.0},
    ],
)
def test_of_histogram_boosting(data, given):
    X, y, *w = data()
    model = HistGradientBoostingClassifier(**({"max_iter": 25, "early_stopping": False} | given))
    assert_falls(log_losses(model.fit(X, y, *w), X, y, *w))


def test_of_two_classes_in_ten_rows_of_many():
    """Seven classes, two of about ten rows: the log loss rose from 0.26 to 9.2 here, and does with every peer."""
    X, y = rare_classes(12_000, (10, 10))
    model = HistGradientBoostingClassifier(max_iter=50, early_stopping=False).fit(X, y)
    losses = log_losses(model, X, y)
    assert_falls(losses)
    assert losses[-1] < 0.5 * losses[0]
    assert np.abs(model.trees_.number[model.trees_.column < 0]).max() < 20


def test_of_histogram_boosting_with_class_weights():
    X, y = rare_classes()
    model = HistGradientBoostingClassifier(max_iter=25, early_stopping=False, class_weight="balanced").fit(
        X, y
    )
    w = (len(y) / (7 * np.bincount(y)))[y]
    assert_falls(log_losses(model, X, y, w))


def heavy_tailed():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3))
    return X, np.exp(2 * X[:, 0] + rng.normal(size=600) ** 3)


def mostly_zero():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 3))
    return X, rng.poisson(np.exp(4 * X[:, 0] - 6)).astype(float) + (np.arange(600) == 7) * 1e4


REGRESSION_LOSSES = [("squared_error", {}), ("absolute_error", {}), ("poisson", {}), ("gamma", {})]
REGRESSION_LOSSES += [("quantile", {"quantile": q}) for q in (0.1, 0.9, 0.97)]


@pytest.mark.parametrize("data", [heavy_tailed, mostly_zero])
@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("rate, least", [(0.1, 20), (1.0, 1), (5.0, 3)])
@pytest.mark.parametrize("loss, given", REGRESSION_LOSSES)
def test_of_histogram_regression(data, weights, rate, least, loss, given):
    X, y = data()
    y = y + 1e-3 if loss == "gamma" else y
    w = np.random.default_rng(3).exponential(size=len(y)) ** 3 if weights else None
    model = HistGradientBoostingRegressor(
        loss=loss, learning_rate=rate, min_samples_leaf=least, max_iter=12, early_stopping=False, **given
    ).fit(X, y, w)
    L = HistLoss(loss, given.get("quantile", 0.5))
    stages = [np.tile(model.baseline_, (len(y), 1)), *model._staged(X)]
    losses = np.array([L.mean(np.ascontiguousarray(F.T), y, w) for F in stages])
    assert (np.diff(losses) <= 1e-11 * np.abs(losses[:-1])).all(), np.diff(losses).max()
    assert losses[-1] < losses[0] or loss in ("absolute_error", "quantile")


@pytest.mark.parametrize("rate", [0.1, 5.0])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "absolute_error"])
def test_of_regression_under_monotonic_constraints(loss, rate):
    X, y = mostly_zero()
    signs = [-1, 1, 0]  # against what the rows say
    model = HistGradientBoostingRegressor(
        loss=loss,
        learning_rate=rate,
        min_samples_leaf=2,
        max_iter=10,
        early_stopping=False,
        monotonic_cst=signs,
    ).fit(X, y)
    stages = [np.tile(model.baseline_, (len(y), 1)), *model._staged(X)]
    losses = np.array([HistLoss(loss).mean(np.ascontiguousarray(F.T), y, None) for F in stages])
    assert (np.diff(losses) <= 1e-11 * np.abs(losses[:-1])).all()
    for j, sign in enumerate(signs[:2]):
        line = np.zeros((50, 3))
        line[:, j] = np.linspace(-3, 3, 50)
        assert (sign * np.diff(model.predict(line)) >= -1e-12).all()


@pytest.mark.parametrize("data", [rare_classes, separable, weighted, random_labels, *TWO_CLASSES])
@pytest.mark.parametrize("given", [{}, {"learning_rate": 1.0, "max_depth": 6}, {"learning_rate": 20.0}])
def test_of_gradient_boosting(data, given):
    X, y, *w = data()
    model = GradientBoostingClassifier(**({"n_estimators": 10, "max_depth": 3} | given)).fit(X, y, *w)
    assert_falls(log_losses(model, X, y, *w))


def test_of_the_rows_of_each_round_if_they_are_drawn():
    """Of a part of the rows, the round lowers the loss of that part; the history says it."""
    X, y = rare_classes(800)
    stages = []
    model = GradientBoostingClassifier(n_estimators=15, subsample=0.5, learning_rate=1.0, random_state=0)
    model.fit(X, y, monitor=lambda i, model, now: stages.append((now["chosen"].copy(), now["F"].copy())))
    scores = [np.tile(model.start_, (len(y), 1)), *(F for _, F in stages)]
    loss = model._make_loss()
    for before, (chosen, after) in zip(scores, stages):
        w = np.ones(chosen.sum())
        assert loss.value(y[chosen], after[chosen], w) <= loss.value(y[chosen], before[chosen], w) * (
            1 + 1e-11
        )


@pytest.mark.parametrize("rate", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "huber", "quantile"])
def test_of_gradient_boosting_for_numbers(loss, rate):
    """Huber's loss has a width of its own each round: a round lowers the loss of that width."""
    X, y = heavy_tailed()
    stages = []
    model = GradientBoostingRegressor(loss=loss, learning_rate=rate, n_estimators=12, max_depth=4)
    model.fit(X, y, monitor=lambda i, model, now: stages.append((now["F"].copy(), vars(now["loss"]).copy())))
    before = np.tile(model.start_, (len(y), 1))
    for after, width in stages:
        L = model._make_loss()
        vars(L).update(width)
        w = np.ones(len(y))
        assert L.value(y, after, w) <= L.value(y, before, w) * (1 + 1e-11)
        before = after


@pytest.mark.parametrize("learner", [LogitBoostClassifier, GentleBoostClassifier])
@pytest.mark.parametrize("data", [rare_classes, separable, weighted, random_labels, *TWO_CLASSES])
@pytest.mark.parametrize(
    "estimator, rate", [(None, 1.0), (None, 5.0), (LinearRegression(), 1.0), (LinearRegression(), 4.0)]
)
def test_of_additive_classifiers(learner, data, estimator, rate):
    X, y, *w = data()
    model = learner(estimator, n_estimators=15, learning_rate=rate, random_state=0).fit(X, y, *w)
    losses = np.array([record["loss"] for record in model.history_])
    assert np.isfinite(losses).all()
    assert (np.diff(losses) <= 1e-11 * losses[:-1]).all(), np.diff(losses).max()
    codes, rows = np.searchsorted(model.classes_, y), w[0] / w[0].sum() if w else np.full(len(y), 1 / len(y))
    stages = [F[:, None] if F.ndim == 1 else F for F in model.staged_decision_function(X)]
    assert_allclose(
        [model._loss(F, codes, rows) for F in stages], losses, rtol=1e-9
    )  # the model that is kept


@pytest.mark.parametrize("rate", [0.5, 1.0, 3.0, 50.0])
@pytest.mark.parametrize("data", [rare_classes, *TWO_CLASSES])
def test_of_adaboost(data, rate):
    """What SAMME minimises: the mean of exp(-sum_t a_t ([vote is right] - 1 / K))."""
    X, y = data()
    model = AdaBoostClassifier(n_estimators=15, learning_rate=rate, random_state=0).fit(X, y)
    K, codes = len(model.classes_), np.searchsorted(model.classes_, y)
    votes, losses = np.zeros((len(y), K)), [1.0]
    for k, a in zip(model.staged_votes(X), model.estimator_weights_):
        votes[np.arange(len(y)), k] += a
        true = votes[np.arange(len(y)), codes]
        losses.append(np.mean(np.exp((votes.sum(axis=1) - true) / K - true * (K - 1) / K)))
    assert (np.diff(losses) <= 1e-12).all()


def test_ordinary_leaves_are_newton_steps():
    """Nothing is in danger here: each leaf is -G / H, to the last bit of the sums."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    y = (X[:, 0] + rng.normal(size=500) > 0).astype(int)
    model = HistGradientBoostingClassifier(max_iter=1, early_stopping=False, learning_rate=0.3).fit(X, y)
    p = 1 / (1 + np.exp(-model.baseline_[0]))
    score = model.decision_function(X) - model.baseline_[0]
    for value in np.unique(score):
        rows = np.isclose(score, value, atol=1e-12)
        assert_allclose(value, 0.3 * (y[rows] - p).sum() / (rows.sum() * p * (1 - p)), rtol=1e-6)


def test_a_leaf_without_curvature_takes_the_step_of_the_bound():
    """All rows but one are sure; Newton's step of that leaf is some thousands, the bound's the logarithm of it."""
    n = 2000
    X, y = np.zeros((n, 1)), np.zeros(n)
    y[0] = 1
    model = HistGradientBoostingClassifier(max_iter=1, learning_rate=1.0, early_stopping=False)
    w = np.ones(n)
    model.fit(np.r_[X, X], np.r_[y, y], sample_weight=np.r_[w, w])
    assert_allclose(model.decision_function(X[:1]), model.baseline_, atol=1e-9)  # at the optimum: no step
    X = np.repeat([[0.0], [1.0]], [n, 40], axis=0)
    y = np.r_[
        np.zeros(n), np.ones(30), np.zeros(10)
    ]  # the second leaf: G / H is about 50 times the best step
    model = HistGradientBoostingClassifier(max_iter=1, learning_rate=3.0, early_stopping=False).fit(X, y)
    p = y.mean()
    newton = (30 - 40 * p) / (40 * p * (1 - p))
    step = model.decision_function([[1.0]]) - model.baseline_
    assert 3 * newton > 100
    assert_allclose(step, np.log1p(newton), rtol=1e-6)


def test_damping_leaves_what_goes_well():
    """Two leaves, two scores; only the rows of the second leaf go too far, so only its steps are shortened."""
    F, moves = np.zeros((2, 4)), np.array([[0.1, 0.1, 2.0, 2.0], [0.1, 0.1, 2.0, 2.0]])
    group = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])

    def loss(F):
        return float(((F.sum(axis=0) - 1) ** 2).sum())

    def slopes(F):
        return np.repeat(2 * (F.sum(axis=0) - 1)[None], 2, axis=0)

    shares = damped(F, moves, group, loss, slopes, loss(F))
    assert [share.tolist() for share in shares] == [[1.0, 0.5], [1.0, 0.5]]
    up = damped(F, -moves, group, loss, slopes, loss(F))  # no share of these helps
    assert [share.tolist() for share in up] == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("rate", [0.5, 1.0, 30.0])
def test_of_adaboost_m2(rate):
    X, y = rare_classes(1000)
    model = AdaBoostM2Classifier(n_estimators=12, learning_rate=rate, random_state=0).fit(X, y)
    margins, losses = np.zeros((len(y), 7)), [1.0]
    wrong = np.arange(7) != y[:, None]
    for member, a in zip(model.members_, model.estimator_weights_):
        h = (member.values > 0).astype(float)[member.apply(X)]
        margins += a * (h[np.arange(len(y)), y][:, None] - h)
        losses.append(np.exp(-margins / 2)[wrong].mean())
    assert (np.diff(losses) <= 1e-12).all()
