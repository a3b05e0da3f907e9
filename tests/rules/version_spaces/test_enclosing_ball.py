"""The smallest ball around points, and the largest one without others."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import nnls

from assay.errors import DegenerateError
from assay.rules.version_spaces.enclosing_ball import largest_consistent_ball, smallest_ball


@pytest.mark.capability("IML-2-07")
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 60))
def test_a_ball_is_smallest_if_its_centre_is_among_the_points_on_its_surface(seed, d, n):
    """The centre is a convex combination of points at distance r, and none is farther: the condition of optimality."""
    rng = np.random.default_rng(seed)
    P = np.round(rng.normal(size=(n, d)), int(rng.integers(0, 4)))
    centre, radius = smallest_ball(P)
    away = np.linalg.norm(P - centre, axis=1)
    assert away.max() == pytest.approx(radius, rel=1e-12)
    on = P[away >= radius * (1 - 1e-9) - 1e-12]
    _, residual = nnls(np.vstack([on.T, np.ones(len(on))]), np.append(centre, 1))
    assert residual < 1e-9


def circles_by_the_book(P, N):
    """The largest circle among those through two or three rows that holds all of P and none of N inside."""
    best = 0.0
    X = np.vstack([P, N])
    for i, j, k in itertools.combinations(range(len(X)), 3):
        A, b = 2 * (X[[j, k]] - X[i]), (X[[j, k]] ** 2).sum(axis=1) - (X[i] ** 2).sum()
        if abs(np.linalg.det(A)) < 1e-9:
            continue
        c = np.linalg.solve(A, b)
        r = np.linalg.norm(X[i] - c)
        if (np.linalg.norm(P - c, axis=1) <= r + 1e-9).all() and (
            np.linalg.norm(N - c, axis=1) >= r - 1e-9
        ).all():
            best = max(best, r)
    return best


@pytest.mark.capability("IML-2-07")
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_largest_circle_without_negatives(seed):
    """A ring of negatives around some positives: the largest consistent circle goes through three rows."""
    rng = np.random.default_rng(seed)
    angle = np.sort(rng.uniform(0, 2 * np.pi, 9)) + np.linspace(0, 0.01, 9)
    N = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.uniform(2, 4, 9)[:, None]
    P = rng.uniform(-0.7, 0.7, (5, 2))
    gaps = np.diff(np.append(angle, angle[0] + 2 * np.pi))
    if gaps.max() > 1.5:
        return  # a plane may part them
    centre, radius = largest_consistent_ball(P, N)
    assert radius == pytest.approx(circles_by_the_book(P, N), rel=1e-7)
    assert np.linalg.norm(P - centre, axis=1).max() <= radius * (1 + 1e-9)
    assert np.linalg.norm(N - centre, axis=1).min() >= radius * (1 - 1e-9)


def test_reasons_why_there_is_no_largest_ball():
    with pytest.raises(DegenerateError, match="A plane parts the class"):
        largest_consistent_ball(np.array([[0.0, 0], [1, 0]]), np.array([[5.0, 0]]))
    with pytest.raises(DegenerateError, match="No ball holds all rows"):
        largest_consistent_ball(np.array([[-1.0, 0], [1, 0]]), np.array([[0.0, 0], [0, 5], [0, -5], [5, 0]]))


def test_rows_close_together_far_from_zero():
    centre, radius = smallest_ball(np.array([[10000.000304], [10000.000430]]))
    assert_allclose([centre[0] - 10000, radius], [0.000367, 0.000063], rtol=1e-6)


def test_thousands_of_rows_on_one_sphere():
    """Every row is on the surface, so every step may go on; it must come to an end soon."""
    angle = np.linspace(0, 2 * np.pi, 5000, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    grid = np.array(np.meshgrid(*[np.arange(6.0)] * 4)).reshape(4, -1).T
    for P, middle, far in ((circle + 1000, [1000, 1000], 1), (grid, [2.5] * 4, 5)):
        centre, radius = smallest_ball(P)
        assert_allclose(centre, middle, rtol=1e-12)
        assert_allclose(radius, far, rtol=1e-11)
