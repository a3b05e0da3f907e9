"""Quantiles of residuals in the leaves of a tree, of rows that are kept in blocks: exact, by passes over their digits.

Floats become whole numbers in the same order. Of these, eleven bits at a time are counted in each leaf, from the
highest down, among the residuals that agree with the quantile in all bits above: six passes find it, whatever the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.exact_sum import ExactSum
from assay.core.kept import Arrays
from assay.ensembles.added import Added, Largest
from assay.ensembles.hist_losses import HistLoss, weight_unit
from assay.ensembles.hist_order import node_of_rows
from assay.ensembles.hist_trees import Grown

__all__ = ["leaf_steps", "node_values", "quantiles"]

BITS = 11  # of the numbers that are counted in one pass
_TOP = np.uint64(1 << 63)

Pass = Callable[[Callable[[Arrays], Any]], Any]


def _ordered(x: np.ndarray) -> np.ndarray:
    """Floats as whole numbers in the same order; -0 is 0."""
    bits = (x + 0.0).view(np.uint64)
    return np.where(bits & _TOP, ~bits, bits | _TOP)


def _floats(keys: np.ndarray) -> np.ndarray:
    return np.where(keys & _TOP, keys & ~_TOP, ~keys).view(np.float64)


@dataclass(frozen=True)
class _Groups:
    """Rows of a block by the groups that they belong to: the leaves, or all nodes, of a tree."""

    leaf_of: np.ndarray  # the leaf of each node of the tree as it was grown
    members: np.ndarray  # (nodes, levels) the groups of a leaf, -1 for none
    count: int  # of groups

    def of(self, arrays: Arrays) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(n, levels) groups, residuals and weights of the training rows."""
        group = self.members[self.leaf_of[node_of_rows(arrays)]]
        residual, w = arrays["y"] - arrays["raw"][0], arrays.get("w")
        if "held" not in arrays:
            return group, residual, w
        learn = arrays["held"] == 0
        return group[learn], residual[learn], None if w is None else w[learn]


@dataclass(frozen=True)
class _Heaviest:
    groups: _Groups

    def __call__(self, arrays: Arrays) -> Any:
        group, _, w = self.groups.of(arrays)
        most = np.zeros(self.groups.count + 1)
        for level in group.T:
            np.maximum.at(most, level, 1.0 if w is None else w)
        return Largest(most[:-1])


@dataclass(frozen=True)
class _Digits:
    """How much weight each digit has, among the rows of a group whose higher bits are those of its prefix."""

    groups: _Groups
    prefix: np.ndarray  # (goals, groups) uint64
    shift: int
    units: np.ndarray | None  # of the weights of each group; None counts rows

    def __call__(self, arrays: Arrays) -> np.ndarray:
        group, residual, w = self.groups.of(arrays)
        keys, size = _ordered(residual), self.groups.count
        above, digit = (
            _above(keys, self.shift),
            ((keys >> np.uint64(self.shift)) & np.uint64((1 << BITS) - 1)),
        )
        out = np.zeros((len(self.prefix), size << BITS))
        for level in group.T:
            for goal, prefix in enumerate(self.prefix):
                some = (level >= 0) & (above == prefix[level])
                place = (level[some].astype(np.int64) << BITS) + digit[some].astype(np.int64)
                weights = None
                if self.units is not None and w is not None:
                    weights = np.rint(w[some] / self.units[level[some]])
                out[goal] += np.bincount(place, weights, minlength=size << BITS)
        return out.reshape(len(self.prefix), size, -1)


def _above(keys: np.ndarray, shift: int) -> np.ndarray:
    return keys >> np.uint64(shift + BITS) if shift + BITS < 64 else np.zeros_like(keys)


@dataclass(frozen=True)
class _Passed:
    """How many residuals of each group a step passes."""

    groups: _Groups
    steps: np.ndarray

    def __call__(self, arrays: Arrays) -> np.ndarray:
        group, residual, _ = self.groups.of(arrays)
        leaf = group[:, 0]
        step = self.steps[leaf]
        passed = (leaf >= 0) & np.where(step > 0, residual <= step, residual < step)
        return np.bincount(leaf[passed], minlength=self.groups.count)


@dataclass(frozen=True)
class _Pinball:
    """The losses of some groups, before and after a step."""

    groups: _Groups
    chosen: np.ndarray
    steps: np.ndarray
    loss: HistLoss

    def __call__(self, arrays: Arrays) -> Any:
        group, residual, w = self.groups.of(arrays)
        sums: list[ExactSum] = []
        for g in self.chosen.tolist():
            some = group[:, 0] == g
            weights = None if w is None else w[some]
            sums += [self.loss.pinball(residual[some] - step, weights) for step in (0.0, self.steps[g])]
        return Added(*sums)


def _search(run: Pass, groups: _Groups, goals: np.ndarray, units: np.ndarray | None) -> np.ndarray:
    """(goals, groups) the smallest residual of each group up to which the weight reaches the goal."""
    prefix = np.zeros(goals.shape, np.uint64)
    remaining = goals.copy()
    for shift in range(63 // BITS * BITS, -1, -BITS):
        sums = run(_Digits(groups, prefix, shift, units)).cumsum(axis=2)
        digit = (sums < remaining[..., None]).sum(axis=2)
        digit = np.minimum(digit, np.argmax(sums >= sums[..., -1:], axis=2))  # never beyond the last
        before = np.where(
            digit > 0, np.take_along_axis(sums, np.maximum(digit - 1, 0)[..., None], 2)[..., 0], 0.0
        )
        remaining = remaining - before
        prefix = (prefix << np.uint64(BITS)) | digit.astype(np.uint64)
    return _floats(prefix)


def _values(run: Pass, loss: HistLoss, groups: _Groups, rows: np.ndarray, weighted: bool) -> np.ndarray:
    """(groups,) what :meth:`HistLoss.leaf_value` gives for the residuals of each group, which has so many rows."""
    if weighted:
        return _least(run, loss, groups, rows, weighted)
    ranks = [loss.ranks(max(n, 1)) for n in rows.tolist()]
    goals = np.array([[low + 1, high + 1] for low, high, _ in ranks], dtype=np.float64).T
    low, high = _search(run, groups, goals, None)
    return np.array([loss.between(a, b, part) for a, b, (_, _, part) in zip(low, high, ranks)])


def _least(run: Pass, loss: HistLoss, groups: _Groups, rows: np.ndarray, weighted: bool) -> np.ndarray:
    """(groups,) the smallest residual up to which the share q of the weights lies: a shift of least loss."""
    if not weighted:
        return _search(run, groups, np.array([[loss.goal(float(n)) for n in rows.tolist()]]), None)[0]
    most = run(_Heaviest(groups)).value
    units = np.array([weight_unit(float(m), int(n)) for m, n in zip(most, rows)])
    top = run(_Digits(groups, np.zeros((1, groups.count), np.uint64), 63 // BITS * BITS, units))
    goals = np.array([[loss.goal(float(total)) for total in top[0].sum(axis=1)]])
    return _search(run, groups, goals, units)[0]


def quantiles(
    run: Pass, loss: HistLoss, leaf_of: np.ndarray, members: np.ndarray, rows: np.ndarray, weighted: bool
) -> np.ndarray:
    """The quantile of the residuals in each group of so many rows; leaf l is in the groups ``members[l]``."""
    return _values(run, loss, _Groups(leaf_of, members, len(rows)), rows, weighted)


def node_values(run: Pass, loss: HistLoss, leaf_of: np.ndarray, tree: Grown, weighted: bool) -> np.ndarray:
    """(nodes,) the quantile of the residuals at each node of a tree, also at those that are not leaves."""
    m = len(tree.column)
    parent = np.full(m, -1)
    inner = np.flatnonzero(tree.column >= 0)
    parent[inner + 1] = parent[tree.right[inner]] = inner
    levels = [np.arange(m)]
    while (levels[-1] >= 0).any():
        levels.append(np.where(levels[-1] >= 0, parent[levels[-1]], -1))
    return quantiles(run, loss, leaf_of, np.column_stack(levels[:-1]), tree.rows, weighted)


def leaf_steps(
    run: Pass, loss: HistLoss, leaf_of: np.ndarray, tree: Grown, rate: float, weighted: bool
) -> np.ndarray:
    """(nodes,) what :meth:`HistLoss.leaf_step` gives for each leaf of a tree; 0 elsewhere."""
    place = np.full(len(tree.column), -1)
    place[tree.leaf] = np.arange(len(tree.leaf))
    groups, rows = _Groups(leaf_of, place[:, None], len(tree.leaf)), tree.rows[tree.leaf]
    steps = rate * _values(run, loss, groups, rows, weighted)
    if not (rate <= 1 and (weighted or loss.name == "absolute_error")):
        risky = np.ones(len(steps), dtype=bool)
        if not weighted:
            passed = run(_Passed(groups, steps))
            risky = np.array(
                [not loss.is_short_of(int(p), int(n), s) for p, n, s in zip(passed, rows, steps)], dtype=bool
            )
        chosen = np.flatnonzero(risky)
        if len(chosen):
            sums = [float(s) for s in run(_Pinball(groups, chosen, steps, loss)).parts]
            worse = chosen[np.array(sums[1::2]) > np.array(sums[0::2])]
            if len(worse):
                steps[worse] = min(rate, 1.0) * _least(run, loss, groups, rows, weighted)[worse]
    out = np.zeros(len(tree.column))
    out[tree.leaf] = steps
    return out
