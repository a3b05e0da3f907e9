"""Silhouettes of all rows, group by group."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.cluster.quality import silhouette_samples
from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import pyplot
from assay.plots.looks import FAINT
from assay.types import Axes, Estimator, Labels, MetricLike, TableLike

__all__ = ["SilhouetteDisplay"]


class SilhouetteDisplay:
    """A bar for each row, as long as its silhouette, sorted within groups; a dashed line marks the mean.

    A group of long bars is well apart from the others; bars below 0 are rows nearer to another group.

    Parameters
    ----------
    values : (n,) silhouettes, as of :func:`~assay.cluster.silhouette_samples`
    labels : (n,) groups

    Attributes
    ----------
    mean_ : float      means_ : dict, of each group      figure_, ax_ : after ``plot``

    Examples
    --------
    >>> from assay.plots import SilhouetteDisplay
    >>> SilhouetteDisplay([0.9, 0.7, 0.5], ["a", "a", "b"]).means_
    {'a': 0.8, 'b': 0.5}

    See Also
    --------
    DendrogramDisplay, silhouette_score
    """

    def __init__(self, values: ArrayLike, labels: Labels):
        self.values = np.asarray(values, dtype=float)
        self.labels = np.asarray(labels)
        if self.values.ndim != 1 or self.values.shape != self.labels.shape or not len(self.values):
            raise ParameterError("SilhouetteDisplay: expected as many silhouettes as labels.")
        self.mean_ = float(self.values.mean())
        groups = [v.item() for v in np.unique(self.labels)]
        self.means_ = {g: round(float(self.values[self.labels == g].mean()), 12) for g in groups}

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, X: TableLike, metric: MetricLike = "euclidean", ax: Axes | None = None
    ) -> Self:
        """Draw the silhouettes of the groups of a fitted clusterer.

        Parameters
        ----------
        estimator : fitted, with labels_
        X : the training rows
        metric : as silhouette_samples
        ax : matplotlib axes, or None for a new figure
        """
        labels = getattr(estimator, "labels_", None)
        if labels is None:
            raise ParameterError(
                f"SilhouetteDisplay: {type(estimator).__name__} has no labels_. Fit it first."
            )
        return cls(silhouette_samples(X, labels, metric=metric), labels).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the bars."""
        if ax is None:
            plt = pyplot()
            _, ax = plt.subplots(figsize=(6.5, 4.5), layout="constrained")
        base, gap = 0, max(len(self.values) // 50, 1)
        ticks, names = [], []
        for i, (group, mean) in enumerate(self.means_.items()):
            bars = np.sort(self.values[self.labels == group])[::-1]
            rows = np.arange(base, base + len(bars))
            ax.barh(rows, bars, height=1.0, color=class_colour(i % 10), linewidth=0)
            ticks.append(float(rows.mean()))
            names.append(f"{group}  ({len(bars)} rows, {mean:.2f})")
            base += len(bars) + gap
        ax.axvline(self.mean_, linestyle="--", color=FAINT, linewidth=1)
        ax.set_yticks(ticks, names)
        ax.invert_yaxis()
        ax.set(xlabel="silhouette", title=f"mean {self.mean_:.3f}", xlim=(min(-0.05, self.values.min()), 1))
        for side in ("top", "right", "left"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
