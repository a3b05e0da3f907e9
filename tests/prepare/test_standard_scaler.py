"""StandardScaler: z-normalisation as a sum, on tables with missing values and categories."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import random as sparse_random
from sklearn.preprocessing import StandardScaler as Peer
from sklearn.utils.estimator_checks import parametrize_with_checks

from assay.errors import DataError
from assay.prepare import StandardScaler
from assay.tables.data import (
    load_apples,
    load_breast_cancer,
    load_digits,
    load_german_credit,
    load_iris,
    load_wine,
)

# C3, common set-up: rows 236 and 106 after standardisation on all 569 rows, the first eight of 30 columns.
ROW_236 = [2.57961809, 1.78726935, 2.53447284, 2.88707955, -0.09040012, 1.21022282, 1.33334652, 1.92889603]
ROW_106 = [
    -0.70642616,
    -0.22331665,
    -0.69195555,
    -0.68937948,
    1.26957147,
    -0.05005056,
    -0.22723639,
    -0.3628993,
]


@parametrize_with_checks([StandardScaler(with_mean=False)])
def test_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.capability("IML-5-09")
def test_zero_mean_and_unit_variance():
    data = load_breast_cancer()
    Z = StandardScaler().fit_transform(data.X).values
    assert_allclose(Z.mean(axis=0), 0, atol=1e-12)
    assert_allclose(Z.var(axis=0), 1, rtol=1e-12)
    assert_allclose(Z[236, :8], ROW_236, atol=5e-9)
    assert_allclose(Z[106, :8], ROW_106, atol=5e-9)


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer, load_digits])
@pytest.mark.parametrize(
    ("with_mean", "with_std"), [(True, True), (True, False), (False, True), (False, False)]
)
def test_same_numbers_as_scikit_learn(load, with_mean, with_std):
    """Peer: StandardScaler, scikit-learn 1.9; digits has constant columns."""
    X = load().X.values
    w = np.random.default_rng(0).integers(0, 3, len(X)).astype(float)
    for weights in (None, w):
        ours = StandardScaler(with_mean=with_mean, with_std=with_std).fit(X, sample_weight=weights)
        peer = Peer(with_mean=with_mean, with_std=with_std).fit(X, sample_weight=weights)
        assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-12, atol=1e-12)
        assert_allclose(ours.inverse_transform(ours.transform(X)), X, rtol=1e-12, atol=1e-12)
        for name in ("mean_", "var_", "scale_"):
            a, b = getattr(ours, name), getattr(peer, name)
            assert (a is None) == (b is None)
            if b is not None:
                assert_allclose(a, b, rtol=1e-12, atol=1e-14)
        if with_mean or with_std:  # without either the peer counts rows and forgets their weights
            assert ours.n_samples_seen_ == peer.n_samples_seen_


def test_missing_values_count_as_in_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(3, 2, (200, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    ours, peer = StandardScaler().fit(X), Peer().fit(X)
    assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-12)
    assert_array_equal(ours.n_samples_seen_, peer.n_samples_seen_)


def test_float32_stays_float32():
    X = load_wine().X.values.astype(np.float32)
    Z = StandardScaler().fit_transform(X)
    assert Z.dtype == np.float32
    assert_allclose(Z, Peer().fit_transform(X), atol=1e-5)


@given(
    seed=st.integers(0, 10**6), cuts=st.lists(st.integers(1, 99), max_size=4), shift=st.sampled_from([0, 1e6])
)
@settings(max_examples=25, deadline=None)
def test_blocks_in_any_order_give_the_same_numbers(seed, cuts, shift):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(100, 3)) + shift
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.random(100) + 0.1
    whole = StandardScaler().fit(X, sample_weight=w)
    parts = [p for p in np.split(np.arange(100), sorted(cuts)) if len(p)]
    rng.shuffle(parts)
    partial = StandardScaler()
    for rows in parts:
        partial.partial_fit(X[rows], sample_weight=w[rows])
    streamed = StandardScaler().fit_blocks([(X[rows], None, w[rows]) for rows in parts])
    for other in (partial, streamed):
        assert_allclose(other.mean_, whole.mean_, rtol=1e-12, atol=1e-10)
        assert_allclose(other.scale_, whole.scale_, rtol=1e-9)
        assert_allclose(other.n_samples_seen_, whole.n_samples_seen_, rtol=1e-12)


def test_a_constant_column_is_moved_and_not_scaled():
    X = np.column_stack([np.full(1000, 0.1), np.full(1000, 1e9), np.arange(1000.0)])
    scaler = StandardScaler().fit(X)
    assert_array_equal(scaler.scale_[:2], [1.0, 1.0])
    assert_allclose(scaler.transform(X)[:, :2], 0, atol=1e-6)
    assert_allclose(scaler.scale_[2], Peer().fit(X).scale_[2], rtol=1e-12)


def test_a_column_of_missing_values_stays_one():
    scaler = StandardScaler().fit([[1.0, None], [3.0, None]])
    assert np.isnan(scaler.mean_[1])
    assert_array_equal(scaler.transform([[3.0, 7.0]]), [[1.0, np.nan]])
    assert_array_equal(scaler.n_samples_seen_, [2, 0])


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_mixed_frame_keeps_its_categories(library):
    data = load_apples()
    frame = data.frame(library)
    Z = StandardScaler().fit(frame).transform(frame)
    assert type(Z) is type(frame)
    assert list(Z.columns if library != "pyarrow" else Z.column_names) == [*data.feature_names, "variety"]
    weight = np.asarray(Z["weight"])
    assert_allclose(weight, (data.X.values[:, 3] - 203) / np.std(data.X.values[:, 3]), rtol=1e-12)
    for name in ("colour", "variety"):
        before, after = frame[name], Z[name]
        assert after.dtype == before.dtype if library != "pyarrow" else after.type == before.type
        assert list(after) == list(before)
    back = StandardScaler().fit(frame).inverse_transform(Z)
    assert_allclose(np.asarray(back["weight"]), data.X.values[:, 3], rtol=1e-12)


def test_an_unseen_category_passes_untouched_and_without_a_warning():
    scaler = StandardScaler().fit(pd.DataFrame({"a": [1.0, 3.0], "c": ["x", "y"]}))
    Z = scaler.transform(pd.DataFrame({"c": ["z", "x"], "a": [3.0, 1.0]}, index=[7, 9]))
    assert list(Z.columns) == ["a", "c"]
    assert Z["c"].tolist() == ["z", "x"]
    assert Z["a"].tolist() == [1.0, -1.0]
    assert Z.index.tolist() == [7, 9]


def test_new_categories_may_come_in_later_blocks():
    scaler = StandardScaler()
    scaler.partial_fit(pl.DataFrame({"a": [1.0, 3.0], "c": ["x", "y"]}))
    scaler.partial_fit(pl.DataFrame({"a": [5.0], "c": ["b"]}))
    assert scaler.mean_[0] == 3.0


def test_text_targets_are_ignored():
    X, y = load_apples()
    scaler = StandardScaler().fit(X, y)
    again = StandardScaler().partial_fit(X, y)
    assert_array_equal(scaler.mean_, again.mean_)
    blocks = StandardScaler().fit_blocks([load_apples().frame("pandas")], target="variety")
    assert_array_equal(scaler.mean_, blocks.mean_)


def test_copy_false_writes_into_the_array():
    X = load_wine().X.values
    expected = Peer().fit_transform(X)
    scaler = StandardScaler(copy=False).fit(X)
    assert scaler.transform(X) is X
    assert_allclose(X, expected, rtol=1e-10, atol=1e-12)
    frame = load_apples().frame("pandas", target=False)
    kept = frame.copy()
    StandardScaler(copy=False).fit_transform(frame)
    pd.testing.assert_frame_equal(frame, kept)


def test_dask_gives_the_same_numbers():
    da = pytest.importorskip("dask.array", reason="Dask is an extra")
    X = load_wine().X.values
    scaler = StandardScaler().fit(da.from_array(X, chunks=(50, 13)))
    assert_allclose(scaler.mean_, X.mean(axis=0), rtol=1e-12)
    assert_allclose(scaler.var_, X.var(axis=0), rtol=1e-12)


def test_german_credit_goes_through_with_its_thirteen_nominal_columns():
    X = load_german_credit().X
    Z = StandardScaler().fit_transform(X)
    coded = X.schema.coded
    assert_array_equal(Z.values[:, coded], X.values[:, coded])
    assert_allclose(Z.values[:, ~coded].std(axis=0), 1, rtol=1e-12)


@given(seed=st.integers(0, 10**6), weighted=st.booleans(), with_std=st.booleans())
@settings(max_examples=25, deadline=None)
def test_sparse_matrices_are_scaled_as_in_scikit_learn(seed, weighted, with_std):
    """Peer: StandardScaler, scikit-learn 1.9; stored NaN are missing, all else that is not stored is 0."""
    rng = np.random.default_rng(seed)
    X = sparse_random(60, 5, density=0.3, rng=rng, format="csr")
    X.data[rng.random(len(X.data)) < 0.1] = np.nan
    w = rng.random(60) + 0.1 if weighted else None
    ours = StandardScaler(with_mean=False, with_std=with_std).fit(X, sample_weight=w)
    peer = Peer(with_mean=False, with_std=with_std).fit(X, sample_weight=w)
    Z = ours.transform(X)
    assert Z.format == "csr"
    assert_allclose(Z.toarray(), peer.transform(X).toarray(), rtol=1e-10)
    assert_allclose(ours.inverse_transform(Z).toarray(), X.toarray(), rtol=1e-12)
    if with_std:
        assert_allclose(ours.mean_, np.nan_to_num(peer.mean_), rtol=1e-12, atol=1e-15)
    dense = StandardScaler(with_mean=False, with_std=with_std).fit(X.toarray(), sample_weight=w)
    assert_allclose(dense.transform(X.toarray()), Z.toarray(), rtol=1e-10)
    parts = StandardScaler(with_mean=False, with_std=with_std)
    for rows in (slice(40, 60), slice(0, 40)):
        parts.partial_fit(X[rows], sample_weight=None if w is None else w[rows])
    assert_allclose(parts.transform(X).toarray(), Z.toarray(), rtol=1e-10)


def test_sparse_matrices_are_not_centred():
    X = sparse_random(5, 3, density=0.5, rng=np.random.default_rng(0), format="csc")
    with pytest.raises(DataError, match="Cannot center sparse matrices"):
        StandardScaler().fit(X)
    assert StandardScaler(with_mean=False).fit(X).transform(X).shape == (5, 3)


def test_set_output_gives_the_frame_that_was_asked_for():
    Z = StandardScaler().set_output(transform="pandas").fit_transform(load_wine().X.values)
    assert isinstance(Z, pd.DataFrame)
    assert list(Z.columns[:2]) == ["x0", "x1"]


def test_a_single_transform_may_overwrite_its_rows():
    X = np.array([[1.0, 2.0], [3.0, 6.0]])
    scaler, expected = StandardScaler().fit(X), StandardScaler().fit_transform(X)
    assert_allclose(scaler.transform(X, copy=True), expected)
    assert X[0, 0] == 1.0
    kept = scaler.transform(X, copy=False)
    assert_allclose(kept, expected)
    assert_allclose(X, expected)
    assert_allclose(scaler.inverse_transform(kept, copy=False), [[1.0, 2.0], [3.0, 6.0]])


def test_numbers_whose_squares_overflow_are_refused_by_column():
    X = np.array([[1.0, 1e300], [2.0, -1e300], [4.0, 3e299]])
    with pytest.raises(DataError, match=r"^StandardScaler: column x1 has numbers too large to be squared\."):
        StandardScaler().fit(X)
    assert_allclose(StandardScaler(with_std=False).fit_transform(X)[:, 1], X[:, 1] - X[:, 1].mean())


def test_a_constant_column_of_huge_numbers_becomes_zeros():
    assert_array_equal(StandardScaler().fit_transform(np.full((4, 1), 1e290)), np.zeros((4, 1)))
