"""Pruning of rule conditions, for rules of trees and for learned rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from assay.rulebase.conditions import Condition, RowTest

__all__ = ["ORDERS", "Order", "single_conditions", "without_needless"]

Order = Literal["greedy", "reverse", "any"]
ORDERS = ("greedy", "reverse", "any")
SLACK = 1e-12  # two estimates that differ by less are equal


def without_needless(
    failed: Sequence[np.ndarray],
    n: int,
    estimate: Callable[[np.ndarray, int], float],
    *,
    order: Order = "greedy",
    equal: bool = True,
    least: int = 0,
) -> tuple[list[int], float]:
    """Drop single conditions of a rule as long as its estimated error does not rise.

    Parameters
    ----------
    failed : (n,) bool for each condition: the rows that do not meet it      n : int, how many rows there are
    estimate : function of the covered rows (n,) bool and of the number of conditions
    order : "greedy", "reverse" or "any"
        Always the condition whose loss lowers the estimate most; each once, the last one first; or any that can go,
        the first one first, over and over.
    equal : bool, default True
        Drop a condition also where the estimate stays as it is.
    least : int, default 0
        How many conditions must stay.

    Returns
    -------
    kept : list of int      error : float, the estimate for those

    Examples
    --------
    >>> import numpy as np
    >>> from assay.rulebase.shortening import without_needless
    >>> wrong = np.array([0, 0, 0, 1, 1, 1])
    >>> failed = [np.array([0, 0, 1, 1, 1, 1], bool), np.array([0, 0, 0, 1, 1, 1], bool)]
    >>> kept, error = without_needless(failed, 6, lambda rows, m: float((wrong[rows].sum() + m / 2) / rows.sum()))
    >>> kept, round(error, 3)
    ([1], 0.167)
    """
    kept = list(range(len(failed)))
    fails = np.zeros(n, np.int64)
    for failing in failed:
        fails += failing
    error = estimate(fails == 0, len(kept))

    def lost(i: int) -> float:  # a row that fails one condition only is gained when that one goes
        return estimate((fails == 0) | ((fails == 1) & failed[i]), len(kept) - 1)

    def goes(new: float) -> bool:
        return new <= error + SLACK if equal else new < error - SLACK

    todo = list(reversed(kept)) if order == "reverse" else list(kept)
    while len(kept) > least and todo:
        if order == "greedy":
            errors = [lost(i) for i in kept]
            i, new = kept[int(np.argmin(errors))], min(errors)
            todo = [i]
        else:
            i = todo[0]
            new = lost(i)
        del todo[0]
        if goes(new):
            error = new
            fails -= failed[i]
            kept.remove(i)
            if order != "reverse":
                todo = list(kept)
    return kept, error


def single_conditions(condition: RowTest) -> list[RowTest]:
    """An interval with two ends as its two ends, which can be dropped one by one."""
    if not isinstance(condition, Condition) or condition.codes is not None:
        return [condition]
    if -np.inf < condition.low < condition.high < np.inf:
        return [replace(condition, high=np.inf), replace(condition, low=-np.inf)]
    return [condition]
