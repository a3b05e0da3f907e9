"""Paths of penalties."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from sklearn import linear_model as peers
from sklearn.datasets import load_breast_cancer, load_diabetes

from assay.errors import ParameterError
from assay.linear.regression.paths import enet_path, lasso_path

HADAMARD = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]], dtype=float)
X, Y = load_diabetes(return_X_y=True)
Y = Y - Y.mean()


def test_the_knots_of_an_orthogonal_design():
    """Oracle: by hand. Weights (|b_j| - alpha)+ with b = (2, -0.5, 1.2): they start at alphas 2, 1.2 and 0.5."""
    alphas = np.array([2.5, 2.0, 1.6, 1.2, 0.8, 0.5, 0.2, 0.0])
    result, coefs, gaps = lasso_path(HADAMARD, HADAMARD @ [2.0, -0.5, 1.2], alphas=alphas, tol=1e-14)
    assert_array_equal(result, alphas)
    assert_allclose(coefs[0], np.maximum(2 - alphas, 0), atol=1e-10)
    assert_allclose(coefs[1], -np.maximum(0.5 - alphas, 0), atol=1e-10)
    assert_allclose(coefs[2], np.maximum(1.2 - alphas, 0), atol=1e-10)
    assert (gaps[:-1] <= 1e-13).all()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "settings", [{}, {"l1_ratio": 0.7}, {"positive": True}, {"l1_ratio": 0.3, "eps": 0.1}]
)
def test_same_path_as_scikit_learn(settings, sparse):
    """Peer: enet_path, scikit-learn 1.9."""
    data = csr_matrix(X) if sparse else X
    alphas, coefs, gaps, sweeps = enet_path(
        data, Y, alphas=20, tol=1e-12, max_iter=20_000, return_n_iter=True, **settings
    )
    expected, peer, _ = peers.enet_path(X, Y, alphas=20, tol=1e-12, max_iter=20_000, **settings)
    assert_allclose(alphas, expected, rtol=1e-12)
    assert coefs.shape == peer.shape and len(sweeps) == len(gaps) == 20
    assert_allclose(coefs, peer, atol=1e-3)


def test_a_path_of_the_default_settings_is_as_exact_as_it_promises():
    cells, y = load_breast_cancer(return_X_y=True)
    cells = (cells - cells.mean(axis=0)) / cells.std(axis=0)
    y = y - y.mean()
    alphas, coefs, gaps = lasso_path(cells, y)
    assert (gaps <= 1e-4 * y @ y / len(y)).all()
    rough = [((y - cells @ w) ** 2).mean() / 2 + a * np.abs(w).sum() for a, w in zip(alphas, coefs.T)]
    exact = lasso_path(cells, y, tol=1e-12, max_iter=100_000)[1]
    best = [((y - cells @ w) ** 2).mean() / 2 + a * np.abs(w).sum() for a, w in zip(alphas, exact.T)]
    assert (np.subtract(rough, best) <= gaps + 1e-12).all()


def test_several_outputs_one_by_one():
    both = np.column_stack((Y, X[:, 0] * 100))
    alphas, coefs, gaps = lasso_path(X, both, alphas=[1.0, 0.1], tol=1e-10)
    assert coefs.shape == (2, 10, 2)
    for k in range(2):
        assert_allclose(coefs[k], lasso_path(X, both[:, k], alphas=[1.0, 0.1], tol=1e-10)[1])


def test_where_it_begins_does_not_matter():
    start = np.random.default_rng(0).normal(size=10) * 100
    alphas, coefs, _ = lasso_path(X, Y, alphas=[0.5, 0.1], tol=1e-13, coef_init=start, max_iter=20_000)
    assert_allclose(coefs, lasso_path(X, Y, alphas=[0.5, 0.1], tol=1e-13, max_iter=20_000)[1], atol=1e-3)


def test_wrong_alphas_are_refused():
    with pytest.raises(ParameterError, match="from 0 up"):
        lasso_path(X, Y, alphas=[-1.0])
    with pytest.raises(TypeError):
        lasso_path(X, Y, tolerance=1)
    with pytest.raises(ParameterError, match="l1_ratio=0"):
        enet_path(X, Y, l1_ratio=0.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"l1_ratio": 5},
        {"l1_ratio": np.nan},
        {"eps": 0},
        {"eps": 2},
        {"alphas": 0},
        {"alphas": 2.5},
        {"alphas": "many"},
        {"alphas": [np.nan]},
        {"alphas": [np.inf, 1.0]},
        {"tol": -1},
        {"max_iter": 0},
        {"selection": "all"},
        {"precompute": "maybe"},
        {"coef_init": np.ones(3)},
        {"coef_init": np.full(2, np.nan)},
    ],
)
def test_wrong_parameters_are_refused_by_name(wrong):
    X, y = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.array([2.5, 1.5, -1.5, -2.5])
    with pytest.raises(ParameterError, match=f"enet_path: {next(iter(wrong))} must"):
        enet_path(X, y, **{"alphas": 3, **wrong})


@pytest.mark.parametrize("former", [{"n_alphas": 3}, {"alphas": None}])
def test_former_ways_to_ask_for_alphas_warn(former):
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(FutureWarning, match="scikit-learn 1.9"):
        alphas, _, _ = lasso_path(X, X[:, 0], **former)
    assert len(alphas) == former.get("n_alphas", 100)
