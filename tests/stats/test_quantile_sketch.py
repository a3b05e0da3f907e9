"""Quantile sketches: exact while small, within their own bound when large, the same however the rows are cut."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.stats import QuantileSketch

SHARES = np.linspace(0, 1, 33)  # exact in binary, so that ties are ties for NumPy, too


def in_parts(values, weights, cuts, limit):
    return [
        QuantileSketch.of(values[a:b], None if weights is None else weights[a:b], limit)
        for a, b in zip([0, *cuts], [*cuts, len(values)])
    ]


def added(parts, order):
    """The sum in a random order and grouping: two of the parts that are left at a time."""
    rng = np.random.default_rng(order)
    while len(parts) > 1:
        i, j = rng.choice(len(parts), 2, replace=False)
        both = parts[i] + parts[j]
        parts = [part for place, part in enumerate(parts) if place not in (i, j)] + [both]
    return parts[0]


def test_quantiles_of_few_values_are_those_of_numpy():
    """Oracle: np.quantile(method="averaged_inverted_cdf"), which is Hyndman and Fan's second definition."""
    values = np.random.default_rng(0).normal(size=1001)
    for n in (1, 2, 3, 1000, 1001):
        expected = np.quantile(values[:n], SHARES, method="averaged_inverted_cdf")
        assert_allclose(QuantileSketch.of(values[:n]).quantile(SHARES), expected, rtol=1e-15, atol=1e-15)


def test_weighted_quantiles_are_those_of_repeated_values():
    rng = np.random.default_rng(1)
    values, times = rng.integers(0, 30, 200).astype(float), rng.integers(0, 4, 200)
    weighted = QuantileSketch.of(values, times)
    assert_array_equal(
        weighted.quantile(SHARES), QuantileSketch.of(np.repeat(values, times)).quantile(SHARES)
    )
    assert weighted.weight == times.sum() and weighted.rank_error == 0


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(0, 2**32 - 1), st.booleans())
def test_up_to_the_limit_the_cut_does_not_change_a_bit(data, seed, weighted):
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(1, 64))
    values, weights = rng.normal(size=n).round(1), rng.uniform(0.1, 3, n) if weighted else None
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=5)))
    sketch = added(in_parts(values, weights, cuts, 64), seed)
    assert sketch.rank_error == 0
    assert_array_equal(sketch.quantile(SHARES), QuantileSketch.of(values, weights, 64).quantile(SHARES))


@settings(max_examples=80, deadline=None)
@given(
    st.data(),
    st.integers(0, 2**32 - 1),
    st.sampled_from(["normal", "whole", "sorted", "heavy"]),
    st.booleans(),
)
def test_the_rank_of_a_quantile_is_within_the_bound_however_the_rows_are_cut_and_added(
    data, seed, kind, weighted
):
    rng = np.random.default_rng(seed)
    n = data.draw(st.integers(100, 6000))
    values = {
        "normal": rng.normal(size=n),
        "whole": rng.integers(0, 200, n).astype(float),
        "sorted": np.sort(rng.standard_cauchy(n)),
        "heavy": np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
    }[kind]
    weights = rng.exponential(size=n) ** 3 if weighted else None
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=40)))
    sketch = added(in_parts(values, weights, cuts, 128), seed)
    w = np.ones(n) if weights is None else weights
    W = w.sum()
    assert_allclose(sketch.weight, W, rtol=1e-9)
    answers = sketch.quantile(SHARES)
    below = np.array([w[values < x].sum() for x in answers])
    up_to = np.array([w[values <= x].sum() for x in answers])
    assert (below <= SHARES * W + sketch.error + 1e-9 * W).all()
    assert (up_to >= SHARES * W - sketch.error - 1e-9 * W).all()
    assert answers[0] == values[w > 0].min() and answers[-1] == values[w > 0].max()
    levels = np.ceil(np.log(max(n / 128, 1)) / np.log(16)) + 2  # a part may be carried early
    assert sketch.error <= levels * W / (2 * 8) * (1 + 1e-9)


def test_the_bound_grows_with_the_logarithm_of_the_rows():
    rng = np.random.default_rng(2)
    sketch = QuantileSketch.of([], limit=256)
    for _ in range(400):
        sketch += QuantileSketch.of(rng.normal(size=250), limit=256)
    assert sketch.weight == pytest.approx(100_000)
    assert sketch.rank_error <= 3 / (2 * 16)  # 256 * 16 * 16 = 65,536 rows in three levels
    assert sum(map(len, sketch.values)) <= 4 * 256


def test_few_distinct_values_stay_exact_however_many_rows():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 60, 50_000).astype(float)
    sketch = added(in_parts(values, None, range(1000, 50_000, 1000), 128), 0)
    assert sketch.rank_error == 0
    assert_array_equal(sketch.quantile(SHARES), np.quantile(values, SHARES, method="averaged_inverted_cdf"))
    distinct, weights = sketch.distribution()
    assert_array_equal(distinct, np.arange(60.0))
    assert_array_equal(weights, np.bincount(values.astype(int)))


def test_missing_values_and_rows_of_weight_zero_are_left_out():
    sketch = QuantileSketch.of([np.nan, 1.0, 2.0, 9.0], [1.0, 1.0, 1.0, 0.0])
    assert sketch.weight == 2 and sketch.high == 2.0 and sketch.quantile(0.5) == 1.5


def test_infinite_values_have_their_place():
    sketch = QuantileSketch.of([-np.inf, 0.0, np.inf])
    assert_array_equal(sketch.quantile([0, 0.5, 1]), [-np.inf, 0, np.inf])
    assert QuantileSketch.of([-np.inf, np.inf]).quantile(0.5) == -np.inf  # no number lies midway


def test_no_values_have_no_quantile():
    empty = QuantileSketch.of([]) + QuantileSketch.of([np.nan])
    assert np.isnan(empty.quantile([0.0, 0.5, 1.0])).all() and empty.weight == 0 and empty.rank_error == 0


def test_wrong_calls_end_in_a_sentence():
    with pytest.raises(ParameterError, match="limit must be at least 16, got 3"):
        QuantileSketch.of([1.0], limit=3)
    with pytest.raises(ParameterError, match="shares must lie from 0 to 1"):
        QuantileSketch.of([1.0]).quantile(50)
    with pytest.raises(ParameterError, match="do not add up: 16 and 32"):
        QuantileSketch.of([1.0], limit=16) + QuantileSketch.of([1.0], limit=32)
