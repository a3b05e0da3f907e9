"""Growing and pruning of single rules on ranked columns: what IREP and RIPPER share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

import assay.rules.covering._growth as _growth
from assay.rulebase.conditions import Condition, RowTest
from assay.tables import Schema
from assay.trees import rank_columns
from assay.trees.rules import joined

__all__ = ["ClassRows", "Draft", "RankedTable", "best_prefix"]

BELOW, ABOVE, EQUAL = 1, 2, 3  # x <= cut, x > cut (or x >= cut), x = a category
COMPACT_BELOW = 0.7  # sorted columns are copied without the rows that left once so few remain
EQUAL_VALUE = 1e-12  # two values of a rule that differ by less are equal


@dataclass(frozen=True, eq=False)
class Draft:
    """A rule in the making: for each condition, in the order found, its column and which ranks meet it.

    Attributes
    ----------
    column : (m,) int32      kind : (m,) int32 BELOW, ABOVE or EQUAL      low, high : (m,) int32, both inside
    cut : (m,) float64
        The number that a value is compared with.
    """

    column: np.ndarray
    kind: np.ndarray
    low: np.ndarray
    high: np.ndarray
    cut: np.ndarray

    def __len__(self) -> int:
        return len(self.column)

    def first(self, m: int) -> Draft:
        """Its first m conditions."""
        if m == len(self):
            return self
        return Draft(self.column[:m], self.kind[:m], self.low[:m], self.high[:m], self.cut[:m])

    def then(self, more: Draft) -> Draft:
        """These conditions and after them more."""
        ours, theirs = vars(self).values(), vars(more).values()
        return Draft(*(np.concatenate(pair) for pair in zip(ours, theirs)))


class RankedTable:
    """A table whose columns are sorted once, so that a rule is grown and applied by comparing ranks.

    Parameters
    ----------
    X : (n, d) float block      schema : Schema      w : (n,) weights or None
    correction : 0 or 1
        What is added to both counts in the logarithms of the FOIL gain: 0 as in the books, 1 as in Weka.
    midpoint : bool, default True
        Cut in the middle between two neighbouring values of covered rows; False cuts at the value inside.

    Attributes
    ----------
    n_tests : int
        How many conditions there are to choose from: each category, and both signs for each distinct number.

    Examples
    --------
    The rows above 2.5 are positive:

    >>> import numpy as np
    >>> from assay.rules.covering.growing import ClassRows, RankedTable
    >>> from assay.tables import Schema
    >>> table = RankedTable(np.array([[1.0], [2.0], [3.0], [4.0]]), Schema.numeric(1))
    >>> rows = ClassRows(table, np.arange(4), np.array([0, 0, 1, 1]) == 1)
    >>> draft = rows.grow(rows.state(np.arange(4)))
    >>> table.words(draft), table.n_tests, rows.covers(draft)
    ('x0 > 2.5', 8, array([False, False,  True,  True]))
    """

    def __init__(
        self,
        X: np.ndarray,
        schema: Schema,
        w: np.ndarray | None = None,
        *,
        correction: float = 0.0,
        midpoint: bool = True,
    ):
        categories = schema.category_counts(ordered=False)
        columns = rank_columns(X, categories)
        self.n, self.d, self.schema = columns.n, columns.d, schema
        self.order, self.ranks, self.values, self.start = (
            columns.order,
            columns.ranks,
            columns.values,
            columns.start,
        )
        self.nominal = (categories > 0).view(np.uint8)
        self.n_tests = int((np.diff(self.start) * (2 - self.nominal)).sum())
        self.w = w
        self.correction, self.midpoint = float(correction), midpoint
        self._weights = np.empty(0) if w is None else np.ascontiguousarray(w, np.float64)
        self._logs = np.log2(np.maximum(np.arange(self.n + 2), 1))
        self._scratch = np.empty(self.n * self.d, np.uint64)

    def grow(self, order: np.ndarray, state: np.ndarray, min_positive: float, most: int) -> Draft:
        """The conditions of largest gain, one after the other, until no negative row is covered.

        Parameters
        ----------
        order : (d, m) presorted keys of at least the rows in question
        state : (n,) uint8: 1 a negative row, 2 a positive one, else ignored; rows that leave become 0
        min_positive : float
            A condition that would leave less weight of positives ends the growth.
        most : int
            Conditions at most.
        """
        return Draft(
            *_growth.grow(
                order=order,
                state=state,
                w=self._weights,
                logs=self._logs,
                nominal=self.nominal,
                start=self.start,
                values=self.values,
                scratch=self._scratch,
                min_positive=float(min_positive),
                max_conditions=most,
                c=self.correction,
                midpoint=self.midpoint,
            )[:5]
        )

    def narrowed(self, order: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The presorted keys of these rows, or of more where a copy would not pay."""
        if len(rows) > COMPACT_BELOW * order.shape[1]:
            return order
        keep = np.zeros(self.n, np.uint8)
        keep[rows] = 1
        out = np.empty((self.d, len(rows)), np.uint64)
        _growth.narrow(order, keep, out)
        return out

    def conditions(self, draft: Draft) -> tuple[RowTest, ...]:
        """The conditions as a rule holds them, those on one column merged into the tightest interval."""
        premise: tuple[RowTest, ...] = ()
        for j, kind, low, cut in zip(
            draft.column.tolist(), draft.kind.tolist(), draft.low.tolist(), draft.cut.tolist()
        ):
            if kind == EQUAL:
                condition = Condition(j, codes=(low,))
            elif kind == BELOW:
                condition = Condition(j, high=cut)
            else:
                condition = Condition(j, low=cut, closed="neither" if self.midpoint else "left")
            premise = joined(premise, condition)
        return premise

    def words(self, draft: Draft) -> str:
        """The conditions in words."""
        return " AND ".join(c.words(self.schema, missing=False) for c in self.conditions(draft)) or "anything"


class ClassRows:
    """The rows that rules for one class are learned from: its own, positive, against all others.

    Parameters
    ----------
    table : RankedTable
    rows : (m,) row numbers of the table      positive : (m,) bool

    Attributes
    ----------
    w : (m,) weights or None      P, N : weight of the positive and of the negative rows
    flags : (m,) uint8 and weights : (m,) or (0,), positive and w as native code takes them
    order : presorted keys of these rows
    """

    def __init__(
        self, table: RankedTable, rows: np.ndarray, positive: np.ndarray, order: np.ndarray | None = None
    ):
        self.table, self.rows, self.positive = table, rows, positive
        self.w = None if table.w is None else table.w[rows]
        self.flags = np.ascontiguousarray(positive).view(np.uint8)
        self.weights = np.empty(0) if self.w is None else self.w
        self.order = table.narrowed(table.order if order is None else order, rows)
        self.P, self.N = self.weigh(np.ones(len(rows), bool))

    def __len__(self) -> int:
        return len(self.rows)

    def weigh(self, which: np.ndarray) -> tuple[float, float]:
        """The weight of the positive and of the negative rows among some (a bool for each row)."""
        if self.w is None:
            p = np.count_nonzero(which & self.positive)
            return float(p), float(np.count_nonzero(which) - p)
        return float(self.w[which & self.positive].sum()), float(self.w[which & ~self.positive].sum())

    def state(self, among: np.ndarray) -> np.ndarray:
        """(n,) uint8 for :meth:`grow`: 2 for positive and 1 for negative rows among some places, else 0."""
        state = np.zeros(self.table.n, np.uint8)
        state[self.rows[among]] = 1 + self.positive[among].view(np.uint8)
        return state

    def split(self, among: np.ndarray, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows to grow with, as a state, and the places of the rows to prune with: a share of either class."""
        positive = self.positive[among].view(np.uint8)
        P = int(np.count_nonzero(positive))
        state, held = np.zeros(self.table.n, np.uint8), np.empty(len(among), np.uint8)
        _growth.hold_out(
            rows=self.rows[among],
            positive=positive,
            negatives=round(share * (len(among) - P)),
            positives=min(round(share * P), max(P - 1, 0)),
            seed=seed,
            state=state,
            held=held,
        )
        return state, among[held.view(bool)]

    def grow(
        self,
        state: np.ndarray,
        order: np.ndarray | None = None,
        min_positive: float = 0.0,
        most: int | None = None,
    ) -> Draft:
        """A rule grown on the rows of a state; see :meth:`RankedTable.grow`."""
        keys = self.order if order is None else order
        return self.table.grow(keys, state, min_positive, 2**31 if most is None else most)

    def covers(self, draft: Draft) -> np.ndarray:
        """(m,) bool: which rows meet all conditions."""
        met = np.empty(len(self.rows), np.uint8)
        _growth.covers(self.table.ranks, self.rows, draft.column, draft.low, draft.high, met)
        return met.view(bool)

    def prefix_counts(self, draft: Draft, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """p and n, (conditions + 1,) each: what the first 0, 1, 2, ... conditions cover among some places."""
        counts = np.empty((len(draft) + 1, 2))
        _growth.prefix_counts(
            ranks=self.table.ranks,
            rows=self.rows,
            among=among,
            positive=self.flags,
            w=self.weights,
            column=draft.column,
            low=draft.low,
            high=draft.high,
            counts=counts,
        )
        return counts[:, 1], counts[:, 0]


def best_prefix(values: ArrayLike) -> int:
    """How many conditions to keep: the shortest prefix among those of largest value.

    >>> from assay.rules.covering.growing import best_prefix
    >>> best_prefix([0.1, 0.4, 0.4, -1.0])
    1
    """
    values = np.asarray(values)
    return int(np.argmax(values >= values.max() - EQUAL_VALUE))
