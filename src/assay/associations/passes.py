"""Frequent sets of baskets that come in blocks: from disk or from a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.associations.apriori import ItemsOf, apriori
from assay.associations.collector import Collector
from assay.associations.condensed import condensed
from assay.associations.item_sets import ItemSets
from assay.associations.ranked import whole_weights
from assay.associations.threshold import least_weight
from assay.core.sums import Block, Source
from assay.errors import DataError, ParameterError
from assay.tables.rows import row_count

__all__ = ["sets_by_passes"]


def sets_by_passes(
    source: Source,
    items_of: ItemsOf,
    items: Sequence[Any],
    min_support: float,
    max_size: int | None,
    kind: str,
    limit: int,
    who: str = "frequent_sets",
) -> ItemSets:
    """The frequent sets of all blocks of a source, by Apriori: one pass for their weights, one for each size.

    Parameters
    ----------
    source : Source
    items_of : function from a block's X to (indptr, indices), items ascending in each basket
    items : names of all items
    min_support, max_size, kind, limit : as for :func:`frequent_sets`
    who : the caller, for messages
    """
    weight, weighted = source.add_up(
        lambda block: np.array([float(np.sum(_weights(block))), block.w is not None])
    )
    if weighted and not weight > 0:
        raise DataError(f"{who}: no row weighs anything, so no share of them is defined.")
    grain = whole_weights(np.ones(1), float(weight))[1] if weighted else 0.0

    def too_many(n_sets: int) -> None:
        raise ParameterError(
            f"{who}: at a support of {min_support!r} there are more than {limit:,} item sets. Raise min_support, set "
            "max_size, or raise limit; estimate_sets tells how many some of the rows give."
        )

    collector = Collector(limit, too_many)
    longest = max_size if kind == "all" else None
    done = apriori(
        _Whole(source, grain),
        items_of,
        len(items),
        lambda total: least_weight(min_support, total, grain),
        collector,
        longest,
    )
    indptr, indices, counts = collector.in_order()
    unit: Any = grain or 1  # counts stay whole numbers where nothing is weighted
    least = least_weight(min_support, done.total, grain)
    sets = ItemSets(
        tuple(items), indptr, indices, counts * unit, done.total * unit, least * unit, "all", done.levels
    )
    return condensed(sets, kind, max_size)


def _weights(block: Block) -> Any:
    return np.ones(row_count(block.X, "rows")) if block.w is None else np.asarray(block.w)


class _Whole(Source):
    """The same blocks with their weights as whole multiples of a grain."""

    def __init__(self, source: Source, grain: float):
        self._source, self._grain = source, grain

    def add_up(self, summarize: Callable[[Block], Any]) -> Any:
        grain = self._grain
        if not grain:
            return self._source.add_up(summarize)
        return self._source.add_up(
            lambda block: summarize(Block(block.X, None, np.rint(_weights(block) / grain).astype(np.int64)))
        )
