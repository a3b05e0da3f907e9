"""Scatter within and between classes, Fisher's criterion, and the directions that maximise it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, svd

from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_matrix, as_points, one_of
from assay.stats.multivariate.covariance import rank_of, unit_diagonal


@dataclass(frozen=True)
class Scatter:
    """Scatter of labelled points; made by `class_scatter`.

    classes : (K,)      counts : (K,)      means : (K, d)      mean : (d,)
    within, between, total : (d, d)
    """

    classes: NDArray[Any]
    counts: NDArray[np.float64]
    means: NDArray[np.float64]
    mean: NDArray[np.float64]
    within: NDArray[np.float64]
    between: NDArray[np.float64]
    total: NDArray[np.float64]

    @property
    def difference(self) -> NDArray[np.float64]:
        """Two classes: the between-class scatter not weighted by size, (m0 - m1)(m0 - m1)ᵀ."""
        if len(self.classes) != 2:
            raise ParameterError(
                f"Scatter: difference is for two classes, there are {len(self.classes)}. Use between."
            )
        gap = self.means[0] - self.means[1]
        return np.outer(gap, gap)


def class_scatter(
    X: ArrayLike,
    y: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    within: str = "sum",
    grand_mean: str = "weighted",
) -> Scatter:
    r"""Class means and scatter matrices of labelled rows.

    .. math::
       S_k &= \sum_{y_i=k} (x_i-m_k)(x_i-m_k)^T \\
       S_W &= \sum_k S_k \;\text{("sum")}\quad\text{or}\quad
              \sum_k \tfrac{n_k}n S_k \;\text{("prior-weighted-scatter")}              \quad (1) \\
       S_B &= \sum_k n_k (m_k-m)(m_k-m)^T, \qquad S_T = \sum_i (x_i-m)(x_i-m)^T         \quad (2)

    A scatter is a covariance times the number of rows, so "sum" weighs classes
    by size already; "prior-weighted-scatter" counts size twice.
    The two agree up to a factor when classes are equally large.
    :math:`S_T = S_W + S_B` holds for "sum" and the weighted grand mean m, that of all
    rows. Some books take the mean of the class means instead ("unweighted"), for
    which classes of different sizes count alike; S_T is then about that point, too.

    Parameters
    ----------
    X : (n, d)
    y : (n,) class labels
    weights : (n,), default None
    within : "sum" or "prior-weighted-scatter"
    grand_mean : "weighted" or "unweighted"

    Examples
    --------
    >>> s = class_scatter([[0, 0], [2, 0], [4, 2], [6, 4]], ["a", "a", "b", "b"])
    >>> s.within
    array([[4., 2.],
           [2., 2.]])
    >>> s.between
    array([[16., 12.],
           [12.,  9.]])
    """
    one_of(within, ("sum", "prior-weighted-scatter"), "class_scatter", "within")
    one_of(grand_mean, ("weighted", "unweighted"), "class_scatter", "grand_mean")
    rows = as_matrix(X, "class_scatter")
    labels = np.asarray(y)
    if labels.shape != rows.shape[:1]:
        raise DataError(f"class_scatter: expected {len(rows)} labels, one per row, got shape {labels.shape}.")
    w = check_weights(weights, len(rows), "class_scatter", "weights")
    w = np.ones(len(rows)) if w is None else w
    rows, labels, w = rows[w > 0], labels[w > 0], w[w > 0]
    classes, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes, weights=w).astype(float)
    members = [codes == k for k in range(len(classes))]
    means = np.array([np.average(rows[member], axis=0, weights=w[member]) for member in members])
    mean = counts @ means / counts.sum() if grand_mean == "weighted" else means.mean(axis=0)
    share = counts / counts.sum() if within == "prior-weighted-scatter" else np.ones(len(classes))
    S_W = _weighted_gram(rows - means[codes], w * share[codes])  # (1)
    S_B = _weighted_gram(means - mean, counts)  # (2)
    S_T = _weighted_gram(rows - mean, w)
    return Scatter(classes, counts, means, mean, S_W, S_B, S_T)


def fisher_criterion(w: ArrayLike, within: ArrayLike, between: ArrayLike, kind: str = "trace") -> float:
    r"""How well a projection keeps classes apart, per unit of spread inside them.

    .. math:: J(w) = \frac{w^T S_B w}{w^T S_W w}, \qquad
              J(W) = \mathrm{tr}\left[(W^T S_W W)^{-1} W^T S_B W\right]
              \quad\text{or}\quad \frac{|W^T S_B W|}{|W^T S_W W|}

    for one direction, (d,), or several, (d, k): ``kind="trace"`` adds what each of
    them separates, ``kind="determinant"`` multiplies. Scaling a direction changes
    nothing. With no spread inside the classes J is infinite; with none between
    them either it is 0.

    >>> fisher_criterion([1, 0], within=[[4, 2], [2, 2]], between=[[16, 12], [12, 9]])
    4.0

    See Also
    --------
    fisher_direction, discriminant_directions

    References
    ----------
    - Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7(2),
      179-188. doi:10.1111/j.1469-1809.1936.tb02137.x
    """
    one_of(kind, ("trace", "determinant"), "fisher_criterion", "kind")
    W = as_points(w, "fisher_criterion")
    S_W, S_B = as_matrix(within, "fisher_criterion"), as_matrix(between, "fisher_criterion")
    if W.ndim not in (1, 2) or len(W) != len(S_W) or not W.any():
        raise ParameterError(
            f"fisher_criterion: w must have {len(S_W)} rows and not be zero, got shape {W.shape}."
        )
    W = (W / np.abs(W).max()).reshape(len(W), -1)
    inside, apart = W.T @ S_W @ W, W.T @ S_B @ W
    if W.shape[1] == 1:
        spread, gap = max(inside.item(), 0.0), max(apart.item(), 0.0)
        return gap / spread if spread > 0 else (np.inf if gap > 0 else 0.0)
    P = whitener(inside)
    if P.shape[1] < W.shape[1]:
        raise DegenerateError(
            f"fisher_criterion: the {W.shape[1]} directions span only {P.shape[1]} with spread in classes."
        )
    ratio = P.T @ apart @ P
    return float(np.trace(ratio) if kind == "trace" else max(np.linalg.det(ratio), 0.0))


def fisher_direction(
    mean_a: ArrayLike, mean_b: ArrayLike, within: ArrayLike, *, tol: float | None = None
) -> NDArray[np.float64]:
    r"""The direction that maximises Fisher's criterion for two classes.

    .. math:: w = S_W^{-1}(m_a - m_b)

    It points from b to a, and is not normalised. The inverse is taken through
    the singular values of the scatter; those below `tol` times the largest one
    (default: rounding) count as 0, so that collinear columns do no harm.
    Columns are brought to unit spread before they are judged, so their units
    do not matter. Equal means give the zero vector: no direction separates them.

    >>> fisher_direction([5, 3], [1, 0], within=[[4, 2], [2, 2]])
    array([0.5, 1. ])

    See Also
    --------
    fisher_criterion, discriminant_directions

    References
    ----------
    - Fisher, R. A. (1936). The use of multiple measurements in taxonomic problems. Annals of Eugenics 7(2),
      179-188. doi:10.1111/j.1469-1809.1936.tb02137.x
    """
    S_W = as_matrix(within, "fisher_direction")
    gap = as_points(mean_a, "fisher_direction") - as_points(mean_b, "fisher_direction")
    if gap.shape != S_W.shape[:1]:
        raise DataError(f"fisher_direction: means of {gap.shape} do not fit a scatter of {S_W.shape}.")
    C, s = unit_diagonal(S_W)
    U, values, Vt = svd(C)
    keep = values > _tolerance(tol, len(C)) * values[0]
    if not values[0] > 0:
        raise DegenerateError(
            "fisher_direction: the within-class scatter is zero, so every direction separates perfectly."
        )
    return Vt[keep].T @ ((U[:, keep].T @ (gap / s)) / values[keep]) / s  # V Σ⁻¹ Uᵀ (m_a - m_b)


class DiscriminantDirections(NamedTuple):
    """eigenvalues : (k,) decreasing;  directions : (d, k) with WᵀS_W W = I;  shares : (k,)."""

    eigenvalues: NDArray[np.float64]
    directions: NDArray[np.float64]
    shares: NDArray[np.float64]


def discriminant_directions(
    within: ArrayLike, between: ArrayLike, n_components: int | None = None, *, tol: float | None = None
) -> DiscriminantDirections:
    r"""The directions that keep K classes apart best, and how well each does.

    Columns of W solve the generalised symmetric eigenproblem

    .. math:: S_B w_j = \lambda_j S_W w_j, \qquad W^T S_W W = I

    in the order of decreasing :math:`\lambda`; W maximises
    :math:`\mathrm{tr}(W^TS_BW)` under that constraint. :math:`S_B` of K classes
    has rank at most K - 1, so at most K - 1 directions are returned however
    many are asked for. Directions without spread inside the classes (below
    `tol`, as in `fisher_direction`) are left out. `shares` are
    :math:`\lambda_j/\sum\lambda`. The sign is chosen such that the largest
    coefficient of each direction is positive.

    >>> d = discriminant_directions(within=[[4, 0], [0, 1]], between=[[4, 4], [4, 4]])
    >>> d.eigenvalues.round(12)
    array([5.])

    See Also
    --------
    fisher_direction, class_scatter

    References
    ----------
    - Rao, C. R. (1948). The utilization of multiple measurements in problems of biological classification. Journal
      of the Royal Statistical Society B 10(2), 159-203.
    """
    S_W, S_B = as_matrix(within, "discriminant_directions"), as_matrix(between, "discriminant_directions")
    if S_W.shape != S_B.shape:
        raise DataError(f"discriminant_directions: shapes differ, {S_W.shape} and {S_B.shape}.")
    P = whitener(S_W, tol)
    if not P.shape[1]:
        raise DegenerateError(
            "discriminant_directions: the within-class scatter is zero; every direction separates."
        )
    values, vectors = eigh(P.T @ S_B @ P)
    values, W = np.maximum(values[::-1], 0), (P @ vectors)[:, ::-1]
    useful = min(int(np.sum(values > 0)), rank_of(S_B))  # rounding leaves values beyond the rank of S_B
    k = useful if n_components is None else min(n_components, useful)
    W = W[:, :k] * np.where(W[np.abs(W).argmax(axis=0), np.arange(W.shape[1])] < 0, -1, 1)[:k]
    return DiscriminantDirections(values[:k], W, values[:k] / values.sum() if useful else values[:k])


def whitener(S: NDArray[np.float64], tol: float | None = None) -> NDArray[np.float64]:
    """P, (d, rank), with PᵀSP = I."""
    C, s = unit_diagonal(S)
    values, vectors = eigh(C)
    keep = values > max(_tolerance(tol, len(S)) * values[-1], 0)
    return vectors[:, keep] / np.sqrt(values[keep]) / s[:, None]


def _weighted_gram(R: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
    S = R.T @ (R * w[:, None])
    return (S + S.T) / 2


def _tolerance(tol: float | None, d: int) -> float:
    return 10 * d * float(np.finfo(float).eps) if tol is None else tol
