"""Delimited text: CSV, TSV and their relatives, plain or compressed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from assay.errors import SchemaError, SchemaWarning, warn_user
from assay.tables.readers import kinds
from assay.tables.readers.ahead import by_columns
from assay.tables.readers.cells import Page, Pages
from assay.tables.readers.delimited import Record, canonical
from assay.tables.readers.dialect import Dialect, sniff
from assay.tables.readers.records import Piece, Records
from assay.tables.readers.source import SAMPLE, Source


class CsvReader:
    """A delimited file, read in blocks of bounded size.

    The dialect is inferred from the first 256 KB and can be overruled. A cell is missing when it is
    empty, quoted or not, or one of the marks ``? NA N/A n/a #N/A <NA> NaN nan null NULL`` without
    quotes. A column is numeric when each of its cells is a number (``1 234``, ``1,234`` and, in files
    that write so, ``1.234,5`` are numbers too), a date when each is an ISO date, and text otherwise.

    Lines without any character are no rows, except in a file with one column, where they are missing
    cells. A row with more or fewer cells than the first one is an error that names its line. A name
    that comes twice gets a number (``a``, ``a_2``); a column without a name is called after its
    position, and is left out if it is empty all the way down, as after a trailing delimiter.

    Parameters
    ----------
    path : str, Path, file object or "-"
    delimiter, quote, escape, comment, decimal : str, default None
        None tells them from the file. There is no comment mark unless one is given, but lines that begin
        with # before the first row are skipped.
    header : bool, default None
        Whether the first row holds names. None: it does, unless it holds a number, a date or a missing
        mark, or a value that the same column has again below.
    skip : int, default None
        Lines to leave out at the top.
    encoding : str, default None
        None tells it: UTF-8, UTF-16, UTF-32 or Windows-1252.
    text : sequence of str, default ()
        Columns that stay text, cell for cell, even if every cell looks like a number: codes such as 007 or 2.50.
        Names that the file lacks do no harm.
    na : sequence of str, default ()
        Further marks of missing values, whether quoted or not.
    """

    format = "csv"

    def __init__(
        self,
        path: Any,
        delimiter: str | None = None,
        quote: str | None = None,
        escape: str | None = None,
        comment: str | None = None,
        decimal: str | None = None,
        header: bool | None = None,
        skip: int | None = None,
        encoding: str | None = None,
        text: Sequence[str] = (),
        na: Sequence[str] = (),
    ):
        self.source = Source(path, encoding)
        self.na = tuple(na)
        self.as_text = frozenset([text] if isinstance(text, str) else text)
        fixed: dict[str, Any] = {}
        marks = {"delimiter": delimiter, "quote": quote, "escape": escape, "comment": comment}
        for name, mark in marks.items():
            if mark is not None:
                if len(mark.encode()) > 1 or (name == "delimiter" and mark in ("", "\n", "\r")):
                    raise self.source.complain(f"{name} must be one ASCII character, got {mark!r}.")
                fixed[name] = mark.encode()
        if decimal is not None:
            if decimal not in (".", ","):
                raise self.source.complain(f'decimal must be "." or ",", got {decimal!r}.')
            fixed["decimal"] = decimal
        if header is not None:
            fixed["header"] = bool(header)
        if skip is not None:
            fixed["skip"] = int(skip)
        sample = self.source.sample()
        tabs = self.source.origin.suffix in (".tsv", ".tab")
        whole = len(sample) < SAMPLE
        if not whole and not sample.strip():
            raise self.source.complain(
                f"nothing but blanks in the first {SAMPLE >> 10} KB, expected a table."
            )
        self.dialect: Dialect = sniff(sample, whole, fixed, tabs)
        self.records = Records(self.source, self.dialect)
        if b"\0" in sample:
            raise self.records.nul(sample, 1)
        self.names: list[str] = []
        self._unnamed: set[str] = set()
        self._kinds: dict[str, str] | None = None
        first = self.records.first(sample, whole)
        if first is None:
            raise self.source.complain("the file is empty, expected a table.")
        self.width = self.records.width = len(first.cells)
        self._name(first)

    # Names and types

    def _name(self, record: Record) -> None:
        if self.dialect.header:
            header = [cell.decode("utf-8").strip() for cell in record.cells]
        else:
            header = [f"x{j}" for j in range(self.width)]
        self.names = distinct([name or f"column_{j + 1}" for j, name in enumerate(header)], self.source.name)
        self._unnamed = {self.names[j] for j, name in enumerate(header) if not name}

    @property
    def kinds(self) -> dict[str, str]:
        """The type of each column, learned from the whole file; columns that are nothing are left out."""
        if self._kinds is None:
            types = dict.fromkeys(self.names, kinds.NO_VALUES)

            def kind(page: Page, j: int) -> str:
                so_far = types[self.names[j]]
                return so_far if so_far == kinds.TEXT else kinds.join(so_far, self._kind(page, j, so_far))

            for of_page in by_columns(self._pages(), kind, range(self.width)):
                types.update(zip(self.names, of_page))
            self._keep(types)
        assert self._kinds is not None
        return self._kinds

    def _kind(self, page: Page, j: int, so_far: str) -> str:
        """The type of a column of a page, or one that gives the same together with what earlier pages had."""
        if self._plain(j) and so_far in kinds.NUMBERS:
            kind, row = page.kind_of_numbers(j, so_far)
            if kind is not None:
                return kind
            if kinds.is_text_cell(page.cell(row, j), self.dialect.decimal):
                return kinds.TEXT
        return self._infer(page, j)[0]

    def _typed(self, page: Page, j: int, so_far: str) -> tuple[str, Any]:
        """The same with the values by that type."""
        if self._plain(j) and so_far in kinds.NUMBERS:
            kind, values = page.numbers(j, so_far)
            if kind is not None:
                return kind, values
            if kinds.is_text_cell(page.cell(values, j), self.dialect.decimal):
                return kinds.TEXT, page.text(j)
        if so_far == kinds.TEXT:
            return kinds.TEXT, self._cells(page, j)
        return self._infer(page, j)

    def _known(self, page: Page, j: int, kind: str) -> Any:
        """A column of a page as the type known for its whole file."""
        if self._plain(j) and kind in (kinds.WHOLE, kinds.NUMBER):
            narrow, values = page.numbers(j, kind)
            if narrow in (kinds.NO_VALUES, kind):
                return kinds.raise_to(narrow, values, kind)
        text = self._cells(page, j)
        return text if kind in (kinds.TEXT, kinds.MARKS) else kinds.convert(text, kind, self.dialect.decimal)

    def _plain(self, j: int) -> bool:
        """Whether numbers of a column may be read without a look at its text."""
        return not self.na and self.names[j] not in self.as_text

    def _cells(self, page: Page, j: int) -> Any:
        return kinds.without_marks(page.text(j), self.na) if self.na else page.text(j)

    def _infer(self, page: Page, j: int) -> tuple[str, Any]:
        cells = self._cells(page, j)
        if self.names[j] in self.as_text and cells.null_count < len(cells):
            return kinds.TEXT, cells
        return kinds.infer(cells, self.dialect.decimal)

    def _keep(self, types: dict[str, str]) -> None:
        empty = {n for n in self._unnamed if types[n] == kinds.NO_VALUES} if len(self.names) > 1 else set()
        self._kinds = {n: kind for n, kind in types.items() if n not in empty}

    # Tables

    def blocks(
        self, columns: Sequence[str] | None = None, types: dict[str, str] | None = None
    ) -> Iterator[Any]:
        """Arrow tables, one after the other, with the types of the whole file (or those given)."""
        import pyarrow as pa

        types = types or self.kinds
        wanted = self.select(columns)
        places = [self.names.index(name) for name in wanted]

        def known(page: Page, j: int) -> Any:
            return self._known(page, j, types[self.names[j]])

        for arrays in by_columns(self._pages(), known, places):
            yield pa.table(arrays, names=wanted)

    def blocks_as_begun(self, types: dict[str, str]) -> Iterator[Any]:
        """Arrow tables, with the types that the first one has; OtherTypes if these do not hold for the whole file.

        ``types`` are those of earlier files, or an empty dict, which is filled. Afterwards they are known to be those
        of all rows.
        """
        import pyarrow as pa

        def typed(page: Page, j: int) -> tuple[str, Any]:
            return self._typed(page, j, types.get(self.names[j], kinds.NO_VALUES))

        for parts in by_columns(self._pages(), typed, range(self.width)):
            if not types:
                types.update((name, kind) for name, (kind, _) in zip(self.names, parts))
            arrays = []
            for name, (kind, values) in zip(self.names, parts):
                if kinds.join(types[name], kind) != types[name]:
                    raise OtherTypes(name)
                arrays.append(kinds.raise_to(kind, values, types[name]))
                if arrays[-1] is None:
                    raise OtherTypes(name)
            yield pa.table(arrays, names=self.names)
        if any(types.get(name) == kinds.NO_VALUES for name in self._unnamed):
            raise OtherTypes("a column without name and values is left out")
        self._keep({name: types.get(name, kinds.NO_VALUES) for name in self.names})

    def select(self, columns: Sequence[str] | None) -> list[str]:
        """The columns to read, by name."""
        if columns is None:
            return list(self.kinds)
        for name in columns:
            if name not in self.names:
                raise SchemaError(
                    f"{self.source.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
        return list(columns)

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The whole file as one Arrow table.

        Each block is typed on its own; where a later block shows that a column is text, the text of
        that column is read once more.
        """
        import pyarrow as pa

        wanted = list(self.names) if columns is None else self.select(columns)
        place = {name: j for j, name in enumerate(self.names)}
        parts: dict[str, list[tuple[str, Any]]] = {name: [] for name in wanted}
        types = dict.fromkeys(wanted, kinds.NO_VALUES)

        def typed(page: Page, j: int) -> tuple[str, Any]:
            return self._typed(page, j, types[self.names[j]])

        for of_page in by_columns(self._pages(), typed, [place[name] for name in wanted]):
            for name, part in zip(wanted, of_page):
                parts[name].append(part)
                types[name] = kinds.join(types[name], part[0])
        if columns is None:
            self._keep(types)
            wanted = [n for n in wanted if n in self.kinds]
        raised = {n: [kinds.raise_to(kind, v, types[n]) for kind, v in parts[n]] for n in wanted}
        again = [n for n in wanted if any(v is None for v in raised[n])]
        if again:
            texts = list(by_columns(self._pages(), self._cells, [place[n] for n in again]))
            raised |= {n: [text[k] for text in texts] for k, n in enumerate(again)}
        columns_ = [_chained(raised[n], kinds.arrow_type(types[n])) for n in wanted]
        return pa.table(columns_, names=wanted)

    # Bytes

    def _pages(self) -> Iterator[Page]:
        """The rows, some megabytes at a time; a page holds until the second one after it is asked for."""
        for piece in self.records.pieces(self.dialect.header):
            if b"\0" in piece.buffer and b"\0" in piece.data:
                raise self.records.nul(piece.data, piece.line)
            page = piece.page or self._close_look(piece)
            if page.rows:
                yield page

    def lines_of(self, rows: Sequence[int]) -> list[int]:
        """The lines of the file in which some rows begin; the file is read once more."""
        wanted, lines, row = set(rows), {}, -1
        for piece in self.records.pieces(self.dialect.header):
            for record in self.records.tokenize(piece.data, piece.line):
                if not self.records.skipped(record):
                    row += 1
                    if row in wanted:
                        lines[row] = piece.line + record.line
        return [lines[i] for i in rows]

    def _close_look(self, piece: Piece) -> Page:
        """The records one by one, rewritten so that they are in good order; an error for one that cannot be."""
        d = self.dialect
        quote = d.quote or b'"'
        lines: list[bytes] = []
        for record in self.records.tokenize(piece.data, piece.line):
            if self.records.skipped(record):
                continue
            if len(record.cells) != self.width:
                raise self._ragged(record, piece.line + record.line)
            lines.append(canonical(record.cells, record.quoted, d.delimiter, quote))
        pages = Pages(replace(d, quote=quote, escape=b"", comment=b""), self.width, len(lines))
        page, *_ = pages.next(b"".join(lines), 0, final=True)
        if page.rows != len(lines):
            raise self.source.complain(
                f"{len(lines)} rows were found and {page.rows} read. Please report this file.", piece.line
            )
        return page

    def _ragged(self, record: Record, line: int) -> Exception:
        names = ", ".join(self.names[:8])[:200] + (", ..." if self.width > 8 else "")
        return self.source.complain(
            f"{_counted(len(record.cells), 'cell')}, expected {self.width} ({names}). Mend the line, or say what "
            "is different here: delimiter=, quote=, comment= or skip=.",
            line,
            code="ragged-line",
        )


class OtherTypes(Exception):
    """The first rows of a file do not have the types of all."""


def _chained(parts: list[Any], type_: Any) -> Any:
    """Arrays and chunked arrays, one after the other."""
    import pyarrow as pa

    chunks = [c for part in parts for c in (part.chunks if isinstance(part, pa.ChunkedArray) else [part])]
    return pa.chunked_array(chunks, type=type_)


def distinct(names: Sequence[str], where: str = "") -> list[str]:
    """The names, with a number after those that were there before; a file that is named gets a warning about them.

    >>> distinct(["a", "b", "a", "a_2", "a"])
    ['a', 'b', 'a_3', 'a_2', 'a_4']
    """
    taken = set(names)
    used: set[str] = set()
    counts: dict[str, int] = {}
    result = []
    for name in names:
        fresh = name
        while fresh in used:
            counts[name] = counts.get(name, 1) + 1
            fresh = f"{name}_{counts[name]}"
            fresh = name if fresh in taken else fresh
        used.add(fresh)
        result.append(fresh)
    renamed = [f"{new!r} (another {old!r})" for old, new in zip(names, result) if old != new]
    if renamed and where:
        listed = ", ".join(renamed[:5]) + (f" and {len(renamed) - 5} more" if len(renamed) > 5 else "")
        warn_user(f"{where}: columns of one name were given a number: {listed}.", SchemaWarning)
    return result


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" + ("" if n == 1 else "s")
