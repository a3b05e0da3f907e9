r"""Several classes with a Gaussian process behind each: the mode of their posterior, the evidence and its derivatives.

Each of K classes has a score :math:`f_k \sim N(0, C)`, all with the same kernel matrix C, and the probabilities of a
row are the softmax of its scores. With row weights c and indicators t (n, K) of the classes

.. math:: \Psi(f) = \sum_i c_i \log P(t_i \mid f_i) - \tfrac12 \sum_k f_k^T C^{-1} f_k \quad (1)

The curvature of the likelihood is :math:`W_{kl} = \mathrm{diag}(c\,\pi_k)[k = l] - \mathrm{diag}(c\,\pi_k\pi_l)`: a
diagonal and, for each row, a matrix of rank one. So nothing of the size nK is ever factored: with
:math:`D_k = \mathrm{diag}(c\,\pi_k)`

.. math:: E_k = D_k^{1/2} (I + D_k^{1/2} C D_k^{1/2})^{-1} D_k^{1/2}
          = (C + D_k^{-1})^{-1}, \quad G = \sum_k E_k \quad (2)

.. math:: (W^{-1} + C)^{-1}_{kl} = E_k [k = l] - E_k G^{-1} E_l, \quad
          \log |I + WC| = \sum_k \log |B_k| + \log |G| - \sum_i \log c_i \quad (3)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.core.stored import Boolean, FloatArray, Integer, Scalar
from assay.processes.cholesky import factor
from assay.processes.classification.laplace import (
    CONVERGED,
    SMALLEST_STEP,
    WORTH_A_FACTOR,
    factor_of_b,
    inverse_of_factor,
)

__all__ = [
    "SoftmaxMode",
    "find_softmax_mode",
    "latent_covariance",
    "softmax_derivative_weights",
    "softmax_leave_one_out",
]

SMALLEST_SHARE = 1e-30  # of a class in a row: what is less than that has no curvature
EASIER = 100.0  # by how much the kernel is divided where the way from 0 to the mode has no digits
LEAST_VARIANCE_TO_DIVIDE = 100.0  # of the scores: with less, no other start is tried


class Curvature:
    """What (2) and (3) need, for the probabilities of one point."""

    def __init__(self, C: np.ndarray, pi: np.ndarray, c: np.ndarray):
        n, K = pi.shape
        self.E = np.empty((K, n, n))
        self.log_determinant = -float(np.log(c).sum())
        for k in range(K):
            root = np.sqrt(c * np.maximum(pi[:, k], SMALLEST_SHARE))
            L = factor_of_b(C, root)
            self.log_determinant += 2.0 * float(np.log(np.diagonal(L)).sum())
            np.multiply(inverse_of_factor(L), root, out=self.E[k])
            self.E[k] *= root[:, None]
        G = factor(self.E.sum(axis=0), overwrite=True)
        self.log_determinant += G.logdet
        self.L = G.lower


@dataclass(frozen=True, eq=False)
class SoftmaxMode:
    """The mode of (1) and what belongs to it.

    Attributes
    ----------
    a : (n, K) the derivatives of the log-likelihood      f : (n, K) the scores      pi : (n, K) the probabilities
    E : (K, n, n) and L, the lower factor of G, of (2)
    log_evidence : float      iterations : steps taken      converged : whether the gradient vanished
    """

    a: np.ndarray
    f: np.ndarray
    pi: np.ndarray
    E: np.ndarray
    L: np.ndarray
    log_evidence: float
    iterations: int
    converged: bool
    stored = {
        "a": FloatArray("n", "C", finite=True),
        "f": FloatArray("n", "C", finite=True),
        "pi": FloatArray("n", "C", low=0, high=1),
        "E": FloatArray("C", "n", "n", finite=True),
        "L": FloatArray("n", "n", finite=True),
        "log_evidence": Scalar(finite=True),
        "iterations": Integer(low=0),
        "converged": Boolean(),
    }


def newton_step(E: np.ndarray, L: np.ndarray, r: np.ndarray, Cr: np.ndarray) -> np.ndarray:
    """(n, K) (I + W C)^-1 r."""
    from scipy.linalg.lapack import dpotrs

    parts = np.stack([e @ Cr[:, k] for k, e in enumerate(E)], axis=1)
    shared = dpotrs(L, parts.sum(axis=1), lower=1)[0]
    return r - parts + np.stack([e @ shared for e in E], axis=1)


def find_softmax_mode(
    C: np.ndarray,
    t: np.ndarray,
    weight: np.ndarray | None = None,
    start: np.ndarray | None = None,
    max_iter: int = 100,
) -> SoftmaxMode:
    r"""The mode of (1), by Newton steps :math:`a \leftarrow a + s\,(I + WC)^{-1}(c(t - \pi) - a)`.

    The curvature is computed again when a step with an old one leaves more than a quarter of the gradient, and at the
    mode; a step that does not raise (1) is halved. If the steps come to nothing, since the variance of the scores is so
    large that their curvature has no digits, they begin at the scores of a kernel a hundredth as large. Cost:
    O(K n^3) for each curvature, O(K n^2) for each step.

    Parameters
    ----------
    C : (n, n) kernel matrix, exactly symmetric
    t : (n, K) indicators of the classes
    weight : (n,) what each row counts, above 0; None counts each once
    start : (n, K) a to start from; None starts at 0
    max_iter : steps at the most

    Examples
    --------
    Two classes have the log odds of the process of two classes with twice the kernel:

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.softmax_laplace import find_softmax_mode
    >>> C = (2.0 * RBF(1.0))([[-2.0], [-1.0], [1.0], [2.0]])
    >>> mode = find_softmax_mode(C, np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]))
    >>> (mode.f[:, 1] - mode.f[:, 0]).round(6), round(mode.log_evidence, 6)
    (array([-1.350571, -1.256472,  1.256472,  1.350571]), -2.482993)

    References
    ----------
    - Williams, C. K. I. and Barber, D. (1998). Bayesian classification with Gaussian processes. IEEE Transactions on
      Pattern Analysis and Machine Intelligence 20(12), 1342-1351. doi:10.1109/34.735807
    """
    mode = _newton(C, t, weight, start, max_iter)
    if (
        mode.converged
        or mode.iterations >= max_iter
        or not float(np.mean(np.diagonal(C))) > LEAST_VARIANCE_TO_DIVIDE
    ):
        return mode
    easier = find_softmax_mode(C / EASIER, t, weight, None, max_iter)  # the same scores are near its mode
    again = _newton(C, t, weight, easier.a / EASIER, max_iter)
    return max(mode, again, key=lambda mode: (mode.converged, mode.log_evidence))


def _newton(
    C: np.ndarray, t: np.ndarray, weight: np.ndarray | None, start: np.ndarray | None, max_iter: int
) -> SoftmaxMode:
    n = len(t)
    c = np.ones(n) if weight is None else weight
    a, f = np.zeros_like(t), np.zeros_like(t)
    value = _log_posterior(a, f, t, c)
    if start is not None:
        scores = C @ start
        at_start = _log_posterior(start, scores, t, c)
        if at_start > value:
            a, f, value = start, scores, at_start
    pi, most = _softmax(f), float(c.max())
    residual = c[:, None] * (t - pi) - a
    left, curvature, steps = float(np.abs(residual).max()), None, 0
    while left > CONVERGED * most and steps < max_iter:
        fresh = curvature is None
        if curvature is None:
            curvature = Curvature(C, pi, c)
        before, step = left, newton_step(curvature.E, curvature.L, residual, C @ residual)
        size, moved = 1.0, C @ step
        while True:
            new = _log_posterior(a + size * step, f + size * moved, t, c)
            if new >= value - 1e-12 * (1 + abs(value)) or size < SMALLEST_STEP:
                break
            size /= 2
        steps += 1
        if size < SMALLEST_STEP:
            if fresh:
                break
            curvature = None
            continue
        a, f, value = a + size * step, f + size * moved, new
        pi = _softmax(f)
        residual = c[:, None] * (t - pi) - a
        left = float(np.abs(residual).max())
        if left > WORTH_A_FACTOR * before:
            curvature = None
    curvature = Curvature(C, pi, c)
    evidence = value - 0.5 * curvature.log_determinant
    return SoftmaxMode(a, f, pi, curvature.E, curvature.L, evidence, steps, left <= CONVERGED * most)


def _softmax(f: np.ndarray) -> np.ndarray:
    p = np.exp(f - f.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def _log_posterior(a: np.ndarray, f: np.ndarray, t: np.ndarray, c: np.ndarray) -> float:
    """(1)."""
    top = f.max(axis=1)
    log_sum = top + np.log(np.exp(f - top[:, None]).sum(axis=1))
    return float(c @ (np.einsum("ik,ik->i", t, f) - log_sum) - 0.5 * np.einsum("ik,ik->", a, f))


def softmax_derivative_weights(
    mode: SoftmaxMode, C: np.ndarray, weight: np.ndarray | None = None
) -> np.ndarray:
    r"""(n, n) M with which the log evidence has the derivatives :math:`\sum_{ij} M_{ij}\, \partial C_{ij}`.

    .. math:: M = \tfrac12 \sum_k (u_k a_k^T + a_k u_k^T - E_k + E_k G^{-1} E_k), \quad
              u = (I + WC)^{-1} s + \tfrac12 a \quad (4)

    with :math:`s_{ik} = -\tfrac12 \mathrm{tr}(S_i\, \partial W_i / \partial f_{ik})`, where :math:`S_i` (K, K) is the
    covariance of the scores of row i. Cost: O(4 K n^3).
    """
    from scipy.linalg import solve_triangular

    pi, (n, K) = mode.pi, mode.pi.shape
    c = np.ones(n) if weight is None else weight
    M, spread = np.zeros((n, n)), np.empty((K, n, n))

    for k in range(K):
        U = solve_triangular(mode.L, mode.E[k], lower=True, check_finite=False)
        M -= 0.5 * (mode.E[k] - U.T @ U)
        np.matmul(C, U.T, out=spread[k])  # C E_k G^-1 E_l C = spread_k spread_l'
    S = np.einsum(
        "kij,lij->ikl", spread, spread, optimize=True
    )  # (n, K, K) but for the part of each class alone
    diagonal = c[:, None] * np.maximum(pi, SMALLEST_SHARE)
    s = _slopes(pi, c, S, 1.0 - np.einsum("kii->ik", mode.E) / diagonal)
    v = newton_step(mode.E, mode.L, s, C @ s)
    with_mode = (0.5 * v + 0.25 * mode.a) @ mode.a.T
    M += with_mode
    M += with_mode.T
    return M


def _slopes(pi: np.ndarray, c: np.ndarray, S: np.ndarray, shrink: np.ndarray) -> np.ndarray:
    r"""(n, K) s of (4), from the covariances S plus the diagonal ``shrink`` / (c pi).

    With :math:`W = c(\mathrm{diag}(\pi) - \pi\pi^T)` and :math:`\partial\pi_j/\partial f_k = \pi_j([j = k] - \pi_k)`,
    :math:`\mathrm{tr}(S\,\partial W/\partial f_k) = c \sum_j \pi_j([j = k] - \pi_k)(S_{jj} - 2 (S\pi)_j)`.
    """
    inner = np.einsum("ikk->ik", S) - 2.0 * np.einsum("ikl,il->ik", S, pi)
    terms = c[:, None] * pi * inner + shrink * (1.0 - 2.0 * pi)
    return -0.5 * (terms - pi * terms.sum(axis=1, keepdims=True))


def latent_covariance(E: np.ndarray, L: np.ndarray, k: np.ndarray, prior: np.ndarray) -> np.ndarray:
    """(q, K, K) the covariance of the scores of rows with kernel values k (n, q) and prior variances (q,)."""
    from scipy.linalg import solve_triangular

    parts = E @ k  # (K, n, q)
    alone = prior - np.einsum("nq,knq->kq", k, parts)
    K, n, q = parts.shape
    U = solve_triangular(L, parts.transpose(1, 0, 2).reshape(n, K * q), lower=True, check_finite=False)
    U = U.reshape(n, K, q).transpose(2, 1, 0)
    covariance = U @ U.transpose(0, 2, 1)
    covariance[:, np.arange(K), np.arange(K)] += np.maximum(alone, 0.0).T
    return covariance


def softmax_leave_one_out(
    mode: SoftmaxMode, C: np.ndarray, weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""(n, K) means and (n, K, K) covariances of the scores of each training row given the others alone.

    .. math:: V_i = (I - S_i W_i)^{-1} S_i, \quad m_i = f_i - V_i a_i \quad (5)
    """
    n, K = mode.pi.shape
    c, pi = np.ones(n) if weight is None else weight, mode.pi
    S = latent_covariance(mode.E, mode.L, C, np.diagonal(C).copy())
    W = c[:, None, None] * (pi[:, :, None] * np.eye(K) - pi[:, :, None] * pi[:, None, :])
    V = np.linalg.solve(np.eye(K) - S @ W, S)
    V = (V + V.transpose(0, 2, 1)) / 2
    return mode.f - np.einsum("ikl,il->ik", V, mode.a), V
