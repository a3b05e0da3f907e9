"""What a Gaussian process would say of training rows that it had not seen, from the inverse of one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.errors import DataError

__all__ = ["checked_folds", "left_out", "pseudo_likelihood"]


def checked_folds(folds: Sequence[Any], n: int, who: str) -> list[np.ndarray]:
    """The places of the rows of each fold among n rows, from places or masks of all rows; empty folds are left away.

    >>> from assay.processes.leave_out import checked_folds
    >>> checked_folds([[2, 0], [False, True, False]], 3, "GaussianProcessRegressor")
    [array([2, 0]), array([1])]
    """
    places, times = [], np.zeros(n, dtype=np.int64)
    for number, fold in enumerate(folds, start=1):
        try:
            rows = np.asarray(fold)
        except ValueError:  # such as pairs of training rows and test rows
            rows = np.zeros((0, 0))
        if rows.ndim == 1 and rows.dtype == bool and len(rows) == n:
            rows = np.flatnonzero(rows)
        elif rows.shape == (0,):
            rows = rows.astype(np.int64)
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or ((rows < 0) | (rows >= n)).any():
            raise DataError(
                f"fold {number} must hold places of rows, whole numbers from 0 to {n - 1}, or be a mask of {n} rows. "
                "Of the pairs of a splitter, give the test rows.",
                who=who,
            )
        np.add.at(times, rows, 1)
        if len(rows):
            places.append(rows.astype(np.int64))
    if (times > 1).any():
        raise DataError(f"row {int(times.argmax())} is in the folds more than once.", who=who)
    return places


def left_out(
    V: np.ndarray, a: np.ndarray, Y: np.ndarray, folds: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    r"""The answers to the rows of each fold by a fit without the fold, with the same kernel.

    .. math:: y_I - m_{(I)} = [V_{II}]^{-1} a_I, \qquad \mathrm{Cov}_{(I)} = [V_{II}]^{-1}, \qquad
              V = C^{-1}, \quad a = V y \quad (1)

    Parameters
    ----------
    V : (n, n)      a : (n, t)      Y : (n, t)
    folds : list of (m,) rows

    Returns
    -------
    mean : (n, t), NaN for rows of no fold
    variance : (n,) of the targets, with their noise

    Examples
    --------
    >>> import numpy as np
    >>> from assay.processes.leave_out import left_out
    >>> V, y = np.linalg.inv([[2.0, 1.0], [1.0, 2.0]]), np.array([[1.0], [2.0]])
    >>> mean, variance = left_out(V, V @ y, y, [[0], [1]])  # from one row: y / 2, and 2 - 1/2
    >>> mean.round(6).T, variance.round(6)
    (array([[1. , 0.5]]), array([1.5, 1.5]))
    """
    mean, variance = np.full(Y.shape, np.nan), np.full(len(Y), np.nan)
    for rows in folds:
        some = np.asarray(rows, dtype=np.int64)
        covariance = np.linalg.inv(V[np.ix_(some, some)])
        mean[some] = Y[some] - covariance @ a[some]
        variance[some] = np.diagonal(covariance)
    return mean, variance


def pseudo_likelihood(V: np.ndarray, a: np.ndarray) -> tuple[float, np.ndarray]:
    r"""The log density of the targets by leave-one-out, and the weights of the derivatives of C in its gradient.

    .. math:: \ell = \sum_i \tfrac12 \ln V_{ii} - \frac{a_i^2}{2 V_{ii}} - \tfrac12 \ln 2\pi, \qquad
              d\ell = \sum_{ij} W_{ij}\, dC_{ij} \quad (1)

    .. math:: W = \tfrac12 (u a^T + a u^T) - V \mathrm{diag}(q) V, \quad r_i = a_i / V_{ii}, \quad u = V r, \quad
              q_i = \frac{1 + a_i r_i}{2 V_{ii}} \quad (2)

    One product of matrices serves all parameters of the kernel.

    Parameters
    ----------
    V : (n, n) the inverse of C      a : (n, t)

    Returns
    -------
    value : float, the sum over all targets
    W : (n, n), symmetric
    """
    t, diagonal = a.shape[1], np.diagonal(V).copy()
    r = a / diagonal[:, None]
    squares = np.einsum("ij,ij->i", a, r)
    value = 0.5 * float(t * np.log(diagonal).sum() - squares.sum()) - 0.5 * t * len(V) * np.log(2.0 * np.pi)
    q = (t + squares) / (2.0 * diagonal)
    half = V * np.sqrt(q)
    W = half @ half.T
    np.negative(W, out=W)
    u = V @ r
    W += 0.5 * (u @ a.T)
    W += 0.5 * (a @ u.T)
    return value, W
