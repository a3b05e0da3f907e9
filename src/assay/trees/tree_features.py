"""Feature selection by trees: which columns matter, and how large a neighbourhood is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card, Transformer
from assay.core.meta_estimator import fit_to
from assay.core.parameters import Instance, Range
from assay.core.stored import BoolArray, FloatArray, Object
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.tables import Table
from assay.trees.tree import Tree
from assay.types import Estimator

__all__ = [
    "NeighborsAdvice",
    "TreeFeatureSelector",
    "closeness_to_root",
    "neighbors_from_tree",
    "used_features",
]


def used_features(tree: Any) -> np.ndarray:
    """The columns that a tree, or the tree of a fitted learner, tests somewhere, ascending.

    >>> from assay.trees.tree import Tree
    >>> leaf = {"value": [1.0], "n": 1}
    >>> used_features(Tree.of({"feature": 2, "threshold": 0.0, "children": [leaf, leaf]}, [0, 0, 0]))
    array([2])
    """
    tree = _tree_of(tree, "used_features")
    return np.unique(tree.feature[~tree.is_leaf]).astype(np.int64)


def closeness_to_root(tree: Any) -> np.ndarray:
    r"""(d,) the importance of each column by how early a tree, or that of a fitted learner, asks for it.

    .. math:: c_j = \frac{1}{1 + \text{depth of the first test of column } j}

    1 for the column of the root, 1/2 for one that is first tested a level below, 0 for one that is never tested.

    >>> from assay.trees.tree import Tree
    >>> leaf = {"value": [1.0], "n": 1}
    >>> inner = {"feature": 0, "threshold": 0.0, "children": [leaf, leaf]}
    >>> closeness_to_root(Tree.of({"feature": 2, "threshold": 0.0, "children": [inner, leaf]}, [0, 0, 0]))
    array([0.5, 0. , 1. ])
    """
    tree = _tree_of(tree, "closeness_to_root")
    closeness = np.zeros(tree.n_features)
    inner = ~tree.is_leaf
    np.maximum.at(closeness, tree.feature[inner], 1.0 / (1.0 + tree.depth[inner]))
    return closeness


class NeighborsAdvice(NamedTuple):
    """Columns to measure distances in, and the number of neighbours."""

    features: np.ndarray
    k: int


def neighbors_from_tree(model: Any) -> NeighborsAdvice:
    """What a fitted tree suggests for a nearest-neighbour learner.

    A leaf is a neighbourhood whose shape depends on the classes: the columns that the tree tests are the ones worth
    measuring distances in, and the mean number of training rows in a leaf is a good number of neighbours.

    Parameters
    ----------
    model : a fitted learner with ``tree_``, or a Tree

    Examples
    --------
    Ten rows in two leaves, divided by the first of two columns:

    >>> from assay.trees import TextbookTreeClassifier, neighbors_from_tree
    >>> X = np.array([[i, 0] for i in range(10)])
    >>> neighbors_from_tree(TextbookTreeClassifier().fit(X, X[:, 0] > 4))
    NeighborsAdvice(features=array([0]), k=5)
    """
    tree = _tree_of(model, "neighbors_from_tree")
    sizes = tree.n_node_samples[tree.is_leaf]
    return NeighborsAdvice(used_features(tree), max(1, round(float(sizes[sizes > 0].mean()))))


class TreeFeatureSelector(Transformer):
    r"""Keep the columns that a tree uses, for another learner to work with.

    A tree selects columns as it grows, each where it reduces the impurity most among the rows that are left. Columns
    near the root matter for many rows; :math:`c_j = 1/(1 + \text{depth of its first test})` ranks them, and
    ``min_closeness`` keeps the upper ones only. Where no column is left, all are kept, with a
    warning.

    Cost: fit that of the tree, O(d n log n + n d depth); transform O(m) a row for m columns that stay; memory O(n d) to
    fit, O(nodes + d) kept.

    Parameters
    ----------
    estimator : a learner with ``tree_`` after ``fit``, default None
        None takes ``DecisionTreeClassifier`` if the target is of classes, else ``DecisionTreeRegressor``, with leaves
        of at least 1 % of the rows.
    min_closeness : float, default 0
        Columns whose closeness to the root is lower are left out; 0.25 keeps those first tested within four levels.

    Attributes
    ----------
    estimator_ : the fitted tree
    closeness_ : (d,) 1 at the root, 0 for a column that is never tested
    support_ : (d,) bool, the columns that are kept

    Examples
    --------
    >>> from assay.trees import TreeFeatureSelector
    >>> X = np.array([[i % 3, i, 7] for i in range(12)], dtype=float)
    >>> selector = TreeFeatureSelector().fit(X, X[:, 1] > 5)
    >>> selector.support_, selector.transform(X[:2])
    (array([False,  True, False]), array([[0.],
           [1.]]))

    See Also
    --------
    DecisionTreeClassifier, neighbors_from_tree

    References
    ----------
    - Cardie, C. (1993). Using decision trees to improve case-based learning. International Conference on Machine
      Learning, 25-32.
    """

    card = Card("tree selector", "the columns that a tree uses")
    takes = frozenset({"nominal", "missing"})
    accepts = {
        "estimator": Instance(having="fit", words="a tree learner") | None,
        "min_closeness": Range(0, 1),
    }
    stored = {
        "closeness_": FloatArray("d"),
        "estimator_": Object(BaseEstimator),
        "support_": BoolArray("d"),
    }

    renamed = {"tree": "estimator"}  # in model files of earlier versions

    def __init__(self, estimator: Estimator | None = None, min_closeness: float = 0.0):
        self.estimator = estimator
        self.min_closeness = min_closeness

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _learn(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> None:
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        estimator = _default_tree(y) if self.estimator is None else clone(self.estimator)
        self.estimator_ = fit_to(estimator, Table(X, self.schema_, None), y, w, type(self).__name__)
        self.closeness_ = closeness_to_root(_tree_of(self.estimator_, type(self).__name__))
        self.support_ = (self.closeness_ > 0) & (self.closeness_ >= self.min_closeness)
        if not self.support_.any():
            warn_user(
                f"{type(self).__name__}: the tree uses none of the columns, so all are kept.",
                DegenerateWarning,
            )
            self.support_ = np.ones(len(self.closeness_), dtype=bool)

    def transform(self, X: Any) -> Any:
        """The kept columns of X: a frame of the same library, an array for an array."""
        self._ready()
        table = self._read(X)
        kept = np.flatnonzero(self.support_)
        if isinstance(X, Table):
            return table.select(kept)
        if isinstance(X, Mapping):
            return {self.schema_.names[j]: X[self.schema_.names[j]] for j in kept}
        if hasattr(X, "columns") or hasattr(X, "column_names"):
            import narwhals.stable.v2 as nw

            names = list(X.column_names) if hasattr(X, "column_names") else list(X.columns)
            place = {str(name): name for name in names}
            if all(isinstance(name, str) for name in names):
                frame = nw.from_native(X, eager_only=True)
                return nw.to_native(frame.select([self.schema_.names[j] for j in kept]))
            return X[[place[self.schema_.names[j]] for j in kept]]  # pandas, columns named by numbers
        return np.asarray(X)[:, kept] if self.schema_.coded.any() else table.values[:, kept]

    def get_support(self, indices: bool = False) -> np.ndarray:
        """(d,) which columns are kept, or with ``indices`` their numbers."""
        self._ready()
        return np.flatnonzero(self.support_) if indices else self.support_

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the kept columns."""
        return super().get_feature_names_out(input_features)[self.support_]


def _default_tree(y: Any) -> Any:
    from sklearn.utils.multiclass import type_of_target

    from assay.core.targets import plain_values

    values = plain_values(y)  # text is classes, also where some of it is missing, which the tree reports
    if np.asarray(values).dtype.kind in "OUS" or type_of_target(values) in ("binary", "multiclass"):
        from assay.trees.decision_tree_classifier import DecisionTreeClassifier

        return DecisionTreeClassifier(min_samples_leaf=0.01)
    from assay.trees.decision_tree_regressor import DecisionTreeRegressor

    return DecisionTreeRegressor(min_samples_leaf=0.01)


def _tree_of(model: Any, who: str) -> Tree:
    tree = model if isinstance(model, Tree) else getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise ParameterError(
            f"{who}: expected a fitted tree learner of Assay, such as DecisionTreeClassifier, "
            f"got a {type(model).__name__} without tree_."
        )
    return tree
