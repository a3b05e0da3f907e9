import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DegenerateError
from assay.smoothers import _reinsch
from assay.smoothers.splines import Splines, spline_at


def matrices(x):
    """Q (m, m - 2) and R (m - 2, m - 2) of Green and Silverman."""
    m, h = len(x), np.diff(x)
    Q, R = np.zeros((m, m - 2)), np.zeros((m - 2, m - 2))
    for j in range(m - 2):
        Q[j : j + 3, j] = 1 / h[j], -1 / h[j] - 1 / h[j + 1], 1 / h[j + 1]
        R[j, j] = (h[j] + h[j + 1]) / 3
        if j + 1 < m - 2:
            R[j, j + 1] = R[j + 1, j] = h[j + 1] / 6
    return Q, R


def spline_by_the_book(x, y, w, lam):
    """g = (W + lambda Q R^-1 Q')^-1 W y, its second derivatives, and the matrix itself."""
    Q, R = matrices(x)
    S = np.linalg.solve(np.diag(w) + lam * Q @ np.linalg.solve(R, Q.T), np.diag(w))
    return S @ y, np.r_[0, np.linalg.solve(R, Q.T @ S @ y), 0], S


@given(seed=st.integers(0, 10_000), m=st.integers(3, 25), power=st.floats(-6, 4))
@settings(max_examples=100, deadline=None)
def test_the_kernel_does_what_the_book_says(seed, m, power):
    random = np.random.default_rng(seed)
    x = np.cumsum(random.uniform(0.1, 1.0, m))
    y, w, lam = random.normal(size=m), random.uniform(0.5, 3.0, m), 10.0**power
    g, bends, S = spline_by_the_book(x, y, w, lam)
    values, result, own = spline_at(x, y, w, lam)
    assert_allclose(values, g, rtol=1e-7, atol=1e-7)
    assert_allclose(result, bends, rtol=1e-6, atol=1e-6 / lam**0.5)
    assert_allclose(own, np.diag(S), rtol=1e-6)
    A, B = np.eye(m), np.zeros((m, m))
    _reinsch.shares(x, w, lam, A, B)
    assert_allclose(A, S, rtol=1e-6, atol=1e-7)


def test_without_penalty_it_passes_through_all_knots_as_the_natural_spline_does():
    from scipy.interpolate import CubicSpline

    random = np.random.default_rng(1)
    x, y = np.cumsum(random.uniform(0.1, 1.0, 12)), random.normal(size=12)
    g, bends, own = spline_at(x, y, np.ones(12), 0.0)
    assert_allclose(g, y, rtol=1e-14)
    assert_allclose(bends, CubicSpline(x, y, bc_type="natural")(x, 2), rtol=1e-9, atol=1e-9)
    assert_allclose(own, 1, rtol=1e-12)


def test_very_many_near_knots_keep_their_digits():
    """Oracle: with an immense λ the spline is the least-squares line, with two degrees of freedom.

    SciPy 1.17 refuses these rows, and is off by 0.26 with a tenth of them.
    """
    random = np.random.default_rng(2)
    x = np.sort(random.uniform(0, 10, 10_000))
    y = np.sin(x) + random.normal(size=10_000)
    values, _, own = spline_at(x, y, np.ones(len(x)), 1e12)
    assert_allclose(values, np.polyval(np.polyfit(x, y, 1), x), atol=1e-5)
    assert_allclose(own.sum(), 2, rtol=1e-7)


def test_leverages_of_a_line_are_those_of_least_squares():
    x = np.array([0.0, 1.0, 3.0, 4.0, 9.0])
    F = np.c_[np.ones(5), x]
    own = spline_at(x, np.zeros(5), np.ones(5), 1e14)[2]
    assert_allclose(own, np.diag(F @ np.linalg.pinv(F)), rtol=1e-9)


def test_equal_x_are_one_knot_at_their_weighted_mean():
    fit = Splines(
        np.array([2.0, 1.0, 2.0, 3.0]), np.array([4.0, 0.0, 1.0, 5.0]), np.array([1.0, 1.0, 2.0, 0.0])
    )
    assert_allclose(fit.x, [1, 2])
    assert_allclose(fit.y, [0, 2])
    assert_allclose(fit.w, [1, 3])


def test_the_best_lambda_is_at_a_minimum_of_its_criterion(waves):
    x, y = waves
    fit = Splines(x[:, 0], y, None)
    for way in ("gcv", "loo"):
        best = fit.best(way)
        for factor in (0.5, 0.9, 1.1, 2.0):
            assert fit.error(best, way) <= fit.error(best * factor, way)


def test_generalised_cross_validation_is_not_fooled_where_it_vanishes():
    """Here its least value is where the curve passes through all rows; the least before is not."""
    random = np.random.default_rng(122)
    x = random.uniform(0, 5, 60)
    fit = Splines(x, np.sin(x) + random.normal(0, 0.5, 60), None)
    g, _, own = fit.at(1e-9)
    vanishing = np.mean(((fit.numbers - g[fit.place]) / fit.unit) ** 2) / (1 - own.sum() / 60) ** 2
    best = fit.best("gcv")
    assert vanishing < fit.error(best, "gcv")
    assert fit.at(best)[2].sum() < 10


def test_the_lambda_with_given_freedom(waves):
    x, y = waves
    fit = Splines(x[:, 0], y, None)
    for df in (2.5, 7.0, 60.0):
        assert_allclose(fit.at(fit.with_freedom(df))[2].sum(), df, rtol=1e-9)


def test_knots_too_near_for_numbers_are_refused():
    x = np.array([0.0, 5e-324, 1e-323, 1.0])
    with pytest.raises(DegenerateError, match="Round them"), np.errstate(all="ignore"):
        spline_at(x, np.arange(4.0), np.ones(4), 1.0)


def test_arrays_that_do_not_fit_are_refused():
    x, out = np.arange(4.0), np.empty(4)
    with pytest.raises(ValueError, match="each with a weight"):
        _reinsch.smooth(x=x, y=x, w=np.ones(3), penalty=1.0, g=out, c=out.copy(), leverages=out.copy())
    with pytest.raises(ValueError, match="a part for each knot"):
        _reinsch.shares(x, np.ones(4), 1.0, np.zeros((2, 3)), np.zeros((2, 4)))
