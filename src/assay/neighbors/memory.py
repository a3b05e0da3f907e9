"""Training rows that are remembered, and asked for those near a query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

from assay.core.complaints import missing_message
from assay.core.parameters import Accepted, Any_, Choice, Count, Range
from assay.distances.metric import METRICS, Metric, metric_of
from assay.distances.search import Searcher, searcher
from assay.errors import DataError, ParameterError
from assay.tables import Table

__all__ = ["METRIC", "SEARCH", "Memory", "MetricLearner"]

METRIC: Mapping[str, Accepted | None] = {
    "metric": Any_(
        "the name of a metric, or a function of two rows",
        lambda v: isinstance(v, Metric) or callable(v) or (isinstance(v, str) and v in METRICS),
    ),
    "p": Range(0, open="low") | None,
    "metric_params": Any_("a dict or None", lambda v: v is None or isinstance(v, Mapping)),
}
SEARCH: Mapping[str, Accepted | None] = {
    "algorithm": Choice("auto", "ball_tree", "kd_tree", "brute"),
    "leaf_size": Count(1),
    **METRIC,
    "n_jobs": Any_(
        "a whole number other than 0, or None", lambda v: v is None or (isinstance(v, Integral) and v != 0)
    ),
}


@dataclass(frozen=True, eq=False)
class Memory:
    """Rows with the metric that learned from them; what is needed to search them is made when first asked for.

    Attributes
    ----------
    rows : (n, d) array or CSR matrix
    metric : Metric
    method : "auto", "brute", "kd_tree" or "ball_tree"
    leaf_size : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import metric_of
    >>> from assay.neighbors.memory import Memory
    >>> Memory(np.array([[0.0], [4.0]]), metric_of("euclidean")).search.nearest(np.array([[3.0]]), 1)
    (array([[1.]]), array([[1]]))
    """

    rows: Any
    metric: Metric
    method: str = "auto"
    leaf_size: int = 30

    @cached_property
    def search(self) -> Searcher:
        return searcher(self.rows, self.metric, self.method, self.leaf_size)  # type: ignore[arg-type]

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _check_stored(self) -> None:
        """What a file says is not trusted: rows are a table of floats, and the metric can compare two of them."""
        if getattr(self.rows, "ndim", 0) != 2 or not self.rows.shape[0]:
            raise ValueError("Memory: the stored rows must be a table with at least one row.")
        if self.rows.dtype not in (np.float64, np.float32):
            raise ValueError(f"Memory: the stored rows must be floats, got {self.rows.dtype}.")
        if not self.metric.given:
            self.metric.between(self.rows[:1], self.rows[:1])


class MetricLearner:
    """A learner with the parameters ``metric``, ``p`` and ``metric_params``, and what follows from them."""

    metric: Any
    p: float
    metric_params: Any
    schema_: Any

    @property
    def takes(self) -> frozenset[str]:
        """What of a table the metric can compare as it is."""
        try:
            return self._metric().takes
        except (ParameterError, TypeError):  # said when the parameters are checked
            return frozenset()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        return tags

    def _admit(self, X: Any, fitting: bool = False) -> Any:
        """The rows as numbers; a metric that was learned from complete rows cannot compare others."""
        values = super()._admit(X, fitting)  # type: ignore[misc]
        memory = None if fitting else vars(self).get("memory_")
        dense = isinstance(values, np.ndarray)
        if memory is not None and dense and "missing" not in memory.metric.takes and np.isnan(values).any():
            table = Table(values, self.schema_, False)
            raise DataError(missing_message(type(self).__name__, table, self.remedy))  # type: ignore[attr-defined]
        return values

    def _metric(self) -> Metric:
        p = getattr(self, "p", 2)
        said = self.metric_params if hasattr(self, "metric_params") else None
        schema = getattr(self, "schema_", None)
        return metric_of(self.metric, p=2 if p is None else p, metric_params=said, schema=schema)

    def _remember_rows(self, X: Any, y: np.ndarray | None = None) -> Memory:
        """The rows with the metric that has learned from them."""
        rows = X.tocsr() if hasattr(X, "tocsr") else X
        method, leaf_size = getattr(self, "algorithm", "auto"), getattr(self, "leaf_size", 30)
        return Memory(rows, self._metric().learn(rows, y), method, int(leaf_size))
