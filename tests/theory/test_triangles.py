"""Triangles: none is overlooked, and each has corners to draw."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.theory.shatter import shatters
from assay.theory.triangles import Triangles


def circle(n):
    t = 2 * np.pi * np.arange(n) / n
    return np.column_stack([np.cos(t), np.sin(t)])


def test_no_eight_points_are_shattered_by_triangles():
    rng = np.random.default_rng(1)
    for _ in range(10):
        assert not shatters("triangles", rng.normal(size=(8, 2)))


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=6, unique=True))
@settings(deadline=None, max_examples=10)
def test_no_triangle_is_overlooked(points):
    """Twin: all triples of 60 directions. What they cut off must be found; that no more is found, the rules show."""
    points = np.array(points, dtype=float)
    t = np.linspace(0, 2 * np.pi, 61)[:-1] + 0.0137
    along, bits = points @ np.array([np.cos(t), np.sin(t)]), 1 << np.arange(len(points))
    near = (np.arange(60)[None, :] - np.arange(60)[:, None]) % 60 < 30  # less than half a turn ahead
    closed = near[:, :, None] & near[None, :, :] & near.T[:, None, :]
    result = shatters("triangles", points)
    for label in result.labellings[1:]:
        cut = ((along > along[label].max(axis=0) + 1e-12) & ~label[:, None]).T @ bits
        union = cut[:, None, None] | cut[None, :, None] | cut[None, None, :]
        if (closed & (union == (~label) @ bits)).any():
            assert result.realised[int(label @ bits)], (points, label)


def test_triangles_have_corners_to_draw():
    for label in shatters("triangles", circle(7)).labellings[1:]:
        corners = Triangles().corners(circle(7), label)
        ahead = np.roll(corners, -1, axis=0) - corners
        side = [
            ahead[i, 0] * (circle(7)[:, 1] - corners[i, 1]) - ahead[i, 1] * (circle(7)[:, 0] - corners[i, 0])
            for i in range(3)
        ]
        inside = (np.array(side) > 0).all(axis=0) | (np.array(side) < 0).all(axis=0)
        assert np.array_equal(inside, label)
    assert Triangles().corners(circle(8), np.array([True, False] * 4)) is None


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=4),
    st.sampled_from([1.0, 1e300]),
)
@settings(deadline=None, max_examples=40)
def test_a_rule_has_the_labels_it_was_asked_for(points, unit):
    """Two places alone included: there the sectors are half turns."""
    points = np.array(points, dtype=float) * unit
    result = shatters("triangles", points)
    for label, realised in zip(result.labellings, result.realised):
        rule = result.rule(label)
        assert (rule is not None) == realised
        assert rule is None or np.array_equal(rule(points), label)
