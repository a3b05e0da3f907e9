"""Excel workbooks: one sheet, read row by row."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any

from assay.errors import MissingExtraError, SchemaError
from assay.tables.marks import MISSING
from assay.tables.readers.csv import distinct
from assay.tables.readers.objects import finished, part_of
from assay.tables.readers.origin import CHUNK, Origin, complain

MOST_UNPACKED = 1 << 29  # bytes of all parts of a workbook together
MOST_ROWS = 1 << 20  # rows of a sheet
MOST_CELLS = 1 << 27  # cells of a sheet, empty ones before a filled one included

_ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


class ExcelReader:
    """A sheet of an Excel workbook (.xlsx), its first row with content the names of the columns.

    Empty cells, Excel's error values and the marks that CSV files use are missing. A column of numbers is numeric, one
    of dates a date, one of text, or of text and numbers, is text. Formulas count with the value stored for them.
    Rows without content are no rows.

    Parameters
    ----------
    path : str, Path, file object or "-"
    sheet : str or int, default None
        The sheet, by name or position from 0; None is the first one.
    na : sequence of str, default ()
        Further marks of missing values.
    """

    format = "excel"

    def __init__(self, path: Any, sheet: str | int | None = None, na: Sequence[str] = ()):
        self.origin = Origin.of(path)
        self.name = self.origin.name
        self.sheet = sheet
        self._missing = frozenset((*MISSING, *_ERRORS, *na))
        self._lines: list[int] = []
        rows = list(self._rows())
        if not rows:
            raise complain(self.name, "the sheet is empty, expected a table.")
        width = max(len(row) for _, row in rows)
        _, header = rows.pop(0)
        header = [*header, *[None] * (width - len(header))]
        titles = [_name(cell) for cell in header]
        names = distinct([name or f"column_{j + 1}" for j, name in enumerate(titles)], self.name)
        self._lines = [line for line, _ in rows]
        self._columns: dict[str, list[Any]] = {}
        for j, name in enumerate(names):
            cells = [row[j] if j < len(row) else None for _, row in rows]
            if titles[j] or any(cell is not None for cell in cells):
                self._columns[name] = cells
        self.names = list(self._columns)

    def read(self, columns: Sequence[str] | None = None) -> Any:
        """The sheet as one Arrow table."""
        import pyarrow as pa

        wanted = self.names if columns is None else list(columns)
        arrays = []
        for name in wanted:
            if name not in self._columns:
                raise SchemaError(
                    f"{self.name}: there is no column {name!r}. Columns: {', '.join(self.names)}."
                )
            part = part_of([_plain(v) for v in self._columns[name]], self._missing)
            arrays.append(finished(part, part.kind, len(self._lines)))
        return pa.table(arrays, names=wanted)

    def blocks(self, columns: Sequence[str] | None = None) -> Iterator[Any]:
        """The sheet as one block; it is in memory in any case."""
        yield self.read(columns)

    def lines_of(self, rows: Sequence[int]) -> list[int]:
        """The rows of the sheet, counted from 1 as Excel does, that some rows of the table come from."""
        return [self._lines[i] for i in rows]

    def _rows(self) -> Iterator[tuple[int, list[Any]]]:
        """Rows with content, cut after their last filled cell, and their numbers in the sheet."""
        try:
            import openpyxl
        except ImportError:
            raise MissingExtraError(
                f'{self.name}: Excel files need one more package: pip install "assay[excel]".'
            ) from None
        self._check_size()
        cells = 0
        with open(self.origin.plain, "rb") as file:  # given a path, openpyxl would insist on its ending
            try:
                book = openpyxl.load_workbook(file, read_only=True, data_only=True)
            except Exception as error:  # openpyxl lets errors of zipfile, XML and its own descriptors through
                raise self._damaged(error) from None
            sheet = self._sheet(book)
            sheet.reset_dimensions()  # the size that the file states may be wrong
            for line, values in enumerate(self._guarded(sheet.iter_rows(values_only=True)), 1):
                row = list(values)
                while row and row[-1] in (None, ""):
                    row.pop()
                cells += len(row)
                if line > MOST_ROWS or cells > MOST_CELLS:
                    raise complain(
                        self.name, f"the sheet has more than {MOST_ROWS:,} rows or {MOST_CELLS:,} cells."
                    )
                if row:
                    yield line, row

    def _guarded(self, rows: Iterator[Any]) -> Iterator[Any]:
        """The rows; an exception of openpyxl means that the file is damaged."""
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except Exception as error:
                raise self._damaged(error) from None
            yield row

    def _damaged(self, error: Exception) -> Exception:
        what = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        return complain(self.name, f"not an Excel workbook (.xlsx), or a damaged one ({what}).")

    def _sheet(self, book: Any) -> Any:
        sheets = [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
        names = [sheet.title for sheet in sheets]
        if not sheets:
            raise complain(self.name, "the workbook has no sheet with cells.")
        if self.sheet is None:
            return sheets[0]
        if isinstance(self.sheet, int) and not isinstance(self.sheet, bool) and 0 <= self.sheet < len(sheets):
            return sheets[self.sheet]
        if self.sheet in names:
            return sheets[names.index(self.sheet)]
        raise complain(self.name, f"there is no sheet {self.sheet!r}. Sheets: {', '.join(names)}.")

    def _check_size(self) -> None:
        """Unpack all parts once, so that none of them can grow without bounds later."""
        import zipfile
        import zlib

        total = 0
        try:
            with zipfile.ZipFile(self.origin.plain) as archive:
                for member in archive.infolist():
                    with archive.open(member) as stream:
                        while total <= MOST_UNPACKED and (data := stream.read(CHUNK)):
                            total += len(data)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError) as error:
            raise self._damaged(error) from None
        if total > MOST_UNPACKED:
            size = MOST_UNPACKED >> 20
            raise complain(self.name, f"the workbook unpacks to more than {size} MB. Save the sheet as CSV.")


def _name(cell: Any) -> str:
    return "" if cell is None else str(_plain(cell)).strip()


def _plain(value: Any) -> Any:
    """A cell as a number, text, a moment or a truth value; spaces around text go."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dt.timedelta):
        return value / dt.timedelta(days=1)
    if isinstance(value, dt.time):
        return value.isoformat()
    return value
