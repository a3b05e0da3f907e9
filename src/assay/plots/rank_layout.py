"""Where the parts of a critical-difference diagram stand, whoever draws them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["GroupBar", "NamePlace", "RankLayout"]

MAX_TICKS = 12  # numbers on the axis


class GroupBar(NamedTuple):
    """Learners that do not differ: from the first of their ranks to the last, in a lane of its own where bars meet."""

    lane: int
    left: float
    right: float
    members: tuple[int, ...]


class NamePlace(NamedTuple):
    """A learner's name: on which side of the axis, and in which row below it."""

    learner: int
    left: bool
    row: int


@dataclass(frozen=True)
class RankLayout:
    """Average ranks on an axis from 1, the best, at the left; bars over groups; names beside (after Demsar 2006).

    Attributes
    ----------
    ranks : (k,) average ranks
    last : the right end of the axis
    ticks : ranks with a number at the axis
    bars : list of GroupBar; groups of one have none
    lanes : how many lanes the bars take
    names : list of NamePlace, from the best rank to the worst: the better half at the left, from the top down; the
        others at the right, the worst at the top, so that no line crosses another
    rows : how many rows of names there are
    critical : where a ruler of one critical difference ends that begins at 1, and whether it fits; None without one

    Examples
    --------
    >>> from assay.plots.rank_layout import RankLayout
    >>> layout = RankLayout.of([2.8, 1.4, 1.8], [(1, 2), (0,)], 1.48)
    >>> [place.learner for place in layout.names], layout.bars[0].right, layout.critical
    ([1, 2, 0], 1.8, (2.48, True))
    """

    ranks: np.ndarray
    last: int
    ticks: list[int]
    bars: list[GroupBar]
    lanes: int
    names: list[NamePlace]
    rows: int
    critical: tuple[float, bool] | None

    @classmethod
    def of(
        cls, ranks: ArrayLike, groups: Sequence[Sequence[int]] = (), distance: float | None = None
    ) -> RankLayout:
        """Lay out (k,) average ranks, groups of learners that do not differ, and a critical difference."""
        ranks = np.asarray(ranks, dtype=np.float64)
        k = len(ranks)
        last, half = max(k, 2), (k + 1) // 2
        order = np.argsort(ranks, kind="stable").tolist()
        names = [NamePlace(j, at < half, at if at < half else k - 1 - at) for at, j in enumerate(order)]
        bars = _bars(ranks, groups)
        critical = None if distance is None else (1 + min(distance, last - 1), distance <= last - 1)
        ticks = list(range(1, last + 1, -(-last // MAX_TICKS)))
        lanes = max((bar.lane + 1 for bar in bars), default=0)
        return cls(ranks, last, ticks, bars, lanes, names, half, critical)


def _bars(ranks: np.ndarray, groups: Sequence[Sequence[int]]) -> list[GroupBar]:
    """Groups of two and more, each in the first lane where it meets no other bar."""
    spans = [tuple(int(j) for j in sorted(g, key=lambda j: ranks[j])) for g in groups if len(g) > 1]
    ends: list[float] = []
    bars = []
    gap = 0.04 * (len(ranks) - 1)
    for members in sorted(spans, key=lambda g: (ranks[g[0]], -len(g))):
        left, right = float(ranks[members[0]]), float(ranks[members[-1]])
        lane = next((i for i, end in enumerate(ends) if end + gap < left), len(ends))
        ends[lane : lane + 1] = [right]
        bars.append(GroupBar(lane, left, right, members))
    return bars
