"""Weak learners of boosting: trees on columns ranked once, or any estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from types import SimpleNamespace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import clone

from assay.core.meta_estimator import fit_to, takes_weights
from assay.core.parallel import in_threads
from assay.core.seeds import with_seed
from assay.errors import ParameterError
from assay.tables import Schema
from assay.tables.rows import take_rows
from assay.trees.forest_walker import MISSING_FIRST, ForestWalker
from assay.trees.tree import LEAF, SUBSET, THRESHOLD, Tree
from assay.trees.tree_list import TreeList

__all__ = [
    "SumOfTrees",
    "WeakEstimators",
    "WeakTrees",
    "as_kept",
    "kept",
    "values_of",
]

T = TypeVar("T")

WORTH_A_THREAD = 1 << 15  # entries of a table on which one tree is grown


class WeakTrees:
    """The next tree of a boosting run: always the same columns, ranked once, with other weights or other targets.

    Parameters
    ----------
    template : a DecisionTreeClassifier or DecisionTreeRegressor whose parameters all trees have
    X : (n, d) float block      schema : Schema
    classes : (K,) labels, or None for numbers
    """

    def __init__(self, template: Any, X: np.ndarray, schema: Schema, classes: np.ndarray | None = None):
        from assay.trees.columns import rank_columns

        self._learner = clone(template)
        self._learner._check_parameters()
        self._learner._remember(schema)
        if classes is not None:
            self._learner.classes_ = classes
        self._columns = rank_columns(X, schema.category_counts(ordered=False))
        self.max_features = 0  # columns that a node of the trees looked at; 0 before there is one

    def learn(self, y: np.ndarray, w: np.ndarray | None, seed: int) -> Tree:
        """The tree of these targets (class numbers, or numbers) and weights; a row of weight 0 is not there."""
        learner = copy(self._learner)
        learner.random_state = seed
        learner._learn(self._columns, y, w)
        self.max_features = learner.max_features_
        return learner.tree_

    def learn_all(self, learn: Callable[[int], T], count: int) -> list[T]:
        """``[learn(0), learn(1), ...]``: the trees of one round, on several threads if there is much to do."""
        worth = count > 1 and self._columns.n * self._columns.d >= WORTH_A_THREAD
        return in_threads(learn, range(count), None if worth else 1)


class WeakEstimators:
    """The next estimator of a boosting run: a clone of the template, fitted with other weights or targets."""

    def __init__(self, template: Any, X: Any, who: str, weighted: bool = True):
        if weighted and not takes_weights(template):
            raise ParameterError(
                f"{who}: {type(template).__name__} doesn't support sample_weight, which boosting needs. Choose "
                "another estimator, or resampling where the learner offers it."
            )
        self.template, self.X, self.who = template, X, who

    def learn(self, y: Any, w: np.ndarray | None, seed: int) -> Any:
        """The fitted clone."""
        return fit_to(with_seed(clone(self.template), seed), self.X, y, w, self.who)

    def learn_all(self, learn: Callable[[int], T], count: int) -> list[T]:
        """``[learn(0), learn(1), ...]``, one after the other: these estimators see to their threads themselves."""
        return [learn(k) for k in range(count)]

    def learn_rows(self, rows: np.ndarray, y: Any, seed: int) -> Any:
        """The clone that is fitted with some rows, repeated as they come."""
        model = with_seed(clone(self.template), seed)
        return fit_to(model, take_rows(self.X, rows), y[rows], None, self.who)


_sums_by_model: WeakKeyDictionary[Any, tuple[Any, int, SumOfTrees]] = WeakKeyDictionary()


def kept(model: Any, make: Callable[[], SumOfTrees]) -> SumOfTrees:
    """What ``make`` makes of ``model.members_``, made once, and again when they have changed.

    Kept outside of the model: predicting changes nothing in it, and it is stored without what follows from the rest.
    """
    entry = _sums_by_model.get(model)
    if entry is None or entry[0] is not model.members_ or entry[1] != len(model.members_):
        entry = (model.members_, len(model.members_), make())
        _sums_by_model[model] = entry
    return entry[2]


class SumOfTrees:
    """Trees whose values are added up: quickly for a whole block, step by step, or column by column.

    Parameters
    ----------
    trees : TreeList, or a list of Tree
    columns : (T,) the output that each tree's (first) value is added to; None: output 0
    scale : what each tree's values are multiplied with: a number, or one per tree
    value : (N, V) what takes the place of the values of all nodes of all trees, or None
    """

    def __init__(
        self,
        trees: TreeList | Sequence[Tree],
        columns: Sequence[int] | np.ndarray | None = None,
        scale: Any = 1.0,
        value: np.ndarray | None = None,
    ):
        self._trees, n = as_kept(trees), len(trees)
        self._value = values_of(self._trees) if value is None else value
        self.scale = np.broadcast_to(np.asarray(scale, np.float64), (n,))
        self.columns = np.zeros(n, np.int32) if columns is None else np.asarray(columns, np.int32)
        self.width = int(self.columns.max()) + self._value.shape[1]
        self._walker = None
        if isinstance(self._trees, TreeList):
            inner = self._trees.kind != LEAF
            if (self._trees.missing[inner] >= 0).all() and (self._trees.kind <= SUBSET).all():
                self._walker = self._walker_over(self._trees)

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees with the values that are added up, before they are scaled."""
        ends = np.cumsum([t.node_count for t in self._trees])
        return [replace(t, values=v) for t, v in zip(self._trees, np.split(self._value, ends[:-1]))]

    def _walker_over(self, trees: TreeList) -> ForestWalker:
        """The trees as they are walked together."""
        kind = trees.kind
        leaf = kind == LEAF
        flat: Any = SimpleNamespace(
            roots=trees.roots,
            kind=np.where(~leaf & (trees.missing == 0), kind | MISSING_FIRST, kind).astype(np.uint8),
            feature=trees.feature[~leaf],
            threshold=trees.threshold[kind == THRESHOLD],
            set_length=np.delete(np.diff(trees.set_offset), trees.roots[1:-1] + np.arange(len(trees) - 1))[
                kind == SUBSET
            ],
            sets=trees.sets,
            n_categories=trees.n_categories,
            node_count=len(kind),
        )
        leaves = (self._value * np.repeat(self.scale, trees.sizes)[:, None])[leaf]
        return ForestWalker.of_packed(flat, leaves, np.arange(len(leaves))).with_columns(self.columns)

    def sums(self, X: np.ndarray) -> np.ndarray:
        """(n, outputs) the sum over all trees."""
        if self._walker is not None:
            return self._walker.sums(X)
        *_, last = self.staged_sums(X, len(self._trees))
        return last

    def staged_sums(
        self, X: np.ndarray, every: int = 1, start: np.ndarray | None = None
    ) -> Iterator[np.ndarray]:
        """(n, outputs) the sums after each ``every`` trees, added to ``start``."""
        if self._walker is not None:
            yield from self._walker.staged_sums(X, every, start)
            return
        trees, total = self.trees, np.zeros((len(X), self.width)) if start is None else start
        for first in range(0, len(trees), every):  # trees with surrogates
            total = total.copy()
            for t in range(first, min(first + every, len(trees))):
                c = self.columns[t]
                total[:, c : c + trees[t].values.shape[1]] += self.scale[t] * trees[t].predict(X)
            yield total

    def contributions(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, d, outputs) what each column adds, and (outputs,) where they start from."""
        from assay.trees.shap import contributions

        return contributions(self.trees, X, self.scale, output=self.columns, n_outputs=self.width)


def values_of(trees: TreeList | Sequence[Tree]) -> np.ndarray:
    """(N, V) the values of all nodes of all trees."""
    return trees.values if isinstance(trees, TreeList) else np.concatenate([tree.values for tree in trees])


def as_kept(members: Any) -> Any:
    """Members as a model keeps them: trees end to end if they can be, else a list."""
    if isinstance(members, TreeList):
        return members
    whole = len(members) and all(isinstance(m, Tree) and m.surrogates is None for m in members)
    return TreeList.of(members) if whole else list(members)
