"""Outlier detection by hierarchical clustering: rows that are merged with the others last."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from assay.core.parameters import check_count
from assay.distances.metric import metric_of
from assay.errors import DataError
from assay.tables import RowNames
from assay.types import MetricLike, TableLike

__all__ = ["LateMerges", "late_merges"]


@dataclass(frozen=True, eq=False)
class LateMerges:
    """When each row joined a group of some size.

    Attributes
    ----------
    height : (n,) the height at which the group of each row first had more than ``max_size`` rows
    group : (n,) the number of the small group that each row was in just before; equal for rows that joined together
    max_size : int
    merges : (n - 1, 4) the hierarchy, as SciPy's ``linkage`` gives it
    """

    height: np.ndarray
    group: np.ndarray
    max_size: int
    merges: np.ndarray
    row_names: RowNames = field(default_factory=RowNames)

    @property
    def order(self) -> np.ndarray:
        """The rows, from the last to join to the first; among equals the lower row first."""
        return np.argsort(-self.height, kind="stable")

    def above(self, height: float) -> np.ndarray:
        """The rows that joined the others only above this height."""
        return np.flatnonzero(self.height > height)

    def __str__(self) -> str:
        first = self.order[0]
        usual = np.median(self.height)
        return f"{self.row_names(int(first))} joins last, at height {self.height[first]:.4g} (median {usual:.4g})"


def late_merges(
    X: TableLike,
    *,
    method: Literal["single", "complete", "average", "ward", "centroid", "median", "weighted"] = "single",
    metric: MetricLike = "euclidean",
    max_size: int = 1,
) -> LateMerges:
    """Find the rows that hierarchical clustering merges with the others last.

    Rows are merged two groups at a time, the nearest first. An outlier, or a small group of them, stays by itself
    until the height is large: the score of a row is the height at which its group outgrows ``max_size``. Cost: O(n^2)
    time and memory.

    Parameters
    ----------
    X : (n, d) numbers, or with ``metric="precomputed"`` (n, n) distances
    method : how far two groups are apart, as in ``scipy.cluster.hierarchy.linkage``
    metric : as in :func:`assay.distances.metric_of`
    max_size : int
        The most rows that a group of outliers has.

    Examples
    --------
    >>> from assay.outliers.late_merges import late_merges
    >>> result = late_merges([[0.0], [1.0], [2.0], [9.0], [3.0]])
    >>> print(result, result.above(2.0))
    row 4 joins last, at height 6 (median 1) [3]

    See Also
    --------
    NeighborDistanceOutliers, LocalOutlierFactor

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2 or len(rows) < 2 or not np.isfinite(rows).all():
        raise DataError(
            f"late_merges: expected a table of at least two rows of finite numbers, got shape {rows.shape}."
        )
    check_count("late_merges", "max_size", max_size, low=1, high=len(rows) - 1)
    apart = rows if metric == "precomputed" else metric_of(metric).learn(rows).between(rows, rows)
    if apart.shape != (len(rows),) * 2:
        raise DataError(f"late_merges: distances must form a square table, got shape {apart.shape}.")
    merges = linkage(squareform((apart + apart.T) / 2, checks=False), method=method)
    n = len(rows)
    members: dict[int, np.ndarray] = {i: np.array([i]) for i in range(n)}
    height, group = np.full(n, np.nan), np.full(n, -1)
    for step, (a, b, at, size) in enumerate(merges):
        parts = [members.pop(int(a)), members.pop(int(b))]
        if size > max_size:
            for which, part in zip((int(a), int(b)), parts):
                new = part[np.isnan(height[part])]
                height[new], group[new] = at, which
        members[n + step] = np.concatenate(parts)
    return LateMerges(height, group, int(max_size), merges, RowNames.of(X))
