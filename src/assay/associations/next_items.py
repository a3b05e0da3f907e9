"""Recommendations for a basket by association rules."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from assay.associations.rule_table import AssociationRules
from assay.core.parameters import Count, check

__all__ = ["NextItem", "next_items"]


class NextItem(NamedTuple):
    """An item to suggest, how strongly, and the sentence of the rule behind it."""

    item: Any
    score: float
    because: str


def next_items(
    rules: AssociationRules, basket: Iterable[Any], n: int | None = 5, by: str = "confidence"
) -> list[NextItem]:
    """The items that the rules suggest for a basket, the strongest first.

    A rule fires if its whole left side is in the basket; each item of its right side that is not there is suggested,
    with the best rule that does so. With right sides of links instead of items, it is the page to fetch beforehand.

    Parameters
    ----------
    rules : AssociationRules
    basket : names of items; those in no rule are ignored
    n : int or None
        The most suggestions.
    by : a measure of interest
        What "best" means; equal ones are ordered by support, then as the rules stand.

    Examples
    --------
    >>> from assay.associations import Baskets, association_rules, frequent_sets, next_items
    >>> baskets = Baskets.from_lists([["milk", "bananas", "chocolate"], ["milk", "chocolate"], ["milk", "bananas"],
    ...                               ["chocolate"], ["chocolate"], ["milk", "chocolate"]])
    >>> rules = association_rules(frequent_sets(baskets, 2), 0.5)
    >>> next_items(rules, ["milk"])[0]
    NextItem(item='chocolate', score=0.75, because='75 per cent of customers who buy milk also buy chocolate')
    """
    check("next_items", {"n": Count(0) | None}, {"n": n})
    sets = rules.sets
    had = np.zeros(len(sets.items), bool)
    for name in basket:
        code = sets._codes.get(name)
        if code is not None:
            had[code] = True
    owner = np.repeat(np.arange(len(sets)), sets.sizes)
    held = np.bincount(owner, had[sets.indices], minlength=len(sets)) == sets.sizes
    fires = np.flatnonzero(held[rules.antecedents] & ~held[rules.consequents])
    score = rules[fires].measure(by)
    best: dict[int, tuple[float, int]] = {}
    ranked = score if by == "fisher_p" else -score  # of that one the smallest is the best
    for i in np.lexsort((fires, -rules.xy[fires], ranked)).tolist():
        for code in sets.codes(int(rules.consequents[fires[i]])).tolist():
            if not had[code]:
                best.setdefault(code, (float(score[i]), int(fires[i])))
    listed = list(best.items())[:n]
    return [NextItem(sets.items[code], value, rules.sentence(r)) for code, (value, r) in listed]
