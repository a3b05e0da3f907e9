"""Which pixels of a picture speak for an answer, and which against it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.plots.canvas import pyplot
from assay.types import Axes, Estimator, TableLike

__all__ = ["SaliencyDisplay"]


class SaliencyDisplay:
    """Pictures beside what each of their pixels adds to the answer: red speaks for it, blue against it.

    The contributions are those of ``explain``: for networks integrated gradients, which add up to the score of the
    answer less that of a mean picture. All pictures share one scale, white at 0.

    Parameters
    ----------
    pictures : (m, h w) one picture each
    contributions : (m, h w) what their pixels add
    shape : (h, w); None takes the root of the number of pixels
    answers : m names of what is explained

    Attributes
    ----------
    shape, axes_, figure_ : the last two after ``plot``

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from assay.neural import MLPClassifier
    >>> from assay.plots import SaliencyDisplay
    >>> X, y = load_digits(n_class=3, return_X_y=True)
    >>> model = MLPClassifier(8, learning_rate="cosine", max_iter=30, random_state=0).fit(X, y)
    >>> display = SaliencyDisplay.of(model, X[:2])
    >>> display.shape, display.contributions.shape
    ((8, 8), (2, 64))

    See Also
    --------
    ComponentPicturesDisplay, NetworkDisplay

    References
    ----------
    - Simonyan, K., Vedaldi, A. and Zisserman, A. (2014). Deep inside convolutional networks: visualising image
      classification models and saliency maps. arXiv:1312.6034
    """

    def __init__(
        self,
        pictures: ArrayLike,
        contributions: ArrayLike,
        shape: tuple[int, int] | None = None,
        answers: Any = (),
    ):
        self.pictures = np.atleast_2d(np.asarray(pictures, dtype=float))
        self.contributions = np.atleast_2d(np.asarray(contributions, dtype=float))
        if self.pictures.shape != self.contributions.shape:
            raise DataError(
                f"SaliencyDisplay: pictures have the shape {self.pictures.shape}, contributions "
                f"{self.contributions.shape}."
            )
        pixels = self.pictures.shape[1]
        if shape is None:
            side = round(pixels**0.5)
            if side * side != pixels:
                raise ParameterError(f"SaliencyDisplay: {pixels} pixels are no square. Give shape=(h, w).")
            shape = (side, side)
        if shape[0] * shape[1] != pixels:
            raise DataError(f"SaliencyDisplay: {pixels} pixels do not fill {shape[0]} x {shape[1]}.")
        self.shape, self.answers = (int(shape[0]), int(shape[1])), [str(answer) for answer in answers]

    @classmethod
    def of(cls, estimator: Estimator, X: TableLike, shape: tuple[int, int] | None = None) -> Self:
        """The pictures of X and what their pixels add to the answers of a fitted learner.

        Parameters
        ----------
        estimator : fitted learner whose ``explain`` has contributions
        X : (m, h w) some pictures
        shape : (h, w); None takes the root of the number of pixels
        """
        if not hasattr(estimator, "_explain_table"):
            raise ParameterError(f"SaliencyDisplay: {type(estimator).__name__} has no explain.")
        reasons = estimator._explain_table(X)
        known = reasons.contributions()
        if known is None:
            raise ParameterError(
                f"SaliencyDisplay: {type(estimator).__name__} does not say what each column contributes."
            )
        return cls(np.asarray(X, dtype=float), known.of_answers()[0], shape, reasons.answers)

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, X: TableLike, shape: tuple[int, int] | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw them; parameters as of ``of`` and ``plot``."""
        return cls.of(estimator, X, shape).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the pictures in the first line and the contributions in the second; ``ax``: two axes for each."""
        m = len(self.pictures)
        if ax is None:
            plt = pyplot()
            _, ax = plt.subplots(2, m, figsize=(1.6 * m, 3.4), layout="constrained", squeeze=False)
        self.axes_ = list(np.ravel(np.asarray(ax, dtype=object)))
        if len(self.axes_) < 2 * m:
            raise ParameterError(
                f"SaliencyDisplay: {len(self.axes_)} axes for {m} pictures, {2 * m} are needed."
            )
        most = float(np.abs(self.contributions).max()) or 1.0
        for k in range(m):
            above, below = self.axes_[k], self.axes_[m + k]
            above.imshow(self.pictures[k].reshape(self.shape), cmap="gray_r", interpolation="nearest")
            signed = self.contributions[k].reshape(self.shape)
            below.imshow(signed, cmap="RdBu_r", vmin=-most, vmax=most, interpolation="nearest")
            if k < len(self.answers):
                above.set_title(self.answers[k], fontsize="small")
        for axis in self.axes_:
            axis.set_axis_off()
        self.figure_ = self.axes_[0].figure
        return self
