"""Redundant rules: no better than a more general one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.associations.fisher import fisher_p
from assay.associations.set_hashes import SetHashes
from assay.errors import DataError

if TYPE_CHECKING:
    from assay.associations.rule_table import AssociationRules

__all__ = ["improvement_p", "redundant"]

EQUAL = 1e-12  # confidences of weighted baskets that differ by less are equal


def redundant(rules: AssociationRules, min_improvement: float = 0.0) -> np.ndarray:
    """(R,) bool: whether one of the rules has the same right side, a part of the left one, and no less confidence.

    With ``min_improvement`` a rule must have so much more confidence than every more general one. Every part of a left
    side is looked up by its hash, which is the whole one's less those of the items left out.

    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> from assay.associations.redundancy import redundant
    >>> rules = association_rules(frequent_sets(Baskets.from_lists(["abc", "abc", "ab", "b"]), 1), 0.9)
    >>> [str(rule) for rule, more in zip(rules, redundant(rules)) if more]
    ['a, c -> b', 'b, c -> a']
    """
    sets, confidence = rules.sets, rules.confidence
    hashes = SetHashes(sets)
    h = hashes.of_sets[0]
    # One number for a pair of sides; the factor keeps a left side from being mistaken for a right one.
    factor = np.uint64(0x9E3779B97F4A7C15)
    key = h[rules.antecedents] * factor + h[rules.consequents]
    order = np.argsort(key, kind="stable")
    ordered, sure = key[order], confidence[order]
    answer = np.zeros(len(rules), bool)
    sizes = sets.sizes[rules.antecedents]
    for size in range(2, int(sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(sizes == size)
        if not len(rows):
            continue
        items = sets.indices[sets.indptr[rules.antecedents[rows]][:, None] + np.arange(size)]
        worth = hashes.of_items[0][items] * factor
        for mask in range(1, 2**size - 1):  # the items that are left out, not all of them
            out = [j for j in range(size) if mask >> j & 1]
            part = key[rows] - worth[:, out].sum(axis=1, dtype=np.uint64)
            at = np.minimum(np.searchsorted(ordered, part), len(ordered) - 1)
            more = confidence[rows] - sure[at]
            answer[rows] |= (ordered[at] == part) & ((more <= EQUAL) | (more < min_improvement - EQUAL))
            left = ~answer[rows]
            if not left.all():
                rows, worth = rows[left], worth[left]
            if not len(rows):
                break
    return answer


def improvement_p(rules: AssociationRules) -> np.ndarray:
    r"""(R,) whether every item of the left side is needed: the largest p-value of leaving one of them out.

    For each item i of X, Fisher's exact test among the baskets with :math:`X \setminus i`: is Y more frequent where i
    is there as well? A rule that passes for all of them is called productive. With one item it is the test of the rule.

    >>> from assay.associations import Baskets, association_rules, frequent_sets
    >>> from assay.associations.redundancy import improvement_p
    >>> rules = association_rules(frequent_sets(Baskets.from_lists(["ab"] * 9 + ["abc", "c"] + ["d"] * 9), 1), 0.9)
    >>> dict(zip(map(str, rules), improvement_p(rules).round(4).tolist()))["a, c -> b"]
    1.0
    """
    sets = rules.sets
    counts, hashes = sets.counts, SetHashes(sets)
    if not np.array_equal(counts[rules.antecedents], rules.x) or rules.n != sets.n:
        raise DataError(
            "AssociationRules: these rules were measured in other baskets than their sets. Ask for productive rules "
            "first, then measure them."
        )
    worst = np.zeros(len(rules))
    sizes = sets.sizes[rules.antecedents]
    for size in range(1, int(sizes.max(initial=0)) + 1):
        rows = np.flatnonzero(sizes == size)
        left, right = rules.antecedents[rows], rules.consequents[rows]
        items = sets.indices[sets.indptr[left][:, None] + np.arange(size)]
        for j in range(size):
            shorter = hashes.of_sets[:, left] - hashes.of_items[:, items[:, j]]
            without = hashes.find(shorter)
            both = hashes.find(shorter + hashes.of_sets[:, right])
            if both.min(initial=0) < 0 or (size > 1 and without.min(initial=0) < 0):
                raise DataError(
                    "AssociationRules: a part of a rule is not among the sets, and its count is needed."
                )
            n = counts[without] if size > 1 else np.full(len(rows), rules.n)
            p = fisher_p(rules.xy[rows], rules.x[rows], counts[both], n)
            worst[rows] = np.maximum(worst[rows], p)
    return worst
