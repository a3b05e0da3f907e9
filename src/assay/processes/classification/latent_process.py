"""A Gaussian process behind classes: its kernel is chosen by the evidence, its posterior approximated at the mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from assay.core.stored import CodeArray, FloatArray, Object
from assay.kernels import Kernel
from assay.processes.classification.laplace import Mode, derivative_weights, find_mode, leave_one_out
from assay.processes.classification.softmax_laplace import (
    SoftmaxMode,
    find_softmax_mode,
    latent_covariance,
    softmax_derivative_weights,
    softmax_leave_one_out,
)
from assay.processes.input_gradient import diagonal_slope, values_and_slopes
from assay.processes.selection import Choice, KernelPrior, Objective, choose_theta
from assay.tables.rows import row_count, take_rows

__all__ = ["Evidence", "LatentProcess", "Search", "fit_process"]

LEAST_ROWS_OF_A_SUBSET = (50, 100)  # on which parameters are chosen first, of few parameters and of many
ROWS_A_PARAMETER = 25  # of such a subset, between these
TOLERANCE = 1e-5  # fall of minus the log evidence that does not matter
LATENT_VARIANCE = 4.0  # of log odds, as a default prior expects it
PAIRS_A_BLOCK = 1 << 20  # kernel values held while variances are computed


class Evidence:
    """Minus the log evidence of a kernel's parameters for some rows and their classes, with its derivatives.

    The mode of the last call is the start of the next, whose kernel is similar.

    Parameters
    ----------
    kernel : Kernel
    X : n rows
    t : (n,) 0 or 1, or (n, K) indicators of several classes
    weight : (n,) what each row counts, or None
    max_iter : Newton steps at the most
    start : a mode's ``a`` to begin with, or None
    """

    def __init__(
        self,
        kernel: Kernel,
        X: Any,
        t: np.ndarray,
        weight: np.ndarray | None,
        max_iter: int,
        start: np.ndarray | None = None,
    ):
        self.kernel, self.X, self.t, self.weight = kernel, X, t, weight
        self.max_iter, self.start = max_iter, start
        self.last: _Point | None = None

    def mode(self, theta: np.ndarray) -> tuple[Kernel, Mode | SoftmaxMode]:
        """The kernel of these parameters, and the mode."""
        point = self._at(theta)
        return point.kernel, point.mode

    def _at(self, theta: np.ndarray) -> _Point:
        last = self.last
        if last is not None and np.array_equal(last.theta, theta):
            return last
        kernel = self.kernel.with_theta(theta)
        K, sums = kernel.gram_and_sums(self.X)
        mode: Mode | SoftmaxMode
        if self.t.ndim == 1:
            near = last.mode if last is not None and isinstance(last.mode, Mode) else None
            mode = find_mode(K, self.t, self.weight, self.start, self.max_iter, near)
        else:
            mode = find_softmax_mode(K, self.t, self.weight, self.start, self.max_iter)
        self.start, self.last = mode.a, _Point(np.array(theta), kernel, mode, K, sums)
        return self.last

    def __call__(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        point = self._at(theta)
        M = (
            derivative_weights(point.mode, point.K)
            if isinstance(point.mode, Mode)
            else softmax_derivative_weights(point.mode, point.K, self.weight)
        )
        return -point.mode.log_evidence, -point.sums(M)

    def of(self, rows: np.ndarray) -> Evidence:
        """That of some of the rows."""
        weight = None if self.weight is None else self.weight[rows]
        return Evidence(self.kernel, take_rows(self.X, rows), self.t[rows], weight, self.max_iter)


class _Point(NamedTuple):
    """Parameters at which the evidence was asked for, their kernel matrix K, and what gives sums of its derivatives."""

    theta: np.ndarray
    kernel: Kernel
    mode: Mode | SoftmaxMode
    K: np.ndarray
    sums: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Search:
    """How the parameters of a kernel are chosen; see `choose_theta`."""

    optimizer: Any = "fmin_l_bfgs_b"
    restarts: int = 0
    selection: str = "evidence"
    random_state: Any = None

    def choose(self, evidence: Evidence) -> Choice:
        """The parameters for the rows of this evidence."""
        kernel = evidence.kernel
        if self.optimizer is None or not len(kernel.theta):
            return Choice(kernel.theta, -evidence.mode(kernel.theta)[1].log_evidence, 1, True, "as given")
        return choose_theta(
            evidence,
            kernel,
            prior=KernelPrior.of(kernel, evidence.X, LATENT_VARIANCE),
            penalised=self.selection == "map",
            coarse=_on_fewer_rows(evidence),
            restarts=self.restarts,
            optimizer=self.optimizer,
            random_state=self.random_state,
            tol=TOLERANCE,
        )


def _on_fewer_rows(evidence: Evidence) -> list[tuple[Objective, float]]:
    """The evidence of a sixteenth and a quarter of the rows, if these are enough and have all classes."""
    n, parts = len(evidence.t), list[tuple[Objective, float]]()
    least = np.clip(ROWS_A_PARAMETER * len(evidence.kernel.theta), *LEAST_ROWS_OF_A_SUBSET)
    order = np.random.default_rng(0).permutation(n)
    for size in (n // 16, n // 4):
        rows = np.sort(order[:size])
        t = evidence.t[rows]
        counts = t.sum(axis=0)
        if size >= least and np.min(counts) > 0 and np.max(counts) < size:
            parts.append((evidence.of(rows), size / n))
    return parts


@dataclass(frozen=True, eq=False)
class LatentProcess:
    """A Gaussian process that was fitted to classes, with one score for two of them or one for each of several.

    Attributes
    ----------
    kernel_ : Kernel, with the parameters that were chosen      choice : Choice, how
    rows : (m,) the places of its rows among the training rows
    t : (m,) 0 or 1, or (m, K) indicators of the classes      weight : (m,) what each row counts, or None
    mode : Mode or SoftmaxMode
    """

    kernel_: Kernel
    choice: Choice
    rows: np.ndarray
    t: np.ndarray
    weight: np.ndarray | None
    mode: Any
    stored = {
        "kernel_": Object(Kernel),
        "choice": Object(Choice),
        "rows": CodeArray("m"),
        "t": FloatArray("m", low=0, high=1) | FloatArray("m", "C", low=0, high=1),
        "weight": FloatArray("m", low=0, finite=True) | None,
        "mode": Object(Mode) | Object(SoftmaxMode),
    }

    def _check_stored(self) -> None:
        """Raise a ValueError if the mode is not one of these rows."""
        if self.mode.a.shape != self.t.shape:
            raise ValueError(f"the mode of {self.mode.a.shape} scores is not one of {self.t.shape} classes")

    # what scikit-learn's has

    @property
    def log_marginal_likelihood_value_(self) -> float:
        """The log evidence of the parameters that were chosen."""
        return self.mode.log_evidence

    @property
    def y_train_(self) -> np.ndarray:
        """(m,) 0 or 1, or (m, K) indicators of the classes."""
        return self.t

    @property
    def pi_(self) -> np.ndarray:
        """(m,) or (m, K) the probabilities at the mode."""
        return self.mode.pi

    @property
    def f_cached(self) -> np.ndarray:
        """(m,) or (m, K) the scores at the mode."""
        return self.mode.f

    @property
    def W_sr_(self) -> np.ndarray:
        """(m,) roots of the curvature of the likelihood, of two classes."""
        return self.mode.root

    @property
    def L_(self) -> np.ndarray:
        """(m, m) the lower Cholesky factor that variances need."""
        return np.tril(self.mode.L)

    # answers

    def evidence(self, X: Any, max_iter: int) -> Evidence:
        """The evidence as a function of the kernel's parameters; X are all training rows."""
        return Evidence(self.kernel_, self._rows_of(X), self.t, self.weight, max_iter, self.mode.a)

    def _rows_of(self, X: Any) -> Any:
        return X if len(self.rows) == row_count(X, "LatentProcess") else take_rows(X, self.rows)

    def mean(self, X: Any, Q: Any) -> np.ndarray:
        """(q,) or (q, K) the expected scores of the rows Q; X are all training rows."""
        a = self.mode.a
        sums = self.kernel_.combine(
            Q, self._rows_of(X), np.ascontiguousarray(a if a.ndim == 2 else a[:, None])
        )
        return sums if a.ndim == 2 else sums[:, 0]

    def mean_and_covariance(self, X: Any, Q: Any) -> tuple[np.ndarray, np.ndarray]:
        """The expected scores of the rows Q, and their (q,) variances or (q, K, K) covariances."""
        S, a, q = self._rows_of(X), self.mode.a, row_count(Q, "LatentProcess")
        prior = self.kernel_.diagonal(Q)
        means, spreads = [], []
        size = max(1, PAIRS_A_BLOCK // max(len(a), 1))
        for start in range(0, q, size):
            block = slice(start, start + size)
            k = self.kernel_.between(S, take_rows(Q, np.arange(q)[block]))
            means.append(k.T @ a)
            spreads.append(self._spread(k, prior[block]))
        shape = a.shape[1:]
        return np.concatenate([np.zeros((0, *shape)), *means]), np.concatenate(
            [np.zeros((0, *shape, *shape)), *spreads]
        )

    def _spread(self, k: np.ndarray, prior: np.ndarray) -> np.ndarray:
        """(q,) variances or (q, K, K) covariances for kernel values k (m, q)."""
        if isinstance(self.mode, SoftmaxMode):
            return latent_covariance(self.mode.E, self.mode.L, k, prior)
        from scipy.linalg.blas import dtrsm

        V = dtrsm(1.0, self.mode.L, self.mode.root[:, None] * k, lower=1)
        return np.maximum(prior - np.einsum("ij,ij->j", V, V), 0.0)

    def slopes(self, X: Any, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(d,) or (d, K) the derivatives of the expected scores of the row x (1, d), and of their variances."""
        from scipy.linalg import solve_triangular

        values, slopes = values_and_slopes(self.kernel_, x[0], self._rows_of(X))
        prior = diagonal_slope(self.kernel_, x[0])
        if isinstance(self.mode, SoftmaxMode):
            parts = (
                self.mode.E @ values
            ).T  # (n, K) E_k k, of the variance k(x, x) - k'E_k k + |L^-1 E_k k|^2
            inner = solve_triangular(self.mode.L, parts, lower=True, check_finite=False)
            inner = solve_triangular(self.mode.L, inner, lower=True, trans=1, check_finite=False)
            parts = parts - np.einsum("kij,jk->ik", self.mode.E, inner)
            return slopes.T @ self.mode.a, prior[:, None] - 2.0 * slopes.T @ parts
        half = solve_triangular(self.mode.L, self.mode.root * values, lower=True, check_finite=False)
        solved = solve_triangular(self.mode.L, half, lower=True, trans=1, check_finite=False)
        return slopes.T @ self.mode.a, prior - 2.0 * slopes.T @ (self.mode.root * solved)

    def leave_one_out(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The expected scores of each of its rows given the others alone, and their variances or covariances."""
        K = self.kernel_.gram(self._rows_of(X))
        if isinstance(self.mode, Mode):
            return leave_one_out(self.mode, K)
        return softmax_leave_one_out(self.mode, K, self.weight)


def fit_process(
    kernel: Kernel,
    X: Any,
    rows: np.ndarray,
    t: np.ndarray,
    weight: np.ndarray | None,
    search: Search,
    max_iter: int = 100,
    start: np.ndarray | None = None,
) -> LatentProcess:
    """Choose the kernel's parameters for some of the training rows X and find the mode.

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.classification.latent_process import Search, fit_process
    >>> X = np.array([[-2.0], [-1.0], [1.0], [2.0]])
    >>> t = np.array([0.0, 0.0, 1.0, 1.0])
    >>> process = fit_process(4.0 * RBF(1.0), X, np.arange(4), t, None, Search(optimizer=None))
    >>> mean, variance = process.mean_and_covariance(X, np.array([[0.5], [1.5]]))
    >>> mean.round(6), variance.round(6)
    (array([0.725492, 1.467828]), array([2.582272, 1.987083]))
    """
    some = X if len(rows) == row_count(X, "fit_process") else take_rows(X, rows)
    if start is not None and start.shape != t.shape:
        start = None
    evidence = Evidence(kernel, some, t, weight, max_iter, start)
    choice = search.choose(evidence)
    chosen, mode = evidence.mode(choice.theta)
    return LatentProcess(chosen, choice, rows, t, weight, mode)
