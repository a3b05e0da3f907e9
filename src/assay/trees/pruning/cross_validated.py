"""The price of a leaf by cross-validation, with the one-standard-error rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.core.targets import encode_labels
from assay.errors import DataError
from assay.tables.rows import take_rows
from assay.trees.pruning.cost_complexity import cost_complexity, cost_complexity_path, sums_on_path
from assay.trees.tree import Tree
from assay.types import RandomState, Splitter, TableLike, Weights

__all__ = ["AlphaChoice", "choose_alpha", "weigh_path"]

# rows to grow on, rows left out -> the tree, the rows left out as it sees them, the class behind each of its values
PAIRS = 1 << 22  # of rows and nodes that are looked at together
Fold = Callable[[np.ndarray, np.ndarray], tuple[Tree, np.ndarray, np.ndarray | None]]


@dataclass(frozen=True)
class AlphaChoice:
    """What cross-validation says about every subtree of the path.

    Attributes
    ----------
    alpha : float
        The chosen price of a leaf.
    alphas : (s,) the prices at which the path of the whole tree changes
    leaves : (s,) the leaves of the subtree that is best from there on
    errors : (s,) the cross-validated error (share of wrong rows, or mean squared error); 0 if there is no choice
    standard_errors : (s,)
    best : int
        The subtree of least error.
    chosen : int
        The smallest subtree within the allowed number of standard errors of it.
    """

    alpha: float
    alphas: np.ndarray
    leaves: np.ndarray
    errors: np.ndarray
    standard_errors: np.ndarray
    best: int
    chosen: int


def choose_alpha(
    model: Any,
    X: TableLike,
    y: Any,
    sample_weight: Weights | None = None,
    *,
    cv: Splitter = 10,
    within: float = 1.0,
    cost: str = "impurity",
    random_state: RandomState = None,
) -> AlphaChoice:
    r"""Choose the price of a leaf for a fitted tree learner.

    The path of the whole tree changes at :math:`\alpha_1 = 0 < \dots < \alpha_s`. In each fold a tree is grown on the
    other folds and pruned with each :math:`\beta_i = \sqrt{\alpha_i \alpha_{i+1}}`, a typical price for subtree i, and
    the rows left out tell its error :math:`R_i`. Chosen is the smallest subtree with

    .. math:: R_i \le \min_j R_j + c \cdot SE \quad (1)

    where SE is the standard error at the minimum and c = ``within`` (Breiman, Friedman, Olshen and Stone 1984). For it
    whole weights count as so many rows; others w are as good as :math:`(\sum w)^2 / \sum w^2` rows.

    Parameters
    ----------
    model : fitted learner with ``tree_``
    X, y, sample_weight : the rows it was fitted on
    cv : int, splitter or list of (train, test) row numbers, default 10
        How many folds, rows dealt out in the order of y so that classes are spread evenly; or which rows.
    within : float, default 1
        How many standard errors; 0 takes the subtree of least error.
    cost : "impurity" or "error"
        As in :func:`cost_complexity`.
    random_state : int, RandomState or None
        None deals out rows of the same class in turn; a seed shuffles them first.

    Examples
    --------
    >>> from assay.tables.data import load_iris
    >>> from assay.trees import ID3Classifier
    >>> from assay.trees.pruning import choose_alpha
    >>> iris = load_iris()
    >>> choice = choose_alpha(ID3Classifier().fit(iris.X, iris.y), iris.X, iris.y, random_state=0)
    >>> int(choice.leaves[0]), int(choice.leaves[choice.chosen])
    (9, 4)
    """
    from sklearn.base import clone, is_classifier

    classes = None
    if is_classifier(model):
        classes, target = encode_labels(y, len(y), "choose_alpha")
        labels = classes[target]
    else:
        labels = target = np.asarray(y, np.float64)
    weights = None if sample_weight is None else np.asarray(sample_weight, np.float64)

    def fold(train: np.ndarray, test: np.ndarray) -> tuple[Tree, np.ndarray, np.ndarray | None]:
        extra = {} if weights is None else {"sample_weight": weights[train]}
        grown = clone(model).fit(take_rows(X, train), labels[train], **extra)
        block = grown._admit(take_rows(X, test))
        known = None if classes is None else np.searchsorted(classes, grown.classes_)
        return grown.tree_, block if isinstance(block, np.ndarray) else block.toarray(), known

    return weigh_path(
        model.tree_, fold, target, weights, cv=cv, within=within, cost=cost, random_state=random_state
    )


def weigh_path(
    tree: Tree,
    fold: Fold,
    y: np.ndarray,
    w: np.ndarray | None,
    *,
    cv: Any,
    within: float,
    cost: str,
    random_state: Any,
) -> AlphaChoice:
    """Choose the price of a leaf for a tree, given how to grow others on parts of its rows.

    y holds class codes (whole numbers) or numbers (floats).
    """
    path = cost_complexity_path(tree, cost)
    if len(path.alphas) == 1:  # nothing to choose from
        return AlphaChoice(0.0, path.alphas, path.leaves, np.zeros(1), np.zeros(1), 0, 0)
    middles = np.append(np.sqrt(path.alphas[:-1]) * np.sqrt(path.alphas[1:]), np.inf)
    weights = np.ones(len(y)) if w is None else w

    def one(rows: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        grown, block, known = fold(*rows)
        sums = _losses(grown, block, y[rows[1]], weights[rows[1]], known, middles, cost)
        bar.advance()
        return sums

    folds = _folds(y, cv, random_state)
    with progress(total=len(folds), description="folds") as bar:
        total = np.sum(in_threads(one, folds), axis=0)
    tested = weights[np.concatenate([test for _, test in folds])]
    n = tested.sum()
    errors = total[:, 0] / n
    spread = np.sqrt(np.maximum(total[:, 1] / n - errors**2, 0) / _as_rows(tested))
    equal = 1e-12 * errors.max()
    best = int(np.flatnonzero(errors <= errors.min() + equal)[-1])
    allowed = errors[best] + within * spread[best]
    chosen = int(np.flatnonzero(errors <= allowed + equal)[-1])  # (1)
    return AlphaChoice(float(path.alphas[chosen]), path.alphas, path.leaves, errors, spread, best, chosen)


def _as_rows(w: np.ndarray) -> float:
    """How many rows the weights are as good as: their sum if they are whole, else (sum w)^2 / sum w^2."""
    if not np.any(w - np.floor(w)):
        return float(w.sum())
    w = w / w.max()
    return float(w.sum() ** 2 / (w**2).sum())


def _losses(
    tree: Tree,
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray,
    known: np.ndarray | None,
    prices: np.ndarray,
    cost: str,
) -> np.ndarray:
    """(s, 2) for each price: the sum of the rows' losses under the pruned tree, and of their squares."""

    def loss(answer: np.ndarray, rows: Any) -> np.ndarray:
        if y.dtype.kind == "f":
            return ((answer - y[rows].reshape(len(answer), -1)) ** 2).mean(axis=1)
        predicted = answer.argmax(axis=1)
        return ((predicted if known is None else known[predicted]) != y[rows]).astype(np.float64)

    if ((tree.missing < 0) & ~tree.is_leaf).any() and np.isnan(X).any():  # rows that are spread over leaves
        each = [loss(cost_complexity(tree, price, cost).predict(X), slice(None)) for price in prices]
        return np.array([(w @ losses, w @ losses**2) for losses in each])
    at_nodes = np.zeros((tree.node_count, 2))  # as if every node were a leaf
    step = max(1, PAIRS // (tree.max_depth + 1))
    for start in range(0, len(X), step):
        passed = tree.decision_path(X[start : start + step])
        rows, nodes = start + np.repeat(np.arange(passed.shape[0]), np.diff(passed.indptr)), passed.indices
        lost = loss(tree.values[nodes], rows)
        for power in (1, 2):
            at_nodes[:, power - 1] += np.bincount(nodes, w[rows] * lost**power, tree.node_count)
    return sums_on_path(tree, at_nodes, prices, cost)


def _folds(y: np.ndarray, cv: Any, random_state: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to grow on and rows left out; rows are dealt out in the order of y, so that folds are alike."""
    if not isinstance(cv, Integral):
        from sklearn.model_selection import check_cv

        return list(check_cv(cv).split(np.zeros(len(y)), y))
    if len(y) < 2:
        raise DataError(
            "Cross-validated pruning needs two rows or more, got 1. Give the price of a leaf, alpha."
        )
    cv, order = min(int(cv), len(y)), np.arange(len(y))
    if random_state is not None:
        from assay.core.seeds import random_state_of

        order = random_state_of(random_state).permutation(order)
    order = order[np.argsort(y[order] if y.ndim == 1 else y[order, 0], kind="stable")]
    place = np.empty(len(y), np.int64)
    place[order] = np.arange(len(y)) % cv
    return [(np.flatnonzero(place != f), np.flatnonzero(place == f)) for f in range(cv)]
