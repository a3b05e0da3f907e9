"""Mixtures of any estimators, and simple models fitted to the neighbours of a query."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from assay.errors import DataError, ParameterError
from assay.local import (
    FuzzyRuleRegressor,
    LocalModelClassifier,
    LocalModelRegressor,
    MixtureOfEstimatorsClassifier,
    MixtureOfEstimatorsRegressor,
    MixtureOfExpertsRegressor,
)
from assay.neural import MLPRegressor

rng = np.random.default_rng(0)


@pytest.mark.capability("IML-12-31")
def test_linear_members_are_the_linear_mixture_of_experts():
    x = rng.uniform(-2, 2, (150, 1))
    y = np.where(x[:, 0] < 0, -x[:, 0], 2 * x[:, 0]) + 0.2 * rng.normal(size=150)
    members = MixtureOfEstimatorsRegressor(
        LinearRegression(), LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000), 2, tol=1e-8, max_iter=500
    ).fit(x, y)
    linear = MixtureOfExpertsRegressor(2, alpha=0.0, tol=1e-8, n_init=1, max_iter=2000).fit(x, y)
    assert_allclose(members.predict(x), linear.predict(x), atol=0.02)
    assert_allclose(members.noise_, linear.noise_[0], rtol=0.01)
    values = [step["log_likelihood"] for step in members.history_]
    assert (np.diff(values) > -1e-6).all()
    standard = members.log_likelihood_ + 150 * np.log(
        y.std()
    )  # the other is in units of the target's deviation
    assert_allclose(standard, linear.objective_, atol=0.05)


@pytest.mark.capability("IML-12-31")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # networks of few steps
def test_trees_and_networks_as_experts_and_gates():
    X = rng.uniform(-1, 1, (200, 2))
    y = np.where(X[:, 0] > 0, np.sin(4 * X[:, 1]), X[:, 1])
    trees = MixtureOfEstimatorsRegressor(
        DecisionTreeRegressor(max_depth=3, random_state=0), DecisionTreeClassifier(max_depth=2, min_samples_leaf=5), 2,
        random_state=0,
    ).fit(X, y)  # fmt: skip
    assert trees.score(X, y) > DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y).score(X, y)
    net = MLPRegressor(hidden_layer_sizes=8, activation="tanh", solver="lbfgs", max_iter=100, random_state=0)
    nets = MixtureOfEstimatorsRegressor(net, n_experts=2, max_iter=5, tol=1e-2, random_state=0).fit(X, y)
    assert nets.score(X, y) > max(0.85, LinearRegression().fit(X, y).score(X, y))
    assert_allclose(nets.predict_experts(X).sum(axis=1), 1)
    shown = str(nets.explain(X[:1]))
    assert "share" in shown and "answer" in shown
    blend = (nets.predict_experts(X) * nets.expert_answers(X)[:, :, 0]).sum(axis=1)
    assert_allclose(nets.predict(X), blend)


def test_classes_and_what_is_refused():
    X, y = load_iris(return_X_y=True)
    model = MixtureOfEstimatorsClassifier(
        DecisionTreeClassifier(max_depth=1), n_experts=3, random_state=0
    ).fit(X, y)
    assert model.score(X, y) > 0.9  # a stump alone tells two classes apart
    assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    one = MixtureOfEstimatorsClassifier(n_experts=1).fit(X, y)
    assert one.gate_ is None and one.score(X, y) > 0.95
    for settings, message in (
        ({"estimator": KNeighborsClassifier()}, "sample_weight"), ({"estimator": LinearRegression()}, "classifier"),
        ({"gate": LinearRegression()}, "predict_proba"), ({"estimator": DecisionTreeClassifier}, "object"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            MixtureOfEstimatorsClassifier(**settings).fit(X, y)
    with pytest.raises(DataError, match="one target"):
        MixtureOfEstimatorsRegressor().fit(X, X)
    same = MixtureOfEstimatorsRegressor(n_experts=3, random_state=0).fit(np.ones((5, 2)), np.arange(5.0))
    assert_allclose(same.predict(np.ones((1, 2))), 2.0, atol=1e-6)


@pytest.mark.capability("IML-12-32")
def test_all_rows_as_neighbours_are_the_global_linear_model():
    X, y = load_diabetes(return_X_y=True)
    w = rng.integers(0, 3, len(X))
    model = LocalModelRegressor(len(X), alpha=0.0).fit(X, y, sample_weight=w)
    peer = LinearRegression().fit(X, y, sample_weight=w)
    assert_allclose(model.predict(X[:20]), peer.predict(X[:20]), rtol=1e-6)
    inside = LocalModelRegressor(len(X), estimator=LinearRegression()).fit(X, y)
    assert_allclose(inside.predict(X[:5]), LinearRegression().fit(X, y).predict(X[:5]), rtol=1e-8)
    A, kinds = load_iris(return_X_y=True)
    A, kinds = A[50:], kinds[50:]
    local = LocalModelClassifier(100, alpha=1e-9).fit(A, kinds)
    logistic = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10000).fit(A, kinds)
    assert_allclose(local.predict_proba(A), logistic.predict_proba(A), atol=1e-3)


@pytest.mark.capability("IML-12-32")
def test_a_local_line_by_hand_and_what_locality_brings():
    """Neighbours 1, 2, 3 of 2.2 with targets 1, 4, 9: slope 4, mean 14/3 at 2: 14/3 + 0.8."""
    x, r = np.arange(6.0)[:, None], np.arange(6.0) ** 2
    model = LocalModelRegressor(3, alpha=0.0).fit(x, r)
    assert_allclose(model.predict([[2.2]]), 14 / 3 + 0.8)
    assert "training row" in str(model.explain([[2.2]]))
    X = rng.uniform(-1, 1, (300, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    assert LocalModelClassifier(20).fit(X[:200], y[:200]).score(X[200:], y[200:]) > 0.93
    trees = LocalModelClassifier(20, estimator=DecisionTreeClassifier(max_depth=2, random_state=0)).fit(
        X[:200], y[:200]
    )
    assert trees.score(X[200:230], y[200:230]) > 0.8
    assert_allclose(LocalModelRegressor(5).fit(np.ones((4, 2)), np.arange(4.0)).predict(np.ones((1, 2))), 1.5)
    with pytest.raises(ParameterError, match="weights"):
        LocalModelClassifier(estimator=KNeighborsClassifier()).fit(X, y, sample_weight=np.ones(300))


@pytest.mark.parametrize(
    "learner",
    [MixtureOfExpertsRegressor, MixtureOfEstimatorsRegressor, LocalModelRegressor, FuzzyRuleRegressor],
)
def test_numbers_whose_squares_overflow_are_refused(learner):
    X = rng.normal(size=(30, 2))
    with pytest.raises(DataError, match="too large to be squared"):
        learner().fit(X * 1e200, X[:, 0])
    with pytest.raises(DataError, match="y has numbers too large"):
        learner().fit(X, X[:, 0] * 1e200)
