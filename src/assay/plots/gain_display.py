"""The gain chart: positives found among the highest scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.axis_labels import GAIN, ROWS_TAKEN
from assay.metrics.gains import GainCurve
from assay.plots._score_curves import ScoreCurvesDisplay
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, PALE, bare, curve_legend, draw_literally, legend_name, line_look
from assay.types import Axes

__all__ = ["GainDisplay"]


class GainDisplay(ScoreCurvesDisplay):
    """The share of positives found against the share of rows taken, highest scores first.

    The diagonal is what rows at random give; the upper edge of the grey region is a perfect ranking.

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
    >>> from assay.plots import GainDisplay
    >>> display = GainDisplay.from_predictions([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1], name="tree")
    >>> display.lines_["tree"].get_ydata()
    array([0. , 0.5, 0.5, 1. , 1. , 1. ])
    """

    over_folds = GainCurve

    @staticmethod
    def _curve(truth: np.ndarray, score: Any, sample_weight: Any) -> GainCurve:
        return GainCurve.of(truth, score, pos_label=True, sample_weight=sample_weight)

    def plot(self, ax: Axes | None = None) -> GainDisplay:
        """Draw the curves between chance and perfection.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (5.2, 4.6))
        self.figure_ = ax.figure
        share = next(iter(self.curves.values())).prevalence
        ax.fill([0, share, 1], [0, 1, 1], color=PALE, lw=0, zorder=0)
        ax.plot([0, 1], [0, 1], color=FAINT, lw=1.0, ls=":", label="at random")
        for k, (name, curve) in enumerate(self.curves.items()):
            label = f"{legend_name(name)} (area {curve.area:.3f})"
            (self.lines_[name],) = ax.plot(curve.share, curve.gain, label=label, **line_look(k))
        what = "positives" if self.pos_label is None else legend_name(self.pos_label, 24)
        ax.set(xlim=(0, 1), ylim=(0, 1.01), xlabel=ROWS_TAKEN)
        ax.set_ylabel(GAIN.replace("positives", what))
        curve_legend(ax, "lower right", frameon=False)
        bare(ax)
        draw_literally(ax)
        return self
