"""Frequent item sets by Eclat, FP-growth or Apriori."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.associations.apriori import Level, apriori
from assay.associations.basket_stream import BasketStream, basket_items
from assay.associations.baskets import Baskets
from assay.associations.collector import Collector
from assay.associations.condensed import condensed
from assay.associations.eclat import KINDS, eclat
from assay.associations.explosion import Guard
from assay.associations.fp_growth import fp_growth
from assay.associations.item_sets import ItemSets
from assay.associations.passes import sets_by_passes
from assay.associations.threshold import Threshold, check_support
from assay.core.parameters import Choice, Count, check
from assay.core.sums import Rows
from assay.errors import DataError, ParameterError

__all__ = ["LIMIT", "METHODS", "frequent_sets", "search_sets"]

LIMIT = 10_000_000
METHODS = ("auto", "eclat", "fp-growth", "apriori")
ACCEPTS = {
    "method": Choice(*METHODS),
    "max_size": Count(1) | None,
    "kind": Choice(*KINDS),
    "limit": Count(1),
}


def frequent_sets(
    baskets: Baskets | BasketStream,
    min_support: float = 0.1,
    *,
    method: str = "auto",
    max_size: int | None = None,
    kind: str = "all",
    containing: Iterable[Any] = (),
    limit: int = LIMIT,
) -> ItemSets:
    r"""The item sets that come together in enough baskets.

    .. math:: \text{support}(S) = \#\{\text{baskets that hold all of } S\}/n \ge \text{min\_support}

    A set is never in more baskets than its subsets are, which all methods use. They find the same sets
    in the same order: by size, then by falling count, then by items. There may be very many: when the work proves
    long, random walks estimate their number, and more than ``limit`` are refused with a threshold that would do.

    Parameters
    ----------
    baskets : Baskets, or a BasketStream, which is always searched by apriori
    min_support : float or int, default 0.1
        A share of the baskets (or of their weight) if float, from above 0 to 1; a count if int. Sets that just
        reach it are frequent.
    method : "auto", "eclat", "fp-growth" or "apriori"
        "eclat": depth first, baskets as bits. "fp-growth": depth first, baskets as a tree. "apriori": one size after
        another, each a pass over the baskets; its ``levels`` report how many candidates were pruned. "auto"
        takes eclat, which was the fastest on all kinds of data measured.
    max_size : int or None
        The most items of a set.
    kind : "all", "closed" or "maximal"
        Closed sets are those that no larger set shares all baskets with: they determine the counts of all others.
        Maximal ones are those that no larger frequent set holds.
    containing : names of items
        Only sets that hold all of these.
    limit : int, default 10 million
        The most sets.

    Returns
    -------
    ItemSets

    Examples
    --------
    >>> from assay.associations import Baskets, frequent_sets
    >>> baskets = Baskets.from_lists([["milk", "tea"], ["milk", "tea", "honey"], ["tea"], ["milk"]])
    >>> frequent_sets(baskets, 0.5)
    3 item sets in at least 2 of 4 baskets
      support  count  items
        0.750      3  milk
        0.750      3  tea
        0.500      2  milk, tea
    >>> frequent_sets(baskets, 0.25, kind="maximal")[0].items
    ('honey', 'milk', 'tea')

    See Also
    --------
    closed_sets, maximal_sets, association_rules, estimate_sets

    References
    ----------
    - Agrawal, R. and Srikant, R. (1994). Fast algorithms for mining association rules. International Conference on
      Very Large Data Bases, 487-499.
    - Zaki, M. J. (2000). Scalable algorithms for association mining. IEEE Transactions on Knowledge and Data
      Engineering 12(3), 372-390. doi:10.1109/69.846291
    - Han, J., Pei, J. and Yin, Y. (2000). Mining frequent patterns without candidate generation. ACM SIGMOD
      Conference, 1-12. doi:10.1145/342009.335372
    """
    check_support(min_support)
    check("frequent_sets", ACCEPTS, {"method": method, "max_size": max_size, "kind": kind, "limit": limit})
    if isinstance(baskets, BasketStream):
        if method not in ("auto", "apriori"):
            raise ParameterError(
                f"frequent_sets: a stream is searched by apriori only, got method={method!r}."
            )
        wanted = min_support, max_size, kind, limit
        return sets_by_passes(baskets, basket_items, baskets.items, *wanted).containing(*containing)
    if not isinstance(baskets, Baskets):
        raise DataError(
            f"frequent_sets: expected Baskets, got {type(baskets).__name__}. Make them with Baskets.from_lists, "
            "from_long, from_wide or from_table."
        )
    return search_sets(baskets, min_support, method, max_size, kind, containing, limit)


def search_sets(
    baskets: Baskets,
    min_support: float,
    method: str,
    max_size: int | None,
    kind: str,
    containing: Iterable[Any],
    limit: int,
    who: str = "frequent_sets",
) -> ItemSets:
    """What :func:`frequent_sets` finds; its parameters are checked. ``who`` names the caller in messages."""
    threshold = Threshold.of(baskets, min_support)
    required = np.array(sorted({baskets.code(name) for name in containing}), dtype=np.int32)
    if len(required):
        threshold, baskets = _holding(threshold, baskets, required)
    direct = kind != "all" and method in ("auto", "eclat")  # condensed while mining, not afterwards
    longest = max_size if direct or kind == "all" else None
    guard = Guard(baskets, threshold, min_support, limit, longest, kind, who)
    collector = Collector(limit, guard.too_many)
    if len(required) and not direct:
        guard.baskets = _without(baskets, required)
        levels = _some_more(method, guard, collector, required)
    else:
        levels = _mine(method, guard, collector, kind if direct else "all")
    indptr, indices, counts = collector.in_order()
    count, n, least = (threshold.in_units(v) for v in (counts, threshold.total, threshold.least))
    sets = ItemSets(baskets.items, indptr, indices, count, n, least, kind if direct else "all", levels)
    return sets if sets.kind == kind else condensed(sets, kind, max_size)


def _mine(method: str, guard: Guard, collector: Collector, kind: str) -> tuple[Level, ...]:
    """Fill the collector; returns the levels of Apriori."""
    least, longest = guard.threshold.least, guard.max_size
    if method == "apriori":
        X, threshold = guard.baskets.to_sparse(), guard.threshold
        source = Rows(X, None, threshold.weights)
        return apriori(source, csr_items, X.shape[1], lambda _: least, collector, longest, guard.look).levels
    if method == "fp-growth":
        fp_growth(guard.ranked, least, collector, longest, guard.look)
    else:
        eclat(guard.ranked, least, collector, kind, longest, guard.look)
    return ()


def csr_items(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """The items of each row of a CSR matrix of zeros and ones whose columns ascend."""
    return X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)


def _some_more(method: str, guard: Guard, collector: Collector, required: np.ndarray) -> tuple[Level, ...]:
    """Sets of the given items and some more."""
    weights = guard.threshold.weights
    alone = guard.baskets.n if weights is None else int(weights.sum())
    if alone < guard.threshold.least or (guard.max_size is not None and guard.max_size < len(required)):
        return ()
    levels: tuple[Level, ...] = ()
    if guard.max_size is None or guard.max_size > len(required):
        guard.max_size = None if guard.max_size is None else guard.max_size - len(required)
        levels = _mine(method, guard, collector, "all")
    collector.include(required, alone)
    return levels


def _holding(threshold: Threshold, baskets: Baskets, required: np.ndarray) -> tuple[Threshold, Baskets]:
    inside = baskets.holding(*(baskets.items[code] for code in required))
    weights = threshold.weights
    return threshold._replace(weights=None if weights is None else weights[inside]), baskets[inside]


def _without(baskets: Baskets, codes: np.ndarray) -> Baskets:
    kept = ~np.isin(baskets.indices, codes)
    before = np.concatenate([[0], np.cumsum(kept)])
    return Baskets(before[baskets.indptr], baskets.indices[kept], baskets.items)
