"""Activation functions that turn scores into posterior probabilities, and their derivatives."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from assay.errors import DataError
from assay.stats.checks import as_points

__all__ = ["sigmoid", "softmax", "softmax_jacobian"]


def sigmoid(a: ArrayLike) -> NDArray[np.float64]:
    r""":math:`\theta(a) = 1/(1 + e^{-a})`, the inverse of `log_odds`; does not overflow.

    For the other class, :math:`\theta(-a) = 1 - \theta(a)`, and its slope is
    :math:`\theta' = \theta(1 - \theta)`.

    >>> import numpy as np
    >>> from assay.stats import sigmoid
    >>> sigmoid([0.0, -1e6, np.inf])
    array([0.5, 0. , 1. ])
    """
    a = np.asarray(a, dtype=np.float64)
    if np.isnan(a).any():
        raise DataError("sigmoid: a score is missing (nan).")
    return special.expit(a)


def softmax(scores: ArrayLike) -> NDArray[np.float64]:
    r"""(..., K) posteriors :math:`y_k = e^{a_k} / \sum_j e^{a_j}` of scores, along the last axis.

    Only differences of scores count, so that the largest is subtracted first and nothing overflows.

    >>> from assay.stats import softmax
    >>> softmax([1001.0, 1002.0, 1003.0]).round(6)
    array([0.090031, 0.244728, 0.665241])
    """
    return special.softmax(_scores(scores, "softmax"), axis=-1)


def softmax_jacobian(scores: ArrayLike) -> NDArray[np.float64]:
    r"""(..., K, K) how posteriors change with scores: :math:`\partial y_k/\partial a_j = y_k(\delta_{kj}-y_j)`.

    >>> from assay.stats import softmax_jacobian
    >>> softmax_jacobian([0.0, 0.0])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    y = special.softmax(_scores(scores, "softmax_jacobian"), axis=-1)
    return y[..., :, None] * (np.eye(y.shape[-1]) - y[..., None, :])


def _scores(scores: ArrayLike, who: str) -> NDArray[np.float64]:
    a = as_points(scores, who)
    if a.ndim == 0 or a.shape[-1] == 0:
        raise DataError(f"expected at least one score in the last axis, got shape {a.shape}.", who=who)
    return a
