"""Tables from every library: the same numbers and the same schema, or a sentence that names the column."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from assay.bayes import NaiveBayes
from assay.errors import DataError, SchemaError
from assay.linear import LogisticRegression
from assay.neighbors import KNeighborsClassifier
from assay.prepare import Prepared
from assay.tables import Column, Schema, Table, row_name
from assay.tables.data import load_apples
from assay.trees import C45Classifier

NAN = np.nan


def same(a, b):
    assert a.schema == b.schema
    assert a.values.dtype == b.values.dtype
    assert a.values.tobytes() == b.values.tobytes() or np.array_equal(a.values, b.values, equal_nan=True)
    assert a.complete == b.complete


# One table, four libraries


def frames():
    columns = {
        "n": [1, 2, None],
        "x": [1.5, None, -0.0],
        "flag": [True, None, False],
        "word": ["pear", None, "äpfel"],
        "day": [dt.date(1970, 1, 2), None, dt.date(1969, 12, 31)],
        "at": [dt.datetime(1970, 1, 1, 12), None, dt.datetime(2026, 11, 15, 9, 30, 0, 250000)],
        "price": [Decimal("1.25"), None, Decimal("-3")],
        "wait": [dt.timedelta(days=1, hours=12), None, dt.timedelta(0)],
        "nothing": [None, None, None],
    }
    yield "pyarrow", pa.table(columns)
    yield "polars", pl.DataFrame(columns, strict=False)
    yield "pandas from arrow", pa.table(columns).to_pandas()
    yield "pandas arrow types", pa.table(columns).to_pandas(types_mapper=pd.ArrowDtype)
    yield "pandas objects", pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in columns.items()})
    yield "mapping", columns


@pytest.mark.capability("IML-5-01")
@pytest.mark.parametrize(("library", "frame"), list(frames()), ids=[name for name, _ in frames()])
def test_mixed_columns_keep_their_types_in_every_library(library, frame):
    table = Table.of(frame)
    kinds = [(c.name, c.kind, c.date) for c in table.schema]
    assert kinds == [
        ("n", "numeric", False), ("x", "numeric", False), ("flag", "numeric", False), ("word", "nominal", False),
        ("day", "numeric", True), ("at", "numeric", True), ("price", "numeric", False), ("wait", "numeric", False),
        ("nothing", "numeric", False),
    ]  # fmt: skip
    assert table.schema["word"].categories == ("pear", "äpfel")
    at = (dt.datetime(2026, 11, 15, 9, 30, 0, 250000) - dt.datetime(1970, 1, 1)) / dt.timedelta(days=1)
    expected = [
        [1, 1.5, 1, 0, 1, 0.5, 1.25, 1.5, NAN],
        [2] + [NAN] * 8,
        [NAN, -0.0, 0, 1, -1, at, -3, 0, NAN],
    ]
    assert_array_equal(table.values, expected)
    assert not table.complete
    same(Table.like(frame, table.schema), table)


@pytest.mark.capability("IML-5-01")
def test_round_trip_of_types_through_plain_columns():
    frame = dict(frames())["pyarrow"]
    table = Table.of(frame)
    same(Table.like(table.to_columns(), table.schema), table)


NAMED = st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4, unique=True)
CELL = {
    "f": st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False, width=64)),
    "i": st.one_of(st.none(), st.integers(-(2**53), 2**53)),
    "b": st.one_of(st.none(), st.booleans()),
    "s": st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=4)),
}
ARROW = {"f": pa.float64(), "i": pa.int64(), "b": pa.bool_(), "s": pa.string()}


@settings(max_examples=60, deadline=None)
@given(data=st.data(), kinds=st.lists(st.sampled_from("fibs"), min_size=1, max_size=4), n=st.integers(1, 6))
def test_the_same_table_to_the_bit(data, kinds, n):
    names = [f"{kind}{j}" for j, kind in enumerate(kinds)]
    columns = [data.draw(st.lists(CELL[kind], min_size=n, max_size=n)) for kind in kinds]
    arrow = pa.table([pa.array(c, ARROW[k]) for c, k in zip(columns, kinds)], names=names)
    reference = Table.of(arrow)
    for other in (pl.from_arrow(arrow), arrow.to_pandas(types_mapper=pd.ArrowDtype), arrow.to_pandas()):
        table = Table.of(other)
        for j, kind in enumerate(kinds):
            if kind != "s" and arrow.column(j).null_count == n:
                continue  # pandas has no type for a column of nothing
            assert table.schema[j] == reference.schema[j]
        assert_array_equal(table.values, reference.values)


def test_numbers_from_numpy_lists_and_frames():
    block = np.array([[1.0, 2.0], [3.0, NAN]])
    for X in (block, np.asfortranarray(block), block.tolist(), [tuple(r) for r in block]):
        table = Table.of(X)
        assert_array_equal(table.values, block)
        assert table.schema == Schema.numeric(2)
        assert not table.complete
    for frame in (pd.DataFrame(block, columns=["a", "b"]), pl.DataFrame({"a": [1.0, 3.0], "b": [2.0, None]})):
        assert_array_equal(Table.of(frame).values, block)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "float16", "float64", "bool"])
def test_every_numeric_type_is_the_same_number(dtype):
    values = np.array([[0, 1], [1, 0]], dtype=dtype)
    for X in (values, pd.DataFrame(values, columns=["a", "b"]), pl.DataFrame(values, schema=["a", "b"])):
        assert_array_equal(np.asarray(Table.of(X).values, dtype=float), values.astype(float))


def test_masked_entries_are_missing():
    X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], mask=[[False, True], [False, False]])
    assert_array_equal(Table.of(X).values, [[1, NAN], [3, 4]])


def test_huge_integers():
    big = 2**70
    assert Table.of(pd.DataFrame({"a": [big, 1]})).values[0, 0] == float(big)
    assert Table.of({"a": [big, None]}).values[0, 0] == float(big)
    assert Table.of(pl.DataFrame({"a": pl.Series([2**63 + 5], dtype=pl.UInt64)})).values[0, 0] == float(
        2**63 + 5
    )
    with pytest.raises(DataError, match=r"'a'.*too large"):
        Table.of({"a": [10**400, 1]})


def test_fractions_decimals_and_numpy_scalars_are_numbers():
    table = Table.of({"a": [Fraction(1, 2), Decimal("0.25"), np.float32(1), True, np.int8(3)]})
    assert table.schema[0] == Column("a")
    assert_array_equal(table.values[:, 0], [0.5, 0.25, 1, 1, 3])


def test_nullable_pandas_types():
    frame = pd.DataFrame(
        {
            "i": pd.array([1, None], dtype="Int64"),
            "f": pd.array([1.5, None], dtype="Float64"),
            "b": pd.array([True, None], dtype="boolean"),
            "s": pd.array(["x", None], dtype="string"),
            "o": pd.Series(["x", pd.NA], dtype=object),
            "m": pd.Series([1, pd.NA], dtype=object),
            "t": pd.Series([pd.Timestamp(0), pd.NaT]),
        }
    )
    table = Table.of(frame)
    assert_array_equal(table.values, [[1, 1.5, 1, 0, 0, 1, 0], [NAN] * 7])
    assert [c.kind for c in table.schema] == ["numeric"] * 3 + ["nominal"] * 2 + ["numeric"] * 2


def test_sparse_columns_of_pandas():
    frame = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 0.0, 2.0]), "b": pd.arrays.SparseArray([1, 0, 0])})
    assert_array_equal(Table.of(frame).values, [[0, 1], [0, 0], [2, 0]])


# Categories


def test_declared_categories_keep_their_order_in_every_library():
    values, levels = ["low", None, "high"], ["low", "middle", "high"]
    codes = pa.array([0, None, 2], pa.int8())
    unordered = [
        pd.DataFrame({"a": pd.Categorical(values, levels)}),
        pl.DataFrame({"a": pl.Series(values, dtype=pl.Enum(levels))}),
        pa.table({"a": pa.DictionaryArray.from_arrays(codes, levels)}),
    ]
    for frame in unordered:
        table = Table.of(frame)
        assert table.schema["a"] == Column("a", "nominal", tuple(levels))
        assert_array_equal(table.values[:, 0], [0, NAN, 2])
    ordered = [
        pd.DataFrame({"a": pd.Categorical(values, levels, ordered=True)}),
        pa.table({"a": pa.DictionaryArray.from_arrays(codes, levels, ordered=True)}),
    ]
    for frame in ordered:
        table = Table.of(frame)
        assert table.schema["a"] == Column("a", "ordinal", tuple(levels))
        assert_array_equal(table.values[:, 0], [0, NAN, 2])


def test_polars_categories_are_those_of_the_column_sorted():
    pl.Series(["zebra", "other"], dtype=pl.Categorical)  # polars keeps one pool for all columns
    table = Table.of(pl.DataFrame({"a": pl.Series(["pear", "apple", None], dtype=pl.Categorical)}))
    assert table.schema["a"].categories == ("apple", "pear")
    assert_array_equal(table.values[:, 0], [1, 0, NAN])


def test_arrow_chunks_with_dictionaries_of_their_own():
    chunks = [pa.array(["b", "a"]).dictionary_encode(), pa.array(["c", None, "a"]).dictionary_encode()]
    table = Table.of(pa.table({"a": pa.chunked_array(chunks)}))
    assert table.schema["a"].categories == ("b", "a", "c")
    assert_array_equal(table.values[:, 0], [0, 1, 2, NAN, 1])


def test_arrow_dictionary_of_numbers_and_of_nulls():
    numbers = pa.DictionaryArray.from_arrays(pa.array([1, 0, 1], pa.int32()), pa.array([7, 5]))
    assert Table.of(pa.table({"a": numbers})).schema["a"].categories == (7, 5)
    with_missing = pa.DictionaryArray.from_arrays(pa.array([1, 0, None], pa.int32()), pa.array(["x", None]))
    table = Table.of(pa.table({"a": with_missing}))
    assert table.schema["a"].categories == ("x",)
    assert_array_equal(table.values[:, 0], [NAN, 0, NAN])


def test_pandas_categories_of_any_type():
    frame = pd.DataFrame({"a": pd.Categorical([3, 1, 3]), "b": pd.Categorical([2.5, None, 1.5])})
    table = Table.of(frame)
    assert table.schema["a"].categories == (1, 3)
    assert table.schema["b"].categories == (1.5, 2.5)
    spans = pd.cut(pd.Series([1.0, 5.0, 9.0]), [0, 4, 10])
    assert Table.of(pd.DataFrame({"a": spans})).schema["a"].kind == "ordinal"


def test_mixed_objects_are_categories_by_type_and_text():
    table = Table.of({"a": ["b", 1, None, 2.5, "a"]})
    assert table.schema["a"].categories == (2.5, 1, "a", "b")
    assert_array_equal(table.values[:, 0], [3, 1, NAN, 0, 2])


def test_bytes_are_text():
    reference = Table.of({"a": ["x", "é", None]})
    same(Table.of({"a": [b"x", "é".encode(), None]}), reference)
    same(Table.of(pa.table({"a": pa.array([b"x", "é".encode(), None], pa.binary())})), reference)
    same(Table.of(pl.DataFrame({"a": [b"x", "é".encode(), None]})), reference)
    assert Table.of(np.array([[b"x"], [b"y"]])).schema[0].categories == ("x", "y")
    with pytest.raises(DataError, match=r"'a'.*bytes"):
        Table.of({"a": [b"\xff\xfe", b"x"]})


def test_text_arrays():
    for X in (
        np.array([["x", "1"], ["y", "2"]]),
        np.array([["x", "1"], ["y", "2"]], dtype=object),
        [["x", "1"], ["y", "2"]],
    ):
        table = Table.of(X)
        assert [c.categories for c in table.schema] == [("x", "y"), ("1", "2")]
    assert [c.kind for c in Table.of([["x", 1], ["y", 2.5]]).schema] == ["nominal", "numeric"]


def test_numbers_declared_as_categories():
    table = Table.of(pd.DataFrame({"a": [2, 1, 2]}), kinds={"a": "nominal"})
    assert table.schema["a"] == Column("a", "nominal", (1, 2))
    assert_array_equal(Table.like({"a": [1.0, 9, None]}, table.schema).values[:, 0], [0, -1, NAN])
    with pytest.raises(SchemaError, match="no column 'b'"):
        Table.of(pd.DataFrame({"a": [2, 1, 2]}), kinds={"b": "nominal"})
    with pytest.raises(SchemaError, match=r"column 'a' holds 'x' in index 0, expected numbers"):
        Table.of(pd.DataFrame({"a": ["x"]}), kinds={"a": "numeric"})
    assert Table.of(table, kinds={"a": "ordinal"}).schema["a"] == Column("a", "ordinal", (1, 2))


# Dates


def test_moments_with_a_time_zone_are_the_instant():
    plain = pd.Series(pd.to_datetime(["1970-01-01 12:00", None]))
    local = plain.dt.tz_localize("UTC").dt.tz_convert("America/New_York")
    for frame in (
        pd.DataFrame({"t": plain}),
        pd.DataFrame({"t": local}),
        pl.DataFrame({"t": pl.from_pandas(local)}),
        pa.table({"t": pa.Array.from_pandas(local)}),
        {"t": [dt.datetime(1970, 1, 1, 7, tzinfo=dt.timezone(dt.timedelta(hours=-5))), None]},
    ):
        table = Table.of(frame)
        assert table.schema["t"] == Column("t", date=True)
        assert_array_equal(table.values[:, 0], [0.5, NAN])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_units_of_time(unit):
    moments = np.array(["1970-01-02", "NaT"], dtype=f"datetime64[{unit}]")
    for X in ({"t": moments}, pd.DataFrame({"t": moments}), pa.table({"t": pa.array(moments)})):
        assert_array_equal(Table.of(X).values[:, 0], [1, NAN])


def test_dates_as_text_fit_a_date_column():
    schema = Table.of({"t": [dt.date(2020, 1, 1)]}).schema
    assert Table.like({"t": ["1970-01-03", None]}, schema).values[0, 0] == 2.0
    with pytest.raises(
        SchemaError, match="held dates when the model was fitted; now it holds 'soon' in row 3"
    ):
        Table.like({"t": ["2020-01-01", None, "soon", "a"]}, schema)


def test_labels_of_dates_keep_the_microsecond():
    moment = dt.datetime(2026, 11, 15, 9, 30, 0, 250001)
    table = Table.of({"t": [moment, dt.datetime(2026, 1, 1)]})
    assert table.to_columns() == {"t": ["2026-11-15T09:30:00.250001", "2026-01-01"]}


# Matching at predict time


def test_columns_are_matched_by_name():
    schema = Table.of(pd.DataFrame({"a": [1.0], "b": ["x"]})).schema
    assert_array_equal(Table.like(pl.DataFrame({"b": ["x"], "a": [3]}), schema).values, [[3, 0]])
    with pytest.raises(SchemaError, match="missing: b"):
        Table.like(pd.DataFrame({"a": [1.0]}), schema)
    with pytest.raises(SchemaError, match="not seen in fit: c"):
        Table.like(pd.DataFrame({"a": [1.0], "b": ["x"], "c": [1]}), schema)
    with pytest.raises(
        SchemaError, match="'a' was numeric when the model was fitted; now it holds 'x' in index 0"
    ):
        Table.like(pd.DataFrame({"a": ["x"], "b": ["x"]}), schema)


def test_unseen_categories_are_told():
    schema = Table.of(pd.DataFrame({"b": ["x", "y"]})).schema
    table = Table.like(pd.DataFrame({"b": ["z", "x", None, "w", "z"]}), schema)
    assert_array_equal(table.values[:, 0], [-1, 0, NAN, -1, -1])
    assert table.unseen == {"b": ["w", "z"]}


def test_numbers_meet_categories_that_were_read_as_text():
    """A column with one word in it is text; later rows without the word are numbers."""
    schema = Table.of({"a": ["1", "2.5", "x", "True"]}).schema
    assert_array_equal(Table.like({"a": [1, 2.5, 7]}, schema).values[:, 0], [0, 1, -1])
    assert_array_equal(Table.like(np.array([[1.0], [NAN]]), schema).values[:, 0], [0, NAN])


def test_dates_meet_categories_that_were_read_as_text():
    schema = Table.of({"a": ["2020-01-01", "soon"]}).schema
    table = Table.like({"a": [dt.date(2020, 1, 1), dt.date(2021, 1, 1)]}, schema)
    assert_array_equal(table.values[:, 0], [0, -1])
    assert table.unseen == {"a": ["2021-01-01"]}


def test_an_empty_column_at_predict_time_is_missing():
    schema = Table.of({"a": [1.0], "b": ["x"], "d": [dt.date(2020, 1, 1)]}).schema
    for frame in (
        pd.DataFrame({"a": [None], "b": [None], "d": [None]}),
        pl.DataFrame({"a": [None], "b": [None], "d": [None]}),
    ):
        assert_array_equal(Table.like(frame, schema).values, [[NAN, NAN, NAN]])


# What is refused


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (pd.DataFrame({"a": []}), DataError, r"0 sample\(s\)"),
        (pl.DataFrame({"a": []}), DataError, r"0 sample\(s\)"),
        (pa.table({"a": pa.array([], pa.float64())}), DataError, r"0 sample\(s\)"),
        ({"a": []}, DataError, r"0 sample\(s\)"),
        (pd.DataFrame(index=[0, 1]), DataError, r"0 feature\(s\)"),
        ({}, DataError, r"0 feature\(s\)"),
        (np.empty((0, 2)), ValueError, r"0 sample\(s\)"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), SchemaError, "'a' is there more than once"),
        (pa.table([[1], [2]], names=["a", "a"]), SchemaError, "'a' is there more than once"),
        ({1: [1], "1": [2]}, SchemaError, "'1' is there more than once"),
        ({"a": [1, 2], "b": [1]}, DataError, r"differ in length"),
        ({"a": "text"}, DataError, r"X is a dict of single values.*one row.*\[row\]"),
        ({"a": 3, "b": "x"}, DataError, r"X is a dict of single values.*one row.*\[row\]"),
        ({"a": [1, 2], "b": "x"}, DataError, r"'b' is one value \('x'\), expected a column"),
        (pd.Series([1, 2]), DataError, r"X is a Series. Give a frame: for one row df.iloc\[\[i\]\]"),
        (pl.Series([1, 2]), DataError, "X is a Series"),
        (load_apples(), DataError, "X is a Dataset, rows and target in one. Take it apart: X, y = data"),
        ([["x", 1], ["y"]], DataError, "differ in length"),
        ([["x", 1], "yz"], DataError, "differ in length"),
        ([[1, 2], [3]], DataError, r"differ in length: \[1, 2\]"),
        ([[1, 2], 3], DataError, "differ in length"),
        (pd.DataFrame({"a": [[1], [2]]}), DataError, "'a'"),
        ({"a": [{"k": 1}, 2]}, DataError, "'a'"),
        ({"a": [np.zeros(2), np.ones(2)]}, DataError, "'a'"),
        (pa.table({"a": [[1], [2]]}), SchemaError, "'a' has type List"),
        (pl.DataFrame({"a": [{"k": 1}]}), SchemaError, "'a' has type Struct"),
        (pl.DataFrame({"a": [1.0]}).lazy(), DataError, "lazy.*collect"),
        ([[1.0, np.inf]], DataError, "infinity .*: column x1, row 1"),
        (pd.DataFrame({"a": [1.0, -np.inf]}), DataError, "infinity .*: column a, index 1"),
        (np.array([[1 + 2j]]), ValueError, "[Cc]omplex"),
        (np.zeros(3), ValueError, "2D"),
        (pd.Series([1.0, 2.0]), ValueError, "2D"),
        (pl.Series([1.0, 2.0]), ValueError, "2D"),
        (np.array(["a", "b"]), ValueError, "2D"),
        ("text", ValueError, "."),
        (None, ValueError, "."),
        (7, ValueError, "."),
    ],
)  # fmt: skip
def test_what_is_refused_and_with_which_words(X, error, words):
    with pytest.raises(error, match=words):
        Table.of(X)


def test_column_names_that_are_not_text():
    table = Table.of(pd.DataFrame(np.eye(2)))
    assert (table.schema.names, table.schema.named) == (["0", "1"], False)
    table = Table.of(pd.DataFrame({"größe": [1], "名前": ["x"], "": [2]}))
    assert table.schema.names == ["größe", "名前", ""]


# Sparse


def test_sparse_stays_sparse():
    block = np.array([[0.0, 2.0], [0.0, 0.0], [3.0, 0.0]])
    for kind in (sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.csr_array, sp.lil_matrix):
        table = Table.of(kind(block))
        assert sp.issparse(table.values)
        assert table.values.format == "csr"
        assert_array_equal(table.values.toarray(), block)
        assert table.complete
    with_missing = sp.csr_matrix(np.array([[NAN, 0.0]]))
    assert not Table.of(with_missing).complete
    schema = Table.of(block).schema
    assert_array_equal(Table.like(sp.csr_matrix(block), schema).values.toarray(), block)


def test_sparse_against_a_schema_with_categories_is_refused():
    schema = Table.of({"a": ["x"], "b": [1.0]}).schema
    with pytest.raises(DataError, match="sparse"):
        Table.like(sp.csr_matrix(np.eye(2)), schema)


# Rows


def test_rows_of_a_table():
    table = Table.of({"a": [1.0, NAN, 3.0], "b": ["x", "y", "x"]})
    assert_array_equal(table[[2, 0]].values, [[3, 0], [1, 0]])
    assert table[[2, 0]].complete
    assert not table[:2].complete
    assert len(table[np.array([True, False, False])]) == 1


def test_a_million_strings_are_encoded_by_the_column():
    """No Python call per row: the distinct values are few, and only they are looked at."""
    values = np.array(["apple", "pear", "plum", None], dtype=object)[np.arange(1_000_000) % 4]
    seen = []

    class Spy(str):
        def __hash__(self):
            seen.append(self)
            return super().__hash__()

    frame = pd.DataFrame({"a": pd.Series(values, dtype=object)})
    table = Table.of(frame)
    assert table.schema["a"].categories == ("apple", "pear", "plum")
    assert_array_equal(table.values[:5, 0], [0, 1, 2, NAN, 0])
    Table.of({"a": np.array([Spy("x")] * 1000, dtype=object)})
    assert len(seen) < 1000


def test_a_sparse_table_is_matched_to_another_schema():
    X = sp.csr_array([[0.0, 3.0], [1.0, 0.0]])
    sparse, named = Table.of(X), Table.of({"a": [1.0], "b": [2.0]}).schema
    assert sparse.to_columns() == {"x0": [0.0, 1.0], "x1": [3.0, 0.0]}
    assert Table.like(sparse, named).values.toarray().tolist() == X.toarray().tolist()
    turned = Table(sparse.values, Table.of({"b": [1.0], "a": [2.0]}).schema)
    assert Table.like(turned, named).values.tolist() == X.toarray()[:, ::-1].tolist()
    with pytest.raises(SchemaError, match="2 features"):
        Table.like(sparse, Table.of({"a": [1.0]}).schema)
    with pytest.raises(DataError, match="X is sparse"):
        Table.like(sparse, Table.of({"a": ["u"], "b": [1.0]}).schema)


# Cells that are wrong are named, good ones are not


NUMBERS = Table.of({"a": [1.0, 2.0], "b": ["x", "y"]}).schema


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (
            ["12", "7", "abc", None, "x"],
            "'abc' in {2}, and 1 more such cell, expected numbers",
        ),
        (["12", "7", None, "-", "1"], "'-' in {3}, expected numbers"),
        (
            ["z", "b", "12", "b", "1"],
            "'z' in {0}, and 2 more such cells, expected numbers",
        ),
        (
            [None, "12", "7", "8", "9"],
            "holds numbers as text, such as '12' in {1}, expected numbers",
        ),
    ],
)
def test_text_among_numbers_names_the_cell_that_is_none(make, cells, words):
    frame = make({"a": cells, "b": ["x"] * 5})
    words = words.format(*(row_name(i, frame) for i in range(5)))
    with pytest.raises(
        SchemaError, match="column 'a' was numeric when the model was fitted; now it"
    ) as caught:
        Table.like(frame, NUMBERS)
    assert words in str(caught.value)
    with pytest.raises(SchemaError, match="column 'a' holds") as caught:
        Table.of(frame, kinds={"a": "numeric"})
    assert words in str(caught.value)
    if make is pd.DataFrame:
        frame = frame.set_axis([f"r{i}" for i in range(5)])
        with pytest.raises(SchemaError, match=r"in index r[0-3]"):
            Table.like(frame, NUMBERS)
        words = words.replace("index ", "index r")
    with pytest.raises(SchemaError, match="column 'a' holds") as caught:
        Table.of(Table.of(frame), kinds={"a": "numeric"})
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["x", ([],), "y"], r"holds \(\[\],\) in row 2;"),
        ([1, "a", None, {"k": 1}], r"holds {'k': 1} in row 4;"),
        ([b"ok", b"\xff", b"ok"], r"no UTF-8 text: b'\\xff' in row 2\. Decode"),
        (["text", b"\xff", b"ok"], r"no UTF-8 text: b'\\xff' in row 2\. Decode"),
        ([1, None, 10**400], r"too large for a float: 1000.* in row 3\."),
    ],
)
def test_odd_values_are_named_with_their_row(cells, words):
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    with pytest.raises(DataError, match=words):
        Table.of({"a": column})


def test_bytes_of_arrow_that_are_no_text():
    with pytest.raises(DataError, match=r"b'\\xff' in row 3"):
        Table.of(pa.table({"a": pa.array([b"ok", None, b"\xff"])}))


# One row, and rows as dicts


FRAME = pd.DataFrame(
    {"size": [1.0, 2.0, 3.0, 4.0], "taste": ["sweet", "sour", "sweet", "sour"], "n": [1, 2, 3, 4]}
)


@pytest.mark.parametrize(
    "one",
    [
        FRAME.iloc[1],
        FRAME.iloc[1][["n", "taste", "size"]],
        FRAME.iloc[1].to_dict(),
        [FRAME.iloc[1].to_dict()],
        FRAME.to_dict("records")[1:2],
    ],
)
def test_one_row_is_a_table_of_one_row(one):
    schema = Table.of(FRAME).schema
    assert_array_equal(Table.like(one, schema).values, Table.like(FRAME.iloc[[1]], schema).values)


def test_rows_as_dicts():
    table = Table.of(FRAME.to_dict("records"))
    assert table.schema == Table.of(FRAME).schema
    assert_array_equal(table.values, Table.of(FRAME).values)
    assert Table.of([{"a": 1}, {"b": "x"}]).to_columns() == {"a": [1.0, None], "b": [None, "x"]}


def test_a_row_that_lacks_a_column():
    schema = Table.of(FRAME).schema
    with pytest.raises(SchemaError, match="missing: n"):
        Table.like({"size": 1.0, "taste": "sweet"}, schema)
    with pytest.raises(DataError, match="X is a Series"):
        Table.like(FRAME.iloc[1].drop("n"), schema)
    with pytest.raises(DataError, match="X is a Series"):
        Table.like(FRAME["size"], schema)


@pytest.mark.parametrize(
    "learner", [NaiveBayes(), LogisticRegression(), C45Classifier(), KNeighborsClassifier(1), Prepared()]
)
def test_learners_answer_for_one_row(learner):
    model = learner.fit(FRAME, ["a", "b", "a", "b"])
    for one in (FRAME.iloc[1], FRAME.iloc[1].to_dict(), FRAME.to_dict("records")[1:2]):
        assert_array_equal(model.predict(one), model.predict(FRAME.iloc[[1]]))
        assert model.predict_proba(one).shape == (1, 2)
        assert model.explain(one).row == model.explain(FRAME.iloc[[1]]).row


def test_what_is_known_of_all_rows_is_known_of_some(monkeypatch):
    """A subset of a complete table is complete without another look, and one with missing values is looked at late."""
    from assay.tables import table as module

    whole, broken = (
        Table.of([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        Table.of([[1.0, None], [3.0, 4.0], [5.0, 6.0]]),
    )
    looked = []
    look = module.has_missing
    monkeypatch.setattr(module, "has_missing", lambda values: looked.append(len(values)) or look(values))
    assert whole[[0, 2]].complete and whole[1:].select([1]).complete and not looked
    some, column = broken[[1, 2]], broken.select([1])
    assert not looked
    assert some.complete and not column.complete and some.complete and looked == [2, 3]


def test_columns_are_chosen_with_their_categories_and_unseen_values():
    fruit = Table.of({"weight": [190.0, 260.0], "taste": ["sweet", "sour"]})
    again = Table.like({"weight": [200.0], "taste": ["bitter"]}, fruit.schema)
    chosen = again.select([1])
    assert chosen.schema.names == ["taste"] and chosen.values.tolist() == [[-1.0]]
    assert chosen.unseen == {"taste": ["bitter"]} and again.select([0]).unseen == {}


TEXTS = ["a", "b"]


@pytest.mark.parametrize(
    "X",
    [[], [1.0, 2.0], np.zeros(0), np.zeros(3), TEXTS, [b"a", b"b"], np.array(TEXTS), np.array(TEXTS, object)],
)
def test_single_values_are_no_table_and_the_sentence_shows_how_to_make_one(X):
    with pytest.raises(
        DataError, match=r"^predict: Expected 2D array.*Reshape your data: one row is \[x\]"
    ) as caught:
        Table.of(X, who="predict")
    assert caught.value.code == "one-dimension" and "\n" not in str(caught.value)
