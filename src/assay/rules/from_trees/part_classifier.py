"""PART: rules from partial C4.5 trees, the largest leaf of each."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.rules.from_trees._partial_tree as _partial_tree
from assay.core import Card
from assay.core.parameters import Choice, Flag, Range, Seed
from assay.core.progress import progress
from assay.errors import DataError
from assay.rulebase.conditions import Condition, RowTest
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.trees.c45_classifier import held_out_rows
from assay.trees.multiway import MOST_COUNTS, NativeRows, SortedRows, SplitRules, scaled_weights
from assay.trees.rules import joined
from assay.trees.tree import SUBSET, THRESHOLD
from assay.types import RandomState

__all__ = ["PartClassifier"]

PRUNINGS = {None: 0, "error-based": 1, "reduced-error": 2}


class PartClassifier(RuleClassifier):
    r"""Classify by a list of rules, each the largest leaf of a partial C4.5 tree of the rows that are left.

    Rule after rule, a tree is grown on the rows that no rule covers yet, but only as far as needed: of a node's
    branches the one of least entropy is opened first, the next only if that one ended as a leaf. A node whose branches
    are all leaves becomes a leaf if it is expected to make no more errors than they do,

    .. math:: U(n, e) \le \sum_b U(n_b, e_b) \quad (1)

    with C4.5's upper limit U (:func:`assay.trees.pruning.upper_errors`). The leaf that covers most rows becomes a rule,
    its rows are taken away, and the next tree is grown (Frank and Witten 1998). When a tree is a single leaf, the rows
    left over are the default. Splits are C4.5's: gain ratio, all categories of a column at once.

    Use it where C4.5 would do and a list is wanted: no global optimisation, no class is preferred, and the list is as
    accurate as the tree. While growing, a row whose value is missing goes down every branch with a share of its
    weight; a rule covers only rows whose values are there.

    Cost: fit O(d n log n) to sort the columns, then O(n d) for each rule; predict O(c) a row for c conditions in all;
    memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    pruning : "error-based", "reduced-error" or None, default "error-based"
        What (1) compares: expected errors; errors on rows that are held out; or nothing, so that rules stay as long as
        they were grown.
    confidence : float, default 0.25
        For "error-based": smaller prunes more.
    min_samples_leaf : float, default 2
        Rows (their weights) that a rule covers when it is grown, at least.
    nominal : "n-way" or "one-vs-rest", default "n-way"
        A branch for each category, or the best single category against all others.
    threshold : "value" or "midpoint", default "value"
        The largest training value up to the middle between two neighbours, or the middle.
    correction : bool, default True
        Take log2(cuts)/n off the gain of a threshold.
    validation_fraction : float, default 1/3
        The share of the rows that "reduced-error" holds out.
    random_state : int, RandomState or None, default None
        Which rows these are.

    Attributes
    ----------
    rules_ : RuleBase, in order      classes_ : (K,)

    Examples
    --------
    >>> from assay.rules import PartClassifier
    >>> from assay.tables.data import load_contact_lenses
    >>> lenses = load_contact_lenses()
    >>> print(PartClassifier().fit(lenses.X, lenses.y))
    R1: IF tear-prod-rate = 'reduced' THEN none
    R2: IF astigmatism = 'no' THEN soft
    R3: IF spectacle-prescrip = 'myope' THEN hard
    ELSE none

    See Also
    --------
    C45RulesClassifier, RipperClassifier, M5RulesRegressor

    References
    ----------
    - Frank, E. and Witten, I. H. (1998). Generating accurate rule sets without global optimization. International
      Conference on Machine Learning, 144-151.
    """

    card = Card(
        "part",
        "rules out of half-grown trees",
        learns=(
            "a list of rules",
            "pessimistic error, description length",
            "rules of trees, then pruning",
            "greedy",
        ),
    )
    accepts = {
        "pruning": Choice("error-based", "reduced-error") | None,
        "confidence": Range(0, 0.5, open="low"),
        "min_samples_leaf": Range(0),
        "nominal": Choice("n-way", "one-vs-rest"),
        "threshold": Choice("value", "midpoint"),
        "correction": Flag(),
        "validation_fraction": Range(0, 1, open="both"),
        "random_state": Seed(),
    }

    def __init__(
        self,
        pruning: str | None = "error-based",
        confidence: float = 0.25,
        min_samples_leaf: float = 2,
        nominal: str = "n-way",
        threshold: str = "value",
        correction: bool = True,
        validation_fraction: float = 1 / 3,
        random_state: RandomState = None,
    ):
        self.pruning = pruning
        self.confidence = confidence
        self.min_samples_leaf = min_samples_leaf
        self.nominal = nominal
        self.threshold = threshold
        self.correction = correction
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if w is not None and not w.all():
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        aside = np.zeros(len(y), bool)
        if self.pruning == "reduced-error":
            aside = held_out_rows(y, self.validation_fraction, self.random_state)
        left = _Left(X, self.schema_.category_counts(), y, w, aside, len(self.classes_))
        rules: list[tuple[tuple[RowTest, ...], int]] = []
        with progress(left.n, "learning rules") as bar:
            while left.n:
                conditions = self._best_leaf(left)
                if not conditions:
                    break  # the default answers for the others
                covered = left.covered(conditions)
                if covered.any():
                    rules.append(
                        (conditions, int(np.bincount(left.y[covered], left.weights[covered]).argmax()))
                    )
                else:  # only parts of rows with missing values went there: leave them to the default
                    covered = np.isnan(left.X[left.rows]).any(axis=1)
                bar.advance(int(covered.sum()))
                left.drop(covered, conditions)
        self.rules_ = class_rules(self, rules, X, y, w)

    def _best_leaf(self, left: _Left) -> tuple[RowTest, ...]:
        """The conditions on the way to the largest leaf of a partial tree; none if the tree is a single leaf."""
        from scipy.special import ndtri

        most = max(MOST_COUNTS // (left.K + 16), 1)
        try:
            *path, _ = _partial_tree.best_leaf(
                **left.native(),
                pruning=PRUNINGS[self.pruning],
                one_vs_rest=self.nominal == "one-vs-rest",
                min_leaf=float(self.min_samples_leaf) * left.scale,
                correction=self.correction,
                confidence=float(self.confidence),
                z=float(-ndtri(self.confidence)),
                most_nodes=most,
            )
        except OverflowError:
            raise DataError(
                f"PartClassifier: a tree with a branch for every category would have more than {most} nodes. Leave out "
                'columns that name single rows, or use nominal="one-vs-rest".'
            ) from None
        conditions: tuple[RowTest, ...] = ()
        for j, kind, branch, low, high, category in zip(*(part.tolist() for part in path)):
            if kind == THRESHOLD:
                at = float(
                    left.sorted.thresholds(
                        j, np.array([low]), np.array([high]), self.threshold == "midpoint"
                    )[0]
                )
                condition = Condition(j, high=at) if branch == 0 else Condition(j, low=at)
            elif kind == SUBSET:
                others = tuple(c for c in range(left.n_categories[j]) if c != category)
                condition = Condition(j, codes=(category,) if branch == 0 else others)
            else:
                condition = Condition(j, codes=(branch,))
            conditions = joined(conditions, condition)
        return conditions


class _Left:
    """The rows that no rule covers yet: columns in sorted order, and those held out to prune with."""

    def __init__(
        self,
        X: np.ndarray,
        n_categories: np.ndarray,
        y: np.ndarray,
        w: np.ndarray | None,
        aside: np.ndarray,
        K: int,
    ):
        if K >= 2**16:
            raise DataError(f"PartClassifier tells at most 65535 classes apart, y has {K}.")
        weights, self.scale = scaled_weights(w, SplitRules(useless=False))
        self.X, self.K, self.n_categories = np.asfortranarray(X), K, n_categories
        self.held = np.flatnonzero(aside)
        self.rows = np.flatnonzero(~aside)
        row_weights = weights if weights is None else weights[self.rows]
        self.sorted = SortedRows(X[self.rows], n_categories, y[self.rows], row_weights)
        self.codes, self.order = self.sorted.codes, self.sorted.order
        self.all_y, self.all_w = np.ascontiguousarray(y, np.int32), weights

    @property
    def n(self) -> int:
        return len(self.rows)

    @property
    def y(self) -> np.ndarray:
        return self.all_y[self.rows]

    @property
    def weights(self) -> np.ndarray:
        return np.ones(self.n) if self.all_w is None else self.all_w[self.rows]

    def native(self) -> dict[str, Any]:
        """What native code takes: the rows left, and those held out."""
        ranks = np.diff(self.sorted.start).astype(np.int32)
        w = None if self.all_w is None else self.weights
        held = self.X[self.held]
        nominal, numeric = np.flatnonzero(self.n_categories), np.flatnonzero(self.n_categories == 0)
        codes = np.nan_to_num(held[:, nominal].T, nan=-1.0).astype(np.int32)
        places = np.empty((len(numeric), len(held)), np.int32)
        for at, j in enumerate(numeric):
            values = self.sorted.values[self.sorted.start[at] : self.sorted.start[at + 1]]
            places[at] = np.searchsorted(values, held[:, j], side="right") - 1
            places[at] = np.where(np.isnan(held[:, j]), -1, np.maximum(places[at], 0))
        held_w = np.ones(len(held)) if self.all_w is None else self.all_w[self.held]
        rows = NativeRows(
            codes=self.codes,
            lists=self.order.copy(),
            distinct=ranks,
            n_categories=np.ascontiguousarray(self.n_categories, np.int32),
            y=self.y,
            w=w,
            K=self.K,
            fractions=self.sorted.fractions,
        )
        held_rows = _partial_tree.HeldRows(
            codes=np.ascontiguousarray(codes), ranks=places, y=self.all_y[self.held], w=held_w
        )
        return {"rows": rows, "held": held_rows}

    def covered(self, conditions: tuple[RowTest, ...], rows: np.ndarray | None = None) -> np.ndarray:
        """(n,) bool: which of the rows left meet all conditions."""
        rows = self.rows if rows is None else rows
        meets = np.ones(len(rows), bool)
        for condition in conditions:
            (j,) = condition.columns()
            block = np.broadcast_to(self.X[rows, j][:, None], (len(rows), j + 1))
            meets &= condition.covers(block)
        return meets

    def drop(self, covered: np.ndarray, conditions: tuple[RowTest, ...]) -> None:
        """Go on without these rows, and without the held-out ones that the rule covers."""
        kept = (~covered).view(np.uint8)
        m = int(kept.sum())
        order, codes = np.empty((len(self.order), m), np.uint64), np.empty((len(self.codes), m), np.int32)
        _partial_tree.keep(self.order, self.codes, kept, order, codes)
        self.order, self.codes, self.rows = order, codes, self.rows[~covered]
        if len(self.held):
            self.held = self.held[~self.covered(conditions, self.held)]
