"""What the four exact trees share: their parameters, and growing from a table."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from assay.core.parameters import Accepted, Any_, Choice, Count, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import Integer, Kind, Object
from assay.errors import ParameterError
from assay.trees.columns import Columns, rank_columns
from assay.trees.growing import grow
from assay.trees.limits import GROWTH, rows_of
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner
from assay.types import TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.tables import Schema

__all__ = ["DecisionTree"]


class DecisionTree(TreeLearner):
    """Parameters of scikit-learn's trees, and what they mean for :func:`assay.trees.growing.grow`."""

    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing", "sparse"})
    _reads_sparse = True
    accepts: ClassVar[Mapping[str, Accepted | None]] = {
        "splitter": Choice("best", "random"),
        **GROWTH,
        "random_state": Seed(),
        "monotonic_cst": Any_("None, an array of -1, 0, 1, or a dict from column names to these"),
        "missing": Choice("learned", "surrogate", "spread"),
        "max_candidates": Count(1) | None,
    }
    stored: ClassVar[Mapping[str, Kind]] = {
        "max_features_": Integer(low=1),
        "tree_": Object(Tree, d="d"),
    }

    # scikit-learn's trees can leave out their checks of X; ours are quick and always made.
    __metadata_request__fit: ClassVar[dict[str, str]] = {"check_input": UNUSED}
    __metadata_request__predict: ClassVar[dict[str, str]] = {"check_input": UNUSED}
    __metadata_request__predict_proba: ClassVar[dict[str, str]] = {"check_input": UNUSED}

    def fit(
        self, X: TableLike, y: Target, sample_weight: Weights | None = None, check_input: bool = True
    ) -> Any:
        """Grow the tree with the rows of X and their targets y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d)
        y : (n,) targets, or (n, O), one column for each of several targets
        sample_weight : (n,) what each row counts; None counts each once
        check_input : bool, default True
            Accepted for compatibility; X is always checked.
        """
        me: Any = super()
        return me.fit(X, y, sample_weight)

    def predict(self, X: TableLike, check_input: bool = True) -> np.ndarray:
        """(n,) the answer for each row, or (n, O) of several targets. ``check_input`` is accepted for compatibility."""
        me: Any = super()
        return me.predict(X)

    def apply(self, X: TableLike, check_input: bool = True) -> np.ndarray:
        """(n,) the number of the leaf that each row reaches. ``check_input`` is accepted for compatibility."""
        return super().apply(X)

    def decision_path(self, X: TableLike, check_input: bool = True) -> Any:
        """(n, nodes) sparse: 1 at the nodes that each row passes. ``check_input`` is accepted for compatibility."""
        return super().decision_path(X)

    def _grown(self, X: Any, y: np.ndarray, w: np.ndarray | None, K: Any, loss: Any = None) -> Tree:
        """A tree of K classes; of a list of them, one for each target; of numbers if K is 0."""
        me: Any = self
        if me.missing == "spread" and me.splitter == "random":
            raise ParameterError(
                f"{type(self).__name__}: missing='spread' needs splitter='best'. For random cuts take 'learned' or "
                "'surrogate'."
            )
        n, d = X.shape
        self.max_features_ = _columns_to_try(me.max_features, d)
        drawn = me.splitter == "random" or self.max_features_ < d
        leaf, split = rows_of(me.min_samples_leaf, n, 1), rows_of(me.min_samples_split, n, 2)
        tree = grow(
            rank_columns(X, me.schema_.category_counts(ordered=False), presorted=not drawn),
            y,
            w,
            n_classes=K,
            criterion=me.criterion,
            splitter=me.splitter,
            max_depth=me.max_depth,
            min_samples_split=max(split, 2 * leaf),
            min_samples_leaf=leaf,
            min_weight_leaf=me.min_weight_fraction_leaf * (n if w is None else float(w.sum())),
            max_features=self.max_features_,
            max_leaf_nodes=me.max_leaf_nodes,
            min_impurity_decrease=me.min_impurity_decrease,
            monotonic=self._monotonic(K, y.ndim > 1),
            loss=loss,
            max_candidates=me.max_candidates,
            missing=me.missing,
            use_up=not isinstance(X, Columns),  # columns that came ranked are wanted again
            seed=random_state_of(me.random_state).randint(2**31) if drawn else 0,
        )
        if me.ccp_alpha > 0:
            from assay.trees.pruning.cost_complexity import cost_complexity

            tree = cost_complexity(tree, me.ccp_alpha)
        return tree

    def _adopt_tree(self, tree: Tree, schema: Schema, classes: np.ndarray | None = None) -> Any:
        """Become the fitted learner of a tree that was grown elsewhere, such as in an ensemble."""
        me: Any = self
        me._remember(schema)
        if classes is not None:
            me.classes_, me.n_classes_ = classes, len(classes)
        self.n_outputs_ = 1 if classes is not None else tree.values.shape[1]
        self.max_features_ = _columns_to_try(me.max_features, len(schema))
        self.tree_ = tree
        return self

    def _monotonic(self, K: Any, several: bool) -> np.ndarray | None:
        """(d,) of -1, 0, 1, checked."""
        me: Any = self
        constraints = me.monotonic_cst
        if constraints is None:
            return None
        who, schema = type(self).__name__, me.schema_
        if several or K > 2:
            what = "multiple outputs" if several else "multiclass classification"
            raise ParameterError(f"{who}: Monotonicity constraints are not supported with {what}.")
        if isinstance(constraints, dict):
            unknown = [name for name in constraints if name not in schema.names]
            if unknown:
                raise ParameterError(
                    f"{who}: monotonic_cst names the column {unknown[0]!r}, which X does not have."
                )
            constraints = [constraints.get(name, 0) for name in schema.names]
        signs = np.atleast_1d(constraints)
        if signs.ndim != 1 or len(signs) != len(schema):
            raise ParameterError(
                f"{who}: monotonic_cst has shape {len(signs)} but the input data X has {len(schema)} features."
            )
        if not np.isin(signs, (-1, 0, 1)).all():
            raise ParameterError(
                f"{who}: monotonic_cst must be None or an array-like of -1, 0 or 1, but got {np.unique(signs)}."
            )
        for column, sign in zip(schema, signs):
            if sign and column.kind == "nominal":
                raise ParameterError(
                    f"{who}: column {column.name!r} is nominal, nothing can rise or fall with it."
                )
        return signs.astype(np.int8)

    def cost_complexity_pruning_path(
        self, X: TableLike, y: Target, sample_weight: Weights | None = None
    ) -> Any:
        """The prices of a leaf at which minimal cost-complexity pruning cuts the tree, and what is left then.

        Returns
        -------
        Bunch with ``ccp_alphas`` (s,), ascending from 0, and ``impurities`` (s,): the total impurity of the leaves
        that are left.
        """
        from sklearn.base import clone
        from sklearn.utils import Bunch

        from assay.trees.pruning.cost_complexity import cost_complexity_path

        me: Any = self
        grown = clone(me).set_params(ccp_alpha=0.0).fit(X, y, sample_weight=sample_weight)
        path = cost_complexity_path(grown.tree_)
        return Bunch(ccp_alphas=path.alphas, impurities=path.costs)

    def _answers(self, X: Any) -> np.ndarray:
        """(n, V) the values of the leaves."""
        return self.tree_.predict(X)


def _columns_to_try(asked: Any, d: int) -> int:
    if asked is None:
        return d
    if isinstance(asked, str):
        return max(1, int(np.sqrt(d) if asked == "sqrt" else np.log2(d)))
    return int(asked) if isinstance(asked, Integral) else max(1, int(asked * d))
