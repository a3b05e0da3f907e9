"""Item sets that were found, with their counts: a table that can be looked up, filtered and printed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from assay.core.stored import CodeArray, Each, NumberArray, Object, OffsetArray, Plain, Scalar
from assay.core.words import number, one_line
from assay.errors import DataError, ParameterError

__all__ = ["ItemSet", "ItemSets"]

SHOWN = 20  # sets in print


class ItemSet(NamedTuple):
    """One set: its items' names, in how many baskets it is (or what they weigh), and the share of them."""

    items: tuple[Any, ...]
    count: float  # type: ignore[assignment]  # not the method of tuples
    support: float


@dataclass(eq=False, repr=False)
class ItemSets:
    """Item sets in a fixed order: small ones first, then the more frequent, then by their items.

    .. math:: \\text{support}(S) = \\#\\{\\text{baskets that hold all of } S\\} / n

    Parameters
    ----------
    items : tuple
        The names of all items; an item's code is its place here.
    indptr : (m + 1,) int64      indices : (indptr[-1],) int32
        Set number s holds the items ``indices[indptr[s]:indptr[s + 1]]``, ascending.
    counts : (m,) int64, or float64 where baskets have weights
    n : int or float
        The number of baskets, or their weight: a support is ``counts / n``.
    min_count : int or float
        What a set had to reach.
    kind : "all", "closed" or "maximal"
        Which of the frequent sets these are.
    levels : tuple of Level
        What Apriori did for each size: candidates joined, pruned, counted, frequent; empty for other methods.

    Examples
    --------
    >>> from assay.associations import Baskets, frequent_sets
    >>> sets = frequent_sets(Baskets.from_lists([["tea", "milk"], ["tea", "milk"], ["tea"]]), 2)
    >>> sets
    3 item sets in at least 2 of 3 baskets
      support  count  items
        1.000      3  tea
        0.667      2  milk
        0.667      2  milk, tea
    >>> sets[2].items, sets[2].count
    (('milk', 'tea'), 2)
    >>> sets.count_of("tea", "milk")
    2
    """

    items: tuple[Any, ...]
    indptr: np.ndarray
    indices: np.ndarray
    counts: np.ndarray
    n: float
    min_count: float = 1
    kind: str = "all"
    levels: tuple[Any, ...] = ()
    stored = {
        "items": Each(Plain(), "q"),
        "indptr": OffsetArray("m + 1", end="e"),
        "indices": CodeArray("e", below="q"),
        "counts": NumberArray("m", low=0),
        "n": Scalar(low=0, finite=True),
        "min_count": Scalar(),
        "levels": Each(Object("assay.associations.apriori.Level")),
    }

    def __post_init__(self) -> None:
        start, codes = self.indptr, self.indices
        if (
            len(start) != len(self.counts) + 1
            or start[0] != 0
            or start[-1] != len(codes)
            or (np.diff(start) < 0).any()
            or (len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(self.items))
        ):
            raise DataError("ItemSets: the arrays do not fit together.")

    def __len__(self) -> int:
        return len(self.counts)

    def __iter__(self) -> Iterator[ItemSet]:
        return (self[s] for s in range(len(self)))

    def __getitem__(self, which: Any) -> Any:
        """The set of a number, as an :class:`ItemSet`; for a slice, numbers or a mask, those sets."""
        if isinstance(which, (int, np.integer)):
            s = range(len(self))[which]
            names = tuple(self.items[c] for c in self.codes(s))
            return ItemSet(names, self.counts[s].item(), float(self.counts[s] / self.n))
        return self._some(np.arange(len(self))[which])

    def codes(self, s: int) -> np.ndarray:
        """The codes of the items of set number s, ascending."""
        return self.indices[self.indptr[s] : self.indptr[s + 1]]

    @property
    def sizes(self) -> np.ndarray:
        """(m,) how many items each set has."""
        return np.diff(self.indptr)

    @property
    def supports(self) -> np.ndarray:
        """(m,) the share of the baskets that hold the set."""
        return self.counts / self.n

    def count_of(self, *names: Any) -> Any:
        """How many baskets hold all of these items; None if the set is not among these. No item: all baskets."""
        if not names:
            return self.n
        s = self._places.get(tuple(sorted({self._code(name) for name in names})))
        return None if s is None else self.counts[s].item()

    def containing(self, *names: Any) -> ItemSets:
        """The sets that hold all of these items."""
        keep = np.ones(len(self), bool)
        owner = np.repeat(np.arange(len(self)), self.sizes)
        for name in names:
            with_item = np.zeros(len(self), bool)
            with_item[owner[self.indices == self._code(name)]] = True
            keep &= with_item
        return self[keep]

    def of_size(self, size: int) -> ItemSets:
        """The sets of that many items."""
        return self[self.sizes == size]

    def to_frame(self, library: str = "pandas") -> Any:
        """One row a set: support, count, size, items (a list of names).

        Parameters
        ----------
        library : "pandas", "polars" or "pyarrow"
        """
        from assay.associations.set_frames import sets_frame

        return sets_frame(self, library)

    def __repr__(self) -> str:
        m = len(self)
        which = "" if self.kind == "all" else f"{self.kind} "
        least, n = _short(self.min_count), _short(self.n)
        lines = [f"{m:,} {which}item set{'' if m == 1 else 's'} in at least {least} of {n} baskets"]
        shown = [self[s] for s in range(min(m, SHOWN))]
        if shown:
            counts = [_short(item_set.count) for item_set in shown]
            wide = max(5, *map(len, counts))
            lines.append(f"  support  {'count':>{wide}}  items")
            for item_set, count in zip(shown, counts):
                names = one_line(", ".join(map(str, item_set.items)), 100)
                lines.append(f"  {item_set.support:7.3f}  {count:>{wide}}  {names}")
        if m > SHOWN:
            lines.append(f"  ... and {m - SHOWN:,} more")
        return "\n".join(lines)

    def _some(self, chosen: np.ndarray) -> ItemSets:
        sizes = self.sizes[chosen]
        indptr = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        at = np.arange(indptr[-1]) + np.repeat(self.indptr[chosen] - indptr[:-1], sizes)
        return replace(self, indptr=indptr, indices=self.indices[at], counts=self.counts[chosen])

    def _code(self, name: Any) -> int:
        return code_of(self._codes, name, "ItemSets")

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {name: code for code, name in enumerate(self.items)}

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        ends, flat = self.indptr.tolist(), self.indices.tolist()
        return {tuple(flat[ends[s] : ends[s + 1]]): s for s in range(len(self))}


def code_of(codes: dict[Any, int], name: Any, who: str) -> int:
    """The code of an item's name, or an error that shows some names."""
    try:
        return codes[name]
    except (KeyError, TypeError):
        some: Iterable[Any] = list(codes)[:8]
        more = ", ..." if len(codes) > 8 else ""
        raise ParameterError(
            f"{who}: there is no item {name!r}. Items: {', '.join(map(str, some))}{more}."
        ) from None


def _short(count: float) -> str:
    return f"{count:,}" if float(count).is_integer() and abs(count) < 1e15 else number(round(count, 6))
