"""k-prototypes: k-means for mixed tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.cluster.prototype_groups import Mixed, Prototypes, search
from assay.core import Card, Clusterer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.model_view import Part
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, FloatArray, Integer, Scalar
from assay.distances.squared_rows import SquaredRows
from assay.errors import DataError
from assay.types import RandomState, TableLike

__all__ = ["KPrototypes"]


class KPrototypes(SquaredRows, Clusterer):
    r"""k-means for tables of numbers and categories, with missing values.

    A group is described by the means of its numbers and the modes of its categories, and a row is as far from it as

    .. math:: \sum_{j\ \text{numeric}} (x_j - m_j)^2 + \gamma \sum_{j\ \text{nominal}} [x_j \neq m_j]     \quad (1)

    A missing value is left out of the sum of its kind, which is scaled up for it. Numbers should share a scale:
    ``scale=True`` divides each by its deviation.

    Cost: fit O(n k d) an iteration; predict O(k d) a row; memory O(n (k + d)).

    Parameters
    ----------
    n_clusters : int, default 8
    gamma : float or None, default None
        What a category that differs is worth; None is half the mean deviation of the numeric columns, or 1 if there are
        none.
    init : "k-means++" or "random", default "k-means++"
        Rows that lie apart by (1), or rows at random.
    n_init : int, default 10
    max_iter : int, default 100
    scale : bool, default False
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    labels_ : (n,)      cluster_centers_ : (k, d) means, and codes of the modes in ``schema_``; NaN where a group has
    none cost_ : float, the sum of (1)      gamma_ : float      n_iter_ : int

    Examples
    --------
    >>> import pandas as pd
    >>> from assay.cluster import KPrototypes
    >>> table = pd.DataFrame({"size": [1.0, 1.2, 9.0, None], "colour": ["red", "red", "blue", "blue"]})
    >>> model = KPrototypes(2, random_state=0).fit(table)
    >>> len(set(model.labels_[:2].tolist())), len(set(model.labels_[2:].tolist()))
    (1, 1)

    See Also
    --------
    KModes, KMedoids, KMeans

    References
    ----------
    - Huang, Z. (1998). Extensions to the k-means algorithm for clustering large data sets with categorical values. Data
      Mining and Knowledge Discovery 2, 283-304. doi:10.1023/A:1009769707641
    """

    card = Card("k-prototypes", "k-means for mixed tables with missing values", suits="any")
    takes = frozenset({"nominal", "missing"})
    accepts = {
        "n_clusters": Count(1),
        "gamma": Range(0) | None,
        "init": Choice("k-means++", "random"),
        "n_init": Count(1),
        "max_iter": Count(1),
        "scale": Flag(),
        "random_state": Seed(),
    }
    stored = {
        "labels_": CodeArray("n", below="c"),
        "cluster_centers_": FloatArray("c", "d"),
        "cost_": Scalar(low=0),
        "gamma_": Scalar(low=0),
        "n_iter_": Integer(low=0),
        "_units": FloatArray("d", low=0),
    }
    cluster_centers_: np.ndarray
    labels_: np.ndarray

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        gamma: float | None = None,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        scale: bool = False,
        random_state: RandomState = None,
    ):
        self.n_clusters = n_clusters
        self.gamma = gamma
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.scale = scale
        self.random_state = random_state

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        n, who = X.shape[0], type(self).__name__
        if n < self.n_clusters or (w is not None and np.count_nonzero(w) < self.n_clusters):
            raise DataError(f"n_samples={n} should be >= n_clusters={self.n_clusters}.", who=who)
        X = np.asarray(X, dtype=np.float64)
        self._prepare(X, w)
        rows = self._mixed(X, w)
        draw = random_state_of(self.random_state)
        init = "random" if self.init == "random" else None
        best, labels, self.cost_, self.n_iter_ = search(
            rows, self.n_clusters, self.gamma_, self.n_init, self.max_iter, draw, init
        )
        self.labels_ = labels.astype(np.int64)
        self.cluster_centers_ = self._shown(best)

    def _prepare(self, X: np.ndarray, w: np.ndarray | None) -> None:
        """Units of the columns, and what a category is worth."""
        self._units = np.ones(X.shape[1])
        numeric = np.flatnonzero(~self._coded())
        spreads = np.array([_deviation(X[:, j], w) for j in numeric])
        if self.scale:
            self._units[numeric] = np.where(spreads > 0, spreads, 1.0)
            spreads = spreads / self._units[numeric]
        self.gamma_ = (
            float(self.gamma)
            if self.gamma is not None
            else 0.5 * float(spreads.mean())
            if len(spreads)
            else 1.0
        )

    def _coded(self) -> np.ndarray:
        """(d,) whether a column holds categories."""
        return np.array([column.kind == "nominal" for column in self.schema_])

    def _mixed(self, X: np.ndarray, w: np.ndarray | None) -> Mixed:
        coded = self._coded()
        numbers = X[:, ~coded] / self._units[~coded]
        raw = X[:, coded]
        codes = np.where(np.isnan(raw), -1, raw).astype(np.int64)
        sizes = tuple(len(column.categories) for column in self.schema_ if column.kind == "nominal")
        return Mixed(numbers, codes, sizes, np.ones(len(X)) if w is None else w)

    def _shown(self, at: Prototypes) -> np.ndarray:
        coded = self._coded()
        centers = np.empty((len(at.means), len(coded)))
        centers[:, ~coded] = at.means * self._units[~coded]
        centers[:, coded] = np.where(at.modes < 0, np.nan, at.modes)
        return centers

    def _prototypes(self) -> Prototypes:
        coded = self._coded()
        modes = self.cluster_centers_[:, coded]
        return Prototypes(
            self.cluster_centers_[:, ~coded] / self._units[~coded],
            np.where(np.isnan(modes), -1, modes).astype(np.int64),
        )

    def _apart(self, X: Any) -> np.ndarray:
        return self._prototypes().apart(self._mixed(np.asarray(X, dtype=np.float64), None), self.gamma_)

    def _assign(self, X: Any) -> np.ndarray:
        return np.argmin(self._apart(X), axis=1)

    def _words(self, j: int, value: float) -> Any:
        """A value of column j as the table has it."""
        if np.isnan(value):
            return "missing"
        column = self.schema_[j]
        return column.categories[int(value)] if column.kind == "nominal" else float(value)

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its group: its distances (1) from all prototypes, and the columns beside the nearest."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        apart = self._apart(X)
        answers = np.argmin(apart, axis=1)

        def sections(i: int) -> list[Section]:
            order = np.argsort(apart[i], kind="stable")
            k = int(answers[i])
            columns = [
                [name, self._words(j, float(X[i, j])), self._words(j, float(self.cluster_centers_[k, j]))]
                for j, name in enumerate(self.schema_.names)
            ]
            return [
                Section("Groups", ["group", "distance"], [[int(c), float(apart[i, c])] for c in order]),
                Section(
                    f"Columns beside the prototype of group {k}", ["column", "value", "prototype"], columns
                ),
            ]

        return Explanations(type(self).__name__, answers.tolist(), rows, Reasons(sections))

    def _model_parts(self) -> list[Part]:
        sizes = np.bincount(self.labels_, minlength=len(self.cluster_centers_))
        groups = [[k, int(m), float(m / len(self.labels_))] for k, m in enumerate(sizes)]
        lines = [
            [name, k, self._words(j, float(center[j]))]
            for k, center in enumerate(self.cluster_centers_)
            for j, name in enumerate(self.schema_.names)
        ]
        return [
            Section("Groups", ["group", "rows", "share"], groups),
            Section("Prototypes", ["column", "group", "value"], lines),
        ]


def _deviation(column: np.ndarray, w: np.ndarray | None) -> float:
    known = ~np.isnan(column)
    weights = np.ones(len(column)) if w is None else w
    total = weights[known].sum()
    if not total > 0:
        return 0.0
    mean = column[known] @ weights[known] / total
    return float(np.sqrt((column[known] - mean) ** 2 @ weights[known] / total))
