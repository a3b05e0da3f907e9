"""Weighted counts, means and scatters per class: sums that add exactly.

Two blocks a and b of the same class combine without going back to their rows (Chan, Golub and LeVeque
1979, updating formulae for sample variances):

    n = n_a + n_b,   m = m_a + (m_b - m_a) n_b / n,   S = S_a + S_b + (m_b - m_a)^2 n_a n_b / n

so nothing cancels, whatever the mean, and the order of the blocks does not matter up to rounding. A mean is kept
as a float and the remainder that did not fit into it: the difference of two means far from zero is then exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

import assay.core._moments as _moments
from assay.core._moments import group
from assay.core.stored import FloatArray, IntArray, Object
from assay.types import Floats

__all__ = [
    "ClassMoments",
    "ClassScatter",
    "RowScatter",
    "class_moments",
    "class_scatter",
    "group",
    "row_scatter",
    "two_sum",
]

_NO_WEIGHTS = np.empty(0)

# Squares may overflow; whoever solves looks at the sums and raises.
_OVERFLOW_IGNORED = np.errstate(over="ignore", invalid="ignore")


@dataclass
class ClassMoments:
    """Column by column: what each class weighs, where its mean lies, how far it spreads.

    Attributes
    ----------
    count : (K,)      total weight of each class
    observed : (K, d) total weight of the rows whose entry is not missing
    mean : (K, d)     0 where every entry is missing
    scatter : (K, d)  weighted squared deviations from the mean
    total : ClassMoments or None
        The same sums over all rows as one class and without weights, kept only when there are weights.
    low : (K, d) or None
        The mean is ``mean + low``, the second too small to change the first; None is zero.
    """

    count: np.ndarray
    observed: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    total: ClassMoments | None = None
    low: np.ndarray | None = None
    stored = {
        "count": FloatArray("K"),
        "observed": FloatArray("K", "d"),
        "mean": FloatArray("K", "d"),
        "scatter": FloatArray("K", "d"),
        "total": Object("assay.core.moments.ClassMoments") | None,
        "low": FloatArray("K", "d") | None,
    }
    renamed = MappingProxyType({"seen": "observed"})  # in model files of earlier versions

    @_OVERFLOW_IGNORED
    def __add__(self, other: ClassMoments) -> ClassMoments:
        observed = self.observed + other.observed
        share = np.divide(other.observed, observed, out=np.zeros_like(observed), where=observed > 0)
        gap, mean, low = _meet(self, other, share, self.observed > 0)
        scatter = (
            self.scatter
            + other.scatter
            + np.where(other.observed > 0, gap * gap * self.observed * share, 0.0)
        )
        weighted = self.total is not None or other.total is not None
        total = self.unweighted() + other.unweighted() if weighted else None
        return ClassMoments(self.count + other.count, observed, mean, scatter, total, low)

    def unweighted(self) -> ClassMoments:
        """All rows as one class, each counted once, (1,) and (1, d)."""
        return self.pooled() if self.total is None else self.total

    @_OVERFLOW_IGNORED
    def pooled(self) -> ClassMoments:
        """The same rows as one class, (1,) and (1, d)."""
        observed = self.observed.sum(axis=0)
        safe = np.where(observed > 0, observed, 1.0)
        near = np.take_along_axis(self.mean, self.observed.argmax(axis=0)[None], axis=0)
        gap = np.where(self.observed > 0, (self.mean - near) + (0.0 if self.low is None else self.low), 0.0)
        offset = (self.observed * gap).sum(axis=0) / safe
        mean, low = two_sum(near[0], offset)
        scatter = (self.scatter + self.observed * (gap - offset) ** 2).sum(axis=0)
        return ClassMoments(
            np.array([self.count.sum()]), observed[None], mean[None], scatter[None], None, low[None]
        )


def class_moments(
    X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, complete: bool = True
) -> ClassMoments:
    """The moments of one block of rows.

    Parameters
    ----------
    X : (n, d) float64 or float32, NaN where missing
    y : (n,) int64 codes 0..K-1
    w : (n,) weights, or None for ones
    complete : False if X may hold NaN

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.moments import class_moments
    >>> m = class_moments(np.array([[1.0], [3.0], [7.0]]), np.array([0, 0, 1]), None, 2)
    >>> m.mean.ravel(), m.scatter.ravel()
    (array([2., 7.]), array([2., 0.]))
    """
    X = np.ascontiguousarray(X)
    y = np.ascontiguousarray(y, dtype=np.int64)
    d = X.shape[1]
    count, mean, low, scatter = np.zeros(K), np.zeros((K, d)), np.zeros((K, d)), np.zeros((K, d))
    observed = np.empty((0, d)) if complete else np.zeros((K, d))
    weights = _NO_WEIGHTS if w is None else np.ascontiguousarray(w, dtype=np.float64)
    _moments.sums(X=X, y=y, w=weights, count=count, known=observed, mean=mean, low=low, scatter=scatter)
    if complete:
        observed = np.repeat(count[:, None], d, axis=1)
    total = None if w is None else class_moments(X, np.zeros(len(X), np.int64), None, 1, complete)
    return ClassMoments(count, observed, mean, scatter, total, low)


@dataclass
class ClassScatter:
    """Weighted counts, means and full scatter matrices, per class or pooled over classes.

    Attributes
    ----------
    count : (K,)   total weight of each class
    rows : (K,)    number of its rows that weigh anything
    mean : (K, d)
    scatter : (K, d, d) one matrix a class, or (1, d, d) the sum over classes of their scatters
    low : (K, d) or None
        The mean is ``mean + low``, the second too small to change the first; None is zero.
    """

    count: np.ndarray
    rows: np.ndarray
    mean: np.ndarray
    scatter: np.ndarray
    low: np.ndarray | None = None
    stored = {
        "count": FloatArray("K"),
        "rows": IntArray("K", low=0),
        "mean": FloatArray("K", "d"),
        "scatter": FloatArray("K | 1", "d", "d"),
        "low": FloatArray("K", "d") | None,
    }

    @_OVERFLOW_IGNORED
    def __add__(self, other: ClassScatter) -> ClassScatter:
        count = self.count + other.count
        share = np.divide(other.count, count, out=np.zeros_like(count), where=count > 0)
        gap, mean, low = _meet(self, other, share[:, None], self.count[:, None] > 0)
        weight = self.count * share  # n_a n_b / n; 0 for a class that one of the two lacks
        if len(self.scatter) == len(count):
            between = weight[:, None, None] * gap[:, :, None] * gap[:, None, :]
        else:
            between = ((gap * weight[:, None]).T @ gap)[None]
        return ClassScatter(count, self.rows + other.rows, mean, self.scatter + other.scatter + between, low)

    def with_classes(self, place: np.ndarray, K: int, pooled: bool) -> ClassScatter:
        """The same sums among K classes, where class k of these is ``place[k]``; the others are empty.

        ``pooled`` says whether the scatter is that of all classes, which one class alone does not tell.
        """

        def spread(part: np.ndarray) -> np.ndarray:
            wide = np.zeros((K, *part.shape[1:]), part.dtype)
            wide[place] = part
            return wide

        scatter = self.scatter if pooled else spread(self.scatter)
        low = None if self.low is None else spread(self.low)
        return ClassScatter(spread(self.count), spread(self.rows), spread(self.mean), scatter, low)


@dataclass
class RowScatter:
    """What `ClassScatter` holds, for fewer rows than columns: rows in place of their scatter matrices.

    Attributes
    ----------
    count, rows, mean, low : as in ClassScatter
    deviations : (m, d) float64
        The rows that weigh anything, class by class, less their class mean and times the root of their weight: the
        scatter of class k is the product of its ``rows[k]`` deviations with themselves.
    roots : (m,) those roots
    """

    count: np.ndarray
    rows: np.ndarray
    mean: np.ndarray
    deviations: np.ndarray
    roots: np.ndarray
    low: np.ndarray | None = None

    stored = {
        "count": FloatArray("K"),
        "rows": IntArray("K", low=0),
        "mean": FloatArray("K", "d"),
        "deviations": FloatArray("m", "d"),
        "roots": FloatArray("m"),
        "low": FloatArray("K", "d") | None,
    }

    def _check_stored(self) -> None:
        if int(self.rows.sum()) != len(self.deviations):
            raise ValueError("RowScatter: the deviations are not one for each row.")

    @property
    def classes(self) -> np.ndarray:
        """(m,) the class of each deviation."""
        return np.repeat(np.arange(len(self.rows)), self.rows)

    @property
    def squares(self) -> np.ndarray:
        """(d,) the diagonal of the scatter, added over classes."""
        with np.errstate(over="ignore", invalid="ignore"):
            squares: Floats = np.einsum("ij,ij->j", self.deviations, self.deviations)
            return squares

    @property
    def scatter(self) -> np.ndarray:
        """(K, d, d) one matrix a class, made when it is asked for."""
        K, d = self.mean.shape
        scatter, stop = np.zeros((K, d, d)), np.cumsum(self.rows)
        for k in np.flatnonzero(self.rows):
            deviations = self.deviations[stop[k] - self.rows[k] : stop[k]]
            scatter[k] = deviations.T @ deviations
        return scatter

    def pooled(self) -> RowScatter:
        """The same rows as one class."""
        near = self.mean[int(np.argmax(self.count))]
        gap = self.mean - near + (0.0 if self.low is None else self.low)
        offset = self.count @ gap / self.count.sum()
        mean, low = two_sum(near, offset)
        deviations = self.deviations + self.roots[:, None] * (gap - offset)[self.classes]
        count, rows = np.array([self.count.sum()]), np.array([self.rows.sum()])
        return RowScatter(count, rows, mean[None], deviations, self.roots, low[None])

    def dense(self, pooled: bool = False) -> ClassScatter:
        """The same with scatter matrices, one a class or their sum."""
        scatter = (self.deviations.T @ self.deviations)[None] if pooled else self.scatter
        return ClassScatter(self.count, self.rows, self.mean, scatter, self.low)

    def __add__(self, other: ClassScatter) -> ClassScatter:
        return self.dense(pooled=len(other.scatter) != len(self.count)) + other


def row_scatter(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int) -> RowScatter:
    """The deviations of rows from their class means.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.moments import row_scatter
    >>> row_scatter(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), None, 2).deviations.ravel()
    array([-1.,  1., -1.,  1.])
    """
    count, rows, mean, low, _, offset, Z = _grouped(X, y, w, K)
    at = np.repeat(np.arange(K), rows)
    roots = np.ones(len(at))
    if w is not None:
        roots = np.concatenate([np.sqrt(w[(y == k) & (w > 0)]) for k in range(K)])
    return RowScatter(count, rows, mean, Z[: len(at)] - roots[:, None] * offset[at], roots, low)


@_OVERFLOW_IGNORED
def _grouped(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int) -> tuple[np.ndarray, ...]:
    """count, rows, mean, low, and about a row of each class: sums of rows, their mean, and the rows, class by class."""
    X = np.ascontiguousarray(X)
    n, d = X.shape
    count, rows, shift, first = np.zeros(K), np.zeros(K, np.int64), np.empty((K, d)), np.zeros((K, d))
    Z = np.empty((n, d))
    weights = _NO_WEIGHTS if w is None else np.ascontiguousarray(w, dtype=np.float64)
    group(
        X=X,
        y=np.ascontiguousarray(y, dtype=np.int64),
        w=weights,
        count=count,
        rows=rows,
        shift=shift,
        first=first,
        Z=Z,
    )
    offset = first / np.where(count > 0, count, 1.0)[:, None]
    mean, low = (np.where(count[:, None] > 0, part, 0.0) for part in two_sum(shift, offset))
    return count, rows, mean, low, first, offset, Z


@_OVERFLOW_IGNORED
def class_scatter(X: np.ndarray, y: np.ndarray, w: np.ndarray | None, K: int, pooled: bool) -> ClassScatter:
    """The scatter matrices of one block of complete rows; ``pooled`` adds them over the classes.

    Rows are centred near their class's own mean in the block before they are multiplied, so nothing cancels.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.moments import class_scatter
    >>> class_scatter(np.array([[0.0], [2.0], [4.0], [6.0]]), np.array([0, 0, 1, 1]), None, 2, pooled=True).scatter
    array([[[4.]]])
    """
    count, rows, mean, low, first, offset, Z = _grouped(X, y, w, K)
    d = X.shape[1]
    ends = np.cumsum(rows)
    groups = [slice(0, ends[-1])] if pooled else [slice(b - m, b) for b, m in zip(ends, rows)]
    scatter = np.zeros((len(groups), d, d))
    for k, members in enumerate(groups):
        if members.stop == members.start:
            continue
        # the sum of w (x - s)(x - s)': NumPy uses the symmetry, and lets other threads run
        part = Z[members].T @ Z[members]
        a, b = (first, offset) if pooled else (first[k : k + 1], offset[k : k + 1])
        scatter[k] = _mirror(np.triu(part - a.T @ b))
    return ClassScatter(count, rows, mean, scatter, low)


def _meet(
    a: ClassMoments | ClassScatter, b: ClassMoments | ClassScatter, share: np.ndarray, a_has_rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """How far b's means lie from a's, and where the common ones lie (mean, low); b's where a has no rows."""
    low_a, low_b = (np.zeros_like(s.mean) if s.low is None else s.low for s in (a, b))
    gap = (b.mean - a.mean) + (low_b - low_a)
    mean, low = two_sum(a.mean, low_a + gap * share)
    return gap, np.where(a_has_rows, mean, b.mean), np.where(a_has_rows, low, low_b)


def two_sum(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """a + b as a float and what rounding left out of it (Knuth)."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _mirror(upper: Floats) -> Floats:
    """A symmetric matrix from its upper triangle."""
    return upper + np.triu(upper, 1).T
