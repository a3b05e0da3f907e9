"""Least squares with weights that are not negative and sum to one."""

from __future__ import annotations

import numpy as np

__all__ = ["simplex_least_squares"]


def simplex_least_squares(
    Z: np.ndarray, r: np.ndarray, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    r"""The weights that combine columns best without going beyond them.

    .. math:: w = \arg\min_{w \ge 0,\ 1^Tw = 1} \|Zw - r\|^2 = \arg\min \|Mw\|^2, \quad M = Z - r 1^T      \quad (1)

    The minimum over all :math:`u \ge 0` of :math:`\|Mu\|^2 + s^2(1^Tu - 1)^2` lies in the direction of w for every
    :math:`s > 0`: along :math:`u = cw` the least value is :math:`s^2 f/(s^2 + f)`, which grows with
    :math:`f = \|Mw\|^2`. So one problem of nonnegative least squares gives w. Cost: O(n L^2).

    Parameters
    ----------
    Z : (n, L)      r : (n,)      sample_weight : (n,) from 0 up

    Examples
    --------
    >>> import numpy as np
    >>> from assay.optimize.simplex_least_squares import simplex_least_squares
    >>> simplex_least_squares(np.array([[0.0, 2.0], [1.0, 3.0]]), np.array([0.5, 1.5]))
    array([0.75, 0.25])
    """
    from scipy.optimize import nnls

    M = np.asarray(Z, np.float64) - np.asarray(r, np.float64)[:, None]
    if sample_weight is not None:
        M = M * np.sqrt(np.asarray(sample_weight, np.float64) / np.max(sample_weight))[:, None]
    L = M.shape[1]
    scale = np.abs(M).max(initial=0)
    if scale == 0:
        return np.full(L, 1.0 / L)
    R = np.linalg.qr(M / scale, mode="r")
    size = np.linalg.norm(
        R, axis=0
    ).min()  # the best column alone: the sum's row is of the size of what is left
    row = np.full((1, L), size if size > 0 else 1.0)
    u, _ = nnls(np.vstack([R, row]), np.append(np.zeros(len(R)), row[0, 0]))
    return u / u.sum()
