"""What boosted ensembles share: tables for their own trees, any X for other people's estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils.validation import _check_feature_names, _num_features, check_is_fitted

from assay.core.complaints import warn_unseen
from assay.core.explanation import Explanation
from assay.core.learner import Learner
from assay.core.stored import Each, IntArray, Object, Plain
from assay.ensembles.weak_learners import refuse_other_task, with_seed
from assay.errors import DataError, ParameterError
from assay.tables import Table
from assay.tables.rows import take_rows
from assay.tables.table import UNSEEN
from assay.trees.tree import Tree
from assay.trees.tree_list import TreeList

__all__ = ["Boosted"]


class Boosted(Learner):
    """A learner that fits ``estimator`` again and again; None stands for a small tree of our own.

    Our own trees are grown on one block of numbers with categories and gaps, whose columns are ranked once for all
    rounds. Other learners of ours get the table, with the schema of all rows; any other estimator gets X as it came.

    Attributes
    ----------
    estimator_ : the estimator whose clones are fitted
    members_ : list of what was fitted: Tree, or clones of the estimator
    """

    stored = {
        "estimator_": Object(BaseEstimator),
        "members_": Object(TreeList, d="d", t="t") | Each(Object(Tree, BaseEstimator), "t"),
        "seeds_": IntArray("*"),
        "history_": Each(Plain(dict)),
    }

    takes = frozenset({"nominal", "missing", "sparse"})
    estimator: Any
    _task = "classifier"  # of the weak learner

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import get_tags

        tags = super().__sklearn_tags__()
        if self.estimator is not None and hasattr(self.estimator, "fit"):
            inner = get_tags(self.estimator).input_tags
            tags.input_tags.allow_nan, tags.input_tags.sparse = inner.allow_nan, inner.sparse
        return tags

    def _template(self) -> Any:
        """The estimator that is boosted."""
        if self.estimator is None:
            return self._small_tree()
        if not hasattr(self.estimator, "fit") or isinstance(self.estimator, type):
            raise ParameterError(
                f"{type(self).__name__}: estimator must be a {self._task} object, such as {self._small_tree()!r}, got "
                f"{self.estimator!r}."
            )
        if type(self.estimator) is not type(self._small_tree()):
            refuse_other_task(type(self).__name__, self.estimator, self._task)
        return self.estimator

    def _small_tree(self) -> Any:
        if self._task == "classifier":
            from assay.trees.decision_tree_classifier import DecisionTreeClassifier

            return DecisionTreeClassifier(max_depth=1)
        from assay.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=1)

    def _grows_trees(self) -> bool:
        """Whether the weak learners are trees of our own."""
        return type(self.estimator_) is type(self._small_tree())

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        if fitting:
            self.estimator_ = self._template()
        else:
            self._ready()
        if self._grows_trees():
            block = super()._admit(X, fitting)
            return block if isinstance(block, np.ndarray) else block.toarray()
        return self._as_it_came(X, fitting)

    def _as_it_came(self, X: Any, fitting: bool) -> Any:
        """X for an estimator that looks at it by itself: for learners of ours as a table, for others untouched."""
        who = type(self).__name__
        if type(self.estimator_).__module__.partition(".")[0] == "assay":
            return self._as_table(X, fitting)
        if scipy.sparse.issparse(X):
            X = X if X.format in ("csr", "csc") else X.tocsr()
        elif not hasattr(X, "shape"):
            X = np.asarray(X)
        if len(X.shape) < 2:
            raise DataError(f"{who}: expected rows and columns. Reshape your data, got shape {X.shape}.")
        if fitting:
            if len(X.shape) == 2:
                self._remember(Table.of(X, who=who).schema)
            else:
                self.n_features_in_ = X.shape[1]
        else:
            _check_feature_names(self, X, reset=False)
            if _num_features(X) != self.n_features_in_:
                raise DataError(
                    f"X has {_num_features(X)} features, but {who} is expecting {self.n_features_in_} features as "
                    "input."
                )
        return X

    def _as_table(self, X: Any, fitting: bool) -> Table:
        """X with the schema of all training rows, whichever of them a member sees."""
        who = type(self).__name__
        if fitting:
            table = Table.of(X, who=who)
            self._remember(table.schema)
            return table
        table = Table.like(X, self.schema_, who)
        if not table.unseen:
            return table
        warn_unseen(table, who, "treated as missing")
        values = np.where((table.values == UNSEEN) & table.schema.coded, np.nan, table.values)
        return Table(values, table.schema, complete=False)

    def explain(self, X: Any) -> Explanation | list[Explanation]:
        """How the ensemble reached its answer: an Explanation for one row, a list for several."""
        self._ready()
        if self._grows_trees():
            return super().explain(X)  # type: ignore[misc]
        values = self._as_it_came(X, fitting=False)
        table = values if isinstance(values, Table) else Table.like(X, self.schema_, type(self).__name__)
        raw, found = table.values, []
        for i in range(values.shape[0]):
            seen = raw[i : i + 1] if isinstance(raw, np.ndarray) else raw[i : i + 1].toarray()
            row = {c.name: self.schema_.label(j, seen[0, j]) for j, c in enumerate(self.schema_)}
            found.append(self._explanation(take_rows(values, [i]), row))  # type: ignore[attr-defined]
        return found[0] if len(found) == 1 else found

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
