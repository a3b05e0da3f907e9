"""What predicted numbers leave over, in four panels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.evaluate.residuals import Residuals, smooth_line
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, bare, draw_literally
from assay.plots.of_comparison import chosen_learners
from assay.plots.scale import Scale
from assay.types import Axes, TableLike, Weights

if TYPE_CHECKING:
    from assay.evaluate import Comparison

__all__ = ["ResidualsDisplay"]

MAX_DOTS = 2000  # rows that are drawn one by one; more are counted in hexagons
HEXAGONS = 36  # across a panel


class ResidualsDisplay:
    r"""True against predicted numbers, and three views of the residuals: against predictions, normal, their spread.

    A smooth line (:class:`assay.smoothers.Loess`, robust) that leaves zero shows what the model has missed; dots off
    the dashed line of normal quantiles show heavy or light tails; a line of :math:`\sqrt{|e|/s}` that rises shows
    errors that grow with the prediction. Many rows are drawn as hexagons, darker where there are more.

    Parameters
    ----------
    residuals : Residuals
    name : whose they are

    Attributes
    ----------
    axes_ : four matplotlib axes      figure_ : their figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ResidualsDisplay
    >>> display = ResidualsDisplay.from_predictions([1.0, 2.0, 3.5, 5.0], [1.0, 2.5, 3.0, 5.0])
    >>> [ax.get_title() for ax in display.axes_][:2]
    ['predicted and true', 'residuals against predicted']
    """

    def __init__(self, residuals: Residuals, name: str = ""):
        self.residuals, self.name = residuals, name

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        sample_weight: Weights | None = None,
        name: str = "",
        axes: Any = None,
    ) -> ResidualsDisplay:
        """Draw (n,) true and (n,) predicted numbers.

        Parameters
        ----------
        y_true, y_pred : (n,) numbers
        sample_weight : (n,) what each row counts in the lines
        name : whose predictions they are
        axes : four matplotlib axes; None makes a figure
        """
        return cls(Residuals(y_true, y_pred, sample_weight), name).plot(axes)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: TableLike,
        y: ArrayLike,
        *,
        sample_weight: Weights | None = None,
        axes: Sequence[Axes] | np.ndarray | None = None,
    ) -> ResidualsDisplay:
        """Draw a fitted regressor on rows X with the numbers y, which should not be its training rows."""
        name = type(estimator).__name__
        return cls.from_predictions(
            y, estimator.predict(X), sample_weight=sample_weight, name=name, axes=axes
        )

    @classmethod
    def from_comparison(
        cls,
        comparison: Comparison,
        learner: str | None = None,
        *,
        axes: Sequence[Axes] | np.ndarray | None = None,
    ) -> ResidualsDisplay:
        """Draw a learner of a comparison (default: the best) on the test rows of the first repetition."""
        (name,) = chosen_learners(comparison, learner or comparison.best, "ResidualsDisplay")
        return cls(Residuals.of_comparison(comparison, name), name).plot(axes)

    def plot(self, axes: Sequence[Axes] | np.ndarray | None = None) -> ResidualsDisplay:
        """Draw the panels.

        Parameters
        ----------
        axes : four matplotlib axes; None makes a figure
        """
        r = self.residuals
        if axes is None:
            first = axes_for(None, (8.6, 7.4))
            figure = first.figure
            first.remove()
            axes = figure.subplots(2, 2)
            if self.name:
                figure.suptitle(one_line(self.name, 70)).set_parse_math(False)
        self.axes_ = list(np.asarray(axes, dtype=object).ravel())
        self.figure_ = self.axes_[0].figure
        self._true(self.axes_[0], r)
        self._cloud(
            self.axes_[1],
            r.predicted,
            r.residual,
            "residuals against predicted",
            "true − predicted",
            zero=True,
        )
        self._normal(self.axes_[2], r)
        self._cloud(
            self.axes_[3], r.predicted, r.scale(), "spread against predicted", "√(|residual| / spread)"
        )
        for ax in self.axes_:
            bare(ax)
            draw_literally(ax)
        return self

    def _true(self, ax: Any, r: Residuals) -> None:
        both = Scale.close([r.truth.min(), r.truth.max(), r.predicted.min(), r.predicted.max()])
        self._rows(ax, r.predicted, r.truth)
        ax.plot(
            [both.low, both.high], [both.low, both.high], "--", color=FAINT, lw=1, label="predicted exactly"
        )
        both.draw(ax, "x")
        both.draw(ax, "y")
        ax.set(title="predicted and true", xlabel="predicted", ylabel="true")

    def _rows(self, ax: Any, x: np.ndarray, y: np.ndarray) -> None:
        if len(x) <= MAX_DOTS or np.ptp(x) == 0 or np.ptp(y) == 0:
            ax.plot(x, y, "o", ms=3.2, mew=0, alpha=0.45, color=class_colour(0), label="rows")
        else:
            ax.hexbin(x, y, gridsize=HEXAGONS, bins="log", mincnt=1, cmap=_shades(), linewidths=0)

    def _cloud(
        self, ax: Any, x: np.ndarray, y: np.ndarray, title: str, y_label: str, zero: bool = False
    ) -> None:
        self._rows(ax, x, y)
        smooth = smooth_line(x, y, self.residuals.weight)
        if zero:
            ax.axhline(0.0, ls="--", color=FAINT, lw=1)
        if smooth is not None:
            ax.plot(*smooth, color=class_colour(1), lw=2, label="smooth line")
        Scale.close([x.min(), x.max()]).draw(ax, "x")
        Scale.close([y.min(), y.max(), *([0.0] if zero else [])]).draw(ax, "y")
        ax.set(title=title, xlabel="predicted", ylabel=y_label)

    def _normal(self, ax: Any, r: Residuals) -> None:
        ax.set(
            title="normal quantiles of residuals",
            xlabel="expected of a normal distribution",
            ylabel="residual / spread",
        )
        if not r.spread:
            ax.text(0.5, 0.5, "all residuals are equal", ha="center", transform=ax.transAxes, color=FAINT)
            return
        expected, observed = r.normal_quantiles()
        ax.plot(expected, observed, "o", ms=3.2, mew=0, alpha=0.6, color=class_colour(0))
        ax.axline((0, 0), slope=1, ls="--", color=FAINT, lw=1)


def _shades() -> Any:
    """From few rows to many, in the colour of the dots."""
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("rows", ["#d3e5f1", class_colour(0)])
