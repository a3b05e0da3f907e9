"""What local learning on demand shares: the stored rows, the neighbours of a query, a simple model of them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.learner import Learner
from assay.core.meta_estimator import takes_weights
from assay.core.model_view import Part
from assay.core.parallel import end_if_abandoned
from assay.core.parameters import Count, Instance, Range
from assay.core.stored import FloatArray, IntArray
from assay.distances.metric import metric_of
from assay.distances.search import kept_searcher
from assay.distances.squared_rows import SquaredRows, refuse_huge
from assay.errors import ParameterError
from assay.types import Estimator

__all__ = ["LocalModel"]

NEIGHBOURS_SHOWN = 10  # in an explanation, the nearest


class LocalModel(SquaredRows, Learner):
    """Learners that keep all rows and fit a simple model to the neighbours of each query."""

    accepts = {
        "n_neighbors": Count(1),
        "estimator": Instance(having="fit") | None,
        "alpha": Range(0, open="high"),
    }
    stored = {
        "_fit_X": FloatArray("n", "p", finite=True),
        "_fit_y": FloatArray("n", finite=True) | IntArray("n", low=0, below="K"),
        "_fit_w": FloatArray("n", low=0, finite=True),
    }
    _wanted: ClassVar[str]

    def __init__(self, n_neighbors: int = 30, *, estimator: Estimator | None = None, alpha: float = 1e-3):
        self.n_neighbors = n_neighbors
        self.estimator = estimator
        self.alpha = alpha

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if self.estimator is not None:
            self._refuse_estimator(self.estimator, w)
        refuse_huge(y, type(self).__name__)
        weight = np.ones(len(X)) if w is None else w
        counted = weight > 0
        self._fit_X = np.ascontiguousarray(X[counted], dtype=np.float64)
        self._fit_y, self._fit_w = y[counted], weight[counted]

    def _refuse_estimator(self, model: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        if isinstance(model, type):
            raise ParameterError(
                f"{who}: estimator must be an object, such as {model.__name__}(), got a class."
            )
        if w is not None and not takes_weights(model):
            raise ParameterError(f"{who}: there are weights, which {type(model).__name__} does not take.")

    def _neighbours(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, k) distances and rows, from near to far."""
        k = min(self.n_neighbors, len(self._fit_X))
        search = kept_searcher(self, self._fit_X, metric_of("euclidean"))
        return search.nearest(np.ascontiguousarray(X, dtype=np.float64), k)

    def _fitted(self, rows: np.ndarray) -> Any:
        """A clone of the estimator, fitted to some rows."""
        end_if_abandoned()
        model = clone(self.estimator)
        weights = {"sample_weight": self._fit_w[rows]} if takes_weights(model) else {}
        return model.fit(self._fit_X[rows], self._fit_y[rows], **weights)

    def _lines(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(q, K, p) slopes and (q, K) values at the query of the linear models around queries."""
        raise TypeError(f"{type(self).__name__} must define _lines")

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        distances, near = self._neighbours(X)
        names = self._names
        slopes = None if self.estimator is not None else self._lines(X)[0]

        def sections(i: int) -> list[Section]:
            lines = [
                [int(row), float(gap), self._target_word(row)]
                for gap, row in zip(distances[i, :NEIGHBOURS_SHOWN], near[i])
            ]
            note = f"{len(near[i])} neighbours, the farthest at {float(distances[i, -1]):.4g}."
            parts = [Section("Neighbours", ["training row", "distance", "target"], lines, note)]
            if slopes is not None:
                heads = [str(c) for c in getattr(self, "classes_", ["slope"])]
                table = [[names[j], float(X[i, j]), *slopes[i, :, j].tolist()] for j in range(len(names))]
                parts.append(Section("The linear model around the row", ["column", "value", *heads], table))
            return parts

        return Reasons(sections)

    def _target_word(self, row: int) -> Any:
        return float(self._fit_y[row])

    def _model_parts(self) -> list[Part]:
        lines = [
            ["training rows", len(self._fit_X)],
            ["neighbours of a query", min(self.n_neighbors, len(self._fit_X))],
        ]
        return [Section("Local models", ["what", "value"], lines)]
