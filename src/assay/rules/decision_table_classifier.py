"""Decision tables: the majority class for each combination of a few selected columns."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

import assay.rules._decision_table as _decision_table
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Flag
from assay.core.progress import progress
from assay.core.stored import Each, FloatArray, IntArray, Integer, Mapped, Plain, Scalar
from assay.rulebase.conditions import Condition, missing
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.stats.information.mdl_cuts import mdl_cuts

__all__ = ["DecisionTableClassifier"]

WORTH_A_THREAD = 1 << 15  # rows


class DecisionTableClassifier(RuleClassifier):
    r"""Classify by looking a row up in a table over a few columns (Kohavi 1995).

    Each combination of values that occurs is a rule with the most frequent class of its rows. Which columns the table
    has is found by best-first search from none: the best set so far that was not yet extended gets each other column
    in turn, until ``max_stale`` extensions in a row brought nothing better. A set S is as good as the rows it gets
    right when each is left out once,

    .. math:: \text{right}(S) = \sum_i w_i \bigl[\, y_i = \arg\max_k\, (n_{gk} - v_i [k = y_i]) \,\bigr] \quad (1)

    with g the rows that agree with row i in S and :math:`v_i = \min(w_i, 1)`: a row of weight 2 is two rows. One that
    is alone counts as right if it has the default class. Numbers are first cut into intervals that tell the classes
    apart (:func:`assay.stats.information.mdl_cuts.mdl_cuts`); missing is a value of its own.

    Use it to see how far a handful of columns goes. A row whose combination never occurred gets the most frequent
    class, or with ``nearest`` that of the combinations that differ from it in the fewest columns.

    Cost: fit O(s n) for s sets that are tried, at most d for each step of the search; predict O(d) a row, by a look-up;
    memory O(n d) to fit, O(rules) kept.

    Parameters
    ----------
    max_stale : int, default 5
        Extensions without an improvement after which the search ends.
    nearest : bool, default False
        What to answer where the table has no entry: the most frequent class, or the nearest entries.
    max_columns : int or None, default None
        Columns in the table, at most.

    Attributes
    ----------
    rules_ : RuleBase, one rule for each entry      classes_ : (K,)
    columns_ : tuple of int
        The columns of the table.
    right_ : float
        (1) of that set, as a share of all rows.
    cuts_ : dict of column to (c,) cuts
        Of the columns of numbers in the table.
    history_ : list of (columns, share)
        Every set that was extended, and its (1).

    Examples
    --------
    >>> from assay.rules import DecisionTableClassifier
    >>> from assay.tables.data import load_contact_lenses
    >>> lenses = load_contact_lenses()
    >>> model = DecisionTableClassifier().fit(lenses.X, lenses.y)
    >>> print(model)
    R1: IF astigmatism = 'no' AND tear-prod-rate = 'reduced' THEN none
    R2: IF astigmatism = 'no' AND tear-prod-rate = 'normal' THEN soft
    R3: IF astigmatism = 'yes' AND tear-prod-rate = 'reduced' THEN none
    R4: IF astigmatism = 'yes' AND tear-prod-rate = 'normal' THEN hard
    ELSE none
    >>> round(model.right_, 3)
    0.875

    See Also
    --------
    OneRClassifier, MemorisingRuleClassifier

    References
    ----------
    - Kohavi, R. (1995). The power of decision tables. European Conference on Machine Learning, 174-189.
    """

    card = Card(
        "decision table",
        "a look-up table over a few columns",
        learns=(
            "a table over some columns",
            "errors, each row by the others",
            "a search over the columns",
            "greedy",
        ),
    )
    accepts = {"max_stale": Count(1), "nearest": Flag(), "max_columns": Count(0) | None}
    stored = {
        "cell_counts_": FloatArray("m", "K"),
        "cells_": IntArray("m", "c"),
        "columns_": Each(Integer(below="d"), "c"),
        "cuts_": Mapped(FloatArray("*")),
        "history_": Plain(list),
        "right_": Scalar(),
    }

    def __init__(self, max_stale: int = 5, nearest: bool = False, max_columns: int | None = None):
        self.max_stale = max_stale
        self.nearest = nearest
        self.max_columns = max_columns

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if w is not None and not w.all():
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        y = np.ascontiguousarray(y, np.int32)
        d, K = X.shape[1], len(self.classes_)
        cuts = self._cuts(X, y, w)
        codes = [self._codes(X[:, j], j, cuts.get(j)) for j in range(d)]
        default = int(np.bincount(y, w, minlength=K).argmax())
        search = _Search(codes, y, w, K, default)
        self.columns_, right, history = search.run(
            self.max_stale, d if self.max_columns is None else self.max_columns
        )
        total = float(len(y) if w is None else w.sum())
        self.right_, self.history_ = right / total, [(s, r / total) for s, r in history]
        self.cuts_ = {j: cuts[j] for j in self.columns_ if j in cuts}
        table = np.column_stack([codes[j] for j in self.columns_] or [np.zeros(len(y), np.int32)])
        self.cells_, group = np.unique(table, axis=0, return_inverse=True)
        counts = np.zeros((len(self.cells_), K))
        np.add.at(counts, (group.ravel(), y), 1.0 if w is None else w)
        self.cell_counts_ = counts
        rules = [
            (tuple(self._condition(j, int(c)) for j, c in zip(self.columns_, cell)), int(counts[g].argmax()))
            for g, cell in enumerate(self.cells_)
            if self.columns_
        ]
        self.rules_ = class_rules(self, rules, X, y, w, default=default)

    def _cuts(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> dict[int, np.ndarray]:
        numeric = [j for j, column in enumerate(self.schema_) if not column.coded]

        def cut(j: int) -> np.ndarray:
            return mdl_cuts(X[:, j], y, w)

        cuts = in_threads(cut, numeric) if len(y) >= WORTH_A_THREAD else [cut(j) for j in numeric]
        return dict(zip(numeric, cuts))

    def _codes(self, x: np.ndarray, j: int, cuts: np.ndarray | None) -> np.ndarray:
        """(n,) the interval or category of each row; the number behind the last means missing."""
        last = len(self.schema_[j].categories) if cuts is None else len(cuts) + 1
        inside = x if cuts is None else np.searchsorted(cuts, x, side="left")
        return np.where(np.isnan(x), last, inside).astype(np.int32)

    def _condition(self, j: int, code: int) -> Condition:
        cuts = self.cuts_.get(j)
        if code == (len(self.schema_[j].categories) if cuts is None else len(cuts) + 1):
            return missing(j)
        if cuts is None:
            return Condition(j, codes=(code,))
        edges = [-np.inf, *cuts.tolist(), np.inf]
        return Condition(j, edges[code], edges[code + 1])

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        posterior = super()._posterior(X)
        lost = np.flatnonzero(self.rules_.firing_block(X) < 0) if self.nearest and self.columns_ else []
        for at in np.array_split(lost, len(lost) // 256 + 1) if len(lost) else []:
            codes = np.column_stack([self._codes(X[at, j], j, self.cuts_.get(j)) for j in self.columns_])
            differ = (codes[:, None, :] != self.cells_).sum(axis=2)
            near = differ == differ.min(axis=1, keepdims=True)
            counts = near @ self.cell_counts_ + self.rules_.smoothing
            posterior[at] = counts / counts.sum(axis=1, keepdims=True)
        return posterior

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        names, reasons = [self.schema_[j].name for j in self.columns_], super()._reasons(X, rows)
        note = f"Rows left out one by one: {self.right_:.3f} right."

        def sections(i: int) -> list[Section]:
            values = [[name, rows[i].get(name)] for name in names]
            table = Section("Columns of the table", ["column", "the row has"], values, note)
            return [table, *reasons.sections(i)]

        return Reasons(sections)


class _Search:
    """Best-first search for the set of columns with the largest (1)."""

    def __init__(self, codes: list[np.ndarray], y: np.ndarray, w: np.ndarray | None, K: int, default: int):
        self.codes, self.y, self.w, self.K, self.default = codes, y, w, K, default
        self.sizes = [int(code.max(initial=0)) + 1 for code in codes]
        self.useful = [j for j, code in enumerate(codes) if (code != code[0]).any()]

    def groups(self, columns: tuple[int, ...]) -> tuple[np.ndarray, int]:
        """(n,) the group of each row, and how many there are."""
        group, count = np.zeros(len(self.y), np.int32), 1
        for j in columns:
            group, count = self._refined(group, count, j)
        return group, count

    def _refined(self, group: np.ndarray, count: int, j: int) -> tuple[np.ndarray, int]:
        finer = np.empty_like(group)
        return finer, _decision_table.refine(group, count, self.codes[j], self.sizes[j], finer)

    def right(self, group: np.ndarray, count: int) -> float:
        """(1) of these groups."""
        return _decision_table.leave_one_out(group, count, self.y, self.w, self.K, self.default)

    def run(
        self, max_stale: int, most: int
    ) -> tuple[tuple[int, ...], float, list[tuple[tuple[int, ...], float]]]:
        best: tuple[int, ...] = ()
        top = self.right(*self.groups(()))
        slack = 1e-9 * (len(self.y) if self.w is None else float(self.w.sum()))
        todo, visited, history, stale = [(-top, 0, best)], {best}, [], 0
        with progress(None, "looking for columns") as bar:
            while todo and stale < max_stale:
                value, _, columns = heapq.heappop(todo)
                history.append((columns, -value))
                stale += 1
                if len(columns) >= most:
                    continue
                group, count = self.groups(columns)
                sets = [tuple(sorted((*columns, j))) for j in self.useful if j not in columns]
                new = [s for s in sets if s not in visited]
                added = [next(j for j in s if j not in columns) for s in new]

                def tried(j: int, group: np.ndarray = group, count: int = count) -> float:
                    return self.right(*self._refined(group, count, j))

                rights = (
                    in_threads(tried, added) if len(group) >= WORTH_A_THREAD else [tried(j) for j in added]
                )
                for s, right in zip(new, rights):
                    visited.add(s)
                    heapq.heappush(todo, (-right, len(visited), s))
                    if right > top + slack:
                        best, top, stale = s, right, 0
                bar.advance(1)
        return best, top, history
