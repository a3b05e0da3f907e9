"""Cuts of numbers by entropy and description length."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError
from assay.stats.information.entropy import entropy
from assay.stats.information.mdl_cuts import cut_between, mdl_cuts
from assay.tables.data import load_iris


def cuts_by_the_book(x, y):
    """The definition: every cut tried, class counts counted anew each time, ties to the lowest."""
    values = np.unique(x)

    def counts(rows):
        return np.bincount(y[rows], minlength=y.max() + 1)

    best = None
    for low, high in pairwise(values):
        sides = [counts(x <= low), counts(x >= high)]
        mean = sum(s.sum() / len(x) * entropy(s, base=2) for s in sides)
        if best is None or mean < best[0] - 1e-11:
            best = (mean, cut_between(low, high), sides)
    if best is None:
        return []
    mean, cut, sides = best
    whole, n = counts(slice(None)), len(x)
    k, k1, k2 = ((c > 0).sum() for c in (whole, *sides))
    E, E1, E2 = (float(entropy(c, base=2)) for c in (whole, *sides))
    delta = np.log2(3.0**k - 2) - (k * E - k1 * E1 - k2 * E2)
    gain = E - mean
    if gain <= (np.log2(n - 1) + delta) / n + 1e-10:
        return []
    left = x <= cut
    return [*cuts_by_the_book(x[left], y[left]), cut, *cuts_by_the_book(x[~left], y[~left])]


@pytest.mark.parametrize(
    "column, cuts", [(0, [5.55, 6.15]), (1, [2.95, 3.35]), (2, [2.45, 4.75]), (3, [0.8, 1.75])]
)
def test_iris(column, cuts):
    """The intervals that Weka's supervised Discretize filter reports for iris."""
    data = load_iris()
    assert_allclose(mdl_cuts(data.X.values[:, column], data.y), cuts, rtol=1e-12)


@given(seed=st.integers(0, 10**6), n=st.integers(2, 80), K=st.integers(1, 4), distinct=st.integers(2, 30))
@settings(deadline=None, max_examples=80)
def test_as_the_definition_says(seed, n, K, distinct):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, distinct, n).astype(float)
    y = np.where(rng.random(n) < 0.8, (x * K / distinct).astype(int), rng.integers(0, K, n))
    assert_allclose(mdl_cuts(x, y), cuts_by_the_book(x, y), rtol=1e-12)


@given(seed=st.integers(0, 10**6))
@settings(deadline=None, max_examples=30)
def test_a_weight_of_two_is_two_rows_and_a_weight_of_zero_none(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=60).round(1), rng.integers(0, 3, 60)
    y[x > 0.3] = 1
    w = rng.integers(0, 4, 60)
    assert_allclose(mdl_cuts(x, y, w), mdl_cuts(np.repeat(x, w), np.repeat(y, w)), rtol=1e-12)


def test_missing_numbers_and_the_order_of_the_rows_do_not_matter():
    data, rng = load_iris(), np.random.default_rng(0)
    x, order = data.X.values[:, 2].copy(), rng.permutation(200)
    longer, y = np.concatenate([x, np.full(50, np.nan)]), np.concatenate([data.y, data.y[:50]])
    assert_allclose(mdl_cuts(longer[order], y[order]), mdl_cuts(x, data.y), rtol=1e-12)


@pytest.mark.parametrize(
    "x, y",
    [([], []), ([1.0], ["a"]), ([2.0, 2.0], ["a", "b"]), ([np.nan] * 3, [0, 1, 0]), ([1, 2, 3], [0, 0, 0])],
)
def test_nothing_to_cut(x, y):
    assert len(mdl_cuts(x, y)) == 0


def test_numbers_of_any_size_are_cut_between():
    big = np.finfo(float).max
    x, y = [-big] * 9 + [big] * 9, [0] * 9 + [1] * 9
    assert mdl_cuts(x, y).tolist() == [0.0]
    near = np.nextafter(1.0, 2.0)
    assert mdl_cuts([1.0] * 9 + [near] * 9, y).tolist() == [1.0]  # 1.0 <= cut < near


def test_many_classes():
    y = np.repeat(np.arange(600), 30)
    cuts = mdl_cuts(y.astype(float), y)
    assert len(cuts) == 599


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(DataError, match="x has 2 numbers, y 3 classes"):
        mdl_cuts([1.0, 2.0], [0, 1, 1])
