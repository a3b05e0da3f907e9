"""Sequences as data."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, SchemaWarning
from assay.sequences import Sequences


@pytest.mark.capability("IML-15-01")
@pytest.mark.parametrize(
    "parts", [[[0, 1, 1], [2], []], [np.ones((2, 3)), np.zeros((4, 3))], [[0.5], [1.5, 2.5]]]
)
def test_lists_and_lengths_are_a_round_trip(parts):
    data = Sequences.of(parts)
    again = Sequences.of(data.values, lengths=data.lengths)
    assert_array_equal(again.offsets, data.offsets)
    for part, back in zip(parts, again):
        assert_array_equal(
            np.reshape(part, (len(part), -1)) if len(part) else np.empty((0, back.shape[1])), back
        )


def test_five_ways_to_say_the_same():
    frame = pd.DataFrame({"id": [2, 1, 1, 2], "t": [2, 1, 2, 1], "x": [4.0, 1, 2, 3], "c": list("baab")})
    ways = [
        Sequences.of(frame, id="id", order="t"),
        Sequences.of(pl.from_pandas(frame), id="id", order="t"),
        Sequences.of(pd.DataFrame({"x": [[1.0, 2], [3, 4]], "c": [["a", "a"], ["b", "b"]]})),
        Sequences.of(pd.DataFrame({"x": [1.0, 2, 3, 4], "c": list("aabb")}), lengths=[2, 2]),
        Sequences.of(
            [pd.DataFrame({"x": [1.0, 2], "c": ["a", "a"]}), pd.DataFrame({"x": [3.0, 4], "c": ["b", "b"]})]
        ),
    ]
    for way in ways:
        assert way.schema.names == ["x", "c"] and way.lengths.tolist() == [2, 2]
        assert_array_equal(way.values, [[1, 0], [2, 0], [3, 1], [4, 1]])


def test_an_array_of_three_axes_holds_sequences_of_one_length():
    X = np.arange(24.0).reshape(3, 4, 2)
    data = Sequences.of(X)
    assert data.lengths.tolist() == [4, 4, 4]
    assert_array_equal(data[1], X[1])


def test_taking_some_keeps_them_whole():
    data = Sequences.of([[1, 2, 3], [4], [5, 6]])
    some = data[[2, 0]]
    assert [part.ravel().tolist() for part in some] == [[5, 6], [1, 2, 3]] and some.ids == [2, 0]
    assert data[-1].ravel().tolist() == [5, 6] and data.shape == (3, 1)
    assert [len(block) for block in data.blocks(3)] == [1, 2]
    assert sum(len(block.values) for block in data.blocks(1)) == 6


def test_missing_entries_and_unseen_categories():
    data = Sequences.of([[1.0, None], [np.nan]])
    assert_array_equal(np.isnan(data.values.ravel()), [False, True, True])
    words = Sequences.of([["a", "b"], ["a"]])
    with pytest.warns(SchemaWarning, match="missing"):
        again = Sequences.of([["b", "z"]], schema=words.schema)
    assert_array_equal(again.values.ravel(), [1, np.nan])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Sequences.of(np.ones((3, 1)), lengths=[1, 1]), "lengths add up to 2, X has 3 rows"),
        (lambda: Sequences.of(np.ones((3, 1)), lengths=[1.5, 1.5]), "whole numbers"),
        (lambda: Sequences.of([np.ones((2, 1)), np.ones((2, 2))]), "same columns"),
        (lambda: Sequences.of({"x": [1]}, id="who"), "there is no column 'who'"),
        (lambda: Sequences.of({"id": [1, 1], "t": [3, 3], "x": [0, 0]}, id="id", order="t"), "two rows at 3"),
        (lambda: Sequences.of({"x": [[1, 2]], "y": [[1]]}), "different lengths"),
        (lambda: Sequences(np.ones((2, 1)), [0, 3]), "offsets must rise"),
        (
            lambda: Sequences.of({"id": [1, 1], "t": [3, np.nan], "x": [0, 0]}, id="id", order="t"),
            "'t' is missing in row 1",
        ),
        (lambda: Sequences.of({"id": ["a", None], "x": [0, 0]}, id="id"), "'id' is missing in row 1"),
        (
            lambda: Sequences.of(
                pd.DataFrame({"id": pd.array([1, None, 2], "Int64"), "x": [0, 0, 0]}), id="id"
            ),
            "'id' is missing in row 1",
        ),
        (
            lambda: Sequences.of(
                pd.DataFrame({"id": [1, 1], "t": pd.to_datetime([None, "2024-01-01"]), "x": [0, 0]}),
                id="id",
                order="t",
            ),
            "'t' is missing in row 0",
        ),
        (
            lambda: Sequences.of(pl.DataFrame({"id": ["a", None], "x": [0, 0]}), id="id"),
            "'id' is missing in row 1",
        ),
    ],
)
def test_what_does_not_fit_is_said(call, words):
    with pytest.raises(DataError, match=words):
        call()


def test_a_summary_has_a_line_for_each_sequence():
    data = Sequences.of(pd.DataFrame({"x": [[1.0, 3.0], [5.0]], "c": [["a", "b"], ["b"]]}))
    lines = data.summary()
    assert_allclose(lines["x mean"], [2, 5])
    assert_allclose(lines["c = b"], [0.5, 1.0])
