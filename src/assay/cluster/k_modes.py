"""k-modes: k-means for categories."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.k_prototypes import KPrototypes
from assay.cluster.prototype_groups import Mixed, Prototypes
from assay.core import Card
from assay.core.parameters import Choice, Count, Seed
from assay.core.stored import Each, FloatArray
from assay.types import RandomState

__all__ = ["KModes"]


class KModes(KPrototypes):
    r"""Groups of rows that agree in most columns; each is described by its most frequent values.

    .. math:: E = \sum_i \sum_j [x_{ij} \neq m_{k(i)j}]                                                \quad (1)

    All columns are categories here: of a numeric column every value is one. A missing value is compared with nothing.

    Cost: fit O(n k d) an iteration; predict O(k d) a row; memory O(n (k + d)).

    Parameters
    ----------
    n_clusters : int, default 8
    init : "k-means++" or "random", default "k-means++"
        Rows that differ much, or rows at random.
    n_init : int, default 10
    max_iter : int, default 100
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,)      cluster_centers_ : (k, d) codes of the modes, or numbers; NaN where a group has none
    cost_ : float, (1)      n_iter_ : int      values_ : list, the distinct values of each column

    Examples
    --------
    >>> from assay.cluster import KModes
    >>> X = [["a", "x", "u"], ["a", "x", "v"], ["b", "y", "w"], ["b", "y", "u"]]
    >>> model = KModes(2, random_state=0).fit(X)
    >>> model.cost_, len(set(model.labels_[:2].tolist()))
    (2.0, 1)

    See Also
    --------
    KPrototypes, KMedoids

    References
    ----------
    - Huang, Z. (1998). Extensions to the k-means algorithm for clustering large data sets with categorical values. Data
      Mining and Knowledge Discovery 2, 283-304. doi:10.1023/A:1009769707641
    """

    card = Card("k-modes", "k-means for categories", suits="any")
    accepts = {
        "n_clusters": Count(1),
        "init": Choice("k-means++", "random"),
        "n_init": Count(1),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    stored = {"values_": Each(FloatArray("*", finite=True, ascending=True), "d")}

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def _prepare(self, X: np.ndarray, w: np.ndarray | None) -> None:
        self._units, self.gamma_ = np.ones(X.shape[1]), 1.0
        kept = X if w is None else X[w > 0]
        self.values_ = [np.unique(column[~np.isnan(column)]) for column in kept.T]

    def _codes(self, X: np.ndarray) -> np.ndarray:
        """(n, d) the place of each value among those of its column; -1 for missing and for new ones."""
        codes = np.full(X.shape, -1, dtype=np.int64)
        for j, values in enumerate(self.values_):
            if len(values):
                at = np.minimum(np.searchsorted(values, X[:, j]), len(values) - 1)
                codes[:, j] = np.where(values[at] == X[:, j], at, -1)
        return codes

    def _mixed(self, X: np.ndarray, w: np.ndarray | None) -> Mixed:
        sizes = tuple(max(len(values), 1) for values in self.values_)
        return Mixed(np.empty((len(X), 0)), self._codes(X), sizes, np.ones(len(X)) if w is None else w)

    def _shown(self, at: Prototypes) -> np.ndarray:
        columns = [
            np.where(codes < 0, np.nan, values[np.maximum(codes, 0)] if len(values) else np.nan)
            for codes, values in zip(at.modes.T, self.values_)
        ]
        return np.column_stack(columns).astype(np.float64)

    def _prototypes(self) -> Prototypes:
        return Prototypes(np.empty((len(self.cluster_centers_), 0)), self._codes(self.cluster_centers_))

    def _apart(self, X: Any) -> np.ndarray:
        return self._prototypes().apart(self._mixed(np.asarray(X, dtype=np.float64), None), 1.0)
