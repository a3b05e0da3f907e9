"""Labels as numbers, signs and unit vectors: there and back, and what is none of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError
from assay.prepare import LabelCodes

LABELS = st.one_of(
    st.lists(st.sampled_from(["a", "b", "c", "d"]), min_size=1, max_size=20),
    st.lists(st.integers(-5, 5), min_size=1, max_size=20),
    st.lists(st.booleans(), min_size=1, max_size=20),
)


@pytest.mark.capability("C3-27", "BC-01")
@given(y=LABELS)
@settings(max_examples=60, deadline=None)
def test_class_k_is_the_unit_vector_k_and_all_ways_lead_back(y):
    codes = LabelCodes.of(y)
    K = len(set(y))
    assert codes.classes.tolist() == sorted(set(y))
    assert_array_equal(codes.one_hot(codes.classes), np.eye(K))
    assert_array_equal(codes.one_hot(y).argmax(axis=1), codes.numbers(y))
    assert codes.from_numbers(codes.numbers(y)).tolist() == y
    assert codes.from_one_hot(codes.one_hot(y)).tolist() == y
    if K == 2:
        assert_array_equal(codes.signs(y), np.where(np.array(y) == codes.classes[1], 1, -1))
        assert codes.from_signs(codes.signs(y)).tolist() == y


def test_what_is_no_code_is_refused():
    three = LabelCodes.of(["a", "b", "c"])
    with pytest.raises(DataError, match="two classes, there are 3"):
        three.signs(["a"])
    with pytest.raises(DataError, match="label 'd'"):
        three.one_hot(["d"])
    with pytest.raises(DataError, match=r"row 2 is \[1, 1, 0\]"):
        three.from_one_hot([[0, 1, 0], [1, 1, 0]])
    with pytest.raises(DataError, match="rows of 3 numbers"):
        three.from_one_hot([[0, 1]])
    for wrong in ([3], [-1], [0.5], [np.nan], ["a"], [[0]]):
        with pytest.raises(DataError, match="from 0 to 2"):
            three.from_numbers(wrong)
    with pytest.raises(DataError, match="-1 and"):
        LabelCodes.of([0, 1]).from_signs([0, 1])
