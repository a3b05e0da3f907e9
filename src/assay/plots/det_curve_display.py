"""The false negative rate against the false positive rate, both on the scale of the normal distribution."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.metrics import DetCurveDisplay as Peer

from assay.metrics.roc import RocCurve
from assay.plots._checks import both_classes
from assay.plots.looks import (
    coloured_axes,
    curve_legend,
    draw_literally,
    legend_name,
    line_look,
    short_labels,
)
from assay.plots.of_comparison import over_folds
from assay.types import Axes, Label, Scores, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["DetCurveDisplay"]


class DetCurveDisplay(Peer):
    """The detection error trade-off: false negatives against false positives, lower left is better.

    Everything of scikit-learn's class is here under the same names. Scores that are normal in both classes
    give a straight line. Beyond it: :meth:`from_comparison`, the palette's colours, and an error for
    rows of one class.

    Parameters
    ----------
    fpr, fnr : (m,) rates, or lists of them for several curves
    estimator_name : str, or a list of them
    pos_label : label

    Attributes
    ----------
    line_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import DetCurveDisplay
    >>> display = DetCurveDisplay.from_predictions([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> display.fnr.round(3)
    array([0. , 0.5, 0.5])
    """

    @classmethod
    def from_predictions(
        cls, y_true: Target, y_score: Scores | None = None, **options: Any
    ) -> DetCurveDisplay:
        """Draw the curve of scores; options as scikit-learn's."""
        both_classes(y_true, "DetCurveDisplay")
        return super().from_predictions(y_true, y_score, **options)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        ax: Axes | None = None,
    ) -> DetCurveDisplay:
        """Draw one curve per learner into one picture, from its predictions on test rows.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        """
        label, rows = over_folds(RocCurve, comparison, learners, positive, "DetCurveDisplay")
        fpr, fnr = [], []
        for _, curve, _ in rows:  # rates of 0 and 1 lie at infinity
            inside = (curve.fpr > 0) & (curve.fpr < 1) & (curve.tpr > 0) & (curve.tpr < 1)
            inside = inside if inside.any() else np.ones(len(curve.fpr), dtype=bool)
            fpr.append(curve.fpr[inside][::-1])
            fnr.append(1 - curve.tpr[inside][::-1])
        names = [row.learner for row in rows]
        return cls(fpr=fpr, fnr=fnr, estimator_name=names, pos_label=label).plot(ax)

    def plot(self, ax: Axes | None = None, **options: Any) -> DetCurveDisplay:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : ``name``, and what matplotlib's ``plot`` takes
        """
        ax = coloured_axes(ax, (5.4, 5.0))
        if not isinstance(self.fpr, list):
            super().plot(ax, **options)
        else:
            names = self.estimator_name or [f"curve {k + 1}" for k in range(len(self.fpr))]
            self.line_ = []
            for k, (fpr, fnr, name) in enumerate(zip(self.fpr, self.fnr, names, strict=True)):
                display = Peer(fpr=fpr, fnr=fnr, estimator_name=legend_name(name), pos_label=self.pos_label)
                self.line_.append(display.plot(ax, **{**line_look(k), **options}).line_)
            self.ax_, self.figure_ = ax, ax.figure
            curve_legend(ax, "upper right")  # good curves run below
        short_labels(ax)
        draw_literally(ax)
        return self
