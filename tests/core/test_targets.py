"""Targets: labels of every kind a table may hold, and the sentences for those that are none."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from sklearn.exceptions import DataConversionWarning

from assay.core.targets import EncodedLabels, check_weights, encode_labels, label_codes, numeric_target
from assay.errors import DataError

TEXT = ["b", "a", "b"]
LABELS = {
    "list": TEXT,
    "tuple": tuple(TEXT),
    "array": np.array(TEXT),
    "objects": np.array(TEXT, dtype=object),
    "NumPy strings": [np.str_(v) for v in TEXT],
    "pandas": pd.Series(TEXT),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas categorical": pd.Series(TEXT, dtype="category"),
    "pandas categorical with more categories": pd.Series(pd.Categorical(TEXT, categories=["z", "b", "a"])),
    "pandas with another index": pd.Series(TEXT, index=[7, 7, 1]),
    "polars": pl.Series(TEXT),
    "polars categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "polars enumeration": pl.Series(TEXT, dtype=pl.Enum(["z", "b", "a"])),
    "Arrow": pa.array(TEXT),
    "Arrow in chunks": pa.chunked_array([TEXT[:1], TEXT[1:]]),
    "Arrow dictionary": pa.array(TEXT).dictionary_encode(),
}


@pytest.mark.parametrize("kind", LABELS)
def test_text_labels_of_every_library_are_sorted_and_numbered(kind):
    labels, codes = encode_labels(LABELS[kind], 3, "Learner")
    assert labels.tolist() == ["a", "b"] and labels.dtype.kind == "U"
    assert codes.tolist() == [1, 0, 1] and codes.dtype == np.int64


@pytest.mark.parametrize(
    ("y", "dtype"),
    [
        ([3, 1, 3], np.int64),
        (np.array([255, 0, 255], dtype=np.uint8), np.uint8),
        ([-5, 7, -5], np.int64),
        ([2**62, -(2**62), 2**62], np.int64),
        ([True, False, True], np.bool_),
        (np.array([True, False, True], dtype=object), np.bool_),
        ([2.0, 1.0, 2.0], np.float64),
        (np.array([2, 1.0, 2], dtype=object), np.float64),
        (np.array([np.int64(3), np.int64(1), np.int64(3)], dtype=object), np.int64),
        (pd.Series([2, 1, 2], dtype="Int64"), np.int64),
        (pd.Series([True, False, True], dtype="boolean"), np.bool_),
        (pd.Series([2, 1, 2], dtype="category"), np.int64),
        (pl.Series([3, 1, 3]), np.int64),
        (pl.Series([True, False, True]), np.bool_),
        (pa.array([3, 1, 3]), np.int64),
        (range(3), np.int64),
        (np.array([b"b", b"a", b"b"]), np.dtype("S1")),
        (np.array(["2026-02-01", "2026-01-01", "2026-02-01"], dtype="M8[D]"), np.dtype("M8[D]")),
    ],
)
def test_other_labels_keep_their_type(y, dtype):
    labels, codes = encode_labels(y, 3, "Learner")
    assert labels.dtype == dtype
    assert_array_equal(labels[codes], np.asarray(y).astype(dtype))


def test_objects_that_can_be_ordered_are_labels_too():
    days = [datetime.date(2026, 2, 1), datetime.date(2026, 1, 1), datetime.date(2026, 2, 1)]
    labels, codes = encode_labels(np.array(days, dtype=object), 3, "Learner")
    assert labels.tolist() == sorted(set(days)) and codes.tolist() == [1, 0, 1]
    assert encode_labels([Decimal(2), Decimal(1), Decimal(2)], 3, "Learner")[1].tolist() == [1, 0, 1]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(-1000, 1000) | st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30))
def test_codes_point_back_to_the_labels(values):
    labels, codes = encode_labels(values, len(values), "Learner")
    assert_array_equal(labels[codes], values)
    assert_array_equal(labels, np.unique(values))


@pytest.mark.parametrize(
    "y",
    [
        ["a", None, "b"],
        np.array(["a", np.nan, "b"], dtype=object),
        [1.0, np.nan, 2.0],
        np.array([1.0, np.nan, 2.0], dtype=object),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series([1, None, 2], dtype="Int64"),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series(["a", None, "b"]),
        pl.Series([1, None, 2]),
        pa.array(["a", None, "b"]),
        pa.array([1, None, 2]),
        np.array(["2026-01-01", "NaT", "2026-01-02"], dtype="M8[D]"),
    ],
)
def test_a_missing_label_is_named_by_its_row(y):
    with pytest.raises(DataError, match="Learner: Input y contains NaN: row 2 has no label"):
        encode_labels(y, 3, "Learner")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        (["a", 1, "b"], "y mixes int, str. Use one type"),
        (np.array([1, "a", 2.5], dtype=object), "y mixes float, int, str"),
        ([1.0, 1.5, 0.5], "Unknown label type: continuous. Row 2 of y is 1.5, expected classes"),
        ([1.0, np.inf, 1.0], "infinity"),
        ([1j, 2, 3], "y holds complex128"),
        (np.array([1, 2, 3], dtype="m8[D]"), "y holds timedelta64"),
        ([{}, {}, {}], "y holds dict"),
        (np.array([{1}, {2}, {1}], dtype=object), "y holds set"),
        (
            np.zeros((3, 2)),
            "Learner: y should be a 1d array.* one column of y at a time. .*DecisionTreeClassifier",
        ),
        ("bab", "1d array"),
        (["a"], r"inconsistent numbers of samples: \[3, 1\]"),
        ([], r"inconsistent numbers of samples: \[3, 0\]"),
    ],
)
def test_what_is_no_target_is_refused(y, message):
    with pytest.raises(ValueError, match=message):
        encode_labels(y, 3, "Learner")


@pytest.mark.parametrize(
    "y", [np.array([["b"], ["a"], ["b"]]), pd.DataFrame({"y": TEXT}), pl.DataFrame({"y": TEXT})]
)
def test_a_column_vector_is_taken_with_a_warning(y):
    with pytest.warns(DataConversionWarning, match="column-vector"):
        assert encode_labels(y, 3, "Learner")[1].tolist() == [1, 0, 1]


def test_known_classes_number_the_labels():
    classes = np.array(["a", "b", "c"])
    assert label_codes(pd.Series(["c", "a"]), classes, 2, "Learner").tolist() == [2, 0]
    assert label_codes([1.0, 2.0], np.array([1, 2, 3]), 2, "Learner").tolist() == [0, 1]
    with pytest.raises(DataError, match=r"y has the label 'x', which is not among classes \['a', 'b', 'c'\]"):
        label_codes(["a", "x"], classes, 2, "Learner")


@pytest.mark.parametrize(
    "y", [[1, 2, 3], np.array([1, 2, 3]), pd.Series([1, 2, 3]), pl.Series([1, 2, 3]), pa.array([1, 2, 3])]
)
def test_numeric_targets_become_floats(y):
    target = numeric_target(y, 3, "Learner")
    assert target.dtype == np.float64 and target.tolist() == [1.0, 2.0, 3.0]


def test_numeric_targets_may_have_several_columns_but_no_gaps():
    assert numeric_target(np.ones((3, 2)), 3, "Learner").shape == (3, 2)
    for y, message in [
        ([1.0, np.nan, 2.0], "NaN"),
        (["a", "b", "c"], "y should be numbers, row 1 is 'a'"),
        ([1.0], "X has 3 rows and y has 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            numeric_target(y, 3, "Learner")
    with pytest.raises(DataError, match="requires y"):
        numeric_target(None, 3, "Learner")


def test_weights_are_numbers_from_zero_up_and_not_all_zero():
    X = np.zeros((3, 1))
    assert check_weights(None, X) is None
    assert check_weights([1, 0, 2], X).tolist() == [1.0, 0.0, 2.0]
    for w, message in [
        ([0, 0, 0], "at least one non-zero number"),
        ([1, -1, 1], "Negative values in data passed to `sample_weight`: row 2 has -1"),
        ([1, 2], r"sample_weight.shape == \(2,\), expected \(3,\)"),
        ([1, np.nan, 1], "Input sample_weight contains NaN: row 2 has nan"),
        ([1, 1, np.inf], "Input sample_weight contains infinity: row 3 has inf"),
        ([[1, 1, 1]], "Sample weights must be 1D array or scalar, got 2D"),
        (["a", "b", "c"], "sample_weight must be numbers: could not convert string to float: .*a"),
        ([1, 2, 1j], "Complex data not supported"),
        (np.arange(3).astype("m8[s]"), "sample_weight must be numbers"),
        (np.ma.masked_equal([1.0, 2.0, 3.0], 2.0), "contains NaN: row 2"),
        (pd.Series([1, -4, 2], index=["x", "y", "z"]), "index y has -4"),
    ]:
        with pytest.raises(ValueError, match=message):
            check_weights(w, X)


def test_every_room_checks_weights_by_the_same_rules():
    """The function that was called and its own parameter are named."""
    from assay.decide import SigmoidCalibrator
    from assay.densities import ECDF
    from assay.evaluate import compare
    from assay.linear import LogisticRegression
    from assay.metrics import accuracy_score
    from assay.stats import covariance
    from assay.theory import empirical_risk

    X, y, w = np.arange(6.0)[:, None], np.array([0, 1] * 3), [1, 1, -3, 1, 1, 1]
    for who, name, call in [
        ("LogisticRegression", "sample_weight", lambda: LogisticRegression().fit(X, y, sample_weight=w)),
        ("covariance", "weights", lambda: covariance(X, weights=w)),
        ("accuracy_score", "sample_weight", lambda: accuracy_score(y, y, sample_weight=w)),
        ("compare", "sample_weight", lambda: compare(["majority"], X, y, sample_weight=w)),
        ("empirical_risk", "sample_weight", lambda: empirical_risk(y, y, sample_weight=w)),
        ("ECDF", "weights", lambda: ECDF(X[:, 0], weights=w)),
        ("SigmoidCalibrator", "sample_weight", lambda: SigmoidCalibrator().fit(X[:, 0], y, sample_weight=w)),
    ]:
        with pytest.raises(DataError) as refused:
            call()
        assert str(refused.value) == f"{who}: Negative values in data passed to `{name}`: row 3 has -3."


def test_weights_beyond_the_floats_are_named_and_not_X():
    with pytest.raises(DataError, match="sample_weight is too large to be added up"):
        check_weights(np.full(60, 1e308), np.ones((60, 1)))


def test_targets_that_are_no_numbers_are_named():
    with pytest.raises(
        DataError, match=r"Loess: y should be numbers, row 2 is 'b'. For classes take a classifier"
    ):
        numeric_target([1.0, "b"], 2, "Loess")
    with pytest.raises(
        DataError, match="Loess: y should be one number for each row, its entries differ in length"
    ):
        numeric_target([[1.0], [1.0, 2.0]], 2, "Loess")
    with pytest.raises(DataError, match="Input y contains NaN"):
        numeric_target([1.0, None], 2, "Loess")
    with pytest.raises(DataError, match="Complex data not supported"):
        numeric_target(np.array([1.0, 1j]), 2, "Loess")
    with pytest.raises(DataError, match="y should be numbers, row 2 is 1j"):
        numeric_target([1.0, 1j], 2, "Loess")


@pytest.mark.parametrize(
    "values",
    [np.array([-128, 127, 5], dtype=np.int8), np.array([2**63 + 5, 2**63 + 6, 7], dtype=np.uint64),
     np.array([2**64 - 1, 2**64 - 2], dtype=np.uint64), np.array([-(2**63), 2**63 - 1])],
)  # fmt: skip
def test_whole_numbers_at_the_ends_of_their_type_are_labels(values):
    y = np.tile(values, 3)
    labels, codes = encode_labels(y, len(y), "Learner")
    assert_array_equal(labels, np.sort(values))
    assert_array_equal(labels[codes], y)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), st.data())
@settings(deadline=None, max_examples=40)
def test_encoded_labels_are_encoded_as_the_labels_are(labels, data):
    """Also those of some rows, where classes may be absent."""
    classes, codes = encode_labels(labels, len(labels), "Learner")
    rows = data.draw(st.lists(st.integers(0, len(labels) - 1), min_size=1))
    some = EncodedLabels(codes, classes)[rows]
    for found, wanted in zip(
        encode_labels(some, len(rows), "Learner"), encode_labels(classes[codes[rows]], len(rows), "Learner")
    ):
        assert_array_equal(found, wanted)
        assert found.dtype == wanted.dtype
    with pytest.raises(DataError, match="inconsistent numbers of samples"):
        encode_labels(some, len(rows) + 1, "Learner")


@pytest.mark.parametrize(
    "w", [[2.0, 0.0, 1.0], np.array([2, 0, 1]), np.array([2, 0, 1], np.float32), (2, 0, 1)]
)
def test_weights_of_every_kind_are_float64(w):
    found = check_weights(w, np.zeros((3, 1)))
    assert found.dtype == np.float64 and found.tolist() == [2.0, 0.0, 1.0]


@pytest.mark.parametrize(
    "w", [[1.0, -1.0], [0.0, 0.0], [1.0, np.nan], [1.0, np.inf], [1e308, 1e308], [1.0], [[1.0, 1.0]]]
)
def test_weights_that_are_none_are_refused(w):
    for weights in (w, np.array(w)):
        with pytest.raises(ValueError):
            check_weights(weights, np.zeros((2, 1)))
