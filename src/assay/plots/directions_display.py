"""The first principal component and Fisher's direction of two classes, and what a projection on each leaves."""

from __future__ import annotations

import numpy as np

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, draw_literally
from assay.stats import class_scatter, fisher_criterion, fisher_direction
from assay.types import Axes, TableLike, Target

__all__ = ["DirectionsDisplay"]

WHERE = {"principal component": (0.66, 0.56, 0.34, 0.34), "Fisher's direction": (0.66, 0.08, 0.34, 0.34)}


class DirectionsDisplay:
    """Two classes in the plane: along which line they vary most, and along which they are best separated.

    Left the rows with both lines through their mean; right the rows projected on each of them, with Fisher's
    criterion J, the squared distance of the means over the scatter of the classes.

    Parameters
    ----------
    X : (n, 2)
    y : (n,) two classes

    Attributes
    ----------
    directions : dict of name to (2,) unit vector      criteria : dict of name to J
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import DirectionsDisplay
    >>> X = [[1, 2], [2, 3], [3, 3], [4, 5], [5, 5], [1, 0], [2, 1], [3, 1], [3, 2], [5, 3], [6, 5]]
    >>> display = DirectionsDisplay.from_rows(X, [1] * 5 + [2] * 6)
    >>> {name: round(J, 6) for name, J in display.criteria.items()}
    {'principal component': 0.017757, "Fisher's direction": 1.688379}
    """

    def __init__(self, X: TableLike, y: Target):
        self.X, labels = np.asarray(X, dtype=np.float64), np.asarray(y)
        self.classes, self.codes = np.unique(labels, return_inverse=True)
        if self.X.ndim != 2 or self.X.shape[1] != 2 or len(self.classes) != 2 or len(labels) != len(self.X):
            raise DataError(
                f"DirectionsDisplay: expected rows of two columns and two classes, got the shape {self.X.shape} and "
                f"{len(self.classes)} classes."
            )
        scatter = class_scatter(self.X, self.codes)
        _, vectors = np.linalg.eigh(scatter.total)
        fisher = fisher_direction(scatter.means[0], scatter.means[1], scatter.within)
        self.directions = {
            "principal component": vectors[:, -1] * np.sign(vectors[np.abs(vectors[:, -1]).argmax(), -1]),
            "Fisher's direction": fisher / np.linalg.norm(fisher),
        }
        self.criteria = {
            name: fisher_criterion(w, scatter.within, scatter.difference)
            for name, w in self.directions.items()
        }

    @classmethod
    def from_rows(cls, X: TableLike, y: Target, *, ax: Axes | None = None) -> DirectionsDisplay:
        """Draw the rows of X, of two columns and two classes y."""
        return cls(X, y).plot(ax)

    def plot(self, ax: Axes | None = None) -> DirectionsDisplay:
        """Draw the rows, the lines and the projections.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
            Divided into a large part for the rows and two small ones for the projections.
        """
        self.ax_ = ax = axes_for(ax, (9.0, 4.6))
        self.figure_ = ax.figure
        ax.set_axis_off()
        plane = ax.inset_axes((0.0, 0.05, 0.58, 0.9))
        for k, label in enumerate(self.classes):
            rows = self.X[self.codes == k]
            plane.scatter(
                rows[:, 0],
                rows[:, 1],
                s=18,
                color=class_colour(k),
                marker="ov"[k],
                alpha=0.75,
                label=str(label),
            )
        centre = self.X.mean(axis=0)
        for (name, w), look in zip(self.directions.items(), ("--", "-")):
            plane.axline(centre, centre + w, color=INK, ls=look, lw=1.4, label=name)
        plane.set(aspect="equal", adjustable="datalim", xlabel="x0", ylabel="x1")
        plane.legend(frameon=False, fontsize=8, loc="best")
        draw_literally(plane)
        for name, place in WHERE.items():
            strip = ax.inset_axes(place)
            z = (self.X - centre) @ self.directions[name]
            for k in (0, 1):
                strip.scatter(z[self.codes == k], np.full(np.sum(self.codes == k), k), s=12, alpha=0.6,
                              color=class_colour(k), marker="ov"[k])  # fmt: skip
                strip.axvline(z[self.codes == k].mean(), color=class_colour(k), lw=1)
            strip.set_title(f"{name}: J = {self.criteria[name]:.4g}", fontsize=9, color=INK)
            strip.set(ylim=(-0.7, 1.7), yticks=[])
            strip.tick_params(colors=FAINT, labelsize=8)
        return self
