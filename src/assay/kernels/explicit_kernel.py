"""Kernels whose features are known and few: dot products of rows of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.kernels.kernel import Kernel
from assay.types import PointsLike, TableLike

__all__ = ["ExplicitKernel", "Features"]


class Features(np.ndarray):
    """(n, r) features of rows, as `ExplicitKernel` has prepared them."""


@dataclass(frozen=True, eq=False)
class ExplicitKernel(Kernel):
    r"""A kernel that is the dot product of a few features.

    .. math:: K(a, b) = \phi(a)^T \phi(b) \quad (1)

    A new one writes ``feature_map``. Predictions need one weight for each feature, whatever the training rows.
    """

    of_numbers: ClassVar[bool] = False  # the map knows what rows it takes

    def gram(self, A: PointsLike) -> np.ndarray:
        features = self._prepared(A)
        return np.asarray(features @ features.T)  # BLAS makes it exactly symmetric

    def diagonal(self, A: PointsLike) -> np.ndarray:
        features = np.asarray(self._prepared(A))
        return np.einsum("ij,ij->i", features, features)

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        return np.asarray(self._prepared(Q)) @ (np.asarray(self._prepared(S)).T @ coef)

    def feature_map(self, X: TableLike) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define feature_map")

    def _prepared(self, X: Any) -> Features:
        if isinstance(X, Features):
            return X
        return np.ascontiguousarray(self.feature_map(X), dtype=np.float64).view(Features)

    def _block(self, A: Features, B: Features) -> np.ndarray:
        return np.asarray(A @ B.T)
