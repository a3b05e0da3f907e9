"""Conics and cubics: what they shatter, and that on a line they are unions of intervals."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.theory.labellings import Intervals
from assay.theory.polynomials import Polynomials
from assay.theory.separators import HalfSpaces
from assay.theory.shatter import shatters, vc_search


def test_degree_one_is_a_half_space():
    points = np.random.default_rng(0).normal(size=(5, 2))
    np.testing.assert_array_equal(Polynomials(1).realised(points), HalfSpaces().realised(points))


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_on_a_line_the_labels_change_as_often_as_the_degree(degree):
    result = shatters(Polynomials(degree), [0.0, 1.0, 2.5, 3.0, 4.5, 5.0])
    changes = (np.diff(result.labellings.astype(int), axis=1) != 0).sum(axis=1)
    np.testing.assert_array_equal(result.realised, changes <= degree)


def test_an_interval_is_a_parabola_upside_down():
    points = np.array([[0.0], [1.0], [2.0], [3.0]])
    assert (Polynomials(2).realised(points) | ~Intervals().realised(points)).all()


def test_conics_shatter_six_points_and_find_their_rules():
    result = vc_search(Polynomials(2), tries=2, most=7)
    assert result.size == Polynomials(2).vc(2) == 6
    shown = shatters(Polynomials(2), result.points)
    for label in shown.labellings[::7]:
        assert np.array_equal(shown.rule(label)(shown.points), label)


def test_bad_degree_is_named():
    with pytest.raises(ParameterError, match="degree must be a whole number from 1 up, got 0"):
        Polynomials(0)
