"""Chow and Liu's tree: the tree of most mutual information."""

from __future__ import annotations

import numpy as np

from assay.errors import ParameterError, did_you_mean
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.states import StateTable, state_table
from assay.types import TableLike

ROOTED = (
    1e-12  # what a column without a parent costs, so that it takes one that says nothing rather than none
)

__all__ = ["chow_liu_arcs", "mutual_informations", "spanning_tree", "tree_within"]


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


def tree_within(weight: np.ndarray, constraints: Constraints, root: int | None = None) -> np.ndarray:
    """(d,) the parent of each node, -1 for roots, in the forest of largest weight that keeps to the constraints.

    A column has one parent at most. Without constraints it is the spanning tree.
    """
    d, names = len(weight), constraints.names
    if constraints.empty:
        return spanning_tree(weight, root or 0)
    counts = constraints.required.sum(axis=0)
    if root is not None and counts[root]:
        raise ParameterError(f"learn_structure: {names[root]!r} is the root, and an arc to it is required.")
    if (counts > 1).any():
        raise ParameterError(
            f"learn_structure: {int(counts.max())} arcs to {names[int(np.argmax(counts))]!r} are required, and a "
            "column of Chow and Liu's tree has one parent. Search: method='hill climbing'."
        )
    open_to = constraints.allowed & ((counts == 0) | constraints.required)
    whole = np.full((d + 1, d + 1), -np.inf)  # the last node stands above all roots
    whole[:d, :d] = np.where(open_to, weight, -np.inf)
    whole[d, :d] = np.where(counts > 0, -np.inf, -ROOTED)
    if root is not None:
        whole[:d, root] = -np.inf
    parent = _arborescence(whole, d)[:d]
    return np.where(parent == d, -1, parent)


def _arborescence(weight: np.ndarray, root: int) -> np.ndarray:
    """(n,) parents in the directed tree of largest weight, -1 for its root (Chu and Liu, Edmonds).

    Each node takes its best parent; a cycle of such arcs becomes one node, that is entered where this costs least.
    """
    n = len(weight)
    weight = weight.copy()
    weight[np.arange(n), np.arange(n)] = -np.inf
    parent = np.argmax(weight, axis=0)
    parent[root] = -1
    cycle = _cycle(parent)
    if not len(cycle):
        return parent
    others = np.setdiff1d(np.arange(n), cycle)
    m = len(others)
    into = weight[np.ix_(others, cycle)] - weight[parent[cycle], cycle]
    out = weight[np.ix_(cycle, others)]
    small = np.full((m + 1, m + 1), -np.inf)
    small[:m, :m] = weight[np.ix_(others, others)]
    small[:m, m], small[m, :m] = into.max(axis=1), out.max(axis=0)
    solved = _arborescence(small, int(np.searchsorted(others, root)))
    entry = int(solved[m])
    entered = int(cycle[np.argmax(into[entry])])
    for j, p in enumerate(solved[:m]):
        parent[others[j]] = -1 if p < 0 else cycle[np.argmax(out[:, j])] if p == m else others[p]
    parent[entered] = others[entry]
    return parent


def _cycle(parent: np.ndarray) -> np.ndarray:
    """The nodes of a cycle of parents, in order; none if there is none."""
    begun_at = np.full(len(parent), -1)
    for start in range(len(parent)):
        node = start
        while node >= 0 and begun_at[node] < 0:
            begun_at[node] = start
            node = int(parent[node])
        if node >= 0 and begun_at[node] == start:
            around, at = [node], int(parent[node])
            while at != node:
                around.append(at)
                at = int(parent[at])
            return np.sort(around)
    return np.zeros(0, np.int64)
