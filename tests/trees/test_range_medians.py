"""Medians, deviations and extremes of stretches, against NumPy on each stretch by itself."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.trees.range_medians import RangeExtremes, RangeMedians, weighted_median

numbers = st.lists(st.integers(-5, 5), min_size=1, max_size=24)


def stretches(n):
    pairs = np.array([(a, b) for a in range(n) for b in range(a + 1, n + 1)])
    return pairs[:, 0], pairs[:, 1]


@given(numbers)
@settings(max_examples=40, deadline=None)
def test_every_stretch_has_the_median_of_numpy(values):
    y = np.array(values, dtype=float)
    lo, hi = stretches(len(y))
    wanted = [np.median(y[a:b]) for a, b in zip(lo, hi)]
    assert_allclose(RangeMedians(y, np.ones(len(y))).median(lo, hi), wanted, atol=0)
    assert weighted_median(y, np.ones(len(y))) == np.median(y)


@given(numbers, st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_a_weight_is_a_repetition(values, seed):
    y, w = np.array(values, dtype=float), np.random.default_rng(seed).integers(1, 4, len(values))
    lo, hi = stretches(len(y))
    medians = RangeMedians(y, w.astype(float))
    centre = np.random.default_rng(seed).uniform(-6, 6, len(lo))
    repeated = [np.repeat(y[a:b], w[a:b]) for a, b in zip(lo, hi)]
    assert_allclose(medians.median(lo, hi), [np.median(r) for r in repeated], atol=0)
    wanted = [np.mean(np.abs(r - c)) for r, c in zip(repeated, centre)]
    assert_allclose(medians.deviation(lo, hi, centre), wanted, atol=1e-12)
    assert weighted_median(y, w.astype(float)) == np.median(np.repeat(y, w))


@given(numbers)
@settings(max_examples=40, deadline=None)
def test_every_stretch_has_its_extremes(values):
    y = np.array(values, dtype=float)
    lo, hi = stretches(len(y))
    extremes = RangeExtremes(y)
    assert_allclose(extremes.low(lo, hi), [y[a:b].min() for a, b in zip(lo, hi)], atol=0)
    assert_allclose(extremes.high(lo, hi), [y[a:b].max() for a, b in zip(lo, hi)], atol=0)
