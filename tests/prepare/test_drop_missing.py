"""Row deletion."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import DataError
from assay.prepare import drop_missing
from assay.tables import Table
from assay.tables.data import load_breast_cancer_ljubljana


@pytest.mark.capability("IML-5-03")
def test_rows_with_a_missing_value_go_and_take_their_targets_along():
    data = load_breast_cancer_ljubljana()
    X, y = drop_missing(*data)
    assert isinstance(X, Table)
    assert X.complete
    assert len(X) == len(y) == 286 - 9  # nine missing values in nine rows
    keep = ~np.isnan(data.X.values).any(axis=1)
    assert (y == data.y[keep]).all()


def test_everything_keeps_its_type():
    columns = {"v": [1.0, None, 3.0], "c": ["x", "y", None]}
    for frame in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns)):
        X, y, w = drop_missing(frame, [1, 2, 3], np.array([0.1, 0.2, 0.3]))
        assert type(X) is type(frame)
        assert len(X) == 1
        assert (y, w.tolist()) == ([1], [0.1])
    series = drop_missing(np.array([[1.0], [np.nan]]), pd.Series(["a", "b"], index=[4, 5]))[1]
    assert series.index.tolist() == [4]
    kept = drop_missing([["a", None], ["b", "c"]])
    assert kept == [["b", "c"]]
    assert len(drop_missing(pl.DataFrame(columns), pl.Series([1, 2, 3]))[1]) == 1


def test_what_stands_for_a_missing_value_can_be_said():
    assert drop_missing(np.array([[1.0], [-9.0]]), missing_values=-9).tolist() == [[1.0]]


def test_lengths_must_agree():
    with pytest.raises(DataError, match="X has 2 rows and argument 1 has 3"):
        drop_missing(np.ones((2, 1)), [1, 2, 3])
