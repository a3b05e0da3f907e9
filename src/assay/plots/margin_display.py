"""The distribution of voting margins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.plots.canvas import axes_for
from assay.types import Axes, Estimator, TableLike, Target

__all__ = ["MarginDisplay"]

LINES = ("-", "--", "-.", ":")


class MarginDisplay:
    """The share of rows whose margin is at most m, for every m from -1 to 1; what lies left of 0 is the error.

    Parameters
    ----------
    margins : dict of name to (n,) margins

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import MarginDisplay
    >>> display = MarginDisplay.from_margins({"3 rounds": [-0.2, 0.4, 0.4, 0.9]})
    >>> list(display.margins)
    ['3 rounds']
    """

    def __init__(self, margins: Mapping[str, Any]):
        self.margins = {str(name): np.asarray(values, np.float64) for name, values in margins.items()}

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> MarginDisplay:
        """Draw the margins of the rows of X, whose true classes are y, under a fitted vote."""
        from assay.ensembles.boosting_theory import margins

        return cls({name or type(estimator).__name__: margins(estimator, X, y)}).plot(ax, **options)

    @classmethod
    def from_margins(
        cls, margins: Mapping[str, Any], *, ax: Axes | None = None, **options: Any
    ) -> MarginDisplay:
        """Draw margins that are known, each under its name."""
        return cls(margins).plot(ax, **options)

    def plot(self, ax: Axes | None = None) -> MarginDisplay:
        """Draw the cumulative distributions.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        from assay.ensembles.boosting_theory import margin_distribution

        self.ax_ = ax = axes_for(ax, (5.5, 3.8))
        self.figure_ = ax.figure
        for k, (name, values) in enumerate(self.margins.items()):
            at, share = margin_distribution(values)
            at, share = np.concatenate(([-1.0], at, [1.0])), np.concatenate(([0.0], share, [1.0]))
            ax.step(
                at, share, where="post", color=class_colour(k), ls=LINES[k % len(LINES)], lw=1.6, label=name
            )
        ax.axvline(0, color="#5f6975", lw=0.8)
        ax.set(xlabel="margin", ylabel="share of rows with at most this margin", xlim=(-1, 1), ylim=(0, 1.02))
        ax.legend(frameon=False, loc="upper left")
        return self
