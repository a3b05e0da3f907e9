"""What all learners of multivariate trees share: growth, stopping, pruning, and how a row is explained."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.core import Classifier, Learner, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.parallel import one_blas_thread
from assay.core.parameters import Accepted, Choice, Instance, Range, Seed
from assay.core.seeds import LARGEST_SEED, random_state_of
from assay.core.stored import Object
from assay.core.words import date_floor
from assay.errors import DataError
from assay.tables import Column, Schema
from assay.tables.schema import moment
from assay.trees.limits import LIMITS, rows_of
from assay.trees.multivariate.branch_tree import BranchTree
from assay.trees.multivariate.grow import Limits, grow, prune_by_error
from assay.trees.multivariate.rows import CRITERIA, NodeRows
from assay.trees.multivariate.splits import Discriminants, Split, Threshold
from assay.trees.tree_learner import TreeLearner

if TYPE_CHECKING:
    from assay.trees.outline import Outline
    from assay.trees.rules import RuleBase

__all__ = [
    "CLASSIFYING",
    "STOPPING",
    "MultivariateTree",
    "MultivariateTreeClassifier",
    "MultivariateTreeRegressor",
]

_PARTS = 5  # terms of a node's function that an explanation shows
_MAX_SIZE = 1e152  # the square of a larger number, or of a smaller one than its inverse, is no number

STOPPING: dict[str, Accepted | None] = {  # what all take
    **LIMITS,
    "validation_fraction": Range(0, 1, open="both") | None,
    "random_state": Seed(),
}
CLASSIFYING: dict[str, Accepted | None] = {
    "criterion": Choice(*CRITERIA),
    **STOPPING,
    "class_weight": Choice("balanced") | Instance(dict, words="a dict of class to weight") | None,
}


class MultivariateTree(TreeLearner, Learner):
    """A learner that grows a :class:`BranchTree`; one of the family writes ``_split``.

    Attributes
    ----------
    tree_ : BranchTree
    """

    stored = {"tree_": Object(BranchTree, d="p")}

    tree_: BranchTree  # type: ignore[assignment]
    takes: ClassVar[frozenset[str]] = frozenset()

    max_depth: int | None
    min_samples_split: float
    min_samples_leaf: float
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    validation_fraction: float | None
    random_state: Any

    def _split(self, rows: NodeRows, rng: np.random.Generator) -> Split | None:
        """The test of a node, learned from the rows that reach it."""
        raise TypeError(f"{type(self).__name__} must define _split")

    def _grow(self, X: np.ndarray, y: np.ndarray, w: np.ndarray, K: int, criterion: str) -> None:
        self._refuse_sizes(X)
        most = float(w.max())
        unit = 1.0 if 1e-100 < most < 1e100 else 2.0 ** -max(math.frexp(most)[1], -1000)
        w = w * unit  # products of weights neither overflow nor vanish
        weighted = w > 0
        n = int(weighted.sum())
        least = {
            "min_leaf": rows_of(self.min_samples_leaf, n, 1),
            "min_weight": self.min_weight_fraction_leaf * float(w.sum()),
        }
        rows = NodeRows(X[weighted], y[weighted], w[weighted], K, criterion, **least)  # type: ignore[arg-type]
        rng = np.random.default_rng(random_state_of(self.random_state).randint(LARGEST_SEED))
        held = None
        if self.validation_fraction is not None:
            aside = rows.halves(rng, self.validation_fraction)
            if 0 < aside.sum() < n:
                rows, held = rows.take(~aside), rows.take(aside)
        limits = Limits(self.max_depth, rows_of(self.min_samples_split, n, 2), self.min_impurity_decrease)
        with one_blas_thread():  # nodes are small: waking other threads costs more than they do
            tree = grow(rows, self._split, limits, rng)
        tree = tree if held is None else prune_by_error(tree, held)
        self.tree_ = replace(tree, weighted_n_node_samples=tree.weighted_n_node_samples / unit)

    def _refuse_sizes(self, X: np.ndarray) -> None:
        size = np.abs(X).max(axis=0)
        wrong = np.flatnonzero((size > _MAX_SIZE) | ((size > 0) & (size < 1 / _MAX_SIZE)))
        if len(wrong):
            raise DataError(
                f"{type(self).__name__}: column {self._names[wrong[0]]} holds numbers of the size "
                f"{size[wrong[0]]:.0e}, which cannot be squared. Multiply it by some power of ten."
            )

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) how much each column lowers the impurity, in shares; a node's gain is split by its columns' parts."""
        importances = self._fitted_tree().compute_feature_importances()
        return np.bincount(self.design_.source, importances, self.n_features_in_)

    def outline(self) -> Outline:
        """The tree in words: every node's test, branches, counts and answer."""
        self._ready()
        return self.tree_.outline(self._block_schema(), getattr(self, "classes_", None))

    def rules(self) -> RuleBase:
        """One rule for each leaf: the tests on the way to it, and its answer."""
        from assay.trees.rules import outline_rules

        return outline_rules(self.outline())

    def _block_schema(self) -> Schema:
        """The columns that the nodes test: nominal ones as indicators."""
        plain = self.design_.plain
        return self.schema_ if plain else Schema([Column(name) for name in self.design_.names])

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        return Reasons(lambda i: self._path_sections(X[i]))

    def _path_sections(self, x: np.ndarray) -> list[Section]:
        tree, names = self.tree_, self._names
        classes = [str(label) for label in getattr(self, "classes_", ())]
        steps, parts = [], []
        for node, branch in tree.path(x):
            split = tree.splits[node]
            weight = tree.weighted_n_node_samples[node]
            held = [_count(v * weight) if classes else float(v) for v in tree.value[node]]
            if split is None:
                steps.append([node, "the leaf", "", "", _count(weight), *held])
                continue
            value = split.value(x[None])[0]
            shown: float | str = float(value if np.ndim(value) == 0 else value[branch])
            words = split.words(names)
            if len(words) > 50:
                words = f"{split.kind} of {np.count_nonzero(split.shares(len(x)))} columns"
            label = split.labels(classes)[branch]
            if isinstance(split, Threshold) and self._block_schema()[split.column].date:
                label = f"{'≤>'[branch]} {date_floor(split.threshold)}"
                shown = moment(float(shown))
            steps.append([node, words, shown, label, _count(weight), *held])
            parts += [[node, *term] for term in split.terms(x, names)[:_PARTS]]
        head = ["node", "test", "value", "branch", "rows", *(classes or ["mean"])]
        sections = [Section("Path", head, steps)]
        if parts:
            note = f"At most the {_PARTS} largest of each node"
            several = any(isinstance(tree.splits[node], Discriminants) for node, _ in tree.path(x)[:-1])
            note += "; of several scores, those of the lead over the second." if several else "."
            sections.append(
                Section("Terms of the tests", ["node", "term", "weight", "contribution"], parts, note)
            )
        return sections


class MultivariateTreeClassifier(MultivariateTree, Classifier):
    """A multivariate tree whose leaves hold class shares."""

    criterion: str
    class_weight: Any

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        w = np.ones(len(X)) if w is None else w
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            w = w * compute_sample_weight(self.class_weight, self.classes_[y])
        self._grow(X, y, w, len(self.classes_), self.criterion)

    def _posterior(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)


class MultivariateTreeRegressor(MultivariateTree, Regressor):
    """A multivariate tree whose leaves hold means."""

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim > 1:
            raise DataError(
                f"{type(self).__name__} predicts one number, y has {y.shape[1]} columns. Fit one model for each."
            )
        self._grow(X, y, np.ones(len(X)) if w is None else w, 0, CRITERIA[0])

    def _predict(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict(X)[:, 0]


def _count(v: float) -> int | float:
    return round(v) if abs(v - round(v)) < 1e-9 * max(abs(v), 1) else float(v)
