"""The tree of merges, with a cut."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.cluster.hierarchy import MergeTree
from assay.core.palette import class_colour
from assay.errors import ParameterError
from assay.plots.canvas import pyplot
from assay.plots.looks import FAINT
from assay.types import Axes, Estimator

__all__ = ["DendrogramDisplay"]

MOST_NAMES = 60  # rows that are named below the tree


class DendrogramDisplay:
    """A dendrogram: rows below, each merge a bracket at its height, groups of a cut in colours.

    Rows are put into an order in which no branches cross.

    Parameters
    ----------
    tree : MergeTree
    height : float, default None
        Where it is cut: a dashed line, and a colour for each group below it.
    n_groups : int, default None
        Instead of a height: the groups that remain when the last merges are undone.

    Attributes
    ----------
    labels_ : (n,) groups of the cut, or zeros      figure_, ax_ : after ``plot``

    Examples
    --------
    >>> from assay.cluster import merge_rows
    >>> from assay.plots import DendrogramDisplay
    >>> tree = merge_rows([[0, 0], [1, 0], [5, 0], [5, 2], [3, 6], [7, 1]], "single", names="abcdef")
    >>> DendrogramDisplay(tree, height=3).labels_.tolist()
    [0, 0, 1, 1, 2, 1]

    See Also
    --------
    SilhouetteDisplay, MergeTree
    """

    def __init__(self, tree: MergeTree, height: float | None = None, n_groups: int | None = None):
        if not isinstance(tree, MergeTree):
            raise ParameterError("DendrogramDisplay: expected a MergeTree, such as merge_rows makes.")
        self.tree = tree
        if n_groups is not None:
            if height is not None:
                raise ParameterError("DendrogramDisplay: give height or n_groups, not both.")
            ordered = np.sort(tree.heights)
            k = len(ordered) - (n_groups - 1)
            low, high = (
                (ordered[k - 1] if k > 0 else 0.0),
                (ordered[k] if k < len(ordered) else ordered[-1] * 1.05),
            )
            height = float(0.5 * (low + high))
            self.labels_ = tree.cut(n_groups)
        else:
            self.labels_ = (
                np.zeros(tree.n_rows, dtype=np.int64) if height is None else tree.cut(height=height)
            )
        self.height = height

    @classmethod
    def from_estimator(
        cls, estimator: Estimator, n_groups: int | None = None, ax: Axes | None = None
    ) -> Self:
        """Draw the tree of a fitted AgglomerativeClustering, HDBSCAN, Genie or DivisiveClustering.

        Parameters
        ----------
        estimator : fitted, with tree_
        n_groups : groups in colours; None takes the estimator's
        ax : matplotlib axes, or None for a new figure
        """
        tree = getattr(estimator, "tree_", None)
        if tree is None:
            raise ParameterError(f"DendrogramDisplay: {type(estimator).__name__} has no tree_. Fit it first.")
        return cls(tree, n_groups=n_groups or getattr(estimator, "n_clusters_", None)).plot(ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw the tree."""
        plt = pyplot()
        from matplotlib.collections import LineCollection

        if ax is None:
            _, ax = plt.subplots(figsize=(7.5, 4), layout="constrained")
        tree, n = self.tree, self.tree.n_rows
        order = tree.order()
        place = np.empty(2 * n - 1)
        place[order] = np.arange(n)
        level = np.zeros(2 * n - 1)
        group = np.concatenate([self.labels_, np.full(n - 1, -1)])
        lines, colours = [], []
        for m, (a, b) in enumerate(tree.merges.tolist()):
            height = float(tree.heights[m])
            lines.append([(place[a], level[a]), (place[a], height), (place[b], height), (place[b], level[b])])
            together = (
                group[a] == group[b] and group[a] >= 0 and (self.height is None or height <= self.height)
            )
            group[n + m] = group[a] if together else -1
            colours.append(
                class_colour(int(group[a]) % 10) if together and self.height is not None else FAINT
            )
            place[n + m], level[n + m] = 0.5 * (place[a] + place[b]), height
        ax.add_collection(LineCollection(lines, colors=colours, linewidths=1.2))
        if self.height is not None:
            ax.axhline(self.height, linestyle="--", color=FAINT, linewidth=1)
        ax.set(xlim=(-0.7, n - 0.3), ylim=(0, float(tree.heights.max(initial=1.0)) * 1.06), ylabel="height")
        if n <= MOST_NAMES:
            names = order if tree.names is None else [tree.names[i] for i in order]
            ax.set_xticks(np.arange(n), [str(name) for name in names], rotation=0 if n <= 20 else 90)
        else:
            ax.set(xticks=[], xlabel=f"{n} rows")
        for side in ("top", "right", "bottom"):
            ax.spines[side].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self
