"""A classification tree with a linear classifier in every leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import softmax

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Count, Range
from assay.core.stored import FloatArray, Object
from assay.tables import Design
from assay.trees.criteria import entropy
from assay.trees.generate_tree import generate_tree
from assay.trees.linear_leaves import LinearMeasure, equation, no_rules, softmax_regression
from assay.trees.node_measures import Floats, RowIndices
from assay.trees.split_search import Split, SplitSearch, first_best
from assay.trees.textbook_tree import refuse_huge
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner

if TYPE_CHECKING:
    from assay.rulebase.rules import RuleBase

__all__ = ["LinearLeafClassifier"]

COLUMNS, THRESHOLDS = (
    3,
    5,
)  # how many columns, and splits of each, are tried with classifiers in their branches


class LinearLeafClassifier(TreeLearner, Classifier):
    r"""A tree with a linear softmax classifier in each leaf, so that a leaf need not be pure to be confident.

    The rows of node m train a softmax classifier :math:`P_m(k|x) \propto e^{w_{mk}^T x + w_{mk0}}`, and the impurity of
    the node is the mean entropy of its posteriors,

    .. math:: I_m = -\frac{1}{N_m} \sum_{t \in m} \sum_k P_m(k|x^t) \log_2 P_m(k|x^t)              \quad (1)

    which is small where all posteriors are near 0 or 1. (Without ridge it equals the mean cross-entropy of the
    labels, so a confident but wrong classifier has a large impurity.) A node is split while (1) is not below
    ``impurity_threshold``: the splits at which linear regressions on class indicators fit best, five of each of the
    three best columns, are evaluated, and the one with the least mean (1) in its branches is taken. A split
    that does not lower (1) by ``min_decrease`` is not made.

    Cost: fit O(c i n d^2 K) a level for c candidate splits a column and i Newton steps each; predict O(depth + d K) a
    row; memory O(n d) to fit, O(d K leaves) kept.

    Parameters
    ----------
    impurity_threshold : float, default 0.2
        A node whose posteriors have a mean entropy below, in bits, becomes a leaf.
    min_decrease : float, default 0.1
        What a split must take off (1), in bits.
    min_samples_leaf : int, default 10
        Rows (their weights) in a leaf, at least.
    max_depth : int, default None
        Tests from the root to a leaf, at most; None sets no limit.
    max_candidates : int, default 32
        Thresholds of a column that are tried at a node, with equally many rows between them.
    ridge : float, default 1
        Penalty of the squared standardised coefficients; its inverse is the C of ``LogisticRegression``.

    Attributes
    ----------
    tree_ : Tree, with the class shares of the nodes as ``value`` and (1) as ``impurity``
    terms_ : Design, the columns of the linear functions
    coef_ : (leaves, K, p)      intercept_ : (leaves, K), minus infinity for classes that a leaf has no rows of

    Examples
    --------
    Class 1 lies above the roof abs(x0): no leaf is pure, and none makes an error.

    >>> from assay.trees import LinearLeafClassifier
    >>> X = np.array([[a, b] for a in np.linspace(-1, 1, 20) for b in np.linspace(0.01, 0.98, 20)])
    >>> y = (X[:, 1] > np.abs(X[:, 0])).astype(int)
    >>> model = LinearLeafClassifier(ridge=0.01).fit(X, y)
    >>> model.get_n_leaves(), model.score(X, y)
    (2, 1.0)

    See Also
    --------
    ModelTreeRegressor, LinearMachineTreeClassifier, SoftTreeClassifier

    References
    ----------
    - Landwehr, N., Hall, M. and Frank, E. (2005). Logistic model trees. Machine Learning 59, 161-205.
      doi:10.1007/s10994-005-0466-3
    - Alpaydin, E. (2020). Introduction to Machine Learning, fourth edition. MIT Press.
    """

    card = Card(
        "linear leaves",
        "a tree with linear functions in its leaves",
        learns=(
            "a tree with linear scores in the leaves",
            "impurity, then log loss of the leaves",
            "one split after the other",
            "greedy",
        ),
    )
    takes = frozenset({"nominal"})
    accepts = {
        "impurity_threshold": Range(0),
        "min_decrease": Range(0),
        "min_samples_leaf": Count(1),
        "max_depth": Count(0) | None,
        "max_candidates": Count(1),
        "ridge": Range(0, open="low"),
    }
    stored = {
        "coef_": FloatArray("l", "K", "*"),
        "intercept_": FloatArray("l", "K"),
        "terms_": Object(Design),
        "tree_": Object(Tree, d="d"),
    }

    def __init__(
        self,
        impurity_threshold: float = 0.2,
        min_decrease: float = 0.1,
        min_samples_leaf: int = 10,
        max_depth: int | None = None,
        max_candidates: int = 32,
        ridge: float = 1.0,
    ):
        self.impurity_threshold = impurity_threshold
        self.min_decrease = min_decrease
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.max_candidates = max_candidates
        self.ridge = ridge

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        K = len(self.classes_)
        refuse_huge(X, "X", type(self).__name__)
        self.terms_ = Design(self.schema_)
        Z = self.terms_.expand(X)
        weights, n_categories = (
            np.ones(len(X)) if w is None else w,
            self.schema_.category_counts(ordered=False),
        )
        measure = _PosteriorMeasure(Z, np.eye(K)[y], y, self.ridge)
        search = SplitSearch(
            measure,
            n_categories,
            nominal="binary grouping",
            candidates="equal-depth",
            max_candidates=self.max_candidates,
            max_categories=6,
            min_weight=self.min_samples_leaf,
        )
        deepest = np.inf if self.max_depth is None else self.max_depth

        def is_leaf(rows: RowIndices, v: Floats, value: Floats, impurity: float, depth: int) -> bool:
            return impurity < self.impurity_threshold or depth >= deepest or value.max() == 1.0

        def choose(rows: RowIndices, v: Floats, before: float) -> tuple[Split | None, list[Split]]:
            tried = _shortlist(search, X, rows, v)
            if not tried:
                return None, []
            after = np.array([measure.after(X, rows, v, split) for split in tried])
            best = first_best(-after, before)
            return (tried[best] if before - after[best] >= self.min_decrease else None), tried

        with one_blas_thread():  # many small systems
            self.tree_, _ = generate_tree(X, weights, measure, choose, is_leaf, n_categories)
            leaf = np.where(weights > 0, self.tree_.apply(X), -1)
            models = [
                measure.fit(np.flatnonzero(leaf == i), weights) for i in np.flatnonzero(self.tree_.is_leaf)
            ]
        self.coef_, self.intercept_ = np.array([c for c, _ in models]), np.array([b for _, b in models])

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        place = (np.cumsum(self.tree_.is_leaf) - 1)[self.tree_.apply(X)]
        Z = self.terms_.expand(X)
        posterior = np.empty((len(X), len(self.classes_)))
        for i in np.unique(place):
            posterior[place == i] = softmax(Z[place == i] @ self.coef_[i].T + self.intercept_[i], axis=1)
        return posterior

    def equations(self) -> str:
        """The linear score of each class in each leaf, one a line; classes that a leaf lacks are left out."""
        leaves = np.flatnonzero(self._fitted_tree().is_leaf)
        return "\n".join(
            f"leaf {leaf}, {label}: {equation(c, float(b), self.terms_.names)}"
            for leaf, coef, intercept in zip(leaves, self.coef_, self.intercept_)
            for label, c, b in zip(self.classes_, coef, intercept)
            if np.isfinite(b)
        )

    def to_text(self) -> str:
        """The tree as indented text with the largest class of each leaf, and below it the leaves' linear scores."""
        return f"{super().to_text()}\n\nIn each leaf the class of the largest score:\n{self.equations()}"

    def rules(self) -> RuleBase:
        """Refused: a rule has one answer, and here a leaf has a classifier."""
        raise no_rules(type(self).__name__)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        """The path, and the terms of the leaf's linear scores."""
        places = (np.cumsum(self.tree_.is_leaf) - 1)[self.tree_.apply(X)]
        names, Z = self.terms_.names, self.terms_.expand(X)
        heads = ["term", *(str(label) for label in self.classes_)]
        note = "The posterior is the softmax of the scores; shown are the terms that differ most between classes."

        def sections(i: int) -> list[Section]:
            intercept, terms = self.intercept_[places[i]], self.coef_[places[i]] * Z[i]  # (K,), (K, p)
            largest = np.argsort(-np.ptp(terms, axis=0), kind="stable")[:8]
            lines = [["intercept", *map(float, intercept)]]
            lines += [[names[j], *map(float, terms[:, j])] for j in largest if np.ptp(terms[:, j]) > 0]
            lines.append(["score", *map(float, intercept + terms.sum(axis=1))])
            return [Section("Linear scores in the leaf", heads, lines, note)]

        return super()._reasons(X, rows).then(sections)


def _shortlist(search: SplitSearch, X: Floats, rows: RowIndices, w: Floats) -> list[Split]:
    """The best splits of the best columns, by linear regression on class indicators."""
    scored = [(c, search.measure.combine(c.weight, c.impurity)) for c in search.columns(X, rows, w)]
    scored.sort(key=lambda pair: float(pair[1].min()))
    return [
        c.split(int(i), float(after[i]), 0.0, 0.0, int(search.n_categories[c.column]))
        for c, after in scored[:COLUMNS]
        for i in np.sort(np.argsort(after, kind="stable")[:THRESHOLDS])
    ]


class _PosteriorMeasure(LinearMeasure):
    """Splits are searched by linear regression on class indicators; a node is measured by (1)."""

    def __init__(self, Z: Floats, indicators: Floats, y: np.ndarray, ridge: float):
        super().__init__(Z, indicators)
        self.codes, self.ridge = y, ridge

    def fit(self, rows: RowIndices, w: Floats) -> tuple[Floats, Floats]:
        K = self.Y.shape[1]
        return softmax_regression(self.Z[rows], self.codes[rows], w[rows], K, self.ridge)

    def node(self, rows: RowIndices, w: Floats) -> float:
        coef, intercept = softmax_regression(self.Z[rows], self.codes[rows], w, self.Y.shape[1], self.ridge)
        posterior = softmax(self.Z[rows] @ coef.T + intercept, axis=1)
        return float(w @ entropy(posterior) / w.sum())  # (1)

    def after(self, X: Floats, rows: RowIndices, w: Floats, split: Split) -> float:
        """The mean of (1) over the branches of a split."""
        taken = split.branch(X[rows, split.column])
        parts = [(rows[taken == b], w[taken == b]) for b in range(split.branches)]
        return sum(v.sum() * self.node(r, v) for r, v in parts) / float(w.sum())
