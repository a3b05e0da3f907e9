"""Linear support vector regression: oracles of the books, properties of a minimum, parity with scikit-learn."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.datasets import load_diabetes
from sklearn.svm import LinearSVR as Peer

from assay.linear import EpsilonInsensitiveRegressor
from assay.svm import LinearSVR

FREE = 1e5  # a scale of the intercept at which its penalty does not show


def objective(model, X, y, C):
    w, b = model.coef_, np.ravel(model.intercept_)[0] / model.intercept_scaling
    over = np.maximum(np.abs(y - model.predict(X)) - model.epsilon, 0.0)
    return 0.5 * (w @ w + b * b) + C * np.sum(over ** (2 if "squared" in model.loss else 1))


@pytest.mark.capability("IML-13-34")
def test_the_three_points_of_the_book():
    X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    model = LinearSVR(epsilon=0.25, C=10.0, intercept_scaling=FREE, tol=1e-8).fit(X, y)
    assert_allclose([model.coef_[0], model.intercept_[0]], [0.75, 0.25], atol=1e-6)
    assert_allclose(model.objective_, 0.28125, atol=1e-6)
    model = LinearSVR(epsilon=0.25, C=0.2, intercept_scaling=FREE, tol=1e-8).fit(X, y)
    assert_allclose(model.coef_, [0.4], atol=1e-6)  # the constant is not unique
    assert_allclose(model.objective_, 0.22, atol=1e-6)
    assert 0.35 - 1e-5 <= model.intercept_[0] <= 0.85 + 1e-5


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize(
    "settings", [{}, {"epsilon": 20.0, "C": 5.0}, {"fit_intercept": False, "C": 0.1}], ids=str
)
def test_the_answers_of_scikit_learn(loss, settings):
    """Peer: LinearSVR, scikit-learn 1.9, solved to 1e-8 on columns of one scale."""
    X, y = load_diabetes(return_X_y=True)
    X = X / X.std(0)
    weight = np.linspace(0.0, 2.0, len(y))
    peer = Peer(loss=loss, tol=1e-8, max_iter=3_000_000, random_state=0, **settings).fit(X, y, weight)
    ours = LinearSVR(loss=loss, tol=1e-7, **settings).fit(X, y, weight)
    assert_allclose(ours.predict(X), peer.predict(X), atol=0.02 * y.std())
    assert np.shape(ours.intercept_) == np.shape(peer.intercept_)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_dense_and_sparse_tables_agree(loss):
    X = sp.random(300, 2000, density=0.01, random_state=4, format="csr")
    y = np.asarray(X @ np.random.default_rng(0).normal(size=2000))
    ours = LinearSVR(loss=loss, epsilon=0.05).fit(X, y)
    dense = LinearSVR(loss=loss, epsilon=0.05).fit(X.toarray(), y)
    assert_allclose(ours.objective_, dense.objective_, rtol=2e-6)
    assert_allclose(ours.objective_, objective(ours, X, y, 1.0), rtol=1e-9)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("C", [1e-6, 1.0, 1e6])
def test_columns_of_any_scale_converge_with_defaults(loss, C):
    X, y = load_diabetes(return_X_y=True)
    X = X * 10.0 ** np.arange(-5, 5)
    model = LinearSVR(loss=loss, C=C).fit(X, y)
    assert_allclose(model.objective_, objective(model, X, y, C), rtol=1e-8)
    v = np.append(model.coef_, model.intercept_)
    rng = np.random.default_rng(0)
    for size in (1e-2, 1e-4):
        for _ in range(10):
            other = v * (1 + size * rng.normal(size=11))
            model.coef_, model.intercept_ = other[:-1], other[-1:]
            assert objective(model, X, y, C) >= model.objective_ * (1 - 1e-6)


def test_without_penalty_of_the_constant_it_is_the_epsilon_insensitive_regressor():
    X, y = load_diabetes(return_X_y=True)
    ours = LinearSVR(epsilon=10.0, C=1000.0, intercept_scaling=FREE).fit(X, y)
    other = EpsilonInsensitiveRegressor(epsilon=10.0, alpha=1 / (1000.0 * len(y))).fit(X, y)
    assert_allclose(ours.predict(X), other.predict(X), atol=0.05)


def test_combinations_that_liblinear_lacks():
    with pytest.raises(ValueError, match="dual=False is not supported"):
        LinearSVR(dual=False).fit([[1.0], [2.0]], [0.0, 1.0])
