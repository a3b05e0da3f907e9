"""MissingIndicator: where values are missing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix, issparse
from sklearn.impute import MissingIndicator as Peer

from assay.errors import DataError
from assay.prepare import MissingIndicator
from assay.tables.data import load_breast_cancer_ljubljana


@pytest.mark.capability("IML-5-05")
def test_indicators_equal_the_mask():
    data = load_breast_cancer_ljubljana()
    mask = np.isnan(data.X.values)
    every = MissingIndicator(features="all").fit(data.X)
    assert_array_equal(every.transform(data.X), mask)
    some = MissingIndicator().fit(data.X)
    assert_array_equal(some.transform(data.X), mask[:, mask.any(axis=0)])
    assert some.get_feature_names_out().tolist() == [
        "missingindicator_node-caps",
        "missingindicator_breast-quad",
    ]


@pytest.mark.parametrize("features", ["missing-only", "all"])
@pytest.mark.parametrize("sparse", ["auto", True, False])
def test_same_mask_as_scikit_learn(features, sparse):
    """Peer: MissingIndicator, scikit-learn 1.9."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 5))
    X[:, 1:4][rng.random((40, 3)) < 0.3] = np.nan
    ours = MissingIndicator(features=features, sparse=sparse).fit(X)
    peer = Peer(features=features, sparse=sparse).fit(X)
    a, b = ours.transform(X), peer.transform(X)
    assert type(a) is type(b) or sparse is True
    assert_array_equal(a.toarray() if sparse is True else a, b.toarray() if sparse is True else b)
    assert_array_equal(ours.features_, peer.features_)


def test_a_new_missing_value_is_an_error_unless_allowed():
    X = np.array([[1.0, np.nan], [2.0, 3.0]])
    new = np.array([[np.nan, 1.0]])
    with pytest.raises(DataError, match=r"features \[x0\] have missing values in transform"):
        MissingIndicator().fit(X).transform(new)
    assert MissingIndicator(error_on_new=False).fit(X).transform(new).tolist() == [[False]]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_gives_a_frame_of_truths(make):
    frame = make({"age": [1.0, None], "job": ["x", "?"], "full": [1, 2]})
    mask = MissingIndicator(missing_values="?").fit_transform(frame)
    assert type(mask) is type(frame)
    assert list(mask.columns) == ["missingindicator_age", "missingindicator_job"]
    assert mask["missingindicator_age"].to_list() == [False, True]
    assert mask["missingindicator_job"].to_list() == [False, True]


def test_blocks_add_up():
    X = np.array([[1.0, 2.0, np.nan], [np.nan, 5.0, 1.0]])
    parts = MissingIndicator().partial_fit(X[:1]).partial_fit(X[1:])
    assert parts.features_.tolist() == [0, 2]


def test_a_frame_without_missing_values_gives_a_frame_without_columns():
    frame = pd.DataFrame({"v": [1.0, 2.0]}, index=["a", "b"])
    mask = MissingIndicator().fit_transform(frame)
    assert mask.shape == (2, 0)
    assert mask.index.tolist() == ["a", "b"]


def test_columns_may_have_numbers_for_names():
    mask = MissingIndicator().fit_transform(pd.DataFrame([[1.0, None], [2.0, 3.0]]))
    assert list(mask.columns) == ["missingindicator_1"]
    assert mask["missingindicator_1"].tolist() == [True, False]


@pytest.mark.parametrize("missing", [np.nan, -1.0])
@pytest.mark.parametrize("features", ["missing-only", "all"])
def test_a_sparse_table_has_the_indicators_of_the_dense_one(features, missing):
    X = np.array([[0.0, missing, 2.0], [1.0, 0.0, 0.0], [missing, 3.0, 0.0]])
    dense = MissingIndicator(missing_values=missing, features=features).fit_transform(X)
    sparse = MissingIndicator(missing_values=missing, features=features).fit_transform(csr_matrix(X))
    assert issparse(sparse) and sparse.dtype == bool
    assert_array_equal(sparse.toarray(), dense)
    full = MissingIndicator(missing_values=missing, features=features, sparse=False).fit_transform(
        csr_matrix(X)
    )
    assert_array_equal(full, dense)
