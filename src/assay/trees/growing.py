"""Growing one tree of best, or random, binary splits."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

import assay.trees._grow as _grow
import assay.trees._grow_several as _grow_several
from assay.errors import DataError
from assay.trees.columns import Columns, rank_columns
from assay.trees.tree import Surrogates, Tree
from assay.types import Losses

__all__ = ["Columns", "grow", "rank_columns"]

CRITERIA = {
    "gini": 0,
    "entropy": 1,
    "log_loss": 1,
    "error": 2,
    "risk": 3,
    "squared_error": 4,
    "friedman_mse": 4,  # orders cuts as squared_error does: both are S^2 W / (W_l W_r) up to a factor
    "absolute_error": 5,
    "poisson": 6,
}
ENTROPY, SQUARED_ERROR = 1, 4
LIMITS = (
    *("random", "surrogate", "spread", "max_depth", "min_split", "min_leaf", "min_weight", "min_node"),
    *("max_features", "max_leaves", "min_decrease", "max_candidates"),
)
ENDLESS = 2**62
_no_order, _no_ranks = np.empty((0, 0), np.uint64), np.empty((0, 0), np.int32)
_no_codes, _no_numbers = np.empty(0, np.int32), np.empty((0, 1))
_no_targets = np.empty((0, 0), np.int32)
_no_weights, _no_signs, _no_loss = np.empty(0), np.empty(0, np.int8), np.empty((0, 0))


def grow(
    columns: Columns,
    y: np.ndarray,
    w: np.ndarray | None = None,
    *,
    n_classes: int | Sequence[int],
    criterion: str = "gini",
    splitter: Literal["best", "random"] = "best",
    max_depth: int | None = None,
    min_samples_split: int = 2,
    min_samples_leaf: int = 1,
    min_weight_leaf: float = 0.0,
    max_features: int | None = None,
    max_leaf_nodes: int | None = None,
    min_impurity_decrease: float = 0.0,
    monotonic: Any = None,
    loss: Losses | str | None = None,
    max_candidates: int | None = None,
    missing: Literal["learned", "surrogate", "spread"] = "learned",
    seed: int = 0,
    use_up: bool = False,
) -> Tree:
    r"""Grow a tree by splitting every node in two where that lowers the impurity most.

    A cut of a node of weight W into parts of weights :math:`W_l, W_r` gains

    .. math:: W I - W_l I_l - W_r I_r                                        \quad (1)

    where I is the impurity. Numbers are cut halfway between neighbouring values of the node; categories are divided
    in two groups. Gains that differ by less than 1e-12 of the node's impurity are equal; of equal ones the lowest
    column, then the lowest threshold is taken. A cut that gains nothing is made too (the first cut of XOR gains
    nothing). Cost: O(n d) a level of the tree, after one sort of every column.

    Parameters
    ----------
    columns : Columns
        From :func:`rank_columns`; shared by all trees of a forest.
    y : (n,) class numbers 0..K-1, (n, O) of these for several targets, or (n,) or (n, outputs) numbers
    w : (n,) float weights, or whole numbers such as bootstrap counts, default None
        Rows with weight 0 are not in the sample. Whole weights give exactly the tree of repeated rows.
    n_classes : int, or O of these
        K; 0 for regression. Of several targets one each: their impurities are averaged, and a node's value has the
        class shares of all targets, one after the other. Gini and entropy only.
    criterion : "gini", "entropy" (or "log_loss"), "error", "risk" for classes; "squared_error" (or
        "friedman_mse"), "absolute_error", "poisson" for numbers; of several outputs the mean counts
        Cuts that are equal by error or risk are ranked by the Gini gain.
    splitter : "best" or "random"
        Random: one threshold a column, uniform over the range of the node; the best of these.
    max_depth, min_samples_split, min_samples_leaf, min_weight_leaf, max_leaf_nodes, min_impurity_decrease
        When to stop. With ``max_leaf_nodes`` the node that gains most is split first.
    max_features : int, default None
        Columns looked at in each node, drawn anew; more if all of these are constant. None: all, in order.
    monotonic : (d,) of -1, 0, 1, default None
        The number predicted (or the share of class 1 of two) never rises (-1) or falls (1) with the column.
    loss : (K, K), default None
        For "risk": ``loss[i, k]`` is the loss of deciding i when the truth is k.
    max_candidates : int, default None
        At most so many thresholds a column and node, at equal depth; None tries all.
    missing : "learned", "surrogate" or "spread"
        Learned: rows with a missing value are tried on both sides. Surrogate: they do not count in the cut, and the
        columns that agree with it best send them on. Where a node has none missing, the larger side takes those
        that come later. Spread: they do not count and go both ways, with their weight divided as that of the others
        is; limits on rows then count fractions of rows, in units of the mean weight. Not for random cuts.
    seed : int
        Of the columns and thresholds drawn.
    use_up : bool, default False
        The columns are not needed any more: half of the memory, and they cannot be grown from again.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.trees.growing import grow, rank_columns
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> tree = grow(rank_columns(X), np.array([0, 1, 1, 0]), n_classes=2)
    >>> tree.n_leaves, tree.feature[:2], tree.impurity[:2]
    (4, array([0, 1], dtype=int32), array([0.5, 0.5]))
    """
    target = _target_of(y, columns.n, n_classes, criterion)
    counts, weights, unit = _weights(w)
    spread = missing == "spread" and (w is not None or bool(columns.has_missing.any()))
    if spread and not len(weights):
        counts, weights = _no_codes, counts.astype(np.float64) if len(counts) else np.ones(columns.n)
    take = columns.d if max_features is None else min(max_features, columns.d)
    presorted = splitter == "best" and take == columns.d and not spread
    min_weight, min_node = min_weight_leaf * unit, 0.0
    if spread:  # limits on rows as limits on weight, where rows go both ways in fractions
        row = float(weights[weights > 0].mean()) * (1 - 1e-9)  # thirds of a row add up to one
        min_weight, min_node = max(min_weight, min_samples_leaf * row), min_samples_split * row
        min_samples_split, min_samples_leaf = 2, 1
    limits = _limits(
        splitter == "random",
        missing == "surrogate",
        spread,
        ENDLESS if max_depth is None else max_depth,
        min_samples_split,
        min_samples_leaf,
        min_weight,
        min_node,
        take,
        max_leaf_nodes or 0,
        target.scaled_impurity(min_impurity_decrease, 1 / target.unit),
        max_candidates or 0,
    )
    arguments: dict[str, Any] = {
        "columns": _native_columns(columns, presorted, splitter, missing),
        "limits": limits,
        "numbers": target.numbers,
        "counts": counts,
        "weights": weights,
        "criterion": target.criterion,
        "seed": seed,
        "use_up": use_up,
    }
    if target.sizes or (target.width > 1 and target.criterion > SQUARED_ERROR):
        parts = _grow_several.grow_several(targets=target.codes, target_start=target.start, **arguments)
    else:
        parts = _grow.grow(
            y=target.codes,
            n_classes=0 if target.regression else target.width,
            monotonic=_no_signs if monotonic is None else np.ascontiguousarray(monotonic, np.int8),
            loss=_no_loss if loss is None else np.ascontiguousarray(loss, np.float64),
            **arguments,
        )
    if use_up and presorted:
        columns.use_up()
    return _tree_of(parts, target, columns, missing, unit)


class _Target(NamedTuple):
    """What is predicted, as native code takes it.

    Attributes
    ----------
    codes : (n,) classes, (n, O) of several targets numbered through, or empty
    start : (O + 1,) the first class of each of several targets; else empty
    numbers : (n, outputs) divided by ``unit``, or empty
    sizes : classes of each of several targets; else empty
    width : numbers that a node's value has
    """

    codes: np.ndarray
    start: np.ndarray
    numbers: np.ndarray
    criterion: int
    sizes: list[int]
    width: int
    unit: float = 1.0

    @property
    def regression(self) -> bool:
        return self.criterion >= SQUARED_ERROR

    def scaled_impurity(self, impurity: Any, unit: float) -> Any:
        """An impurity where numbers are multiplied by ``unit``; its square may be no number."""
        return impurity * unit if self.criterion > SQUARED_ERROR else impurity * unit * unit


def _target_of(y: np.ndarray, n: int, n_classes: int | Sequence[int], criterion: str) -> _Target:
    sizes = [] if isinstance(n_classes, int) else [int(K) for K in n_classes]
    width = n_classes if isinstance(n_classes, int) else sum(sizes)
    kind = CRITERIA[criterion]
    if (kind >= SQUARED_ERROR) == (width > 0) or (sizes and kind > ENTROPY):
        what = "several targets" if sizes else "classes" if width > 0 else "numbers"
        raise DataError(f"A tree of {what} cannot be grown by the criterion {criterion}.")
    if sizes:
        start = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        if np.shape(y) != (n, len(sizes)) or not ((np.asarray(y) >= 0) & (np.asarray(y) < sizes)).all():
            raise DataError(f"Class numbers of {len(sizes)} targets must be 0 to {[K - 1 for K in sizes]}.")
        codes = np.ascontiguousarray(y + start[:-1], np.int32)
        return _Target(codes, start, _no_numbers, kind, sizes, width)
    if width:
        codes = np.ascontiguousarray(y, np.int32)
        if len(codes) and not 0 <= codes.min() <= codes.max() < width:
            raise DataError(f"Class numbers must be 0 to {width - 1}, got {codes.min()} to {codes.max()}.")
        return _Target(codes, _no_codes, _no_numbers, kind, [], width)
    numbers = np.ascontiguousarray(y, np.float64).reshape(n, -1)
    unit, outputs = _size(numbers), numbers.shape[1]
    several = outputs > 1 and kind > SQUARED_ERROR
    numbers = numbers if unit == 1 else numbers / unit
    return _Target(_no_targets if several else _no_codes, _no_codes, numbers, kind, [], outputs, unit)


@lru_cache(maxsize=256)
def _limits(*values: Any) -> _grow.Limits:
    """When to stop; the trees of a forest share it."""
    return _grow.Limits(**dict(zip(LIMITS, values)))


def _native_columns(columns: Columns, presorted: bool, splitter: str, missing: str) -> _grow.RankedColumns:
    """The arrays that such a tree reads; it is quicker without the others."""
    lean = presorted and missing != "surrogate" and columns.sorted_numbers
    plain = splitter == "random" and missing != "surrogate" and columns.numbers is not None
    kind = presorted, lean, plain, missing == "surrogate"
    if kind not in columns._native:
        columns._native[kind] = _grow.RankedColumns(
            order=columns.order if presorted else _no_order,
            ranks=_no_ranks if presorted and missing != "surrogate" else columns.ranks,
            X=columns.numbers if columns.numbers is not None and (lean or plain) else _no_loss,
            values=_no_weights if lean else columns.values,
            start=columns.start,
            categories=columns.n_categories,
            has_missing=columns.has_missing,
            n=columns.n,
        )
    return columns._native[kind]


def _tree_of(parts: tuple[Any, ...], target: _Target, columns: Columns, missing: str, unit: float) -> Tree:
    """The tree that native code grew, in the units of the numbers and weights that came."""
    feature, kind, threshold, offset, child, set_offset, sets, side, *of_nodes, surrogates = parts
    value, impurity, rows, weight = of_nodes
    if target.unit != 1:
        value = value * target.unit
        with np.errstate(over="ignore"):  # the variance of numbers beyond 1e154 is no number
            impurity = target.scaled_impurity(impurity, target.unit)
    sizes = target.sizes or ([1] * target.width if target.regression and target.width > 1 else None)
    return Tree(
        feature=feature,
        kind=kind,
        threshold=threshold,
        offset=offset,
        child=child,
        set_offset=set_offset,
        sets=sets,
        missing=np.full_like(side, -1) if missing == "spread" else side,
        values=value.reshape(-1, target.width),
        impurity=impurity,
        n_node_samples=rows,
        weighted_n_node_samples=weight / unit,
        n_categories=columns.n_categories,
        surrogates=Surrogates(*surrogates) if missing == "surrogate" else None,
        output_sizes=None if sizes is None else np.array(sizes, np.int32),
    )


def _size(numbers: np.ndarray) -> float:
    """A power of two by which to divide numbers whose squares are too large or too small; 1 for all others."""
    most = float(np.abs(numbers).max())
    if most == 0 or 1e-100 < most < 1e100:
        return 1.0
    return float(2.0 ** int(np.floor(np.log2(most))))


def _weights(w: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, float]:
    """Whole weights as counts, others as they are: (counts, weights, unit), of which one or both arrays are empty.

    Weights whose products would be too large or too small are multiplied by a power of two, the unit.
    """
    if w is None:
        return _no_codes, _no_weights, 1.0
    w = np.asarray(w)
    most = float(w.max(initial=0.0))
    if not (0 < most < np.inf and w.min() >= 0):
        raise DataError("A tree needs at least one row with a weight above 0, and none below.")
    whole = w.dtype.kind in "iub" or not np.any(w - np.floor(w))
    if whole and most < 2**31 and w.sum(dtype=np.float64) < 2**31:
        return np.ascontiguousarray(w, np.int32), _no_weights, 1.0
    unit = 1.0 if 1e-100 < most < 1e100 else float(2.0 ** -max(int(np.floor(np.log2(most))), -1000))
    return _no_codes, np.ascontiguousarray(w * unit, np.float64), unit
