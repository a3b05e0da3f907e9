"""Plain JSON lines, by Arrow's parser: a block of lines whose columns are those of the lines before it.

Arrow's parser is some seven times as quick as Python's, and more lenient: it takes two objects in a line or one in two
lines, and integers of any length as floats. So a block goes this way only where both give the same columns; for every
other block, the answer (or the error, with its line) is left to the reader that goes record by record.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.tables.readers import kinds
from assay.tables.readers.objects import Part, text_part

MOST_BRACKETS = 256  # open brackets in a line: the parser recurses
EXACT = 2.0**53  # whole floats below it are those of their digits


def plain_columns(
    lines: bytes, known: Mapping[str, str], missing: Sequence[str] = ()
) -> dict[str, Part] | None:
    """The columns of lines that hold one flat object each, with no other keys and types than the known ones, or None.

    >>> plain_columns(b'{"a": 1}\\n{"a": 2}\\n', {"a": "whole"})["a"].values.to_pylist()
    [1, 2]
    >>> plain_columns(b'{"a": 1}\\n{"a": "x"}\\n', {"a": "whole"}) is None
    True
    """
    import pyarrow as pa
    from pyarrow import json

    if not known or kinds.NESTED in known.values():
        return None
    lines = lines.strip(b" \t\r\n")
    if not one_object_a_line(lines) or b"-NaN" in lines or _is_deep(lines):
        return None
    schema = pa.schema([(name, _declared(kind)) for name, kind in known.items()])
    try:
        table = json.read_json(
            pa.BufferReader(lines),
            json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="error"),
        )
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None
    if len(table) != lines.count(b"\n") + 1:  # two objects in a line
        return None
    parts = {name: _part(table.column(name).combine_chunks(), missing) for name in known}
    return None if None in parts.values() else parts  # type: ignore[return-value]


def one_object_a_line(lines: bytes) -> bool:
    """Whether every line begins with { and ends with }, so that no object goes over the end of a line.

    After } comes no { inside of an object or list. A line may still hold two objects: count them.
    """
    ends = lines.count(b"}\n{") + (lines.count(b"}\r\n{") if b"\r" in lines else 0)
    return lines[:1] == b"{" and lines[-1:] == b"}" and ends == lines.count(b"\n")


def _is_deep(lines: bytes) -> bool:
    """Whether objects or lists may be nested deeply in some line; brackets in text count as well."""
    brackets = lines.count(b"[") + lines.count(b"{") - lines.count(b"\n")
    if brackets <= MOST_BRACKETS:
        return False
    return any(line.count(b"[") + line.count(b"{") > MOST_BRACKETS for line in lines.split(b"\n"))


def _declared(kind: str) -> Any:
    """What the parser is to expect: dates are text to it."""
    import pyarrow as pa

    if kind == kinds.NO_VALUES:
        return pa.null()
    return kinds.arrow_type(kind) if kind in (kinds.BOOL, kinds.WHOLE, kinds.NUMBER) else pa.string()


def _part(values: Any, missing: Sequence[str]) -> Part | None:
    """A column as its part; None if its numbers may not be those of its digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type):
        if missing:
            marks = [
                text for text in pc.unique(values).to_pylist() if text is not None and text.strip() in missing
            ]
            values = pc.if_else(
                pc.is_in(values, pa.array(marks, pa.string())), pa.scalar(None, pa.string()), values
            )
        return text_part(values)
    if pa.types.is_float64(values.type):
        values = pc.if_else(pc.is_nan(values), pa.scalar(None, pa.float64()), values)
        extent = pc.max(pc.abs(values)).as_py()
        if extent is not None and extent >= EXACT:
            return None
    if values.null_count == len(values):
        return Part(kinds.NO_VALUES, pa.nulls(len(values), pa.float64()))
    if pa.types.is_float64(values.type):
        return Part(kinds.NUMBER, values)
    return Part(kinds.WHOLE if pa.types.is_int64(values.type) else kinds.BOOL, values)
