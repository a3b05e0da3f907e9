"""The form that went in is the form that comes out."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.prepare.as_given import as_given
from assay.tables import Column, Schema, Table

COLUMNS = {"v": [1.0, 2.0], "c": ["x", "y"]}


def doubled(old):
    return Table(old.values * [2, 1], old.schema)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_stay_frames_of_their_library(make):
    frame = make(COLUMNS)
    old = Table.of(frame)
    new = as_given(frame, old, doubled(old))
    assert type(new) is type(frame)
    assert np.asarray(new["v"]).tolist() == [2.0, 4.0]
    assert [str(v) for v in new["c"]] == ["x", "y"]


def test_arrays_lists_mappings_and_tables():
    X = np.array([[1.0, 2.0]])
    old = Table.of(X)
    assert as_given(X, old, doubled(old)).tolist() == [[2.0, 2.0]]
    assert as_given(X.tolist(), old, doubled(old)).tolist() == [[2.0, 2.0]]
    assert as_given(old, old, doubled(old)).values.tolist() == [[2.0, 2.0]]
    mixed = Table.of(COLUMNS)
    assert as_given(COLUMNS, mixed, doubled(mixed)) == {"v": [2.0, 4.0], "c": ["x", "y"]}
    block = np.array([[1.0, "x"], [2.0, "y"]], dtype=object)
    coded = Table.of(block)
    assert as_given(block, coded, doubled(coded)).tolist() == [[2.0, "x"], [4.0, "y"]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"c": pd.Categorical(["b", "a"], ["b", "a"], ordered=True)}),
        pd.DataFrame({"c": pd.Series(["b", "a"], dtype=object)}),
        pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"]))}),
        pa.table({"c": pa.array(["b", "a"]).dictionary_encode()}),
    ],
    ids=["ordered", "object", "categorical", "enum", "dictionary"],
)
def test_changed_categories_stay_categories(frame):
    old = Table.of(frame)
    new = as_given(frame, old, Table(old.values[::-1].copy(), old.schema))
    assert [str(v) for v in new["c"]] == ["a", "b"]
    before, after = Table.of(frame).schema["c"], Table.of(new).schema["c"]
    assert after.kind == before.kind
    assert set(after.categories) == set(before.categories)


def test_a_new_category_joins_the_old_ones():
    for frame in (
        pd.DataFrame({"c": pd.Categorical(["b", "a"])}),
        pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"]))}),
    ):
        old = Table.of(frame)
        wider = Schema([Column("c", "nominal", (*old.schema["c"].categories, "none"))])
        new = as_given(frame, old, Table(np.array([[2.0], [0.0]]), wider))
        assert list(new["c"]) == ["none", "a"]


def test_missing_values_stay_missing_values():
    frame = pl.DataFrame({"v": [1.0, None], "c": ["x", None], "d": ["y", "x"]})
    old = Table.of(frame)
    new = as_given(frame, old, Table(old.values[::-1].copy(), old.schema, complete=False))
    assert new["c"].to_list() == [None, "x"]
    assert new["d"].to_list() == ["x", "y"]
    assert np.isnan(new["v"][0])


def test_an_index_is_kept_even_if_it_repeats():
    frame = pd.DataFrame(COLUMNS, index=["r", "r"])
    old = Table.of(frame)
    new = as_given(frame, old, doubled(old))
    assert new.index.tolist() == ["r", "r"]
    assert new["v"].tolist() == [2.0, 4.0]


def test_a_frame_after_an_array_keeps_its_own_names():
    old_schema = Table.of(np.ones((2, 2))).schema
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    old = Table.like(frame, old_schema)
    new = as_given(frame, old, doubled(old))
    assert list(new.columns) == ["a", "b"]
    assert new["a"].tolist() == [2.0, 4.0]


def test_a_sparse_matrix_of_keys_is_no_dict_of_columns():
    from scipy.sparse import dok_array, dok_matrix, issparse

    from assay.prepare import StandardScaler

    for form in (dok_matrix, dok_array):
        X = form(np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]))
        assert issparse(StandardScaler(with_mean=False).fit(X).transform(X))
