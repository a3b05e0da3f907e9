"""Bins of columns: thresholds as scikit-learn's, codes by the book, categories that share a bin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.ensemble._hist_gradient_boosting.binning import _find_binning_thresholds

from assay.ensembles.hist_bins import find_bins


def codes_by_the_book(bins, X):
    """(n, d) codes, one value at a time."""
    codes = np.empty(X.shape, dtype=int)
    for j in range(X.shape[1]):
        for i, x in enumerate(X[:, j]):
            if np.isnan(x):
                codes[i, j] = bins.bins[j]
            elif bins.nominal[j]:
                codes[i, j] = bins.bin_of[bins.category_start[j] + int(x)]
            else:
                codes[i, j] = (bins.thresholds[j, : bins.bins[j] - 1] < x).sum()
    return codes


def codes_in_columns(bins, codes):
    """The native codes as (n, d), and the same from its panels."""
    n = len(codes)
    panels = codes.panels.reshape(-1, n, bins.width)
    by_column = np.array([codes.columns[p] if p >= 0 else codes.wide[~p] for p in bins.place]).T
    by_panel = np.array(
        [panels[p // bins.width, :, p % bins.width] if p >= 0 else codes.wide[~p] for p in bins.place]
    ).T
    return by_column, by_panel


@pytest.mark.parametrize("max_bins", [2, 5, 16, 255])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("load", [load_breast_cancer, load_diabetes, load_wine])
def test_thresholds_are_scikit_learns(load, weighted, max_bins):
    X, y = load(return_X_y=True)
    w = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    bins = find_bins(X, np.zeros(X.shape[1], int), max_bins, w)
    for j in range(X.shape[1]):
        peer = _find_binning_thresholds(X[:, j], max_bins, w)
        assert_allclose(bins.thresholds[j, : len(peer)], peer, rtol=1e-14)
        assert np.isinf(bins.thresholds[j, len(peer) :]).all()


@pytest.mark.parametrize("d", [1, 3, 7, 20, 40, 70])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_codes_are_those_of_the_book(d, dtype):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(700, d)).round(rng.integers(0, 4)).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    categories = np.zeros(d, int)
    for j in range(0, d, 3):
        categories[j] = [3, 200, 600][j % 3]
        X[:, j] = np.where(np.isnan(X[:, j]), np.nan, rng.integers(0, categories[j], len(X)))
    bins = find_bins(X, categories, 100)
    expected = codes_by_the_book(bins, X)
    codes = bins.codes(X)
    for found in codes_in_columns(bins, codes):
        assert_array_equal(found, expected)
    assert_array_equal(codes.missing, np.isnan(X).any(axis=0))


@settings(max_examples=60, deadline=None)
@given(
    x=st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=1, max_size=80),
    max_bins=st.integers(2, 255),
)
def test_codes_keep_the_order_of_values(x, max_bins):
    X = np.array(x)[:, None]
    bins = find_bins(X, np.zeros(1, int), max_bins)
    codes = bins.codes(X).columns[0].astype(int)
    assert codes.max() <= bins.bins[0] <= max_bins
    there = ~np.isnan(X[:, 0])
    assert (codes[~there] == bins.bins[0]).all()
    order = np.argsort(X[there, 0])
    assert (np.diff(codes[there][order]) >= 0).all()


def test_few_distinct_values_each_have_a_bin():
    X = np.repeat(np.arange(255.0), 2)[:, None]
    bins = find_bins(X, np.zeros(1, int), 255)
    assert_array_equal(bins.codes(X).columns[0], X[:, 0])


def test_constant_and_empty_columns_have_one_bin():
    X = np.column_stack([np.ones(5), np.full(5, np.nan)])
    bins = find_bins(X, np.zeros(2, int), 255)
    assert_array_equal(bins.bins, [1, 1])
    assert_array_equal(bins.codes(X).columns, [[0] * 5, [1] * 5])


def test_rare_categories_share_a_bin_only_when_there_are_many():
    few = np.arange(20.0)[:, None]  # 20 categories of one row each
    assert_array_equal(find_bins(few, np.array([20]), 255).bin_of, np.arange(20))
    rng = np.random.default_rng(0)
    often, rare = np.repeat(np.arange(300.0), 10), np.arange(300.0, 350.0)
    X = rng.permutation(np.concatenate([often, rare]))[:, None]
    bins = find_bins(X, np.array([350]), 255)
    assert bins.bins[0] == 301
    assert_array_equal(bins.bin_of, [*range(300), *[300] * 50])
    assert bins.place[0] == ~0  # more than a byte holds


def test_many_rows_are_sampled_by_the_seed():
    X = np.random.default_rng(0).normal(size=(200_001, 1))
    one, same, other = (find_bins(X, np.zeros(1, int), 255, seed=s).thresholds for s in (1, 1, 2))
    assert_array_equal(one, same)
    assert not np.array_equal(one, other)
    assert_allclose(one[0, :254], np.quantile(X[:, 0], np.arange(1, 255) / 255), atol=0.05)
