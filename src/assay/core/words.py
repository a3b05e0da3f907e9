"""Values as words: numbers that read back as themselves, labels that cannot be mistaken for something else."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from assay.tables import Column
from assay.tables.schema import moment

__all__ = [
    "column_word",
    "date_ceil",
    "date_floor",
    "label_word",
    "listed",
    "number",
    "one_line",
    "quoted",
    "shorter",
    "value_word",
]

DAY = 86_400_000_000  # microseconds


def number(x: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without a point.

    >>> from assay.core.words import number
    >>> number(38.5), number(50000.0), number(0.1 + 0.2), number(-0.0)
    ('38.5', '50000', '0.30000000000000004', '0')
    """
    return repr(float(x) + 0.0).removesuffix(".0")


def shorter(x: float, digits: int = 6) -> str:
    """A number rounded to some significant digits, for drawings.

    >>> from assay.core.words import shorter
    >>> shorter(4.950000047683716), shorter(123456789.0), shorter(-0.0)
    ('4.95', '123456789', '0')
    """
    x = float(x) + 0.0
    exact = number(x)
    rounded = f"{x:.0f}" if 10.0**digits <= abs(x) < 1e15 else f"{x:.{digits}g}"
    return exact if len(exact) <= len(rounded) else rounded


def one_line(text: object, limit: int | None = None) -> str:
    r"""Text in one line: what cannot be printed is written as an escape; long text is cut if there is a limit.

    >>> from assay.core.words import one_line
    >>> one_line("two\nlines"), one_line("a long label", 8)
    ('two\\nlines', 'a lon...')
    """
    line = str(text)
    if not line.isprintable():
        line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return line if limit is None or len(line) <= limit else line[: max(limit - 3, 1)] + "..."


def quoted(value: Any) -> str:
    """A label between quotes if it is text, a quote inside doubled; other values as they print.

    >>> from assay.core.words import quoted
    >>> quoted("A"), quoted("it's"), quoted(3), quoted(True), quoted(2.0)
    ("'A'", "'it''s'", '3', 'True', '2')
    """
    if isinstance(value, str):
        return "'" + one_line(value.replace("'", "''")) + "'"
    if isinstance(value, (float, np.floating)):
        return number(float(value))
    return one_line(value)


def label_word(value: Any) -> str:
    r"""A label as rules print it: like :func:`quoted`, and a backslash doubled, so that it reads back as itself.

    >>> from assay.core.words import label_word
    >>> print(label_word("two\nlines"), label_word("a\\b"))
    'two\nlines' 'a\\b'
    """
    return quoted(value.replace("\\", "\\\\") if isinstance(value, str) else value)


@lru_cache(maxsize=4096)
def column_word(name: str) -> str:
    """A column's name as rules print it: plain if nothing can be mistaken, else between double quotes.

    >>> from assay.core.words import column_word
    >>> column_word("petal length (cm)"), column_word("job-type"), column_word("this and that"), column_word("3d")
    ('petal length (cm)', 'job-type', '"this and that"', '"3d"')
    """
    plain = _PLAIN.fullmatch(name) and name.isprintable() and name.count("(") == name.count(")")
    words = re.split(r"[ ()]+", name.lower())
    first = re.split(r"\W", words[0], maxsplit=1)[0]  # the first word would be read before the name
    if plain and not _KEYWORDS.intersection([first, *words]):
        return name
    return '"' + one_line(name.replace("\\", "\\\\").replace('"', '""')) + '"'


_PLAIN = re.compile(r"[^\W\d](?:[\w./%$€£°&@()]|(?<=\w)-(?=\w)| (?![ ])(?!$))*")
_KEYWORDS = {
    "if",
    "then",
    "else",
    "and",
    "or",
    "not",
    "in",
    "is",
    "between",
    "missing",
    "known",
    "anything",
    "true",
}
_KEYWORDS |= {"inf", "infinity", "nan", "default", "otherwise"}


def bare_label(value: Any) -> str:
    """A label without quotes unless it could be mistaken for a number, a list or an operator.

    >>> from assay.core.words import bare_label
    >>> bare_label("yellow-green"), bare_label("3"), bare_label("a, b"), bare_label("")
    ('yellow-green', "'3'", "'a, b'", "''")
    """
    if not isinstance(value, str):
        return quoted(value)
    try:
        float(value)
    except ValueError:
        odd = not value or value != value.strip() or any(c in value for c in ",{}'\"<>=:")
        return quoted(value) if odd else one_line(value)
    return quoted(value)


def listed(values: Sequence[str], limit: int | None = None) -> str:
    """``{a, b, c}``; of more than ``limit`` values the rest is counted.

    >>> from assay.core.words import listed
    >>> listed(["a", "b", "c", "d"]), listed(["a", "b", "c", "d"], limit=2)
    ('{a, b, c, d}', '{a, b, 2 more}')
    """
    if limit is not None and len(values) > limit:
        values = [*values[:limit], f"{len(values) - limit} more"]
    return "{" + ", ".join(values) + "}"


def date_floor(days: float) -> str:
    """The last moment that is not after a number of days since 1970.

    Dates are held to the microsecond, so "not after this moment" and "not more than these days" are the same.

    >>> from assay.core.words import date_floor
    >>> date_floor(18262.0), date_floor(18262.5)
    ('2020-01-01', '2020-01-01T12:00:00')
    """
    return _moment(days, later=False)


def date_ceil(days: float) -> str:
    """The first moment that is not before a number of days since 1970.

    >>> from assay.core.words import date_ceil
    >>> date_ceil(18262.0), date_ceil(1e-11)
    ('2020-01-01', '1970-01-01T00:00:00.000001')
    """
    return _moment(days, later=True)


def round_date(days: float, later: bool) -> float:
    """The days of the next moment that dates can hold, later or earlier."""
    return _micro(days, later) / DAY if abs(days) < 2e7 else days


def _moment(days: float, later: bool) -> str:
    if not abs(days) < 2e7:  # beyond the years that dates can have
        return f"day {number(days)}"
    text = str(np.datetime64(_micro(days, later), "us"))
    return text.removesuffix(".000000").removesuffix("T00:00:00")


def _micro(days: float, later: bool) -> int:
    """The microsecond that is not after these days, or not before them."""
    micro = math.floor(days * DAY)
    while (micro + 1) / DAY <= days:
        micro += 1
    while micro / DAY > days:
        micro -= 1
    return micro + 1 if later and micro / DAY < days else micro


def value_word(column: Column, value: float) -> str:
    """A value of a column's float block in words: a label for a code, a date for days, else the number."""
    if math.isnan(value) or (column.coded and value < 0):
        return "missing"
    if column.coded:
        return quoted(column.categories[int(value)])
    return moment(value) if column.date else number(value)
