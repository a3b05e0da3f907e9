"""Minkowski's distances: sums of powers of the differences, column by column."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, Plain, Scalar
from assay.core.targets import row_counts
from assay.distances.extremes import largest, other_units, scaled
from assay.distances.metric import Metric
from assay.errors import DataError, ParameterError
from assay.types import PointsLike, TableLike

__all__ = ["Minkowski", "SquaredEuclidean", "Standardized"]


@dataclass(frozen=True, eq=False)
class Minkowski(Metric):
    r"""The p-th root of the sum of the p-th powers of the differences.

    .. math:: L_p(a, b) = \Big(\sum_j w_j |a_j - b_j|^p\Big)^{1/p} \quad (1)

    p = 1 is the Manhattan distance, p = 2 the Euclidean distance, and p = inf the largest difference
    (Chebyshev). Below 1 the triangle inequality does not hold, and only a linear scan finds neighbours.

    Parameters
    ----------
    p : float above 0
    w : (d,) weights of the columns, none negative; None weighs all alike

    Examples
    --------
    >>> from assay.distances import Minkowski
    >>> [Minkowski(p).between([[0.0, 0.0]], [[3.0, 4.0]]).item() for p in (1, 2, float("inf"))]
    [7.0, 5.0, 4.0]
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    p: float = 2.0
    w: np.ndarray | None = None
    stored = {
        "p": Scalar(low=0),
        "w": FloatArray("d", low=0, finite=True) | Plain((list, tuple)) | None,
    }

    def __post_init__(self) -> None:
        if not self.p > 0:
            raise ParameterError(f"Minkowski: p must be a number above 0, got {self.p!r}.")
        if self.w is not None:
            w = np.asarray(self.w, dtype=np.float64)
            if w.ndim != 1 or not (w >= 0).all() or not np.isfinite(w).all():
                raise ParameterError("Minkowski: w must be weights of the columns, none negative.")
            object.__setattr__(self, "w", w)

    @property
    def name(self) -> str:
        if self.w is not None:
            return "minkowski"
        return {1.0: "manhattan", 2.0: "euclidean", np.inf: "chebyshev"}.get(self.p, "minkowski")

    @property
    def triangle(self) -> bool:  # type: ignore[override]
        return self.p >= 1

    @property
    def power(self) -> float | None:
        return self.p if self.p >= 1 else None

    def points(self, X: Any) -> Any:
        if self.w is None:
            return X
        if len(self.w) != X.shape[1]:
            raise DataError(f"Minkowski: w has {len(self.w)} weights, the table has {X.shape[1]} columns.")
        scale = (self.w > 0).astype(np.float64) if np.isinf(self.p) else self.w ** (1 / self.p)
        return X.multiply(scale).tocsr() if hasattr(X, "tocsr") else X * scale

    def _prepared(self, X: Any) -> Any:
        return self.points(X if hasattr(X, "tocsr") else np.asarray(X))

    def _fill(self, A: Any, B: Any, out: np.ndarray) -> None:
        apart(A, B, self.p, out)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return apart(A, B, self.p)


@dataclass(frozen=True, eq=False)
class SquaredEuclidean(Metric):
    """The square of Euclid's distance: the same neighbours, other numbers.

    Examples
    --------
    >>> from assay.distances import SquaredEuclidean
    >>> SquaredEuclidean().between([[0.0, 0.0]], [[3.0, 4.0]])
    array([[25.]])
    """

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    @property
    def name(self) -> str:
        return "sqeuclidean"

    @property
    def power(self) -> float | None:
        return 2.0

    def finish(self, distance: np.ndarray) -> np.ndarray:
        return distance * distance

    def begin(self, distance: float) -> float:
        return float(np.sqrt(distance))

    def _prepared(self, X: Any) -> Any:
        return X if hasattr(X, "tocsr") else np.asarray(X, dtype=np.float64)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        if hasattr(A, "tocsr"):
            return apart(A, B, 2.0) ** 2
        from scipy.spatial.distance import cdist

        return cdist(A, B, "sqeuclidean")


@dataclass(frozen=True, eq=False)
class Standardized(Metric):
    r"""Euclid's distance after each column is divided by its standard deviation.

    .. math:: D(a, b) = \sqrt{\sum_j (a_j - b_j)^2 / V_j} \quad (1)

    Parameters
    ----------
    V : (d,) variances of the columns; None takes those of the training rows (divisor n - 1). A column without
        variance counts nothing.

    Examples
    --------
    >>> from assay.distances import Standardized
    >>> Standardized(V=[4.0, 1.0]).between([[0.0, 0.0]], [[6.0, 4.0]])
    array([[5.]])
    """

    takes: ClassVar[frozenset[str]] = frozenset()
    triangle: ClassVar[bool] = True

    V: np.ndarray | None = None
    stored = {"V": FloatArray("d", low=0, finite=True) | Plain((list, tuple)) | None}

    def __post_init__(self) -> None:
        if self.V is not None:
            V = np.asarray(self.V, dtype=np.float64)
            if V.ndim != 1 or not (V >= 0).all() or not np.isfinite(V).all():
                raise ParameterError("seuclidean: V must be variances of the columns, none negative.")
            object.__setattr__(self, "V", V)

    @property
    def name(self) -> str:
        return "seuclidean"

    @property
    def power(self) -> float | None:
        return 2.0

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        if self.V is not None:
            return self
        return replace(self, V=variances_of(self._dense(X), w))

    def points(self, X: Any) -> Any:
        if self.V is None:
            return self.learn(X).points(X)
        if len(self.V) != X.shape[1]:
            raise DataError(f"seuclidean: V has {len(self.V)} variances, the table has {X.shape[1]} columns.")
        with np.errstate(divide="ignore"):
            return X * np.where(self.V > 0, 1 / np.sqrt(self.V), 0.0)

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        A, B = self._dense(A), self._dense(B)
        if self.V is None:
            return self.learn(np.concatenate([A, B])).between(A, B)
        return super().between(A, B)

    def _prepared(self, X: Any) -> Any:
        return self.points(self._dense(X))

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return apart(A, B, 2.0)


def variances_of(X: np.ndarray, w: np.ndarray | None = None) -> np.ndarray:
    """(d,) the variances of columns with the divisor N - 1, where a row of weight 2 is two of the N rows."""
    if w is not None:
        X, w = X[w > 0], row_counts(w[w > 0])
    if not len(X) or (len(X) if w is None else w.sum()) <= 1:
        return np.zeros(X.shape[1])
    if w is None:
        V = np.var(X, axis=0, ddof=1, dtype=np.float64)
    else:
        V = w @ (X - w @ X / w.sum()) ** 2 / (w.sum() - 1)
    V[np.ptp(X, axis=0) == 0] = 0.0  # rounding would make a constant column large
    return V


def apart(A: Any, B: Any, p: float, out: np.ndarray | None = None) -> np.ndarray:
    """(n, m) Minkowski distances between points, from their differences; sparse points are taken in pieces.

    They are put into ``out``, if it is given: a matrix that need not be made costs less than half.
    """
    from scipy.spatial.distance import cdist

    if out is None:
        out = np.empty((A.shape[0], B.shape[0]))
    if hasattr(A, "tocsr") or hasattr(B, "tocsr"):
        out[:] = _apart_sparse(A, B, p)
        return out
    A, B = np.asarray(A, dtype=np.float64), np.asarray(B, dtype=np.float64)
    if A.shape[1] != B.shape[1]:
        raise DataError(
            f"The rows of A have {A.shape[1]} columns, those of B {B.shape[1]}; expected as many."
        )
    name = {1.0: "cityblock", 2.0: "euclidean", np.inf: "chebyshev"}.get(p, "minkowski")
    more = {"p": p} if name == "minkowski" else {}
    cdist(A, B, name, out=out, **more)
    if out.size and not 1e-100 < out.max() < 1e300:  # powers beyond the range: the same in another unit
        unit = int(other_units(np.maximum(largest(A), largest(B))[None], A.shape[1], p)[0])
        if unit:
            with np.errstate(over="ignore"):
                np.ldexp(cdist(scaled(A, unit), scaled(B, unit), name, **more), unit, out=out)
    return out


def _apart_sparse(A: Any, B: Any, p: float) -> np.ndarray:
    """Euclid's by a product of sparse matrices, others from dense pieces of at most 32 MB."""
    from scipy.sparse import csr_matrix

    A, B = csr_matrix(A, dtype=np.float64), csr_matrix(B, dtype=np.float64)
    if A.shape[1] != B.shape[1]:
        raise DataError(
            f"The rows of A have {A.shape[1]} columns, those of B {B.shape[1]}; expected as many."
        )
    if p == 2:
        squares = [np.asarray(M.multiply(M).sum(axis=1)).ravel() for M in (A, B)]
        product = (A @ B.T).toarray()
        scores = squares[0][:, None] + squares[1] - 2 * product
        tiny = 1e-14 * (squares[0][:, None] + squares[1])  # what rounding leaves of a zero
        return np.sqrt(np.where(scores > tiny, scores, 0.0))
    out = np.empty((A.shape[0], B.shape[0]))
    size = max(1, (1 << 22) // max(B.shape[1], 1))
    for i in range(0, A.shape[0], size):
        some = A[i : i + size].toarray()
        for j in range(0, B.shape[0], size):
            out[i : i + size, j : j + size] = apart(some, B[j : j + size].toarray(), p)
    return out
