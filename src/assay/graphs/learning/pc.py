"""The PC algorithm: a structure from tests of independence."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.equivalence import PartialGraph, meek_closure
from assay.graphs.learning.scores import FamilyScorer
from assay.graphs.learning.states import StateTable

__all__ = ["pc_graph"]


def pc_graph(
    data: StateTable,
    constraints: Constraints,
    alpha: float = 0.05,
    max_given: int = 3,
    weights: np.ndarray | None = None,
) -> tuple[PartialGraph, list[dict[str, object]]]:
    r"""Edges whose ends no set of neighbours makes independent, directed by colliders and what follows from them.

    Independence is tested by the likelihood ratio, :math:`G^2 = 2 N I(x; y | z)` with
    :math:`(r_x - 1)(r_y - 1) q_z` degrees of freedom. The order of the columns does not matter: neighbours are those
    at the beginning of each level (Colombo and Maathuis).
    """
    from scipy.special import chdtrc

    d = len(data.names)
    scorer = FamilyScorer(data, "log-likelihood", weights=weights)
    adjacent = (constraints.allowed | constraints.allowed.T) & ~np.eye(d, dtype=bool)
    separators: dict[tuple[int, int], tuple[int, ...]] = {}
    tests: list[dict[str, object]] = []
    for size in range(max_given + 1):
        before = adjacent.copy()
        if not (before.sum(axis=1) > size).any():
            break
        for x, y in np.argwhere(np.triu(before)):
            if constraints.required[x, y] or constraints.required[y, x]:
                continue
            for z in _sets(before, int(x), int(y), size):
                gain = scorer.with_each(int(x), z, np.array([-1, int(y)]))
                if not np.isfinite(gain).all():
                    continue
                q = int(np.prod(data.cards[list(z)], dtype=np.int64)) if z else 1
                freedom = int((data.cards[x] - 1) * (data.cards[y] - 1)) * q
                statistic = max(2.0 * float(gain[1] - gain[0]), 0.0)
                p = float(chdtrc(freedom, statistic)) if freedom else 1.0
                if p > alpha:
                    adjacent[x, y] = adjacent[y, x] = False
                    separators[int(x), int(y)] = tuple(z)
                    names = [data.names[k] for k in z]
                    tests.append(
                        {
                            "a": data.names[x],
                            "b": data.names[y],
                            "given": names,
                            "statistic": statistic,
                            "p": p,
                        }
                    )
                    break
    matrix = adjacent & constraints.allowed
    matrix &= ~constraints.required.T
    for k in range(d):
        for i, j in combinations(np.flatnonzero(adjacent[k]), 2):
            if adjacent[i, j] or k in separators.get((int(i), int(j)), ()):
                continue
            if matrix[i, k] and matrix[j, k]:  # i -> k <- j
                matrix[k, i] = matrix[k, j] = False
    return PartialGraph.of(data.names, meek_closure(matrix)), tests


def _sets(adjacent: np.ndarray, x: int, y: int, size: int) -> list[tuple[int, ...]]:
    """Sets of neighbours of either end, without the other end."""
    listed: dict[tuple[int, ...], None] = {}
    for a, b in ((x, y), (y, x)):
        around = [int(k) for k in np.flatnonzero(adjacent[a]) if k != b]
        listed.update(dict.fromkeys(combinations(around, size)))
    return list(listed)
