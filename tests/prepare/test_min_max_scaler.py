"""MinMaxScaler: every column in the same interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import MinMaxScaler as Peer

from assay.errors import ParameterError
from assay.prepare import MinMaxScaler
from assay.tables.data import load_apples, load_breast_cancer, load_digits, load_iris


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_digits])
@pytest.mark.parametrize(("feature_range", "clip"), [((0, 1), False), ((-2, 3), True)])
def test_same_numbers_as_scikit_learn(load, feature_range, clip):
    """Peer: MinMaxScaler, scikit-learn 1.9; fitted on half of the rows, so that some lie beyond."""
    X = load().X.values
    ours = MinMaxScaler(feature_range, clip=clip).fit(X[::2])
    peer = Peer(feature_range, clip=clip).fit(X[::2])
    assert_allclose(ours.transform(X), peer.transform(X), rtol=1e-12, atol=1e-12)
    assert_allclose(ours.inverse_transform(X), peer.inverse_transform(X), rtol=1e-12)
    for name in ("min_", "scale_", "data_min_", "data_max_", "data_range_", "n_samples_seen_"):
        assert_allclose(getattr(ours, name), getattr(peer, name), rtol=1e-12)


def test_missing_values_pass_as_in_scikit_learn():
    rng = np.random.default_rng(1)
    X = rng.normal(3, 2, (200, 4))
    X[rng.random(X.shape) < 0.2] = np.nan
    assert_allclose(MinMaxScaler().fit_transform(X), Peer().fit_transform(X), rtol=1e-12, atol=1e-15)


@given(seed=st.integers(0, 10**6), cut=st.integers(1, 49))
@settings(max_examples=25, deadline=None)
def test_training_rows_fill_the_interval_and_blocks_add_up(seed, cut):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    whole = MinMaxScaler((1, 5)).fit(X)
    Z = whole.transform(X)
    assert_allclose(np.nanmin(Z, axis=0), 1, rtol=1e-12)
    assert_allclose(np.nanmax(Z, axis=0), 5, rtol=1e-12)
    parts = MinMaxScaler((1, 5)).partial_fit(X[cut:]).partial_fit(X[:cut])
    assert_array_equal(parts.data_min_, whole.data_min_)
    assert_array_equal(parts.scale_, whole.scale_)
    assert parts.n_samples_seen_ == 50


def test_a_row_of_weight_zero_is_not_there():
    scaler = MinMaxScaler().fit([[0.0], [1.0], [100.0]], sample_weight=[1, 1, 0])
    assert scaler.data_max_.tolist() == [1.0]


def test_a_constant_column_becomes_the_lower_end():
    assert MinMaxScaler((2, 3)).fit_transform([[7.0], [7.0]]).tolist() == [[2.0], [2.0]]


def test_a_column_of_missing_values_stays_one():
    Z = MinMaxScaler().fit([[1.0, None], [3.0, None]]).transform([[2.0, 5.0]])
    assert_array_equal(Z, [[0.5, np.nan]])


def test_clipping_leaves_categories_alone():
    X = load_apples().X
    Z = MinMaxScaler(clip=True).fit(X).transform(X)
    assert_array_equal(Z.values[:, :3], X.values[:, :3])
    assert_allclose([Z.values[:, 3].min(), Z.values[:, 3].max()], [0, 1], atol=1e-15)


@pytest.mark.parametrize("wrong", [(1, 0), (1, 1)])
def test_a_range_must_ascend(wrong):
    with pytest.raises(ParameterError, match="Minimum of desired feature range must be smaller"):
        MinMaxScaler(wrong).fit([[1.0], [2.0]])


@pytest.mark.parametrize("wrong", [(1, 2, 3), 5, "ab", None])
def test_a_range_is_two_numbers(wrong):
    with pytest.raises(ParameterError, match="feature_range must be two numbers"):
        MinMaxScaler(wrong).fit([[1.0], [2.0]])
