r"""Two classes with a Gaussian process behind them: the mode of its posterior, the evidence and its derivatives.

The classes t (0 or 1) of n rows have the log odds f, a Gaussian process: :math:`f \sim N(0, K)`. With row weights c

.. math:: \Psi(f) = \sum_i c_i \log P(t_i \mid f_i) - \tfrac12 f^T K^{-1} f \quad (1)

is the log posterior up to a constant. Laplace's approximation is the Gaussian about its mode with the curvature there,
:math:`W = \mathrm{diag}(c\,\pi(1-\pi))`. Nothing here inverts K, which may be singular: :math:`f = Ka` with
:math:`a = c(t - \pi)` at the mode, and :math:`B = I + W^{1/2} K W^{1/2}` has eigenvalues of at least 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Boolean, FloatArray, Integer, Scalar
from assay.errors import DegenerateError
from assay.kernels.kernel import mirror

__all__ = ["Mode", "derivative_weights", "factor_of_b", "find_mode", "inverse_of_factor", "leave_one_out"]

CONVERGED = 1e-9  # the largest entry of the gradient of (1), relative to the largest weight, that may be left
WORTH_A_FACTOR = (
    0.25  # if a step with an old factor leaves more than this of the gradient, the next gets a new one
)
FEWEST_ROWS_IN_SINGLE = 128  # from which a factor in float32, of a step that others will correct, is quicker
SMALLEST_STEP = 1e-8
LARGEST_WEIGHT = 1e10  # of rows, times the curvature there, beyond which rounding may hide the identity in B


@dataclass(frozen=True, eq=False)
class Mode:
    r"""The mode of (1) and what belongs to it.

    Attributes
    ----------
    a : (n,) the derivatives of the log-likelihood, :math:`K^{-1} f`      f : (n,) the log odds
    pi : (n,) the probabilities of class 1      root : (n,) :math:`W^{1/2}`
    L : (n, n) lower Cholesky factor of B
    log_evidence : :math:`\Psi(f) - \tfrac12 \log |B|`
    iterations : steps taken      converged : whether the gradient vanished
    """

    a: np.ndarray
    f: np.ndarray
    pi: np.ndarray
    root: np.ndarray
    L: np.ndarray
    log_evidence: float
    iterations: int
    converged: bool
    stored = {
        "a": FloatArray("n", finite=True),
        "f": FloatArray("n", finite=True),
        "pi": FloatArray("n", low=0, high=1),
        "root": FloatArray("n", low=0, finite=True),
        "L": FloatArray("n", "n", finite=True),
        "log_evidence": Scalar(finite=True),
        "iterations": Integer(low=0),
        "converged": Boolean(),
    }


def factor_of_b(K: np.ndarray, root: np.ndarray, dtype: Any = np.float64) -> np.ndarray:
    """(n, n) the lower Cholesky factor of B; what stands above its diagonal is not to be read."""
    from scipy.linalg.lapack import dpotrf, spotrf

    with np.errstate(over="ignore", invalid="ignore"):  # what is no number has no factor
        root = root.astype(dtype)
        B = K.astype(dtype)
        B *= root
        B *= root[:, None]
    B.flat[:: len(B) + 1] += dtype(1.0)
    L, failed = (spotrf if dtype is np.float32 else dpotrf)(B.T, lower=1, overwrite_a=1, clean=0)
    if failed:
        if dtype is np.float64 and float(root.max(initial=0.0)) ** 2 > LARGEST_WEIGHT:
            raise DegenerateError(
                f"GaussianProcessClassifier: sample weights as large as {float(root.max()) ** 2 * 4:.2g} leave no "
                "digits for the prior. Divide them by their mean."
            )
        raise DegenerateError(
            "GaussianProcessClassifier: the kernel matrix of the training rows has negative eigenvalues or values that "
            "are no finite numbers, so it is no covariance. See assay.kernels.check_gram; repair_gram mends a "
            "precomputed matrix, or take another kernel."
        )
    return L


class _Factor:
    """The Cholesky factor of B for some W; that of another kernel, if it is ``borrowed``."""

    def __init__(self, K: np.ndarray, root: np.ndarray, single: bool, borrowed: np.ndarray | None = None):
        self.root, self.single, self.borrowed = root, single and borrowed is None, borrowed is not None
        if borrowed is not None:
            self.L = borrowed
            return
        try:
            self.L = factor_of_b(K, root, np.float32 if single else np.float64)
        except DegenerateError:
            if not single:
                raise
            self.single, self.L = False, factor_of_b(K, root)

    def solve(self, b: np.ndarray) -> np.ndarray:
        """B^-1 b."""
        from scipy.linalg.lapack import dpotrs, spotrs

        if self.single:
            return spotrs(self.L, b.astype(np.float32), lower=1)[0].astype(np.float64)
        return dpotrs(self.L, b, lower=1)[0]

    def step(self, r: np.ndarray, Kr: np.ndarray) -> np.ndarray:
        """(I + W K)^-1 r: the Newton step of a."""
        with np.errstate(over="ignore", invalid="ignore"):  # what is no number is no step
            return r - self.root * self.solve(self.root * Kr)


def find_mode(
    K: np.ndarray,
    t: np.ndarray,
    weight: np.ndarray | None = None,
    start: np.ndarray | None = None,
    max_iter: int = 100,
    near: Mode | None = None,
) -> Mode:
    r"""The mode of (1), by Newton steps :math:`a \leftarrow a + s\,(I + WK)^{-1}(c(t - \pi) - a)`.

    A step changes W little near the mode. So a factor serves as long as steps with it leave less than a quarter of the
    gradient; only the last one is of the W of the mode. A step that does not raise (1) is halved. The first steps are
    made with the factor of a mode ``near`` by, of a similar kernel, if that serves.

    Cost: O(n^3 / 3) for each factor (one to three from a good start, else about six), O(n^2) for each step.

    Parameters
    ----------
    K : (n, n) kernel matrix, exactly symmetric
    t : (n,) 0.0 or 1.0
    weight : (n,) what each row counts, above 0; None counts each once
    start : (n,) a to start from, such as that of a similar kernel; None starts at 0
    max_iter : steps at the most
    near : the mode of the same rows with a similar kernel, whose factor may serve

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.laplace import find_mode
    >>> K = (4.0 * RBF(1.0))([[-2.0], [-1.0], [1.0], [2.0]])
    >>> mode = find_mode(K, np.array([0.0, 0.0, 1.0, 1.0]))
    >>> mode.f.round(6), round(mode.log_evidence, 6)
    (array([-1.350571, -1.256472,  1.256472,  1.350571]), -2.482993)

    References
    ----------
    - Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning, sections 3.4 and 5.5.
      MIT Press.
    """
    from scipy.special import expit

    n = len(t)
    c = np.ones(n) if weight is None else weight
    a, f, value = _best_start(K, t, c, start)
    most, single = float(c.max()), n >= FEWEST_ROWS_IN_SINGLE
    pi = expit(f)
    residual = c * (t - pi) - a
    left = float(np.abs(residual).max())
    factor, steps = None if near is None or not a.any() else _Factor(K, near.root, False, near.L), 0
    while left > CONVERGED * most and steps < max_iter:
        if factor is None:
            factor = _Factor(K, np.sqrt(c * pi * (1 - pi)), single)
        before = left
        step = factor.step(residual, K @ residual)
        size, moved = 1.0, K @ step
        while True:
            a_new, f_new = a + size * step, f + size * moved
            new = _log_posterior(a_new, f_new, t, c)
            if new >= value - 1e-12 * (1 + abs(value)) or size < SMALLEST_STEP or factor.borrowed:
                break
            size /= 2
        if factor.borrowed and not new >= value - 1e-12 * (1 + abs(value)):
            factor = None
            continue
        steps += 1
        if size < SMALLEST_STEP:
            if not factor.single:
                break
            single, factor = False, None  # rounding in float32 may have spoilt the direction
            continue
        a, f, value, pi = a_new, f_new, new, expit(f_new)
        residual = c * (t - pi) - a
        left = float(np.abs(residual).max())
        if left > WORTH_A_FACTOR * before:
            factor = None
    root = np.sqrt(c * pi * (1 - pi))
    L = factor_of_b(K, root)
    log_evidence = value - float(np.log(np.diagonal(L)).sum())
    return Mode(a, f, pi, root, L, log_evidence, steps, left <= CONVERGED * most)


def _best_start(
    K: np.ndarray, t: np.ndarray, c: np.ndarray, start: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, float]:
    """a, f and (1), at the better of the start and 0."""
    nothing = np.zeros(len(t))
    value = _log_posterior(nothing, nothing, t, c)
    if start is not None:
        f = K @ start
        at_start = _log_posterior(start, f, t, c)
        if at_start > value:
            return start, f, at_start
    return nothing, nothing, value


def _log_posterior(a: np.ndarray, f: np.ndarray, t: np.ndarray, c: np.ndarray) -> float:
    """(1); what is no number is no better than any other."""
    with np.errstate(over="ignore", invalid="ignore"):
        return float(-(c @ np.logaddexp(0.0, (1 - 2 * t) * f)) - 0.5 * (a @ f))


def derivative_weights(mode: Mode, K: np.ndarray) -> np.ndarray:
    r"""(n, n) M with which the log evidence has the derivatives :math:`\sum_{ij} M_{ij}\, \partial K_{ij}`.

    The evidence depends on K directly and through the mode. With :math:`R = W^{1/2} B^{-1} W^{1/2}` and
    :math:`s_i = -\tfrac12 (1 - B^{-1}_{ii})(1 - 2\pi_i)`, the derivative of :math:`-\tfrac12\log|B|` by :math:`f_i`,

    .. math:: M = \tfrac12 (u a^T + a u^T - R), \quad u = s - R K s + \tfrac12 a \quad (2)

    so that one symmetric matrix serves all parameters (:meth:`~assay.kernels.Kernel.parameter_sums`). Cost:
    O(2 n^3 / 3).

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.laplace import derivative_weights, find_mode
    >>> X, t = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    >>> kernel = 4.0 * RBF(1.0)
    >>> M = derivative_weights(find_mode(kernel(X), t), kernel(X))
    >>> kernel.parameter_sums(X, M).round(4)  # by the log of the factor and of the length scale
    array([0.0979, 0.256 ])
    """
    from scipy.linalg.blas import dsymv, dsyr2
    from scipy.linalg.lapack import dpotri

    inverse = dpotri(mode.L, lower=1)[0]  # the lower triangle of B^-1
    s = -0.5 * (1.0 - np.diagonal(inverse)) * (1.0 - 2.0 * mode.pi)
    u = s - mode.root * dsymv(1.0, inverse, mode.root * (K @ s), lower=1) + 0.5 * mode.a
    M = inverse.T  # row-major, its upper triangle
    M *= -0.5 * mode.root
    M *= mode.root[:, None]
    dsyr2(0.5, u, mode.a, lower=1, a=inverse, overwrite_a=1)
    mirror(M)
    return M


def leave_one_out(mode: Mode, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    r"""(n,) means and (n,) variances of the log odds of each training row given the others alone.

    Of the Gaussian about the mode, with covariance S, the row's own Gaussian term is taken away again:

    .. math:: v_i = \frac{S_{ii}}{1 - W_{ii} S_{ii}}, \quad m_i = f_i - a_i v_i \quad (3)

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.laplace import find_mode, leave_one_out
    >>> K = RBF(1.0)([[0.0], [50.0]])  # far apart: the other row says nothing
    >>> mean, variance = leave_one_out(find_mode(K, np.array([0.0, 1.0])), K)
    >>> bool(np.abs(mean).max() < 1e-9), variance.round(6)
    (True, array([1., 1.]))

    References
    ----------
    - Vehtari, A., Mononen, T., Tolvanen, V., Sivula, T. and Winther, O. (2016). Bayesian leave-one-out cross-validation
      approximations for Gaussian latent variable models. Journal of Machine Learning Research 17(103), 1-38.
    """
    from scipy.linalg import solve_triangular

    V = solve_triangular(mode.L, mode.root[:, None] * K, lower=True, check_finite=False)
    S = np.maximum(np.diagonal(K) - np.einsum("ij,ij->j", V, V), 0.0)
    apart = np.maximum(1.0 - mode.root**2 * S, np.finfo(float).tiny)
    variance = np.minimum(S / apart, np.diagonal(K))  # never more than is known without any row
    return mode.f - mode.a * variance, variance


def inverse_of_factor(L: np.ndarray) -> np.ndarray:
    """(n, n) B^-1 of the lower factor of B, exactly symmetric."""
    from scipy.linalg.lapack import dpotri

    inverse = dpotri(L, lower=1)[0].T  # upper triangle of a row-major array
    mirror(inverse)
    return inverse
