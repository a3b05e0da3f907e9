"""Cleaning frames and files on request."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.errors import ParameterError, SchemaError
from assay.tables import Table, clean, read_table

COLUMNS = {
    "price": ["$22,887.15", "$5", None, "unknown"],
    "when": ["01.01.2020 00:00", "02.01.2020 12:30", None, "-"],
    "day": ["01.02.2020", "13.02.2020", None, None],
    "good": ["Yes", "yes", "YES", "no"],
    "taste": ["sweet", "sour", "sweet", None],
    "size": [1.5, 2.0, None, 3.0],
}
MENDED = {
    "price": [22887.15, 5.0, None, None],
    "when": [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 2, 12, 30), None, None],
    "day": [dt.datetime(2020, 2, 1), dt.datetime(2020, 2, 13), None, None],
    "good": ["Yes", "Yes", "Yes", "no"],
    "taste": ["sweet", "sour", "sweet", None],
    "size": [1.5, 2.0, None, 3.0],
}


def categorical(columns):
    frame = pa.table(columns)
    for name in ("price", "good"):
        frame = frame.set_column(frame.column_names.index(name), name, frame[name].dictionary_encode())
    return frame


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict, categorical])
def test_every_kind_of_frame(make):
    given = make(COLUMNS)
    cleaned, report = clean(given)
    assert type(cleaned) is type(given)
    expected = Table.of(pa.table(MENDED))
    mended = Table.of(cleaned)
    np.testing.assert_array_equal(mended.values, expected.values)
    assert mended.schema == expected.schema
    assert list(report.done) == ["price", "when", "day", "good"] and not report.left
    assert (
        str(report).splitlines()[0]
        == "column price: text such as '$22,887.15' is numbers now, 'unknown' missing (1 row)."
    )


def test_the_given_frame_stays_and_so_does_its_index():
    frame = pd.DataFrame(COLUMNS, index=[7, 3, 5, 1])
    before = frame.copy()
    cleaned, _ = clean(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert cleaned.index.tolist() == [7, 3, 5, 1] and cleaned["price"].tolist()[:2] == [22887.15, 5.0]


def test_chosen_columns_only():
    cleaned, report = clean(pd.DataFrame(COLUMNS), ["price", "taste"])
    assert list(report.done) == ["price"] and cleaned["good"].tolist() == COLUMNS["good"]
    assert report.left == {
        "taste": "left as it is; values such as 'sweet' are categories, or can mean more than one thing"
    }
    assert clean(pd.DataFrame(COLUMNS), "size")[1].left == {"size": "left as it is; it holds no text"}
    with pytest.raises(SchemaError, match="clean: there is no column 'prize'"):
        clean(pd.DataFrame(COLUMNS), "prize")


def test_nothing_to_clean():
    frame = pd.DataFrame({"a": [1, 2]})
    cleaned, report = clean(frame)
    assert cleaned is frame and str(report) == "Nothing to clean."


def test_numbers_and_text_in_one_column_of_pandas():
    cleaned, report = clean(pd.DataFrame({"a": [1, 2.5, "unknown", None, 7]}))
    assert report.done["a"].endswith("'unknown' missing (1 row)")
    np.testing.assert_array_equal(cleaned["a"], [1, 2.5, np.nan, np.nan, 7])


def test_by_the_schema_of_a_model():
    """New rows follow the model: few rows cannot tell the usual spelling, nor day from month."""
    schema = Table.of(pa.table(MENDED)).schema
    new = pd.DataFrame(
        {
            "price": ["$7"],
            "when": ["02.01.2020 08:00"],
            "day": ["13.02.2020"],
            "good": ["NO "],
            "taste": ["Sweet"],
            "size": [1.0],
        }
    )
    cleaned, report = clean(new, like=schema)
    table = Table.like(cleaned, schema)
    assert not table.unseen
    assert [schema.label(j, v) for j, v in enumerate(table.values[0])] == [
        7.0, "2020-01-02T08:00:00", "2020-02-13", "no", "sweet", 1.0,
    ]  # fmt: skip
    assert (
        report.done["good"] == "categories that differ in capitals or spaces only are one now ('NO ', 'no')"
    )


def test_categories_that_the_model_does_not_know_stay():
    schema = Table.of({"good": ["yes", "no"]}).schema
    assert clean({"good": ["perhaps", "YES"]}, like=schema)[0] == {"good": ["perhaps", "yes"]}


def test_what_is_no_frame():
    with pytest.raises(ParameterError, match="clean: expected a frame"):
        clean(np.ones((2, 2)))


TEXT = 'price,good,zip\n"$1,000",Yes,01067\n$5,yes,80331\n$7,no,01067\n'


def test_reading_with_cleaning():
    data = read_table(io.StringIO(TEXT), target="good", clean=True, nominal="zip")
    assert data.X.to_pydict() == {"price": [1000.0, 5.0, 7.0], "zip": ["01067", "80331", "01067"]}
    assert data.y.tolist() == ["Yes", "Yes", "no"]
    assert list(data.cleaned.done) == ["price", "good"] and not data.cleaned.left


def test_nothing_is_converted_without_being_asked():
    data = read_table(io.StringIO(TEXT), target="good")
    assert data.X["price"].to_pylist() == ["$1,000", "$5", "$7"] and data.cleaned is None
    data = read_table(io.StringIO(TEXT), target="good", clean=["price"])
    assert data.y.tolist() == ["Yes", "yes", "no"] and data.X["price"].to_pylist() == [1000.0, 5.0, 7.0]


def test_unknown_columns_are_named():
    with pytest.raises(SchemaError, match=r"there is no column 'prise'\. Did you mean price"):
        read_table(io.StringIO(TEXT), clean="prise")


def test_cleaned_columns_can_be_numeric():
    assert read_table(io.StringIO(TEXT), clean="price", numeric="price").X["price"].type == pa.float64()
