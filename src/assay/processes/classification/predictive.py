"""The probability of a class whose score is uncertain: the logistic curve or the softmax averaged over a Gaussian."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = [
    "averaged_logistic",
    "averaged_softmax",
    "flattened_softmax",
    "probit_rule",
    "probit_rule_of_softmax",
]

# logistic(x) = sum_k SHARES[k] Phi(SLOPES[k] x) to 6e-9 for all x: a fit by least squares of that form
SLOPES = np.array([
    0.24424695177001776, 0.3177429020724952, 0.40777422094452925, 0.5214966173665262,
    0.6648416020085882, 0.8445713592426082, 1.0721940664742147, 1.3763588798078308,
])  # fmt: skip
SHARES = np.array([
    0.00215516087130129, 0.03541520504252404, 0.14696805713347713, 0.281541299903312,
    0.30485328271769635, 0.18020649894929505, 0.04603053853519257, 0.00282995684720137,
])  # fmt: skip
DRAWS = 512  # quasi-random normal vectors over which the softmax is averaged, half of them mirror images
ROWS_A_BLOCK = 256  # rows averaged at once


def averaged_logistic(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    r"""(q,) the mean of the logistic curve over N(mean, variance), to 6e-9.

    The logistic curve is a mixture of normal distribution functions to that accuracy, and of each of them the mean
    over a Gaussian is known:

    .. math:: \int \sigma(f) N(f; m, v)\, df \approx \sum_k p_k \Phi\left(\frac{s_k m}{\sqrt{1 + s_k^2 v}}\right)

    >>> import numpy as np
    >>> from assay.processes.classification.predictive import averaged_logistic
    >>> averaged_logistic(np.array([0.0, 0.72549193]), np.array([9.0, 2.58227246])).round(6)
    array([0.5     , 0.621885])

    References
    ----------
    - Monahan, J. F. and Stefanski, L. A. (1992). Normal scale mixture approximations to F*(z) and computation of the
      logistic-normal integral. In Handbook of the Logistic Distribution, 529-540. Dekker.
    """
    from scipy.special import ndtr

    mean, variance = np.asarray(mean, float), np.maximum(variance, 0.0)
    total = np.zeros(np.broadcast_shapes(mean.shape, variance.shape))
    for share, slope in zip(SHARES, SLOPES):
        total += share * (ndtr(slope * mean / np.sqrt(1.0 + slope**2 * variance)) - 0.5)
    return 0.5 + total  # about 0.5, so that the probability is above it exactly where the mean is above 0


def probit_rule(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    r"""(q,) :math:`\sigma(m / \sqrt{1 + \pi v / 8})`, a quick approximation to `averaged_logistic`, to 0.02.

    >>> import numpy as np
    >>> from assay.processes.classification.predictive import probit_rule
    >>> probit_rule(np.array([0.72549193]), np.array([2.58227246])).round(8)
    array([0.62508939])

    References
    ----------
    - MacKay, D. J. C. (1992). The evidence framework applied to classification networks. Neural Computation 4(5),
      720-736. doi:10.1162/neco.1992.4.5.720
    """
    from scipy.special import expit

    return expit(mean / np.sqrt(1.0 + np.pi / 8.0 * np.maximum(variance, 0.0)))


def averaged_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    """(q, K) the mean of the softmax over Gaussians with means (q, K) and covariances (q, K, K), to about 1e-3.

    The same quasi-random vectors serve every row, so that equal rows have equal probabilities in every call.

    >>> import numpy as np
    >>> from assay.processes.classification.predictive import averaged_softmax
    >>> averaged_softmax(np.zeros((1, 3)), np.eye(3)[None]).round(2)
    array([[0.33, 0.33, 0.33]])
    """
    q, K = mean.shape
    values, vectors = np.linalg.eigh(covariance)
    roots = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
    out = np.empty((q, K))
    for start in range(0, q, ROWS_A_BLOCK):
        rows = slice(start, start + ROWS_A_BLOCK)
        scores = mean[rows, None, :] + _normal_vectors(K) @ roots[rows].transpose(0, 2, 1)
        scores -= scores.max(axis=2, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=2, keepdims=True)
        out[rows] = scores.mean(axis=1)
    return out


def probit_rule_of_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    r"""(q, K) the softmax with each difference of scores flattened by its own variance, as the probit rule does.

    .. math:: p_k \propto \left[\sum_j \exp\left(-\frac{m_k - m_j}{\sqrt{1 + \pi v_{kj} / 8}}\right)\right]^{-1}, \quad
              v_{kj} = S_{kk} + S_{jj} - 2 S_{kj}

    For two classes it is the probit rule.

    >>> import numpy as np
    >>> from assay.processes.classification.predictive import probit_rule, probit_rule_of_softmax
    >>> probit_rule_of_softmax(np.array([[0.0, 1.0]]), np.eye(2)[None]).round(6)
    array([[0.321171, 0.678829]])
    >>> probit_rule(np.array([1.0]), np.array([2.0])).round(6)
    array([0.678829])
    """
    spread = np.einsum("qkk->qk", covariance)
    variance = np.maximum(spread[:, :, None] + spread[:, None, :] - 2.0 * covariance, 0.0)
    odds = (mean[:, None, :] - mean[:, :, None]) / np.sqrt(1.0 + np.pi / 8.0 * variance)
    with np.errstate(over="ignore"):
        p = 1.0 / np.exp(odds).sum(axis=2)
    return p / p.sum(axis=1, keepdims=True)


def flattened_softmax(mean: np.ndarray, covariance: np.ndarray) -> np.ndarray:
    r"""(q, K) the softmax with all differences of scores flattened by their mean variance: the order stays that of m.

    .. math:: p = \mathrm{softmax}\left(\frac{m}{\sqrt{1 + \pi \bar v / 8}}\right), \quad
              \bar v \text{ the mean of } S_{kk} + S_{jj} - 2 S_{kj} \text{ over } k \ne j

    For two classes it is the probit rule.

    >>> import numpy as np
    >>> from assay.processes.classification.predictive import flattened_softmax
    >>> flattened_softmax(np.array([[0.0, 1.0]]), np.eye(2)[None]).round(6)
    array([[0.321171, 0.678829]])
    """
    from scipy.special import softmax

    K = mean.shape[1]
    within = np.einsum("qkk->q", covariance)
    spread = 2.0 * (K * within - covariance.sum(axis=(1, 2))) / (K * (K - 1))
    return softmax(mean / np.sqrt(1.0 + np.pi / 8.0 * np.maximum(spread, 0.0))[:, None], axis=1)


@lru_cache(maxsize=8)
def _normal_vectors(K: int) -> np.ndarray:
    """(DRAWS, K) quasi-random standard normal vectors and their mirror images."""
    from scipy.special import ndtri
    from scipy.stats import qmc

    points = qmc.Sobol(K, scramble=True, rng=0).random(DRAWS // 2)
    draws = ndtri(np.clip(points, 1e-12, 1 - 1e-12))
    return np.concatenate([draws, -draws])
