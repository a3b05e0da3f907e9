"""One way to prune any fitted tree."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.trees.pruning.bottom_up import collapse
from assay.trees.pruning.cost_complexity import cost_complexity
from assay.trees.pruning.cross_validated import choose_alpha
from assay.trees.pruning.error_based import error_based
from assay.trees.pruning.mdl import mdl
from assay.trees.pruning.pessimistic import pessimistic
from assay.trees.pruning.reduced_error import reduced_error
from assay.trees.tree import Tree
from assay.types import TableLike, Target, Weights

__all__ = ["prune"]

# for each method: its settings, and whether it is for classes only
METHODS: dict[str, tuple[set[str], bool]] = {
    "cost-complexity": ({"alpha", "cost", "cv", "within", "random_state"}, False),
    "reduced-error": ({"when"}, False),
    "error-based": ({"confidence"}, True),
    "pessimistic": (set(), True),
    "mdl": ({"structure"}, True),
    "collapse": (set(), True),
}


def prune(
    model: Any,
    X: TableLike | None = None,
    y: Target | None = None,
    sample_weight: Weights | None = None,
    *,
    method: str,
    **settings: Any,
) -> Any:
    """A pruned copy of a fitted tree learner; the learner itself stays as it is.

    ===================  ================================================  =======================================
    method               the rows X, y                                     settings
    ===================  ================================================  =======================================
    "cost-complexity"    not needed with ``alpha``; else those it was      alpha, cost="impurity", cv=10, within=1,
                         fitted on, for cross-validation                   random_state
    "reduced-error"      rows that it has *not* seen                       when="not worse" or "better"
    "error-based"        those it was fitted on, for subtree raising, or   confidence=0.25
                         None
    "pessimistic"        not needed
    "mdl"                not needed                                        structure=1
    "collapse"           not needed
    ===================  ================================================  =======================================

    The last four are for classes; the first two also for numbers. Each is explained at the function of its name in
    :mod:`assay.trees.pruning`.

    Parameters
    ----------
    model : fitted learner with ``tree_``
    X, y, sample_weight : rows, their targets and weights, or None
    method : str

    Examples
    --------
    >>> from assay.tables.data import load_iris
    >>> from assay.trees import ID3Classifier
    >>> from assay.trees.pruning import prune
    >>> iris = load_iris()
    >>> model = ID3Classifier().fit(iris.X, iris.y)
    >>> model.get_n_leaves(), prune(model, method="pessimistic").get_n_leaves()
    (9, 4)
    """
    tree = _tree_of(model)
    _check(model, method, settings)
    if method == "cost-complexity":
        smaller = _by_price(model, tree, X, y, sample_weight, **settings)
    elif method == "reduced-error":
        rows = _rows(model, X, y, sample_weight, method)
        smaller = reduced_error(tree, *rows, regression=not hasattr(model, "classes_"), **settings)
    elif method == "error-based":
        grown_on = () if X is None else _rows(model, X, y, sample_weight, method)
        smaller = error_based(tree, settings.get("confidence", 0.25), *grown_on)
    else:
        smaller = {"pessimistic": pessimistic, "mdl": mdl, "collapse": collapse}[method](tree, **settings)
    pruned = copy.copy(model)
    pruned.tree_ = smaller
    return pruned


def _tree_of(model: Any) -> Tree:
    if hasattr(model, "_ready"):
        model._ready()
    tree = getattr(model, "tree_", None)
    if not isinstance(tree, Tree):
        raise ParameterError(
            f"prune: {type(model).__name__} has no tree_ of tests on single columns. Fit a tree learner of "
            "assay.trees first."
        )
    if hasattr(model, "coef_") or hasattr(model, "leaf_values_"):
        raise ParameterError(
            f"prune: the leaves of {type(model).__name__} hold functions that were fitted for these very leaves. Fit "
            "again with other limits, such as max_depth or min_samples_leaf."
        )
    return tree


def _check(model: Any, method: str, settings: dict[str, Any]) -> None:
    if method not in METHODS:
        raise ParameterError(f"prune: method must be one of {', '.join(map(repr, METHODS))}, got {method!r}.")
    known, classes_only = METHODS[method]
    unknown = sorted(set(settings) - known)
    if unknown:
        offered = ", ".join(sorted(known)) or "none"
        raise ParameterError(f"prune: {method!r} has no setting {unknown[0]!r}. Its settings: {offered}.")
    if classes_only and not hasattr(model, "classes_"):
        raise ParameterError(
            f"prune: {method!r} counts classes, and {type(model).__name__} predicts numbers. Use 'cost-complexity' or "
            "'reduced-error'."
        )
    when = settings.get("when", "better")
    if when not in ("better", "not worse"):
        raise ParameterError(f"prune: when must be 'not worse' or 'better', got {when!r}.")


def _rows(model: Any, X: Any, y: Any, weights: Any, method: str) -> tuple[np.ndarray, np.ndarray, Any]:
    """The rows as the tree sees them, the targets as it counts them, and the weights."""
    from assay.core.targets import check_weights, label_codes, numeric_target

    if X is None or y is None:
        raise DataError(f"prune: {method!r} needs rows to prune with. Pass X and y.")
    block = model._admit(X)
    block = block if isinstance(block, np.ndarray) else block.toarray()
    weights = check_weights(weights, block)
    if not hasattr(model, "classes_"):
        return block, numeric_target(y, len(block), "prune"), weights
    target = label_codes(y, model.classes_, len(block), "prune")
    if getattr(model, "class_weight", None) is not None:  # rows count here as they did in growing
        from sklearn.utils import compute_sample_weight

        by_class = compute_sample_weight(model.class_weight, model.classes_[target])
        weights = by_class if weights is None else by_class * weights
    return block, target, weights


def _by_price(model: Any, tree: Tree, X: Any, y: Any, weights: Any, **settings: Any) -> Tree:
    alpha, cost = settings.pop("alpha", None), settings.pop("cost", "impurity")
    if alpha is None:
        if X is None or y is None:
            raise DataError(
                "prune: 'cost-complexity' needs the price of a leaf. Pass alpha, or X and y to choose it by "
                "cross-validation."
            )
        alpha = choose_alpha(model, X, y, weights, cost=cost, **settings).alpha
    return cost_complexity(tree, alpha, cost)
