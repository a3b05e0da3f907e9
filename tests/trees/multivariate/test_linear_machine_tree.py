"""Trees of linear machines."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, load_wine
from sklearn.linear_model import LogisticRegression

from assay.trees import LinearMachineTreeClassifier
from assay.trees.multivariate.linear_machine_tree import softmax_scores


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.capability("IML-9-35")
def test_three_linearly_separable_classes_take_one_node(seed):
    rng = np.random.default_rng(seed)
    W, v = rng.normal(size=(3, 2)), np.array([0.3, -0.2, 0.1])
    X = rng.uniform(-2, 2, (400, 2))
    scores = np.sort(X @ W.T + v, axis=1)
    X = X[scores[:, 2] - scores[:, 1] > 0.15]
    y = np.argmax(X @ W.T + v, axis=1)
    model = LinearMachineTreeClassifier(alpha=1e-6).fit(X, y)
    assert model.get_depth() == 1 and model.get_n_leaves() == len(np.unique(y)) and model.score(X, y) == 1.0


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("alpha", [1e-3, 0.1])
def test_the_scores_are_those_of_penalised_softmax_regression(load, alpha):
    """Peer: LogisticRegression, scikit-learn 1.9, with C = 1 / (n alpha)."""
    X, y = load(return_X_y=True)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    weights, constants, n_iter = softmax_scores(Z, y, np.ones(len(y)), 3, alpha, 2000)
    peer = LogisticRegression(C=1 / (len(y) * alpha), tol=1e-10, max_iter=5000).fit(Z, y)

    def objective(W, v):
        scores = Z @ W.T + v
        log_p = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        return -log_p[np.arange(len(y)), y].mean() + 0.5 * alpha * np.sum(W**2)

    assert_allclose(objective(weights, constants), objective(peer.coef_, peer.intercept_), rtol=1e-5)
    assert_allclose(weights - weights.mean(axis=0), peer.coef_, atol=1e-2)
    assert n_iter > 1


def test_weights_count_as_repeated_rows():
    X, y = load_iris(return_X_y=True)
    w = np.random.default_rng(0).integers(1, 4, 150)
    a = softmax_scores(X, y, w.astype(float), 3, 0.01, 1000)
    b = softmax_scores(np.repeat(X, w, axis=0), np.repeat(y, w), np.ones(w.sum()), 3, 0.01, 1000)
    assert_allclose(a[0], b[0], atol=1e-4)


def test_the_iteration_limit_is_reported():
    X, y = load_iris(return_X_y=True)
    assert LinearMachineTreeClassifier(max_iter=7).fit(X, y).n_iter_ == 7
