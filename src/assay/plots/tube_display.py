"""The tube of support vector regression, and the rows on its edge and outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.types import Axes, TableLike, Target

__all__ = ["TubeDisplay"]

LOOKS = {  # of rows: marker, face, size, what the legend says
    "inside": ("x", None, 5, "inside the tube"),
    "on": ("o", "none", 8, "on its edge"),
    "outside": ("s", "none", 7, "outside"),
}


class TubeDisplay:
    r"""The function of a regression machine of one column, with its tube of half width :math:`\epsilon`.

    Rows inside the tube are crosses, support vectors on its edge are circles and those outside squares: the function
    is made of the circles and squares alone.

    Parameters
    ----------
    x, y : (n,) the rows      status : (n,) "inside", "on" or "outside" for each
    grid, values : (m,) places and the function there      epsilon : float, half the width of the tube

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import TubeDisplay
    >>> from assay.svm import SVR
    >>> X, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]
    >>> display = TubeDisplay.from_estimator(SVR(kernel="linear", C=10, epsilon=0.25).fit(X, y), X, y)
    >>> display.status.tolist(), display.epsilon
    (['on', 'inside', 'on'], 0.25)
    """

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        status: np.ndarray,
        grid: np.ndarray,
        values: np.ndarray,
        epsilon: float,
    ):
        self.x, self.y, self.status = x, y, status
        self.grid, self.values, self.epsilon = grid, values, epsilon

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: TableLike,
        y: Target,
        *,
        steps: int = 501,
        title: str | None = None,
        ax: Axes | None = None,
    ) -> TubeDisplay:
        """Draw a fitted machine over the rows.

        Parameters
        ----------
        estimator : fitted SVR or NuSVR of one column
        X, y : the rows
        steps : places at which the function is worked out
        title : of the picture; None has none
        ax : matplotlib axes, default None for a new figure
        """
        x = np.asarray(X, dtype=np.float64)
        x = x.reshape(len(x), -1)
        if x.shape[1] != 1 or not hasattr(estimator, "tube_status"):
            raise DataError(
                f"TubeDisplay: expected an SVR or NuSVR and rows of one column, got {type(estimator).__name__} and "
                f"{x.shape[1]} columns."
            )
        wide = 0.03 * (float(np.ptp(x)) or 1.0)
        grid = np.linspace(x.min() - wide, x.max() + wide, steps)
        made = cls(
            x[:, 0],
            np.asarray(y, dtype=np.float64),
            estimator.tube_status(x, y),
            grid,
            estimator.predict(grid[:, None]),
            float(estimator.epsilon_),
        )
        return made.plot(ax, title=title)

    def plot(self, ax: Axes | None = None, *, title: str | None = None) -> TubeDisplay:
        """Draw the function, the tube and the rows.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        title : of the picture; None has none
        """
        self.ax_ = ax = axes_for(ax, (5.5, 3.8))
        self.figure_ = ax.figure
        colour = class_colour(0)
        ax.fill_between(
            self.grid, self.values - self.epsilon, self.values + self.epsilon, color=colour, alpha=0.12, lw=0
        )
        for side in (-1, 1):
            ax.plot(self.grid, self.values + side * self.epsilon, color=colour, lw=0.9, ls="--")
        ax.plot(self.grid, self.values, color=colour, lw=1.8)
        for status, (marker, face, size, words) in LOOKS.items():
            rows = self.status == status
            if rows.any():
                ax.plot(
                    self.x[rows], self.y[rows], marker, ms=size, mew=1.2, mfc=face, color="#333b45",
                    label=f"{int(rows.sum())} {words}",
                )  # fmt: skip
        ax.set(xlabel="x", ylabel="y")
        if title is not None:
            ax.set_title(title, fontsize=10, loc="left")
        ax.legend(frameon=False, fontsize=8)
        return self
