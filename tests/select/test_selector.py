"""Selectors keep columns as they are, whatever kind of table it is."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from assay.errors import DataError, SchemaError
from assay.select.selector import Selector
from assay.tables import Table


class KeepsSome(Selector):
    """Keeps the columns whose numbers it is given."""

    def __init__(self, columns=(0,)):
        self.columns = columns

    def _choose(self, table, target, weights):
        return np.isin(np.arange(table.shape[1]), self.columns)


class ByClasses(Selector):
    _target_of = "classes"

    def _choose(self, table, target, weights):
        assert set(target.tolist()) == {0, 1}
        return np.ones(table.shape[1], dtype=bool)


FRAME = pd.DataFrame(
    {
        "age": [31, 45, 28],
        "city": ["Ulm", "Bonn", None],
        "when": pd.to_datetime(["2020-01-01"] * 3),
        "x": [1.5, None, 2.0],
    },
    index=["a", "b", "c"],
)


def test_a_frame_stays_a_frame_with_its_types_and_index():
    kept = KeepsSome((0, 1, 3)).fit(FRAME).transform(FRAME)
    pd.testing.assert_frame_equal(kept, FRAME[["age", "city", "x"]])


def test_columns_of_a_frame_are_matched_by_name():
    selector = KeepsSome((0, 3)).fit(FRAME)
    pd.testing.assert_frame_equal(
        selector.transform(FRAME[["x", "when", "city", "age"]]), FRAME[["age", "x"]]
    )
    with pytest.raises(SchemaError, match="missing: x"):
        selector.transform(FRAME[["age", "city", "when"]])


@pytest.mark.parametrize("make", [pl.from_pandas, lambda f: pa.Table.from_pandas(f, preserve_index=False)])
def test_frames_of_other_libraries_stay_what_they_are(make):
    frame = make(FRAME.reset_index(drop=True))
    kept = KeepsSome((1, 3)).fit(frame).transform(frame)
    assert type(kept) is type(frame)
    assert kept.equals(frame.select(["city", "x"]))


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_an_array_keeps_its_type(dtype):
    X = np.arange(12).reshape(4, 3).astype(dtype)
    kept = KeepsSome((0, 2)).fit(X).transform(X)
    assert kept.dtype == dtype
    np.testing.assert_array_equal(kept, X[:, [0, 2]])
    assert not np.shares_memory(KeepsSome((0, 1, 2)).fit(X).transform(X), X)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_sparse_stays_sparse_and_comes_back(make):
    X = np.array([[1.0, 0.0, 3.0], [0.0, 2.0, 0.0]])
    selector = KeepsSome((0, 2)).fit(make(X))
    kept = selector.transform(make(X))
    assert sparse.issparse(kept)
    np.testing.assert_array_equal(kept.toarray(), X[:, [0, 2]])
    back = selector.inverse_transform(kept)
    assert sparse.issparse(back)
    np.testing.assert_array_equal(back.toarray(), X * [1, 0, 1])


def test_tables_dicts_and_lists():
    table = Table.of({"age": [1.0, 2.0], "taste": ["sweet", "sour"]})
    assert KeepsSome((1,)).fit(table).transform(table).schema.names == ["taste"]
    columns = {"age": [1.0, 2.0], "taste": ["sweet", "sour"]}
    assert KeepsSome((1,)).fit(columns).transform(columns) == {"taste": ["sweet", "sour"]}
    np.testing.assert_array_equal(KeepsSome((1,)).fit([[1, 2], [3, 4]]).transform([[1, 2]]), [[2]])


def test_inverse_transform_puts_zeros_where_columns_were_removed():
    selector = KeepsSome((1,)).fit([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(selector.inverse_transform([[7.0]]), [[0.0, 7.0, 0.0]])
    with pytest.raises(DataError, match="different shape than during fitting: 2 columns, and 1 were kept"):
        selector.inverse_transform([[7.0, 8.0]])


def test_inverse_transform_of_a_frame_is_a_frame_with_zeros_and_missing_categories():
    selector = KeepsSome((3,)).fit(FRAME)
    back = selector.inverse_transform(selector.transform(FRAME))
    assert list(back.columns) == list(FRAME.columns)
    pd.testing.assert_series_equal(back["x"], FRAME["x"])
    assert back["city"].isna().all() and (back["age"] == 0).all()


def test_names_support_and_reasons():
    selector = KeepsSome((0, 3)).fit(FRAME)
    assert selector.selected_ == ["age", "x"] == selector.get_feature_names_out().tolist()
    np.testing.assert_array_equal(selector.get_support(), [True, False, False, True])
    np.testing.assert_array_equal(selector.get_support(indices=True), [0, 3])
    assert selector.reasons()[1] == {"column": "city", "kept": False, "why": "removed"}
    assert "Columns: 2 of 4 kept" in str(selector.show())
    unnamed = KeepsSome((1,)).fit([[1.0, 2.0]])
    assert unnamed.get_feature_names_out(["a", "b"]).tolist() == ["b"]
    assert unnamed.get_feature_names_out().tolist() == ["x1"]


def test_no_column_is_a_warning_and_an_empty_table():
    selector = KeepsSome(()).fit(FRAME)
    with pytest.warns(UserWarning, match="No features were selected"):
        kept = selector.transform(FRAME)
    assert kept.shape == (3, 0) and list(kept.index) == ["a", "b", "c"]


def test_a_target_is_read_where_the_author_asks_for_it():
    selector = ByClasses().fit([[1.0], [2.0]], ["no", "yes"])
    assert selector.classes_.tolist() == ["no", "yes"]
    with pytest.raises(DataError, match="target y is None"):
        ByClasses().fit([[1.0], [2.0]])
