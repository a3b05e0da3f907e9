"""The reliability diagram."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.calibration import CalibrationDisplay as Peer

from assay.errors import ParameterError
from assay.metrics.calibration import ReliabilityCurve
from assay.plots._checks import both_classes
from assay.plots.looks import (
    FAINT,
    bare,
    coloured_axes,
    curve_legend,
    draw_literally,
    legend_name,
    line_look,
    short_labels,
)
from assay.plots.of_comparison import scored
from assay.types import Axes, Estimator, Label, Scores, TableLike, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["CalibrationDisplay"]

RESAMPLES = 400  # of outcomes, for a consistency band


class CalibrationDisplay(Peer):
    """The reliability diagram: observed frequency of the positive class against its predicted probability.

    On the diagonal probabilities are calibrated; below it they are too high. Everything of scikit-learn's class
    is here under the same names. Beyond it: several learners in one picture (:meth:`from_comparison`), the band
    in which the points of calibrated probabilities would lie, and a histogram of the probabilities above.

    Parameters
    ----------
    prob_true, prob_pred : (m,) shares and mean probabilities of the bins, or lists of them for several curves
    y_prob : (n,) probabilities, or a list of them
    estimator_name : str, or a list of them
    pos_label : label

    Attributes
    ----------
    curves_ : list of :class:`assay.metrics.ReliabilityCurve` behind the bands
    line_, ax_, figure_ : what was drawn, after ``plot``
    bands_ : list of drawn bands
    histogram_ax_ : axes of the histogram, or None

    Examples
    --------
    >>> import numpy as np
    >>> from assay.plots import CalibrationDisplay
    >>> p = np.linspace(0.01, 0.99, 200)
    >>> y = np.random.default_rng(0).random(200) < p
    >>> display = CalibrationDisplay.from_predictions(y, p, n_bins=4, band=True, histogram=True)
    >>> display.prob_pred.round(2)
    array([0.13, 0.37, 0.63, 0.87])
    >>> inside = display.curves_[0].consistent_low <= display.curves_[0].observed
    >>> bool(inside.all())
    True
    """

    curves_: Sequence[ReliabilityCurve] = ()
    bands_: Sequence[Any] = ()
    histogram_ax_: Any = None
    ax_: Any

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target,
        *,
        band: bool | float = False,
        histogram: bool = False,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw a fitted classifier's probabilities; band and histogram as below, the rest as scikit-learn's."""
        display = super().from_estimator(estimator, X, y, **options)
        return display._adorned(band, histogram)

    @classmethod
    def from_predictions(
        cls,
        y_true: Target,
        y_prob: Scores,
        *,
        n_bins: int = 5,
        strategy: str = "uniform",
        band: bool | float = False,
        histogram: bool = False,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw probabilities against outcomes.

        Parameters
        ----------
        y_true : (n,) labels of two classes
        y_prob : (n,) probabilities of the positive class
        n_bins, strategy : bins of the probabilities, "uniform" or "quantile"
        band : bool or float
            Whether the consistency band is drawn: where each point would lie with probability 0.95, or the one
            given, were the probabilities calibrated.
        histogram : bool
        options : pos_label, name, ax, ref_line and what matplotlib's ``plot`` takes, as scikit-learn's
        """
        both_classes(y_true, "CalibrationDisplay")
        display = super().from_predictions(y_true, y_prob, n_bins=n_bins, strategy=strategy, **options)
        display._rows = (y_true, y_prob, strategy, n_bins)
        return display._adorned(band, histogram)

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learners: Sequence[str] | str | None = None,
        *,
        positive: Label | None = None,
        n_bins: int = 10,
        strategy: str = "quantile",
        band: bool | float = False,
        histogram: bool = True,
        ax: Axes | None = None,
        **options: Any,
    ) -> CalibrationDisplay:
        """Draw one curve per learner into one picture, from its predictions on test rows.

        Parameters
        ----------
        comparison : result of ``compare``
        learners : names; default all with probabilities, best first
        positive : label, needed for more than two classes
        n_bins, strategy, band, histogram : as in ``from_predictions``
        options : as in ``plot``
        """
        label, rows = scored(comparison, learners, positive, "CalibrationDisplay")
        settings = _curve_settings(strategy, n_bins, band)
        curves = [
            ReliabilityCurve.of(row.truth, row.score, pos_label=True, sample_weight=row.weight, **settings)
            for row in rows
        ]
        display = cls(
            [c.observed for c in curves],
            [c.predicted for c in curves],
            [row.score for row in rows],
            estimator_name=[row.learner for row in rows],
            pos_label=label,
        )
        display.curves_ = curves
        display.plot(ax=ax, **options)
        return display._adorned(band, histogram)

    def plot(self, *, ax: Axes | None = None, **options: Any) -> CalibrationDisplay:
        """Draw the curve, or the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        options : name, ref_line and what matplotlib's ``plot`` takes, as scikit-learn's
        """
        ax = coloured_axes(ax, (5.4, 5.2))
        if not isinstance(self.prob_true, list):
            super().plot(ax=ax, **options)
        else:
            self.line_ = []
            names = self.estimator_name or [f"curve {k + 1}" for k in range(len(self.prob_true))]
            for k, (true, pred, name) in enumerate(zip(self.prob_true, self.prob_pred, names, strict=True)):
                display = Peer(true, pred, None, estimator_name=legend_name(name), pos_label=self.pos_label)
                look = {**line_look(k), "marker": "osD^v"[k % 5], "markersize": 4}
                self.line_.append(display.plot(ax=ax, **{**look, **options}).line_)
            self.ax_, self.figure_ = ax, ax.figure
            curve_legend(ax, "lower right")
        short_labels(ax)
        draw_literally(ax)
        return self

    def _adorned(self, band: bool | float, histogram: bool) -> CalibrationDisplay:
        lines = self.line_ if isinstance(self.line_, list) else [self.line_]
        if band and not self.curves_:
            y_true, y_prob, strategy, bins = self._rows
            settings = _curve_settings(strategy, bins, band)
            self.curves_ = [ReliabilityCurve.of(y_true, y_prob, pos_label=self.pos_label, **settings)]
        self.bands_ = []
        for line, curve in zip(lines, self.curves_ if band else ()):
            look = {"color": line.get_color(), "alpha": 0.15, "lw": 0, "zorder": 1}
            low, high = curve.consistent_low, curve.consistent_high
            self.bands_.append(self.ax_.fill_between(curve.predicted, low, high, **look))
        if histogram:
            self._draw_histogram(lines)
        return self

    def _draw_histogram(self, lines: Sequence[Any]) -> None:
        """Above the diagram: how many rows have which probability."""
        self.histogram_ax_ = above = self.ax_.inset_axes([0, 1.02, 1, 0.16], sharex=self.ax_)
        samples = (
            self.y_prob if isinstance(self.line_, list) else [self.y_prob]
        )  # a list may be one curve's rows
        edges = np.linspace(0, 1, 21)
        for line, probabilities in zip(lines, samples):
            counts, _ = np.histogram(np.asarray(probabilities, dtype=np.float64), bins=edges)
            above.stairs(counts, edges, color=line.get_color(), ls=line.get_linestyle(), lw=1.2)
        above.tick_params(labelbottom=False, labelsize=8, colors=FAINT)
        above.set_ylabel("rows", size=8, color=FAINT)
        above.yaxis.get_major_locator().set_params(integer=True)
        bare(above)


def _curve_settings(strategy: str, bins: int, band: bool | float) -> dict[str, Any]:
    """How the curve behind a band is made; True stands for a probability of 0.95."""
    level = 0.95 if isinstance(band, bool) else band
    if not 0 < level < 1:
        raise ParameterError(
            f"CalibrationDisplay: band must be true, false or a probability between 0 and 1, got {band!r}."
        )
    return {"method": strategy, "bins": bins, "alpha": 1 - level, "resamples": RESAMPLES if band else 0}
