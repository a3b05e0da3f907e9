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
