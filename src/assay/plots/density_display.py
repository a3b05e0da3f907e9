"""A density and the rows it was learned from."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import amounts, axes_for, names_of
from assay.types import Axes, Estimator, TableLike

__all__ = ["DensityDisplay"]


class DensityDisplay:
    """A density of one column as a curve over crosses where the rows are, of two columns as levels under dots.

    Parameters
    ----------
    axes : list of one or two arrays
        Where the density is known along each column.
    density : array, one dimension for each of ``axes``
    rows : (n, d) the rows to show, or None
    names : names of the columns
    bumps : (m, n) what each row adds to the curve, or None

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.densities import KernelDensity
    >>> from assay.plots import DensityDisplay
    >>> X = [[1], [2], [2.5], [4], [6], [6.5], [7], [9]]
    >>> display = DensityDisplay.from_estimator(KernelDensity().fit(X), X)
    >>> round(display.mass(), 3)
    1.0
    """

    def __init__(
        self,
        axes: list[np.ndarray],
        density: np.ndarray,
        *,
        rows: np.ndarray | None = None,
        names: list[str] | None = None,
        bumps: np.ndarray | None = None,
    ):
        self.axes, self.density, self.rows, self.bumps = axes, density, rows, bumps
        self.names = names or [f"x{j}" for j in range(len(axes))]

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        *,
        limits: Any = None,
        grid_size: int | None = None,
        bumps: bool = False,
        ax: Axes | None = None,
        **options: Any,
    ) -> DensityDisplay:
        """Work out and draw the density of a fitted estimator that has ``score_samples``.

        Parameters
        ----------
        estimator : fitted density
        X : (n, 1) or (n, 2) the rows to show
        limits : (low, high), or one such pair for each column
            None is the range of the rows, and half of it to either side.
        grid_size : int
            Points along each column; 601 of one, 121 of two.
        bumps : bool
            Of a `KernelDensity` of one column, also the kernel of each row.
        options : as in ``plot``
        """
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or not 1 <= rows.shape[1] <= 2 or not len(rows):
            raise DataError(
                f"DensityDisplay: one or two columns can be drawn, got a table of shape {rows.shape}."
            )
        d = rows.shape[1]
        if limits is None:
            low, high = rows.min(axis=0), rows.max(axis=0)
            wide = np.where(high > low, high - low, 2.0)
            limits = np.stack([low - wide / 2, high + wide / 2], axis=1)
        limits = np.broadcast_to(np.asarray(limits, dtype=np.float64), (d, 2))
        axes = [np.linspace(*pair, grid_size or (601 if d == 1 else 121)) for pair in limits]
        Q = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        density = _density(estimator, Q.reshape(-1, d)).reshape(Q.shape[:-1])
        each = _bumps(estimator, rows, axes[0]) if bumps else None
        display = cls(axes, density, rows=rows, names=names_of(estimator, d), bumps=each)
        return display.plot(ax, **options)

    def mass(self) -> float:
        """The integral of the density over what is drawn."""
        total: Any = self.density
        for axis in reversed(self.axes):
            total = np.trapezoid(total, axis)
        return float(total)

    def plot(
        self, ax: Axes | None = None, *, colour: str | None = None, label: str = "", top: float | None = None
    ) -> DensityDisplay:
        """Draw the density.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        colour : str
            Of the curve.
        label : str
            Of the curve.
        top : float
            Where the curve is cut off; None is the highest that is finite.
        """
        self.ax_ = ax = axes_for(ax, (6.0, 2.6) if len(self.axes) == 1 else (5.0, 4.4))
        self.figure_ = ax.figure
        if len(self.axes) == 2:
            levels = ax.contourf(*self.axes, self.density.T, levels=12, cmap=amounts())
            self.figure_.colorbar(levels, ax=ax, label="density")
            if self.rows is not None:
                ax.plot(self.rows[:, 0], self.rows[:, 1], ".", color="#333333", markersize=3)
            ax.set(xlabel=self.names[0], ylabel=self.names[1])
            return self
        colour = colour or class_colour(0)
        if self.bumps is not None:
            ax.plot(self.axes[0], self.bumps, color="#888888", lw=0.8, ls="--")
        finite = np.where(np.isfinite(self.density), self.density, np.nan)
        ax.plot(self.axes[0], finite, color=colour, lw=1.6, label=label or None)
        highest = np.nanmax(finite) if top is None else top
        if self.rows is not None:
            ax.plot(self.rows[:, 0], np.zeros(len(self.rows)), "x", color=colour, markersize=6, clip_on=False)
        ax.set(
            xlabel=self.names[0],
            ylabel="density",
            ylim=(0, max(1.05 * highest, ax.get_ylim()[1] if top is None else 0)),
        )
        ax.set_xlim(self.axes[0][0], self.axes[0][-1])
        return self


def _density(estimator: Any, Q: np.ndarray) -> np.ndarray:
    if not hasattr(estimator, "score_samples"):
        raise TypeError(f"DensityDisplay: {type(estimator).__name__} has no score_samples.")
    return np.exp(estimator.score_samples(Q))


def _bumps(estimator: Any, rows: np.ndarray, axis: np.ndarray) -> np.ndarray:
    from sklearn.base import clone

    if not hasattr(estimator, "bandwidth_") or rows.shape[1] != 1:
        raise TypeError("DensityDisplay: bumps are for a KernelDensity of one column.")
    kernel = clone(estimator).set_params(bandwidth=estimator.bandwidth_)
    return np.stack([_density(kernel.fit(row[None]), axis[:, None]) for row in rows], axis=1) / len(rows)
