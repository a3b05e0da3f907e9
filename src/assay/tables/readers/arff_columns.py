"""Columns of an ARFF data section, from text to types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.tables.readers.arff_header import Attribute
from assay.tables.readers.arff_rows import Row
from assay.tables.readers.dates import DatePattern
from assay.tables.readers.source import shown


class BadCell(Exception):
    """A value that its attribute does not take: the row, counted from 0, and what is wrong."""

    def __init__(self, row: int, what: str):
        super().__init__(what)
        self.row, self.what = row, what


def numbers(text: Any) -> Any:
    """Text as floats; the first that is none is a BadCell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.cast(text, pa.float64())
    except pa.ArrowInvalid:
        for i, value in enumerate(text.to_pylist()):
            try:
                pc.cast(pa.array([value]), pa.float64())
            except pa.ArrowInvalid:
                raise BadCell(i, f"{shown(value)} is not a number.") from None
        raise


def nominal(text: Any, categories: tuple[str, ...]) -> Any:
    """Text as a dictionary with the declared categories, in their order; any other value is a BadCell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.index_in(text, pa.array(categories, pa.string()))
    if codes.null_count != text.null_count:
        i = pc.index(pc.and_(pc.is_null(codes), pc.is_valid(text)), True).as_py()
        listed = ", ".join(categories[:10]) + (", ..." if len(categories) > 10 else "")
        raise BadCell(i, f"{shown(text[i].as_py())} is not one of the categories {{{listed[:200]}}}.")
    return pa.DictionaryArray.from_arrays(codes, pa.array(categories, pa.string()))


def omitted(attribute: Attribute) -> str | None:
    """The value that a sparse row leaves out, as text."""
    if attribute.kind == "numeric":
        return "0"
    if attribute.kind == "nominal" and attribute.categories:
        return attribute.categories[0]
    if attribute.kind == "date":
        return DatePattern.EPOCH
    return None


def spread(rows: list[Row], j: int, left_out: str | None = None) -> Any:
    """Column j of the rows as Arrow text."""
    import pyarrow as pa

    return pa.array(
        [row.cells[j] if row.sparse is None else row.sparse.get(j, left_out) for row in rows], pa.string()
    )


def nulls(n: int) -> Any:
    """Text that is missing throughout."""
    import pyarrow as pa

    return pa.nulls(n, pa.string())


def without_marks(text: Any, marks: Sequence[str]) -> Any:
    """Text with nulls for the values that are one of the marks."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.if_else(pc.is_in(text, pa.array(list(marks), pa.string())), pa.scalar(None, pa.string()), text)
