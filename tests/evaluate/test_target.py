"""Classes of all kinds, and rows that have none."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from assay.errors import DataError
from assay.evaluate.target import as_target


@pytest.mark.parametrize(
    "y",
    [["b", None, "a"], pd.Series(["b", None, "a"]), pl.Series(["b", None, "a"]), pd.Categorical(["b", None, "a"]),
     np.array(["b", None, "a"], dtype=object), pd.Series(["b", pd.NA, "a"], dtype="string")],
    ids=lambda y: type(y).__name__,
)  # fmt: skip
def test_missing_labels_of_every_library_get_no_code(y):
    target = as_target(y, 3, "compare")
    assert target.codes.tolist() == [1, -1, 0] and target.labels.tolist() == ["a", "b"]
    assert target.labelled.tolist() == [True, False, True]


@pytest.mark.parametrize("y", [[1.0, np.nan, 0.0], [1, None, 0], pd.array([1, None, 0], dtype="Int64")])
def test_whole_numbers_with_holes_stay_whole(y):
    target = as_target(y, 3, "compare")
    assert target.labels.tolist() == [0, 1] and target.labels.dtype.kind == "i"
    assert target.codes.tolist() == [1, -1, 0]


def test_booleans_and_names():
    target = as_target(pd.Series([True, False, True], name="bought"), 3, "compare")
    assert target.name == "bought" and target.labels.tolist() == [False, True]


def test_what_is_no_class_is_refused_unless_one_only_describes():
    with pytest.raises(DataError, match="describe: rate holds 3 distinct numbers with fractions"):
        as_target(pd.Series([0.5, 1.5, 2.5], name="rate"), 3, "describe")
    assert as_target([0.5, 1.5, 2.5], 3, "describe", lenient=True).labels.tolist() == ["0.5", "1.5", "2.5"]
    with pytest.raises(DataError, match="expected classes. Is it an identifier".replace(".", r"\.")):
        as_target([f"c{i}" for i in range(40)], 40, "compare")
    with pytest.raises(DataError, match=r"its shape is \(2, 1\)"):
        as_target(np.zeros((2, 1)), 2, "compare")
