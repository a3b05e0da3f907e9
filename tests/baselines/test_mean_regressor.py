"""The mean regressor: one number from the training target, whatever the row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.dummy import DummyRegressor

from assay.baselines import MeanRegressor
from assay.errors import ParameterError

X, Y = np.zeros((5, 2)), np.array([[3.0, 1.0], [0.0, -4.0], [9.0, 2.0], [1.0, 2.0], [2.0, 0.5]])
W = np.array([1.0, 3.0, 0.5, 1.0, 0.25])


@pytest.mark.parametrize("y", [Y, Y[:, 0]], ids=["two outputs", "one output"])
@pytest.mark.parametrize("weights", [None, W], ids=["", "weighted"])
@pytest.mark.parametrize("settings", [{}, {"strategy": "median"}, {"strategy": "quantile", "quantile": 0.75}])
def test_same_number_as_scikit_learns_dummy(settings, weights, y):
    """Peer: DummyRegressor. Not compared: quantiles between two numbers, which it interpolates without weights."""
    ours = MeanRegressor(**settings).fit(X, y, weights)
    peer = DummyRegressor(**settings).fit(X, y, weights)
    assert_allclose(ours.constant_, peer.constant_, rtol=1e-12)
    assert ours.predict(X).shape == peer.predict(X).shape
    assert_allclose(ours.predict(X), peer.predict(X), rtol=1e-12)


@pytest.mark.parametrize("quantile", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0])
def test_a_row_of_weight_three_is_three_rows(quantile):
    settings = {"strategy": "quantile", "quantile": quantile}
    weights = np.array([1, 3, 0, 2, 1])
    weighted = MeanRegressor(**settings).fit(X, Y, weights)
    repeated = MeanRegressor(**settings).fit(np.repeat(X, weights, axis=0), np.repeat(Y, weights, axis=0))
    assert_allclose(weighted.constant_, repeated.constant_, rtol=1e-12)


def test_each_number_has_the_least_loss_of_all_constants():
    draw = np.random.default_rng(0)
    y, w = draw.normal(size=31), draw.uniform(0.1, 2.0, size=31)
    losses = {
        "mean": ({}, lambda c: np.sum(w * (y - c) ** 2)),
        "median": ({}, lambda c: np.sum(w * np.abs(y - c))),
        "quantile": ({"quantile": 0.8}, lambda c: np.sum(w * np.where(y > c, 0.8 * (y - c), 0.2 * (c - y)))),
    }
    for strategy, (settings, loss) in losses.items():
        (best,) = MeanRegressor(strategy=strategy, **settings).fit(np.zeros((31, 1)), y, w).constant_[0]
        assert all(loss(best) <= loss(other) + 1e-12 for other in [*y, best - 1e-3, best + 1e-3])


def test_it_takes_every_table():
    for table in ([["sour", None], ["sweet", 1.0]], csr_array(np.eye(2)), np.array([[np.nan], [1.0]])):
        assert MeanRegressor().fit(table, [1.0, 2.0]).predict(table).tolist() == [1.5, 1.5]


def test_a_quantile_without_its_order_is_refused():
    with pytest.raises(ParameterError, match=r'strategy="quantile" needs the order of the quantile'):
        MeanRegressor(strategy="quantile").fit(X, Y)
