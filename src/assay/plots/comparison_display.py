"""Learners ranked, each with its interval and its values on the splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, bare, draw_literally, legend_name

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["ComparisonDisplay"]


class ComparisonDisplay:
    """One line per learner, the best on top: its mean, the interval of the mean, and its value on each split.

    Learners that share a letter do not differ significantly. Intervals of single learners may overlap although
    the paired difference is significant: see :class:`PairedDifferenceDisplay`.

    Parameters
    ----------
    names : (L,) learners, best first
    means, lows, highs : (L,) the metric and its interval; NaN where there is none
    values : list of (J,) values on the splits, or None
    letters : (L,) marks of the groups, or None
    metric : str
        Stands at the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    points_ : list of drawn split values, top to bottom
    intervals_ : drawn means and intervals

    Examples
    --------
    >>> from assay import compare
    >>> from assay.plots import ComparisonDisplay
    >>> from assay.tables.data import load_iris
    >>> display = ComparisonDisplay.from_comparison(compare(["majority", "lda"], load_iris(), design="5-fold"))
    >>> display.names, display.letters
    (['lda', 'majority'], ['a', 'b'])
    """

    def __init__(
        self,
        names: Sequence[str],
        means: Any,
        lows: Any = None,
        highs: Any = None,
        *,
        values: Sequence[Any] | None = None,
        letters: Sequence[str] | None = None,
        metric: str = "error",
    ):
        self.names, self.metric = [str(name) for name in names], metric
        L = len(self.names)
        self.means = np.asarray(means, dtype=np.float64)
        self.lows = np.full(L, np.nan) if lows is None else np.asarray(lows, dtype=np.float64)
        self.highs = np.full(L, np.nan) if highs is None else np.asarray(highs, dtype=np.float64)
        self.values = None if values is None else [np.asarray(v, dtype=np.float64) for v in values]
        self.letters = None if letters is None else [str(mark) for mark in letters]
        if not L:
            raise DataError("ComparisonDisplay: there are no learners to draw.")
        for word, given in (("means", self.means), ("lows", self.lows), ("highs", self.highs),
                            ("values", self.values), ("letters", self.letters)):  # fmt: skip
            if given is not None and len(given) != L:
                raise DataError(f"ComparisonDisplay: {len(given)} {word} for {L} learners.")

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, ax: Any = None, **options: Any
    ) -> ComparisonDisplay:
        """Draw the ranking of a comparison; learners that failed are left out.

        Parameters
        ----------
        comparison : result of ``compare``
        metric : name; default the first one
        options : as in ``plot``
        """
        standings = [s for s in comparison.ranking(metric) if not s.failure]
        if not standings:
            raise DataError("ComparisonDisplay: no learner of the comparison finished. See its failures.")
        names = [s.learner for s in standings]
        return cls(
            names,
            [s.mean for s in standings],
            [s.low for s in standings],
            [s.high for s in standings],
            values=[comparison.values(name, metric) for name in names],
            letters=[s.letters for s in standings],
            metric=metric or comparison.metrics[0].name,
        ).plot(ax, **options)

    def plot(self, ax: Any = None, *, points: bool = True) -> ComparisonDisplay:
        """Draw the learners from top to bottom.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        points : bool
            Whether the values on the splits are drawn.
        """
        L = len(self.names)
        self.ax_ = ax = axes_for(ax, (6.6, 0.42 * L + 1.1))
        self.figure_ = ax.figure
        at = np.arange(L, dtype=np.float64)
        self.points_ = []
        if points and self.values is not None:
            for place, values in zip(at, self.values):
                there = values[np.isfinite(values)]
                look = {"s": 12, "color": class_colour(4), "alpha": 0.55, "linewidths": 0, "zorder": 2}
                self.points_.append(ax.scatter(there, place + spread(there), **look))
        known = np.isfinite(self.means)
        below = np.where(np.isfinite(self.lows), self.means - self.lows, 0)[known]
        above = np.where(np.isfinite(self.highs), self.highs - self.means, 0)[known]
        look = {"fmt": "o", "color": class_colour(0), "ms": 6, "elinewidth": 2.4, "capsize": 0, "zorder": 3}
        sides = [np.maximum(below, 0), np.maximum(above, 0)]
        self.intervals_ = ax.errorbar(self.means[known], at[known], xerr=sides, **look)
        ax.axvline(self.means[0], color=FAINT, lw=0.8, ls=":", zorder=1)
        ax.set_yticks(at, [legend_name(name, 32) for name in self.names])
        ax.set(ylim=(L - 0.5, -0.5), xlabel=self.metric)
        if self.letters is not None and any(self.letters):
            for place, mark in zip(at, self.letters):
                ax.annotate(mark, (1.02, place), xycoords=("axes fraction", "data"), va="center", color=INK)
        bare(ax)
        ax.tick_params(axis="y", length=0)
        draw_literally(ax)
        return self


def spread(values: np.ndarray, width: float = 0.3) -> np.ndarray:
    """Small shifts that part equal and nearly equal values; the same for the same values.

    >>> import numpy as np
    >>> from assay.plots.comparison_display import spread
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
