"""Associations of items: in all baskets, within segments, and for every pair of items."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.interest import interest
from assay.associations.set_counts import ItemBits
from assay.core.explanation import text_table
from assay.core.words import one_line
from assay.errors import DataError
from assay.types import Label

__all__ = [
    "Association",
    "PairTable",
    "SegmentTable",
    "association",
    "pairwise_associations",
    "segment_associations",
]


@dataclass(frozen=True)
class Association:
    """P(Y|X1, ..., Xk), with the counts that it is made of.

    Parameters
    ----------
    antecedent, consequent : tuples of names, X and Y
    xy, x, y, n : baskets with both, with X, with Y, and all of them
    segment : str
        Which baskets were counted; empty for all.
    """

    antecedent: tuple[Any, ...]
    consequent: tuple[Any, ...]
    xy: float
    x: float
    y: float
    n: float
    segment: str = ""

    def measure(self, name: str) -> float:
        """One of the measures of :func:`assay.associations.interest`; of no baskets at all it is 0."""
        return float(interest(name, self.xy, self.x, self.y, self.n)) if self.n else 0.0

    @property
    def support(self) -> float:
        """P(X, Y)."""
        return self.measure("support")

    @property
    def confidence(self) -> float:
        """P(Y|X); 0 if no basket holds X."""
        return self.measure("confidence")

    @property
    def lift(self) -> float:
        """P(Y|X) / P(Y)."""
        return self.measure("lift")

    def __str__(self) -> str:
        left = ", ".join(map(str, self.antecedent))
        event = ", ".join(map(str, self.consequent))
        condition = " and ".join(part for part in (left, self.segment) if part)
        shown = f"P({event} | {condition})" if condition else f"P({event})"
        return (
            f"{shown} = {self.confidence:.4g} ({self.xy:,.6g} of {self.x:,.6g} baskets; lift {self.lift:.4g})"
        )


def association(
    baskets: Baskets, antecedent: Label | Sequence[Label], consequent: Label | Sequence[Label]
) -> Association:
    r"""How often Y is in a basket that holds X: P(Y|X), and for several items P(Y|X1, ..., Xk).

    .. math:: P(Y|X_1, \dots, X_k) = \frac{\#\{X_1, \dots, X_k, Y\}}{\#\{X_1, \dots, X_k\}}

    Parameters
    ----------
    baskets : Baskets
    antecedent, consequent : the name of an item, or a list of names; an empty list gives P(Y)

    Examples
    --------
    >>> from assay.associations import Baskets, association
    >>> baskets = Baskets.from_lists([["beer", "chips"]] * 7 + [["beer"]] * 3 + [["tea"]] * 10)
    >>> print(association(baskets, "beer", "chips"))
    P(chips | beer) = 0.7 (7 of 10 baskets; lift 2)
    """
    left, right = _names(baskets, antecedent), _names(baskets, consequent)
    bits = ItemBits(baskets)
    return _counted(bits, left, right, baskets.total)


def _counted(bits: ItemBits, left: tuple[Any, ...], right: tuple[Any, ...], n: float) -> Association:
    x, y = bits.common(left), bits.common(right)
    return Association(left, right, bits.weigh(x & y), bits.weigh(x), bits.weigh(y), n)


def _names(baskets: Baskets, names: Any) -> tuple[Any, ...]:
    listed = tuple(names) if isinstance(names, (list, tuple, set, frozenset)) else (names,)
    for name in listed:
        baskets.code(name)  # raises an error that names an unknown item
    return listed


@dataclass(frozen=True)
class SegmentTable:
    """One association in all baskets, and in each segment of them.

    Parameters
    ----------
    overall : Association, in all baskets
    segments : tuple of Association, one for each segment
    p : float or None
        The probability of such differences between the segments if they were all alike: a chi-square test of the
        share of Y among the baskets with X. None if the segments overlap or there is nothing to compare.
    """

    overall: Association
    segments: tuple[Association, ...]
    p: float | None

    def __len__(self) -> int:
        return len(self.segments)

    def __getitem__(self, name: str) -> Association:
        for association in self.segments:
            if association.segment == name:
                return association
        known = ", ".join(association.segment for association in self.segments[:10])
        raise DataError(f"SegmentTable: there is no segment {name!r}. Segments: {known}.")

    def _rows(self) -> list[list[Any]]:
        listed = [*self.segments, self.overall]
        return [[o.segment or "all", o.n, o.x, o.xy, o.confidence, o.lift] for o in listed]

    def __str__(self) -> str:
        left = ", ".join(map(str, self.overall.antecedent))
        title = f"P({', '.join(map(str, self.overall.consequent))} | {left + ', ' if left else ''}segment)"
        heads = ["segment", "baskets", "with X", "with X and Y", "confidence", "lift"]
        lines = [title, text_table(heads, self._rows())]
        if self.p is not None:
            verdict = "differ" if self.p < 0.05 else "do not differ significantly"
            lines.append(f"  The segments {verdict} (chi-square test, p = {self.p:.3g}).")
        return "\n".join(lines)

    def to_frame(self) -> Any:
        """A pandas frame with one row a segment, and the last for all baskets."""
        import pandas as pd

        return pd.DataFrame(self._rows(), columns=["segment", "n", "x", "xy", "confidence", "lift"])


def segment_associations(
    baskets: Baskets,
    antecedent: Label | Sequence[Label],
    consequent: Label | Sequence[Label],
    segments: Any,
    *,
    cuts: Any = None,
) -> SegmentTable:
    r"""P(Y|X, D): how often Y is in a basket that holds X, within each segment D of the customers.

    Parameters
    ----------
    baskets : Baskets
    antecedent, consequent : as for :func:`association`
    segments : (n,) labels, one for each basket, or a table of attributes with one row for each basket
        Each label, or each value of each column, is a segment; missing belongs to none.
    cuts : how numeric columns of a table are cut; see ``Baskets.from_table``

    Examples
    --------
    >>> from assay.associations import Baskets, segment_associations
    >>> baskets = Baskets.from_lists([["beer", "chips"]] * 8 + [["beer"]] * 4 + [["tea"]] * 8)
    >>> age = ["young"] * 6 + ["old"] * 4 + ["young"] * 2 + ["old"] * 8
    >>> print(segment_associations(baskets, "beer", "chips", age))
    P(chips | beer, segment)
      segment  baskets  with X  with X and Y  confidence   lift
      old           12       4             2         0.5      3
      young          8       8             6        0.75      1
      all           20      12             8      0.6667  1.667
      The segments do not differ significantly (chi-square test, p = 0.386).
    """
    left, right = _names(baskets, antecedent), _names(baskets, consequent)
    masks, apart = _masks(baskets.n, segments, cuts)
    overall = _counted(ItemBits(baskets), left, right, baskets.total)
    associations = []
    for name, mask in masks.items():
        part = baskets[mask]
        counted = _counted(ItemBits(part), left, right, part.total)
        associations.append(Association(left, right, counted.xy, counted.x, counted.y, counted.n, name))
    weighted = baskets.weights is not None
    return SegmentTable(
        overall, tuple(associations), _alike(associations) if apart and not weighted else None
    )


def _masks(n: int, segments: Any, cuts: Any) -> tuple[dict[str, np.ndarray], bool]:
    """The baskets of each segment, and whether no basket is in two of them."""
    from assay.core.targets import plain_values

    labels = None
    if not hasattr(segments, "columns") and not isinstance(segments, dict):
        labels = np.asarray(plain_values(segments), dtype=object)
    if labels is not None and labels.ndim == 1:
        if len(labels) != n:
            raise DataError(f"segment_associations: {n} baskets need as many labels, got {len(labels)}.")
        names = [v for v in dict.fromkeys(labels.tolist()) if v is not None and v == v]
        return {str(v): labels == v for v in sorted(names, key=str)}, True
    rows = Baskets.from_table(segments, cuts)
    if rows.n != n:
        raise DataError(f"segment_associations: {n} baskets need as many rows of attributes, got {rows.n}.")
    return {str(name): rows.holding(name) for name in rows.items}, int(rows.sizes.max(initial=0)) <= 1


def _alike(associations: Sequence[Association]) -> float | None:
    """The chi-square test of equal shares of Y among the baskets with X."""
    table = np.array([[o.xy, o.x - o.xy] for o in associations if o.x > 0], np.float64)
    if len(table) < 2 or not (table.sum(axis=0) > 0).all():
        return None
    from scipy.special import chdtrc

    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    return float(chdtrc(len(table) - 1, ((table - expected) ** 2 / expected).sum()))


@dataclass(eq=False)
class PairTable:
    """The associations of every pair of items.

    Parameters
    ----------
    items : tuple of names
    counts : (d, d) baskets that hold both; on the diagonal those that hold the item
    n : all baskets
    """

    items: tuple[Any, ...]
    counts: np.ndarray
    n: float

    def measure(self, name: str = "confidence") -> np.ndarray:
        """(d, d) a measure of the rule row -> column; on the diagonal, that of the item and itself."""
        single = np.diag(self.counts)
        return interest(name, self.counts, single[:, None], single[None, :], self.n)

    def to_frame(self, measure: str = "confidence") -> Any:
        """A pandas frame of a measure; rows are X, columns are Y."""
        import pandas as pd

        return pd.DataFrame(self.measure(measure), index=list(self.items), columns=list(self.items))

    def __str__(self) -> str:
        shown = list(range(min(len(self.items), 10)))
        values = self.measure()
        rows = [[one_line(self.items[i], 20), *(float(values[i, j]) for j in shown)] for i in shown]
        more = f"\n  ... and {len(self.items) - 10} more items" if len(self.items) > 10 else ""
        return (
            "P(column | row)\n" + text_table(["", *(one_line(self.items[j], 20) for j in shown)], rows) + more
        )


def pairwise_associations(baskets: Baskets, items: Sequence[Any] | None = None) -> PairTable:
    """P(Y|X), and any other measure, for every pair of items.

    Parameters
    ----------
    baskets : Baskets
    items : names, default None for all

    Examples
    --------
    >>> from assay.associations import Baskets, pairwise_associations
    >>> print(pairwise_associations(Baskets.from_lists([["milk", "tea"], ["milk"], ["milk", "tea"], ["tea"]])))
    P(column | row)
              milk     tea
      milk       1  0.6667
      tea   0.6667       1
    """
    names = tuple(baskets.items if items is None else items)
    codes = [baskets.code(name) for name in names]
    if len(codes) > 20_000:
        raise DataError(
            f"pairwise_associations: {len(codes):,} items have too many pairs. Name the items to compare."
        )
    held = baskets.to_sparse().tocsc()[:, codes].astype(np.float64)
    weighted = held if baskets.weights is None else held.multiply(baskets.weights[:, None])
    counts = np.asarray((weighted.T @ held).todense())
    return PairTable(names, counts if baskets.weights is not None else counts.astype(np.int64), baskets.total)
