"""A map of rows, by class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import DataError
from assay.plots.canvas import amounts, axes_for
from assay.plots.looks import classes_with_rows, legend_name
from assay.types import Axes, Estimator, TableLike, Target

__all__ = ["EmbeddingDisplay"]

MARKERS = "os^Dv<>P*X"
MOST_CLASSES = 20  # beyond so many values, numbers are drawn as amounts


class EmbeddingDisplay:
    """The coordinates of rows in two or three dimensions, each class in a colour and a marker of its own.

    Parameters
    ----------
    coordinates : (n, 2) or (n, 3)
    y : (n,) classes (rows without one are grey), or numbers drawn as shades; None draws all alike
    name : str, the title

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.plots import EmbeddingDisplay
    >>> from assay.reduce import PCA
    >>> data = load_iris()
    >>> display = EmbeddingDisplay.from_estimator(
    ...     PCA(2).fit(data.data), data.data, data.target_names[data.target]
    ... )
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['setosa', 'versicolor', 'virginica']
    """

    def __init__(self, coordinates: ArrayLike, y: Target | None = None, name: str = ""):
        self.coordinates = np.asarray(coordinates, dtype=np.float64)
        if self.coordinates.ndim != 2 or self.coordinates.shape[1] not in (2, 3):
            raise DataError(
                f"EmbeddingDisplay: expected rows of 2 or 3 coordinates, got the shape {self.coordinates.shape}."
            )
        self.y = None if y is None else np.asarray(y)
        if self.y is not None and self.y.shape != (len(self.coordinates),):
            raise DataError(
                f"EmbeddingDisplay: {len(self.coordinates)} rows need as many classes, got {self.y.shape}."
            )
        self.name = name

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        X: TableLike,
        y: Target | None = None,
        *,
        ax: Axes | None = None,
        **options: Any,
    ) -> EmbeddingDisplay:
        """Draw where a fitted transformer puts the rows of X; of more than three new columns, the first two."""
        transformer: Any = estimator
        places = np.asarray(transformer.transform(X), dtype=np.float64)
        if places.ndim == 2 and places.shape[1] > 3:
            places = places[:, :2]
        return cls(places, y, type(estimator).__name__).plot(ax, **options)

    @classmethod
    def from_coordinates(
        cls,
        coordinates: ArrayLike,
        y: Target | None = None,
        *,
        name: str = "",
        ax: Axes | None = None,
        **options: Any,
    ) -> EmbeddingDisplay:
        """Draw coordinates that are known."""
        return cls(coordinates, y, name).plot(ax, **options)

    def plot(self, ax: Axes | None = None, *, size: float = 14.0) -> EmbeddingDisplay:
        """Draw the map.

        Parameters
        ----------
        ax : matplotlib axes (3-D ones for three coordinates), default None for a new figure
        size : float, default 14
            Area of a point.
        """
        deep = self.coordinates.shape[1] == 3
        axes: Any = self._space(ax) if deep else axes_for(ax, (5.6, 4.6))
        self.ax_, self.figure_ = axes, axes.figure
        if self.y is None:
            axes.scatter(*self.coordinates.T, s=size, color=class_colour(0), alpha=0.75, lw=0)
        elif self.y.dtype.kind in "fiu" and len(np.unique(self.y)) > MOST_CLASSES:
            drawn = axes.scatter(*self.coordinates.T, s=size, c=self.y, cmap=amounts(), lw=0)
            axes.figure.colorbar(drawn, ax=axes)
        else:
            for k, (label, rows, colour) in enumerate(classes_with_rows(self.y)):
                axes.scatter(
                    *self.coordinates[rows].T,
                    s=size,
                    color=colour,
                    marker=MARKERS[k % len(MARKERS)],
                    alpha=0.75,
                    lw=0,
                    label=legend_name(label),
                )
            axes.legend(frameon=False, markerscale=1.6)
        axes.set(xlabel="first coordinate", ylabel="second coordinate", title=self.name)
        if deep:
            axes.set_zlabel("third coordinate")
        else:
            axes.set_aspect("equal", adjustable="datalim")
        return self

    @staticmethod
    def _space(ax: Any) -> Any:
        if ax is None:
            flat = axes_for(None, (5.6, 5.0))
            figure = flat.figure
            flat.remove()
            return figure.add_subplot(projection="3d")
        if not hasattr(ax, "set_zlabel"):
            raise DataError("EmbeddingDisplay: three coordinates need axes made with projection='3d'.")
        return ax
