from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.stats import smoothed_frequencies


@pytest.mark.capability("C3-15")
def test_apple_tables_with_alpha_one():
    # C3 3.1.2: (green, yellow, yellow-green), (oblate, round), (sour-sweet, sweet)
    tables = {
        (0, 2, 4): (F(1, 9), F(3, 9), F(5, 9)),  # Fuji
        (3, 3): (F(1, 2), F(1, 2)),
        (4, 2): (F(5, 8), F(3, 8)),
        (3, 0, 1): (F(4, 7), F(1, 7), F(2, 7)),  # Guoguang
        (4, 0): (F(5, 6), F(1, 6)),
        (3, 1): (F(2, 3), F(1, 3)),
    }
    for counts, expected in tables.items():
        assert tuple(smoothed_frequencies(counts, exact=True)) == expected
        assert_allclose(smoothed_frequencies(counts), np.array(expected, dtype=float), rtol=1e-15)


@given(
    counts=st.lists(st.integers(0, 1000), min_size=1, max_size=6),
    alpha=st.fractions(F(1, 100), F(10)),
)
@settings(max_examples=60, deadline=None)
def test_positive_sums_to_one_and_equals_virtual_samples(counts, alpha):
    exact = smoothed_frequencies(counts, alpha, exact=True)
    assert sum(exact) == 1 and all(p > 0 for p in exact)
    virtual = smoothed_frequencies([c + alpha for c in counts], 0, exact=True)
    assert list(exact) == list(virtual)
    assert_allclose(smoothed_frequencies(counts, float(alpha)), exact.astype(float), rtol=1e-12)


def test_axes_are_separate_tables():
    table = np.array([[0, 2], [3, 1]])
    assert_array_equal(smoothed_frequencies(table, 0, axis=0), [[0, 2 / 3], [1, 1 / 3]])
    assert_array_equal(smoothed_frequencies(table, 0, axis=1), [[0, 1], [0.75, 0.25]])


def test_no_counts_need_smoothing():
    assert_array_equal(smoothed_frequencies([0, 0, 0, 0]), np.full(4, 0.25))
    with pytest.raises(ValueError, match="Raise alpha above 0"):
        smoothed_frequencies([[1, 2], [0, 0]], alpha=0)


@pytest.mark.parametrize(
    ("counts", "alpha", "message"),
    [
        ([1, -1], 1, "not be negative, got -1"),
        ([1, 2], -1, "alpha"),
        ([], 1, "at least one"),
        ([np.nan], 1, "finite"),
    ],
)
def test_bad_input_is_named(counts, alpha, message):
    with pytest.raises(ValueError, match=message):
        smoothed_frequencies(counts, alpha)
