"""One minus the cosine of the angle between two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.distances.metric import Metric

__all__ = ["Cosine"]


@dataclass(frozen=True, eq=False)
class Cosine(Metric):
    r"""How far the directions of two rows differ, whatever their lengths.

    .. math:: D(a, b) = 1 - \frac{a \cdot b}{\|a\| \|b\|}
              = \tfrac12 \left\| \frac{a}{\|a\|} - \frac{b}{\|b\|} \right\|^2 \quad (1)

    A row of zeros has no direction: it is at distance 1 from every row that has one, and at 0 from another such row
    (scikit-learn says 1 there as well).

    Examples
    --------
    >>> from assay.distances import Cosine
    >>> Cosine().between([[1.0, 0.0]], [[2.0, 0.0], [0.0, 5.0], [-1.0, 0.0]])
    array([[0., 1., 2.]])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    def _prepared(self, X: Any) -> Any:
        if hasattr(X, "tocsr"):
            size = np.sqrt(np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64)).ravel()
            return X.tocsr().multiply(1 / np.where(size > 0, size, 1.0)[:, None]).tocsr()
        X = np.asarray(X, dtype=np.float64)
        size = np.sqrt(np.einsum("ij,ij->i", X, X))
        return X / np.where(size > 0, size, 1.0)[:, None]

    def _block(self, A: Any, B: Any) -> np.ndarray:
        product = A @ B.T
        product = product.toarray() if hasattr(product, "tocsr") else np.asarray(product)
        return np.clip(1.0 - product, 0.0, 2.0)
