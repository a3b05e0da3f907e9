"""Tallies: modes and medians that add up."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.prepare.tally import Tally

numbers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=60)


@given(values=numbers, cuts=st.lists(st.integers(0, 60), max_size=3), lower=st.booleans())
@settings(max_examples=60, deadline=None)
def test_pieces_add_up_to_the_whole(values, cuts, lower):
    column = np.array(values)
    pieces = np.split(column, sorted(min(c, len(column)) for c in cuts))
    total = Tally.of(pieces[0])
    for piece in pieces[1:]:
        total = total + Tally.of(piece)
    levels, times = np.unique(column, return_counts=True)
    assert total.mode() == levels[np.argmax(times)]
    assert total.median() == np.median(column)
    assert total.median(lower=True) == np.sort(column)[(len(column) - 1) // 2]
    np.testing.assert_array_equal(total.repeated(), np.sort(column))


@given(values=numbers, seed=st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_a_weight_is_a_number_of_rows(values, seed):
    column = np.array(values)
    w = np.random.default_rng(seed).integers(0, 4, len(column)).astype(float)
    w[0] = 1.0
    weighted, repeated = Tally.of(column, w), Tally.of(np.repeat(column, w.astype(int)))
    assert weighted.mode() == repeated.mode()
    assert weighted.median() == repeated.median()
    assert weighted.median(lower=True) == repeated.median(lower=True)
    assert (weighted + Tally.of(column)).median() == (repeated + Tally.of(column)).median()


def test_many_pieces_are_counted_together():
    total = Tally.of(np.array([3.0]))
    for i in range(200):
        total = total + Tally.of(np.array([float(i % 7)]))
    assert sum(map(len, total.values)) < 60
    assert total.median() == 3.0


def test_nothing_has_no_mode_and_no_median():
    empty = Tally.of(np.array([np.nan, np.nan]))
    assert np.isnan(empty.mode())
    assert np.isnan(empty.median())


def test_new_codes_keep_their_weights():
    tally = Tally.of(np.array([0.0, 1.0, 1.0])).recode(np.array([2.0, 0.0]))
    assert tally.mode() == 0.0
    assert tally.repeated().tolist() == [0.0, 0.0, 2.0]


@pytest.mark.parametrize("w", [None, np.array([1e-9, 1e-9, 1e-9])])
def test_the_scale_of_weights_does_not_matter(w):
    assert Tally.of(np.array([1.0, 2.0, 9.0]), w).median() == 2.0
