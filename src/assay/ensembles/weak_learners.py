"""Where boosting gets the next weak learner from: trees on columns ranked once, or any estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from assay.core.parallel import in_threads
from assay.errors import ParameterError
from assay.tables import Schema
from assay.trees.grove import MISSING_FIRST, Grove
from assay.trees.tree import LEAF, SUBSET, THRESHOLD, Tree

__all__ = ["SumOfTrees", "WeakEstimators", "WeakTrees", "kept", "with_seed"]

T = TypeVar("T")

WORTH_A_THREAD = 1 << 15  # entries of a table on which one tree is grown
SEEDS = np.iinfo(np.int32).max  # seeds are drawn below this, as scikit-learn draws them


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
        from assay.trees.decision_tree import grouped

        self._learner = clone(template)
        self._learner._check_parameters()
        self._learner._remember(schema)
        if classes is not None:
            self._learner.classes_ = classes
        self._columns = rank_columns(X, grouped(schema))
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
        if weighted and not has_fit_parameter(template, "sample_weight"):
            raise ParameterError(
                f"{who}: {type(template).__name__} doesn't support sample_weight, which boosting needs. Choose "
                "another estimator, or resampling where the learner offers it."
            )
        self.template, self.X = template, X

    def learn(self, y: np.ndarray, w: np.ndarray | None, seed: int) -> Any:
        """The fitted clone."""
        model = with_seed(clone(self.template), seed)
        if w is None:
            model.fit(self.X, y)
        else:
            model.fit(self.X, y, sample_weight=w)
        return model

    def learn_all(self, learn: Callable[[int], T], count: int) -> list[T]:
        """``[learn(0), learn(1), ...]``, one after the other: these estimators see to their threads themselves."""
        return [learn(k) for k in range(count)]

    def learn_rows(self, rows: np.ndarray, y: np.ndarray, seed: int) -> Any:
        """The clone that is fitted with some rows, repeated as they come."""
        from sklearn.utils import _safe_indexing

        model = with_seed(clone(self.template), seed)
        model.fit(_safe_indexing(self.X, rows), y[rows])
        return model


def with_seed(model: Any, seed: int) -> Any:
    """The model, its own random_state and those inside it set, where it has any."""
    wanted = [
        name
        for name in sorted(model.get_params())
        if name == "random_state" or name.endswith("__random_state")
    ]
    return model.set_params(**dict.fromkeys(wanted, int(seed))) if wanted else model


_planted: WeakKeyDictionary[Any, tuple[list[Tree], int, SumOfTrees]] = WeakKeyDictionary()


def kept(model: Any, make: Callable[[], SumOfTrees]) -> SumOfTrees:
    """What ``make`` makes of ``model.members_``, made once, and again when they have changed.

    Kept outside of the model: predicting changes nothing in it, and it is stored without what follows from the rest.
    """
    found = _planted.get(model)
    if found is None or found[0] is not model.members_ or found[1] != len(model.members_):
        found = (model.members_, len(model.members_), make())
        _planted[model] = found
    return found[2]


class SumOfTrees:
    """Trees whose values are added up: quickly for a whole block, step by step, or column by column.

    Parameters
    ----------
    trees : list of Tree
    columns : (T,) the output that each tree's (first) value is added to; None: output 0
    scale : what each tree's values are multiplied with: a number, or one per tree
    values : list of (m, V) arrays that take the place of the trees' own values, or None
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        columns: Sequence[int] | np.ndarray | None = None,
        scale: Any = 1.0,
        values: Sequence[np.ndarray] | None = None,
    ):
        self._trees, self._values = list(trees), [t.value for t in trees] if values is None else list(values)
        self.scale = np.broadcast_to(np.asarray(scale, np.float64), (len(trees),))
        self.columns = np.zeros(len(trees), np.int32) if columns is None else np.asarray(columns, np.int32)
        self.width = int(max(c + v.shape[1] for c, v in zip(self.columns, self._values)))
        walkable = all(t.surrogates is None and (t.missing[~t.is_leaf] >= 0).all() for t in trees)
        self._grove = self._planted() if walkable else None

    @property
    def trees(self) -> list[Tree]:
        """The trees with the values that are added up, before they are scaled."""
        return [replace(t, value=v) if v is not t.value else t for t, v in zip(self._trees, self._values)]

    def _planted(self) -> Grove:
        """The trees end to end as a Grove."""
        trees = self._trees
        sizes = [t.node_count for t in trees]
        kind, missing = (np.concatenate([getattr(t, name) for t in trees]) for name in ("kind", "missing"))
        leaf, cut, subset = kind == LEAF, kind == THRESHOLD, kind == SUBSET
        lengths = np.concatenate([np.diff(t.set_offset) for t in trees])
        value = np.concatenate(self._values) * np.repeat(self.scale, sizes)[:, None]
        flat: Any = SimpleNamespace(
            roots=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
            kind=np.where(~leaf & (missing == 0), kind | MISSING_FIRST, kind).astype(np.uint8),
            feature=np.concatenate([t.feature for t in trees])[~leaf],
            threshold=np.concatenate([t.threshold for t in trees])[cut],
            set_length=lengths[subset],
            sets=np.concatenate([t.sets for t in trees]),
            n_categories=trees[0].n_categories,
            node_count=len(kind),
        )
        leaves = np.ascontiguousarray(value[leaf])
        return Grove.plant(flat, leaves, np.arange(len(leaves))).with_columns(self.columns)

    def sums(self, X: np.ndarray) -> np.ndarray:
        """(n, outputs) the sum over all trees."""
        if self._grove is not None:
            return self._grove.sums(X)
        *_, last = self.staged_sums(X, len(self._trees))
        return last

    def staged_sums(
        self, X: np.ndarray, every: int = 1, start: np.ndarray | None = None
    ) -> Iterator[np.ndarray]:
        """(n, outputs) the sums after each ``every`` trees, added to ``start``."""
        if self._grove is not None:
            yield from self._grove.staged_sums(X, every, start)
            return
        trees, total = self.trees, np.zeros((len(X), self.width)) if start is None else start
        for first in range(0, len(trees), every):  # trees with surrogates, or that spread missing values
            total = total.copy()
            for t in range(first, min(first + every, len(trees))):
                c = self.columns[t]
                total[:, c : c + trees[t].value.shape[1]] += self.scale[t] * trees[t].predict(X)
            yield total

    def contributions(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n, d, outputs) what each column adds, and (outputs,) where they start from."""
        from assay.trees.shap import contributions

        return contributions(self.trees, X, self.scale, output=self.columns, n_outputs=self.width)
