"""Components, or rows, as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.plots.canvas import pyplot
from assay.types import Axes, Estimator, TableLike

__all__ = ["ComponentPicturesDisplay"]


class ComponentPicturesDisplay:
    """Vectors of pixels as pictures, side by side: eigenfaces, eigendigits, nonnegative parts, reconstructions.

    Pictures with values of both signs share a scale that is white at 0; others run from white (0) to black.

    Parameters
    ----------
    vectors : (m, h w) one picture each
    shape : (h, w); None takes the root of the number of pixels
    titles : (m,) above the pictures
    signed : whether values below 0 have a colour of their own; None if there are any

    Attributes
    ----------
    shape, axes_, figure_ : the last two after ``plot``

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from assay.plots import ComponentPicturesDisplay
    >>> from assay.reduce import PCA
    >>> ComponentPicturesDisplay(PCA(3).fit(load_digits().data).components_).shape
    (8, 8)

    See Also
    --------
    ScreeDisplay, BiplotDisplay
    """

    def __init__(
        self,
        vectors: ArrayLike,
        shape: tuple[int, int] | None = None,
        titles: Sequence[str] = (),
        signed: bool | None = None,
    ):
        self.vectors = np.atleast_2d(np.asarray(vectors, dtype=float))
        pixels = self.vectors.shape[1]
        below = bool(self.vectors.min() < -1e-9 * np.abs(self.vectors).max())
        self.signed = below if signed is None else signed
        if shape is None:
            side = round(pixels**0.5)
            if side * side != pixels:
                raise ParameterError(
                    f"ComponentPicturesDisplay: {pixels} pixels are no square. Give shape=(h, w)."
                )
            shape = (side, side)
        if shape[0] * shape[1] != pixels:
            raise DataError(f"ComponentPicturesDisplay: {pixels} pixels do not fill {shape[0]} x {shape[1]}.")
        self.shape, self.titles = (int(shape[0]), int(shape[1])), [str(title) for title in titles]

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        shape: tuple[int, int] | None = None,
        n_components: int = 10,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the first components of a fitted learner with ``components_``."""
        if not hasattr(estimator, "components_"):
            raise ParameterError(
                f"ComponentPicturesDisplay: {type(estimator).__name__} has no components_. Fit a PCA or an NMF first."
            )
        vectors = np.asarray(estimator.components_)[:n_components]
        return cls(vectors, shape, [str(k + 1) for k in range(len(vectors))]).plot(ax)

    @classmethod
    def from_reconstruction(
        cls,
        estimators: Sequence[Any],
        X: TableLike,
        shape: tuple[int, int] | None = None,
        ax: Axes | None = None,
        columns: int = 6,
    ) -> Self:
        """Draw one row of X and what each fitted learner gives back of it, from few components to many."""
        row = np.atleast_2d(np.asarray(X, dtype=float))[:1]
        back = [np.asarray(e.inverse_transform(e.transform(row)))[0] for e in estimators]
        titles = ["the row", *[f"k = {np.asarray(e.transform(row)).shape[1]}" for e in estimators]]
        return cls(np.vstack([row, *back]), shape, titles, bool(row.min() < 0)).plot(ax, columns)

    def plot(self, ax: Any = None, columns: int = 5) -> Self:
        """Draw the pictures in rows of so many columns; ``ax``: as many axes as pictures."""
        m = len(self.vectors)
        if ax is None:
            plt = pyplot()
            columns = min(columns, m)
            lines = -(-m // columns)
            size = (1.5 * columns, 1.7 * lines)
            _, ax = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False)
        self.axes_ = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(self.axes_) < m:
            raise ParameterError(f"ComponentPicturesDisplay: {len(self.axes_)} axes for {m} pictures.")
        most = float(np.abs(self.vectors).max()) or 1.0
        for k, axis in enumerate(self.axes_):
            axis.set_axis_off()
            if k >= m:
                continue
            picture = self.vectors[k].reshape(self.shape)
            if self.signed:
                axis.imshow(picture, cmap="RdBu_r", vmin=-most, vmax=most, interpolation="nearest")
            else:
                axis.imshow(picture, cmap="gray_r", vmin=0, vmax=most, interpolation="nearest")
            if k < len(self.titles):
                axis.set_title(self.titles[k], fontsize="small")
        self.figure_ = self.axes_[0].figure
        return self
