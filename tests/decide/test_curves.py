"""Risk against coverage, error against rejection."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import norm

from assay.decide import decide, error_reject_curve, risk_coverage_curve
from assay.errors import DataError


@pytest.mark.capability("IML-3-06")
def test_with_ideal_posteriors_the_error_falls_as_more_is_rejected():
    """N(-1,1) against N(1,1), all of the line as a weighted grid: the curve is known in closed form.

    Keeping |x| > t rejects P(|x| <= t) and leaves the error P(wrong side beyond t) / P(kept).
    """
    x = np.linspace(-9, 9, 18001)
    f = np.column_stack([norm(-1).pdf(x), norm(1).pdf(x)]) / 2
    posterior, weight = f / f.sum(axis=1, keepdims=True), f.sum(axis=1)
    curve = error_reject_curve(posterior, sample_weight=weight)
    assert (np.diff(curve.rejected) >= 0).all()
    assert (np.diff(curve.error) <= 1e-15).all()
    assert_allclose(curve.error[0], norm.cdf(-1), atol=1e-6)
    t = 0.5
    cost = 1 / (1 + np.exp(2 * t))  # the smaller posterior at t
    one = error_reject_curve(posterior, costs=[cost], sample_weight=weight)
    kept = norm.cdf(-t - 1) + norm.cdf(-t + 1)
    assert_allclose(one.rejected, [1 - kept], atol=1e-3)  # the grid's step
    assert_allclose(one.error, [norm.cdf(-t - 1) / kept], atol=1e-4)


@given(seed=st.integers(0, 50), K=st.integers(2, 4))
@settings(max_examples=25, deadline=None)
def test_each_point_of_the_curve_is_a_decision(seed, K):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(K), size=30)
    y = rng.integers(K, size=30)
    L = rng.random((K, K))
    curve = error_reject_curve(P, y, loss=L)
    for cost, rejected, error in zip(curve.cost[1:], curve.rejected[1:], curve.error[1:]):
        decision = decide(P, L, reject=cost)
        assert_allclose(rejected, decision.rejected.mean(), atol=1e-12)
        kept = ~decision.rejected
        paid = L[decision.chosen[kept], y[kept]]
        assert_allclose(error, paid.mean() if kept.any() else 0, atol=1e-12)
    assert curve.rejected[0] == 0 and curve.rejected[-1] == 1


def test_equal_confidences_leave_together():
    curve = risk_coverage_curve([1, 0, 1, 0], [0.9, 0.9, 0.5, 0.2])
    assert_array_equal(curve.coverage, [0.5, 0.75, 1])
    assert_allclose(curve.risk, [1 / 2, 2 / 3, 1 / 2])
    assert_array_equal(curve.threshold, [0.9, 0.5, 0.2])
    assert_allclose(curve.area, 0.5 * 0.5 + 0.25 * 2 / 3 + 0.25 * 0.5)


@given(seed=st.integers(0, 1000))
@settings(max_examples=25, deadline=None)
def test_a_perfect_order_has_no_excess_and_no_order_beats_it(seed):
    rng = np.random.default_rng(seed)
    loss = rng.integers(3, size=20).astype(float)
    assert risk_coverage_curve(loss, -loss - 1e-9 * np.arange(20)).excess == pytest.approx(0, abs=1e-12)
    assert risk_coverage_curve(loss, rng.random(20)).excess >= -1e-12


def test_a_weight_of_two_is_a_row_twice():
    w = np.array([2, 1, 0, 1])
    loss, trust = np.array([1.0, 0, 1, 1]), np.array([0.4, 0.8, 0.7, 0.6])
    weighted = risk_coverage_curve(loss, trust, w)
    repeated = risk_coverage_curve(loss.repeat(w), trust.repeat(w))
    assert_allclose(weighted.coverage[[0, 2, 3]], repeated.coverage)  # the row without weight adds nothing
    assert_allclose(weighted.risk[[0, 2, 3]], repeated.risk)
    assert_allclose(weighted.area, repeated.area)


def test_bad_input_is_told():
    with pytest.raises(DataError, match="as many losses as confidences"):
        risk_coverage_curve([1, 0], [0.5])
    with pytest.raises(DataError, match="no confidence NaN"):
        risk_coverage_curve([1, 0], [0.5, np.nan])
    with pytest.raises(DataError, match="no rows"):
        error_reject_curve(np.empty((0, 2)))
    with pytest.raises(DataError, match="costs must be numbers from 0 up"):
        error_reject_curve([[0.5, 0.5]], costs=[-1])
    with pytest.raises(DataError, match="label 7, which is not among classes"):
        error_reject_curve([[0.5, 0.5]], [7])
