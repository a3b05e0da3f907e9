"""Estimates of the number of frequent item sets by random walks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

import assay.associations._estimate as _estimate
from assay.associations.baskets import Baskets
from assay.associations.ranked import Ranked, rank_items
from assay.associations.threshold import Threshold
from assay.core.parallel import end_if_abandoned, in_threads

__all__ = ["SetEstimate", "estimate_sets", "reasonable", "walk"]

GROUPS = 4  # independent estimates
BRANCHES = 256  # walked at most; of more, a sample
WALKS = 1024  # in one group
ROOM = 0.1  # of the limit that a recommended threshold fills at most
PART = 16  # branches between two checks for Ctrl-C


class SetEstimate(NamedTuple):
    """An estimated number of sets; ``low`` and ``high`` are the least and the most of four independent estimates."""

    sets: float
    low: float
    high: float


def estimate_sets(
    baskets: Baskets, min_support: float, *, max_size: int | None = None, random_state: int = 0
) -> SetEstimate:
    """About how many item sets :func:`frequent_sets` would find, by random walks down its search.

    A walk adds items to a set as long as it stays frequent; the numbers of possible extensions estimate how many
    sets there are (Knuth's estimate of the size of a search tree). It is unbiased; where few branches hold most of
    the sets, it may miss some of those, so take it for the order of magnitude.

    Parameters
    ----------
    baskets, min_support, max_size : as for :func:`frequent_sets`
    random_state : int
        The seed of the walks.

    Examples
    --------
    Every subset of 40 items that all baskets hold is frequent, 2^40 - 1 of them:

    >>> import math
    >>> from assay.associations import Baskets, estimate_sets
    >>> estimate = estimate_sets(Baskets.from_lists([range(40)] * 3), 1.0)
    >>> round(math.log2(estimate.sets))
    40
    """
    threshold = Threshold.of(baskets, min_support)
    ranked = rank_items(baskets, threshold.least, threshold.weights)
    return walk(ranked, threshold.least, max_size, random_state)


def walk(ranked: Ranked, least: int, max_size: int | None = None, seed: int = 0) -> SetEstimate:
    """The estimate for ranked baskets and a whole threshold."""
    m = len(ranked)
    if m == 0:
        return SetEstimate(0.0, 0.0, 0.0)
    some = np.random.RandomState(seed).permutation(m)[:BRANCHES].astype(np.int64)
    walks = GROUPS * max(1, min(16, WALKS // len(some)))

    def part(first: int) -> np.ndarray:
        end_if_abandoned()
        branches = some[first : first + PART]
        sizes = np.empty((len(branches), walks))
        _estimate.probe(ranked.native, branches, least, min(max_size or m, m), seed, sizes)
        return sizes

    sizes = np.concatenate(in_threads(part, range(0, len(some), PART)))
    totals = sizes.reshape(len(some), GROUPS, -1).mean(axis=(0, 2)) * m
    return SetEstimate(float(totals.mean()), float(totals.min()), float(totals.max()))


def reasonable(ranked: Ranked, least: int, limit: int, max_size: int | None = None) -> tuple[int, float]:
    """A higher threshold at which the sets are well below the limit, and about how many there are.

    ``ranked`` holds more items than needed; those that are too rare die out at the first step of a walk.
    """
    ceiling = int(ranked.counts.max(initial=least))
    at = least
    while True:
        at = min(math.ceil(at * 1.5), ceiling)
        few = _above(ranked, at)
        sets = walk(few, at, max_size).high
        if sets <= ROOM * limit or at >= ceiling:
            return at, sets


def _above(ranked: Ranked, least: int) -> Ranked:
    baskets = Baskets(ranked.start, ranked.ranks, tuple(range(len(ranked))))
    return rank_items(baskets, least, ranked.weights if len(ranked.weights) else None)
