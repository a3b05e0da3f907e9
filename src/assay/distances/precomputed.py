"""Precomputed distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.distances.metric import Metric
from assay.errors import DataError
from assay.types import PointsLike

__all__ = ["Precomputed"]


@dataclass(frozen=True, eq=False)
class Precomputed(Metric):
    """The rows of a query are their distances to the n stored rows; what is stored is an (n, n) table of them.

    A sparse table is a graph: rows are neighbours only where it has an entry, be it 0.

    Examples
    --------
    >>> from assay.distances import Precomputed, searcher
    >>> searcher([[0.0, 2.0], [2.0, 0.0]], Precomputed()).nearest([[5.0, 1.0]], k=1)
    (array([[1.]]), array([[1]]))
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})
    precomputed: ClassVar[bool] = True

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        """A itself: (n, m) distances to the m rows of B."""
        A = self._dense(A)
        if A.shape[1] != B.shape[0]:
            raise DataError(
                f"precomputed: each row must hold its distances to the {B.shape[0]} stored rows, got {A.shape[1]}."
            )
        if (A < 0).any():
            raise DataError("precomputed: Negative values in data: distances must not be below 0.")
        return A

    def paired(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        raise DataError("precomputed: the distances of pairs are in the table itself.")
