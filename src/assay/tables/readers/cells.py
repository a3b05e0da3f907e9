"""Pages of delimited text: where the cells of some records are, and their columns as Arrow arrays.

Native code finds the cells and reads plain numbers and text (``cells.cpp``). What is not plain it leaves to its
callers: records that ``Records`` must look at closely, columns that only ``kinds`` can tell the type of.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from assay.tables.marks import MISSING
from assay.tables.readers import kinds
from assay.tables.readers._cells import Reading, numbers, scan, text
from assay.tables.readers.dialect import Dialect

BYTES_OF_A_CELL = 4  # for which a page has room; where cells are shorter, there are more pages
COMPLETE, ODD, FULL = 0, 1, 2  # why a page ended: with the data, before a record to look at closely, no room
_NONE = -1
_LEAST_POWER, _POWERS = -128, 256
_CODES = {kinds.WHOLE: 1, kinds.NUMBER: 2}
_KINDS = (kinds.NO_VALUES, kinds.WHOLE, kinds.NUMBER, None)


class Page:
    """The records of some text that native code has found.

    Parameters
    ----------
    data : (n,) uint8 array
    cells : uint32 array, as ``scan`` writes it
    width, rows : int
        Cells of a record, and how many records there are.
    reading : Reading
    """

    def __init__(self, data: np.ndarray, cells: np.ndarray, width: int, rows: int, reading: Reading):
        self.data, self.cells, self.width, self.rows, self.reading = data, cells, width, rows, reading

    def text(self, j: int) -> Any:
        """Column j as text, nulls for missing cells."""
        import pyarrow as pa

        missing, valid, offsets, letters = text(self.data, self.cells, self.width, j, self.rows, self.reading)
        buffers = [valid if missing else None, offsets, letters]
        buffers = [None if b is None else pa.py_buffer(b) for b in buffers]
        return pa.Array.from_buffers(pa.string(), self.rows, buffers, missing)

    def numbers(self, j: int, narrowest: str = kinds.WHOLE) -> tuple[str | None, Any]:
        """Column j as the kind of its numbers and their values; if a cell is no plain number, None and its row."""
        import pyarrow as pa

        code, row, missing, values, valid = numbers(
            data=self.data, cells=self.cells, width=self.width, j=j, rows=self.rows, reading=self.reading,
            kind=_CODES.get(narrowest, 0), store=True,
        )  # fmt: skip
        kind = _KINDS[code]
        if kind is None:
            return None, row
        if kind == kinds.NO_VALUES:
            return kind, pa.nulls(self.rows, kinds.arrow_type(kind))
        buffers = [pa.py_buffer(valid) if missing else None, pa.py_buffer(values)]
        return kind, pa.Array.from_buffers(kinds.arrow_type(kind), self.rows, buffers, missing)

    def kind_of_numbers(self, j: int, narrowest: str = kinds.WHOLE) -> tuple[str | None, int]:
        """The kind alone, and the row of the first cell that is no plain number."""
        code, row, *_ = numbers(
            data=self.data, cells=self.cells, width=self.width, j=j, rows=self.rows, reading=self.reading,
            kind=_CODES.get(narrowest, 0), store=False,
        )  # fmt: skip
        return _KINDS[code], row

    def cell(self, i: int, j: int) -> str:
        """The text of a cell."""
        return str(
            Page(self.data, self.cells[2 * i * self.width :], self.width, 1, self.reading).text(j)[0].as_py()
        )


class Pages:
    """The pages of one file: its dialect as native code takes it, and room for the cells of two pages.

    Parameters
    ----------
    dialect : Dialect
    width : int
        Cells of a record.
    rows : int, default 0
        Records that a page must have room for.
    """

    def __init__(self, dialect: Dialect, width: int, rows: int = 0):
        d = dialect
        self.width = width
        self._marks = {
            "delimiter": d.delimiter[0],
            "quote": d.quote[0] if d.quote else _NONE,
            "escape": d.escape[0] if d.escape else _NONE,
            "comment": d.comment[0] if d.comment else _NONE,
        }
        missing = [mark.encode() for mark in MISSING]
        self._reading = Reading(
            marks=np.frombuffer(b"".join(missing), np.uint8),
            starts=np.cumsum([0, *map(len, missing)], dtype=np.int64),
            trim=d.trim,
            quoted_missing=d.quoted_missing,
            point=ord(d.decimal),
            quote=self._marks["quote"],
            escape=self._marks["escape"],
            powers=_powers_of_ten(),
        )
        self._rooms = [np.empty(2 * width * rows, dtype=np.uint32), np.empty(0, dtype=np.uint32)]
        self._result = np.zeros(4, dtype=np.int64)

    def next(self, data: bytes, start: int, final: bool) -> tuple[Page, int, int, int]:
        """The page that begins at a position, why it ended, where, and the line ends in it.

        Its cells are overwritten by those of the second one after it: the next can be found while they are read.
        """
        view = np.frombuffer(data, np.uint8)
        size = 2 * max(self.width, len(data) // BYTES_OF_A_CELL)
        if len(self._rooms[0]) < size:
            self._rooms[0] = np.empty(
                size + size // 8, dtype=np.uint32
            )  # buffers differ by what was left over
        room, _ = self._rooms
        scan(
            data=view, start=start, final=final, width=self.width, cells=room, result=self._result,
            **self._marks,
        )  # fmt: skip
        stop, end, rows, lines = self._result.tolist()
        if rows:  # a page without any is not kept by anyone
            self._rooms.reverse()
        return Page(view, room, self.width, rows, self._reading), stop, end, lines


@cache
def _powers_of_ten() -> np.ndarray:
    """The first 128 bits of 5^q for q from -128 to 127, rounded down; those of its inverse are rounded up."""
    halves = []
    for q in range(_LEAST_POWER, _LEAST_POWER + _POWERS):
        if q >= 0:
            bits = (5**q << 128) >> (5**q).bit_length()
        else:
            power = 5**-q
            bits = (1 << (power.bit_length() + 127)) // power + 1
        halves += [bits >> 64, bits & (2**64 - 1)]
    return np.array(halves, dtype=np.uint64)
