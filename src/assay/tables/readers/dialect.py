"""How a delimited file is written: its delimiter, quotes, header and decimal mark, inferred from a sample."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

from assay.tables.marks import MISSING
from assay.tables.readers.delimited import Malformed, Record, tokenize

Score = tuple[bool, float, int, float, int]  # compared from the left
DELIMITERS = (b",", b";", b"\t", b"|")
SAMPLE_ROWS = 200  # records of the sample that are looked at
NO_DELIMITER = b"\x1f"  # for files of one column whose text has commas in it

# Matched in linear time: no two repeats that follow each other can share a character.
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]{3})*)?,[0-9]+(?:[eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T].*)?")


@dataclass(frozen=True)
class Dialect:
    """How a delimited file is written.

    Parameters
    ----------
    delimiter, quote, escape, comment : bytes
        One byte each; ``escape`` and ``comment`` may be empty.
    skip : int
        Lines before the table.
    header : bool
        Whether the first record holds the names of the columns.
    decimal : "." or ","
    trim : bool
        Whether spaces around cells are not part of them.
    quoted_missing : bool
        Whether a quoted NA is missing too, since the file quotes every cell.
    """

    delimiter: bytes = b","
    quote: bytes = b'"'
    escape: bytes = b""
    comment: bytes = b""
    skip: int = 0
    header: bool = True
    decimal: str = "."
    trim: bool = False
    quoted_missing: bool = False


def sniff(sample: bytes, whole: bool, fixed: dict[str, Any], tabs: bool = False) -> Dialect:
    """Tell the dialect of a file from its first bytes; ``fixed`` holds what the caller knows already."""
    dialect, body = _skip_preface(sample, Dialect(), fixed)
    dialect = _choose_marks(body, whole, dialect, fixed, tabs)
    rows = _rows(body, whole, dialect)
    if "skip" not in fixed and rows:
        comments = _leading_comments(rows)
        if comments:
            ends = [row.end for row in rows[:comments]]
            dialect = replace(dialect, skip=dialect.skip + comments)
            dialect = _choose_marks(body[ends[-1] :], whole, dialect, fixed, tabs)
            rows = _rows(body[ends[-1] :], whole, dialect)
    rows = [row for row in rows if any(cell.strip() for cell in row.cells)]
    return _finish(rows, dialect, fixed)


def _skip_preface(sample: bytes, dialect: Dialect, fixed: dict[str, Any]) -> tuple[Dialect, bytes]:
    """Past the lines that the caller skips, or past blank lines and a spreadsheet's ``sep=;``."""
    lines = sample.splitlines(keepends=True)
    if "skip" in fixed:
        skip = fixed["skip"]
    else:
        skip = 0
        while skip < len(lines) - 1 and not lines[skip].strip():
            skip += 1
        hint = lines[skip].strip() if skip < len(lines) else b""
        if len(hint) == 5 and hint[:4].lower() == b"sep=" and "delimiter" not in fixed:
            fixed["delimiter"] = hint[4:5]
            skip += 1
    return replace(dialect, skip=skip), b"".join(lines[skip:])


def _rows(body: bytes, whole: bool, dialect: Dialect, most: int = SAMPLE_ROWS) -> list[Record]:
    """The first records, up to the first one that is malformed."""
    rows: list[Record] = []
    try:
        for record in tokenize(body, dialect.delimiter, dialect.quote, dialect.escape, final=whole):
            if not (dialect.comment and record.cells[0].startswith(dialect.comment)):
                rows.append(record)
            if len(rows) == most:
                break
    except Malformed:
        pass
    return rows


def _choose_marks(body: bytes, whole: bool, dialect: Dialect, fixed: dict[str, Any], tabs: bool) -> Dialect:
    """Delimiter, quote and escape under which the rows are alike."""
    known = {k: fixed[k] for k in ("delimiter", "quote", "escape", "comment") if k in fixed}
    dialect = replace(dialect, **known)
    marks = [(dialect.quote, dialect.escape)]
    if "quote" not in fixed and "escape" not in fixed:
        marks = [(b'"', b""), (b'"', b"\\"), (b"'", b"")]
    best: tuple[Score, Dialect] | None = None
    for order, (quote, escape) in enumerate(marks):
        if order and (escape or quote) not in body:
            continue
        for delimiter in [dialect.delimiter] if "delimiter" in fixed else DELIMITERS:
            trial = replace(dialect, delimiter=delimiter, quote=quote, escape=escape)
            score = _score(body, whole, trial, tabs)
            if quote == b"'" and "quote" not in fixed and not _quotes_cells(body, whole, trial):
                continue
            if best is None or score > best[0]:
                best = (score, trial)
        if best is not None and best[0][0]:
            break  # well formed; rarer marks need not be tried, unless cells are in single quotes
    assert best is not None
    quoted = _single_quotes(body, whole, best[1], fixed, tabs)
    if quoted is not None:
        return quoted
    if "delimiter" not in fixed and not _divides(body, whole, best[1]):
        first = body.splitlines()[0] if body.strip() else b""
        present = [d for d in DELIMITERS if d in first]
        return replace(best[1], delimiter=present[0] if present else NO_DELIMITER)
    return best[1]


def _score(body: bytes, whole: bool, trial: Dialect, tabs: bool) -> Score:
    """Well formed; then the share of rows with the commonest width above one; then numbers; then width."""
    rows: list[Record] = []
    formed = True
    try:
        for record in tokenize(body, trial.delimiter, trial.quote, trial.escape, final=whole):
            if any(cell.strip() for cell in record.cells):
                rows.append(record)
            if len(rows) == SAMPLE_ROWS:
                break
    except Malformed:
        formed = False
    if not rows:
        return (formed, 0.0, 0, 0.0, 1)
    widths = Counter(len(row.cells) for row in rows)
    width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]))
    share = count / len(rows) if width > 1 else 0.0
    cells = [_text(cell) for row in rows[:50] for cell in row.cells]
    comma = trial.delimiter != b","
    numbers = sum(bool(_NUMBER.fullmatch(c) or (comma and _COMMA.fullmatch(c))) for c in cells) / len(cells)
    return (formed, round(share, 2), tabs and trial.delimiter == b"\t", round(numbers, 2), width)


def _divides(body: bytes, whole: bool, trial: Dialect) -> bool:
    return _score(body, whole, trial, False)[1] >= 0.5


def _quotes_cells(body: bytes, whole: bool, trial: Dialect) -> bool:
    """Whether quoted cells are there at all, and no double quotes."""
    rows = _rows(body, whole, trial)
    return b'"' not in body and any(any(row.quoted) for row in rows)


def _single_quotes(
    body: bytes, whole: bool, best: Dialect, fixed: dict[str, Any], tabs: bool
) -> Dialect | None:
    """The same dialect with single quotes, if cells stand in them and the rows then are no less alike."""
    if "quote" in fixed or best.quote != b'"' or b'"' in body or b"'" not in body:
        return None
    trials = [best] if "delimiter" in fixed else [replace(best, delimiter=d) for d in DELIMITERS]
    trials = [replace(t, quote=b"'", escape=fixed.get("escape", b"")) for t in trials]
    scores = [(_score(body, whole, t, tabs), -i) for i, t in enumerate(trials)]
    score, i = max(scores)
    trial = trials[-i]
    before = _score(body, whole, best, tabs)
    wrapped = [
        cell for row in _rows(body, whole, best) for cell in row.cells if cell.strip().startswith(b"'")
    ]
    closed = sum(cell.strip().endswith(b"'") and len(cell.strip()) > 1 for cell in wrapped)
    if not (score[0] and _quotes_cells(body, whole, trial)):
        return None
    return trial if score[1] > before[1] or (score[1] == before[1] and 0 < len(wrapped) == closed) else None


def _leading_comments(rows: list[Record]) -> int:
    """Leading lines that begin with #; the last of them may hold the names, if a row of values follows."""
    count = 0
    while count < len(rows) - 1 and rows[count].cells[0].lstrip().startswith(b"#"):
        count += 1
    if not count or rows[count - 1].line != count - 1:
        return 0
    width = Counter(len(row.cells) for row in rows[count:]).most_common(1)[0][0]
    if len(rows[count - 1].cells) == width > 1 and any(_is_value(_text(cell)) for cell in rows[count].cells):
        count -= 1  # the names of the columns, after a #
    return count


def _finish(rows: list[Record], dialect: Dialect, fixed: dict[str, Any]) -> Dialect:
    """Header, decimal mark, spaces and quoting habits, from the sample's records."""
    if not rows:
        return replace(dialect, header=fixed.get("header", True), decimal=fixed.get("decimal", "."))
    header = fixed["header"] if fixed.get("header") is not None else _has_header(rows)
    body = rows[header:]
    bare = [c for row in rows for c, q in zip(row.cells, row.quoted) if not q]
    held = [c for row in rows for c, q in zip(row.cells, row.quoted) if q]
    marks = {dialect.delimiter[0], dialect.quote[0] if dialect.quote else 0, 10, 13}
    needless = any(
        c and c.strip() == c and _text(c) not in MISSING and not any(byte in marks for byte in c)
        for c in held
    )
    return replace(
        dialect,
        header=header,
        decimal=fixed.get("decimal") or _decimal(body, dialect.delimiter),
        trim=any(c != c.strip(b" \t") for c in bare),
        quoted_missing=needless and not any(c.strip() for c in bare),
    )


def _has_header(rows: list[Record]) -> bool:
    """No header if its cells are values: numbers, dates, missing marks, or values met again below.

    A word on top of a column of numbers is a name, whatever else the first row holds: years may be names too, and
    a category may be called like its column.
    """
    first = [_text(cell) for cell in rows[0].cells]
    below = [[_text(cell) for cell in row.cells] for row in rows[1:] if len(row.cells) == len(first)]
    words = [j for j, cell in enumerate(first) if cell not in MISSING and not _is_value(cell)]
    for cells in ([row[j] for row in below if row[j] not in MISSING] for j in words):
        if cells and all(map(_is_value, cells)):
            return True
    if any(_is_value(cell) or cell in MISSING[1:] for cell in first):
        return False
    return not any(row != first and any(a == b and a for a, b in zip(first, row)) for row in below)


def _is_value(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell) or _COMMA.fullmatch(cell) or _DATE.fullmatch(cell))


def _decimal(rows: list[Record], delimiter: bytes) -> str:
    """The comma if numbers are written with it; never where it divides cells."""
    if delimiter == b",":
        return "."
    cells = [_text(cell) for row in rows for cell in row.cells]
    commas = [c for c in cells if _COMMA.fullmatch(c)]
    sure = sum(not _GROUPED.fullmatch(c) for c in commas)
    points = sum(bool(_NUMBER.fullmatch(c)) and "." in c for c in cells)
    if delimiter == b";" and not points:
        return "," if commas else "."
    return "," if sure > points else "."


def _text(cell: bytes) -> str:
    return cell.decode("utf-8", "replace").strip()
