"""Plans of resampling and the intervals from resampled values."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import bootstrap, norm

from assay.errors import DataError, ParameterError
from assay.metrics.bootstrap import bounds, plan


def test_percentile_basic_and_bca_are_scipy_s_on_the_same_resamples():
    """Peer: scipy.stats.bootstrap, given our resampled means; BCa by hand from its formula."""
    x = np.random.default_rng(0).exponential(size=40)
    drawn_by = plan(40, resamples=4000, random_state=1)
    drawn = drawn_by.sums(x[:, None])[:, 0] / 40
    mean = x.mean()
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert_allclose(bounds(drawn, mean, 0.05, "percentile"), (low, high))
    assert_allclose(bounds(drawn, mean, 0.05, "basic"), (2 * mean - high, 2 * mean - low))
    l = (x - mean) / 40
    z0, a = norm.ppf(np.mean(drawn < mean)), (l**3).sum() / (6 * (l**2).sum() ** 1.5)
    z = z0 + norm.ppf([0.025, 0.975])
    told = np.quantile(drawn, norm.cdf(z0 + z / (1 - a * z)))
    assert_allclose(bounds(drawn, mean, 0.05, "bca", (l, np.ones(40))), told, rtol=1e-9)
    peer = bootstrap((x,), np.mean, n_resamples=4000, method="BCa", random_state=3).confidence_interval
    assert_allclose(told, peer, rtol=0.03)  # other resamples: the quantiles' own noise


def test_plans_draw_rows_strata_and_groups():
    y = np.array([0, 0, 0, 1, 1])
    by_class = plan(5, strata=y, random_state=0, resamples=50)
    assert all(np.bincount(y[by_class.rows(b)]).tolist() == [3, 2] for b in range(50))
    groups = np.array(["x", "y", "x", "z", "z"])
    together = plan(5, groups=groups, random_state=0, resamples=50)
    assert together.units == 3 and not together.of_rows
    for b in range(50):
        count = np.bincount(together.rows(b), minlength=5)
        assert count[0] == count[2] and count[3] == count[4] and count[0] + count[1] + count[3] == 3
    within = plan(6, groups=[1, 1, 2, 2, 3, 3], strata=[0, 0, 0, 0, 1, 1], resamples=20)
    assert all((within.rows(b) >= 4).sum() == 2 for b in range(20))


def test_cells_of_groups_do_not_depend_on_how_they_are_counted():
    """300 groups and 300 classes make tables too large to keep; the same cells come from the rows themselves."""
    rng = np.random.default_rng(0)
    truth, groups = rng.integers(3, size=900), np.repeat(np.arange(300), 3)
    drawn = plan(900, groups=groups, resamples=20)
    small, large = drawn.cells(truth * 3, None, 9), drawn.cells(truth * 3, None, 300 * 300)
    assert_array_equal(large[:, :9], small)
    assert not large[:, 9:].any()


def test_seeds():
    first, again, other = (plan(9, random_state=s, resamples=20).rows(3) for s in (1, 1, 2))
    assert_array_equal(first, again)
    assert (first != other).any()
    drawn = plan(9, random_state=np.random.default_rng(1), resamples=20).rows(3)
    assert_array_equal(drawn, plan(9, random_state=np.random.default_rng(1), resamples=20).rows(3))
    assert plan(9, random_state=None).seed != plan(9, random_state=None).seed
    assert (
        plan(9, random_state=np.random.RandomState(1)).seed
        == plan(9, random_state=np.random.RandomState(1)).seed
    )


def test_bad_input_is_told_plainly():
    with pytest.raises(ParameterError, match="resamples must be a whole number from 20 up, got 3"):
        plan(9, resamples=3)
    with pytest.raises(ParameterError, match="random_state"):
        plan(9, random_state=-1)
    with pytest.raises(DataError, match="at least two groups"):
        plan(3, groups=[1, 1, 1])
    with pytest.raises(DataError, match="at least two rows"):
        plan(1)
    with pytest.raises(DataError, match="several strata"):
        plan(4, groups=[1, 1, 2, 2], strata=[0, 1, 0, 1])
