"""Beliefs about a parameter: prior, likelihood and posterior, or several of one family."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import bare, curve_legend, draw_literally
from assay.stats.bayesian.conjugate import ConjugateModel
from assay.types import Axes

__all__ = ["BeliefDisplay"]

LOOKS = {"prior": (2, "--"), "likelihood": (1, ":"), "posterior": (0, "-")}
SHOWN = 0.998  # share of each belief that the axis holds


class BeliefDisplay:
    """Densities of one parameter under several beliefs, such as before and after data.

    Parameters
    ----------
    theta : (m,) values of the parameter
    curves : dict from names to (m,) densities
        "prior", "likelihood" and "posterior" have looks of their own.
    intervals : dict from names to (low, high)
        Shaded under the curve of that name.
    parameter : str
        Stands at the axis.

    Attributes
    ----------
    lines_ : dict of the drawn curves      ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import BeliefDisplay
    >>> from assay.stats import BetaBernoulli
    >>> display = BeliefDisplay.from_update(BetaBernoulli(2, 2), [1, 1, 0, 1, 1, 1], parameter="p")
    >>> list(display.curves)
    ['prior', 'likelihood', 'posterior']
    """

    def __init__(
        self,
        theta: ArrayLike,
        curves: Mapping[str, ArrayLike],
        *,
        intervals: Mapping[str, tuple[float, float]] | None = None,
        parameter: str = "parameter",
    ):
        self.theta = np.asarray(theta, dtype=np.float64)
        self.curves = {name: np.asarray(values, dtype=np.float64) for name, values in curves.items()}
        self.intervals, self.parameter = dict(intervals or {}), parameter
        for name, values in self.curves.items():
            if values.shape != self.theta.shape:
                raise DataError(
                    f"BeliefDisplay: {name} has shape {values.shape}, expected one density for each of "
                    f"{len(self.theta)} values."
                )

    @classmethod
    def from_update(
        cls,
        prior: ConjugateModel,
        x: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        limits: tuple[float, float] | None = None,
        grid_size: int = 601,
        level: float | None = 0.95,
        parameter: str = "parameter",
        ax: Axes | None = None,
    ) -> BeliefDisplay:
        """Draw the belief before and after data, and the likelihood of the parameter, scaled to area 1.

        Parameters
        ----------
        prior : conjugate model of one parameter; of an improper one the posterior alone is drawn
        x, weights : the data
        limits : (low, high) of the axis; None holds nearly all of prior and posterior
        grid_size : points of the curves
        level : of the interval that is shaded, the shortest of the posterior; None shades nothing
        parameter : str
        """
        posterior = prior.update(x, weights)
        beliefs = {"prior": prior, "posterior": posterior} if prior.proper else {"posterior": posterior}
        theta = _grid(beliefs, limits, grid_size)
        curves = {name: np.exp(belief.logpdf(theta)) for name, belief in beliefs.items()}
        if prior.proper:
            with np.errstate(invalid="ignore"):
                logs = posterior.logpdf(theta) - prior.logpdf(theta)  # Bayes' rule, read backwards
            finite = np.isfinite(logs)
            likelihood = np.where(finite, np.exp(np.where(finite, logs - logs[finite].max(), 0.0)), 0.0)
            curves = {
                "prior": curves["prior"],
                "likelihood": likelihood / np.trapezoid(likelihood, theta),
                "posterior": curves["posterior"],
            }
        intervals = {} if level is None else {"posterior": posterior.hpd(level)}
        return cls(theta, curves, intervals=intervals, parameter=parameter).plot(ax)

    @classmethod
    def from_beliefs(
        cls,
        beliefs: Mapping[str, ConjugateModel],
        *,
        limits: tuple[float, float] | None = None,
        grid_size: int = 601,
        parameter: str = "parameter",
        ax: Axes | None = None,
    ) -> BeliefDisplay:
        """Draw several beliefs about the same parameter.

        Parameters
        ----------
        beliefs : dict from names to conjugate models of one parameter, or to a `GridPosterior`
        limits, grid_size, parameter : as in ``from_update``
        """
        if not beliefs:
            raise ParameterError("BeliefDisplay: there is no belief to draw.")
        theta = _grid(beliefs, limits, grid_size)
        curves = {name: np.exp(belief.logpdf(theta)) for name, belief in beliefs.items()}
        return cls(theta, curves, parameter=parameter).plot(ax)

    def plot(self, ax: Axes | None = None, *, top: float | None = None) -> BeliefDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        top : float
            Where the curves are cut off; None is the highest that is finite.
        """
        self.ax_ = ax = axes_for(ax, (6.2, 3.6))
        self.figure_ = ax.figure
        self.lines_: dict[str, Any] = {}
        highest = 0.0
        for k, (name, values) in enumerate(self.curves.items()):
            colour, style = LOOKS.get(name, (k, "-"))
            finite = np.where(np.isfinite(values), values, np.nan)
            (self.lines_[name],) = ax.plot(
                self.theta, finite, color=class_colour(colour), ls=style, lw=1.7, label=name
            )
            if name in self.intervals:
                low, high = self.intervals[name]
                inside = (self.theta >= low) & (self.theta <= high)
                ax.fill_between(
                    self.theta, finite, where=inside, color=class_colour(colour), alpha=0.15, lw=0
                )
            highest = max(highest, float(np.nanmax(finite, initial=0.0)))
        ax.set(
            xlim=(self.theta[0], self.theta[-1]),
            ylim=(0, 1.05 * (highest if top is None else top)),
            xlabel=self.parameter,
            ylabel="density",
        )
        bare(ax)
        curve_legend(ax, "best", frameon=False)
        draw_literally(ax)
        return self


def _grid(beliefs: Mapping[str, Any], limits: tuple[float, float] | None, size: int) -> np.ndarray:
    """Values of the parameter that hold nearly all of each belief."""
    if limits is None:
        ends = [belief.interval(SHOWN) for belief in beliefs.values()]
        if np.ndim(ends) != 2:
            raise DataError(
                "BeliefDisplay: a belief about one parameter can be drawn, got several parameters."
            )
        limits = float(np.min(ends)), float(np.max(ends))
    if not limits[0] < limits[1]:
        raise ParameterError(f"BeliefDisplay: limits must be two numbers, the lower first, got {limits}.")
    return np.linspace(*limits, size)
