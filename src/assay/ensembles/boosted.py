"""What boosted ensembles share: tables for Assay's trees, any X for other estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from assay.core.complaints import warn_unseen
from assay.core.meta_estimator import MetaEstimator, takes_tables
from assay.core.seeds import with_seed
from assay.core.stored import Each, IntArray, Object, Plain
from assay.tables import Table
from assay.trees.tree import Tree
from assay.trees.tree_list import TreeList

__all__ = ["Boosted"]


class Boosted(MetaEstimator):
    """A learner that fits ``estimator`` again and again; None stands for a small tree of our own.

    Our own trees are grown on one block of numbers with categories and gaps, whose columns are ranked once for all
    rounds. Other learners of ours get the table, with the schema of all rows; any other estimator gets X as it came.

    Attributes
    ----------
    estimator_ : the estimator whose clones are fitted
    members_ : list of what was fitted: Tree, or clones of the estimator
    """

    stored = {
        "members_": Object(TreeList, d="d", t="t") | Each(Object(Tree, BaseEstimator), "t"),
        "seeds_": IntArray("*"),
        "history_": Each(Plain(dict)),
    }

    def _default_estimator(self) -> Any:
        if self._task == "classifier":
            from assay.trees.decision_tree_classifier import DecisionTreeClassifier

            return DecisionTreeClassifier(max_depth=1)
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1)

    def _grows_trees(self) -> bool:
        """Whether the weak learners are trees of our own."""
        return type(self.estimator_) is type(self._default_estimator())

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        values = super()._admit(X, fitting)
        if fitting:
            self.estimator_ = self._template()
        if not isinstance(values, Table):
            return values
        if values.unseen and not fitting:  # reported once, rather than by each member
            warn_unseen(values, type(self).__name__, "treated as missing")
            values = values.unseen_as_missing()
        if not self._grows_trees():
            return values
        return values.values if isinstance(values.values, np.ndarray) else values.values.toarray()

    def _explained(self, X: Any) -> tuple[Table, Any]:
        if not takes_tables(self._asked()):
            return super()._explained(X)
        table = self._read(X)
        return table, self._admit(table)

    @property
    def feature_importances_(self) -> np.ndarray:
        """(d,) the mean of the members' importances, by the weight of their votes."""
        check_is_fitted(self)
        weights = self._weights_of_members()
        if self._grows_trees():
            each = [tree.compute_feature_importances() for tree in self.members_]
        elif all(hasattr(model, "feature_importances_") for model in self.members_):
            each = [model.feature_importances_ for model in self.members_]
        else:
            raise AttributeError(
                f"{type(self).__name__}: {type(self.estimator_).__name__} has no feature_importances_ attribute."
            )
        return np.average(each, axis=0, weights=weights)

    def _weights_of_members(self) -> np.ndarray:
        return np.ones(len(self.members_))

    def __len__(self) -> int:
        return len(self.members_)

    def __getitem__(self, index: int) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Any:
        return iter(self.estimators_)

    @property
    def estimators_(self) -> Any:
        """The fitted members as estimators."""
        check_is_fitted(self)
        if not self._grows_trees():
            return list(self.members_)
        return [self._shell(tree, seed) for tree, seed in zip(self.members_, self.seeds_)]

    def _shell(self, tree: Any, seed: int) -> Any:
        """A fitted estimator around a tree."""
        return with_seed(clone(self.estimator_), seed)._adopt_tree(
            tree, self.schema_, getattr(self, "classes_", None) if is_classifier(self.estimator_) else None
        )
