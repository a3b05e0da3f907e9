"""What the two textbook trees share: the parameters of the search, growing, and replaying the growth."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from assay.core.explanation import text_table
from assay.core.parameters import Choice, Count, Range
from assay.core.stored import Each, Kind, Object
from assay.errors import DataError, ParameterError
from assay.trees.generate_tree import GrowthStep, generate_tree
from assay.trees.look_ahead import best_split_ahead
from assay.trees.node_measures import Floats, NodeMeasure, RowIndices
from assay.trees.split_search import Split, SplitSearch
from assay.trees.tree import Tree
from assay.trees.tree_learner import TreeLearner

__all__ = ["SEARCH", "TextbookTree", "one_target", "refuse_huge"]

HUGE = 1e150  # numbers beyond cannot be squared
SQUARABLE = 1e120  # squares of numbers up to this, and from its inverse up, can be added up and divided

SEARCH = {
    "nominal": Choice("n-way", "binary grouping", "one-vs-rest"),
    "numeric": Choice("binary", "ternary"),
    "max_candidates": Count(1),
    "max_categories": Count(2, 16),
    "min_share": Range(0, 1),
    "max_depth": Count(0) | None,
    "look_ahead": Count(1, 4),
    "missing": Choice("spread", "heaviest"),
}


class TextbookTree(TreeLearner):
    """A learner that grows its ``tree_`` with every choice of the textbook open, and remembers how."""

    stored: ClassVar[Mapping[str, Kind]] = {
        "history_": Each(Object(GrowthStep)),
        "tree_": Object(Tree, d="d"),
    }

    history_: list[GrowthStep]

    def staged_trees(self) -> Iterator[Tree]:
        """The tree before the first split, after it, after the second, and so on up to ``tree_``."""
        tree, order = self._fitted_tree(), [step.node for step in self.history_]
        for done in range(len(order) + 1):
            yield tree.turn_to_leaves(order[done:])

    def growth(self) -> str:
        """The history as a table: for each split the node, its rows, the test's column, and what it did."""
        self._fitted_tree()
        rows = [
            [
                step.node,
                step.rows,
                self.schema_.names[step.split.column],
                step.impurity,
                step.after,
                step.split.score,
            ]
            for step in self.history_
        ]
        return text_table(["node", "rows", "column", "before", "after", "score"], rows)

    def _grow(
        self,
        X: Floats,
        w: NDArray[np.float64] | None,
        measure: NodeMeasure,
        small_enough: Callable[..., bool],
    ) -> None:
        """Grow ``tree_``: a node is a leaf if it is small enough, too small a share, too deep, or cannot be split."""
        p: Any = self
        if p.look_ahead > 1 and getattr(p, "penalty", None) is not None:
            raise ParameterError(
                f"{type(self).__name__}: look_ahead above 1 compares trees, not splits, so penalty must be None."
            )
        weights = np.ones(len(X)) if w is None else w
        n_categories = self.schema_.category_counts(ordered=False)
        search = SplitSearch(
            measure,
            n_categories,
            nominal=p.nominal,
            numeric=p.numeric,
            candidates=p.candidates,
            max_candidates=p.max_candidates,
            max_categories=p.max_categories,
            penalty=getattr(p, "penalty", None),
        )
        least, deepest = p.min_share * weights.sum(), np.inf if p.max_depth is None else p.max_depth

        def choose(rows: RowIndices, v: Floats, before: float) -> tuple[Split | None, list[Split]]:
            if p.look_ahead > 1:
                return best_split_ahead(search, X, rows, v, before, p.look_ahead)
            return search.best(X, rows, v, before)

        def is_leaf(rows: RowIndices, v: Floats, value: Floats, impurity: float, depth: int) -> bool:
            return small_enough(value, impurity) or depth >= deepest or v.sum() < least

        self.tree_, self.history_ = generate_tree(
            X, weights, measure, choose, is_leaf, n_categories, spread=p.missing == "spread"
        )


def one_target(y: Floats, who: str) -> Floats:
    """(n,) the numbers to predict, if they are of one kind and can be squared."""
    _refuse_several(y, who)
    refuse_huge(y, "y", who)
    return y


def one_target_in_unit(y: Floats, who: str) -> tuple[Floats, float]:
    """(n,) the numbers to predict, if they are of one kind, divided by a unit whose squares can be added up.

    The unit is 1, or a power of two where the numbers are very large or very small, so that nothing is rounded.

    >>> import numpy as np
    >>> from assay.trees.textbook_tree import one_target_in_unit
    >>> one_target_in_unit(np.array([3.0, 8.0]), "tree")
    (array([3., 8.]), 1.0)
    >>> y, unit = one_target_in_unit(np.array([1e200, 2e200]), "tree")
    >>> y.max() < 1, y * unit
    (np.True_, array([1.e+200, 2.e+200]))
    """
    _refuse_several(y, who)
    top = float(np.abs(y).max(initial=0.0))
    if top == 0 or 1 / SQUARABLE < top < SQUARABLE:
        return y, 1.0
    unit = float(2.0 ** min(max(np.frexp(top)[1], -1022), 1023))
    return y / unit, unit


def _refuse_several(y: Floats, who: str) -> None:
    if y.ndim > 1:
        raise DataError(f"{who}: y has {y.shape[1]} columns, expected one. Fit one tree per column.")


def refuse_huge(values: Floats, what: str, who: str) -> None:
    """Raise if numbers are too large to be squared."""
    if float(np.abs(values).max(initial=0.0, where=~np.isnan(values))) > HUGE:  # in double precision
        raise DataError(
            f"{who}: {what} holds numbers too large to be squared. Divide it by some power of ten."
        )
