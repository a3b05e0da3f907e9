"""Differences without rounding noise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.stats.significance.differences import paired_differences


@settings(max_examples=60, deadline=None)
@given(whole=st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=20))
def test_equal_steps_of_a_thousandth_are_equal(whole):
    """a/1000 - b/1000 depends on a - b alone, whatever floating point makes of it."""
    a, b = np.array(whole).T
    d = paired_differences(a / 1000, b / 1000, "test")
    for gap in np.unique(a - b):
        assert len(np.unique(d[a - b == gap])) == 1
    assert_array_equal(np.sign(d), np.sign(a - b))


@pytest.mark.parametrize("scale", [1e-140, 1e-9, 1.0, 1e12, 1e140])
def test_units_do_not_matter(scale):
    d = np.array([0.125, -3.5, 2.0]) * scale
    assert_allclose(paired_differences(d, None, "test"), d, rtol=1e-9)


def test_zeros_stay_and_lengths_must_fit():
    assert not paired_differences([0, 0], None, "test").any()
    with pytest.raises(DataError, match="test: pairs need two samples of one length, got 2 and 1"):
        paired_differences([1, 2], [1], "test")


def test_one_huge_pair_does_not_round_the_others_away():
    d = paired_differences([1e20, 0.3, 0.2], [1.0, 0.2, 0.3], "test")
    assert_allclose(d, [1e20, 0.1, -0.1], rtol=1e-11)
    assert paired_differences([1e20, 0.3, 1e-300], [1.0, 0.1 + 0.2, 1e-300], "test").tolist() == [
        1e20,
        0.0,
        0.0,
    ]
