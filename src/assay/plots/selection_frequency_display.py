"""How often each column is chosen over resamples of the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally
from assay.stats.significance.test_result import shown_confidence
from assay.types import Axes

__all__ = ["SelectionFrequencyDisplay"]


class SelectionFrequencyDisplay:
    """One bar per column, the most frequent on top, coloured if the column is kept, with its interval.

    Parameters
    ----------
    names : (d,) columns      frequency : (d,) from 0 to 1      kept : (d,) bool
    ends : (d, 2) intervals, or None      threshold : the share from which on columns are kept, or None
    kind : str
        What the shares are of; stands at the axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    order_ : (d,) columns from the most frequent to the least

    Examples
    --------
    >>> from assay.plots import SelectionFrequencyDisplay
    >>> display = SelectionFrequencyDisplay(["age", "pay"], [0.2, 0.8], [False, True]).plot()
    >>> [display.names[j] for j in display.order_]
    ['pay', 'age']
    """

    def __init__(
        self,
        names: Sequence[str],
        frequency: ArrayLike,
        kept: ArrayLike,
        *,
        ends: ArrayLike | None = None,
        threshold: float | None = None,
        kind: str = "share of the resamples that chose the column",
    ):
        self.names = [str(name) for name in names]
        self.frequency, self.kept = np.asarray(frequency, np.float64), np.asarray(kept, bool)
        self.ends = None if ends is None else np.asarray(ends, np.float64)
        self.threshold, self.kind = threshold, kind
        if not len(self.names) == len(self.frequency) == len(self.kept):
            raise DataError(
                f"SelectionFrequencyDisplay: {len(self.names)} names, {len(self.frequency)} frequencies and "
                f"{len(self.kept)} flags. Give one of each for every column."
            )

    @classmethod
    def from_frequency(
        cls, result: Any, *, ax: Axes | None = None, **options: Any
    ) -> SelectionFrequencyDisplay:
        """Draw what :func:`assay.select.selection_frequency` found."""
        kind = (
            f"share of {len(result.selections)} resamples that chose the column, {shown_confidence(result.alpha)} "
            "interval"
        )
        ends = np.column_stack([result.low, result.high])
        return cls(result.names, result.frequency, result.chosen, ends=ends, kind=kind).plot(ax, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, ax: Axes | None = None, **options: Any
    ) -> SelectionFrequencyDisplay:
        """Draw the frequencies of a fitted :class:`assay.select.StabilitySelection` and its threshold."""
        if not hasattr(estimator, "frequencies_"):
            raise TypeError(
                f"SelectionFrequencyDisplay: {type(estimator).__name__} has no frequencies_. Fit a StabilitySelection, "
                "or ask selection_frequency."
            )
        kind = f"share of {2 * estimator.n_pairs} halves of the rows that chose the column"
        return cls(
            estimator.schema_.names, estimator.frequencies_, estimator.support_, threshold=estimator.threshold,
            kind=kind,
        ).plot(ax, **options)  # fmt: skip

    def plot(self, ax: Axes | None = None, *, max_columns: int = 20) -> SelectionFrequencyDisplay:
        """Draw the bars of the most frequent columns.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        max_columns : int
            How many bars at most; the others are counted.
        """
        self.order_ = np.argsort(-self.frequency, kind="stable")
        order = self.order_[:max_columns]
        self.ax_ = ax = axes_for(ax, (6.4, 0.32 * len(order) + 1.2))
        self.figure_ = ax.figure
        at = np.arange(len(order))[::-1]
        colours = [class_colour(0) if self.kept[j] else PALE for j in order]
        ax.barh(at, self.frequency[order], color=colours, edgecolor=FAINT, lw=0.6, height=0.7)
        if self.ends is not None:
            value, (low, high) = self.frequency[order], self.ends[order].T
            reach = [np.maximum(value - low, 0), np.maximum(high - value, 0)]
            ax.errorbar(value, at, xerr=reach, fmt="none", ecolor=INK, elinewidth=1, capsize=2)
        if self.threshold is not None:
            ax.axvline(self.threshold, color=INK, lw=1, ls="--")
        ax.set_yticks(at, [one_line(self.names[j], 32) for j in order])
        ax.set_xlim(0, 1.02)
        hidden = len(self.names) - len(order)
        ax.set_xlabel(self.kind + (f"\n({hidden} columns are not shown)" if hidden else ""))
        ax.set_title("dark: kept" if self.kept.any() else "no column is kept", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
        draw_literally(ax)
        return self
