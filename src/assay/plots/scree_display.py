"""Variances of components and their cumulative share."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import pyplot
from assay.plots.looks import FAINT
from assay.types import Axes, Estimator

__all__ = ["ScreeDisplay"]

USUAL_SHARE = 0.9


class ScreeDisplay:
    """The scree graph: the variance of each component on the left, the share of the first k on the right.

    Components before the elbow of the graph, or enough of them for a share of the variance, are worth keeping.

    Parameters
    ----------
    variances : (k,) of the components, the largest first
    total : the variance of all components; None is the sum
    share : the share that a dashed line marks, default 0.9

    Attributes
    ----------
    number_ : the fewest components that reach the share, None if these do not
    figure_, axes_ : after ``plot``

    Examples
    --------
    >>> from assay.plots import ScreeDisplay
    >>> ScreeDisplay([4.228242, 0.242671, 0.078210, 0.023835]).number_
    1

    See Also
    --------
    BiplotDisplay, ComponentPicturesDisplay
    """

    def __init__(self, variances: ArrayLike, total: float | None = None, share: float = USUAL_SHARE):
        values = np.asarray(variances, dtype=float)
        if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or values.min() < 0:
            raise ParameterError("ScreeDisplay: variances must be numbers from 0 up.")
        if not 0 < share < 1:
            raise ParameterError(f"ScreeDisplay: share must lie between 0 and 1, got {share}.")
        self.variances, self.share = values, share
        self.total = float(values.sum() if total is None else total)
        self.cumulative = np.cumsum(values) / self.total if self.total > 0 else np.zeros(len(values))
        reached = np.flatnonzero(self.cumulative >= share - 1e-12)
        self.number_ = int(reached[0]) + 1 if len(reached) else None

    @classmethod
    def from_estimator(cls, estimator: Estimator, share: float = USUAL_SHARE, ax: Axes | None = None) -> Self:
        """Draw the scree graph of a fitted PCA or another learner with ``explained_variance_``.

        Parameters
        ----------
        estimator : fitted, with explained_variance_ and explained_variance_ratio_; a kernel PCA has eigenvalues_
        share : the share that is marked
        ax : two matplotlib axes, or None for a new figure
        """
        name = next((n for n in ("explained_variance_", "eigenvalues_") if hasattr(estimator, n)), None)
        if name is None:
            raise ParameterError(
                f"ScreeDisplay: {type(estimator).__name__} has no variances of components. Fit a PCA first."
            )
        values = np.asarray(getattr(estimator, name), dtype=float)
        ratios = np.asarray(
            getattr(estimator, "explained_variance_ratio_", values / values.sum()), dtype=float
        )
        total = float(values.sum() / ratios.sum()) if ratios.sum() > 0 else None
        return cls(values, total, share).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw both curves on two axes."""
        if ax is None:
            plt = pyplot()
            _, ax = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
        left, right = self.axes_ = list(ax)
        k = np.arange(1, len(self.variances) + 1)
        marker = "o" if len(k) <= 30 else ""
        left.plot(k, self.variances, color=class_colour(0), marker=marker, markersize=4)
        left.set(xlabel="component", ylabel="variance (eigenvalue)", ylim=(0, None), title="Scree graph")
        right.plot(k, self.cumulative, color=class_colour(0), marker=marker, markersize=4)
        right.axhline(self.share, linestyle="--", color=FAINT, linewidth=1)
        if self.number_ is not None:
            right.axvline(self.number_, linestyle="--", color=FAINT, linewidth=1)
            right.annotate(
                f"{self.number_} for {self.share:.0%}",
                (self.number_, self.share),
                xytext=(6, -14),
                textcoords="offset points",
            )
        right.set(
            xlabel="components", ylabel="share of the variance", ylim=(0, 1.03), title="Cumulative share"
        )
        self.figure_ = left.figure
        return self
