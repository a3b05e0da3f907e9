"""Schemas: what columns are, how blocks are joined, how numbers become values again."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import SchemaError
from assay.tables import Column, Schema, Table
from assay.tables.schema import in_order

VALUES = st.one_of(st.none(), st.text(st.characters(codec="utf-8"), max_size=3))


@settings(max_examples=80, deadline=None)
@given(
    rows=st.lists(st.tuples(VALUES, st.floats(-9, 9)), min_size=1, max_size=20),
    cuts=st.lists(st.integers(1, 19), max_size=3),
)
def test_blocks_merge_to_the_schema_of_the_whole(rows, cuts):
    columns = {"word": pd.Series([r[0] for r in rows], dtype="str"), "number": [r[1] for r in rows]}
    frame = pd.DataFrame(columns)
    edges = [0, *sorted({c for c in cuts if c < len(rows)}), len(rows)]
    blocks = [Table.of(frame.iloc[a:b]).schema for a, b in pairwise(edges)]
    merged = blocks[0]
    for block in blocks[1:]:
        merged = merged.merge(block)
    assert merged == Table.of(frame).schema


def test_declared_categories_keep_their_order_when_joined():
    low = Schema([Column("a", "ordinal", ("low", "high"))])
    assert low.merge(Schema([Column("a", "ordinal", ("low", "highest"))]))["a"].categories == (
        "low",
        "high",
        "highest",
    )


@pytest.mark.parametrize(
    "other",
    [Column("a"), Column("a", date=True), Column("a", "ordinal", ("x",)), Column("a", "nominal", ("x",))],
)
def test_a_block_without_values_takes_the_kind_of_the_others(other):
    empty = Column("a", "nominal", ())
    assert empty.merge(other) == other
    assert other.merge(empty) == other


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Column("a"), Column("a", "nominal", ("x",))),
        (Column("a"), Column("a", date=True)),
        (Column("a", "ordinal", ("x",)), Column("a", "nominal", ("x",))),
    ],
)
def test_columns_of_different_kinds_are_not_joined(a, b):
    with pytest.raises(SchemaError, match="Column 'a' is"):
        Schema([a]).merge(Schema([b]))


def test_blocks_with_different_columns_are_not_joined():
    with pytest.raises(SchemaError, match="differ in their columns"):
        Schema([Column("a")]).merge(Schema([Column("b")]))


def test_columns_by_name_and_position():
    schema = Schema([Column("a"), Column("b", "nominal", ("x", "y"))])
    assert schema["b"] == schema[1]
    assert schema.index("b") == 1
    assert schema.names == ["a", "b"]
    assert schema.coded.tolist() == [False, True]
    with pytest.raises(SchemaError, match=r"There is no column 'c'\. Columns: a, b\."):
        schema["c"]


def test_labels():
    schema = Schema([Column("a"), Column("b", "nominal", ("x", "y")), Column("t", date=True)])
    assert schema.label(0, 1.5) == 1.5
    assert schema.label(1, 1.0) == "y"
    assert schema.label(1, -1.0) is None
    assert schema.label(2, np.nan) is None
    assert [schema.label(2, v) for v in (0.0, 0.5, -1.25, 1 / 86400e6)] == [
        "1970-01-01", "1970-01-01T12:00:00", "1969-12-30T18:00:00", "1970-01-01T00:00:00.000001",
    ]  # fmt: skip


def test_values_in_order():
    assert in_order(["b", "a"]) == ("a", "b")
    assert in_order(["b", 2, "a", 1.5]) == (1.5, 2, "a", "b")


def test_many_categories_are_joined_quickly():
    """One look-up per category: joining n with n is n steps, not n squared."""
    looked = []

    class Counted(str):
        def __hash__(self):
            looked.append(1)
            return str.__hash__(self)

    a = tuple(Counted(f"{i:06d}") for i in range(3000))
    b = tuple(Counted(f"{i:06d}") for i in range(1500, 4500))
    merged = Column("a", "nominal", a).merge(Column("a", "nominal", b))
    assert len(merged.categories) == 4500
    assert len(looked) < 20_000


def test_what_a_schema_prints():
    schema = Table.of(
        pd.DataFrame({"weight": [1.0], "taste": ["sweet"], "t": pd.to_datetime(["2020-01-01"])})
    ).schema
    assert repr(schema).splitlines() == [
        "Schema: 3 columns",
        "  weight  numeric",
        "  taste   nominal  sweet",
        "  t       date",
    ]
    assert repr(Schema.numeric(40)).splitlines()[-1] == "  ... and 10 more"
    assert repr(Column("a", "nominal", tuple("abcdefgh"))) == "Column('a', nominal: a, b, c, d, e, f, ...)"


def test_more_columns_than_can_be_kept_are_refused_at_once():
    with pytest.raises(SchemaError, match="at most 50,000,000 columns, got 2,147,483,648"):
        Schema.numeric(2**31)
