"""Tables as frames of three libraries."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix

from assay.errors import SchemaError
from assay.tables import Column, Schema, Table
from assay.tables.frames import to_frame

MIXED = Table(
    np.array([[1.5, 0.0, 18262.0, 2.0], [np.nan, np.nan, np.nan, np.nan], [2.5, 1.0, 18263.5, 0.0]]),
    Schema(
        [
            Column("number"),
            Column("nominal", "nominal", ("b", "a")),
            Column("date", date=True),
            Column("ordinal", "ordinal", ("low", "mid", "high")),
        ]
    ),
    complete=False,
)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_every_kind_of_column_survives(library):
    frame = to_frame(MIXED, library)
    again = Table.like(frame, MIXED.schema)
    np.testing.assert_array_equal(again.values, MIXED.values)
    learned = Table.of(frame).schema
    assert learned["nominal"] == MIXED.schema["nominal"]  # the order of the categories, too
    assert learned["date"].date
    assert learned["ordinal"].categories == ("low", "mid", "high")


def test_pandas_and_arrow_know_that_categories_are_ordered():
    assert to_frame(MIXED, "pandas")["ordinal"].cat.ordered
    assert not to_frame(MIXED, "pandas")["nominal"].cat.ordered
    assert to_frame(MIXED, "pyarrow")["ordinal"].type.ordered


def test_extra_columns_come_last():
    frame = to_frame(MIXED, "pandas", {"y": np.array([1, 2, 3])})
    assert list(frame.columns) == ["number", "nominal", "date", "ordinal", "y"]
    assert frame["y"].tolist() == [1, 2, 3]


def test_categories_may_be_numbers():
    table = Table(np.array([[0.0], [1.0]]), Schema([Column("c", "nominal", (3, 7))]))
    assert to_frame(table, "pandas")["c"].tolist() == [3, 7]
    assert to_frame(table, "polars")["c"].to_list() == [3, 7]


def test_a_sparse_table_becomes_a_full_frame():
    table = Table.of(csr_matrix([[0.0, 1.0], [2.0, 0.0]]))
    assert to_frame(table, "polars").rows() == [(0.0, 1.0), (2.0, 0.0)]
    assert isinstance(to_frame(table), pd.DataFrame)
    assert isinstance(to_frame(table, "polars"), pl.DataFrame)


def test_columns_of_complex_numbers_are_refused_by_name():
    """They had become categories."""
    frame = pd.DataFrame({"age": [1.0, 2.0], "phase": [1j, 2.0]})
    with pytest.raises(SchemaError, match="column 'phase' holds complex numbers"):
        Table.of(frame)
