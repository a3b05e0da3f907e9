"""Distances, feet and lines of a plane."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from assay.errors import DataError, ParameterError
from assay.linear.hyperplane import Hyperplane


@pytest.mark.capability("IML-10-05")
def test_the_book_s_plane():
    """IML 10.3.1: w = (3, 4), w0 = -10, x = (4, 3): g = 14, r = 2.8, r0 = -2, foot (2.32, 0.76)."""
    plane = Hyperplane([3, 4], -10)
    assert plane.score([4, 3]) == 14
    assert_allclose([plane.distance([4, 3]), plane.origin_distance], [2.8, -2.0], rtol=1e-12)
    assert_allclose(plane.project([4, 3]), [2.32, 0.76], rtol=1e-12)
    assert_allclose(plane.distance([[0, 0], [4, 3]]), [-2.0, 2.8], rtol=1e-12)  # the origin's own


@pytest.mark.capability("BC-06")
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), d=st.integers(1, 4))
def test_the_distance_is_that_of_the_nearest_point_found_by_search(seed, d):
    """BC 5.2: minimise |x - z| over z on the plane, with a general constrained optimiser."""
    rng = np.random.default_rng(seed)
    plane, x = Hyperplane(rng.normal(size=d), rng.normal()), rng.normal(size=d)
    result = minimize(
        lambda z: ((z - x) ** 2).sum(),
        np.zeros(d),
        constraints={"type": "eq", "fun": plane.score},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    assert_allclose(result.x, plane.project(x), atol=1e-6)
    assert_allclose(np.sqrt(result.fun), abs(plane.distance(x)), atol=1e-6)


@pytest.mark.capability("BC-06", "IML-10-05")
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), size=st.sampled_from([1e-200, 1e-3, 1.0, 1e3, 1e200]))
def test_feet_lie_on_the_plane_and_differences_along_it_are_at_right_angles(seed, size):
    rng = np.random.default_rng(seed)
    plane = Hyperplane(size * rng.normal(size=3), size * rng.normal())
    X = rng.normal(size=(10, 3))
    feet = plane.project(X)
    assert_allclose(plane.distance(feet), np.zeros(10), atol=1e-9)
    assert_allclose((feet[1:] - feet[0]) @ plane.normal, np.zeros(9), atol=1e-9 * size)
    assert_allclose(np.linalg.norm(X - feet, axis=1), np.abs(plane.distance(X)), atol=1e-9)
    assert_array_equal(np.sign(plane.distance(X)), np.sign(plane.score(X)))


@settings(max_examples=60, deadline=None)
@given(a=st.floats(-3, 3), b=st.floats(-3, 3), c=st.floats(-3, 3))
def test_a_line_ends_on_the_border_of_its_box(a, b, c):
    if abs(a) + abs(b) < 1e-3:
        return
    line = Hyperplane([a, b], c).line((-1, 2), (0, 1))
    corners = np.array([[x, y] for x in (-1, 2) for y in (0, 1)]) @ [a, b] + c
    crosses = corners.min() < -1e-6 and corners.max() > 1e-6
    if crosses:
        assert line is not None
    if line is not None and crosses:
        assert_allclose(line @ [a, b] + c, [0, 0], atol=1e-6)
        for x, y in line:
            assert min(abs(x + 1), abs(x - 2), abs(y), abs(y - 1)) < 1e-6


def test_lines_outside_of_the_box_and_along_the_axes():
    assert Hyperplane([1.0, 1.0], -9.0).line((0, 1), (0, 1)) is None
    assert_allclose(Hyperplane([2.0, 0.0], -1.0).line((0, 1), (0, 1)), [[0.5, 0], [0.5, 1]])
    assert_allclose(Hyperplane([0.0, 2.0], -1.0).line((0, 1), (0, 1)), [[0, 0.5], [1, 0.5]])


def test_planes_that_are_none_are_refused():
    for normal in ([0.0, 0.0], [[1.0]], [np.nan, 1.0], [np.inf]):
        with pytest.raises(ParameterError, match="normal must be a vector of numbers, not all zero"):
            Hyperplane(normal)
    with pytest.raises(ParameterError, match="offset must be a number"):
        Hyperplane([1.0], np.nan)
    with pytest.raises(ParameterError, match="line needs two dimensions, the plane has 3"):
        Hyperplane([1.0, 2.0, 3.0]).line((0, 1), (0, 1))


def test_an_axis_may_run_backwards():
    plane = Hyperplane([1.0, 1.0], -1.0)
    assert_array_equal(plane.line((2.0, 0.0), (2.0, 0.0)), plane.line((0.0, 2.0), (0.0, 2.0)))


def test_points_of_another_space_are_refused():
    plane = Hyperplane([3.0, 4.0], -10.0)
    for wrong in ([1.0, 2.0, 3.0], 5.0, np.ones((4, 1))):
        for ask in (plane.distance, plane.score, plane.project):
            with pytest.raises(DataError, match="expected points of 2 numbers"):
                ask(wrong)


def test_planes_can_be_compared_and_counted():
    assert Hyperplane([1.0, 0.0], 2.0) == Hyperplane([1.0, -0.0], 2.0) != Hyperplane([2.0, 0.0], 4.0)
    assert len({Hyperplane([1.0, 0.0], 2.0), Hyperplane([1.0, -0.0], 2.0), Hyperplane([1.0])}) == 2
    assert Hyperplane([1.0]) != "a plane"
