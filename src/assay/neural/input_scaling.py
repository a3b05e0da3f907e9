"""Inputs of a network made comparable, and missing values as a column of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, IntArray
from assay.errors import DataError

__all__ = ["InputScaling", "target_scale"]

LARGE_TARGET = 1e100  # beyond, squares would leave the finite numbers
SMALL_TARGET = 1e-100  # below, squares would be 0


@dataclass(frozen=True)
class InputScaling:
    """Subtract a centre, divide by a spread, put 0 where a value is missing and 1 into its indicator.

    The network learns a weight for each indicator: together with the 0 it is the value that missing ones stand for.

    Attributes
    ----------
    center, spread : (p,)      indicators : (q,) columns that had missing values in training

    Examples
    --------
    >>> import numpy as np
    >>> from assay.neural.input_scaling import InputScaling
    >>> X = np.array([[1.0, 5.0], [3.0, np.nan]])
    >>> InputScaling.learn(X, "standard", True, "example").apply(X)
    array([[-1.,  0.,  0.],
           [ 1.,  0.,  1.]])
    """

    center: np.ndarray
    spread: np.ndarray
    indicators: np.ndarray
    stored = {
        "center": FloatArray("p", finite=True),
        "spread": FloatArray("p", finite=True),
        "indicators": IntArray("q", low=0, below="p"),
    }

    @classmethod
    def learn(cls, X: Any, scale: str | None, missing: bool, who: str) -> InputScaling:
        """The scaling of the columns of X: "standard" (mean, deviation), "robust" (median, quartiles) or None."""
        if not isinstance(X, np.ndarray):
            raise DataError(f"{who}: scale and missing need dense columns, X is sparse. Use X.toarray().")
        p = X.shape[1]
        gaps = np.isnan(X)
        values = X.astype(np.float64, copy=False)
        center, spread = np.zeros(p), np.ones(p)
        empty = gaps.all(axis=0)
        if scale is not None and not empty.all():
            some = values[:, ~empty]
            with np.errstate(over="ignore", invalid="ignore"):
                if scale == "standard":
                    middle, width = np.nanmean(some, axis=0), np.nanstd(some, axis=0)
                else:
                    low, middle, high = np.nanquantile(some, [0.25, 0.5, 0.75], axis=0)
                    width = (high - low) / 1.3489795003921634  # 1 for a normal column
                    flat = ~(width > 0)
                    width[flat] = np.nanstd(some[:, flat], axis=0)
            center[~empty], spread[~empty] = _usable(middle, width)
        elif missing:
            center[~empty] = np.nanmean(values[:, ~empty], axis=0)
        return cls(center, spread, np.flatnonzero(gaps.any(axis=0)) if missing else np.zeros(0, np.int64))

    @classmethod
    def of_sums(
        cls, mean: Any, deviation: Any, count: Any, rows: int, scale: str | None, missing: bool
    ) -> InputScaling:
        """The scaling by "standard" or None from means, deviations and counts (p,) of the values that are there."""
        center, spread = np.zeros(len(mean)), np.ones(len(mean))
        if scale is not None:
            center, spread = _usable(mean, deviation)
        elif missing:
            center = np.asarray(mean, dtype=np.float64)
        gaps = np.flatnonzero(np.asarray(count) < rows)
        return cls(center, spread, gaps if missing else np.zeros(0, np.int64))

    def __len__(self) -> int:
        return len(self.center) + len(self.indicators)

    def apply(self, X: Any) -> np.ndarray:
        """(n, p + q) the inputs of rows."""
        kind = X.dtype if X.dtype == np.float32 else np.float64
        scaled = ((X - self.center) / self.spread).astype(kind, copy=False)
        gaps = np.isnan(X)
        if gaps.any():
            scaled[gaps] = 0.0
        if not len(self.indicators):
            return scaled
        return np.hstack([scaled, gaps[:, self.indicators].astype(kind)])

    def gathered(self, adds: np.ndarray) -> np.ndarray:
        """(n, p, K) contributions of the columns, those of their indicators included."""
        p = len(self.center)
        gathered = adds[:, :p].copy()
        for at, j in enumerate(self.indicators.tolist()):
            gathered[:, j] += adds[:, p + at]
        return gathered


def _usable(middle: Any, width: Any) -> tuple[np.ndarray, np.ndarray]:
    """Centres that are numbers, and spreads above 0: 1 for a constant column."""
    constant = ~(width > 1e-12 * np.maximum(np.abs(middle), 1e-300)) | ~np.isfinite(width)
    return np.where(np.isfinite(middle), middle, 0.0), np.where(constant, 1.0, width)


def target_scale(y: np.ndarray, w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """(K,) the (weighted) means of targets, and their deviations, 1 where there is none.

    >>> import numpy as np
    >>> from assay.neural.input_scaling import target_scale
    >>> target_scale(np.array([[1e300, 5.0], [3e300, 5.0]]), None)
    (array([2.e+300, 5.e+000]), array([1.e+300, 1.e+000]))
    """
    largest = np.abs(y).max(axis=0)
    far = (largest > LARGE_TARGET) | ((largest < SMALL_TARGET) & (largest > 0))
    unit = np.where(far, largest, 1.0)
    within = y / unit
    counted = within if w is None else within[w > 0]
    first = counted[0]
    same = (counted == first).all(axis=0)  # exactly: a mean of equal numbers may be rounded
    center = np.where(same, first, np.average(within, axis=0, weights=w))
    spread = np.where(same, 0.0, np.sqrt(np.average((within - center) ** 2, axis=0, weights=w)))
    return center * unit, np.where(spread > 0, spread * unit, 1.0)
