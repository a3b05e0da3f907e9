"""Eclat: frequent sets depth first, each item a row of bits."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

import assay.associations._eclat as _eclat
from assay.associations.collector import Collector
from assay.associations.ranked import Ranked
from assay.core.parallel import end_if_abandoned, in_threads
from assay.core.progress import progress

__all__ = ["KINDS", "eclat", "in_branches"]

KINDS = {"all": 0, "closed": 1, "maximal": 2}
GLANCE = 1 << 25  # words that a first call looks at: what ends within is not worth a thread or an estimate
SHARE = 1 << 26  # words of one call, about a twentieth of a second: then Ctrl-C is checked
TASKS = 64  # parts that the branches are cut into for threads

Call = Callable[[int, int, np.ndarray, int, int], tuple]  # first, last, steps, budget, room


def eclat(
    ranked: Ranked,
    least: int,
    collector: Collector,
    kind: str = "all",
    max_size: int | None = None,
    look: Callable[[], None] = lambda: None,
) -> None:
    """Find the sets that weigh at least ``least`` and give them to the collector.

    Each branch (the sets whose rarest item is the same) looks only at the baskets of that item, renumbered, so that
    their bits are short; then sets grow by ANDing rows of bits. Closed sets grow by closures that keep what stands
    before them, so none is found twice and none must be remembered.

    Parameters
    ----------
    ranked : Ranked
    least : int
    collector : Collector
    kind : "all", "closed" or "maximal"
    max_size : int or None
        The most items of a set.
    look : function
        Called once when the work proves to be more than a glance; it may raise.
    """
    longest = min(max_size or len(ranked), len(ranked))
    if kind != "all":
        _in_all_baskets(ranked, least, collector, kind, longest)

    def call(first: int, last: int, steps: np.ndarray, budget: int, room: int) -> tuple:
        return _eclat.mine(
            baskets=ranked.native,
            code=ranked.codes,
            first=first,
            last=last,
            steps=steps,
            least=least,
            max_size=longest,
            kind=KINDS[kind],
            universal=ranked.universal,
            budget=budget,
            room=room,
        )

    in_branches(call, len(ranked), collector, max(SHARE, 4 * len(ranked.ranks)), look)


def _in_all_baskets(ranked: Ranked, least: int, collector: Collector, kind: str, longest: int) -> None:
    """The set of the items that are in all baskets is closed, and maximal if there are no others."""
    k, m = ranked.universal, len(ranked)
    if 0 < k <= longest and ranked.total >= least and (kind == "closed" or k == m):
        root = np.sort(ranked.codes[m - k :])
        collector.add(root, np.array([k], np.int32), np.array([ranked.total]))


def in_branches(call: Call, m: int, collector: Collector, share: int, look: Callable[[], None]) -> None:
    """Mine branches 0 .. m - 1: a glance first, then in parts, on threads, each call a share of the work."""
    nowhere = np.empty(0, np.int32)
    first, steps, *sets = call(0, m, nowhere, GLANCE, collector.room)
    collector.add(*sets)
    if first >= m:
        return
    look()
    with progress(m, "item sets") as bar:
        bar.advance(first)

        def part(task: tuple[int, int, np.ndarray]) -> None:
            at, end, steps = task
            while at < end:
                end_if_abandoned()
                before = at
                at, steps, *sets = call(at, end, steps, share, collector.room)
                collector.add(*sets)
                bar.advance(at - before, note=f"{collector.found:,} found")

        size = max(1, (m - first) // TASKS)
        ends = [*range(first + 1, m, size), m]
        tasks = [(a, b, nowhere) for a, b in pairwise(ends)]
        in_threads(part, [(first, first + 1, steps), *tasks])
