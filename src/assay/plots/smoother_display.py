"""A curve through rows for several amounts of smoothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.base import clone

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.smoothers.band import Band
from assay.smoothers.smoother import Smoother
from assay.types import Axes, TableLike, Target

__all__ = ["SmootherDisplay"]


@dataclass(frozen=True)
class Curve:
    """What one panel shows: a title, pieces (places, estimates) of the curve, and its band, if any."""

    title: str
    pieces: list[tuple[np.ndarray, np.ndarray]]
    band: tuple[np.ndarray, Band] | None = None


class SmootherDisplay:
    r"""Smoothers of one column, one panel below the other, with the rows as crosses.

    The usual picture of a smoothing parameter: at the top the curve underfits, at the bottom it overfits. A curve
    that jumps (a regressogram) is drawn in pieces.

    Parameters
    ----------
    x, y : (n,) the rows
    curves : list of Curve, one for each panel

    Attributes
    ----------
    axes_, figure_ : list of matplotlib axes, and their figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import SmootherDisplay
    >>> from assay.smoothers import RunningMean
    >>> x, r = [[float(i)] for i in range(8)], [1, 2, 1.5, 4, 5, 4.5, 7, 6]
    >>> display = SmootherDisplay.from_values(RunningMean(), x, r, [6, 3, 1])
    >>> [curve.title for curve in display.curves]
    ['bandwidth = 6', 'bandwidth = 3', 'bandwidth = 1']
    """

    def __init__(self, x: np.ndarray, y: np.ndarray, curves: list[Curve]):
        self.x, self.y, self.curves = x, y, curves

    @classmethod
    def from_values(
        cls,
        smoother: Smoother,
        X: TableLike,
        y: Target,
        values: Sequence[Any],
        *,
        parameter: str | None = None,
        level: float | None = None,
        steps: int = 501,
        axes: Sequence[Axes] | np.ndarray | None = None,
    ) -> SmootherDisplay:
        """Fit a smoother for several values of a parameter and draw the curves.

        Parameters
        ----------
        smoother : Smoother, whose other parameters stay
        X, y : the rows, of one column
        values : of the parameter, one panel each
        parameter : its name; None is the one that steers the smoother, such as "bandwidth"
        level : of a confidence band; None draws none
        steps : places at which curves are worked out
        axes : matplotlib axes, one for each value; None makes a figure
        """
        name = smoother.steered_by if parameter is None else parameter
        models = [clone(smoother).set_params(**{name: value}).fit(X, y) for value in values]
        titles = [
            f"{name} = {value:g}" if isinstance(value, (int, float)) else f"{name} = {value}"
            for value in values
        ]
        return cls.from_smoothers(models, X, y, titles=titles, level=level, steps=steps, axes=axes)

    @classmethod
    def from_smoothers(
        cls,
        smoothers: Sequence[Any],
        X: Any,
        y: Any,
        *,
        titles: Sequence[str] | None = None,
        level: float | None = None,
        steps: int = 501,
        axes: Sequence[Axes] | np.ndarray | None = None,
    ) -> SmootherDisplay:
        """Draw fitted smoothers of one column; the parameters are as in ``from_values``.

        Parameters
        ----------
        smoothers : fitted regressors of one column
        titles : one for each; None takes what they print
        """
        x = np.asarray(X, dtype=np.float64).reshape(len(X), -1)
        if x.shape[1] != 1:
            raise DataError(f"SmootherDisplay: expected rows of one column, got {x.shape[1]}.")
        grid = np.linspace(x.min(), x.max(), steps)
        curves = []
        for k, model in enumerate(smoothers):
            title = str(model) if titles is None else titles[k]
            pieces = [(part, model.predict(part[:, None])) for part in _parts(model, grid)]
            band = None if level is None else (grid, model.confidence_band(grid[:, None], level))
            curves.append(Curve(title, pieces, band))
        return cls(x[:, 0], np.asarray(y, dtype=np.float64), curves).plot(axes)

    def plot(self, axes: Sequence[Axes] | np.ndarray | None = None) -> SmootherDisplay:
        """Draw the panels.

        Parameters
        ----------
        axes : matplotlib axes, one for each curve; None makes a figure
        """
        if axes is None:
            axes = _stacked(len(self.curves))
        self.axes_ = list(np.atleast_1d(np.asarray(axes, dtype=object)))
        self.figure_ = self.axes_[0].figure
        for ax, curve in zip(self.axes_, self.curves, strict=True):
            ax.plot(self.x, self.y, "x", ms=5, mew=1.1, color="#5f6975", label="rows")
            if curve.band is not None:
                grid, band = curve.band
                finite = np.isfinite(band.error)
                low, high = np.where(finite, band.low, np.nan), np.where(finite, band.high, np.nan)
                ax.fill_between(grid, low, high, color=class_colour(0), alpha=0.18, lw=0)
            for part, estimate in curve.pieces:
                ax.plot(part, estimate, color=class_colour(0), lw=1.8)
            ax.set_title(curve.title, fontsize=10, loc="left")
            ax.set_ylabel("r")
        self.axes_[-1].set_xlabel("x")
        return self


def _stacked(panels: int) -> Any:
    first = axes_for(None, (6.0, 2.1 * panels + 0.4))
    figure = first.figure
    first.remove()
    axes = figure.subplots(panels, 1, sharex=True, sharey=True)
    return np.atleast_1d(axes)


def _parts(model: Any, grid: np.ndarray) -> list[np.ndarray]:
    """The grid, cut where the bins of a regressogram meet."""
    if not hasattr(model, "bins_"):
        return [grid]
    width, origin = float(model.width_[0]), float(model.origin_[0])
    first, last = np.floor((grid[[0, -1]] - origin) / width).astype(int)
    if last - first > len(grid):  # bins too narrow to be seen one by one
        return [grid]
    edges = origin + width * np.arange(first, last + 2)
    parts = []
    for left, right in pairwise(edges):
        low, high = max(left, grid[0]), min(np.nextafter(right, left), grid[-1])
        if low <= high:
            parts.append(np.linspace(low, high, 9))
    return parts
