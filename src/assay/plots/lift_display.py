"""How many times better than chance the top of a ranking is."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.axis_labels import LIFT, ROWS_TAKEN
from assay.metrics.gains import GainCurve
from assay.plots._score_curves import ScoreCurvesDisplay
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, bare, curve_legend, draw_literally, legend_name, line_look
from assay.types import Axes

__all__ = ["LiftDisplay"]


class LiftDisplay(ScoreCurvesDisplay):
    """Positives found over positives expected at random, against the share of rows taken, highest scores first.

    Parameters
    ----------
    curves : dict of name to :class:`assay.metrics.GainCurve`
    pos_label : label of the positives, or None

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import LiftDisplay
    >>> display = LiftDisplay.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], name="tree")
    >>> display.lines_["tree"].get_ydata().round(2)
    array([2.5 , 1.25, 1.67, 1.25, 1.  ])
    """

    over_folds = GainCurve

    @staticmethod
    def _curve(truth: np.ndarray, score: Any, sample_weight: Any) -> GainCurve:
        return GainCurve.of(truth, score, pos_label=True, sample_weight=sample_weight)

    def plot(self, ax: Axes | None = None) -> LiftDisplay:
        """Draw the curves above the line of chance.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (5.6, 4.0))
        self.figure_ = ax.figure
        ax.axhline(1, color=FAINT, lw=1.0, ls=":", label="at random")
        for k, (name, curve) in enumerate(self.curves.items()):
            x, y = curve.share[1:], curve.lift[1:]  # of no rows there is no lift
            (self.lines_[name],) = ax.plot(x, y, label=legend_name(name), **line_look(k))
        what = "" if self.pos_label is None else f" of {legend_name(self.pos_label, 24)}"
        ax.set(xlim=(0, 1), xlabel=ROWS_TAKEN, ylabel=f"{LIFT}{what}")
        ax.set_ylim(bottom=0)
        curve_legend(ax, "best", frameon=False)
        bare(ax)
        draw_literally(ax)
        return self
