"""The choice of a kernel's parameters: by evidence, by leave-one-out, or with a prior; it ends in a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import Boolean, FloatArray, Integer, Scalar, Text
from assay.errors import ParameterError
from assay.kernels import Kernel
from assay.processes.box_descent import Descent, box_descent
from assay.types import RandomState, TableLike

__all__ = ["Choice", "KernelPrior", "Objective", "choose_theta"]

Objective = Callable[[np.ndarray], tuple[float, np.ndarray]]

RETRIES = 4  # starts from the prior after one that came to nothing
DIFFERENCE = 1e-3  # of theta, by which second derivatives are found on some of the rows
LEAST_CURVATURE = 1.0  # of the objective in theta: one unit for a factor of e
NEAR_BOUND = 1e-6


@dataclass(frozen=True, eq=False)
class Choice:
    """Parameters of a kernel that were chosen, and how that went.

    Attributes
    ----------
    theta : (p,) the logs of the free parameters
    value : float
        The objective there: the smaller, the better.
    evaluations : int
        Of the objective of all rows.
    converged : bool
    sentence : str
        How it ended, for people: what was found, and which parameters stand at their bounds.
    """

    theta: np.ndarray
    value: float
    evaluations: int
    converged: bool
    sentence: str
    stored = {
        "theta": FloatArray("*", finite=True),
        "value": Scalar(),
        "evaluations": Integer(low=0),
        "converged": Boolean(),
        "sentence": Text(),
    }


@dataclass(frozen=True, eq=False)
class KernelPrior:
    r"""Log-normal priors of a kernel's parameters: their logs theta are normal and independent.

    .. math:: -\ln p(\theta) = \tfrac12 \sum_k \left(\frac{\theta_k - m_k}{s_k}\right)^2 + \ln s_k\sqrt{2\pi} \quad (1)

    Parameters
    ----------
    mean : (p,) m      sd : (p,) s

    Examples
    --------
    The length scale of a column is about its standard deviation times the root of the number of columns, give or take
    a factor of 5:

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.selection import KernelPrior
    >>> prior = KernelPrior.of(RBF([1.0, 1.0]), np.array([[-3.0, -1.0], [3.0, 1.0]]))
    >>> np.exp(prior.mean).round(3), np.exp(prior.sd).round(1)
    (array([4.243, 1.414]), array([5., 5.]))
    """

    mean: np.ndarray
    sd: np.ndarray

    @classmethod
    def of(cls, kernel: Kernel, X: TableLike | None = None, variance: float = 1.0) -> KernelPrior:
        """The default priors by the names of the parameters.

        Parameters
        ----------
        kernel : Kernel
        X : (n, d) training rows; of other rows the length scales that the kernel begins with are taken as typical
        variance : float, default 1
            Of the targets.

        =================  ====================================  ==========
        parameter          median                                factor of
        =================  ====================================  ==========
        length_scale       sd of its column times root of d      5
        noise_level        a hundredth of the targets' variance  10
        constant_value     the targets' variance                 5
        sigma_0            as the kernel has it                  5
        other              as the kernel has it                  e
        =================  ====================================  ==========
        """
        mean, sd = np.array(kernel.theta, dtype=np.float64), np.ones(len(kernel.theta))
        spread = _spread(X)
        variance = max(float(variance), np.finfo(float).tiny)
        at = 0
        for parameter in kernel.parameters:
            if parameter.fixed:
                continue
            k, name = len(parameter.values), parameter.name.rsplit("__", 1)[-1]
            some = slice(at, at + k)
            at += k
            if name == "length_scale":
                sd[some] = np.log(5.0)
                if spread is not None and "columns" not in parameter.name and k in (1, len(spread)):
                    mean[some] = np.log(spread if k > 1 else spread.mean()) + 0.5 * np.log(len(spread))
            elif name == "noise_level":
                mean[some], sd[some] = np.log(0.01 * variance), np.log(10.0)
            elif name == "constant_value":
                mean[some], sd[some] = np.log(variance), np.log(5.0)
            elif name == "sigma_0":
                sd[some] = np.log(5.0)
        return cls(mean, sd)

    def loss(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """(1) and its (p,) derivatives."""
        z = (theta - self.mean) / self.sd
        constant = float(np.log(self.sd).sum()) + 0.5 * len(z) * np.log(2.0 * np.pi)
        return 0.5 * float(z @ z) + constant, z / self.sd

    def sample(
        self, random: np.random.Generator | np.random.RandomState, bounds: np.ndarray, wider: float = 1.0
    ) -> np.ndarray:
        """(p,) a draw, from a prior so many times as wide, moved inside the bounds."""
        draw = self.mean + wider * self.sd * random.normal(size=len(self.mean))
        return np.clip(draw, bounds[:, 0], bounds[:, 1])


def _spread(X: Any) -> np.ndarray | None:
    """(d,) the standard deviations of the columns, 1 where it is 0; None if rows are no numbers."""
    if not isinstance(X, np.ndarray) or X.ndim != 2 or X.dtype.kind not in "fiu" or not X.shape[1]:
        return None
    with np.errstate(all="ignore"):
        sd = np.nanstd(X, axis=0) if len(X) else np.ones(X.shape[1])
    return np.where(np.isfinite(sd) & (sd > 0), sd, 1.0)


def choose_theta(
    objective: Objective,
    kernel: Kernel,
    *,
    prior: KernelPrior | None = None,
    penalised: bool = False,
    coarse: Sequence[tuple[Objective, float]] = (),
    restarts: int = 0,
    optimizer: str | Callable[..., Any] | None = "fmin_l_bfgs_b",
    random_state: RandomState = None,
    tol: float = 1e-6,
) -> Choice:
    """The parameters of a kernel that make an objective smallest, within the kernel's bounds.

    Objectives of some of the rows, which cost little, come first: each begins where the one before it ended, and the
    last one gives the matrix of second derivatives with which the objective of all rows needs few evaluations.

    A start that comes to nothing (an objective that is infinite there, a descent that does not end) is followed by up
    to four draws from the prior. How it ended, and which parameters stand at their bounds, is said in the sentence of
    the choice rather than in a warning.

    Parameters
    ----------
    objective : theta -> (value, gradient)
        Infinite where it has no value.
    kernel : Kernel
        Its theta is the first start, its bounds are those of the search.
    prior : KernelPrior, default None
        Where further starts are drawn from; None takes `KernelPrior.of(kernel)`.
    penalised : bool, default False
        Whether the prior is part of the objective (a maximum of the posterior).
    coarse : list of (objective, share)
        Objectives of a share of the rows, from few rows to more.
    restarts : int, default 0
        Further starts, drawn from the prior; the best end counts.
    optimizer : "fmin_l_bfgs_b" or callable, default "fmin_l_bfgs_b"
        The name stands for `box_descent`. A function gets the objective, a start and ``bounds=``, and returns the best
        theta and its value, as with scikit-learn.
    random_state : int, RandomState or None
    tol : float, default 1e-6
        Fall of the objective that does not matter.

    Returns
    -------
    Choice

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.processes.selection import choose_theta
    >>> def objective(theta):
    ...     return float((theta[0] - 1.0) ** 2), 2.0 * (theta - 1.0)
    >>> choice = choose_theta(objective, RBF())
    >>> choice.theta.round(3), choice.sentence
    (array([1.]), 'converged after 2 evaluations')
    """
    from sklearn.utils import check_random_state

    random = check_random_state(random_state)
    prior = KernelPrior.of(kernel) if prior is None else prior
    search = _Search(kernel, prior, penalised, optimizer, tol)
    whole = search.objective(objective)
    begin, curvature = search.approach(coarse)
    ends = [search.descend(whole, begin, curvature)]
    for _ in range(restarts):
        ends.append(search.descend(whole, prior.sample(random, search.bounds), None))
    for attempt in range(RETRIES):
        if _sound(ends):
            break
        if attempt % 2 == 0:  # each draw is followed by its mirror image, and the next is further away
            draw = prior.sample(random, search.bounds, 1.0 + attempt)
        else:
            draw = np.clip(2.0 * prior.mean - draw, search.bounds[:, 0], search.bounds[:, 1])
        ends.append(search.descend(whole, draw, None))
    best = min(ends, key=lambda end: end.value if np.isfinite(end.value) else np.inf)
    evaluations = sum(end.evaluations for end in ends)
    sentence = search.sentence(best, evaluations, len(ends) - 1)
    return Choice(best.x, float(best.value), evaluations, best.converged, sentence)


def _sound(ends: Sequence[Descent]) -> bool:
    return any(np.isfinite(end.value) and end.converged for end in ends)


class _Search:
    """One search: what stays the same over its starts."""

    def __init__(self, kernel: Kernel, prior: KernelPrior, penalised: bool, optimizer: Any, tol: float):
        self.kernel, self.prior, self.penalised, self.tol = kernel, prior, penalised, tol
        self.optimizer = optimizer
        self.bounds = np.asarray(kernel.bounds, dtype=np.float64)

    def objective(self, function: Objective, share: float = 1.0) -> Objective:
        """The function, with the prior's share of the rows if it counts; what is no number is infinite."""

        def of(theta: np.ndarray) -> tuple[float, np.ndarray]:
            with np.errstate(all="ignore"):  # what is no number is too far
                value, gradient = function(theta)
            if self.penalised and np.isfinite(value):
                loss, slope = self.prior.loss(theta)
                value, gradient = value + share * loss, gradient + share * slope
            if not np.isfinite(value) or not np.isfinite(gradient).all():
                return np.inf, np.zeros(len(theta))
            return float(value), gradient

        return of

    def descend(self, function: Objective, start: np.ndarray, curvature: np.ndarray | None) -> Descent:
        if not callable(self.optimizer):
            return box_descent(function, start, self.bounds, curvature=curvature, tol=self.tol)
        spent = 0

        def counted(theta: Any, eval_gradient: bool = True) -> Any:
            nonlocal spent
            spent += 1
            value, gradient = function(np.asarray(theta, dtype=np.float64))
            return (value, gradient) if eval_gradient else value

        theta, value = self.optimizer(counted, start, bounds=self.bounds)
        theta, nothing = np.asarray(theta, dtype=np.float64), np.zeros(len(start))
        if theta.shape != start.shape:
            raise ParameterError(
                f"optimizer must return {len(start)} parameters and their value, got the shape {theta.shape}."
            )
        if not np.isfinite(theta).all() or not np.isfinite(value):
            return Descent(start, function(start)[0], nothing, spent + 1, False)
        return Descent(theta, float(value), nothing, spent, True)

    def approach(self, coarse: Sequence[tuple[Objective, float]]) -> tuple[np.ndarray, np.ndarray | None]:
        """Where the objectives of some rows end, and the curvature of all rows there."""
        start = begin = np.clip(self.kernel.theta, self.bounds[:, 0], self.bounds[:, 1])
        curvature = None
        for function, share in coarse if not callable(self.optimizer) else ():
            smaller = self.objective(function, share)
            if begin is not start and not smaller(begin)[0] < smaller(start)[0]:
                begin = start
            end = box_descent(smaller, begin, self.bounds, tol=max(self.tol, 1e-3 * share))
            if not np.isfinite(end.value):
                return start, None
            begin, curvature = (
                end.x,
                _curvature(smaller, end, self.bounds) / share if share == coarse[-1][1] else None,
            )
        return begin, curvature

    def sentence(self, end: Descent, evaluations: int, retries: int) -> str:
        """How it ended."""
        if not np.isfinite(end.value):
            return "no parameters were found for which the covariance matrix is positive definite"
        words = f"{'converged' if end.converged else 'stopped'} after {evaluations} evaluations"
        if retries:
            words += f" from {retries + 1} starts"
        held = []
        for name, theta, (low, high) in zip(self.kernel.theta_names, end.x, self.bounds):
            for bound, side in ((low, "lower"), (high, "upper")):
                if high > low and abs(theta - bound) < NEAR_BOUND:
                    held.append(f"{name} at its {side} bound {np.exp(bound):.3g}")
        return f"{words}; {', '.join(held)}" if held else words


def _curvature(function: Objective, end: Descent, bounds: np.ndarray) -> np.ndarray:
    """(p, p) second derivatives at the end of a descent, by differences of gradients, made positive definite."""
    p = len(end.x)
    H = np.empty((p, p))
    for k in range(p):
        to = end.x.copy()
        to[k] += DIFFERENCE if end.x[k] + DIFFERENCE <= bounds[k, 1] else -DIFFERENCE
        H[k] = (function(to)[1] - end.gradient) / (to[k] - end.x[k])
    size, U = np.linalg.eigh(0.5 * (H + H.T))
    return (U * np.maximum(np.abs(size), LEAST_CURVATURE)) @ U.T
