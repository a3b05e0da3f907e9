r"""Sufficient statistics of least squares: sums over rows, in any order of the blocks.

With row weights :math:`v_i`, columns and targets about their weighted means :math:`m` and :math:`\bar y`, all that
squared error needs of the rows is

.. math:: S = \sum_i v_i (x_i-m)(x_i-m)^T,\qquad C = \sum_i v_i (x_i-m)(y_i-\bar y)^T                  \quad (1)

Fewer rows than columns are kept as they are. Targets of classes may be chosen after adding up, since C follows from the
class means. Where the squares of (1) lose digits, the triangular factor of the rows adds up as well.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.moments import ClassScatter, class_scatter, group, two_sum
from assay.core.stored import FloatArray, Integer, NumberArray, Object, TableRows, declare
from assay.errors import DataError
from assay.types import TableLike

__all__ = ["Kept", "Problem", "Sums", "Triangle", "moments_of", "problem_of", "summarize"]

Floats = NDArray[np.float64]

WIDEST = 20_000  # columns whose products with each other are still added up


class Kept(NamedTuple):
    """Rows as they are: shorter than their sums as long as there are fewer rows than columns."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None


declare(
    Kept,
    {
        "X": TableRows("n", "*"),
        "y": NumberArray("n") | NumberArray("n", "*"),
        "w": FloatArray("n") | None,
    },
)


@dataclass
class Sums:
    """What some rows contribute: the sums of (1), or the rows themselves while they are fewer than their columns.

    Attributes
    ----------
    moments : ClassScatter or None
        Of the columns and targets side by side, as one class; or of the columns, class by class.
    kept : Kept or None
    classes : int
        0 if the targets are numbers; else y holds codes, so that targets and class weights may be chosen later.
    pooled : bool
        Whether one scatter serves all classes.
    """

    moments: ClassScatter | None
    kept: Kept | None
    classes: int = 0
    pooled: bool = True
    stored = {
        "moments": Object(ClassScatter) | None,
        "kept": Object(Kept) | None,
        "classes": Integer(),
    }

    def __add__(self, other: Sums) -> Sums:
        if self.kept is not None and other.kept is not None:
            both = _joined(self.kept, other.kept)
            if both.X.shape[0] <= both.X.shape[1]:
                return Sums(None, both, self.classes, self.pooled)
        return Sums(self._full() + other._full(), None, self.classes, self.pooled)

    def _full(self) -> ClassScatter:
        return self.moments if self.kept is None else moments_of(*self.kept, self.classes, self.pooled)  # type: ignore


def summarize(X: Any, y: np.ndarray, w: np.ndarray | None, classes: int = 0, pooled: bool = True) -> Sums:
    """The sums of one block of rows.

    Parameters
    ----------
    X : (n, d) array or CSR matrix      y : (n,) or (n, q) numbers, or (n,) codes of classes      w : (n,) or None
    """
    if X.shape[0] <= X.shape[1]:
        return Sums(None, Kept(X.copy(), y.copy(), None if w is None else w.copy()), classes, pooled)
    return Sums(moments_of(X, y, w, classes, pooled), None, classes, pooled)


def _joined(a: Kept, b: Kept) -> Kept:
    from scipy.sparse import vstack

    dense = isinstance(a.X, np.ndarray) and isinstance(b.X, np.ndarray)
    X = np.concatenate((a.X, b.X)) if dense else vstack((a.X, b.X), format="csr")
    w = None
    if a.w is not None or b.w is not None:
        w = np.concatenate([np.ones(k.X.shape[0]) if k.w is None else k.w for k in (a, b)])
    return Kept(X, np.concatenate((a.y, b.y)), w)


def moments_of(X: TableLike, y: np.ndarray, w: np.ndarray | None, classes: int, pooled: bool) -> ClassScatter:
    """Means and scatter of the columns class by class, or, for 0 classes, of columns and targets side by side."""
    if not isinstance(X, np.ndarray):
        return _sparse_moments(X, y, w, classes, pooled)
    if classes:
        return class_scatter(X, y, w, classes, pooled)
    return _joint_moments(np.ascontiguousarray(X), y.reshape(len(X), -1), w)


@np.errstate(over="ignore", invalid="ignore")
def _joint_moments(X: Floats, Y: Floats, w: Floats | None) -> ClassScatter:
    """Means and scatter of columns and targets side by side, each block multiplied about a point near its mean."""
    (n, d), q = X.shape, Y.shape[1]
    count, rows, shift, first = np.zeros(1), np.zeros(1, np.int64), np.empty((1, d)), np.zeros((1, d))
    Z, weights = np.empty((n, d)), np.empty(0) if w is None else np.ascontiguousarray(w, dtype=np.float64)
    group(
        X=X, y=np.zeros(n, np.int64), w=weights, count=count, rows=rows, shift=shift, first=first, Z=Z
    )  # Z = sqrt(w) (x - shift)
    if w is not None and rows[0] < n:  # a row that weighs nothing is not there
        weighted = w > 0
        Z, Y, w = Z[: rows[0]], Y[weighted], w[weighted]
    near = Y[:32].mean(axis=0) if len(Y) else np.zeros(q)
    T = Y - near
    begun = T.sum(axis=0) if w is None else w @ T
    T = T if w is None else np.sqrt(w)[:, None] * T
    total = float(count[0]) or 1.0
    scatter = np.empty((1, d + q, d + q))
    scatter[0, :d, :d] = Z.T @ Z - first.T @ (first / total)
    scatter[0, :d, d:] = Z.T @ T - first.T @ (begun[None] / total)
    scatter[0, d:, :d] = scatter[0, :d, d:].T
    scatter[0, d:, d:] = T.T @ T - np.outer(begun, begun / total)
    mean, low = two_sum(np.append(shift[0], near), np.append(first[0], begun) / total)
    if not rows[0]:
        mean, low, scatter = np.zeros(d + q), np.zeros(d + q), np.zeros_like(scatter)
    return ClassScatter(count, rows, mean[None], scatter, low[None])


def _sparse_moments(X: Any, y: np.ndarray, w: np.ndarray | None, classes: int, pooled: bool) -> ClassScatter:
    """The same of a sparse block; zeros keep means small against spreads, so that little cancels.

    A column without zeros may lie anywhere, and is seen from its first row.
    """
    from scipy.sparse import csr_array, hstack

    if X.shape[1] > WIDEST:
        raise DataError(
            f"Least squares over blocks adds up the products of all pairs of columns, too many for {X.shape[1]} sparse "
            "columns. Use fit with all rows in memory, or SGDRegressor or SGDClassifier."
        )
    X = csr_array(X).astype(np.float64)
    codes = y if classes else np.zeros(X.shape[0], np.int64)
    if not classes:
        X = csr_array(hstack((X, csr_array(y.reshape(X.shape[0], -1)))))
    X.sum_duplicates()
    full = np.bincount(X.indices, minlength=X.shape[1]) == X.shape[0]
    near = np.where(full, X[:1].toarray()[0] if X.shape[0] else 0.0, 0.0)
    X.data -= near[X.indices]
    v = np.ones(X.shape[0]) if w is None else w
    K = max(classes, 1)
    member = csr_array((v, (codes, np.arange(X.shape[0]))), shape=(K, X.shape[0]))
    count = np.bincount(codes, v, K)
    mean = (member @ X).toarray() / np.where(count > 0, count, 1.0)[:, None]
    rows = np.bincount(codes[v > 0], minlength=K)
    groups = [np.arange(K)] if pooled or K == 1 else [np.array([k]) for k in range(K)]
    scatter = np.empty((len(groups), X.shape[1], X.shape[1]))
    for g, members in enumerate(groups):
        part = X if len(groups) == 1 else X[codes == members[0]]
        weights = v if len(groups) == 1 else v[codes == members[0]]
        product = (part.T @ part.multiply(weights[:, None]).tocsr()).toarray()
        product -= (mean[members] * count[members, None]).T @ mean[members]
        scatter[g] = (product + product.T) / 2
    mean, low = two_sum(np.where((count > 0)[:, None], near, 0.0), mean)
    return ClassScatter(count, rows, mean, scatter, low)


@dataclass
class Problem:
    """(1) ready to be solved: total weight n, means m and y-bar, S and C, and the number of rows."""

    n: float
    rows: int
    mean: Floats
    target: Floats
    S: Floats
    C: Floats

    def check(self, who: str, names: list[str]) -> None:
        """Say so where squares overflowed."""
        if np.isfinite(self.S).all() and np.isfinite(self.C).all():
            return
        bad = np.flatnonzero(~np.isfinite(np.diag(self.S)))
        what = f"column {names[bad[0]]}" if len(bad) else "y"
        raise DataError(
            f"{who}: the squares of {what} are too large to be added up. Divide it by a power of ten."
        )


def problem_of(
    moments: ClassScatter, d: int, codes: Floats | None = None, weights: Floats | None = None
) -> Problem:
    """(1) from sums: of numbers, or of classes whose targets are the rows of ``codes``, (K, q).

    ``weights`` (K,) multiplies the rows of each class.
    """
    if codes is None:
        S = moments.scatter[0]
        mean = moments.mean[0]
        return Problem(
            float(moments.count[0]), int(moments.rows[0]), mean[:d], mean[d:], S[:d, :d], S[:d, d:]
        )
    weights = np.ones(len(codes)) if weights is None else weights
    count = moments.count * weights
    n = float(count.sum())
    near = moments.mean[int(np.argmax(count))]
    gap = moments.mean - near
    offset = count @ gap / n
    gap = np.where(count[:, None] > 0, gap - offset, 0.0)  # m_k - m
    target = count @ codes / n
    with np.errstate(over="ignore", invalid="ignore"):  # the solver checks the sums and raises the error
        within = (
            moments.scatter[0] if len(moments.scatter) == 1 else np.tensordot(weights, moments.scatter, 1)
        )
        S = within + (gap * count[:, None]).T @ gap
        C = (gap * count[:, None]).T @ (codes - target)
    return Problem(n, int(moments.rows[count > 0].sum()), near + offset, target, S, C)


@dataclass
class Triangle:
    """The triangular factor of rows that are centred and scaled; two of them add to the factor of all their rows."""

    R: Floats

    def __add__(self, other: Triangle) -> Triangle:
        return Triangle(_factor(np.vstack((self.R, other.R))))

    @classmethod
    def of(cls, X: Any, y: Floats, w: Floats | None, mean: Floats, scale: Floats, target: Floats) -> Triangle:
        """Of one block: rows :math:`\\sqrt{v_i}\\,((x_i-m)/s,\\; y_i-\\bar y)`."""
        X = X if isinstance(X, np.ndarray) else X.toarray()
        Z = np.column_stack(((X - mean) / scale, y.reshape(len(X), -1) - target))
        return cls(_factor(Z if w is None else Z * np.sqrt(w)[:, None]))


def _factor(Z: Floats) -> Floats:
    from scipy.linalg import qr

    return qr(Z, mode="r", overwrite_a=True, check_finite=False)[0][: Z.shape[1]]
