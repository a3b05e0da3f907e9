"""Rows of a kernel matrix that were used lately."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.svm.engine._solve as _solve
from assay.core.parallel import in_threads
from assay.kernels.gram_rows import GramRows

__all__ = ["RowCache"]

LEAST_ROWS = 64
COLUMNS_A_PIECE = 4096  # of G that one thread brings up to date


class RowCache:
    """Rows of the matrix in some columns, as many as fit; the one that was not used for longest makes room.

    Parameters
    ----------
    gram : GramRows
    dtype : float32 or float64
    megabytes : float, but 64 rows fit in any case
    """

    def __init__(self, gram: GramRows, dtype: Any, megabytes: float):
        self.gram = gram
        size = int(megabytes * 2**20) // np.dtype(dtype).itemsize
        rows = min(max(size // gram.n, LEAST_ROWS), gram.n)
        self._values = np.empty(rows * gram.n, dtype)
        self.computed = 0  # rows, for diagnostics
        self.columns = np.arange(gram.n)
        self._forget()

    def _forget(self) -> None:
        self.slots = len(self._values) // len(self.columns)
        self._owner = np.full(self.slots, -1)
        self._slot = np.full(self.gram.n, -1)
        self._used = np.zeros(self.slots, dtype=np.int64)
        self._clock = 0

    @property
    def table(self) -> np.ndarray:
        width = len(self.columns)
        return self._values[: self.slots * width].reshape(self.slots, width)

    def rows(self, wanted: np.ndarray) -> np.ndarray:
        """(k,) where these rows, at most ``slots``, stand in ``table``; they are computed if they are not there yet."""
        self._clock += 1
        held = self._slot[wanted]
        self._used[held[held >= 0]] = self._clock
        missing = wanted[held < 0]
        if len(missing):
            places = np.argpartition(self._used, len(missing) - 1)[: len(missing)]
            evicted = self._owner[places]
            self._slot[evicted[evicted >= 0]] = -1
            self.gram.fill(missing, self.columns, self.table, places)
            self._slot[missing], self._owner[places], self._used[places] = places, missing, self._clock
            self.computed += len(missing)
        return self._slot[wanted]

    def subtract(self, wanted: np.ndarray, coef: np.ndarray, G: np.ndarray) -> None:
        """G -= coef @ K(wanted, columns), piece by piece of the columns."""
        for start in range(0, len(wanted), self.slots):
            some, weights = wanted[start : start + self.slots], coef[start : start + self.slots]
            places, table = self.rows(some), self.table

            def piece(
                first: int, places: Any = places, weights: Any = weights, table: np.ndarray = table
            ) -> None:
                last = min(first + COLUMNS_A_PIECE, len(G))
                _solve.subtract_rows(table, places, weights, first, last, G)

            in_threads(piece, range(0, len(G), COLUMNS_A_PIECE))

    def keep(self, kept: np.ndarray) -> None:
        """Go on with some of the columns (their positions, ascending); rows of others are given up."""
        old, width = self._owner, len(self.columns)
        used = np.flatnonzero(old >= 0)
        rows = int(used.max()) + 1 if len(used) else 0
        self.columns = self.columns[kept]
        _solve.squeeze(rows, width, kept, self._values)
        times = self._used
        self._forget()
        stays = np.zeros(self.gram.n, dtype=bool)
        stays[self.columns] = True
        used = used[stays[old[used]]]
        self._owner[used], self._slot[old[used]], self._used[used] = old[used], used, times[used]
        self._clock = int(times.max(initial=0))

    def keep_all(self) -> None:
        """Go on with all columns; the rows so far are given up."""
        self.columns = np.arange(self.gram.n)
        self._forget()
