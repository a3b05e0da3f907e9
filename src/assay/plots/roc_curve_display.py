"""The true positive rate against the false positive rate, over all thresholds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.metrics import RocCurveDisplay as Peer

from assay.metrics.estimate import Estimate
from assay.metrics.roc import RocCurve
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
from assay.types import Axes, Estimator, Label, TableLike, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["RocCurveDisplay"]


class RocCurveDisplay(Peer):
    """The receiver operating characteristic: upper left is better, the diagonal is chance.

    Everything of scikit-learn's class is here under the same names. Beyond it: several learners in one picture
    (:meth:`from_scores`, :meth:`from_comparison`), the convex hull that random mixtures of thresholds reach, a band
    that holds the true curve, and the interval of the area in the legend.

    Parameters
    ----------
    fpr, tpr : (m,) rates, or lists of them for several curves
    roc_auc : float, or a list of them
    name : str, or a list of them
    pos_label : label

    Attributes
    ----------
    curves_ : list of :class:`assay.metrics.RocCurve` that were drawn; empty if only rates were given
    line_, chance_level_, ax_, figure_ : what was drawn, after ``plot``
    hulls_, bands_ : lists of what was drawn around the curves

    Examples
    --------
    >>> from assay.plots import RocCurveDisplay
    >>> truth, score = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [.95, .9, .8, .7, .6, .55, .5, .4, .3, .1]
    >>> display = RocCurveDisplay.from_predictions(truth, score, name="tree", hull=True, interval=True)
    >>> display.ax_.get_legend().get_texts()[0].get_text()
    'tree (AUC = 0.840, 0.410 to 0.975)'
    >>> display.hulls_[0].get_ydata()
    array([0. , 0.4, 0.8, 1. , 1. ])
    """

    curves_: Sequence[RocCurve] = ()
    hulls_: Sequence[Any] = ()
    bands_: Sequence[Any] = ()

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        hull: bool = False,
        band: str | None = None,
        interval: bool = True,
        alpha: float = 0.05,
        **options: Any,
    ) -> RocCurveDisplay:
        """Draw the curve of a fitted classifier; ``hull`` to ``alpha`` as below, the rest as scikit-learn's."""
        return super().from_estimator(estimator, X, y, **options)._adorned(hull, band, interval, alpha)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_score: Any = None,
        *,
        hull: bool = False,
        band: str | None = None,
        interval: bool = True,
        alpha: float = 0.05,
        sample_weight: Any = None,
        **options: Any,
    ) -> RocCurveDisplay:
        """Draw the curve of scores.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_score : (n,) the higher, the likelier positive
        hull : bool
            Whether the convex hull is drawn.
        band : "kolmogorov" or "bootstrap" for a band that holds the whole true curve, or None
        interval : bool
            Whether the interval of the area stands in the legend (DeLong's, as ``RocCurve.interval``).
        alpha : level of the band and the interval
        options : as scikit-learn's
        """
        both_classes(y_true, "RocCurveDisplay")
        display = super().from_predictions(y_true, y_score, sample_weight=sample_weight, **options)
        curve = RocCurve.of(y_true, y_score, pos_label=display.pos_label, sample_weight=sample_weight)
        display.curves_ = [curve]
        return display._adorned(hull, band, interval, alpha)

    @classmethod
    def from_scores(
        cls,
        scores: Mapping[str, tuple[Any, ...]],
        *,
        pos_label: Label | None = None,
        hull: bool = False,
        band: str | None = None,
        interval: bool = True,
        alpha: float = 0.05,
        ax: Axes | None = None,
        **options: Any,
    ) -> RocCurveDisplay:
        """Draw several rankings into one picture.

        Parameters
        ----------
        scores : dict of name to (truth, score) or (truth, score, sample_weight)
            Whether each row is positive, and the higher the score, the likelier.
        pos_label : label of the positives
        hull, band, interval, alpha : as in ``from_predictions``
        options : as in ``plot``
        """
        entries = [(*entry, None)[:3] for entry in scores.values()]
        for truth, _, _ in entries:
            both_classes(truth, "RocCurveDisplay")
        curves = [RocCurve.of(truth, score, pos_label=True, sample_weight=w) for truth, score, w in entries]
        areas = [curve.area for curve in curves]
        display = cls._of_curves(list(scores), curves, areas, pos_label).plot(
            ax, **cls._looks(curves), **options
        )
        return display._adorned(hull, band, interval, alpha)

    @classmethod
    def _of_curves(
        cls, names: list[str], curves: list[RocCurve], areas: list[float], pos_label: Any
    ) -> RocCurveDisplay:
        display = cls(fpr=[c.fpr for c in curves], tpr=[c.tpr for c in curves], roc_auc=areas,
                      name=[legend_name(name) for name in names], pos_label=pos_label)  # fmt: skip
        display.curves_ = curves
        return display

    @staticmethod
    def _looks(curves: list[Any]) -> dict[str, Any]:
        return {"curve_kwargs": [{**line_look(k), "alpha": 1.0} for k in range(len(curves))]}

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        hull: bool = False,
        interval: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> RocCurveDisplay:
        """Draw one curve per learner into one picture, from its predictions on test rows.

        Each is the mean over the folds of the first repetition (vertical averaging): models of different folds need
        not share a scale of scores. The areas and their intervals are those of the comparison's table, if it has them.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        hull : bool
            Whether the convex hulls are drawn.
        interval : bool
            Whether the interval of the area, at the comparison's level, stands in the legend.
        options : as in ``plot``
        """
        label, rows = over_folds(RocCurve, comparison, learners, positive, "RocCurveDisplay")
        curves = [row.curve for row in rows]
        areas = [row.estimate.value for row in rows]
        display = cls._of_curves([row.learner for row in rows], curves, areas, label)
        display.plot(ax, **cls._looks(curves), **options)
        return display._adorned(hull, None, interval, comparison.alpha, [row.estimate for row in rows])

    def plot(self, ax: Axes | None = None, **options: Any) -> RocCurveDisplay:
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
        self,
        hull: bool,
        band: str | None,
        interval: bool,
        alpha: float,
        estimates: Sequence[Estimate] | None = None,
    ) -> RocCurveDisplay:
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        self.hulls_, self.bands_ = [], []
        for j, (line, curve) in enumerate(zip(lines, self.curves_)):
            colour = line.get_color()
            if band is not None:
                room = curve.band(band, alpha=alpha)
                look = {"color": colour, "alpha": 0.15, "lw": 0, "zorder": 1}
                self.bands_.append(self.ax_.fill_between(room.fpr, room.low, room.high, **look))
            if hull:
                outer = curve.hull
                look = {"color": colour, "lw": 1.0, "ls": ":", "zorder": line.get_zorder()}
                self.hulls_ += self.ax_.plot(outer.fpr, outer.tpr, **look)
            name, area, _ = line.get_label().rpartition("AUC = ")
            if interval and area:  # a label of the user's own stays
                estimate = curve.interval(alpha) if estimates is None else estimates[j]
                line.set_label(f"{name}AUC = {with_ends(estimate)}" + (")" if name else ""))
        if self.ax_.get_legend() is not None:
            curve_legend(self.ax_, "lower right")
        draw_literally(self.ax_)
        return self
