"""Frequent item sets as a learner: of tables in memory, on disk or on a cluster; new rows become indicators of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.associations.baskets import Baskets
from assay.associations.eclat import KINDS
from assay.associations.frequent_sets import LIMIT, search_sets
from assay.associations.item_sets import ItemSets
from assay.associations.passes import sets_by_passes
from assay.associations.threshold import check_support
from assay.core import Card
from assay.core.csr import compressed_matrix, csr_arrays
from assay.core.learner import PassLearner, Transformer
from assay.core.parameters import Any_, Choice, Count, Flag, Range
from assay.core.stored import Object
from assay.core.sums import Rows, Source
from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.tables import Schema

__all__ = ["FrequentItems"]

SOME_ROWS = 8192  # that are compared with all sets at a time


class FrequentItems(PassLearner, Transformer):
    r"""Find frequent item sets, and transform rows into indicators of the sets they hold.

    Each row is a basket. A column of numbers is one item, there if the number is above ``threshold``: zeros and ones,
    or quantities. A nominal column is one item "column = value" for each of its values. Missing is no item. A set is
    frequent if

    .. math:: \text{support}(S) = \#\{\text{rows that hold all of } S\}/n \ge \text{min\_support}

    Counts are sums over rows: a table in memory is searched depth first (Eclat), files larger than memory
    (``fit_blocks``) and Dask collections size by size, one pass for each (Apriori). The sets are the same. For baskets
    in other forms (lists, long tables) see :class:`Baskets` and :func:`frequent_sets`.

    Cost: fit O(s n / 64) for s item sets that are looked at, of which there can be exponentially many (``limit``);
    transform O(s) a row; memory O(n d) bits to fit, O(s) kept.

    Parameters
    ----------
    min_support : float or int, default 0.1
        A share of the rows (or of their weight) if float, a count if int.
    max_size : int or None
        The most items of a set.
    kind : "all", "closed" or "maximal"
    threshold : float, default 0
        The row holds the item if its number is above it.
    limit : int, default 10 million
        The most sets.
    sparse_output : bool, default True
        Whether ``transform`` gives a sparse matrix; there are often very many sets.

    Attributes
    ----------
    sets_ : ItemSets

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.associations import FrequentItems
    >>> bought = pd.DataFrame({"milk": [1, 1, 1, 0], "tea": [2, 1, 0, 0]})
    >>> model = FrequentItems(min_support=0.5).fit(bought)
    >>> model.sets_
    3 item sets in at least 2 of 4 baskets
      support  count  items
        0.750      3  milk
        0.500      2  tea
        0.500      2  milk, tea
    >>> model.transform(bought).toarray()[0]
    array([1., 1., 1.])

    See Also
    --------
    frequent_sets, association_rules, assay.rules.PatternFeatures

    References
    ----------
    - Agrawal, R. and Srikant, R. (1994). Fast algorithms for mining association rules. International Conference on
      Very Large Data Bases, 487-499.
    - Han, J., Pei, J. and Yin, Y. (2000). Mining frequent patterns without candidate generation. ACM SIGMOD
      Conference, 1-12. doi:10.1145/342009.335372
    """

    card = Card("frequent items", "item sets that occur in enough rows, as columns", also=("item sets",))
    accepts = {
        "min_support": Any_("a share or a count"),  # check_support has the better message
        "max_size": Count(1) | None,
        "kind": Choice(*KINDS),
        "threshold": Range(),
        "limit": Count(1),
        "sparse_output": Flag(),
    }
    stored = {"sets_": Object(ItemSets)}
    takes = frozenset({"nominal", "missing", "sparse"})

    def __init__(
        self,
        min_support: float = 0.1,
        max_size: int | None = None,
        kind: str = "all",
        threshold: float = 0.0,
        limit: int = LIMIT,
        sparse_output: bool = True,
    ):
        self.min_support = min_support
        self.max_size = max_size
        self.kind = kind
        self.threshold = threshold
        self.limit = limit
        self.sparse_output = sparse_output

    def _learn_from(self, source: Source) -> None:
        check_support(self.min_support, type(self).__name__)
        names, items_of = _item_names(self.schema_), _items_of(self.schema_, self.threshold)
        who, support = type(self).__name__, self.min_support
        if isinstance(source, Rows):
            baskets = Baskets(*items_of(source.X), names, source.w)
            self.sets_ = search_sets(baskets, support, "auto", self.max_size, self.kind, (), self.limit, who)
        else:
            asked = support, self.max_size, self.kind, self.limit
            self.sets_ = sets_by_passes(source, items_of, names, *asked, who=who)

    def _transform(self, X: Any) -> Any:
        from scipy.sparse import vstack

        sets = self.sets_
        indptr, indices = _items_of(self.schema_, self.threshold)(X)
        ones, shape = np.ones(len(indices), np.int32), (X.shape[0], len(sets.items))
        held = compressed_matrix("csr_matrix", ones, indices, indptr, shape)
        ones, shape = np.ones(len(sets.indices), np.int32), (len(sets), len(sets.items))
        wanted = compressed_matrix("csr_matrix", ones, sets.indices, sets.indptr, shape).T.tocsr()
        parts = [
            _complete(held[a : a + SOME_ROWS] @ wanted, sets.sizes) for a in range(0, X.shape[0], SOME_ROWS)
        ]
        both = vstack(parts, format="csr")
        return both if self.sparse_output else both.toarray()

    def _names_out(self) -> list[str]:
        return [" & ".join(item_set.items) for item_set in self.sets_]


def _item_names(schema: Schema) -> tuple[str, ...]:
    names: list[str] = []
    for j, column in enumerate(schema):
        if column.coded:
            names += [Condition(j, codes=(c,)).words(schema) for c in range(len(column.categories))]
        else:
            names.append(column.name)
    return tuple(names)


def _items_of(schema: Schema, threshold: float) -> Callable[[Any], tuple[np.ndarray, np.ndarray]]:
    """A function from a block of numbers to the items of each row, ascending."""
    coded = schema.coded
    counts = np.where(coded, schema.category_counts(), 1)
    offset = np.concatenate([[0], np.cumsum(counts)[:-1]])

    def items_of(X: Any) -> tuple[np.ndarray, np.ndarray]:
        if not isinstance(X, np.ndarray):
            X = X.sorted_indices()
            start, columns, values = csr_arrays(X)
            if threshold < 0:
                raise DataError(
                    "FrequentItems: with a threshold below 0 the zeros of a sparse matrix would count."
                )
            present = values > threshold
            return np.concatenate([[0], np.cumsum(present)])[start], columns[present]
        present = np.where(coded, X >= 0, threshold < X)  # false for NaN
        codes = offset + np.where(coded & present, X, 0).astype(np.int64)
        start = np.zeros(len(X) + 1, np.int64)
        np.cumsum(present.sum(axis=1), out=start[1:])
        return start, codes[present].astype(np.int32)

    return items_of


def _complete(shared: Any, sizes: np.ndarray) -> Any:
    """1 where a row holds as many items of a set as the set has."""
    shared = shared.tocsr()
    shared.data = (shared.data == sizes[shared.indices]).astype(np.float64)
    shared.eliminate_zeros()
    return shared
