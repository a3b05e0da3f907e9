"""Refuse searches that would return too many sets before they run, and suggest a threshold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

from assay.associations.baskets import Baskets
from assay.associations.estimate import reasonable, walk
from assay.associations.ranked import Ranked, rank_items
from assay.associations.threshold import Threshold
from assay.errors import ParameterError

__all__ = ["Guard", "in_words"]


@dataclass(eq=False)
class Guard:
    """Estimates the size of a search, and raises when the sets are, or would be, more than the limit.

    Parameters
    ----------
    baskets, threshold, max_size, kind : what is searched
    min_support : as the caller gave it: a share or a count
    limit : the most sets
    who : the caller, for messages
    """

    baskets: Baskets
    threshold: Threshold
    min_support: float
    limit: int
    max_size: int | None
    kind: str
    who: str = "frequent_sets"

    @cached_property
    def ranked(self) -> Ranked:
        """The frequent items."""
        return rank_items(self.baskets, self.threshold.least, self.threshold.weights)

    def look(self) -> None:
        """Refuse if even the lowest of the estimates is above the limit. Condensed sets may be far fewer: go on."""
        if self.kind != "all":
            return
        ahead = walk(self.ranked, self.threshold.least, self.max_size)
        if ahead.low > self.limit:
            sets = f"about {in_words(ahead.sets)} item sets, more than limit={self.limit:,}"
            self._complain(f"there would be {sets}")

    def too_many(self, n_sets: int) -> None:
        """Refuse, since so many were found already."""
        which = "" if self.kind == "all" else f"{self.kind} "
        if n_sets > self.limit:
            self._complain(f"there are more than {self.limit:,} {which}item sets")
        self._complain(
            f"{which}item sets are so large that {n_sets:,} take the memory of limit={self.limit:,}"
        )

    def _complain(self, what: str) -> None:
        least = self.threshold.least
        counts = f"{self._count(least)} of {self._count(self.threshold.total)} baskets"
        fact = f"at a support of {self.min_support!r} ({counts}) {what}."
        better, sets = reasonable(self.ranked, least, self.limit, self.max_size)
        if sets <= self.limit:
            fact += f" A support of {self._asked(better)} would give about {in_words(sets)}."
        other = "ask for the closed ones only (kind='closed'), " if self.kind == "all" else ""
        remedy = f"Raise min_support, {other}set max_size, or raise limit."
        raise ParameterError(fact, who=self.who, remedy=remedy, code="too-many-sets")

    def _asked(self, least: int) -> str:
        """A threshold in the caller's own terms, rounded up to two digits."""
        whole = isinstance(self.min_support, Integral)
        value = self.threshold.in_units(least) if whole else least / self.threshold.total
        digits = max(0, math.floor(math.log10(value)) - 1) if whole else math.floor(math.log10(value)) - 1
        up = math.ceil(value / 10.0**digits - 1e-9) * 10.0**digits
        return f"{math.ceil(up)}" if whole else f"{min(up, 1.0):.{max(-digits, 1)}f}"

    def _count(self, whole: int) -> str:
        return f"{self.threshold.in_units(whole):,.6g}" if self.threshold.grain else f"{whole:,}"


def in_words(sets: float) -> str:
    """A large number to two digits.

    >>> from assay.associations.explosion import in_words
    >>> in_words(412345.0), in_words(3.21e14), in_words(7.0)
    ('410,000', '3.2e+14', '7')
    """
    if sets >= 1e9:
        return f"{sets:.1e}"
    digits = max(0, math.floor(math.log10(max(sets, 1))) - 1)
    return f"{round(sets, -digits):,.0f}"
