"""Exact sums: the sum of fractions, rounded once, in any order."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.core.exact_sum import ExactSum

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30)


@given(NUMBERS, st.integers(0, 30))
def test_sums_are_those_of_fractions_however_they_are_cut(x, cut):
    exact = sum(map(Fraction, x), Fraction(0))
    try:
        expected = float(exact)
    except OverflowError:
        expected = float("inf") if exact > 0 else float("-inf")
    assert float(ExactSum(x)) == expected
    assert float(ExactSum(x[cut:]) + ExactSum(x[:cut])) == expected


def test_products_are_rounded_before_they_are_added():
    x, w = np.array([0.1, 0.7, -3.0]), np.array([0.3, 1e-20, 2.0])
    assert float(ExactSum(x, w)) == float(sum(map(Fraction, (x * w).tolist())))


def test_what_is_not_finite_has_no_sum():
    assert np.isnan(float(ExactSum([1.0, np.inf]))) and np.isnan(float(ExactSum([np.nan])))
