"""Unions of boxes: each class as several boxes that together cover its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import assay.rules.version_spaces._boxes as _boxes
from assay.core import Card
from assay.core.parameters import Choice, Count, Range
from assay.core.progress import progress
from assay.core.stored import FloatArray
from assay.rulebase.conditions import Condition
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.rules.version_spaces.box import Box, box_between
from assay.rules.version_spaces.box_sides import sides_of, widest
from assay.tables import Schema

__all__ = ["BoxUnionClassifier"]

SEEDS = 8  # rows from which a box is grown, to keep the one that covers most


class BoxUnionClassifier(RuleClassifier):
    r"""Cover the rows of each class by boxes without rows of other classes, the largest first.

    A union of boxes is a disjunction of conjunctions, so it can describe classes that form several clusters;
    in the worst case it takes a box for each row. A box grows from one row: the nearest rows of its class
    join it, one after the other, if the tightest box around all of them holds no row of another class. Of the boxes
    grown from several rows the one that covers most rows that are not yet covered is kept, until all rows are covered
    or ``max_boxes`` is reached. At the end every box may grow half-way to the nearest rows of other classes.

    Of rows that are equal but for their class only those of the most frequent class count. Where boxes of several
    classes hold a row they vote by their confidence; a row in no box gets the class shares of the training rows. Noise
    asks for many small boxes; ``min_weight`` and ``max_boxes`` spare them.

    Cost: fit O(b n^2 d) at worst for b boxes; predict O(b d) a row; memory O(n d) to fit, O(b d) kept.

    Parameters
    ----------
    max_boxes : int or None, default None
        The most boxes for each class; None takes as many as are needed.
    min_weight : float, default 1
        Boxes that cover less weight of rows not yet covered are left out; more makes it robust against noise.
    hypothesis : "middle" or "specific", default "middle"
        Boxes half-way between the tightest one and the rows of other classes, or the tightest ones.

    Attributes
    ----------
    rules_ : RuleBase with a rule for each box
    uncovered_ : (K,) the weight of the rows of each class that no box of the class covers

    Examples
    --------
    Two clusters of one class need two boxes:

    >>> from assay.rules import BoxUnionClassifier
    >>> X = [[1], [2], [3], [11], [12], [6], [7], [20]]
    >>> print(BoxUnionClassifier(hypothesis="specific").fit(X, ["a"] * 5 + ["b"] * 3))
    R1: IF 1 <= x0 <= 3 THEN a
    R2: IF 11 <= x0 <= 12 THEN a
    R3: IF 6 <= x0 <= 7 THEN b
    R4: IF x0 = 20 THEN b

    See Also
    --------
    BoxClassifier, CN2Classifier

    References
    ----------
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "boxes",
        "each class a union of boxes",
        learns=("a union of boxes", "errors", "one box after the other", "greedy"),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "max_boxes": Count(1) | None,
        "min_weight": Range(0),
        "hypothesis": Choice("middle", "specific"),
    }
    stored = {"uncovered_": FloatArray("K")}

    def __init__(self, max_boxes: int | None = None, *, min_weight: float = 1.0, hypothesis: str = "middle"):
        self.max_boxes = max_boxes
        self.min_weight = min_weight
        self.hypothesis = hypothesis

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        weights = np.ones(len(y)) if w is None else w
        heavy = weights > 0
        heavy[heavy] = _majority(X[heavy], y[heavy], weights[heavy], K)
        Z, z, v = X[heavy], y[heavy], weights[heavy]
        rules: list[tuple[Any, int]] = []
        self.uncovered_ = np.zeros(K)
        with progress(total=K, description=type(self).__name__) as bar:
            for k in range(K):
                positive = z == k
                boxes = self._cover(Z[positive], v[positive], Z[~positive]) if positive.any() else []
                rules += [(box.conditions, k) for box in boxes]
                left = np.ones(len(X), bool)
                for box in boxes:
                    left &= ~box.covers(X)
                self.uncovered_[k] = weights[left & (y == k)].sum()
                bar.advance()
        base = class_rules(self, rules, X, y, w, policy="confidence")
        self.rules_ = replace(base, default=None)

    def _cover(self, P: np.ndarray, weight: np.ndarray, N: np.ndarray) -> list[Box]:
        """Boxes around the rows P without a row of N."""
        grower = _Grower(P, N, self.schema_)
        left = np.ones(len(P), bool)
        boxes: list[Box] = []
        hopeless = np.zeros(len(P), bool)
        while (left & ~hopeless).any() and (self.max_boxes is None or len(boxes) < self.max_boxes):
            seeds = _spread(P, np.flatnonzero(left & ~hopeless))
            grown = [grower.grow(i) for i in seeds]
            gains = [weight[left & inside].sum() for inside, _ in grown]
            best = int(np.argmax(gains))
            inside, box = grown[best]
            if not inside.any() or gains[best] < self.min_weight:
                hopeless[seeds] = True  # none of these begins a box
                continue
            boxes.append(self._widened(box, N))
            left &= ~inside
        return boxes

    def _widened(self, S: Box, N: np.ndarray) -> Box:
        if self.hypothesis == "specific":
            return S
        sides = sides_of(S, N, "set", "range")
        bound, _ = widest(sides)
        return box_between(S, sides.box(S, bound, N, self.schema_), 0.5)


class _Grower:
    """Boxes that grow from a row of P while they hold no row of N.

    Ordered columns are intervals; a nominal column is the set of categories so far. A missing value is admitted in a
    column in which a row of the box has it.
    """

    def __init__(self, P: np.ndarray, N: np.ndarray, schema: Schema):
        self.P, self.N = (np.ascontiguousarray(X, np.float64) for X in (P, N))
        self.schema = schema
        self.nominal = np.array([c.kind == "nominal" for c in schema])
        sizes = [len(c.categories) if c.kind == "nominal" else 0 for c in schema]
        self.start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        rows = np.vstack([P, N])
        known = np.where(np.isnan(rows), 0.0, rows)
        unit = known.max(axis=0) / 2 - known.min(axis=0) / 2
        self.unit = np.where(unit > 0, unit, 1.0)

    def grow(self, i: int) -> tuple[np.ndarray, Box]:
        """The rows of P in the box grown from row i, and the box; no rows if row i equals a row of N."""
        d, x = len(self.nominal), self.P[i]
        low, high = np.full(d, np.inf), np.full(d, -np.inf)
        gaps, held = np.zeros(d, np.uint8), np.zeros(int(self.start[-1]), np.uint8)
        order = np.lexsort([*self.P.T[::-1], self._distance(x)])
        order = np.append(i, order[order != i])  # the row itself, then the nearest
        _boxes.grow_box(
            P=self.P,
            N=self.N,
            order=order,
            nominal=self.nominal.astype(np.uint8),
            start=self.start[:-1].copy(),
            low=low,
            high=high,
            gaps=gaps,
            held=held,
        )
        box = self._box(low, high, gaps, held)
        if not box.covers(self.P[[i]])[0]:
            return np.zeros(len(self.P), bool), Box(empty=True)
        return box.covers(self.P), box

    def _distance(self, x: np.ndarray) -> np.ndarray:
        """(n,) how far the rows of P are from a row: differences of columns as shares of their ranges, added up."""
        apart = np.abs(self.P / 2 - x / 2) / self.unit
        apart = np.where(self.nominal, (x != self.P).astype(np.float64), apart)
        gaps = np.isnan(self.P) | np.isnan(x)
        return np.where(gaps, np.isnan(self.P) != np.isnan(x), apart).sum(axis=1)

    def _box(self, low: np.ndarray, high: np.ndarray, gaps: np.ndarray, held: np.ndarray) -> Box:
        conditions = []
        for j, column in enumerate(self.schema):
            missing = bool(gaps[j])
            if self.nominal[j]:
                codes = tuple(np.flatnonzero(held[self.start[j] : self.start[j + 1]]).tolist())
                if len(codes) < len(column.categories) or not missing:
                    conditions.append(Condition(j, codes=codes, missing=missing))
            elif low[j] > high[j]:  # only rows without a value so far, if any
                conditions.append(Condition(j, codes=(), missing=missing))
            else:
                conditions.append(Condition(j, float(low[j]), float(high[j]), "both", None, missing))
        return Box(tuple(conditions))


def _majority(X: np.ndarray, y: np.ndarray, w: np.ndarray, K: int) -> np.ndarray:
    """(n,) bool: which rows are of the one class that weighs most among the rows of the same values."""
    _, group = np.unique(np.where(np.isnan(X), np.inf, X), axis=0, return_inverse=True)
    group = group.ravel()
    counts = np.zeros((group.max(initial=-1) + 1, K))
    np.add.at(counts, (group, y), w)
    top = counts.max(axis=1)
    alone = (counts == top[:, None]).sum(axis=1) == 1
    return alone[group] & (counts[group, y] == top[group])


def _spread(P: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows, spread evenly over their order by values, so that the order of the rows does not matter."""
    if len(rows) <= SEEDS:
        return rows[np.lexsort(P[rows].T[::-1])]
    order = rows[np.lexsort(P[rows].T[::-1])]
    return order[np.linspace(0, len(order) - 1, SEEDS).round().astype(int)]
