"""Version space: all boxes that agree with the labelled rows, represented by the most specific and the most general."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Each, Integer, Object, Plain
from assay.core.targets import encode_labels
from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule
from assay.rules.version_spaces.box import (
    Box,
    Nominal,
    box_between,
    hull,
    in_order,
    joined,
    limited,
    refuse_outside,
)
from assay.rules.version_spaces.box_sides import maximal, sides_of, widest
from assay.tables import Schema, Table
from assay.tables.row_names import RowNames, row_name
from assay.tables.table import UNSEEN
from assay.types import Label, TableLike, Target

__all__ = ["VersionSpace", "positive_rows"]


@dataclass(frozen=True)
class VersionSpace:
    r"""The boxes that cover every positive row and no negative one.

    They are the boxes between the most specific one S, the tightest around the positives, and one of the most general
    ones, which cannot grow without a negative:

    .. math:: \{h : S \subseteq h \subseteq G_j \text{ for some } j\}                               \quad (1)

    A row in S is surely positive, a row outside every :math:`G_j` surely negative, and in between there is doubt. If a
    negative lies in S, no box agrees with all rows and the space is empty. Ends that a negative sets are open, so that
    the negative itself stays outside.

    There can be exponentially many :math:`G_j` in the number of columns. They are found negative by negative, and only
    boxes of which every side is needed are kept.

    Parameters
    ----------
    schema : Schema
    specific : Box
        S; the empty box as long as there is no positive.
    general : tuple of Box
        The G-set.
    conflicts : tuple of int
        Rows of negatives that lie in S.
    positive : label
    nominal : "value" or "set"
        What a condition on a nominal column can be: one category or any (as in the candidate elimination of conjunctive
        concepts), or any set of categories.

    Examples
    --------
    The family car: price and engine power.

    >>> from assay.rules import VersionSpace
    >>> X = [[3, 3], [4, 5], [6, 4], [5, 6], [1, 4], [8, 5], [4, 1], [5, 9], [8, 8]]
    >>> space = VersionSpace.of(X, [1] * 4 + [0] * 5, names=["price", "power"])
    >>> print(space)
    S: 3 <= price <= 6 AND 3 <= power <= 6
    G: 1 < price < 8 AND 1 < power < 9
    >>> space.membership([[4, 4], [7, 7], [9, 4]])
    array([1. , 0.5, 0. ])

    See Also
    --------
    CandidateElimination, BooleanHypotheses, BoxClassifier

    References
    ----------
    - Mitchell, T. M. (1982). Generalization as search. Artificial Intelligence 18(2), 203-226.
      doi:10.1016/0004-3702(82)90040-6
    """

    schema: Schema
    specific: Box
    general: tuple[Box, ...]
    conflicts: tuple[int, ...] = ()
    positive: Label = 1
    nominal: Nominal = "value"
    stored = {
        "schema": Object(Schema),
        "specific": Object(Box),
        "general": Each(Object(Box)),
        "conflicts": Each(Integer()),
        "positive": Plain(),
    }

    @classmethod
    def of(
        cls,
        X: TableLike,
        y: Target,
        positive: Label | None = None,
        *,
        nominal: Nominal = "value",
        domain: Any = None,
        limit: int = 10_000,
        names: Any = None,
    ) -> VersionSpace:
        """All boxes that agree with the rows of X and their labels.

        Parameters
        ----------
        X : table      y : (n,) labels
        positive : label
            The rows that the boxes must cover; all others must stay outside. None is the last of two labels, sorted.
        nominal : "value" or "set"
        domain : dict {column: (low, high)} or None
            Where the values of a column end; a side that no negative sets stops there instead of at infinity.
        limit : int
            More most general boxes than this are an error.
        names : list of str or None
            Names for the columns of an array.
        """
        who = "VersionSpace"
        if nominal not in ("value", "set"):
            raise ParameterError(f"{who}: nominal must be 'value' or 'set', got {nominal!r}.")
        table = Table.of(X, who=who)
        if names is not None:
            table = Table.of({name: table.values[:, j] for j, name in enumerate(names)}, who=who)
        values, schema = block_without_gaps(table, who), table.schema
        refuse_outside(values, domain, schema, who)
        labels, codes = encode_labels(y, len(values), who)
        k = positive_rows(labels, positive, who)
        yes = codes == k
        S = hull(values[yes], schema, nominal)
        label = labels[k].item() if hasattr(labels[k], "item") else labels[k]
        if S.empty:
            raise DataError(f"{who}: no row is {label!r}; a tightest box needs one positive row.")
        negatives = np.flatnonzero(~yes)
        N = values[negatives]
        sides = sides_of(S, N, nominal)
        conflicts = tuple(negatives[sides.inside].tolist())
        bounds = [] if conflicts else maximal(sides, limit, who)
        general = [limited(sides.box(S, bound, N, schema), domain, schema, who) for bound in bounds]
        return cls(schema, S, in_order(general, len(schema)), conflicts, label, nominal)

    @property
    def empty(self) -> bool:
        """Whether no box agrees with all rows."""
        return not self.general

    def consistent(self, h: Any) -> bool:
        """Whether a hypothesis is one of (1).

        Parameters
        ----------
        h : Box, Rule, or iterable of conditions
        """
        box = as_box(h)
        return box.contains(self.specific) and any(G.contains(box) for G in self.general)

    def membership(self, X: TableLike) -> np.ndarray:
        """(n,) 1 where every box of the space covers the row, 0 where none does, 0.5 in doubt."""
        return self.levels(self._block(X))

    def levels(self, values: np.ndarray) -> np.ndarray:
        """``membership`` of a float block, categories as codes."""
        some = np.zeros(len(values), bool)
        for G in self.general:
            some |= G.covers(values)
        return np.where(self.specific.covers(values), 1.0, np.where(some, 0.5, 0.0))

    def doubt(self, X: TableLike) -> np.ndarray:
        """(n,) bool: whether some boxes of the space cover the row and others do not."""
        return self.membership(X) == 0.5

    def between(self, tau: float = 0.5) -> Box:
        """The box between S (tau = 0) and the G that leaves the widest margin (tau = 1).

        With costs of errors, tau = cost of a false negative / (cost of a false negative + cost of a false positive).
        """
        if self.empty:
            raise DataError("VersionSpace: the space is empty, so there is no box in it.")
        return max((box_between(self.specific, G, tau) for G in self.general), key=lambda h: self.margin(h))

    def margin(self, h: Any) -> float:
        """The smallest distance of a finite end of a hypothesis from S; infinite if it has none."""
        box, gaps = as_box(h), [np.inf]
        for s in self.specific.conditions:
            c = box.on(s.column)
            if c is not None and c.codes is None:
                gaps += [gap for gap in (s.low - c.low, c.high - s.high) if np.isfinite(gap)]
        return float(min(gaps))

    def _block(self, X: Any) -> np.ndarray:
        table = Table.like(X, self.schema, "VersionSpace")
        values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
        return np.where((values == UNSEEN) & self.schema.coded, np.nan, values) if table.unseen else values

    def __str__(self) -> str:
        lines = [f"S: {self.specific.words(self.schema)}"]
        if self.conflicts:
            shown = RowNames().listed(self.conflicts)
            return f"{lines[0]}\nNo box agrees with all rows: {shown} of another class in S."
        return "\n".join(lines + [f"G: {G.words(self.schema)}" for G in self.general])


def as_box(h: Any) -> Box:
    """A hypothesis as a box, its conditions on the same column merged."""
    if isinstance(h, Box):
        return h
    conditions: tuple[Any, ...] = h.conditions if isinstance(h, Rule) else tuple(h)
    if not all(isinstance(c, Condition) for c in conditions):
        raise TypeError("A box is made of conditions on one column each.")
    return joined(conditions)


def positive_rows(labels: np.ndarray, positive: Any, who: str) -> int:
    """The number of the positive label; None is the last of two."""
    if positive is None:
        if len(labels) > 2:
            raise ParameterError(
                f"{who}: y has {len(labels)} labels; say which one is positive: positive={labels[-1].item()!r}."
                if hasattr(labels[-1], "item")
                else f"{who}: y has {len(labels)} labels; say which one is positive."
            )
        return len(labels) - 1
    if np.ndim(positive) or positive not in labels.tolist():
        raise ParameterError(f"{who}: positive is {positive!r}, but y has {labels.tolist()}.")
    return labels.tolist().index(positive)


def block_without_gaps(table: Table, who: str) -> np.ndarray:
    """The rows as a dense block; a missing value is refused."""
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    gaps = np.isnan(values)
    if gaps.any():
        i, j = np.argwhere(gaps)[0]
        raise DataError(
            f"{who}: column {table.schema[j].name} has {int(gaps[:, j].sum())} missing value(s), first in "
            f"{row_name(i)}. "
            "BoxClassifier takes missing values as they are; or fill them in first (assay.prepare.SimpleImputer)."
        )
    return values


def tightest_and_widest(
    X: np.ndarray, yes: np.ndarray, schema: Schema, nominal: Nominal, units: str
) -> tuple[Box, Box, np.ndarray, np.ndarray]:
    """S, the G of the widest margin, the rows that lie in S though negative, and the rows that define both boxes."""
    S = hull(X[yes], schema, nominal)
    if S.empty:
        return S, S, np.zeros(0, np.int64), np.zeros(0, np.int64)
    negatives = np.flatnonzero(~yes)
    N = X[negatives]
    sides = sides_of(S, N, nominal, units)
    bound, support = widest(sides)
    G = sides.box(S, bound, N, schema)
    positive = np.flatnonzero(yes)
    corners = [
        positive[_corner(X[positive, j], S.on(j), c.kind == "nominal", nominal)] for j, c in enumerate(schema)
    ]
    rows = np.unique(np.concatenate([*corners, negatives[support]]).astype(np.int64))
    return S, G, negatives[sides.inside], rows


def _corner(x: np.ndarray, c: Condition | None, coded: bool, nominal: Nominal) -> list[int]:
    """Rows that S needs: one at each end of the interval, one for each category (two if any will do), one missing."""
    if c is None and not coded:
        return []
    if c is None or c.codes is not None:
        at = np.unique(x[~np.isnan(x)]).tolist()[: 2 if nominal == "value" else None]
    else:
        at = [c.low, c.high]
    rows = [int(np.flatnonzero(x == v)[0]) for v in at]
    return rows + ([int(np.flatnonzero(np.isnan(x))[0])] if c is not None and c.missing else [])
