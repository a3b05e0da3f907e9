r"""Averages of the logistic function over Gaussian scores.

.. math:: \int\mathrm{sigmoid}(a)\,N(a;\mu,\sigma^2)\,da
          = \int\mathrm{sigmoid}'(t)\,\Phi\Bigl(\frac{\mu-t}\sigma\Bigr)dt                               \quad (1)

The first form is smooth on the scale of a narrow Gaussian, the second on that of the logistic density: one of them is
always integrated to full precision by few nodes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import expit, ndtr

__all__ = ["hermite", "logistic_normal", "pairwise_probit"]

HERMITE_NODES = 32
REACH, STEP = 38.0, 0.5  # of the second form: the density beyond is 1e-16, the error of the step e^-39
BLOCK_NUMBERS = 2**21


def logistic_normal(mean: np.ndarray, deviation: np.ndarray | float) -> np.ndarray:
    """The probability of the second class when the score is Gaussian.

    Parameters
    ----------
    mean : (n,)      deviation : (n,) or a number, from 0 up

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear.bayesian.logistic_normal import logistic_normal
    >>> logistic_normal(np.array([2.0, 2.0, 2.0]), np.array([0.0, 1.0, 30.0])).round(4)
    array([0.8808, 0.8445, 0.5265])
    """
    spread = np.broadcast_to(np.asarray(deviation, dtype=np.float64), np.shape(mean))
    answer = expit(mean)
    if not spread.any():
        return answer
    narrow, wide = (spread > 0) & (spread < 1), spread >= 1
    nodes, weights = hermite(HERMITE_NODES)
    answer[narrow] = _integral(mean[narrow], spread[narrow], nodes, weights, lambda m, s, z: expit(m + s * z))
    t = np.arange(-REACH, REACH + STEP / 2, STEP)
    density = STEP * expit(t) * expit(-t)
    answer[wide] = _integral(mean[wide], spread[wide], t, density, lambda m, s, t: ndtr((m - t) / s))  # (1)
    return answer


def _integral(
    mean: np.ndarray,
    spread: np.ndarray,
    nodes: np.ndarray,
    weights: np.ndarray,
    function: Callable[..., np.ndarray],
) -> np.ndarray:
    """(n,) the sum of the function at the nodes by their weights, some rows at a time."""
    out, step = np.empty(len(mean)), max(1, BLOCK_NUMBERS // len(nodes))
    for a in range(0, len(mean), step):
        some = slice(a, a + step)
        out[some] = function(mean[some, None], spread[some, None], nodes) @ weights
    return out


def pairwise_probit(scores: np.ndarray, gap_variances: np.ndarray) -> np.ndarray:
    r"""(n, K) probabilities of K classes by the probit rule for each pair of them.

    .. math:: p_k \propto \Bigl[\sum_j\exp\bigl(-(\mu_k-\mu_j)/\sqrt{1+\pi\sigma_{kj}^2/8}\bigr)\Bigr]^{-1}

    with the variances of the differences of scores; for two classes it is the usual rule.

    Parameters
    ----------
    scores : (n, K)      gap_variances : (n, K, K)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear.bayesian.logistic_normal import pairwise_probit
    >>> pairwise_probit(np.array([[0.0, 1.0]]), np.array([[[0.0, 3.0], [3.0, 0.0]]])).round(4)
    array([[0.3368, 0.6632]])
    """
    from scipy.special import logsumexp

    gaps = (scores[:, :, None] - scores[:, None, :]) / np.sqrt(1 + np.pi / 8 * gap_variances)
    logs = -logsumexp(-gaps, axis=2)
    return np.exp(logs - logsumexp(logs, axis=1, keepdims=True))


@lru_cache(maxsize=8)
def hermite(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights that integrate polynomials up to degree 2n - 1 against the standard normal density.

    >>> from assay.linear.bayesian.logistic_normal import hermite
    >>> nodes, weights = hermite(5)
    >>> round(float(weights @ nodes**4), 6)
    3.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(n)
    return nodes, weights / weights.sum()
