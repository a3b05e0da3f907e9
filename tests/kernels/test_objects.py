"""Rows that are objects, read as they come."""

import numpy as np
import pandas as pd
import pytest

from assay.errors import DataError
from assay.kernels.objects import objects_of


@pytest.mark.parametrize(
    "X",
    [
        ["ab", "b", "ab"],
        ("ab", "b", "ab"),
        np.array(["ab", "b", "ab"]),
        pd.Series(["ab", "b", "ab"], index=[7, 8, 9]),
        pd.DataFrame({"text": ["ab", "b", "ab"]}),
    ],
)
def test_any_sequence_of_strings_is_read_alike(X):
    rows = objects_of(X, "SVC")
    assert rows.dtype == object and rows.shape == (3,) and rows.tolist() == ["ab", "b", "ab"]


def test_lists_of_equal_length_stay_objects():
    rows = objects_of([[1, 2], [3, 4]], "SVC")
    assert rows.shape == (2,) and rows[1] == [3, 4]


@pytest.mark.parametrize(
    ("X", "words"),
    [
        ("abc", "a sequence"),
        (iter(["a"]), "a sequence"),
        ([], "no rows"),
        (["a", None], "row 2 of X is None"),
        (np.zeros((3, 2)), r"shape \(3, 2\)"),
    ],
)
def test_what_is_no_sequence_of_objects_is_refused(X, words):
    with pytest.raises(DataError, match=f"SVC.*{words}"):
        objects_of(X, "SVC")
