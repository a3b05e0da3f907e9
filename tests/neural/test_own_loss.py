"""Losses of your own: functions that give losses and slopes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris

import assay
from assay.errors import DataError, ParameterError
from assay.neural import MLPClassifier, MLPRegressor

X, number = load_diabetes(return_X_y=True)
X, number = X * 20, (number - 150) / 80
X_iris, y_iris = load_iris(return_X_y=True)
w = np.random.default_rng(0).integers(0, 4, len(X)).astype(float)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def squares(o, y):
    return ((o - y) ** 2 / 2).mean(axis=1), o - y


def cross_entropy(o, y):
    o = o - o.max(axis=1, keepdims=True)
    p = np.exp(o) / np.exp(o).sum(axis=1, keepdims=True)
    return -np.log((p * y).sum(axis=1)), p - y


def log_odds(o, y):
    return (np.logaddexp(0, o) - y * o)[:, 0], 1 / (1 + np.exp(-o)) - y


def weights(model):
    return np.concatenate([part.ravel() for part in (*model.coefs_, *model.intercepts_)])


@pytest.mark.parametrize(
    "setting",
    [
        {"solver": "adam", "dropout": 0.3},
        {"solver": "sgd", "batch_size": 37, "clip": 0.5},
        {"solver": "lbfgs"},
        {"solver": "adam", "early_stopping": True},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_loss_written_out_gives_the_weights_of_the_built_in_one(setting, weighted):
    """Squared error, of one and two targets, and cross-entropy of two and three classes."""
    settings = {"hidden_layer_sizes": (7, 5), "max_iter": 12, "random_state": 0, "alpha": 0.1, **setting}
    sample_weight = w if weighted else None
    targets = [number] if setting["solver"] == "lbfgs" else [number, np.column_stack([number, X[:, 0]])]
    for y in targets:  # lbfgs adds several targets up where passes take their mean
        ours = MLPRegressor(squares, **settings).fit(X, y, sample_weight)
        plain = MLPRegressor(**settings).fit(X, y, sample_weight)
        assert_allclose(weights(ours), weights(plain), atol=1e-8)
        assert_allclose([e.loss for e in ours.history_], [e.loss for e in plain.history_], rtol=1e-8)
    for y, loss in ((y_iris, cross_entropy), (y_iris > 0, log_odds)):
        sample_weight = w[:150] if weighted else None
        ours = MLPClassifier(loss=loss, **settings).fit(X_iris, y, sample_weight)
        plain = MLPClassifier(**settings).fit(X_iris, y, sample_weight)
        assert_allclose(ours.predict_proba(X_iris), plain.predict_proba(X_iris), atol=1e-8)
        assert ours.out_activation_ == plain.out_activation_


def test_single_precision_sparse_rows_and_passes_one_by_one():
    settings = {"hidden_layer_sizes": 6, "random_state": 0}
    for rows in (X.astype(np.float32), sparse.csr_array(X)):
        ours, plain = MLPRegressor(squares, **settings), MLPRegressor(**settings)
        for _ in range(3):
            ours.partial_fit(rows, number)
            plain.partial_fit(rows, number)
        assert ours.coefs_[0].dtype == plain.coefs_[0].dtype
        assert_allclose(weights(ours), weights(plain), atol=1e-5)


def test_a_loss_that_no_name_stands_for():
    """Expectiles: tau times the squares above as great as 1 - tau times those below, at the best constant."""

    def expectile(o, y, tau=0.9):
        r = o - y
        share = np.where(r > 0, 1 - tau, tau)
        return (share * r**2).sum(axis=1), 2 * share * r

    y = np.random.default_rng(0).exponential(size=1000)
    model = MLPRegressor(expectile, 1, "identity", solver="lbfgs", alpha=0, random_state=0, tol=1e-9)
    best = model.fit(np.ones((1000, 1)), y).predict([[1.0]])[0]
    assert_allclose(0.9 * np.maximum(y - best, 0).sum(), 0.1 * np.maximum(best - y, 0).sum(), rtol=1e-4)


def test_functions_that_do_not_fit_and_files(tmp_path):
    small = {"hidden_layer_sizes": 2, "max_iter": 1, "random_state": 0}
    with pytest.raises(DataError, match="must give two arrays"):
        MLPRegressor(lambda o, y: o - y, **small).fit(X, number)
    with pytest.raises(DataError, match=r"of the shapes \(200, 1\) and \(200, 1\), expected \(200,\)"):
        MLPRegressor(lambda o, y: (o - y, o - y), **small).fit(X, number)
    with pytest.raises(ParameterError, match="loss must be"):
        MLPRegressor(7, **small).fit(X, number)
    with pytest.raises(ParameterError, match="label_smoothing"):
        MLPClassifier(loss=cross_entropy, label_smoothing=0.1).fit(X_iris, y_iris)
    model = MLPRegressor(squares, **small).fit(X, number)
    assert clone(model).loss is squares
    with pytest.raises((TypeError, ValueError), match="loss"):  # a file has data, no functions
        assay.save(model, tmp_path / "own.assay")
