"""The way of k-means, one panel an iteration; and the components of a mixture with their boundary."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import pyplot
from assay.types import Estimator, TableLike

__all__ = ["ClusterPathDisplay", "MixtureDisplay"]

PANELS = 4
GRID = 200  # points of a contour plot on each axis
LEVELS = (1.0, 2.0)  # deviations at which the ellipses of a component lie


def _two_columns(X: TableLike, who: str) -> np.ndarray:
    rows = np.asarray(X, dtype=float)
    if rows.ndim != 2 or rows.shape[1] != 2 or not np.isfinite(rows).all():
        raise ParameterError(f"{who}: expected two columns of numbers.")
    return rows


class ClusterPathDisplay:
    """Panels of rows in the colours of their nearest centre, and the centres as crosses: the start, then iterations.

    Parameters
    ----------
    X : (n, 2)
    paths : list of (k, 2), the centres at the beginning and after each iteration
    panels : int, default 4

    Attributes
    ----------
    figure_, axes_ : after ``plot``

    Examples
    --------
    >>> from assay.cluster import KMeans
    >>> from assay.plots import ClusterPathDisplay
    >>> X = [[0.0, 0.0], [0.0, 1.0], [4.0, 0.0], [4.0, 1.0]]
    >>> model = KMeans(2, init=[[0.0, 0.0], [0.0, 1.0]], keep_path=True).fit(X)
    >>> len(ClusterPathDisplay(X, [r["centers"] for r in model.history_]).paths)
    3

    See Also
    --------
    KMeans, MixtureDisplay
    """

    def __init__(self, X: TableLike, paths: list[Any], panels: int = PANELS):
        self.rows = _two_columns(X, "ClusterPathDisplay")
        self.paths = [np.asarray(centers, dtype=float) for centers in paths]
        if not self.paths or any(c.ndim != 2 or c.shape[1] != 2 for c in self.paths):
            raise ParameterError("ClusterPathDisplay: paths must be a list of (k, 2) centres.")
        self.panels = panels

    @classmethod
    def from_estimator(cls, estimator: Estimator, X: TableLike, panels: int = PANELS) -> Self:
        """Draw the way of a KMeans that was fitted with ``keep_path=True``.

        Parameters
        ----------
        estimator : fitted
        X : (n, 2) its training rows
        panels : int
        """
        history = getattr(estimator, "history_", [])
        if not history or "centers" not in history[0]:
            raise ParameterError("ClusterPathDisplay: fit KMeans with keep_path=True first.")
        return cls(X, [record["centers"] for record in history], panels).plot()

    def plot(self, axes: Any = None) -> Self:
        """Draw the panels."""
        chosen = self.paths[: self.panels]
        if axes is None:
            plt = pyplot()
            many = len(chosen)
            columns = min(many, 2) if many <= 4 else 4
            lines = -(-many // columns)
            size = (4.2 * columns, 3.6 * lines)
            _, axes = plt.subplots(lines, columns, figsize=size, layout="constrained", squeeze=False)
        panels = list(np.ravel(axes))
        for i, (ax, centers) in enumerate(zip(panels, chosen)):
            nearest = ((self.rows[:, None] - centers[None]) ** 2).sum(axis=2).argmin(axis=1)
            for k in range(len(centers)):
                part = self.rows[nearest == k]
                ax.scatter(part[:, 0], part[:, 1], s=9, color=class_colour(k % 10), alpha=0.6, linewidths=0)
                ax.scatter(*centers[k], marker="x", s=90, linewidths=2.2, color=class_colour(k % 10))
            ax.set(title="start" if i == 0 else f"after {i} iteration{'s' if i > 1 else ''}")
        for ax in panels[len(chosen) :]:
            ax.set_visible(False)
        self.axes_, self.figure_ = panels, panels[0].figure
        return self


class MixtureDisplay:
    """Rows in the colours of their most probable component, ellipses of the components, and where two weigh the same.

    Parameters
    ----------
    X : (n, 2)
    mixture : fitted GaussianMixture or BayesianGaussianMixture of these columns

    Attributes
    ----------
    labels_ : (n,)      figure_, ax_ : after ``plot``

    Examples
    --------
    >>> from assay.mixture import GaussianMixture
    >>> from assay.plots import MixtureDisplay
    >>> X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [8.0, 9.0], [9.0, 9.0], [9.0, 8.0]]
    >>> model = GaussianMixture(2, random_state=0).fit(X)
    >>> len(set(MixtureDisplay(X, model).labels_.tolist()))
    2

    See Also
    --------
    ClusterPathDisplay, DensityDisplay
    """

    def __init__(self, X: TableLike, mixture: Any):
        self.rows = _two_columns(X, "MixtureDisplay")
        if not hasattr(mixture, "covariances_"):
            raise ParameterError("MixtureDisplay: expected a fitted mixture of Gaussians.")
        self.mixture = mixture
        self.labels_ = np.asarray(mixture.predict(self.rows))

    def plot(self, ax: Any = None) -> Self:
        """Draw rows, ellipses at one and two deviations, and the curve between components (dashed)."""
        if ax is None:
            plt = pyplot()
            _, ax = plt.subplots(figsize=(5.6, 4.6), layout="constrained")
        model: Any = self.mixture
        turn = np.linspace(0, 2 * np.pi, 200)
        circle = np.array([np.cos(turn), np.sin(turn)])
        for k, mean in enumerate(model.means_):
            part = self.rows[self.labels_ == k]
            ax.scatter(part[:, 0], part[:, 1], s=10, color=class_colour(k % 10), alpha=0.6, linewidths=0)
            covariance = model._form.of_component(model.covariances_, k, 2)
            root = np.linalg.cholesky(covariance)
            for level in LEVELS:
                curve = mean[:, None] + level * root @ circle
                ax.plot(*curve, color=class_colour(k % 10), linewidth=1.3)
        low, high = self.rows.min(axis=0), self.rows.max(axis=0)
        pad = 0.08 * (high - low)
        x, y = (np.linspace(low[j] - pad[j], high[j] + pad[j], GRID) for j in (0, 1))
        grid = np.column_stack([v.ravel() for v in np.meshgrid(x, y)])
        shares = model.predict_proba(grid)
        for k in range(shares.shape[1]):
            ax.contour(
                x, y, shares[:, k].reshape(GRID, GRID), [0.5], colors="k", linewidths=0.9, linestyles="--"
            )
        ax.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
        self.ax_, self.figure_ = ax, ax.figure
        return self
