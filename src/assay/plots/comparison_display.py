"""Learners ranked, each with its interval and its values on the splits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.plots._interval_rows import draw_interval_rows
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, draw_literally
from assay.types import Axes

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
        means: ArrayLike,
        lows: ArrayLike | None = None,
        highs: ArrayLike | None = None,
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
        for word, numbers in (("means", self.means), ("lows", self.lows), ("highs", self.highs),
                            ("values", self.values), ("letters", self.letters)):  # fmt: skip
            if numbers is not None and len(numbers) != L:
                raise DataError(f"ComparisonDisplay: {len(numbers)} {word} for {L} learners.")

    @classmethod
    def from_comparison(
        cls, comparison: Comparison, metric: str | None = None, *, ax: Axes | None = None, **options: Any
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

    def plot(self, ax: Axes | None = None, *, points: bool = True) -> ComparisonDisplay:
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
        self.points_, self.intervals_ = draw_interval_rows(
            ax, self.names, self.means, self.lows, self.highs, self.values if points else None
        )
        ax.axvline(self.means[0], color=FAINT, lw=0.8, ls=":", zorder=1)
        ax.set_xlabel(self.metric)
        if self.letters is not None and any(self.letters):
            for place, mark in enumerate(self.letters):
                ax.annotate(mark, (1.02, place), xycoords=("axes fraction", "data"), va="center", color=INK)
        draw_literally(ax)
        return self
