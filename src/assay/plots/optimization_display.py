"""A search for the smallest value: every try, and the best so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.plots.looks import coloured_axes
from assay.types import Axes

if TYPE_CHECKING:
    from assay.tuning import BayesianOptimization

__all__ = ["OptimizationDisplay"]


class OptimizationDisplay:
    """How a search came down: the value of each try as a point, the best so far as a line.

    Parameters
    ----------
    values : (n,) the value of each try in their order, NaN where the evaluation failed
    kinds : n words, "initial" for tries of the first design, or None

    Attributes
    ----------
    line_ : the best so far      points_ : list of the tries as drawn      ax_, figure_ : after ``plot``

    Examples
    --------
    >>> from assay.plots import OptimizationDisplay
    >>> display = OptimizationDisplay(values=[3.0, 5.0, 1.0, 2.0]).plot()
    >>> display.line_.get_ydata().tolist()
    [3.0, 3.0, 1.0, 1.0]
    """

    def __init__(self, *, values: ArrayLike, kinds: Sequence[str] | None = None):
        self.values = np.asarray(values, dtype=np.float64)
        self.kinds = list(kinds) if kinds is not None else ["model"] * len(self.values)

    @classmethod
    def from_search(
        cls, search: BayesianOptimization, *, ax: Axes | None = None, **options: Any
    ) -> OptimizationDisplay:
        """Draw the history of a search.

        Parameters
        ----------
        search : BayesianOptimization
        ax, options : as for ``plot``
        """
        made = cls(values=[t.value for t in search.history], kinds=[t.kind for t in search.history])
        return made.plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, name: str = "value") -> OptimizationDisplay:
        """Draw the tries, and the best so far.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        name : str, default "value"
            What the search makes small.
        """
        self.ax_ = coloured_axes(ax, (6.0, 4.0))
        self.figure_ = self.ax_.figure
        number, values = np.arange(1, len(self.values) + 1), self.values
        initial = np.array([kind == "initial" for kind in self.kinds], dtype=bool)
        failed = ~np.isfinite(values)
        self.points_ = []
        for some, marker, label in (
            (initial & ~failed, "s", "first design"),
            (~initial & ~failed, "o", "suggested"),
        ):
            if some.any():
                self.points_.append(
                    self.ax_.scatter(number[some], values[some], s=22, marker=marker, alpha=0.7, label=label)
                )
        if failed.any() and not failed.all():
            top = np.full(int(failed.sum()), np.nanmax(np.where(failed, np.nan, values)))
            self.points_.append(
                self.ax_.scatter(number[failed], top, s=28, marker="x", color="black", label="failed")
            )
        best = np.fmin.accumulate(np.where(failed, np.nan, values)) if len(values) else values
        (self.line_,) = self.ax_.plot(
            number, best, drawstyle="steps-post", linewidth=1.8, label="best so far"
        )
        self.ax_.set_xlabel("evaluation")
        self.ax_.set_ylabel(name)
        if len(values):
            self.ax_.legend()
        return self
