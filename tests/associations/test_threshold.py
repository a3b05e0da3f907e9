"""What "frequent" means."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.associations.baskets import Baskets
from assay.associations.threshold import Threshold, check_support, least_weight
from assay.errors import DataError, ParameterError


@given(n=st.integers(1, 10**6), data=st.data())
def test_a_share_that_is_met_exactly_counts(n, data):
    c = data.draw(st.integers(1, n))
    assert least_weight(c / n, n, 0.0) == c


@given(n=st.integers(1, 10**4), share=st.floats(1e-3, 1))
def test_the_least_count_reaches_the_share_and_one_less_does_not(n, share):
    c = least_weight(share, n, 0.0)
    assert c / n >= share * (1 - 1e-9)
    assert c == 1 or (c - 1) / n < share


@pytest.mark.parametrize("bad", [0, -1, 0.0, 1.5, -0.1, "0.1", None, True, float("nan")])
def test_neither_share_nor_count(bad):
    with pytest.raises(ParameterError, match=r"frequent_sets: min_support must be a share .* got "):
        check_support(bad)


def test_weights_become_whole_and_stay_exact():
    w = np.array([1.0, 2.0, 0.25, 7.0, 0.0])
    threshold = Threshold.of(Baskets.from_lists(["a"] * 5, weights=w), 0.5)
    assert threshold.in_units(threshold.weights).tolist() == w.tolist()
    assert threshold.in_units(threshold.total) == 10.25
    assert threshold.in_units(threshold.least) == pytest.approx(5.125, rel=1e-11)
    assert Threshold.of(Baskets.from_lists("ab", weights=[1.0, 1.0]), 2).in_units(1) > 0


def test_nothing_to_take_a_share_of():
    with pytest.raises(DataError, match="there are no baskets"):
        Threshold.of(Baskets.from_lists([]), 0.5)
    with pytest.raises(DataError, match="no basket weighs anything"):
        Threshold.of(Baskets.from_lists(["a"], weights=[0.0]), 0.5)
