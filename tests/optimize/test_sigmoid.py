"""Platt's sigmoid: the native climb against its twin in NumPy, and the conditions of the top."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from assay.optimize import _sigmoid
from assay.optimize.sigmoid import fit_sigmoid


def climb_by_the_book(z, t, w, at, most=100):
    """Newton's method with halved steps, as the native code has it."""
    Z = np.column_stack([z, np.ones_like(z)])
    loss = lambda v: float(w @ (np.logaddexp(0, Z @ v) - t * (Z @ v)))  # noqa: E731
    for _ in range(most):
        p = expit(Z @ at)
        slope = Z.T @ (w * (p - t))
        if np.abs(slope).max() <= 1e-12 * w.sum():
            break
        curvature = (Z.T * (w * p * (1 - p))) @ Z + 1e-14 * w.sum() * np.eye(2)
        step = np.linalg.solve(curvature, slope)
        if np.abs(step).max() < 1e-6:
            return at - step
        share = 1.0
        while loss(at - share * step) > loss(at) and share > 1e-10:
            share /= 2
        if loss(at - share * step) >= loss(at):
            break
        at = at - share * step
    return at


@pytest.mark.parametrize("n", [2, 7, 400])
def test_climb_is_its_twin(n):
    rng = np.random.default_rng(n)
    z, w = rng.normal(size=n), rng.uniform(0.1, 3, size=n)
    t = np.where(z + rng.normal(size=n) > 0, 0.9, 0.2)
    at = np.array([0.0, 0.3])
    _sigmoid.climb(z, t, w, 100, at)
    assert_allclose(at, climb_by_the_book(z, t, w, np.array([0.0, 0.3])), rtol=1e-7, atol=1e-9)


@given(
    seed=st.integers(0, 1000), scale=st.sampled_from([1e-3, 1.0, 1e4]), shift=st.sampled_from([0.0, -50.0])
)
def test_the_slopes_of_the_likelihood_vanish(seed, scale, shift):
    rng = np.random.default_rng(seed)
    y = np.arange(30) % 2
    scores, w = scale * (rng.normal(size=30) + y) + shift, rng.uniform(0.5, 2, size=30)
    a, b = fit_sigmoid(scores, y, w)
    positive = w @ y
    t = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (w.sum() - positive + 2))
    left = w * (expit(-(a * scores + b)) - t)
    spread = scores - np.average(scores, weights=w)
    assert abs(left.sum()) < 1e-8 * w.sum()
    assert abs(left @ spread) < 1e-8 * w @ np.abs(spread)


def test_separable_scores_give_a_finite_curve():
    a, b = fit_sigmoid(np.array([-1e6, -2.0, 3.0, 1e6]), np.array([0, 0, 1, 1]), np.ones(4))
    assert a < 0
    assert np.isfinite([a, b]).all()
