"""Numbers and labels in words: what is printed reads back as what was meant."""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.words import DAY, bare_label, date_floor, number, one_line, quoted, shorter, value_word
from assay.tables import Column


@settings(max_examples=200, deadline=None)
@given(st.floats(allow_nan=False))
def test_numbers_read_back_as_themselves(x):
    assert float(number(x)) == x


@settings(max_examples=200, deadline=None)
@given(st.floats(min_value=-1e300, max_value=1e300))
def test_short_numbers_are_close_and_never_longer_than_the_exact_ones(x):
    assert math.isclose(float(shorter(x)), x, rel_tol=5e-6)
    assert len(shorter(x)) <= len(number(x))


@settings(max_examples=200, deadline=None)
@given(st.integers(-60_000 * DAY, 90_000 * DAY), st.integers(-3, 3), st.integers(0, 5_000_000))
def test_a_date_threshold_in_words_separates_the_same_moments(micro, off, apart):
    """The threshold is the middle between two moments; not after the printed one means not above the threshold."""
    threshold = (micro / DAY + (micro + apart) / DAY) / 2
    printed = np.datetime64(date_floor(threshold), "us")
    for moment in (micro + off, micro + apart + off):
        assert (np.datetime64(moment, "us") <= printed) == (moment / DAY <= threshold)


def test_days_that_are_no_date_are_days():
    assert date_floor(1e9) == "day 1000000000"
    assert date_floor(-1e12) == "day -1000000000000"


@pytest.mark.parametrize(
    "label", ["3", "-1e5", "a, b", "{x}", "it's", "", " blank", "a <= b", "nan", "key: value", '"q"']
)
def test_labels_that_could_be_mistaken_are_quoted(label):
    assert bare_label(label) == quoted(label) == "'" + label.replace("'", "''") + "'"


def test_labels_stay_in_one_line():
    assert one_line("a\nb\tc\x00") == r"a\nb\tc\x00"
    assert one_line("😀") == "😀"
    assert one_line("\ud800") == r"\ud800"
    assert "\n" not in quoted("a\nb")


def test_values_of_columns():
    ordinal = Column("size", "ordinal", ("small", "large"))
    assert value_word(ordinal, 1.0) == "'large'"
    assert value_word(ordinal, -1.0) == value_word(Column("x"), math.nan) == "missing"
    day = (dt.date(2020, 2, 29) - dt.date(1970, 1, 1)).days
    assert value_word(Column("day", date=True), float(day)) == "2020-02-29"
    assert value_word(Column("x"), 1 / 3) == "0.3333333333333333"
