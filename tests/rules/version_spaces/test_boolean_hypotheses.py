"""All functions of binary inputs, struck out example by example."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.errors import DataError, ParameterError
from assay.rules.version_spaces.boolean_hypotheses import BooleanHypotheses


@pytest.mark.capability("IML-2-18")
def test_the_table_of_two_inputs_and_what_one_example_removes():
    """IML table 2-1: (0, 1) -> 0 removes h5 to h8 and h13 to h16."""
    every = BooleanHypotheses(2)
    table = every.outputs()
    assert table.shape == (16, 4) and every.numbers() == list(range(1, 17))
    assert_array_equal(table[:, 0], [0] * 8 + [1] * 8)
    assert_array_equal(table[:, 1], ([0] * 4 + [1] * 4) * 2)
    assert_array_equal(table[:, 2], [0, 0, 1, 1] * 4)
    assert_array_equal(table[:, 3], [0, 1] * 8)
    left = every.learn([0, 1], 0)
    assert set(range(1, 17)) - set(left.numbers()) == {5, 6, 7, 8, 13, 14, 15, 16}
    assert len(left) == 8


@pytest.mark.capability("IML-2-18")
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_each_new_example_halves_what_is_left(d, seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (6, d))
    truth = rng.integers(0, 2, 2**d)
    numbers = X @ (1 << np.arange(d)[::-1])
    left = BooleanHypotheses(d).learn_all(X, truth[numbers])
    assert left.count == 2 ** (2**d - len(set(numbers.tolist())))
    table = left.outputs()
    assert len(np.unique(table, axis=0)) == left.count
    assert (table[:, numbers] == truth[numbers]).all()
    for i in range(2**d):
        x = [int(bit) for bit in f"{i:0{d}b}"]
        assert left.share(x) == Fraction(int(table[:, i].sum()), left.count)


def test_many_inputs_are_counted_without_a_list():
    left = BooleanHypotheses(6).learn([0] * 6, 1)
    assert left.count == 2**63 and left.share([1] * 6) == Fraction(1, 2)
    with pytest.raises(DataError, match="to list"):
        left.outputs()
    assert str(BooleanHypotheses(1)) == "4 of 4 functions of 1 binary inputs, after 0 examples"
    assert len(list(BooleanHypotheses(1))) == 4


def test_contradictions_and_wrong_inputs_are_refused():
    one = BooleanHypotheses(2).learn([0, 1], 1)
    assert one.learn([0, 1], 1) == one
    with pytest.raises(DataError, match=r"\(0, 1\) had the output 1 before, now 0"):
        one.learn([0, 1], 0)
    with pytest.raises(DataError, match="an input is 2 numbers"):
        one.learn([0, 2], 0)
    with pytest.raises(DataError, match="an output is 0 or 1"):
        one.learn([0, 0], 3)
    with pytest.raises(ParameterError, match="from 1 to 20"):
        BooleanHypotheses(0)
