"""FP-growth: frequent sets from a tree in which baskets share their common beginnings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import assay.associations._fp_growth as _fp_growth
from assay.associations.collector import Collector
from assay.associations.eclat import SHARE, in_branches
from assay.associations.ranked import Ranked

__all__ = ["fp_growth"]


def fp_growth(
    ranked: Ranked,
    least: int,
    collector: Collector,
    max_size: int | None = None,
    look: Callable[[], None] = lambda: None,
) -> None:
    """Find the sets that weigh at least ``least`` and give them to the collector.

    Each basket is a path in a tree, its most frequent item first; baskets with the same beginning share it, so two
    passes over the baskets are enough. The sets whose rarest item is i come from the part of the tree above i,
    which is again such a tree.

    Parameters
    ----------
    ranked, least, collector, max_size, look : as for :func:`assay.associations.eclat.eclat`
    """
    m = len(ranked)
    item, parent, link, head, count = _fp_growth.build(ranked.start, ranked.ranks, ranked.weights, m)
    tree = _fp_growth.BasketTree(item=item, parent=parent, link=link, head=head, count=count)

    def call(first: int, last: int, steps: np.ndarray, budget: int, room: int) -> tuple:
        return _fp_growth.mine(
            tree=tree,
            code=ranked.codes,
            first=first,
            last=last,
            steps=steps,
            least=least,
            max_size=min(max_size or m, m),
            budget=budget // 4,
            room=room,
        )

    in_branches(call, m, collector, max(SHARE, 16 * len(ranked.ranks)), look)
