"""Columns of Python values, as JSON and spreadsheets give them: what each is, and its Arrow values."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from assay.tables.readers import kinds


class Part(NamedTuple):
    """Some rows of a column: what they are, and an Arrow array (text as it stands, also of dates)."""

    kind: str
    values: Any


def part_of(values: Sequence[Any], missing: Collection[str] = ()) -> Part:
    """The narrowest type that holds the values; text that is a mark of missing values is null.

    >>> part_of([1, 2.5, None]).kind, part_of([1, "a"]).kind, part_of(["2026-01-31", None]).kind
    ('number', 'text', 'date')
    """
    import pyarrow as pa

    cells, types = values, set(map(type, values))
    if any(issubclass(t, float) for t in types):
        cells = [None if v != v else v for v in cells]
        types = set(map(type, cells))
    if missing and str in types:
        cells = [None if isinstance(v, str) and v.strip() in missing else v for v in cells]
        types = set(map(type, cells))
    types.discard(type(None))
    if not types:
        return Part(kinds.NO_VALUES, pa.nulls(len(cells), pa.float64()))
    if types & {dict, list}:
        return Part(kinds.NESTED, pa.nulls(len(cells)))
    if types == {bool}:
        return Part(kinds.BOOL, pa.array(cells, pa.bool_()))
    if types == {int}:
        try:
            return Part(kinds.WHOLE, pa.array(cells, pa.int64()))
        except (OverflowError, pa.ArrowInvalid):
            types = {int, float}
    if types <= {int, float}:
        try:
            return Part(
                kinds.NUMBER, pa.array([None if v is None else float(v) for v in cells], pa.float64())
            )
        except OverflowError:  # a whole number of hundreds of digits
            return Part(kinds.TEXT, pa.array([_text(v) for v in cells], pa.string()))
    if types <= {dt.datetime, dt.date}:
        kind = (
            kinds.MOMENT
            if any(isinstance(v, dt.datetime) and v.time() != dt.time() for v in cells)
            else kinds.DATE
        )
        return Part(kind, pa.array([_text(v) for v in cells], pa.string()))
    if types == {str}:
        return text_part(pa.array(cells, pa.string()))
    write = str if types <= {str, int} else _text
    return Part(kinds.TEXT, pa.array([None if v is None else write(v) for v in cells], pa.string()))


def text_part(text: Any) -> Part:
    """A column of text: dates if every cell is one; text that could be a number stays text."""
    import pyarrow as pa

    if text.null_count == len(text):
        return Part(kinds.NO_VALUES, pa.nulls(len(text), pa.float64()))
    kind = kinds.infer(text)[0]
    return Part(kind if kind in (kinds.DATE, kinds.MOMENT, kinds.ZONED) else kinds.TEXT, text)


def finished(part: Part | None, kind: str, size: int) -> Any:
    """A part as the type of its whole column; no part is nothing but missing values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if part is None or part.kind == kinds.NO_VALUES:
        return pa.nulls(size, kinds.arrow_type(kind))
    if kind == kinds.TEXT:
        if pa.types.is_string(part.values.type):
            return part.values
        return pa.array([_text(v) for v in part.values.to_pylist()], pa.string())
    if kind in (kinds.DATE, kinds.MOMENT, kinds.ZONED):
        return kinds.convert(part.values, kind)
    return pc.cast(part.values, kinds.arrow_type(kind), safe=False)


def _text(value: Any) -> str | None:
    """A value as text; whole floats without their point, so that 1 and 1.0 are one category."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat(" ")
    return str(value)
