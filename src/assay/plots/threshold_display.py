"""Precision, recall and cost against the decision threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.metrics.roc import OperatingPoint, RocCurve
from assay.plots._checks import both_classes, score_of
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, draw_literally, legend_name
from assay.plots.of_comparison import scored
from assay.types import Axes, Estimator, Label, Scores, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["ThresholdDisplay"]


class ThresholdDisplay:
    r"""Precision and recall (left axis) and the cost of a row (right axis) against the threshold.

    A row is predicted positive where its score is at least the threshold. With shares :math:`\pi` of positives,

    .. math:: cost = \pi\,c_{miss}(1 - recall) + (1-\pi)\,c_{alarm}\,FPR

    and its least value is marked.

    Parameters
    ----------
    curve : :class:`assay.metrics.RocCurve`
    miss, alarm : costs of a false negative and a false positive
    name : str

    Attributes
    ----------
    thresholds_, precision_, recall_, cost_ : (m,) what was drawn, thresholds falling
    best_ : OperatingPoint of least cost
    ax_, cost_ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ThresholdDisplay
    >>> display = ThresholdDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], miss=5)
    >>> display.best_.threshold, display.cost_
    (0.35, array([1.25, 1.5 , 0.25, 0.5 ]))
    """

    def __init__(self, curve: RocCurve, *, miss: float = 1.0, alarm: float = 1.0, name: str = ""):
        self.curve, self.miss, self.alarm, self.name = curve, miss, alarm, name
        P, N = curve.positives, curve.negatives
        prior = P / (P + N)
        self.best_: OperatingPoint = curve.best(miss=miss, alarm=alarm, prior=prior)
        finite = np.isfinite(curve.thresholds)
        self.thresholds_, self.recall_ = curve.thresholds[finite], curve.tpr[finite]
        hits, false = self.recall_ * P, curve.fpr[finite] * N
        self.precision_ = hits / (hits + false)
        self.cost_ = prior * miss * (1 - self.recall_) + (1 - prior) * alarm * curve.fpr[finite]

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        pos_label: Label | None = None,
        name: str | None = None,
        **options: Any,
    ) -> ThresholdDisplay:
        """Draw a fitted classifier on rows X whose true classes are y."""
        pos_label, score = score_of(estimator, X, pos_label, "ThresholdDisplay")
        name = name or type(estimator).__name__
        return cls.from_predictions(y, score, pos_label=pos_label, name=name, **options)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_score: Scores,
        *,
        pos_label: Label | None = None,
        sample_weight: Weights | None = None,
        miss: float = 1.0,
        alarm: float = 1.0,
        name: str = "",
        ax: Axes | None = None,
    ) -> ThresholdDisplay:
        """Draw the curves of scores.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_score : (n,) the higher, the likelier positive
        pos_label, sample_weight : as in :meth:`assay.metrics.RocCurve.of`
        miss, alarm : costs
        """
        both_classes(y_true, "ThresholdDisplay")
        if isinstance(y_score, dict):
            raise DataError("ThresholdDisplay: one picture shows one score; draw several into several axes.")
        curve = RocCurve.of(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight)
        return cls(curve, miss=miss, alarm=alarm, name=name).plot(ax)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learner: str | None = None,
        *,
        positive: Label | None = None,
        miss: float = 1.0,
        alarm: float = 1.0,
        ax: Axes | None = None,
    ) -> ThresholdDisplay:
        """Draw one learner (default: the best) on test rows."""
        label, (row, *_) = scored(comparison, learner, positive, "ThresholdDisplay")
        curve = RocCurve.of(row.truth, row.score, pos_label=True, sample_weight=row.weight)
        return cls(
            curve,
            miss=miss,
            alarm=alarm,
            name=f"{legend_name(row.learner, 30)}, positive: {legend_name(label, 20)}",
        ).plot(ax)

    def plot(self, ax: Any = None) -> ThresholdDisplay:
        """Draw the curves and mark the best threshold.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (6.2, 4.0))
        self.figure_ = ax.figure
        self.cost_ax_ = right = ax.twinx()
        x = self.thresholds_
        look = {"drawstyle": "steps-post", "lw": 1.6, "marker": "o" if len(x) == 1 else ""}
        lines = ax.plot(x, self.precision_, color=class_colour(0), label="precision", **look)
        lines += ax.plot(x, self.recall_, color=class_colour(2), ls="--", label="recall", **look)
        lines += right.plot(x, self.cost_, color=class_colour(5), ls="-.", label="cost of a row", **look)
        if np.isfinite(self.best_.threshold):
            lines.append(ax.axvline(self.best_.threshold, color=FAINT, lw=1.0, ls=":"))
            lines[-1].set_label(f"least cost {self.best_.value:.3g} at {self.best_.threshold:.3g}")
        ax.set(xlabel="threshold: positive from here on", ylabel="precision, recall", ylim=(0, 1.02))
        right.set_ylabel(
            f"cost of a row (miss {self.miss:g}, false alarm {self.alarm:g})", color=class_colour(5)
        )
        right.set_ylim(bottom=0)
        ax.spines["top"].set_visible(False)
        right.spines["top"].set_visible(False)
        ax.legend(handles=lines, loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, frameon=False)
        if self.name:
            ax.set_title(legend_name(self.name, 65), pad=48)
        draw_literally(ax)
        return self
