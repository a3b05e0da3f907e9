"""The columns of a raw table as a network takes them: scaled numbers, indicators and flags, codes of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, IntArray, Integer
from assay.tables import Schema

__all__ = ["TabularInputs"]

CLIP = 3.0  # scaled numbers stay within this on both sides
FEW_LEVELS = 9  # categories up to which a column has an indicator for each
FEWEST_DISTINCT = (
    32  # values of a fine column: two for each turn of its 16 waves, which fewer cannot tell apart
)
ROWS_COUNTED = 2**12  # of a column, to see whether it is fine


@dataclass(frozen=True)
class TabularInputs:
    r"""Numbers scaled and clipped smoothly, indicators for few categories, codes for many, flags for missing values.

    .. math:: z = \frac{x - \mathrm{median}}{q_{75} - q_{25}}, \qquad u = \frac{z}{\sqrt{1 + (z/3)^2}} \quad (1)

    (where the quartiles are equal: half the range in place of their distance; a constant column becomes 0). Ordinal
    columns are numbers. A nominal column of up to 9 categories has an indicator for each, all 0 for a missing or unseen
    one; with more, it is a code whose last value means missing or unseen.

    Attributes
    ----------
    numbers : (p,) columns that are numbers, the fine ones first      center, spread : (p,) of (1)
    indicated : (c,) columns with indicators      embedded : (e,) columns with codes
    levels : (c + e,) categories of these      flagged : (f,) columns that had missing values in training
    fine : how many columns have at least 32 distinct numbers

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.tabular_inputs import TabularInputs
    >>> from assay.tables import Schema
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [np.nan]])
    >>> inputs = TabularInputs.learn(X, Schema.numeric(1))
    >>> numbers, plain, codes = inputs.apply(X)
    >>> numbers.ravel().round(2)
    array([-0.95, -0.49,  0.  ,  0.49,  0.95,   nan], dtype=float32)
    >>> plain.ravel()
    array([0., 0., 0., 0., 0., 1.], dtype=float32)
    """

    numbers: np.ndarray
    center: np.ndarray
    spread: np.ndarray
    indicated: np.ndarray
    embedded: np.ndarray
    levels: np.ndarray
    flagged: np.ndarray
    fine: int = 0
    stored = {
        "numbers": IntArray("p", low=0),
        "center": FloatArray("p", finite=True),
        "spread": FloatArray("p", finite=True),
        "indicated": IntArray("c", low=0),
        "embedded": IntArray("e", low=0),
        "levels": IntArray("*", low=0),
        "flagged": IntArray("f", low=0),
        "fine": Integer(low=0),
    }

    @classmethod
    def learn(cls, X: np.ndarray, schema: Schema) -> TabularInputs:
        """What the columns of X need."""
        counts = schema.category_counts(ordered=False)
        nominal = np.array([column.kind == "nominal" for column in schema])
        numbers = np.flatnonzero(~nominal)
        fine = _fine(X[:, numbers])
        numbers = np.concatenate([numbers[fine], numbers[~fine]])
        indicated = np.flatnonzero(nominal & (counts <= FEW_LEVELS))
        embedded = np.flatnonzero(nominal & (counts > FEW_LEVELS))
        center, spread = _robust(X[:, numbers])
        flagged = np.flatnonzero(np.isnan(X).any(axis=0))
        levels = counts[np.concatenate([indicated, embedded])].astype(np.int64)
        return cls(numbers, center, spread, indicated, embedded, levels, flagged, int(fine.sum()))

    @property
    def plain_width(self) -> int:
        """How many indicators and flags there are."""
        return int(self.levels[: len(self.indicated)].sum()) + len(self.flagged)

    @property
    def tables(self) -> np.ndarray:
        """(e,) rows of the tables of embedded columns, that of missing and unseen categories included."""
        return self.levels[len(self.indicated) :] + 1

    def sources(self, width: int, category_width: int, waved: int | None = None) -> np.ndarray:
        """(D,) the column that each input of the network comes from.

        Parameters
        ----------
        width, category_width : numbers that embed a number and a category
        waved : how many numbers are embedded, the first ones; None for all
        """
        return np.concatenate(
            [
                self.numbers,
                np.repeat(self.numbers[:waved], width),
                np.repeat(self.indicated, self.levels[: len(self.indicated)]),
                self.flagged,
                np.repeat(self.embedded, category_width),
            ]
        ).astype(np.int64)

    def apply(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(n, p) numbers by (1), NaN where missing; (n, q) indicators and flags; (n, e) codes."""
        n = len(X)
        with np.errstate(over="ignore"):
            z = (X[:, self.numbers].astype(np.float64, copy=False) - self.center) / self.spread
            bounded = np.clip(z, -1e150, 1e150)  # NaN stays
            numbers = (bounded / np.sqrt(1 + (bounded / CLIP) ** 2)).astype(np.float32)
        plain = np.zeros((n, self.plain_width), dtype=np.float32)
        at = 0
        for j, count in zip(self.indicated.tolist(), self.levels.tolist()):
            rows = np.flatnonzero(~np.isnan(X[:, j]))
            plain[rows, at + X[rows, j].astype(np.int64)] = 1.0
            at += count
        plain[:, at:] = np.isnan(X[:, self.flagged])
        codes = X[:, self.embedded]
        last = np.broadcast_to(self.tables - 1, codes.shape)
        codes = np.where(np.isnan(codes), last, codes).astype(np.int32)
        return np.ascontiguousarray(numbers), plain, np.ascontiguousarray(codes)

    def check(self, columns: int) -> None:
        """Raise for arrays that do not belong to a table of that many columns."""
        parts = [self.numbers, self.indicated, self.embedded]
        if not np.array_equal(np.sort(np.concatenate(parts)), np.arange(columns)):
            raise ValueError("the inputs are not those of the columns")
        if len(self.levels) != len(self.indicated) + len(self.embedded):
            raise ValueError("the inputs do not have a number of categories for each nominal column")
        if (self.flagged >= columns).any() or not (self.spread > 0).all():
            raise ValueError("the inputs have a flag of no column, or a spread of 0")


def _robust(values: Any) -> tuple[np.ndarray, np.ndarray]:
    """(p,) medians and spreads of columns of numbers; 0 and 1 for a column without any."""
    values = np.asarray(values, dtype=np.float64)
    p = values.shape[1]
    center, spread = np.zeros(p), np.ones(p)
    some = ~np.isnan(values).all(axis=0)
    if not some.any():
        return center, spread
    low, middle, high = np.nanquantile(values[:, some], [0.25, 0.5, 0.75], axis=0)
    least, most = np.nanmin(values[:, some], axis=0), np.nanmax(values[:, some], axis=0)
    with np.errstate(over="ignore"):
        width, half = high - low, (most / 2 - least / 2)
    width = np.where(width > 0, width, half)
    center[some] = middle
    spread[some] = np.where((width > 0) & np.isfinite(width), width, 1.0)
    return center, spread


def _fine(values: Any) -> np.ndarray:
    """(p,) whether columns of numbers have enough distinct ones; of many rows some are looked at."""
    some = np.sort(values[:: -(-len(values) // ROWS_COUNTED)], axis=0)  # NaN last
    steps = np.diff(some, axis=0) > 0
    return np.asarray(steps.sum(axis=0) + 1 >= FEWEST_DISTINCT)
