"""Values of learners from top to bottom: the mean with its interval over the values on the splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.plots.looks import bare, legend_name
from assay.plots.scale import Scale

__all__ = ["draw_interval_rows", "spread"]


def draw_interval_rows(
    ax: Any,
    names: Sequence[str],
    means: np.ndarray,
    lows: np.ndarray,
    highs: np.ndarray,
    values: Sequence[np.ndarray] | None,
) -> tuple[list[Any], Any]:
    """Draw a row for each learner, the first at the top; returns the points and the intervals."""
    at, points = np.arange(len(names), dtype=np.float64), []
    for place, of_splits in zip(at, values or ()):
        finite = of_splits[np.isfinite(of_splits)]
        look: dict[str, Any] = {
            "s": 12,
            "color": class_colour(4),
            "alpha": 0.55,
            "linewidths": 0,
            "zorder": 2,
        }
        points.append(ax.scatter(finite, place + spread(finite), **look))
    measured = np.isfinite(means)
    sides = [np.where(np.isfinite(end), np.maximum(gap, 0), 0)[measured]
             for end, gap in ((lows, means - lows), (highs, highs - means))]  # fmt: skip
    look = {"fmt": "o", "color": class_colour(0), "ms": 6, "elinewidth": 2.4, "capsize": 0, "zorder": 3}
    intervals = ax.errorbar(means[measured], at[measured], xerr=sides, **look)
    Scale.over([*means, *lows, *highs, *(v for row in values or () for v in row)]).draw(ax, "x")
    ax.set_yticks(at, [legend_name(name, 32) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    bare(ax)
    ax.tick_params(axis="y", length=0)
    return points, intervals


def spread(values: np.ndarray, width: float = 0.3) -> np.ndarray:
    """Small shifts that part equal and nearly equal values; the same for the same values.

    >>> import numpy as np
    >>> from assay.plots._interval_rows import spread
    >>> spread(np.array([0.1, 0.1, 0.1, 0.4])).round(2)
    array([-0.1,  0. ,  0.1,  0. ])
    """
    shift = np.zeros(len(values))
    if len(values) < 2:
        return shift
    wide = float(np.ptp(values))
    bins = np.round((values - values.min()) / (wide or 1.0) * 60).astype(int)
    for b in np.unique(bins):
        rows = np.flatnonzero(bins == b)
        half = min(width, 0.1 * (len(rows) - 1) / 2)
        shift[rows] = np.linspace(-half, half, len(rows)) if len(rows) > 1 else 0.0
    return shift
