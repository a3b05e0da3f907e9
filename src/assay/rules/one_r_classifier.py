"""OneR: the rules of a single column, the one that errs least."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.rules._one_r as _one_r
from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import in_threads
from assay.core.parameters import Range
from assay.core.stored import FloatArray, IntArray, Integer
from assay.rulebase.conditions import Condition, missing
from assay.rules.rule_learner import RuleClassifier, class_rules

__all__ = ["OneRClassifier"]

WORTH_A_THREAD = 1 << 17  # entries
Found = list[tuple[tuple[Condition, ...], int]]


class OneRClassifier(RuleClassifier):
    r"""Classify by one column alone: each of its values, or of its intervals, has a class.

    For every column the rules "value v: the most frequent class of the rows with v" are made, and the column whose
    rules get most training rows right is kept:

    .. math:: \text{errors}(j) = n - \sum_v \max_k n_{jvk} \quad (1)

    A column of numbers is first cut into intervals (Holte 1993): in ascending order, an interval grows by whole
    values until its most frequent class has ``min_bucket_size`` rows, and further while the next value has that class
    too; neighbours of the same class are joined, and cuts stand half way between values. Missing is a value of its
    own. Use it first on every table: often little is lost against far larger models.

    Where books differ: equal values are never parted, whatever the order of the rows; among classes that are equally
    frequent, and among columns that err equally, the first is taken.

    Cost: fit O(d n log n); predict O(log b) a row for b intervals; memory O(n d) to fit, O(b) kept.

    Parameters
    ----------
    min_bucket_size : float, default 6
        Rows (their weights) of the most frequent class in an interval of numbers, at least.

    Attributes
    ----------
    rules_ : RuleBase, one rule for each value or interval      classes_ : (K,)
    column_ : int
        The column that the rules look at.
    errors_ : (d,) float
        (1) of every column, on the training rows.
    sizes_ : (d,) int
        How many rules every column would have.

    Examples
    --------
    >>> from assay.rules import OneRClassifier
    >>> from assay.tables.data import load_weather
    >>> weather = load_weather(numeric=False)
    >>> model = OneRClassifier().fit(weather.X, weather.y)
    >>> print(model)
    R1: IF outlook = 'sunny' THEN no
    R2: IF outlook = 'overcast' THEN yes
    R3: IF outlook = 'rainy' THEN yes
    ELSE yes
    >>> model.ranking()
    [('outlook', 4.0, 3), ('humidity', 4.0, 2), ('temperature', 5.0, 3), ('windy', 5.0, 2)]

    See Also
    --------
    PrismClassifier, DecisionTableClassifier

    References
    ----------
    - Holte, R. C. (1993). Very simple classification rules perform well on most commonly used datasets. Machine
      Learning 11, 63-90. doi:10.1023/A:1022631118932
    """

    card = Card(
        "oner",
        "the best single column",
        also=("one rule",),
        learns=("rules on one column", "errors", "the best column and its bins", "global"),
    )
    accepts = {"min_bucket_size": Range(0)}
    stored = {
        "column_": Integer(below="d"),
        "errors_": FloatArray("d"),
        "sizes_": IntArray("d"),
    }

    def __init__(self, min_bucket_size: float = 6):
        self.min_bucket_size = min_bucket_size

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # one column cannot separate three clusters in the plane
        return tags

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if w is not None and not w.all():  # rows of weight 0 are ignored
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        columns = range(X.shape[1])
        tried = (
            in_threads(lambda j: self._of_column(j, X[:, j], y, w), columns)
            if X.size >= WORTH_A_THREAD
            else [self._of_column(j, X[:, j], y, w) for j in columns]
        )
        self.errors_ = np.array([errors for errors, _ in tried])
        self.sizes_ = np.array([len(rules) for _, rules in tried])
        slack = 1e-9 * len(y) if w is None else 1e-9 * float(w.sum())
        self.column_ = int(np.argmax(self.errors_ <= self.errors_.min() + slack))
        self.rules_ = class_rules(self, tried[self.column_][1], X, y, w)

    def _of_column(self, j: int, x: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[float, Found]:
        """The errors and the rules of one column."""
        K, known = len(self.classes_), ~np.isnan(x)
        rules: Found = []
        right = 0.0
        if self.schema_[j].kind == "nominal":
            code = np.where(known, x, len(self.schema_[j].categories)).astype(np.int64)
            counts = np.bincount(code * K + y, w, minlength=(len(self.schema_[j].categories) + 1) * K)
            counts = counts.reshape(-1, K)
            for c in np.flatnonzero(counts[:-1].sum(axis=1)):
                rules.append(((Condition(j, codes=(int(c),)),), int(counts[c].argmax())))
            right, gone = float(counts[:-1].max(axis=1, initial=0).sum()), counts[-1]
        else:
            rows = np.flatnonzero(known)
            rows = rows[np.argsort(x[rows], kind="stable")]
            rules, right = self._intervals(j, x[rows], y[rows], None if w is None else w[rows])
            gone = np.bincount(y[~known], None if w is None else w[~known], minlength=K)
        if gone.any():
            rules.append(((missing(j),), int(gone.argmax())))
        total = float(len(y) if w is None else w.sum())
        return max(total - right - float(gone.max()), 0.0), rules  # (1)

    def _intervals(self, j: int, x: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> tuple[Found, float]:
        """The rules of numbers in ascending order, and what they get right."""
        if not len(x):
            return [], 0.0
        ends = np.append(np.flatnonzero(x[1:] > x[:-1]) + 1, len(x))
        codes = np.ascontiguousarray(y, np.int32)
        last, top = _one_r.buckets(ends, codes, w, len(self.classes_), float(self.min_bucket_size))
        behind = ends[last]
        inner = behind[:-1]
        cuts = x[inner - 1] / 2 + x[inner] / 2
        cuts = np.where(cuts < x[inner], cuts, x[inner - 1])
        edges = [-np.inf, *cuts.tolist(), np.inf]
        rules: Found = [((Condition(j, a, b),), int(k)) for a, b, k in zip(edges[:-1], edges[1:], top)]
        hit = y == np.repeat(top, np.diff(behind, prepend=0))
        return rules, float(hit.sum() if w is None else w[hit].sum())

    def ranking(self) -> list[tuple[str, float, int]]:
        """All columns by the errors that their rules make: name, errors, number of rules."""
        self._ready()
        order = np.lexsort((np.arange(len(self.errors_)), np.round(self.errors_, 9)))
        return [(self.schema_[j].name, float(self.errors_[j]), int(self.sizes_[j])) for j in order]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        ranking = [list(entry) for entry in self.ranking()[:10]]
        note = "The column that errs least on the training rows answers."
        section = Section("Columns", ["column", "errors", "rules"], ranking, note)
        return super()._reasons(X, rows).then(lambda i: [section])
