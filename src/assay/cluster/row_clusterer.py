"""Base class of learners whose groups are sets of training rows, by any metric, mixed tables included."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from assay.cluster.pair_memory import refuse_pairs_beyond_memory
from assay.core import Clusterer
from assay.core.explanation import Explanation, Section
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.parameters import Any_
from assay.core.stored import IntArray, Object, TableRows
from assay.core.takes import takes_of_part
from assay.distances.metric import Metric, metric_of
from assay.distances.search import Searcher, kept_searcher
from assay.errors import DataError, ParameterError
from assay.types import TableLike, Target

__all__ = ["METRIC_PARAMETERS", "RowClusterer"]

NEIGHBORS_EXPLAINED = 5
METRIC_PARAMETERS = {
    "metric": Any_("the name of a metric, a function of two rows, or a Metric"),
    "metric_params": Any_("a dict or None", lambda v: v is None or isinstance(v, dict)),
}


class RowClusterer(Clusterer):
    """Groups of rows by a metric; a new row belongs to the group of its nearest training row.

    Subclasses write ``_group(X, w)``, which sets ``labels_``.
    """

    stored = {
        "labels_": IntArray("n", low=-3),
        "distance_": Object(Metric, d="p"),
        "_fit_X": TableRows("n", "p"),
    }
    keeps_row_names: ClassVar[bool] = True
    alternative_for_many: ClassVar[str] = (
        "KMeans needs no pairs, nor do Genie and linkage='ward' of numbers; or group some of the rows."
    )
    alternative_for_missing: ClassVar[str] = "Use metric='gower', which compares the values that are known."
    metric: Any = "euclidean"
    p: Any = 2
    metric_params: Any = None
    labels_: np.ndarray
    distance_: Metric

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        """What the metric can use of a table as it is."""
        return takes_of_part(self, "distance_", lambda: self._metric(None))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Find groups among the rows of X; y is ignored."""
        self._check_parameters()
        self._learn(self._admit(X, fitting=True), None, None)
        return self

    def fit_predict(self, X: TableLike, y: Target | None = None) -> np.ndarray:
        """(n,) the group of each row of X, after learning from these rows."""
        return self.fit(X).labels_

    def _check_parameters(self) -> None:
        self.__dict__.pop("distance_", None)  # a new fit takes what the parameters now say
        super()._check_parameters()

    def _metric(self, schema: Any) -> Metric:
        p = 2.0 if self.p is None else self.p
        return metric_of(self.metric, p=p, metric_params=self.metric_params, schema=schema)

    def _learn(self, X: Any, y: None, w: np.ndarray | None) -> None:
        who = type(self).__name__
        try:
            metric = self._metric(self.schema_)
        except ParameterError as error:
            raise ParameterError(f"{who}: {error}") from None
        if metric.precomputed and X.shape[0] != X.shape[1]:
            raise DataError(
                f"{who}: Precomputed matrix must be square, distances of the training rows to each other; got "
                f"{X.shape[0]} rows and {X.shape[1]} columns."
            )
        self.distance_ = metric.learn(X)
        self._fit_X = X
        self._group(X, w)

    def _group(self, X: Any, w: np.ndarray | None) -> None:
        raise TypeError(f"{type(self).__name__} must define _group")

    def _refuse_infinite(self, heights: np.ndarray) -> None:
        """Raise for heights beyond all numbers, unless the distances were given."""
        if not self.distance_.precomputed and not np.isfinite(heights).all():
            raise DataError(
                f"{type(self).__name__}: some rows are farther apart than numbers go. Scale the columns."
            )

    def _distances(self, X: Any) -> np.ndarray:
        """(n, n) the distances of the training rows, checked."""
        if self.distance_.precomputed:
            D = np.array(X.toarray() if hasattr(X, "tocsr") else X, dtype=np.float64)
            if (D < 0).any():
                raise DataError("distances must not be below 0.", who=type(self).__name__)
            return 0.5 * (D + D.T)
        self._refuse_many(X.shape[0])
        return self.distance_.between(X, X)

    def _refuse_many(self, n: int) -> None:
        """Raise where the pairs of n rows do not fit in memory."""
        refuse_pairs_beyond_memory(type(self).__name__, n, self.alternative_for_many)

    @property
    def _search(self) -> Searcher:
        return kept_searcher(self, self._fit_X, self.distance_)

    def _assign(self, X: Any) -> np.ndarray:
        return self.labels_[self._search.nearest(X, 1)[1][:, 0]]

    # ------------------------------------------------------------------ reasons

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """Why a row belongs to its group: its nearest training rows, their distances and groups."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        answers = self._assign(X)
        apart, nearest = self._search.nearest(X, min(NEIGHBORS_EXPLAINED, len(self.labels_)))
        names = self._cases

        def sections(i: int) -> list[Section]:
            lines = [
                [names.label(int(r)), float(v), int(self.labels_[r])] for r, v in zip(nearest[i], apart[i])
            ]
            return [Section("Nearest training rows", ["row", "distance", "group"], lines)]

        return Explanations(type(self).__name__, answers.tolist(), rows, Reasons(sections))

    def _model_parts(self) -> list[Part]:
        groups, sizes = np.unique(self.labels_, return_counts=True)
        lines = [
            ["in no group" if k < 0 else int(k), int(m), float(m / len(self.labels_))]
            for k, m in zip(groups, sizes)
        ]
        return [Section("Groups", ["group", "rows", "share"], lines)]
