"""Cost curves over all misclassification costs and class shares."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.metrics.cost_curves import CostCurve
from assay.plots._score_curves import ScoreCurvesDisplay
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, ON_TOP, PALE, bare, curve_legend, draw_literally, legend_name, line_look
from assay.types import Axes

__all__ = ["CostCurveDisplay"]


class CostCurveDisplay(ScoreCurvesDisplay):
    """Drummond and Holte's cost curves: normalised expected cost against the probability cost.

    The horizontal axis joins class shares and error costs in one number; a learner is worth having where its
    curve lies below the triangle of always predicting the cheaper class, and better than another where it is lower.

    Parameters
    ----------
    curves : dict of name to :class:`assay.metrics.CostCurve`
    pos_label : label of the positives, or None

    Attributes
    ----------
    lines_ : dict of name to drawn line
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import CostCurveDisplay
    >>> display = CostCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="tree")
    >>> display.lines_["tree"].get_ydata().round(3)
    array([0.  , 0.25, 0.  ])
    """

    @staticmethod
    def _curve(truth: np.ndarray, score: Any, sample_weight: Any) -> CostCurve:
        return CostCurve.of(truth, score, pos_label=True, sample_weight=sample_weight)

    def plot(self, ax: Axes | None = None, *, thresholds: bool = False) -> CostCurveDisplay:
        """Draw the curves below the triangle of the trivial classifiers.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        thresholds : bool
            Whether the line of every threshold that is best somewhere is drawn, too.
        """
        self.ax_ = ax = axes_for(ax, (6.0, 4.2))
        self.figure_ = ax.figure
        q = np.array([0.0, 0.5, 1.0])
        ax.fill_between(q, CostCurve.trivial(q), 1, color=PALE, lw=0, zorder=0)
        ax.plot(q, CostCurve.trivial(q), color=FAINT, lw=1.0, ls=":", label="always the cheaper class")
        for k, (name, curve) in enumerate(self.curves.items()):
            label = f"{legend_name(name)} (area {curve.area:.3f})"
            look = line_look(k)
            if thresholds:
                for fpr, fnr in zip(curve.fpr, curve.fnr):
                    ax.plot([0, 1], [fpr, fnr], color=look["color"], lw=0.5, alpha=0.5)
            (self.lines_[name],) = ax.plot(curve.probability_cost, curve.cost, label=label, **ON_TOP, **look)
        top = max([0.05, *(float(curve.cost.max()) for curve in self.curves.values())])
        ax.set(xlim=(0, 1), ylim=(0, min(0.55, 1.6 * top)), ylabel="normalised expected cost")
        what = "" if self.pos_label is None else f" of {legend_name(self.pos_label, 24)}"
        ax.set_xlabel(f"probability cost{what}: its share times the cost of missing it")
        curve_legend(ax, "best", frameon=False)
        bare(ax)
        draw_literally(ax)
        return self
