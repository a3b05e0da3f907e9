"""Dynamic selection: for each row the members that did well on its neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags

from assay.core.parameters import Count
from assay.core.stored import Object
from assay.distances.metric import METRIC
from assay.ensembles.committees.committee import COMMITTEE, FOLDS, Committee
from assay.tables.rows import take_rows

__all__ = ["DYNAMIC", "DynamicSelection"]

DYNAMIC = {**COMMITTEE, "n_neighbors": Count(1), "metric": METRIC, "cv": FOLDS}


class DynamicSelection(Committee):
    """A committee that asks, for each row, the members that did well on validation rows near it.

    The validation rows are all training rows that some test fold has, with the answers of members that were fitted
    without them.
    """

    accepts = DYNAMIC
    stored = {"neighbors_": Object(BaseEstimator)}
    n_neighbors: int
    metric: Any
    cv: Any

    def __sklearn_tags__(self) -> Any:
        from assay.neighbors import NearestNeighbors

        tags = super().__sklearn_tags__()
        search = get_tags(NearestNeighbors(metric=self.metric)).input_tags
        tags.input_tags.sparse = tags.input_tags.sparse and search.sparse
        tags.input_tags.allow_nan = tags.input_tags.allow_nan and search.allow_nan
        return tags

    def _keep_neighbors(self, X: Any, rows: np.ndarray) -> None:
        from assay.neighbors import NearestNeighbors

        self.neighbors_ = NearestNeighbors(
            n_neighbors=min(self.n_neighbors, len(rows)), metric=self.metric
        ).fit(X if len(rows) == X.shape[0] else take_rows(X, rows))

    def _near(self, X: Any) -> np.ndarray:
        """(n, k) the numbers of the nearest validation rows, nearest first."""
        return self.neighbors_.kneighbors(X, return_distance=False)
