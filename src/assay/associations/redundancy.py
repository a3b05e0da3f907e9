"""Rules that say no more than a more general one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.associations.set_hashes import SetHashes

if TYPE_CHECKING:
    from assay.associations.rule_table import AssociationRules

__all__ = ["redundant"]


def redundant(rules: AssociationRules) -> np.ndarray:
    """(R,) bool: whether one of the rules has the same right side, a part of the left one, and no less confidence.

    Every part of a left side is looked up by its hash, which is the whole one's less those of the items left out.

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
            answer[rows] |= (ordered[at] == part) & (sure[at] >= confidence[rows])
            left = ~answer[rows]
            if not left.all():
                rows, worth = rows[left], worth[left]
            if not len(rows):
                break
    return answer
