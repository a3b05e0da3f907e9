"""The rounds of a search over subsets of columns: every candidate, and the one that was taken."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, draw_literally
from assay.types import Axes, Estimator

__all__ = ["SelectionTraceDisplay"]

MOST_NAMED = 4  # columns of one change that are counted rather than named
SIGNS = {"add": "+ ", "remove": "\u2212 ", "start": "", "try": ""}


class SelectionTraceDisplay:
    """One place for each round: all candidates as small marks, the best with its change of columns, the path as a line.

    Parameters
    ----------
    trace : :class:`assay.select.Trace`, as ``SubsetSelector`` and ``SequentialFeatureSelector`` keep it

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    path_ : (rounds,) the measure of the subset that is held after each round

    Examples
    --------
    >>> import numpy as np
    >>> from assay.plots import SelectionTraceDisplay
    >>> from assay.select import Round, Trace
    >>> first = Round("add", (), ((0,), (1,)), np.array([[0.7, 0.8], [0.9, 1.0]]), 1, True, 2)
    >>> display = SelectionTraceDisplay(Trace([first], ["age", "height"], "accuracy", 1, (1,))).plot()
    >>> display.path_
    array([0.95])
    """

    def __init__(self, trace: Any):
        if not len(trace):
            raise DataError("SelectionTraceDisplay: the search had no round.")
        self.trace = trace

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, *, ax: Axes | None = None, **options: Any
    ) -> SelectionTraceDisplay:
        """Draw the search of a fitted selector that keeps its trace."""
        if not hasattr(estimator, "trace_"):
            raise TypeError(
                f"SelectionTraceDisplay: {type(estimator).__name__} has no trace_. Fit a SubsetSelector or a "
                "SequentialFeatureSelector."
            )
        return cls(estimator.trace_).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, names: bool = True) -> SelectionTraceDisplay:
        """Draw the rounds.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        names : bool
            Whether the columns that the best candidate adds or removes are written beside it.
        """
        trace = self.trace
        self.ax_ = ax = axes_for(ax, (max(5.0, 0.75 * len(trace) + 2.0), 4.2))
        self.figure_ = ax.figure
        self.path_ = np.array([record[trace.measure] for record in trace.path()])
        at = np.arange(1, len(trace) + 1)
        for number, r in enumerate(trace, 1):
            values = trace.sign * r.means
            values = values[np.isfinite(values)]
            ax.scatter(np.full(len(values), number), values, s=14, color=FAINT, alpha=0.45, lw=0, zorder=2)
        ax.plot(at, self.path_, color=class_colour(0), lw=1.6, zorder=3)
        for number, r in enumerate(trace, 1):
            face = class_colour(0) if r.accepted else "white"
            value = float(trace.sign * r.means[r.chosen])
            ax.scatter([number], [value], s=46, color=face, edgecolor=class_colour(0), zorder=4)
        if names:
            labels = [f"{number}  {self._change(r)}" for number, r in enumerate(trace, 1)]
            ax.set_xticks(at, labels, rotation=30, ha="right", rotation_mode="anchor", fontsize=9)
        else:
            ax.set_xticks(at)
        ax.margins(x=0.08, y=0.1)
        ax.set(xlabel="round", ylabel=f"{trace.measure}, mean over the folds")
        count = len(trace.selected)
        title = f"{trace.models} subsets scored, {count} column{'' if count == 1 else 's'} chosen"
        hollow = "" if all(r.accepted for r in trace) else "; hollow: not taken"
        ax.set_title(title + hollow, fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
        draw_literally(ax, ax.get_xticklabels())
        return self

    def _change(self, r: Any) -> str:
        """What the best candidate of a round adds or removes."""
        moved = [self.trace.names[j] for j in r.candidates[r.chosen]]
        names = ", ".join(moved) if len(moved) < MOST_NAMED else f"{len(moved)} columns"
        return SIGNS[r.kind] + one_line(names, 26)
