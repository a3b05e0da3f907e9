"""How a delimited file is written: its delimiter, quotes, header and decimal mark, inferred from a sample."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from assay.tables.marks import MISSING
from assay.tables.readers.delimited import Malformed, Record, tokenize

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
    dialect, data = _skip_preface(sample, Dialect(), fixed)
    body = _Body(data, whole)
    dialect = _choose_marks(body, dialect, fixed, tabs)
    rows = _rows(body, dialect)
    if "skip" not in fixed and rows:
        comments = _leading_comments(rows)
        if comments:
            body = _Body(data[rows[comments - 1].end :], whole)
            dialect = replace(dialect, skip=dialect.skip + comments)
            dialect = _choose_marks(body, dialect, fixed, tabs)
            rows = _rows(body, dialect)
    rows = [row for row in rows if row.cells[0].strip() or any(cell.strip() for cell in row.cells)]
    return _finish(rows, dialect, fixed, body.data)


class _Body:
    """The sample below its preface; records that were read once under some marks are not read again."""

    def __init__(self, data: bytes, whole: bool):
        self.data, self.whole = data, whole
        self._read: dict[tuple[bytes, ...], tuple[list[Record], Iterator[Record]]] = {}

    def __contains__(self, mark: bytes) -> bool:
        return mark in self.data

    def records(self, d: Dialect) -> Iterator[Record]:
        """The records, as far as they are asked for; Malformed where one is."""
        marks = (d.delimiter, d.quote, d.escape)
        if marks not in self._read:
            self._read[marks] = ([], tokenize(self.data, *marks, final=self.whole))
        known, unread = self._read[marks]
        yield from known
        try:
            for record in unread:
                known.append(record)
                yield record
        except Malformed as error:
            self._read[marks] = (known, _raising(error))
            raise


def _raising(error: Malformed) -> Iterator[Record]:
    raise error
    yield


def _skip_preface(sample: bytes, dialect: Dialect, fixed: dict[str, Any]) -> tuple[Dialect, bytes]:
    """Past the lines that the caller skips, or past blank lines and a spreadsheet's ``sep=;``."""
    lines = _lines(sample)
    if "skip" in fixed:
        skip: int = fixed["skip"]
        return replace(dialect, skip=skip), sample[sum(map(len, islice(lines, skip))) :]
    start = skip = 0
    line = next(lines, b"")
    while not line.strip() and start + len(line) < len(sample):
        start, skip = start + len(line), skip + 1
        line = next(lines)
    hint = line.strip()
    if len(hint) == 5 and hint[:4].lower() == b"sep=" and "delimiter" not in fixed:
        fixed["delimiter"] = hint[4:5]
        start, skip = start + len(line), skip + 1
    return replace(dialect, skip=skip), sample[start:]


def _lines(data: bytes) -> Iterator[bytes]:
    """Lines with their ends, without a look at those that nobody asks for."""
    start = 0
    while start < len(data):
        stop = min(
            (at for at in (data.find(b"\n", start), data.find(b"\r", start)) if at >= 0), default=len(data)
        )
        stop += 2 if data[stop : stop + 2] == b"\r\n" else 1
        yield data[start:stop]
        start = stop


def _rows(body: _Body, dialect: Dialect, most: int = SAMPLE_ROWS) -> list[Record]:
    """The first records, up to the first one that is malformed."""
    rows: list[Record] = []
    try:
        for record in body.records(dialect):
            if not (dialect.comment and record.cells[0].startswith(dialect.comment)):
                rows.append(record)
            if len(rows) == most:
                break
    except Malformed:
        pass
    return rows


def _choose_marks(body: _Body, dialect: Dialect, fixed: dict[str, Any], tabs: bool) -> Dialect:
    """Delimiter, quote and escape under which the rows are alike."""
    known = {k: fixed[k] for k in ("delimiter", "quote", "escape", "comment") if k in fixed}
    dialect = replace(dialect, **known)
    marks = [(dialect.quote, dialect.escape)]
    if "quote" not in fixed and "escape" not in fixed:
        marks = [(b'"', b""), (b'"', b"\\"), (b"'", b"")]
    trials: list[_Trial] = []
    for order, (quote, escape) in enumerate(marks):
        if order and (escape or quote) not in body:
            continue
        delimiters = [dialect.delimiter] if "delimiter" in fixed else DELIMITERS
        some = _trials(body, delimiters, replace(dialect, quote=quote, escape=escape), tabs)
        if quote == b"'" and "quote" not in fixed:
            quoting = [trial for trial in some if _quotes_cells(body, trial.dialect)]
            some = quoting if quoting or trials else some
        trials += some
        if any(trial.formed for trial in trials):
            break  # well formed; rarer marks need not be tried, unless cells are in single quotes
    best = _best(trials)
    quoted = _single_quotes(body, best, fixed, tabs)
    if quoted is not None:
        return quoted
    if "delimiter" not in fixed and best.share < 0.5:
        first = body.data.splitlines()[0] if body.data.strip() else b""
        present = [d for d in DELIMITERS if d in first]
        return replace(best.dialect, delimiter=present[0] if present else NO_DELIMITER)
    return best.dialect


class _Trial:
    """How well a dialect explains the sample: whether it is well formed, and how alike its rows are."""

    def __init__(self, body: _Body, dialect: Dialect, tabs: bool):
        self.dialect, self.formed = dialect, True
        self._rows: list[Record] = []
        try:
            for record in body.records(dialect):
                if record.cells[0].strip() or any(cell.strip() for cell in record.cells):
                    self._rows.append(record)
                if len(self._rows) == SAMPLE_ROWS:
                    break
        except Malformed:
            self.formed = False
        widths = Counter(len(row.cells) for row in self._rows)
        self.width, count = max(
            widths.items(), key=lambda item: (item[0] > 1, item[1], item[0]), default=(1, 0)
        )
        self.share = round(count / len(self._rows), 2) if self.width > 1 else 0.0
        self.alike = (self.formed, self.share, tabs and dialect.delimiter == b"\t" and bool(self._rows))

    def score(self) -> tuple[Any, ...]:
        """Well formed; then the share of rows with the commonest width above one; then numbers; then width."""
        cells = [_text(cell) for row in self._rows[:50] for cell in row.cells]
        comma = self.dialect.delimiter != b","
        numbers = sum(bool(_NUMBER.fullmatch(c) or (comma and _COMMA.fullmatch(c))) for c in cells)
        return (*self.alike, round(numbers / max(len(cells), 1), 2), self.width)


def _trials(body: _Body, delimiters: Sequence[bytes], dialect: Dialect, tabs: bool) -> list[_Trial]:
    """One trial for each delimiter; of those that do not occur only while none that occurs divides the rows."""
    trials = {d: _Trial(body, replace(dialect, delimiter=d), tabs) for d in delimiters if d in body}
    if not any(trial.formed and trial.share for trial in trials.values()):
        trials |= {
            d: _Trial(body, replace(dialect, delimiter=d), tabs) for d in delimiters if d not in trials
        }
    return [trials[d] for d in delimiters if d in trials]


def _best(trials: list[_Trial]) -> _Trial:
    """The first of those with the highest score; cells are only read where the rows do not decide."""
    most = max(trial.alike for trial in trials)
    equal = [trial for trial in trials if trial.alike == most]
    return equal[0] if len(equal) == 1 else max(equal, key=_Trial.score)


def _quotes_cells(body: _Body, dialect: Dialect) -> bool:
    """Whether quoted cells are there at all, and no double quotes."""
    return b'"' not in body and any(any(row.quoted) for row in _rows(body, dialect))


def _single_quotes(body: _Body, best: _Trial, fixed: dict[str, Any], tabs: bool) -> Dialect | None:
    """The same dialect with single quotes, if cells stand in them and the rows then are no less alike."""
    if "quote" in fixed or best.dialect.quote != b'"' or b'"' in body or b"'" not in body:
        return None
    delimiters = [best.dialect.delimiter] if "delimiter" in fixed else DELIMITERS
    single = replace(best.dialect, quote=b"'", escape=fixed.get("escape", b""))
    trial = _best(_trials(body, delimiters, single, tabs))
    if not (trial.formed and _quotes_cells(body, trial.dialect)):
        return None
    wrapped = [
        cell for row in _rows(body, best.dialect) for cell in row.cells if cell.strip().startswith(b"'")
    ]
    closed = sum(cell.strip().endswith(b"'") and len(cell.strip()) > 1 for cell in wrapped)
    better = trial.share > best.share or (trial.share == best.share and 0 < len(wrapped) == closed)
    return trial.dialect if better else None


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


def _finish(rows: list[Record], dialect: Dialect, fixed: dict[str, Any], data: bytes) -> Dialect:
    """Header, decimal mark, spaces and quoting habits, from the sample's records."""
    if not rows:
        return replace(dialect, header=fixed.get("header", True), decimal=fixed.get("decimal", "."))
    header = fixed["header"] if fixed.get("header") is not None else _has_header(rows)
    body = rows[header:]
    bare = [row.cells for row in rows if not any(row.quoted)]
    bare += [[c for c, q in zip(row.cells, row.quoted) if not q] for row in rows if any(row.quoted)]
    held = [c for row in rows if any(row.quoted) for c, q in zip(row.cells, row.quoted) if q]
    read = data[: rows[-1].end]
    blank = any(mark != dialect.delimiter and mark in read for mark in (b" ", b"\t"))
    edge = rb"[%b\r\n]" % re.escape(dialect.delimiter)
    blank = blank and re.search(rb"(?:\A|%b)[ \t]|[ \t](?:\Z|%b)" % (edge, edge), read) is not None
    marks = {dialect.delimiter[0], dialect.quote[0] if dialect.quote else 0, 10, 13}
    needless = any(
        c and c.strip() == c and _text(c) not in MISSING and not any(byte in marks for byte in c)
        for c in held
    )
    return replace(
        dialect,
        header=header,
        decimal=fixed.get("decimal") or _decimal(body, dialect.delimiter),
        trim=blank and any(c != c.strip(b" \t") for cells in bare for c in cells),
        quoted_missing=needless and not any(c.strip() for cells in bare for c in cells),
    )


def _has_header(rows: list[Record]) -> bool:
    """No header if its cells are values: numbers, dates, missing marks, or values met again below.

    A word on top of a column of numbers is a name, whatever else the first row holds: years may be names too, and
    a category may be called like its column.
    """
    first = [_text(cell) for cell in rows[0].cells]
    below = [row.cells for row in rows[1:] if len(row.cells) == len(first)]
    words = [j for j, cell in enumerate(first) if cell not in MISSING and not _is_value(cell)]
    for j in words:
        cells = (cell for cell in (_text(row[j]) for row in below) if cell not in MISSING)
        top = next(cells, None)
        if top is not None and _is_value(top) and all(map(_is_value, cells)):
            return True
    if any(_is_value(cell) or cell in MISSING[1:] for cell in first):
        return False
    texts = ([_text(cell) for cell in row] for row in below)
    return not any(row != first and any(a == b and a for a, b in zip(first, row)) for row in texts)


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
