"""Rows along discriminants: one coordinate against the classes, or two against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, draw_literally, legend_name
from assay.types import Axes, TableLike, Target

__all__ = ["DiscriminantDisplay"]

MARKS = "ovs^DP*Xhd"


class DiscriminantDisplay:
    """Where the classes lie along the coordinates that separate them.

    One coordinate is drawn against the classes, with the mean of each class; of more the first two are drawn against
    each other, each row as a mark of its class or, with ``labels``, as its label.

    Parameters
    ----------
    coordinates : (n, k)
    y : (n,) the class of each row
    name : what the coordinates are called, default "discriminant"

    Attributes
    ----------
    means : (K, k) of the classes      classes : (K,)
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.plots import DiscriminantDisplay
    >>> X, y = [[0.0], [2.0], [4.0], [6.0]], ["a", "a", "b", "b"]
    >>> display = DiscriminantDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), X, y)
    >>> display.means
    array([[-2.],
           [ 2.]])
    """

    def __init__(self, coordinates: ArrayLike, y: Target, name: str = "discriminant"):
        self.coordinates, labels = np.asarray(coordinates, dtype=np.float64), np.asarray(y)
        if (
            self.coordinates.ndim != 2
            or labels.shape != self.coordinates.shape[:1]
            or not self.coordinates.size
        ):
            raise DataError(
                f"DiscriminantDisplay: expected (n, k) coordinates and n classes, got the shapes "
                f"{self.coordinates.shape} and {labels.shape}."
            )
        self.classes, self.codes = np.unique(labels, return_inverse=True)
        self.means = np.array(
            [self.coordinates[self.codes == k].mean(axis=0) for k in range(len(self.classes))]
        )
        self.name = name

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: TableLike, y: Target, *, ax: Axes | None = None, **options: Any
    ) -> DiscriminantDisplay:
        """Draw the rows of X along the coordinates of a fitted transformer.

        Parameters
        ----------
        estimator : fitted, with ``transform``
        X, y : the rows and their classes
        ax : matplotlib axes, default None for a new figure
        options : of ``plot``
        """
        return cls(np.asarray(estimator.transform(X)), y).plot(ax, **options)

    def plot(
        self, ax: Axes | None = None, *, labels: bool = False, most_labels: int = 300
    ) -> DiscriminantDisplay:
        """Draw the rows.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        labels : bool, default False
            Whether two coordinates are drawn as labels of the classes, rather than marks.
        most_labels : int, default 300
            Labels that are written, every so many rows; the other rows are faint points.
        """
        single = self.coordinates.shape[1] == 1
        self.ax_ = ax = axes_for(ax, (6.0, 3.4) if single else (5.6, 4.8))
        self.figure_ = ax.figure
        if single:
            self._draw_one(ax)
        elif labels:
            self._draw_labels(ax, most_labels)
        else:
            for k, label in enumerate(self.classes):
                rows = self.coordinates[self.codes == k]
                mark = MARKS[k % len(MARKS)]
                ax.scatter(
                    rows[:, 0],
                    rows[:, 1],
                    s=16,
                    color=class_colour(k),
                    marker=mark,
                    alpha=0.75,
                    label=str(label),
                )
            ax.legend(frameon=False)
        if not single:
            ax.set(xlabel=f"{self.name} 1", ylabel=f"{self.name} 2")
        draw_literally(ax)
        return self

    def _draw_one(self, ax: Any) -> None:
        for k in range(len(self.classes)):
            z = self.coordinates[self.codes == k, 0]
            ax.scatter(z, np.full(len(z), k), s=14, color=class_colour(k), alpha=0.5)
            ax.plot(self.means[[k, k], 0], [k - 0.28, k + 0.28], color=INK, lw=1.6)
            ax.annotate(
                f"{self.means[k, 0]:.3g}", (self.means[k, 0], k + 0.32), ha="center", color=INK, fontsize=9
            )
        ax.set(xlabel=self.name, ylabel="class", ylim=(-0.6, len(self.classes) - 0.4))
        ax.set_yticks(range(len(self.classes)), [legend_name(str(c)) for c in self.classes])

    def _draw_labels(self, ax: Any, most: int) -> None:
        ax.scatter(self.coordinates[:, 0], self.coordinates[:, 1], s=3, color=FAINT, alpha=0.25)
        step = max(1, int(np.ceil(len(self.codes) / most)))
        for z, k in zip(self.coordinates[::step, :2], self.codes[::step]):
            ax.text(
                *z, str(self.classes[k]), color=class_colour(int(k)), ha="center", va="center", fontsize=9
            )
