"""Precision against recall, over all thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.metrics import PrecisionRecallDisplay as Peer

from assay.metrics.estimate import Estimate
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.plots._checks import both_classes
from assay.plots.looks import (
    coloured_axes,
    curve_legend,
    draw_literally,
    legend_name,
    line_look,
    short_labels,
    with_ends,
)
from assay.plots.of_comparison import over_folds
from assay.types import Axes, Estimator, Label, Scores, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["PrecisionRecallDisplay"]


class PrecisionRecallDisplay(Peer):
    """How pure the alarms are against how many of the positives they catch; upper right is better.

    Everything of scikit-learn's class is here under the same names. Beyond it: several learners in one
    picture (:meth:`from_scores`, :meth:`from_comparison`), and the interval of the average precision in the legend.

    Parameters
    ----------
    precision, recall : (m,), or lists of them for several curves
    average_precision : float, or a list of them
    name : str, or a list of them
    pos_label : label
    prevalence_pos_label : share of positives, the precision of an alarm at random

    Attributes
    ----------
    line_, chance_level_, ax_, figure_ : what was drawn, after ``plot``

    Examples
    --------
    >>> from assay.plots import PrecisionRecallDisplay
    >>> display = PrecisionRecallDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], name="tree")
    >>> round(display.average_precision, 4), display.ax_.get_legend().get_texts()[0].get_text()
    (0.8333, 'tree (AP = 0.833, 0.250 to 1.000)')
    """

    _rows: Sequence[tuple[Any, Any, Any, Any]] = ()  # truth, score, label and weight of each curve

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        interval: bool = True,
        alpha: float = 0.05,
        **options: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of a fitted classifier; ``interval`` and ``alpha`` as below, the rest as scikit-learn's."""
        return super().from_estimator(estimator, X, y, **options)._adorned(interval, alpha)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_score: Scores | None = None,
        *,
        interval: bool = True,
        alpha: float = 0.05,
        sample_weight: Weights | None = None,
        **options: Any,
    ) -> PrecisionRecallDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_score : (n,) the higher, the likelier positive
        interval : bool
            Whether the interval of the average precision (by the bootstrap) stands in the legend.
        alpha : level of the interval
        options : as scikit-learn's
        """
        both_classes(y_true, "PrecisionRecallDisplay")
        display = super().from_predictions(y_true, y_score, sample_weight=sample_weight, **options)
        display._rows = [(y_true, y_score, display.pos_label, sample_weight)]
        return display._adorned(interval, alpha)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        interval: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> PrecisionRecallDisplay:
        """Draw one curve per learner into one picture, from its predictions on test rows.

        Each is the mean over the folds of the first repetition: models of different folds need not share a scale of
        scores. The average precisions and their intervals are those of the comparison's table, if it has them.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        interval : bool
            Whether the interval of the average precision, at the comparison's level, stands in the legend.
        options : as in ``plot``
        """
        label, rows = over_folds(
            PrecisionRecallCurve, comparison, learners, positive, "PrecisionRecallDisplay"
        )
        curves, values = [row.curve for row in rows], [row.estimate.value for row in rows]
        display = cls._of_curves([row.learner for row in rows], curves, values, label)
        display.plot(ax, **cls._looks(curves), **options)
        return display._adorned(interval, comparison.alpha, [row.estimate for row in rows])

    @classmethod
    def from_scores(
        cls,
        scores: Mapping[str, tuple[Any, ...]],
        *,
        pos_label: Label | None = None,
        interval: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
        **options: Any,
    ) -> PrecisionRecallDisplay:
        """Draw several rankings into one picture.

        Parameters
        ----------
        scores : dict of name to (truth, score) or (truth, score, sample_weight)
            Whether each row is positive, and the higher the score, the likelier.
        pos_label : what the positives are called
        interval, alpha : as in ``from_predictions``
        options : as in ``plot``
        """
        entries = [(*entry, None)[:3] for entry in scores.values()]
        for truth, _, _ in entries:
            both_classes(truth, "PrecisionRecallDisplay")
        curves = [
            PrecisionRecallCurve.of(truth, score, pos_label=True, sample_weight=w)
            for truth, score, w in entries
        ]
        display = cls._of_curves(list(scores), curves, [c.average_precision for c in curves], pos_label)
        display._rows = [(truth, score, True, weight) for truth, score, weight in entries]
        return display.plot(ax, **cls._looks(curves), **options)._adorned(interval, alpha)

    @classmethod
    def _of_curves(
        cls, names: list[str], curves: list[PrecisionRecallCurve], values: list[float], pos_label: Any
    ) -> PrecisionRecallDisplay:
        return cls(
            [c.precision for c in curves],
            [c.recall for c in curves],
            average_precision=values,
            name=[legend_name(name) for name in names],
            pos_label=pos_label,
            prevalence_pos_label=[c.prevalence for c in curves],
        )

    @staticmethod
    def _looks(curves: list[Any]) -> dict[str, Any]:
        return {"curve_kwargs": [{**line_look(k), "alpha": 1.0} for k in range(len(curves))]}

    def plot(self, ax: Axes | None = None, **options: Any) -> PrecisionRecallDisplay:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : name, curve_kwargs, plot_chance_level, chance_level_kw and despine as scikit-learn's
        """
        if (
            isinstance(self.name, list) and len(self.name) > 1
        ):  # drawn once more: their looks tell the names apart
            options = {**self._looks(self.name), **options}
        super().plot(coloured_axes(ax, (5.2, 5.0)), **options)
        short_labels(self.ax_)
        draw_literally(self.ax_)
        return self

    def _adorned(
        self, interval: bool, alpha: float, estimates: Sequence[Estimate] | None = None
    ) -> PrecisionRecallDisplay:
        from assay.metrics.intervals import with_interval

        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        if interval and estimates is None:
            estimates = [
                with_interval(
                    "average_precision", truth, score, pos_label=label, sample_weight=w, alpha=alpha
                )
                for truth, score, label, w in self._rows
            ]
        for line, estimate in zip(lines, estimates or () if interval else ()):
            name = line.get_label().rpartition("AP = ")[0]
            line.set_label(f"{name}AP = {with_ends(estimate)}" + (")" if name else ""))
        if self.ax_.get_legend() is not None:
            curve_legend(self.ax_, "lower left")
        draw_literally(self.ax_)
        return self
