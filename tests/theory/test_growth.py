"""Growth functions against labellings that were counted, and Sauer's lemma."""

import numpy as np
import pytest

from assay.errors import ParameterError
from assay.theory.growth import growth, log_growth, sauer
from assay.theory.labellings import Intervals, LookUp, Stumps, Thresholds
from assay.theory.separators import HalfSpaces


@pytest.mark.parametrize("n", [1, 2, 4, 6])
def test_growth_counts_the_labellings_of_points_in_general_position(n):
    line, plane = np.random.default_rng(n).normal(size=(n, 1)), np.random.default_rng(n).normal(size=(n, 2))
    assert growth("thresholds", n) == Thresholds().realised(line).sum()
    assert growth("stumps", n) == Stumps().realised(line).sum()
    assert growth("intervals", n) == Intervals().realised(line).sum()
    assert growth("intervals", n, pieces=2) == Intervals(pieces=2).realised(line).sum()
    assert growth("half-spaces", n, columns=2) == HalfSpaces().realised(plane).sum()
    assert growth("half-spaces", n, columns=1) == HalfSpaces().realised(line).sum()
    assert growth("look-up", n) == LookUp().realised(line).sum() == 2**n


def test_half_spaces_in_three_dimensions_are_counted_by_cover():
    points = np.random.default_rng(3).normal(size=(6, 3))
    assert growth("half-spaces", 6, columns=3) == HalfSpaces().realised(points).sum() == 52


@pytest.mark.parametrize("d", [0, 1, 3, 6])
def test_sauer_bounds_every_growth_and_is_below_the_power(d):
    for n in (1, 2, 5, 20, 100):
        assert np.exp(log_growth(n, d)) == pytest.approx(sauer(n, d), rel=1e-9)
        if n >= d > 0:
            assert sauer(n, d) <= (np.e * n / d) ** d
        if d >= 1:
            assert growth("half-spaces", n, columns=d) <= sauer(n, d + 1)
    assert sauer(5, 9) == 32 and sauer(7, 0) == 1


def test_very_many_points_do_not_overflow():
    assert np.isfinite(log_growth(10**15, 1000)) and log_growth(10**15, 10**7) > log_growth(10**15, 1000)


def test_bad_input_is_named():
    with pytest.raises(ParameterError, match="hypotheses must be thresholds"):
        growth("parabolas", 3)
    with pytest.raises(ParameterError, match="counted on a line"):
        growth("intervals", 3, columns=2)
    with pytest.raises(ParameterError, match="n must be a whole number"):
        sauer(-1, 2)


def test_the_logarithm_is_right_for_as_many_points_as_one_likes():
    """Oracle: whole numbers of any size. By ln n! the sum over 1e20 points came out as 2 ways instead of 2e59."""
    from math import log

    for n in (10, 10**8, 10**16, 10**20):
        assert float(log_growth(float(n), 3)) == pytest.approx(log(sauer(n, 3)), rel=1e-13)
