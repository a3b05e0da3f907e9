"""Chow and Liu's tree: the tree of most mutual information."""

from __future__ import annotations

import numpy as np

from assay.errors import ParameterError, did_you_mean
from assay.graphs.learning.states import StateTable, state_table
from assay.types import TableLike

__all__ = ["chow_liu_arcs", "mutual_informations", "spanning_tree"]


def chow_liu_arcs(
    X: TableLike, root: str | None = None, *, cuts: int | None = None, missing: str = "raise"
) -> list[tuple[str, str]]:
    """The arcs of the tree that is nearest to the joint distribution, directed away from a root.

    Of all trees it has the largest likelihood: the spanning tree with the largest sum of mutual informations.

    Parameters
    ----------
    X : table      root : name, default the first column
    cuts : number of intervals of numeric columns      missing : "raise" or "state"

    Examples
    --------
    >>> from assay.graphs import chow_liu_arcs, load_network
    >>> chow_liu_arcs(load_network("wet grass chain").sample(2000, random_state=0))
    [('cloudy', 'rain'), ('rain', 'wet')]

    References
    ----------
    - Chow, C. K. and Liu, C. N. (1968). Approximating discrete probability distributions with dependence trees. IEEE
      Transactions on Information Theory 14, 462-467. doi:10.1109/TIT.1968.1054142
    """
    data = state_table(X, "chow_liu_arcs", cuts, missing)
    if root is not None and root not in data.names:
        raise ParameterError(f"chow_liu_arcs: there is no column {root!r}.{did_you_mean(root, data.names)}")
    start = 0 if root is None else data.names.index(root)
    parent = spanning_tree(mutual_informations(data), start)
    order = sorted((j for j in range(len(parent)) if parent[j] >= 0), key=lambda j: _depth(parent, j))
    return [(data.names[parent[j]], data.names[j]) for j in order]


def _depth(parent: np.ndarray, j: int) -> int:
    depth = 0
    while parent[j] >= 0:
        j, depth = int(parent[j]), depth + 1
    return depth


def mutual_informations(data: StateTable) -> np.ndarray:
    """(d, d) the mutual information of each pair of columns, in nats."""
    from scipy.special import xlogy

    n, start = data.codes.shape[1], np.concatenate([[0], np.cumsum(data.cards)])
    counts = np.zeros((int(start[-1]), int(start[-1])))
    for a in range(0, n, 1 << 16):
        block = data.codes[:, a : a + (1 << 16)]
        hot = np.zeros((block.shape[1], int(start[-1])), np.float32)
        hot[np.arange(block.shape[1])[:, None], block.T.astype(np.int64) + start[:-1]] = 1.0
        counts += hot.T @ hot
    p = counts / n
    single = np.diag(p)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = xlogy(p, p) - xlogy(p, single[:, None]) - xlogy(p, single[None, :])
    return np.maximum(np.add.reduceat(np.add.reduceat(terms, start[:-1], axis=0), start[:-1], axis=1), 0.0)


def spanning_tree(weight: np.ndarray, root: int = 0) -> np.ndarray:
    """(d,) the parent of each node in a spanning tree of largest weight, -1 for the root (Prim)."""
    d = len(weight)
    parent, best = np.full(d, -1), np.full(d, -np.inf)
    inside = np.zeros(d, bool)
    node = root
    for _ in range(d):
        inside[node] = True
        better = ~inside & (weight[node] > best)
        best[better], parent[better] = weight[node][better], node
        if inside.all():
            break
        node = int(np.argmax(np.where(inside, -np.inf, best)))
    return parent
