"""One minus the cosine of the angle between two rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.distances.metric import Metric

__all__ = ["Cosine", "unit_rows"]

TINY = 1e-140  # squares of smaller lengths lose digits


@dataclass(frozen=True, eq=False)
class Cosine(Metric):
    r"""How far the directions of two rows differ, whatever their lengths.

    .. math:: D(a, b) = 1 - \frac{a \cdot b}{\|a\| \|b\|}
              = \tfrac12 \left\| \frac{a}{\|a\|} - \frac{b}{\|b\|} \right\|^2 \quad (1)

    A row of zeros has no direction: it is at distance 1 from every row, also from another one of zeros.

    Examples
    --------
    >>> from assay.distances import Cosine
    >>> Cosine().between([[1.0, 0.0]], [[2.0, 0.0], [0.0, 5.0], [-1.0, 0.0]])
    array([[0., 1., 2.]])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    def _prepared(self, X: Any) -> Any:
        return unit_rows(X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64))

    def _block(self, A: Any, B: Any) -> np.ndarray:
        product = A @ B.T
        product = product.toarray() if hasattr(product, "tocsr") else np.asarray(product)
        return np.clip(1.0 - product, 0.0, 2.0)


def unit_rows(X: Any) -> Any:
    """The rows divided by their lengths; rows of zeros stay."""
    sparse = hasattr(X, "tocsr")
    size = _lengths(X)
    if not ((size > TINY) & (size < np.inf) | (size == 0)).all() or not size.all():
        # squares that left the range: first divide by the largest value of each row
        top = abs(X).max(axis=1).toarray().ravel() if sparse else np.abs(X).max(axis=1, initial=0.0)
        X = _scaled(X, -np.frexp(top.astype(np.float64))[1])
        size = _lengths(X)
    size = np.where(size > 0, size, 1.0)[:, None]
    return X.tocsr().multiply(1 / size).tocsr() if sparse else X / size


def _lengths(X: Any) -> np.ndarray:
    with np.errstate(over="ignore", under="ignore"):
        if hasattr(X, "tocsr"):
            return np.sqrt(np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64)).ravel()
        return np.sqrt(np.einsum("ij,ij->i", X, X))


def _scaled(X: Any, e: np.ndarray) -> Any:
    """Row i times 2^e_i."""
    if not hasattr(X, "tocsr"):
        return np.ldexp(X, e[:, None])
    X = X.tocsr().astype(np.float64)  # a copy
    X.data = np.ldexp(X.data, np.repeat(e, np.diff(X.indptr)))
    return X
