r"""The training targets in the leaves of trees: quantile regression forests.

A forest answers with a weighted mean of the training targets, and the same weights give the whole distribution:

.. math:: \hat F(y\mid x) = \sum_i w_i(x)\,[y_i\le y], \qquad
          w_i(x) = \frac1T\sum_t \frac{n_{ti}\,[x_i \in l_t(x)]}{\sum_j n_{tj}\,[x_j \in l_t(x)]}         \quad (1)

with :math:`l_t(x)` the leaf that x reaches in tree t and :math:`n_{ti}` how often row i is in the bag of tree t (its
weight, without bags), so that the mean of (1) is the forest's prediction (Meinshausen 2006, who counts every row once).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.csr import compressed_matrix
from assay.core.stored import CodeArray, FloatArray, OffsetArray
from assay.stats.distributions.predictive import Empirical

__all__ = ["LeafTargets"]


@dataclass(frozen=True, eq=False)
class LeafTargets:
    """Which training rows lie in which leaf, and their targets.

    Attributes
    ----------
    targets : (n,) the training targets, in ascending order
    rows : (N,) places in ``targets``, leaf after leaf; a row that was drawn twice stands twice
    starts : (leaves + 1,) where the rows of each node of all trees begin
    roots : (T + 1,) where the nodes of each tree begin
    weights : (n,) of the targets, or None

    Examples
    --------
    Two trees, the first with one leaf, the second with two:

    >>> import numpy as np
    >>> from assay.trees.leaf_targets import LeafTargets
    >>> leaves = np.array([[0, 1], [0, 1], [0, 2]])
    >>> kept = LeafTargets.of(np.array([5.0, 1.0, 3.0]), leaves, np.array([0, 1, 4]))
    >>> kept.distribution(np.array([[0, 2]])).mean               # (3 + 3) / 2
    array([3.])
    """

    targets: np.ndarray
    rows: np.ndarray
    starts: np.ndarray
    roots: np.ndarray
    weights: np.ndarray | None = None

    stored = {
        "targets": FloatArray("n", finite=True, ascending=True),
        "rows": CodeArray("N", below="n"),
        "starts": OffsetArray("m + 1", end="N"),
        "roots": OffsetArray("t + 1", end="m"),
        "weights": FloatArray("n", low=0, finite=True) | None,
    }
    storable = True

    @classmethod
    def of(
        cls,
        y: np.ndarray,
        leaves: np.ndarray,
        roots: np.ndarray,
        bags: list[np.ndarray] | None = None,
        w: np.ndarray | None = None,
    ) -> LeafTargets:
        """Of training targets y (n,), the leaves (n, T) that the rows reach, and the rows in the bag of each tree."""
        order = np.argsort(y, kind="stable")
        place = np.empty(len(y), np.int32)
        place[order] = np.arange(len(y), dtype=np.int32)
        counts, parts = np.zeros(int(roots[-1]), np.int64), []
        for t in range(leaves.shape[1]):
            bag = np.arange(len(y)) if bags is None else bags[t]
            leaf = leaves[bag, t]
            parts.append(place[bag[np.argsort(leaf, kind="stable")]])
            counts[roots[t] : roots[t + 1]] = np.bincount(leaf, minlength=int(roots[t + 1] - roots[t]))
        starts = np.concatenate(([0], np.cumsum(counts)))
        return cls(
            y[order].astype(np.float64),
            np.concatenate(parts),
            starts,
            np.asarray(roots, np.int64),
            None if w is None else w[order].astype(np.float64),
        )

    def distribution(self, leaves: np.ndarray) -> Empirical:
        """(1) for rows that reach these leaves, (q, T)."""
        q, T = leaves.shape
        nodes = (leaves + self.roots[:-1]).ravel()
        first, size = self.starts[nodes], np.diff(self.starts)[nodes]
        ends = np.cumsum(size)
        at = np.arange(int(ends[-1]) if len(ends) else 0) + np.repeat(first - ends + size, size)
        members = self.rows[at]
        share = np.ones(len(members)) if self.weights is None else self.weights[members]
        total = np.add.reduceat(share, ends - size) if self.weights is not None else size.astype(np.float64)
        share = share / np.repeat(np.where(total > 0, total, 1.0), size) / T
        indptr = np.concatenate(([0], ends[T - 1 :: T]))
        table = compressed_matrix("csr_array", share, members, indptr, (q, len(self.targets)))
        table.sum_duplicates()  # and in the order of the targets
        return Empirical(self.targets[table.indices], table.data, table.indptr)
