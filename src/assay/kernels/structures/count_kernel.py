"""Kernels that are dot products of counts: rows become bags once, pairs never meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.kernels.kernel import Kernel, mirror
from assay.kernels.objects import objects_of
from assay.kernels.structures.bags import Bags
from assay.types import PointsLike

__all__ = ["CountKernel"]


@dataclass(frozen=True, eq=False)
class CountKernel(Kernel):
    r"""A kernel of objects by the features that they share.

    .. math:: K(a, b) = \sum_f c_f(a)\,c_f(b) \quad (1)

    A new one writes ``_bags``: the features of each object and their values.
    """

    takes: ClassVar[frozenset[str]] = frozenset({"objects"})

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        return self._prepared(A).products(self._prepared(B))

    def gram(self, A: PointsLike) -> np.ndarray:
        bags = self._prepared(A)
        K = bags.products(bags)
        mirror(K)
        return K

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return self._prepared(A).squares()

    def combine(self, Q: PointsLike, S: PointsLike, coef: np.ndarray) -> np.ndarray:
        return self._prepared(Q).sums(self._prepared(S), coef)

    def _prepared(self, X: Any) -> Bags:
        return X if isinstance(X, Bags) else self._bags(objects_of(X, type(self).__name__))

    def _block(self, A: Bags, B: Bags) -> np.ndarray:
        return A.products(B)

    def _bags(self, rows: np.ndarray) -> Bags:
        raise TypeError(f"{type(self).__name__} must define _bags")
