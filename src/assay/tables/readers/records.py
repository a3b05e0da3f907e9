"""The records of a delimited file, a few megabytes at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assay.errors import ReadError
from assay.tables.readers.delimited import BOM, Malformed, Record, survey, tokenize
from assay.tables.readers.dialect import Dialect
from assay.tables.readers.source import CHUNK, RECORD_LIMIT, Source


class Piece(NamedTuple):
    """Complete records of a file."""

    data: bytes
    line: int  # the line of the first of them, counted from 1
    rows: int  # how many there are
    regular: bool  # whether Arrow may read them as they are


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
        """As many complete records at a time as the chunks hold, less the header if there is one."""
        d = self.dialect
        line, skip = 1, d.skip
        for buffer, final in self._buffers():
            start = 0
            if skip:
                start, skipped = self._below(buffer, 0, skip, final)
                skip, line = skip - skipped, line + skipped
            if skip:
                self._rest = buffer[start:]
                continue
            if header:
                record = self._header(buffer[start:], line, final)
                if record is None:
                    self._rest = buffer[start:]
                    self._check_length(self._rest, line)
                    continue
                line += line_ends(buffer[start : start + record.end])
                start, header = start + record.end, False
            data = buffer[start:] if start else buffer
            end, rows, regular = self._complete(data, line, final)
            if end:
                yield Piece(data[:end], line, rows, regular)
                line += line_ends(data[:end])
            self._rest = data[end:]
            self._check_length(self._rest, line)

    def _buffers(self) -> Iterator[tuple[bytes, bool]]:
        """What was left over and what comes next; more comes at once when much was left over.

        So a record over many chunks is looked at a few times only, and the work stays linear in the bytes.
        """
        self._rest, final = b"", False
        chunks = self.source.chunks(CHUNK)
        while not final:
            held, fresh = [self._rest], 0
            while fresh < max(CHUNK // 2, len(self._rest), 1):
                chunk = next(chunks, None)
                if chunk is None:
                    final = True
                    break
                held.append(chunk)
                fresh += len(chunk)
            yield b"".join(held), final

    def _complete(self, data: bytes, line: int, final: bool) -> tuple[int, int, bool]:
        """Where the last complete record ends, how many there are, and whether Arrow may read them."""
        d = self.dialect
        quick = survey(data, d.delimiter, d.quote, final, empty_rows=self.width == 1)
        if quick.regular and not d.escape and not d.comment:
            return quick.end, quick.rows, not data.startswith(BOM)
        end, rows = 0, 0
        for record in self.tokenize(data, line, final):
            end, rows = record.end, rows + 1
        return end, rows, False

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


def line_ends(data: bytes) -> int:
    """How many lines end in the bytes; LF, CRLF and CR each end one."""
    if b"\r" not in data:
        return data.count(b"\n")
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
