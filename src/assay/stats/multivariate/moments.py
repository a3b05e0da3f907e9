"""Mean vector, covariance and correlation matrices, and z-scores."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_matrix, column_name


def mean_vector(X: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    """Mean of every column, (d,), weighted by ``weights``.

    >>> mean_vector([[1, 2], [3, 6]], weights=[3, 1])
    array([1.5, 3. ])
    """
    rows = as_matrix(X, "mean_vector")
    return np.average(rows, axis=0, weights=check_weights(weights, len(rows), "mean_vector", "weights"))


def covariance(
    X: ArrayLike, weights: ArrayLike | None = None, *, unbiased: bool = False
) -> NDArray[np.float64]:
    r"""Covariance matrix, (d, d), by maximum likelihood or without bias.

    .. math:: s_{jk} = \frac1N\sum_i w_i (x_{ij}-m_j)(x_{ik}-m_k), \qquad N = \sum_i w_i      \quad (1)

    `unbiased` divides by N - 1 (weights then mean how often a row was seen).
    Missing values are refused: covariances from whichever pairs are there need
    not form a covariance matrix.

    >>> covariance([[1, 2], [3, 6]])
    array([[1., 2.],
           [2., 4.]])
    >>> covariance([[1, 2], [3, 6]], unbiased=True)
    array([[2., 4.],
           [4., 8.]])
    """
    rows = as_matrix(X, "covariance")
    w = check_weights(weights, len(rows), "covariance", "weights")
    total = float(len(rows) if w is None else w.sum())
    if unbiased and total <= 1:
        raise DataError(f"covariance: an unbiased covariance needs more than one row, got {total:g}.")
    R = rows - np.average(rows, axis=0, weights=w)
    S = R.T @ (R if w is None else R * w[:, None])
    return (S + S.T) / (2 * (total - unbiased))  # (1), symmetric to the last bit


def correlation(X: ArrayLike, weights: ArrayLike | None = None) -> NDArray[np.float64]:
    r"""Correlation matrix, (d, d), :math:`r_{jk} = s_{jk}/(s_j s_k)`, from -1 to 1.

    The divisor of the covariance cancels. Independent columns have correlation
    0; correlation 0 does not make them independent. A constant column has no
    correlation and is an error.

    >>> correlation([[1, 2], [2, 1], [3, 3]])
    array([[1. , 0.5],
           [0.5, 1. ]])
    """
    S = covariance(X, weights)
    constant = np.flatnonzero(_constant(np.asarray(X, dtype=float), weights))
    if len(constant):
        raise DegenerateError(
            f"correlation: column {column_name(X, constant[0])} is constant: its correlation is 0/0. Drop it."
        )
    s = np.sqrt(np.diag(S))
    r = np.clip(S / np.outer(s, s), -1, 1)
    np.fill_diagonal(r, 1)
    return r


class ZScores(NamedTuple):
    """z : (n, d) scores;  mean, scale : (d,), for use on further rows."""

    z: NDArray[np.float64]
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]


def z_scores(
    X: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    mean: ArrayLike | None = None,
    scale: ArrayLike | None = None,
    unbiased: bool = False,
) -> ZScores:
    r"""Every column with mean 0 and standard deviation 1: :math:`z = (x - m)/s`.

    A constant column becomes zeros (its scale is reported as 1). Give `mean`
    and `scale` of the training rows to put further rows on the same footing.

    >>> scores = z_scores([[1, 7], [3, 7]])
    >>> scores.z
    array([[-1.,  0.],
           [ 1.,  0.]])
    >>> z_scores([[5, 8]], mean=scores.mean, scale=scores.scale).z
    array([[3., 1.]])
    """
    rows = as_matrix(X, "z_scores")
    w = check_weights(weights, len(rows), "z_scores", "weights")
    m = np.average(rows, axis=0, weights=w) if mean is None else np.asarray(mean, dtype=float)
    if scale is None:
        total = float(len(rows) if w is None else w.sum())
        if unbiased and total <= 1:
            raise DataError(f"z_scores: an unbiased scale needs more than one row, got {total:g}.")
        squares = (rows - m) ** 2
        s = np.sqrt((squares if w is None else squares * w[:, None]).sum(axis=0) / (total - unbiased))
        s = np.where(_constant(rows, w), 1.0, s)
    else:
        s = np.asarray(scale, dtype=float)
    if m.shape != rows.shape[1:] or s.shape != rows.shape[1:] or not (s > 0).all():
        raise ParameterError(
            f"z_scores: mean and scale must have {rows.shape[1]} values, the scales above 0; got {m} and {s}."
        )
    return ZScores((rows - m) / s, m, s)


def _constant(rows: NDArray[np.float64], weights: ArrayLike | None) -> NDArray[np.bool_]:
    """Columns with one value only; asked of the values, since a computed variance may be rounding."""
    counted = rows if weights is None else rows[np.asarray(weights) > 0]
    return np.ptp(counted, axis=0) == 0
