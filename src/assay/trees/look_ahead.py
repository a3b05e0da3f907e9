"""Choosing a split by what can be reached in several steps, not in one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assay.trees.node_measures import Floats, RowIndices
from assay.trees.split_search import Split, SplitSearch, first_best

__all__ = ["best_split_ahead"]


def best_split_ahead(
    search: SplitSearch, X: Floats, rows: RowIndices, w: Floats, before: float, steps: int
) -> tuple[Split | None, list[Split]]:
    r"""The first test of the best tree of ``steps`` levels, and for each column its best test.

    .. math:: V_1(s) = \sum_j \frac{N_j}{N} I_j, \qquad V_k(s) = \sum_j \frac{N_j}{N} \min_{s'} V_{k-1}(s')

    where j runs over the branches of s and s' over the tests of branch j. The test with the least :math:`V_k` wins;
    among equals the one with the least :math:`V_{k-1}` and so on, so that a detour is not taken where one step does.
    Every test is tried at each level: m tests per node cost m times the search of the level below.

    Two columns whose exclusive or is the class give no gain alone, and a greedy tree may prefer noise to them; two
    steps ahead they separate the classes.
    """
    tests = _tests(search, X, rows, w)
    if not tests:
        return None, []
    alive = np.arange(len(tests))
    reached: dict[int, float] = {}
    for depth in range(steps, 0, -1):
        values = np.array([_after(search, X, rows, w, tests[i], depth) for i in alive])
        if depth == steps:
            reached = {int(i): float(v) for i, v in zip(alive, values)}
        alive = alive[values <= values.min() + 1e-12 * before]
    scored = [
        replace(test, after=reached[i], decrease=before - reached[i], score=before - reached[i])
        for i, test in enumerate(tests)
    ]
    return scored[alive[0]], _best_of_each(scored, before)


def _tests(search: SplitSearch, X: Floats, rows: RowIndices, w: Floats) -> list[Split]:
    return [
        candidates.split(i, 0.0, 0.0, 0.0, int(search.n_categories[candidates.column]))
        for candidates in search.columns(X, rows, w)
        for i in range(len(candidates.weight))
    ]


def _after(search: SplitSearch, X: Floats, rows: RowIndices, w: Floats, test: Split, depth: int) -> float:
    """V_depth of a test; the recursion is as deep as the look ahead, not as the tree."""
    taken = test.branch(X[rows, test.column])
    branches = np.unique(taken[taken >= 0])
    weight, value = np.empty(len(branches)), np.empty(len(branches))
    for b, branch in enumerate(branches):
        at = taken == branch
        weight[b] = w[at].sum()
        value[b] = _reachable(search, X, rows[at], w[at], depth - 1)
    after, known = float(search.measure.combine(weight, value)), taken >= 0
    if not known.all():  # rows without a value gain nothing
        gained = search.measure.node(rows[known], w[known]) - after
        after = search.measure.node(rows, w) - gained * float(weight.sum() / w.sum())
    return after


def _reachable(search: SplitSearch, X: Floats, rows: RowIndices, w: Floats, depth: int) -> float:
    """The least impurity after up to so many levels below a node."""
    before = search.measure.node(rows, w)
    if depth == 0 or before <= 0:
        return before
    if depth == 1:
        afters = [before - split.decrease for split in search.best_of_each(X, rows, w, before)]
    else:
        afters = [_after(search, X, rows, w, test, depth) for test in _tests(search, X, rows, w)]
    return min([before, *afters])


def _best_of_each(scored: list[Split], before: float) -> list[Split]:
    best = []
    for column in dict.fromkeys(s.column for s in scored):
        of_column = [s for s in scored if s.column == column]
        best.append(of_column[first_best(np.array([s.score for s in of_column]), before)])
    return best
