"""Nominal and observed coverage of prediction intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.evaluate.residuals import IntervalCoverage
from assay.plots.looks import FAINT, bare, coloured_axes, curve_legend, draw_literally, legend_name, line_look
from assay.plots.scale import Scale
from assay.types import Axes, Target, Weights

__all__ = ["IntervalCoverageDisplay"]

NOMINAL = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


class IntervalCoverageDisplay:
    """How many rows lie inside their prediction intervals, against how many should; with intervals of the shares.

    On the dashed line intervals keep their promise; below it they are too narrow. The legend has the mean width at the
    largest nominal coverage: of two learners on the line, the one with narrower intervals says more.

    Parameters
    ----------
    curves : {name: IntervalCoverage}

    Attributes
    ----------
    lines_ : list of what was drawn, one for each curve      ax_, figure_ : after ``plot``

    Examples
    --------
    >>> from assay.plots import IntervalCoverageDisplay
    >>> from assay.stats.distributions.predictive import Normal
    >>> display = IntervalCoverageDisplay.from_distributions([0.1, -0.4, 2.0], {"normal": Normal([0.0] * 3, 1.0)})
    >>> [round(e.value, 2) for e in display.curves["normal"].observed]
    [0.67, 0.67, 0.67, 0.67, 0.67, 0.67]
    """

    def __init__(self, curves: Mapping[str, IntervalCoverage]):
        if not curves:
            raise DataError("IntervalCoverageDisplay: there are no intervals.")
        self.curves = dict(curves)

    @classmethod
    def from_distributions(
        cls,
        y_true: Target,
        distributions: Any,
        *,
        nominal: Sequence[float] = NOMINAL,
        sample_weight: Weights | None = None,
        alpha: float = 0.05,
        ax: Axes | None = None,
    ) -> IntervalCoverageDisplay:
        """Draw the central intervals of predictive distributions.

        Parameters
        ----------
        y_true : (n,) numbers
        distributions : a predictive distribution of the n rows, as ``predict_distribution`` gives it, or a dict of them
        nominal : coverages of the intervals
        sample_weight : (n,)
        alpha : 1 - confidence of the intervals of the shares
        ax : matplotlib axes, default None for a new figure
        """
        named = distributions if isinstance(distributions, Mapping) else {"": distributions}
        curves = {}
        for name, distribution in named.items():
            ends = [distribution.interval(level) for level in nominal]
            lower, upper = (np.column_stack([pair[side] for pair in ends]) for side in (0, 1))
            curves[name] = IntervalCoverage.of(y_true, lower, upper, nominal, sample_weight, alpha)
        return cls(curves).plot(ax)

    @classmethod
    def from_intervals(
        cls,
        y_true: Target,
        lower: ArrayLike,
        upper: ArrayLike,
        nominal: ArrayLike,
        *,
        sample_weight: Weights | None = None,
        alpha: float = 0.05,
        name: str = "",
        ax: Axes | None = None,
    ) -> IntervalCoverageDisplay:
        """Draw intervals with the (n, L) ends ``lower`` and ``upper`` of L nominal coverages."""
        return cls({name: IntervalCoverage.of(y_true, lower, upper, nominal, sample_weight, alpha)}).plot(ax)

    def plot(self, ax: Axes | None = None) -> IntervalCoverageDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        ax = coloured_axes(ax, (5.0, 4.6))
        values = [v for c in self.curves.values() for e in c.observed for v in (e.value, e.low, e.high)]
        lowest = min(float(c.nominal.min()) for c in self.curves.values()) - 0.1
        scale = Scale.over([max(lowest, 0.0), 1.0, *values], within=(0.0, 1.0))
        ax.plot([scale.low, 1], [scale.low, 1], "--", color=FAINT, lw=1)
        self.lines_ = []
        for k, (name, curve) in enumerate(self.curves.items()):
            order = np.argsort(curve.nominal)
            observed = np.array([(e.value, e.low, e.high) for e in curve.observed])[order]
            width = curve.width[int(order[-1])].value
            words = f"{curve.nominal[order[-1]]:.0%} interval {width:.4g} wide" if np.isfinite(width) else ""
            label = legend_name(": ".join(filter(None, (str(name), words))), 60)
            self.lines_ += ax.plot(
                curve.nominal[order], observed[:, 0], "o", ms=4, label=label, **line_look(k)
            )
            low, high = observed[:, 1], observed[:, 2]
            ax.fill_between(curve.nominal[order], low, high, color=line_look(k)["color"], alpha=0.13, lw=0)
        scale.draw(ax, "x")
        scale.draw(ax, "y")
        ax.set(xlabel="nominal coverage", ylabel="share of rows inside")
        curve_legend(ax, "upper left")
        bare(ax)
        draw_literally(ax)
        self.ax_, self.figure_ = ax, ax.figure
        return self
