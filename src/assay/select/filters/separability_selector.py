"""Keep the columns by which the classes lie farthest apart, together."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.moments import ClassScatter, class_scatter
from assay.core.parameters import Choice, Count
from assay.core.stored import Object, Scalar
from assay.errors import DegenerateError, ParameterError
from assay.select.filters.classes_join import ClassesJoin
from assay.select.filters.separability import FORMS, criterion_of
from assay.select.search.search import search_subsets
from assay.select.selector import Selector
from assay.select.trace import Trace
from assay.tables import Design, Schema
from assay.types import TableLike

__all__ = ["SeparabilitySelector"]


class SeparabilitySelector(ClassesJoin, Selector):
    r"""Keep the k columns by which the classes lie farthest apart, judged together: the largest
    :math:`\mathrm{tr}(S_W^{-1} S_B)`.

    The criterion of :func:`class_separability` is a function of sums, so that all subsets are scored from one pass over
    the rows, and blocks, ``partial_fit`` and Dask give the same columns. It never falls when a column is added: branch
    and bound finds the best k columns without scoring all subsets, forward and floating searches are quicker and
    greedy. A nominal column is one feature, all its indicators together.

    Cost: fit O(n d^2), and O(k^3) a subset scored; transform O(d) a row; memory O(d^2).

    Parameters
    ----------
    n_features : int, default 2
        k, how many columns to keep.
    form : "trace" or "determinant", default "trace"
        :math:`\mathrm{tr}(S_W^{-1} S_B)`, or :math:`\ln |S_W + S_B| / |S_W|`.
    search : "branch and bound", "forward", "backward", "floating" or "exhaustive", default "floating"

    Attributes
    ----------
    separability_ : float, of the columns that are kept
    trace_ : Trace of the search

    Examples
    --------
    >>> from assay.select import SeparabilitySelector
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> model = SeparabilitySelector(2, search="branch and bound").fit(iris.X, iris.y)
    >>> model.selected_, round(model.separability_, 4)
    (['sepal length (cm)', 'petal length (cm)'], 23.3647)

    See Also
    --------
    class_separability, separability_scores, SubsetSelector

    References
    ----------
    - Narendra, P. M. and Fukunaga, K. (1977). A branch and bound algorithm for feature subset selection. IEEE
      Transactions on Computers C-26, 917-922. doi:10.1109/TC.1977.1674939
    """

    card = Card("separability", "the columns by which classes lie farthest apart")
    accepts = {
        "n_features": Count(1),
        "form": Choice(*FORMS),
        "search": Choice("branch and bound", "forward", "backward", "floating", "exhaustive"),
    }
    stored = {"separability_": Scalar(), "trace_": Object(Trace), "_sums": Object(ClassScatter)}
    takes = frozenset({"nominal"})
    _target_of = "classes"
    _has_classes = True

    def __init__(self, n_features: int = 2, *, form: str = "trace", search: str = "floating"):
        self.n_features = n_features
        self.form = form
        self.search = search

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _summarize(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> ClassScatter:
        design = _design(self.schema_)
        block = X if design.plain else design.expand(X)
        return class_scatter(block, y, w, len(self.classes_), pooled=True)

    def _solve(self, sums: ClassScatter) -> None:
        d = len(self.schema_)
        if self.n_features > d:
            raise ParameterError(
                f"n_features must be at most the number of columns, {d}; got {self.n_features}.",
                who=type(self).__name__,
            )
        if (sums.count > 0).sum() < 2:
            raise DegenerateError(
                f"SeparabilitySelector: y has only one class, {self.classes_.tolist()[0]!r}; at least 2 are needed."
            )
        criterion = criterion_of(
            sums, _design(self.schema_), self.schema_.names, self.form, type(self).__name__
        )
        result = search_subsets(
            criterion, self.search, self.n_features, names=self.schema_.names, who=type(self).__name__
        )
        self.separability_, self.trace_ = float(result.value), result.trace
        self.support_ = np.isin(np.arange(d), result.selected)

    def transform(self, X: TableLike) -> Any:
        """The kept columns of X, as they are; missing values are refused, as in fit."""
        self._admit(X)
        return super().transform(X)

    def _why(self, j: int) -> str:
        if self.support_[j]:
            return f"one of the {self.n_features} by which the classes lie {self.separability_:.6g} apart"
        return "others tell the classes farther apart"


def _design(schema: Schema) -> Design:
    return Design(schema, True)
