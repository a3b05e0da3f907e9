"""Some rows of any kind of table, and of what belongs to its rows."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import coo_array, csc_array, csr_array, dok_array

from assay.core.targets import EncodedLabels
from assay.errors import DataError
from assay.tables import Table
from assay.tables.rows import entries_of_rows, row_count, take_rows

ROWS = np.array([2, 0])


def test_rows_are_taken_from_every_kind_of_table():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}, index=[7, 7, 9])
    assert take_rows(frame, ROWS).to_dict("list") == {"a": [3, 1], "b": ["z", "x"]}
    arrow = pa.table({"a": [1, 2, 3]})
    assert take_rows(arrow, ROWS).to_pydict() == {"a": [3, 1]}
    assert take_rows(pl.DataFrame({"a": [1, 2, 3]}), ROWS).to_dict(as_series=False) == {"a": [3, 1]}
    assert take_rows({"a": [1, 2, 3]}, ROWS) == {"a": [3, 1]}
    assert take_rows([[1], [2], [3]], ROWS) == [[3], [1]]
    assert_array_equal(take_rows(np.arange(3), ROWS), [2, 0])
    for sparse in (csr_array, csc_array, coo_array, dok_array):
        assert_array_equal(take_rows(sparse(np.eye(3)), ROWS).toarray(), np.eye(3)[ROWS])
    table = take_rows(Table.of([[1.0], [None], [3.0]]), ROWS)
    assert table.complete and table.values.tolist() == [[3.0], [1.0]]


def test_entries_of_rows_are_cut_and_all_else_stays():
    given = {
        "w": np.arange(3.0),
        "groups": ["x", "y", "z"],
        "name": "abc",
        "rate": 0.5,
        "of": {1: 2, 3: 4, 5: 6},
    }
    found = entries_of_rows(given, ROWS, 3)
    assert found.pop("w").tolist() == [2.0, 0.0]
    assert found == {"groups": ["z", "x"], "name": "abc", "rate": 0.5, "of": {1: 2, 3: 4, 5: 6}}


def test_some_encoded_labels_are_encoded_labels():
    some = take_rows(EncodedLabels(np.array([1, 0, 2]), np.array(["a", "b", "c"])), ROWS)
    assert isinstance(some, EncodedLabels) and np.asarray(some).tolist() == ["c", "b"]


def test_rows_are_counted_in_every_kind_of_table():
    for X in (
        [[1], [2]],
        {"a": [1, 2]},
        pa.table({"a": [1, 2]}),
        np.zeros((2, 3)),
        csr_array((2, 4)),
        Table.of([[1.0], [2.0]]),
    ):
        assert row_count(X, "Learner") == 2
    with pytest.raises(DataError, match="Learner: X must be a table of rows and columns, got int"):
        row_count(3, "Learner")
