"""Closed and maximal item sets: condensed representations of all frequent ones."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.associations._item_sets as _item_sets
from assay.associations.item_sets import ItemSets
from assay.errors import ParameterError

__all__ = ["closed_sets", "condensed", "maximal_sets"]


def closed_sets(sets: ItemSets) -> ItemSets:
    """The closed ones of all frequent sets: no larger set is in the same baskets.

    The count of any frequent set is that of the smallest closed set around it, so nothing is lost.

    Parameters
    ----------
    sets : ItemSets of kind "all", found without ``max_size``

    Examples
    --------
    >>> from assay.associations import Baskets, closed_sets, frequent_sets
    >>> sets = frequent_sets(Baskets.from_lists(["abc", "abc", "a"]), 1)
    >>> len(sets), [s.items for s in closed_sets(sets)]
    (7, [('a',), ('a', 'b', 'c')])

    See Also
    --------
    maximal_sets, frequent_sets

    References
    ----------
    - Pasquier, N., Bastide, Y., Taouil, R. and Lakhal, L. (1999). Discovering frequent closed itemsets for
      association rules. International Conference on Database Theory, 398-416.
    """
    return _kept(sets, "closed")


def maximal_sets(sets: ItemSets) -> ItemSets:
    """The maximal ones of all frequent sets: no larger set is frequent.

    They determine which sets are frequent, but not their counts.

    Parameters
    ----------
    sets : ItemSets of kind "all", found without ``max_size``

    Examples
    --------
    >>> from assay.associations import Baskets, frequent_sets, maximal_sets
    >>> sets = frequent_sets(Baskets.from_lists(["abc", "abc", "a"]), 1)
    >>> [s.items for s in maximal_sets(sets)]
    [('a', 'b', 'c')]

    See Also
    --------
    closed_sets, frequent_sets

    References
    ----------
    - Bayardo, R. J. (1998). Efficiently mining long patterns from databases. ACM SIGMOD Conference, 85-93.
    """
    return _kept(sets, "maximal")


def condensed(sets: ItemSets, kind: str, max_size: int | None = None) -> ItemSets:
    """The sets of a kind among all frequent ones; those larger than ``max_size`` are left out at the end."""
    if sets.kind != kind:
        sets = _kept(sets, kind)
    return sets if max_size is None else sets[sets.sizes <= max_size]


def _kept(sets: ItemSets, kind: Any) -> ItemSets:
    if sets.kind != "all":
        raise ParameterError(f"{kind}_sets: expected all frequent sets, got the {sets.kind} ones.")
    keep = np.ones(len(sets), np.uint8)
    exact = np.unique(sets.counts, return_inverse=True)[1].astype(np.int64)  # equal counts, equal numbers
    _item_sets.superfluous(sets.indptr, sets.indices, exact, kind == "closed", keep)
    kept = sets[keep.astype(bool)]
    kept.kind = kind
    return kept
