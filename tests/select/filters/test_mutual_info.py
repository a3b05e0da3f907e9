"""Mutual information: the native neighbour counts against plain loops, parity with scikit-learn, missing values."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import feature_selection
from sklearn.datasets import load_diabetes, load_wine

import assay.select.filters._mutual_info as _mutual_info
from assay.errors import ParameterError
from assay.select import mutual_info_classif, mutual_info_regression
from assay.select.filters.mutual_info import information

NO_WEIGHTS = np.empty(0)


def within(gaps, radius, w):
    """The weight of the rows nearer than the radius, and of those at distance 0."""
    return float(w[(gaps < radius) | (gaps == 0)].sum())


def kth(gaps, w, k, own):
    """The distance at which the weights of the others, nearest first, reach k; the row's own copies are at 0."""
    gaps, w = np.append(gaps, 0.0), np.append(w, own - 1)
    order = np.argsort(gaps, kind="stable")
    reached = np.cumsum(w[order]) >= k - 1e-9
    return gaps[order][np.argmax(reached)] if k > 0 else 0.0


def line_by_the_book(x, group, w, k):
    counts = np.empty((2, len(x)))
    for i in range(len(x)):
        others = (group == group[i]) & (np.arange(len(x)) != i)
        radius = kth(np.abs(x[others] - x[i]), w[others], k[group[i]], w[i])
        gaps, same = np.abs(x - x[i]), group == group[i]
        counts[:, i] = within(gaps, radius, w), within(gaps[same], radius, w[same])
    return counts


def plane_by_the_book(x, y, w, k):
    counts = np.empty((3, len(x)))
    for i in range(len(x)):
        others = np.arange(len(x)) != i
        dx, dy = np.abs(x - x[i]), np.abs(y - y[i])
        radius = kth(np.maximum(dx, dy)[others], w[others], k, w[i])
        alike = within(np.maximum(dx, dy), radius, w) if radius > 0 else 0
        counts[:, i] = within(dx, radius, w), within(dy, radius, w), alike
    return counts


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_native_counts_are_those_of_plain_loops(weighted, ties):
    rng = np.random.default_rng(5)
    for n in (6, 40, 150):
        x, y = rng.normal(size=(2, n))
        x, y = (np.round(x, 1), np.round(y, 1)) if ties else (x, y)
        group = rng.integers(0, 3, n)
        group[:6] = [0, 0, 1, 1, 2, 2]
        w = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        given, order = w if weighted else NO_WEIGHTS, np.argsort(x, kind="stable")
        k = np.minimum(3.0, np.bincount(group, w) - 1)
        count, alike = np.empty((2, n))
        _mutual_info.on_a_line(x=x, order=order, group=group, w=given, k=k, count=count, alike=alike)
        assert_array_equal([count, alike], line_by_the_book(x, group, w, k)[:, order])
        m, l, alike = np.empty((3, n))
        by_y = np.argsort(y, kind="stable")
        _mutual_info.in_a_plane(
            x=x, y=y, by_x=order, by_y=by_y, w=given, k=3.0, x_count=m, y_count=l, alike=alike
        )
        assert_array_equal([m, l, alike], plane_by_the_book(x, y, w, 3.0))


@pytest.mark.parametrize("k", [1, 3, 7])
def test_same_estimates_as_scikit_learn(k):
    """Peer: scikit-learn 1.9 with the same seed, so with the same noise: the same counts, up to rounding of means."""
    X, y = load_wine(return_X_y=True)
    kinds = np.round(X[:, 0])
    X = np.column_stack([X[:, :5], kinds])
    options = {"discrete_features": [5], "n_neighbors": k, "random_state": 3}
    ours = mutual_info_classif(X, y, **options)
    assert_allclose(ours, feature_selection.mutual_info_classif(X, y, **options), rtol=1e-10, atol=1e-13)
    X, y = load_diabetes(return_X_y=True)
    options = {"discrete_features": [1], "n_neighbors": k, "random_state": 3}
    ours = mutual_info_regression(X, y, **options)
    assert_allclose(ours, feature_selection.mutual_info_regression(X, y, **options), rtol=1e-10, atol=1e-13)


def test_equal_numbers_without_noise_are_categories():
    """Where every number has many copies, the estimator is that of counts, up to its digamma in place of logarithms."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 3, 3000)
    y = np.where(rng.random(3000) < 0.6, x, rng.integers(0, 3, 3000))
    exact = information(x, y, True, True)
    assert_allclose(information(x.astype(float), y, False, True), exact, atol=2e-3)
    assert_allclose(information(x.astype(float), y.astype(float), False, False), exact, atol=2e-3)


@pytest.mark.parametrize("decimals", [0, 1, 2])
def test_rounded_noise_tells_nothing(decimals):
    """Rows of rounded numbers share their distances; counting k where fewer are nearer made noise look informative."""
    rng = np.random.default_rng(0)
    columns = rng.normal(size=(20, 300)).round(decimals)
    classes, numbers = rng.integers(0, 2, 300), rng.normal(size=300).round(decimals)
    assert np.mean([information(x, classes, False, True) for x in columns]) < 0.03
    assert np.mean([information(x, numbers, False, False) for x in columns]) < 0.08
    of_one_class = [information(x, np.zeros(300, int), False, True) for x in columns]
    assert_allclose(of_one_class, 0.0, atol=1e-13)


def test_of_two_gaussians_as_theory_says():
    rng = np.random.default_rng(0)
    x, e = rng.normal(size=(2, 5000))
    y = 0.8 * x + 0.6 * e
    assert_allclose(information(x, y, False, False), -0.5 * np.log(1 - 0.64), atol=0.03)


def test_missing_values_tell_by_the_chain_rule():
    y = np.arange(200) % 2
    gone = pd.DataFrame({"gone with the class": np.where(y == 1, np.nan, np.linspace(0, 1, 200))})
    assert_allclose(mutual_info_classif(gone, y, random_state=0), np.log(2), atol=1e-12)
    x = np.random.default_rng(0).normal(size=200) + y
    x[:40] = np.nan
    known = slice(40, None)
    expected = 0.8 * mutual_info_classif(x[known, None], y[known], random_state=0)
    assert_allclose(mutual_info_classif(x[:, None], y, random_state=0), expected, atol=0.02)


def test_nominal_columns_and_threads():
    frame = pd.DataFrame({"a": list("uvwuvw") * 20, "b": np.random.default_rng(0).normal(size=120)})
    y = np.arange(120) % 3
    one, two = (mutual_info_classif(frame, y, random_state=0, n_jobs=n) for n in (1, 2))
    assert_array_equal(one, two)
    assert_allclose(one[0], np.log(3))
    with pytest.raises(ParameterError, match="n_neighbors must be a whole number"):
        mutual_info_classif(frame, y, n_neighbors=0)
