"""Trees of small networks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.model_selection import cross_val_score

from assay.trees import NeuralTreeClassifier
from assay.trees.multivariate.neural_tree import loss, train


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.capability("IML-9-39")
def test_exclusive_or_takes_one_node(seed):
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = NeuralTreeClassifier(random_state=seed).fit(X, y)
    assert (
        model.tree_.node_count == 3 and model.tree_.splits[0].kind == "network" and model.score(X, y) == 1.0
    )


@pytest.mark.capability("IML-9-39")
def test_a_curved_boundary_takes_one_node():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 2))
    X = X[np.abs(X[:, 1] - np.sin(2 * X[:, 0])) > 0.15]
    y = X[:, 1] > np.sin(2 * X[:, 0])
    model = NeuralTreeClassifier(hidden=6, steps=500, restarts=5, random_state=0).fit(X, y)
    assert model.get_n_leaves() == 2 and model.score(X, y) == 1.0


def test_the_gradient_is_the_slope_of_the_loss():
    rng = np.random.default_rng(0)
    Z, side, share = rng.normal(size=(20, 3)), rng.choice([-1.0, 1.0], 20), rng.dirichlet(np.ones(20))
    flat = rng.normal(size=4 * 5 + 1)
    value, gradient = loss(flat, Z, side, share, 4, 0.01)
    for i in range(len(flat)):
        step = np.eye(len(flat))[i] * 1e-6
        slope = (
            loss(flat + step, Z, side, share, 4, 0.01)[0] - loss(flat - step, Z, side, share, 4, 0.01)[0]
        ) / 2e-6
        assert_allclose(gradient[i], slope, atol=1e-7)
    H, b, v = flat[:12].reshape(4, 3), flat[12:16], flat[16:20]
    f = [v @ np.tanh(H @ z + b) + flat[-1] for z in Z]
    wanted = sum(s * np.log1p(np.exp(-r * out)) for s, r, out in zip(share, side, f))
    assert_allclose(value, wanted + 0.005 * (np.sum(H**2) + v @ v))


def test_training_ends_where_the_gradient_vanishes():
    rng = np.random.default_rng(1)
    Z, w = rng.normal(size=(40, 2)), np.ones(40)
    side = np.where(Z[:, 0] > 0.3 * rng.normal(size=40), 1.0, -1.0)
    start = rng.normal(size=2 * 4 + 1)
    H, b, v = train(Z, side, w, 2, start, 0.05, 5000)

    def slope(v0):
        return loss(np.concatenate((H.ravel(), b, v, [v0])), Z, side, w / 40, 2, 0.05)[1]

    best = min((slope(v0) for v0 in np.linspace(-3, 3, 6001)), key=lambda g: np.abs(g).max())
    assert np.abs(best).max() < 1e-3  # the output's bias is not kept: the threshold takes its place


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_real_data(load):
    X, y = load(return_X_y=True)
    model = NeuralTreeClassifier(random_state=0)
    assert model.fit(X, y).get_n_leaves() <= 5 and model.score(X, y) == 1.0
    assert cross_val_score(model, X, y, cv=5).mean() > 0.93


def test_a_seed_gives_the_same_tree():
    X, y = load_wine(return_X_y=True)
    a, b = (NeuralTreeClassifier(random_state=3).fit(X, y).tree_.splits[0].hidden for _ in range(2))
    assert (a == b).all()
