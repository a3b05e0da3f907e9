"""How many components to keep: share of variance, average eigenvalue, parallel analysis, Minka's evidence."""

from __future__ import annotations

from math import lgamma, log, pi

import numpy as np
from numpy.typing import ArrayLike

from assay.core.seeds import random_state_of
from assay.errors import ParameterError
from assay.types import RandomState

__all__ = [
    "average_eigenvalue_rule",
    "components_by_evidence",
    "components_for_share",
    "parallel_analysis",
]


def components_for_share(eigenvalues: ArrayLike, share: float, total: float | None = None) -> int:
    """The smallest number of components that hold more than that share of the variance.

    Parameters
    ----------
    eigenvalues : (k,) the largest first
    share : between 0 and 1
    total : the sum of all eigenvalues, if some are not among them

    Examples
    --------
    >>> from assay.reduce import components_for_share
    >>> components_for_share([4.228242, 0.242671, 0.078210, 0.023835], 0.95)   # iris: 92.5 %, 97.8 %, ...
    2
    """
    values = _descending(eigenvalues, "components_for_share")
    if not 0 < share < 1:
        raise ParameterError(f"components_for_share: share must lie between 0 and 1, got {share}.")
    whole = float(values.sum()) if total is None else total
    if not whole > 0:
        return 1
    cumulative = np.cumsum(values) / whole
    return min(int(np.searchsorted(cumulative, share, side="right")) + 1, len(values))


def average_eigenvalue_rule(eigenvalues: ArrayLike) -> int:
    """How many eigenvalues lie above their average; at least 1. Of a correlation matrix, Kaiser's rule: above 1.

    Examples
    --------
    >>> from assay.reduce import average_eigenvalue_rule
    >>> average_eigenvalue_rule([4.228242, 0.242671, 0.078210, 0.023835])
    1
    """
    values = _descending(eigenvalues, "average_eigenvalue_rule")
    return max(1, int(np.sum(values > values.mean())))


def parallel_analysis(
    eigenvalues: ArrayLike,
    n: int,
    variances: ArrayLike | None = None,
    quantile: float = 0.95,
    draws: int = 100,
    random_state: RandomState = 0,
) -> int:
    """How many eigenvalues are larger than those of n rows of uncorrelated columns; at least 1 (Horn).

    Parameters
    ----------
    eigenvalues : (d,) of the covariance matrix, the largest first
    n : number of rows
    variances : (d,) of the columns; None is that of standardised columns, for eigenvalues of a correlation matrix
    quantile : of the eigenvalues of uncorrelated normal columns that must be surpassed
    draws : number of such tables
    random_state : int, Generator or None

    Examples
    --------
    >>> from assay.reduce import parallel_analysis
    >>> parallel_analysis([2.918498, 0.914030, 0.146757, 0.020715], n=150)    # iris, standardised
    1

    References
    ----------
    - Horn, J. L. (1965). A rationale and test for the number of factors in factor analysis. Psychometrika 30, 179-185.
    """
    values, random = _descending(eigenvalues, "parallel_analysis"), random_state_of(random_state)
    d = len(values)
    scale = np.ones(d) if variances is None else np.sqrt(np.asarray(variances, dtype=float))
    null = np.zeros((draws, d))
    for draw in range(draws):
        Z = random.standard_normal((n, d)) * scale
        Z -= Z.mean(axis=0)
        if variances is None:
            Z /= np.sqrt(np.einsum("ij,ij->j", Z, Z) / (n - 1))
        products = Z.T @ Z if d <= n else Z @ Z.T  # both have the same eigenvalues other than 0
        null[draw, : min(n, d)] = np.linalg.eigvalsh(products / (n - 1))[::-1]
    below = values <= np.quantile(null, quantile, axis=0)
    return max(1, int(np.argmax(below)) if below.any() else d)


def components_by_evidence(eigenvalues: ArrayLike, n: int) -> int:
    r"""The number of components with the largest evidence (Minka's Laplace approximation).

    Parameters
    ----------
    eigenvalues : (d,) all of them, the largest first
    n : number of rows, at least d

    Examples
    --------
    >>> import numpy as np
    >>> from assay.reduce import components_by_evidence
    >>> components_by_evidence([9.0, 5.0, 0.1, 0.098, 0.097, 0.096], n=500)
    2

    References
    ----------
    - Minka, T. P. (2000). Automatic choice of dimensionality for PCA. Advances in Neural Information Processing
      Systems 13.
    """
    values = _descending(eigenvalues, "components_by_evidence")
    if not values[0] > 0:
        return 1
    values = values / values[0]  # the units are the same for all k
    d, positive = len(values), int(np.sum(values > np.finfo(float).eps))
    scores = [_log_evidence(values, k, n) for k in range(1, min(d - 1, positive) + 1)]
    return int(np.argmax(scores)) + 1 if scores else 1


def _log_evidence(values: np.ndarray, k: int, n: int) -> float:
    """Equation 77 of Minka's paper, up to a constant that all k share."""
    d = len(values)
    noise = max(float(values[k:].mean()), np.finfo(float).tiny)
    log_uniform = -k * log(2.0)
    for i in range(1, k + 1):
        log_uniform += lgamma((d - i + 1) / 2) - log(pi) * (d - i + 1) / 2
    free = d * k - k * (k + 1) / 2
    flattened = values.copy()
    flattened[k:] = noise
    curvature = 0.0
    for i in range(k):
        gaps = (values[i] - values[i + 1 :]) * (1 / flattened[i + 1 :] - 1 / flattened[i])
        curvature += float(np.sum(np.log(np.maximum(gaps, np.finfo(float).tiny)))) + log(n) * (d - i - 1)
    log_likelihood = -n / 2 * float(np.sum(np.log(values[:k]))) - n * (d - k) / 2 * log(noise)
    return log_uniform + log_likelihood + log(2 * pi) * (free + k) / 2 - curvature / 2 - k * log(n) / 2


def _descending(eigenvalues: ArrayLike, who: str) -> np.ndarray:
    values = np.atleast_1d(np.asarray(eigenvalues, dtype=float))
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or values.min() < 0:
        raise ParameterError(f"{who}: eigenvalues must be numbers from 0 up.")
    if np.any(np.diff(values) > 1e-9 * max(values[0], 1e-300)):
        raise ParameterError(f"{who}: eigenvalues must come with the largest first.")
    return values
