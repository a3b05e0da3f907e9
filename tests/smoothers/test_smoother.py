"""What all smoothers share: rows count as their weights say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.smoothers import KernelSmoother, Loess, RunningLine, RunningMean, RunningMedian


@pytest.mark.parametrize("unit", [0.5, 1e-3, 1e-160, 1e-300])
def test_weights_below_one_on_average_are_shares_whatever_their_unit(unit):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, (80, 1))
    y = np.sin(x[:, 0]) + 0.2 * rng.normal(size=80)
    share = rng.uniform(0.2, 1.0, 80)
    share /= share.mean()
    for model in (
        RunningMean(n_neighbors=7),
        RunningMedian(n_neighbors=7),
        RunningLine(n_neighbors=9),
        KernelSmoother(n_neighbors=9),
        KernelSmoother(bandwidth="gcv"),
        Loess(0.4),
    ):
        expected = model.fit(x, y, share).predict(x)
        assert_allclose(model.fit(x, y, share * unit).predict(x), expected, rtol=1e-9)


def test_whole_weights_are_rows_that_came_several_times():
    rng = np.random.default_rng(1)
    x, y, times = rng.uniform(0, 10, (30, 1)), rng.normal(size=30), rng.integers(0, 4, 30)
    once = RunningMean(n_neighbors=7).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    assert_allclose(RunningMean(n_neighbors=7).fit(x, y, times).predict(x), once.predict(x))


@pytest.mark.parametrize("unit", [2.0**-900, 2.0**-530, 2.0**530, 2.0**900])
def test_units_of_x_and_y_change_nothing(unit):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 2))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=60)
    for model in (
        RunningMean(),
        RunningMedian(n_neighbors=7),
        RunningLine(n_neighbors=9),
        KernelSmoother(bandwidth="gcv"),
        Loess(0.5),
    ):
        plain, told = model.fit(X, y).predict(X), isinstance(model, (RunningMean, KernelSmoother))
        band = model.confidence_band(X[:5]) if told else None
        assert_allclose(model.fit(unit * X, y).predict(unit * X), plain, rtol=1e-9)
        assert_allclose(model.fit(X, unit * y).predict(X), unit * plain, rtol=1e-9)
        if band is not None:
            assert_allclose(model.confidence_band(X[:5]).error, unit * band.error, rtol=1e-9)
