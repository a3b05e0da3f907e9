"""The conditions that a rule may add, and the best of them: one pass over the columns of the rows it covers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

import assay.rules.covering._candidates as _candidates
from assay.core.parallel import in_threads
from assay.rulebase.conditions import Condition
from assay.rules.covering.measure import RuleMeasure
from assay.tables import Schema
from assay.trees.columns import rank_columns

__all__ = ["Candidate", "CandidateTable", "Offers", "RuleMeasure"]

UP_TO, ABOVE, EQUAL = 1, 2, 3  # kinds of candidates, as the native code counts them
WORTH_A_THREAD = 1 << 17  # entries
WORTH_KEEPING = 0.7  # sorted columns of which a smaller share is left are made anew
SIDE = 4  # columns that one thread takes at a time


class Candidate(NamedTuple):
    """One condition that a rule may add.

    Parameters
    ----------
    column : int      kind : 1 for <=, 2 for >, 3 for =
    low, high : int
        The ranks on both sides of the cut; the rank of the category.
    key : float
        What it is ordered by: the rounded value.
    value : float
        The measure of the rule with this condition.
    coverage : float      counts : (K,)
        The weight that it leaves, and per class.
    """

    column: int
    kind: int
    low: int
    high: int
    key: float
    value: float
    coverage: float
    counts: np.ndarray

    @property
    def rank(self) -> tuple[float, float]:
        """Larger is better: the key, then the coverage."""
        return self.key, self.coverage

    @property
    def place(self) -> tuple[int, int, int]:
        """Its key among the candidates of a rule."""
        return self.column, self.kind, self.low


class CandidateTable:
    """Training rows, their columns sorted once, of which rules are learned.

    Parameters
    ----------
    X : (n, d) block      schema : Schema      y : (n,) codes      w : (n,) positive weights or None      K : int

    Attributes
    ----------
    rows : (a,) int32
        The rows that are still to be covered; all at first.

    Examples
    --------
    >>> from assay.rules.covering.candidates import CandidateTable, RuleMeasure
    >>> from assay.tables import Schema
    >>> X, y = np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 1])
    >>> table = CandidateTable(X, Schema.numeric(1), y, None, 2)
    >>> best = table.best(table.rows, RuleMeasure("foil"), target=1, prior=table.shares()).first
    >>> table.condition(best), best.counts, round(best.value, 3)
    (Condition(column=0, low=1.5, ...), array([0., 2.]), 1.17)
    """

    def __init__(self, X: np.ndarray, schema: Schema, y: np.ndarray, w: np.ndarray | None, K: int):
        self.nominal = np.array([column.kind == "nominal" for column in schema], np.uint8)
        categories = np.where(self.nominal, schema.category_counts(), 0)
        columns = rank_columns(np.ascontiguousarray(X, np.float64), categories)
        self.ranks, self.values, self.start = columns.ranks, columns.values, columns.start
        self.width = np.diff(columns.start).astype(np.int32)
        self.y = np.ascontiguousarray(y, np.int32)
        self.w = np.empty(0) if w is None else np.ascontiguousarray(w, np.float64)
        self.K, self.N = K, len(y)
        self.total = float(self.N if w is None else self.w.sum())
        self.rows = np.arange(self.N, dtype=np.int32)
        self._order = self._whole_order = columns.order
        whole = np.arange(self.N + 1, dtype=np.float64)
        self._xlog = np.empty(0) if w is not None else whole * np.log2(np.maximum(whole, 1.0))
        self._inside = np.zeros(self.N, np.uint8)

    def counts(self, rows: np.ndarray) -> np.ndarray:
        """(K,) the weight of each class among some rows."""
        weights = self.w[rows] if len(self.w) else None
        return np.bincount(self.y[rows], weights, minlength=self.K).astype(np.float64)

    def shares(self) -> np.ndarray:
        """(K,) the share of each class among the rows still to be covered."""
        counts = self.counts(self.rows)
        return counts / max(counts.sum(), np.finfo(float).tiny)

    def without(self, rows: np.ndarray) -> None:
        """Take rows out of those that are still to be covered."""
        stay = np.zeros(self.N, bool)
        stay[self.rows] = True
        stay[rows] = False
        self._keep(stay)

    def again(self, rows: np.ndarray) -> None:
        """Make exactly these rows those that are still to be covered."""
        stay = np.zeros(self.N, bool)
        stay[rows] = True
        self._order = self._whole_order
        self._keep(stay)

    def _keep(self, stay: np.ndarray) -> None:
        """Rows that are gone may stay in the sorted columns for a while: only covered ones are looked at there."""
        self.rows = np.flatnonzero(stay).astype(np.int32)
        order = self._order
        if len(self.rows) < WORTH_KEEPING * order.shape[1]:
            # every column holds each row once, so every column keeps as many
            self._order = order[stay[order.astype(np.uint32)]].reshape(len(order), -1)

    def best(
        self,
        rows: np.ndarray,
        measure: RuleMeasure,
        target: int | None,
        prior: np.ndarray,
        *,
        most: int = 1,
        counts: np.ndarray | None = None,
        before: float = 0.0,
        improve: bool = False,
        least: float = 0.0,
        threshold: float | None = None,
        unchanged: bool = False,
        skip: Sequence[int] = (),
    ) -> Offers:
        """The best candidates of every column for the rule that covers these rows.

        Parameters
        ----------
        rows : (m,) int32, ascending, among ``self.rows``
        measure : RuleMeasure      target : class code, or None for the largest class of each candidate
        prior : (K,) expected shares of the classes
        most : int
            How many of each column.
        counts : (K,) the class weights of the rows, if they are known
        before : float
            FOIL: the value of the rule so far.
        improve : bool
            Only candidates that are better than the rule without them.
        least : float
            The least weight that a candidate leaves.
        threshold : float or None
            Look also for the best candidate with a larger likelihood ratio than this.
        unchanged : bool
            Also categories that all of the rows have.
        skip : columns that are not looked at
        """
        d = len(self.width)
        records, counted = np.empty((d, most + 1, 6)), np.empty((d, most + 1, self.K))
        parent = self.counts(rows) if counts is None else counts
        quality = measure.quality(prior, target, self.total, before)
        limit = -1.0 if threshold is None else float(threshold)
        wanted = _candidates.Wanted(
            improve=improve, unchanged=unchanged, least=least, threshold=limit, most=most
        )
        self._inside[rows] = 1
        skipped = np.zeros(d, np.uint8)
        skipped[list(skip)] = 1

        table = _candidates.Table(
            order=self._order,
            ranks=self.ranks,
            width=self.width,
            nominal=self.nominal,
            y=self.y,
            w=self.w,
        )

        def work(block: tuple[int, int]) -> None:
            a, b = block
            _candidates.best(
                table=table,
                quality=quality,
                wanted=wanted,
                xlog=self._xlog,
                skip=skipped,
                inside=self._inside,
                rows=rows,
                counts0=parent,
                start=a,
                stop=b,
                candidates=records[a:b].reshape(-1, 6),
                counts=counted[a:b].reshape(-1, self.K),
            )

        try:
            if len(rows) * d < WORTH_A_THREAD:
                work((0, d))
            else:
                in_threads(work, [(j, min(j + SIDE, d)) for j in range(0, d, SIDE)])
        finally:
            self._inside[rows] = 0
        return Offers(records, counted)

    def narrowed(self, rows: np.ndarray, candidate: Candidate) -> np.ndarray:
        """The rows that also meet a candidate."""
        ranks = self.ranks[candidate.column][rows]
        if candidate.kind == UP_TO:
            return rows[ranks <= candidate.low]
        if candidate.kind == ABOVE:
            return rows[(ranks >= candidate.high) & (ranks < self.width[candidate.column])]
        return rows[ranks == candidate.low]

    def condition(self, candidate: Candidate) -> Condition:
        """A candidate as a condition; the cut is half way between the values on both sides."""
        j = candidate.column
        if candidate.kind == EQUAL:
            return Condition(j, codes=(candidate.low,))
        cut = self.cut(j, candidate.low, candidate.high)
        return Condition(j, high=cut) if candidate.kind == UP_TO else Condition(j, low=cut)

    def cut(self, j: int, low: int, high: int) -> float:
        """The number half way between two ranks of a column; always below the higher one."""
        below, above = (float(self.values[self.start[j] + rank]) for rank in (low, high))
        middle = below / 2 + above / 2
        return max(middle, below) if middle < above else below


class Offers:
    """The candidates of the columns: ``records`` (d, most + 1, 6) and ``counts`` (d, most + 1, K)."""

    def __init__(self, records: np.ndarray, counts: np.ndarray):
        self._records, self._counts = records, counts

    def __iter__(self) -> Iterator[Candidate]:
        """All, the best first; among equals the first column."""
        return self._listed(self._records[:, :-1], self._counts[:, :-1])

    def of_columns(self) -> Iterator[Candidate]:
        """The best of each column, the best first."""
        return self._listed(self._records[:, :1], self._counts[:, :1])

    @property
    def first(self) -> Candidate | None:
        """The best of all."""
        return next(iter(self), None)

    @property
    def significant(self) -> Candidate | None:
        """The best whose likelihood ratio is above the threshold."""
        return next(self._listed(self._records[:, -1:], self._counts[:, -1:]), None)

    def _listed(self, records: np.ndarray, counts: np.ndarray) -> Iterator[Candidate]:
        most = records.shape[1]
        flat = records.reshape(-1, 6)
        order = np.lexsort((-flat[:, 2], -flat[:, 0]))
        for at in order[flat[order, 3] > 0].tolist():
            key, value, coverage, kind, low, high = flat[at].tolist()
            column, place = divmod(at, most)
            yield Candidate(
                column, int(kind), int(low), int(high), key, value, coverage, counts[column, place]
            )
