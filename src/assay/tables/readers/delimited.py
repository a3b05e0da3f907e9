"""Records and cells of delimited text: a quick look at bytes, a careful tokenizer, and Arrow's parser.

Arrow's CSV parser is fast and forgiving: it takes a quote that never closes to mean the rest of the
file, and text after a closing quote for part of the cell. So no block reaches it before ``survey`` has
shown that its quotes are in order, and the number of rows it returns is checked against a count of
our own. Blocks that are not in order go through ``tokenize``, which either makes them so or says where
they are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

NEWLINE, RETURN = 10, 13
BOM = b"\xef\xbb\xbf"  # Arrow drops it from the start of any buffer


class Malformed(Exception):
    """Text that is not a record: how many lines below the start, which cell, what is wrong."""

    def __init__(self, line: int, cell: int, what: str):
        super().__init__(what)
        self.line, self.cell, self.what = line, cell, what


class Survey(NamedTuple):
    """What a quick look at a buffer tells."""

    end: int  # bytes of complete records
    regular: bool  # quotes stand only around cells, or doubled inside them
    rows: int  # records among those bytes; empty lines count only if asked


def survey(data: bytes, delimiter: bytes, quote: bytes, final: bool, empty_rows: bool = False) -> Survey:
    """Where the last complete record ends, and whether Arrow may parse what lies before.

    Quotes alternate: the first opens, the second closes or is doubled, and so on. So quote number
    0, 2, 4, ... must follow a delimiter, a line end or another quote, and number 1, 3, 5, ... must come
    before one. If they all do, a line end is a record's end when an even number of quotes lies before it.
    """
    buffer = np.frombuffer(data, dtype=np.uint8)
    n = len(buffer)
    breaks = _line_breaks(data, buffer, final)
    marks = np.flatnonzero(buffer == quote[0]) if quote and quote in data else np.empty(0, dtype=np.intp)
    regular = True
    if len(marks):
        allowed = np.zeros(256, dtype=bool)
        allowed[[delimiter[0], NEWLINE, RETURN, quote[0]]] = True
        opening, closing = marks[::2], marks[1::2]
        before = buffer[opening[opening > 0] - 1]
        after = buffer[closing[closing < n - 1] + 1]
        regular = bool(allowed[before].all() and allowed[after].all())
        regular = regular and not (final and len(marks) % 2)
        breaks = breaks[np.searchsorted(marks, breaks) % 2 == 0]
    if final:
        end = n
        edges = breaks if len(breaks) and breaks[-1] == n - 1 else np.append(breaks, n)
    else:
        end = int(breaks[-1]) + 1 if len(breaks) else 0
        edges = breaks
    if n == 0 or end == 0:
        return Survey(0, regular, 0)
    rows = len(edges)
    if not empty_rows:
        starts = np.concatenate([[0], edges[:-1] + 1])
        lengths = edges - starts
        single = starts[lengths == 1]
        rows -= int(np.count_nonzero(lengths == 0)) + int(np.count_nonzero(buffer[single] == RETURN))
    return Survey(end, regular, rows)


def _line_breaks(data: bytes, buffer: np.ndarray, final: bool) -> np.ndarray:
    """Positions of the last byte of each line end: LF, CRLF or CR."""
    if b"\r" not in data or data.count(b"\r") == data.count(b"\r\n"):  # no CR on its own, at the edge neither
        return np.flatnonzero(buffer == NEWLINE)
    following = np.append(buffer[1:], 0 if final else NEWLINE)  # a CR at the edge may yet get its LF
    return np.flatnonzero((buffer == NEWLINE) | ((buffer == RETURN) & (following != NEWLINE)))


class Record(NamedTuple):
    """One record of a delimited text."""

    cells: list[bytes]
    quoted: list[bool]
    line: int  # lines below the start of the data
    end: int  # position after it, its line end included


def tokenize(
    data: bytes, delimiter: bytes, quote: bytes = b'"', escape: bytes = b"", final: bool = True
) -> Iterator[Record]:
    """Records one by one, in time linear in the bytes.

    A cell is quoted when it begins with the quote, spaces aside; a quote inside it is doubled, or
    escaped where there is an escape. A quote in the middle of an unquoted cell is a plain character.
    A last record that may go on beyond the data is left out unless the data are final.
    """
    if not (quote and quote in data) and b"\r" not in data:
        yield from _plain_lines(data, delimiter, final)
        return
    n, position, line = len(data), 0, 0
    edges = _Edges(data)
    while position < n:
        edge = edges.after(position)
        if not quote or data.find(quote, position, edge) < 0:
            if edge == n and not final:
                return
            cells = data[position:edge].split(delimiter)
            quoted = [False] * len(cells)
            stop, inside = edge, 0
        else:
            parsed = _cells(data, position, delimiter, quote, escape, final, line, edges)
            if parsed is None:
                return
            cells, quoted, stop, inside = parsed
        if stop < n and data[stop] == RETURN:
            if stop + 1 == n and not final:
                return
            stop += 2 if data[stop + 1 : stop + 2] == b"\n" else 1
        elif stop < n:
            stop += 1
        yield Record(cells, quoted, line, stop)
        line += 1 + inside
        position = stop


def _plain_lines(data: bytes, delimiter: bytes, final: bool) -> Iterator[Record]:
    """Records of text in which only LF and the delimiter divide anything."""
    n, position, line = len(data), 0, 0
    while position < n:
        edge = data.find(b"\n", position)
        if edge < 0:
            if not final:
                return
            edge = n
        cells = data[position:edge].split(delimiter)
        position = min(edge + 1, n)
        yield Record(cells, [False] * len(cells), line, position)
        line += 1


class _Edges:
    """Where lines end; each end is looked for once, however many cells ask."""

    def __init__(self, data: bytes):
        self.data = data
        self.newline = self.carriage = -1  # the next ones; the length of the data where there is none

    def after(self, position: int) -> int:
        """The first line end at or after a position."""
        if self.newline < position:
            self.newline = self._find(b"\n", position)
        if self.carriage < position:
            self.carriage = self._find(b"\r", position)
        return min(self.newline, self.carriage)

    def _find(self, what: bytes, start: int) -> int:
        at = self.data.find(what, start)
        return len(self.data) if at < 0 else at


def _cells(
    data: bytes,
    start: int,
    delimiter: bytes,
    quote: bytes,
    escape: bytes,
    final: bool,
    line: int,
    edges: _Edges,
) -> tuple[list[bytes], list[bool], int, int] | None:
    """The cells of a record with quotes in it, where it stops, and the line ends inside its quotes."""
    n, p, inside = len(data), start, 0
    cells: list[bytes] = []
    quoted: list[bool] = []
    blanks = b" " if delimiter == b"\t" else b" \t"
    while True:
        edge = edges.after(p)
        s = p
        while s < edge and data[s] in blanks:
            s += 1
        if data[s : s + 1] == quote:
            closed = _closing(data, s + 1, quote, escape)
            if closed is None or (closed[1] == n and not final):
                if not final:
                    return None
                raise Malformed(line + inside, len(cells) + 1, "a quote opens here and is never closed")
            text, p = closed
            inside += text.count(b"\n") + text.count(b"\r") - text.count(b"\r\n")
            cells.append(text)
            quoted.append(True)
            while p < n and data[p] in blanks:
                p += 1
            if p < n and data[p] not in (delimiter[0], NEWLINE, RETURN):
                raise Malformed(line + inside, len(cells), "there is text after the closing quote")
        else:
            stop = data.find(delimiter, p, edge)
            stop = edge if stop < 0 else stop
            cells.append(data[p:stop])
            quoted.append(False)
            p = stop
        if p >= n and not final:
            return None
        if p >= n or data[p] != delimiter[0]:
            return cells, quoted, p, inside
        p += 1


def _closing(data: bytes, start: int, quote: bytes, escape: bytes) -> tuple[bytes, int] | None:
    """The text of a quoted cell and the position after its closing quote; None if it never closes."""
    parts: list[bytes] = []
    i = start
    j = data.find(quote, i)
    while j >= 0:
        if escape:
            k = data.find(escape, i, j)
            if k >= 0:
                parts += [data[i:k], data[k + 1 : k + 2]]
                i = k + 2
                if i > j:
                    j = data.find(quote, i)
                continue
        parts.append(data[i:j])
        if data[j + 1 : j + 2] != quote:
            return b"".join(parts), j + 1
        parts.append(quote)
        i = j + 2
        j = data.find(quote, i)
    return None


def canonical(cells: Sequence[bytes], quoted: Sequence[bool], delimiter: bytes, quote: bytes) -> bytes:
    """A record as Arrow reads it: quotes around a cell where there were some or where it needs them."""
    parts = []
    for cell, was in zip(cells, quoted):
        if was or quote in cell or cell.startswith(BOM):
            cell = quote + cell.replace(quote, quote + quote) + quote
        parts.append(cell)
    return delimiter.join(parts) + b"\n"


def arrow_text(
    data: bytes,
    names: Sequence[str],
    delimiter: bytes,
    quote: bytes,
    missing: Sequence[str],
    quoted_missing: bool = False,
    wanted: Sequence[str] | None = None,
) -> Any:
    """A block of records in good order as an Arrow table of text columns, missing cells as nulls."""
    import pyarrow as pa
    from pyarrow import csv

    keys = [str(j) for j in range(len(names))]  # names may repeat or be odd; positions do not
    place = dict(zip(names, keys))
    use = keys if wanted is None else [place[name] for name in wanted]
    table = csv.read_csv(
        pa.BufferReader(data),
        read_options=csv.ReadOptions(use_threads=False, block_size=len(data) + 1, column_names=keys),
        parse_options=csv.ParseOptions(
            delimiter=delimiter.decode(),
            quote_char=quote.decode() if quote else False,
            newlines_in_values=bool(quote) and quote in data,
            ignore_empty_lines=len(names) > 1,
        ),
        convert_options=csv.ConvertOptions(
            check_utf8=False,  # the source has done so
            column_types=dict.fromkeys(keys, pa.string()),
            null_values=list(missing),
            strings_can_be_null=True,
            quoted_strings_can_be_null=quoted_missing,
            include_columns=use,
        ),
    )
    return table.rename_columns(list(names if wanted is None else wanted))
