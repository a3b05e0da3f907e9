"""Choice of the bandwidth: by a rule of thumb or by leave-one-out cross-validation."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.densities.kernels import kernel_of
from assay.errors import DegenerateError
from assay.smoothers.splines import LEFT

__all__ = ["chosen_width", "rule_of_thumb", "spread_rows"]

STEPS = np.arange(-9, 8) / 2  # half powers of two around the rule of thumb
EFFORT = 1 << 24  # weights per candidate; with more rows than that, errors are measured at some of them
MIN_ROWS = 200  # but at as many at least


def chosen_width(smoother: Any, way: str) -> float:
    """The width for a fitted local smoother: "scott", or the best candidate by "loo" or "gcv".

    The candidates are the rule of thumb times half powers of two, from 1/23 to 11; of equals the widest is taken.
    """
    start = rule_of_thumb(smoother)
    counting = len(smoother.y_) if smoother.weight_ is None else np.count_nonzero(smoother.weight_)
    if way == "scott" or counting < 3:
        return start
    rows = spread_rows(smoother.X_, max(MIN_ROWS, EFFORT // len(smoother.y_)))
    if smoother.weight_ is not None:
        rows = rows[smoother.weight_[rows] > 0]
    widths = start * 2.0 ** STEPS[::-1]
    errors = [error_at(smoother, rows, float(width), way) for width in widths]
    return float(widths[int(np.argmin(np.where(np.isnan(errors), np.inf, errors)))])


def error_at(smoother: Any, rows: np.ndarray, width: float, way: str) -> float:
    """The mean squared error at these rows, y in a unit of its own, if the width were this."""
    counts = np.ones(len(rows)) if smoother.weight_ is None else smoother.weight_[rows]
    y = smoother.y_[rows]
    smoother.bandwidth_ = width
    if way == "loo":
        return float(counts @ ((y - smoother._left_out(rows)) / smoother._unit) ** 2 / counts.sum())
    smoother._refuse_unless_linear("generalised cross-validation")
    fitted = smoother._predict(smoother.X_[rows])
    share = float(smoother._leverages(rows).sum() / counts.sum())
    left = max(1 - share, 0.0)
    return (
        np.inf
        if left < LEFT
        else float(counts @ ((y - fitted) / smoother._unit) ** 2 / counts.sum() / left**2)
    )


def rule_of_thumb(smoother: Any) -> float:
    r"""Scott's width, for a kernel of any spread: :math:`h = s\,n^{-1/(d+4)}/\sigma_K`.

    s is the standard deviation of a column, or, of several, the root of the mean squared distance of two rows over 2 d.
    """
    X, w = smoother.X_, smoother.weight_
    n, d = len(X) if w is None else float(w.sum()), X.shape[1]
    rows = spread_rows(X, 512) if w is None else np.flatnonzero(w)[spread_rows(X[w > 0], 512)]
    parts = np.full(len(rows), 1 / len(rows)) if w is None else w[rows] / w[rows].sum()
    apart = smoother._metric().between(X[rows], X[rows])
    unit = float(apart.max(initial=0.0)) or 1.0
    size = unit * np.sqrt(parts @ (apart / unit) ** 2 @ parts / (2 * d)) if np.isfinite(unit) else np.inf
    if not np.isfinite(size):
        raise DegenerateError(f"{type(smoother).__name__}: the distances between the rows are not finite.")
    if size == 0:
        return 1.0  # all rows are at one place
    return float(size * max(n, 1.0) ** (-1 / (d + 4)) / np.sqrt(kernel_of(smoother._kernel).variance()))


def spread_rows(X: np.ndarray, limit: int) -> np.ndarray:
    """At most ``limit`` rows, evenly spread over the rows in sorted order, so that their order does not matter."""
    n = len(X)
    if n <= limit:
        return np.arange(n)
    return np.lexsort(X.T[::-1])[np.linspace(0, n - 1, limit).round().astype(np.int64)]
