"""What follows a sequence: its mean and band, behind the rows that are known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for, names_of
from assay.plots.looks import FAINT, INK, bare, draw_literally
from assay.types import Axes, Estimator, SequencesLike

if TYPE_CHECKING:
    from assay.sequences.hidden_markov_model import Forecast

__all__ = ["ForecastDisplay"]


class ForecastDisplay:
    """The rows so far of one column, and mean and band of what follows.

    Parameters
    ----------
    past : (T,) numbers      mean, low, high : (h,) of the rows that follow
    future : (h,) what came in fact, or None
    coverage : of the band, for the legend      name : of the column

    Attributes
    ----------
    band_, mean_ : what was drawn      ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ForecastDisplay
    >>> from assay.sequences import LinearDynamicalSystem
    >>> level = LinearDynamicalSystem.of(F=[[1.0]], H=[[1.0]], Q=[[1.0]], R=[[1.0]], mean=[0.0], covariance=[[1.0]])
    >>> display = ForecastDisplay.from_model(level, [[1.0, 2.0, 3.0, 2.5]], 3)
    >>> display.mean.round(2)
    array([2.46, 2.46, 2.46])
    """

    def __init__(
        self,
        past: ArrayLike,
        mean: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        future: ArrayLike | None = None,
        coverage: float = 0.9,
        name: str = "value",
    ):
        self.past = np.asarray(past, dtype=np.float64).ravel()
        self.mean, self.low, self.high = (np.asarray(v, dtype=np.float64).ravel() for v in (mean, low, high))
        self.future = None if future is None else np.asarray(future, dtype=np.float64).ravel()
        if not len(self.mean) == len(self.low) == len(self.high) or not len(self.mean):
            raise DataError("ForecastDisplay: mean, low and high must have the same rows, at least one.")
        self.coverage, self.name = coverage, name

    @classmethod
    def from_model(
        cls,
        model: Estimator,
        X: SequencesLike,
        steps: int = 10,
        *,
        column: int = 0,
        coverage: float = 0.9,
        future: ArrayLike | None = None,
        ax: Axes | None = None,
    ) -> ForecastDisplay:
        """Draw the forecast of a fitted model after one sequence.

        Parameters
        ----------
        model : hidden Markov model or linear dynamical system
        X : one sequence of numbers
        steps : rows ahead
        column : which one is drawn
        coverage : of the band
        future : (steps,) what came in fact
        """
        from assay.sequences import Sequences

        data = Sequences.of(X, who="ForecastDisplay")
        fitted: Any = model
        ahead: Forecast = fitted.forecast(data, steps, coverage=coverage)
        if ahead.mean is None or ahead.low is None or ahead.high is None:
            raise DataError("ForecastDisplay: the model emits no numbers, so there is no band to draw.")
        names = names_of(model, data.values.shape[1])
        display = cls(
            data.values[:, column], ahead.mean[:, column], ahead.low[:, column], ahead.high[:, column], future=future,
            coverage=coverage, name=names[column],
        )  # fmt: skip
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> ForecastDisplay:
        """Draw the rows, the mean and the band.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (8.0, 3.4))
        self.figure_ = ax.figure
        T, h = len(self.past), len(self.mean)
        after = np.arange(T, T + h)
        ax.plot(np.arange(T), self.past, color=INK, lw=1.2, label=self.name)
        self.band_: Any = ax.fill_between(
            after,
            self.low,
            self.high,
            color=class_colour(0),
            alpha=0.2,
            lw=0,
            label=f"band of {self.coverage:.0%}",
        )
        (self.mean_,) = ax.plot(after, self.mean, color=class_colour(0), lw=1.8, label="forecast")
        if self.future is not None:
            ax.plot(
                T + np.arange(len(self.future)), self.future, color=INK, lw=1.0, ls=":", label="what came"
            )
        ax.axvline(T - 0.5, color=FAINT, lw=0.8, ls="--")
        ax.set(xlabel="row", ylabel=self.name, xlim=(0, T + h - 1))
        bare(ax)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        draw_literally(ax)
        return self
