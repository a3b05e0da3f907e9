"""A table to look at."""

import datetime as dt
import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

from assay.tables import Table, read_table
from assay.tables.data import load_apples

MIXED = Table.of(
    {
        "n": [0.123456789, 10.0, None],
        "when": [dt.date(2026, 1, 31), None, dt.date(2026, 2, 1)],
        "taste": ["sweet", "sour", None],
    }
)


def test_names_kinds_and_rows():
    assert repr(MIXED).splitlines() == [
        "Table: 3 rows, 3 columns",
        "  n         when        taste",
        "  numeric   date        nominal",
        "  0.123457  2026-01-31  sweet",
        "        10  missing     sour",
        "   missing  2026-02-01  missing",
    ]


def test_long_and_wide_tables_are_cut():
    text = repr(Table.of(np.zeros((7, 12))))
    assert text.splitlines()[0] == "Table: 7 rows, 12 columns" and text.endswith(
        "  ... 2 more rows and 2 more columns"
    )
    assert len(text.splitlines()) == 1 + 2 + 5 + 1
    assert "x" * 21 + "..." in repr(Table.of({"x" * 999: ["a\nb"]})) and "a\\nb" in repr(
        Table.of({"c": ["a\nb"]})
    )


def test_sparse_tables():
    assert repr(Table.of(sp.csr_matrix([[0.0, 2.0]]))).splitlines()[-1].split() == ["0", "2"]


def test_html_escapes_what_it_shows():
    html = Table.of({"a<b": ["<script>"]})._repr_html_()
    assert "<script>" not in html and "&lt;script&gt;" in html and "a&lt;b" in html


def test_files_and_data_sets_show_their_rows():
    html = read_table(io.StringIO("size,good\n1,yes\n2,no\n"), target="good")._repr_html_()
    assert "target &#x27;good&#x27;" in html and "<td>2</td>" in html
    assert "<td>sour-sweet</td>" in load_apples()._repr_html_()


@pytest.mark.parametrize(
    ("method", "kind"), [("to_pandas", pd.DataFrame), ("to_polars", pl.DataFrame), ("to_arrow", pa.Table)]
)
def test_frames(method, kind):
    frame = getattr(MIXED, method)()
    assert isinstance(frame, kind)
    again = Table.of(frame)
    np.testing.assert_array_equal(again.values, MIXED.values)
    assert again.schema == MIXED.schema
