"""From text to typed columns: what every cell can be decides what the column is.

A column's type is the narrowest one that holds all of its cells::

    nothing < quoted missing marks < whole < number          < text
                                   < date  < moment          < text
                                   < zoned moment            < text
            < true or false                                  < text
                                                               text < nested

The rule looks at single cells only, so a file read in blocks gets the types that it would get when read
at once: the types of the blocks are joined with ``join``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.tables.marks import MISSING

NO_VALUES, MARKS, BOOL, WHOLE, NUMBER, DATE, MOMENT, ZONED, TEXT, NESTED = (
    "nothing",
    "marks",
    "bool",
    "whole",
    "number",
    "date",
    "moment",
    "zoned",
    "text",
    "nested",
)

DIGITS = frozenset("0123456789+-.,")

NUMBERS = (NO_VALUES, MARKS, WHOLE, NUMBER)  # a column may yet hold numbers

_UP = {NO_VALUES: 0, MARKS: 1, BOOL: 1, WHOLE: 2, DATE: 2, ZONED: 2, NUMBER: 3, MOMENT: 3, TEXT: 4}
_CHAINS = (
    {NO_VALUES, MARKS, WHOLE, NUMBER},
    {NO_VALUES, MARKS, DATE, MOMENT},
    {NO_VALUES, MARKS, ZONED},
    {NO_VALUES, BOOL},
)


def join(a: str, b: str) -> str:
    """The narrowest type that holds the cells of both.

    >>> join("whole", "number"), join("whole", "date"), join("nothing", "date")
    ('number', 'text', 'date')
    """
    for chain in _CHAINS:
        if a in chain and b in chain:
            return a if _UP[a] >= _UP[b] else b
    return NESTED if NESTED in (a, b) else TEXT


@cache
def arrow_type(kind: str) -> Any:
    """The Arrow type of a column."""
    import pyarrow as pa

    return {
        NO_VALUES: pa.float64(),
        MARKS: pa.string(),
        BOOL: pa.bool_(),
        WHOLE: pa.int64(),
        NUMBER: pa.float64(),
        DATE: pa.date32(),
        MOMENT: pa.timestamp("us"),
        ZONED: pa.timestamp("us", "UTC"),
        TEXT: pa.string(),
    }[kind]


def infer(text: Any, decimal: str = ".") -> tuple[str, Any]:
    """The type of a text column and its values by that type (text itself for marks and text)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if text.null_count == len(text):
        return NO_VALUES, pa.nulls(len(text), pa.float64())
    typed = _typed(text, decimal)
    if typed is not None and not (typed[0] == NUMBER and pc.any(pc.is_nan(typed[1])).as_py()):
        return typed
    marks = pc.is_in(pc.utf8_trim_whitespace(text), pa.array(MISSING))  # a quoted nan is a mark, not a number
    if not pc.any(marks).as_py():
        return typed or (TEXT, text)
    without_marks = pc.if_else(marks, pa.scalar(None, text.type), text)
    if without_marks.null_count == len(without_marks):
        return MARKS, text
    return _typed(without_marks, decimal) or (TEXT, text)


def convert(text: Any, kind: str, decimal: str = ".") -> Any:
    """A text column as the type that was found for its whole file."""
    import pyarrow.compute as pc

    if kind == NUMBER and decimal == ".":
        values = _cast(text, arrow_type(kind))
        if values is not None and not pc.any(pc.is_nan(values)).as_py():
            return values
    narrow, values = infer(text, decimal)
    return raise_to(narrow, values, kind) if kind != TEXT else text


def raise_to(narrow: str, values: Any, kind: str) -> Any:
    """Values of type ``found`` as the wider type ``kind``; None if only the text can tell them."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if arrow_type(narrow) == arrow_type(kind) and narrow != NO_VALUES:
        return values
    if narrow in (NO_VALUES, MARKS):
        return pa.nulls(len(values), arrow_type(kind))
    if kind == TEXT:
        return None
    return pc.cast(values, arrow_type(kind), safe=False)


def is_text(type_: Any) -> bool:
    """Whether an Arrow type is text."""
    import pyarrow as pa

    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return any(test(type_) for test in tests)


def without_marks(text: Any, marks: Any) -> Any:
    """A text column with nulls for the cells that are one of the marks, spaces aside."""
    import pyarrow as pa
    import pyarrow.compute as pc

    known = pa.array(list(marks), pa.string())
    return pc.if_else(pc.is_in(pc.utf8_trim_whitespace(text), known), pa.scalar(None, pa.string()), text)


def is_text_cell(cell: str, decimal: str = ".") -> bool:
    """Whether one cell shows that its column is text.

    >>> is_text_cell("apple"), is_text_cell("12 apples"), is_text_cell("1 200"), is_text_cell("NA")
    (True, True, False, False)
    """
    import pyarrow as pa

    bare = cell.strip()
    if not _may_be_number(bare) and bare not in MISSING:
        return True
    return infer(pa.array([cell]), decimal)[0] == TEXT


def _may_be_number(cell: str) -> bool:
    return cell[:1] in DIGITS or cell[:3].lower() in ("inf", "nan")


def _typed(text: Any, decimal: str) -> tuple[str, Any] | None:
    """Numbers or dates, if every cell there is one.

    The first cell tells which to try; what it rules out, the whole column cannot be.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    first = text[pc.index(pc.is_valid(text), True).as_py()].as_py().strip()
    if first[:4].isdigit() and first[4:5] == "-":
        for kind in (DATE, MOMENT, ZONED):
            values = _cast(text, arrow_type(kind))
            if values is not None:
                return kind, values
        return None
    if not _may_be_number(first):
        return None
    values = None if decimal == "," else _cast(text, pa.float64())
    if values is None:
        text = _plain_numbers(text, decimal)
        values = None if text is None else _cast(text, pa.float64())
        if values is None:
            return None
    whole = _cast(text, pa.int64())
    return (NUMBER, values) if whole is None else (WHOLE, whole)


def _cast(text: Any, type_: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        if len(text) > 64:  # most columns that fail do so at once
            pc.cast(text.slice(0, 64), type_)
        return pc.cast(text, type_)
    except pa.ArrowInvalid:
        return None


def _plain_numbers(text: Any, decimal: str) -> Any:
    """Numbers without spaces around them, group marks and decimal commas; None if that is not all."""
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(text)
    point, group = (r"\.", ",") if decimal == "." else (",", r"\.")
    grouped = rf"^[+-]?[1-9][0-9]{{0,2}}((({group}[0-9]{{3}})+)|(([ '\x{{A0}}\x{{202F}}][0-9]{{3}})+))({point}[0-9]+)?$"
    inside = pc.match_substring_regex(text, grouped)
    if pc.any(inside).as_py():
        bare = pc.replace_substring_regex(text, rf"[{group} '\x{{A0}}\x{{202F}}]", "")
        text = pc.if_else(inside, bare, text)
    elif decimal == ".":
        return text
    if decimal == ",":
        if pc.any(pc.match_substring(text, ".")).as_py():
            return None  # the point groups digits in this file; here it does not
        text = pc.replace_substring(text, ",", ".")
    return text
