"""Predictions of a model over a plane."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.plots.canvas import amounts, axes_for
from assay.plots.plane import codes_of, plane_over
from assay.types import Axes, Label, TableLike, Target

__all__ = ["PartitionDisplay"]


class PartitionDisplay:
    """The predictions of a classifier or regressor over a plane of two columns, with the data.

    Parameters
    ----------
    x, y : (g,) grid along the first and the second column
    answers : (g, g)
        Codes of classes, or numbers; ``answers[i, j]`` belongs to ``y[i]`` and ``x[j]``.
    names : names of the two columns
    classes : class labels, or None for numbers
    points : (n, 2) the data, or None
    truth : (n,) their codes or numbers, or None

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    surface_ : the drawn predictions

    Examples
    --------
    >>> from assay.bayes import NearestMean
    >>> from assay.plots import PartitionDisplay
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [2.0, 0.0], [2.0, 1.0]], ["a", "a", "b", "b"]
    >>> display = PartitionDisplay.from_estimator(NearestMean().fit(X, y), X, y, grid=5)
    >>> display.answers[0]
    array([0, 0, 0, 1, 1])
    """

    def __init__(
        self,
        x: np.ndarray,
        y: np.ndarray,
        answers: np.ndarray,
        *,
        names: Sequence[str] = ("x0", "x1"),
        classes: Sequence[Label] | np.ndarray | None = None,
        points: np.ndarray | None = None,
        truth: np.ndarray | None = None,
    ):
        self.x, self.y, self.answers = x, y, answers
        self.names = list(names)
        self.classes: Any = classes
        self.points, self.truth = points, truth

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: TableLike,
        y: Target | None = None,
        *,
        columns: Sequence[int | str] | None = None,
        grid: int = 300,
        margin: float = 0.06,
        ax: Axes | None = None,
        **options: Any,
    ) -> PartitionDisplay:
        """Ask a fitted model on a grid over the data, and draw.

        Parameters
        ----------
        estimator : fitted classifier or regressor
        X, y : the data; y may be left out
        columns : two names or numbers, default None
            Which columns span the plane, of tables with more than two; the others stay at their medians, or at their
            commonest category.
        grid : int
            Points along each side.
        margin : float
            Room around the data, in shares of its range.
        options : as in ``plot``
        """
        plane = plane_over("PartitionDisplay", estimator, X, columns, grid, margin)
        answers = np.asarray(estimator.predict(plane.grid_rows))
        classes = getattr(estimator, "classes_", None)
        truth = None if y is None else np.asarray(y)
        if classes is not None:
            answers = codes_of(answers, classes)
            truth = None if truth is None else codes_of(truth, classes)
        display = cls(
            plane.x,
            plane.y,
            answers.reshape(grid, grid),
            names=plane.names,
            classes=classes,
            points=plane.points,
            truth=truth,
        )
        return display.plot(ax, **options)

    def plot(
        self, ax: Any = None, *, boundaries: bool = True, size: float = 14.0, alpha: float = 0.28
    ) -> PartitionDisplay:
        """Draw the answers as areas of colour, and the data as dots.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        boundaries : bool
            Lines where one class meets another.
        size : float
            Of the dots.
        alpha : float
            How strong the areas are.
        """
        self.ax_ = ax = axes_for(ax, (5.5, 4.6))
        from matplotlib.colors import ListedColormap

        self.figure_ = ax.figure
        if self.classes is None:
            self.surface_ = ax.pcolormesh(
                self.x, self.y, self.answers, cmap=amounts(), shading="nearest", rasterized=True
            )
            self.figure_.colorbar(self.surface_, ax=ax)
            limits = {"vmin": self.surface_.norm.vmin, "vmax": self.surface_.norm.vmax}
            if self.points is not None:
                colour = (
                    {"c": self.truth, "cmap": amounts(), **limits}
                    if self.truth is not None
                    else {"c": "white"}
                )
                ax.scatter(*self.points.T, s=size, edgecolor="black", lw=0.4, **colour)
        else:
            K = len(self.classes)
            colours = ListedColormap([class_colour(k) for k in range(K)])
            self.surface_ = ax.pcolormesh(
                self.x, self.y, self.answers, cmap=colours, vmin=-0.5, vmax=K - 0.5, alpha=alpha, shading="nearest",
                rasterized=True,
            )  # fmt: skip
            if boundaries:
                for k in np.unique(self.answers)[:-1]:
                    inside = (self.answers <= k).astype(float)
                    ax.contour(self.x, self.y, inside, levels=[0.5], colors="#3b4652", linewidths=1.0)
            self._dots(size)
        ax.set(xlabel=self.names[0], ylabel=self.names[1])
        ax.set(xlim=(self.x[0], self.x[-1]), ylim=(self.y[0], self.y[-1]))
        return self

    def _dots(self, size: float) -> None:
        """The data, each class in its colour and with its own mark."""
        if self.points is None:
            return
        if self.truth is None:
            self.ax_.scatter(*self.points.T, s=size, color="#15202b")
            return
        small = size < 6  # too small for a shape and a border
        marks, border = ("o", "none") if small else ("os^DvP*Xp<", "#15202b")
        for k, label in enumerate(self.classes):
            members, mark = self.points[self.truth == k], marks[k % len(marks)]
            look = {
                "color": class_colour(k),
                "marker": mark,
                "edgecolor": border,
                "lw": 0.0 if small else 0.4,
            }
            self.ax_.scatter(*members.T, s=size, label=str(label), **look)
