"""The records of a delimited file, a few megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.errors import ReadError
from assay.tables.readers.cells import FULL, ODD, Page, Pages
from assay.tables.readers.delimited import Malformed, Record, tokenize
from assay.tables.readers.dialect import Dialect
from assay.tables.readers.source import RECORD_LIMIT, Source

CHUNK = 1 << 21  # bytes read at a time; the cells of two such pieces are in memory


class Piece(NamedTuple):
    """Complete records of a file."""

    buffer: bytes
    start: int  # they lie from here ...
    end: int  # ... to here in the buffer
    line: int  # the line of the first of them, counted from 1
    next_line: int  # the line below them
    rows: int  # how many there are
    page: Page | None  # their cells; None if they must be looked at closely

    @property
    def data(self) -> bytes:
        """The bytes of the records."""
        return self.buffer[self.start : self.end]


class Records:
    """A file cut between records, below its skipped lines and its header.

    Parameters
    ----------
    source : Source
    dialect : Dialect
    """

    def __init__(self, source: Source, dialect: Dialect):
        self.source = source
        self.dialect = dialect
        self.width = 0  # cells of a record, once that is known

    def first(self, sample: bytes, whole: bool) -> Record | None:
        """The record that tells names and width; from the sample, unless it is longer than that."""
        start = self._below(sample, 0, self.dialect.skip, whole)[0]
        for record in self.tokenize(sample[start:], 1 + self.dialect.skip, whole):
            if not self.skipped(record, header=True):
                return record
        for piece in self.pieces(header=False):
            for record in self.tokenize(piece.data, piece.line):
                if not self.skipped(record, header=True):
                    return record
        return None

    def pieces(self, header: bool) -> Iterator[Piece]:
        """As many complete records at a time as the chunks hold, less the header if there is one.

        The page of a piece holds until the second piece after it is asked for.
        """
        line, skip = 1, self.dialect.skip
        pages = Pages(self.dialect, self.width) if self.width else None
        incomplete, final = b"", False
        chunks = self.source.chunks(CHUNK)
        while not final:
            buffer, final = _more(incomplete, chunks)
            start = 0
            if skip:
                start, skipped = self._below(buffer, 0, skip, final)
                skip, line = skip - skipped, line + skipped
            if skip:
                incomplete = buffer[start:]
                continue
            if header:
                record = self._header(buffer[start:], line, final)
                if record is None:
                    incomplete = buffer[start:]
                    self._check_length(incomplete, line)
                    continue
                line += line_ends(buffer[start : start + record.end])
                start, header = start + record.end, False
            for piece in self._cut(buffer, start, line, final, pages):
                yield piece
                start, line = piece.end, piece.next_line
            incomplete = buffer[start:]
            self._check_length(incomplete, line)

    def _cut(self, buffer: bytes, start: int, line: int, final: bool, pages: Pages | None) -> Iterator[Piece]:
        """The complete records of a buffer, in pages while they are in good order."""
        d = self.dialect
        stop = ODD
        if pages is not None and not (d.delimiter == b" " and d.quote and d.quote in buffer):
            stop = FULL
        while stop == FULL:
            page, stop, end, lines = pages.next(buffer, start, final)  # type: ignore[union-attr]
            if end > start:
                yield Piece(buffer, start, end, line, line + lines, page.rows, page)
            start, line = end, line + lines
        if stop == ODD:
            end = rows = 0
            for record in self.tokenize(buffer[start:], line, final):
                end, rows = record.end, rows + 1
            if end:
                lines = line_ends(buffer[start : start + end])
                yield Piece(buffer, start, start + end, line, line + lines, rows, None)

    def _header(self, data: bytes, line: int, final: bool) -> Record | None:
        records = self.tokenize(data, line, final)
        return next((record for record in records if not self.skipped(record, header=True)), None)

    @staticmethod
    def _below(data: bytes, start: int, count: int, final: bool) -> tuple[int, int]:
        """The position below some lines, and how many of them were there."""
        n, done = len(data), 0
        newline = carriage = -1  # the next ones, n where there is none
        while done < count and start < n:
            if newline < start:
                newline = n if (at := data.find(b"\n", start)) < 0 else at
            if carriage < start:
                carriage = n if (at := data.find(b"\r", start)) < 0 else at
            edge = min(newline, carriage)
            if not final and (edge == n or (edge == carriage and edge + 1 == n)):
                break  # the line, or the LF after its CR, may go on beyond the data
            start = min(edge + (2 if data[edge : edge + 2] == b"\r\n" else 1), n)
            done += 1
        return start, count if final and start == n else done

    def tokenize(self, data: bytes, line: int, final: bool = True) -> Iterator[Record]:
        """Records one by one; an error for a malformed one names its line."""
        d = self.dialect
        try:
            yield from tokenize(data, d.delimiter, d.quote, d.escape, final)
        except Malformed as error:
            raise self.source.complain(
                f"{error.what}. Inside quotes, write a quote twice.", line + error.line, error.cell
            ) from None

    def skipped(self, record: Record, header: bool = False) -> bool:
        """Whether a record is a blank line or a comment."""
        mark = self.dialect.comment
        if mark and record.cells[0].lstrip().startswith(mark) and not record.quoted[0]:
            return True
        if (self.width == 1 and not header) or len(record.cells) > 1:
            return False
        return not record.quoted[0] and not record.cells[0].strip()

    def nul(self, data: bytes, line: int) -> ReadError:
        """The error for a NUL byte in the data."""
        at = line + line_ends(data[: data.index(b"\0")])
        return self.source.complain("a NUL byte; this is not a text file, or it is damaged.", at)

    def _check_length(self, buffer: bytes, line: int) -> None:
        if len(buffer) > RECORD_LIMIT:
            raise self.source.complain(
                f"a record begins here that is longer than {RECORD_LIMIT >> 20} MB. Is a quote left open?",
                line,
            )


def _more(incomplete: bytes, chunks: Iterator[bytes]) -> tuple[bytes, bool]:
    """What was left over and what comes next, and whether that is all; more comes when much was left over.

    So a record over many chunks is looked at a few times only, and the work stays linear in the bytes.
    """
    held, fresh, final = [incomplete], 0, False
    while fresh < max(CHUNK // 2, len(incomplete), 1) and not final:
        chunk = next(chunks, None)
        final = chunk is None
        held.append(chunk or b"")
        fresh += len(held[-1])
    return b"".join(held), final


def line_ends(data: bytes) -> int:
    """How many lines end in the bytes; LF, CRLF and CR each end one."""
    if b"\r" not in data:
        return data.count(b"\n")
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
