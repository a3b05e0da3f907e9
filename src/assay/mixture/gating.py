"""Gates of a mixture of experts: which expert speaks for a row, as a posterior that rises step by step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, logsumexp, multigammaln

from assay.core.scores import softmax
from assay.core.stored import FloatArray, Scalar
from assay.mixture.components import FORMS

__all__ = ["GaussianGate", "SoftmaxGate", "gamma_divergence"]

LOG_2PI = float(np.log(2 * np.pi))
FULL = FORMS["full"]


def gamma_divergence(a: Any, b: Any, a0: float, b0: float) -> float:
    """The Kullback-Leibler divergence of gamma(a, b) from gamma(a0, b0), rates b; summed over arrays."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    terms = (
        (a - a0) * digamma(a) - gammaln(a) + gammaln(a0) + a0 * (np.log(b) - np.log(b0)) + a * (b0 / b - 1)
    )
    return float(np.sum(terms))


@dataclass(frozen=True)
class SoftmaxGate:
    r"""Expert k speaks with the probability :math:`e^{v_k^T\phi}/\sum_l e^{v_l^T\phi}`, v normal with precision gamma.

    The softmax is bounded by a quadratic of curvature :math:`A = \tfrac12(I - 11^T/K)` about the current scores
    (Böhning 1992), so that the posterior of v is normal: one p by p matrix serves all experts.
    """

    coef: np.ndarray  # (K, p) the means of v
    covariance: np.ndarray  # (p, p) of v across the experts, the inverse of E gamma I + S / 2
    precision: np.ndarray  # (2,) shape and rate of gamma
    prior: np.ndarray  # (2,) those of its prior
    stored = {
        "coef": FloatArray("K", "p", finite=True),
        "covariance": FloatArray("p", "p", finite=True),
        "precision": FloatArray("2", low=0),
        "prior": FloatArray("2", low=0),
    }

    @classmethod
    def start(cls, K: int, p: int, prior: tuple[float, float]) -> SoftmaxGate:
        """Before any row: all experts alike."""
        gamma = np.array([1.0, 1.0])
        return cls(np.zeros((K, p)), np.eye(p), gamma, np.asarray(prior, dtype=np.float64))

    def log_terms(self, F: np.ndarray) -> np.ndarray:
        """(n, K) what the expected log probability has of each expert; F (n, p) begins with ones."""
        return F @ self.coef.T

    def sums(self, F: np.ndarray, weighted: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
        """Of a block: responsibilities and slopes (K, p), squares (p, p), the constant of the bound."""
        scores = F @ self.coef.T
        shares = softmax(scores.copy())
        bent = 0.5 * (scores - scores.mean(axis=1, keepdims=True))
        slopes = (bent - shares) * w[:, None]
        constant = 0.5 * np.sum(scores * bent, axis=1) - np.sum(shares * scores, axis=1)
        constant += logsumexp(scores, axis=1)
        return [weighted.T @ F, slopes.T @ F, (F * w[:, None]).T @ F, np.array(w @ constant)]

    def updated(self, sums: list[np.ndarray]) -> tuple[SoftmaxGate, float]:
        """The gate after a step, and its part of the lower bound."""
        answered, slopes, squares, constant = sums
        K, p = self.coef.shape
        a0, b0 = self.prior
        gamma = np.array([a0 + K * p / 2, b0 + 0.5 * self._squared()])
        mean = gamma[0] / gamma[1]
        precision = mean * np.eye(p) + 0.5 * squares
        covariance = np.linalg.inv(precision)
        covariance = (covariance + covariance.T) / 2
        gate = SoftmaxGate((answered + slopes) @ covariance, covariance, gamma, self.prior)
        M = gate.coef
        bent = 0.5 * (M - M.mean(axis=0))
        quadratic = np.sum(bent @ squares * M) + 0.5 * (K - 1) * np.sum(covariance * squares)
        log_mean = digamma(gamma[0]) - np.log(gamma[1])
        bound = np.sum((answered + slopes) * M) - 0.5 * quadratic - constant
        bound += 0.5 * K * p * (log_mean - LOG_2PI) - 0.5 * mean * gate._squared()
        bound += 0.5 * K * p * (1 + LOG_2PI)
        bound -= 0.5 * ((K - 1) * np.linalg.slogdet(precision)[1] + p * np.log(mean))
        return gate, float(bound) - gamma_divergence(gamma[0], gamma[1], a0, b0)

    def _squared(self) -> float:
        """The expected squared length of v."""
        K, p = self.coef.shape
        along = (
            p * self.precision[1] / self.precision[0]
        )  # what all experts share is known by the prior alone
        return float(np.sum(self.coef**2) + (K - 1) * np.trace(self.covariance) + along)

    def probabilities(self, F: np.ndarray) -> np.ndarray:
        """(n, K) the probability of each expert, nearer to each other where v is uncertain (the probit rule)."""
        spread = np.einsum("ij,ij->i", F @ self.covariance, F)
        return softmax(F @ self.coef.T / np.sqrt(1 + np.pi / 4 * spread)[:, None])


@dataclass(frozen=True)
class GaussianGate:
    r"""Expert k speaks for the rows of a Gaussian: :math:`p(k|x) \propto \pi_k N(x; \mu_k, \Lambda_k^{-1})`.

    A Dirichlet and normal-Wishart posterior, as in :class:`BayesianGaussianMixture`; X has mean 0 and variance 1.
    """

    counts: np.ndarray  # (K,) of the Dirichlet, prior included
    means: np.ndarray  # (K, d)
    scales: np.ndarray  # (K, d, d) the inverse of W
    concentration: float
    stored = {
        "counts": FloatArray("K", low=0),
        "means": FloatArray("K", "*", finite=True),
        "scales": FloatArray("K", "*", "*", finite=True),
        "concentration": Scalar(low=0),
    }
    KAPPA = 0.1  # rows that the prior mean is worth

    @classmethod
    def start(cls, K: int, p: int, concentration: float) -> GaussianGate:
        """Before any row: all experts alike."""
        d = p - 1
        return cls(np.full(K, concentration), np.zeros((K, d)), np.tile(np.eye(d), (K, 1, 1)), concentration)

    def _strength(self) -> tuple[np.ndarray, np.ndarray]:
        """kappa and nu of each expert."""
        rows, d = self.counts - self.concentration, self.means.shape[1]
        return self.KAPPA + rows, d + 2 + rows

    def log_terms(self, F: np.ndarray) -> np.ndarray:
        """(n, K) expected log weight and density."""
        X, (kappa, nu), d = F[:, 1:], self._strength(), self.means.shape[1]
        if d == 0:
            return np.tile(digamma(self.counts) - digamma(self.counts.sum()), (len(F), 1))
        roots = FULL.roots(self.scales / nu[:, None, None])
        log_precision = d * np.log(2.0) + digamma(0.5 * (nu - np.arange(d)[:, None])).sum(axis=0)
        constants = digamma(self.counts) - digamma(self.counts.sum()) - 0.5 * d * (LOG_2PI + np.log(nu))
        constants += FULL.log_det(roots, d) + 0.5 * (log_precision - d / kappa)
        return FULL.quadratic(X, self.means, roots, constants)

    def sums(self, F: np.ndarray, weighted: np.ndarray, w: np.ndarray) -> list[np.ndarray]:
        """Of a block: counts, sums and squares of each expert, in one (K, p, p) array."""
        return [np.array([(F * h[:, None]).T @ F for h in weighted.T])]

    def updated(self, sums: list[np.ndarray]) -> tuple[GaussianGate, float]:
        """The gate after a step, and its part of the lower bound."""
        G = sums[0]
        N, first, second = G[:, 0, 0], G[:, 0, 1:], G[:, 1:, 1:]
        kappa = self.KAPPA + N
        means = first / kappa[:, None]
        d = means.shape[1]
        scales = np.eye(d) + second - kappa[:, None, None] * means[:, :, None] * means[:, None, :]
        gate = GaussianGate(self.concentration + N, means, scales, self.concentration)
        nu0, K = d + 2, len(N)
        bound = gammaln(K * self.concentration) - gammaln(gate.counts.sum())
        bound += np.sum(gammaln(gate.counts) - gammaln(self.concentration))
        bound += np.sum(-0.5 * N * d * np.log(np.pi) + 0.5 * d * (np.log(self.KAPPA) - np.log(kappa)))
        bound += sum(multigammaln((nu0 + n) / 2, d) for n in N) - K * multigammaln(nu0 / 2, d) if d else 0.0
        bound -= np.sum(0.5 * (nu0 + N) * np.linalg.slogdet(scales)[1])
        return gate, float(bound)

    def probabilities(self, F: np.ndarray) -> np.ndarray:
        """(n, K) the probability of each expert: expected weight times the predictive t of the row."""
        X, (kappa, nu), d = F[:, 1:], self._strength(), self.means.shape[1]
        logs = np.tile(np.log(self.counts), (len(F), 1))
        if d:
            roots = FULL.roots(self.scales)
            squares = -2 * FULL.quadratic(X, self.means, roots, np.zeros(len(nu)))
            ratio = kappa / (kappa + 1)
            logs += gammaln((nu + 1) / 2) - gammaln((nu + 1 - d) / 2) + 0.5 * d * np.log(ratio)
            logs += FULL.log_det(roots, d) - 0.5 * (nu + 1) * np.log1p(ratio * squares)
        return softmax(logs)
