r"""Laplace's approximation of the posterior of a linear predictor: the mode by Newton's steps, and the curvature there.

With the log likelihood :math:`\ell(\theta)` of weights :math:`\theta` (the constant first, for each of F scores) and
the prior :math:`N(m_0, P^{-1})`, the mode :math:`\hat\theta` of the posterior and
:math:`A = P - \nabla\nabla\ell(\hat\theta)` give

.. math:: q(\theta) = N(\hat\theta, A^{-1}), \qquad
          \log p(y) \approx \ell(\hat\theta) - \tfrac12(\hat\theta-m_0)^TP(\hat\theta-m_0)
                            + \tfrac12\log\frac{|P|}{|A|}                                              \quad (1)

Weights with a flat prior have density 1 in (1), and add :math:`\frac12\log 2\pi` each. Steps are made in the
coordinates of an objective, in which columns have mean 0 and spread 1; each is a sum over rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular

from assay.errors import DegenerateError, ParameterError
from assay.linear.logistic.logistic_objective import Scale
from assay.optimize.lbfgs import lbfgs
from assay.optimize.newton import newton, newton_step
from assay.optimize.objective import Optimum, Record
from assay.stats.bayesian.linear_posterior import LinearPosterior, root_of

__all__ = ["GaussianPrior", "Laplace", "Shortcut", "best_precision", "laplace", "unfinished"]

Floats = np.ndarray
LOG_2PI = float(np.log(2 * np.pi))
LARGEST_STEP = float(np.log(10.0))  # of the logarithm of a precision, while its maximum is not enclosed
MOST_STEPS = 12
FEW_TOLERANCE = 1e-4  # gradient a row at which the fit to some of the rows ends
GRADIENT_STEPS = 25  # with the curvature of some rows, before all are asked for theirs
LIFT = 1e-12  # of the diagonal, where rounding leaves the curvature without a factor


@dataclass(frozen=True)
class GaussianPrior:
    """The prior of the weights of one score, the constant first: (p,) mean and (p, p) precision, 0 where it is flat."""

    mean: Floats
    precision: Floats

    @classmethod
    def of(cls, d: int, alpha: float, m_0: Any, S_0: Any, constant: str, who: str) -> GaussianPrior:
        """From the parameters of a learner; ``constant`` is "none", "free" or "penalised"."""
        D = d + (constant == "penalised")
        mean = np.asarray(m_0, dtype=np.float64)
        if mean.shape not in ((), (D,)):
            raise ParameterError(f"{who}: m_0 must be a number or {D} numbers, got shape {mean.shape}.")
        free = int(constant == "free")
        m, P = np.zeros(D + free), np.zeros((D + free, D + free))
        m[free:] = mean
        if S_0 is None:
            P[free:, free:] = alpha * np.eye(D)
        else:
            spread = solve_triangular(root_of(S_0, D, f"{who}: S_0"), np.eye(D))
            P[free:, free:] = alpha * (spread @ spread.T)
        return cls(m, P)

    def scaled(self, factor: float) -> GaussianPrior:
        """The same with a precision so many times as high."""
        return GaussianPrior(self.mean, factor * self.precision)


@dataclass(frozen=True)
class Laplace:
    """(1): the posterior of the weights, score after score, its log evidence without that of the likelihood.

    Attributes
    ----------
    posterior : LinearPosterior of (F p,) weights, with noise 1
    value : float, minus the log likelihood, and the prior's square      volume : float, what (1) adds to -value
    inner : the mode in the objective's coordinates      history : list of Record      converged : bool
    """

    posterior: LinearPosterior
    value: float
    volume: float
    inner: Floats
    history: list[Record]
    converged: bool

    @property
    def log_evidence(self) -> float:
        return self.volume - self.value


@dataclass(frozen=True)
class Shortcut:
    """What spares passes over many rows with curvatures.

    Attributes
    ----------
    few : minus the log likelihood, its gradient and its curvature, as some of the rows estimate those of all
    gradient : minus the log likelihood of all rows, but for a constant, and its gradient alone
    """

    few: Callable[[Floats], tuple[float, Floats, Floats]]
    gradient: Callable[[Floats], tuple[float, Floats]]


class _Posterior:
    """The negative log posterior in the coordinates of an objective, for ``newton``."""

    def __init__(
        self,
        likelihood: Callable[[Floats], tuple[float, Floats, Floats]],
        P: Floats,
        m: Floats,
        gradient: Callable[[Floats], tuple[float, Floats]] | None = None,
    ):
        self.likelihood, self.P, self.m, self.gradient = likelihood, P, m, gradient

    def curvature(self, v: Floats, /) -> tuple[float, Floats, Floats]:
        value, g, H = self.likelihood(v)
        pull = self.P @ (v - self.m)
        return value + 0.5 * float((v - self.m) @ pull), g + pull, H + self.P

    def value_gradient(self, v: Floats, /) -> tuple[float, Floats]:
        if self.gradient is None:
            return self.curvature(v)[:2]
        value, g = self.gradient(v)
        pull = self.P @ (v - self.m)
        return value + 0.5 * float((v - self.m) @ pull), g + pull


def laplace(
    likelihood: Callable[[Floats], tuple[float, Floats, Floats]],
    scale: Scale,
    prior: GaussianPrior,
    start: Floats | None,
    *,
    scores: int = 1,
    constant: bool = True,
    tol: float = 1e-8,
    max_iter: int = 100,
    curvature: Callable[[Floats], Floats] | None = None,
    shortcut: Shortcut | None = None,
) -> Laplace:
    """The approximation (1).

    Parameters
    ----------
    likelihood : minus the log likelihood, its gradient and its curvature, at weights in the coordinates of ``scale``
        (row by row: for each column the weights of all scores, the constant last)
    prior : of the weights of each score      start : where to begin; None is the prior's mean
    curvature : the curvature at the mode, if steps were made with another one
    shortcut : with it the mode of some rows comes first, then steps with their curvature and the gradients of all
    """
    T, p = _outwards(scale, constant), len(prior.mean)
    P, m = (
        np.kron(T.T @ prior.precision @ T, np.eye(scores)),
        np.kron(np.linalg.solve(T, prior.mean), np.ones(scores)),
    )
    loose = scores > 1 and constant and not prior.precision[0, 0] > 0
    if loose:  # adding a number to all constants changes nothing: their sum is held at 0
        P += np.kron(np.outer(T[0], T[0]), np.full((scores, scores), 1 / scores))
    objective = _Posterior(likelihood, P, m, None if shortcut is None else shortcut.gradient)
    begin, least = m if start is None else start, tol * max(scale.total, 1.0)
    optimum = None
    if shortcut is not None:
        optimum = _from_few(objective, _Posterior(shortcut.few, P, m), begin, least, scale.total)
        begin = optimum.w
    if optimum is None or not optimum.converged:
        optimum = newton(objective, begin, tol=least, max_iter=max_iter)
    v, value, H = optimum.w, optimum.value, optimum.curvature
    g = optimum.gradient
    if H is None:  # after steps with gradients alone
        value, g, H = objective.curvature(v)
    if optimum.converged:  # one more step costs no look at the rows
        v = v + newton_step(H, g)
    if curvature is not None:
        H = curvature(v) + P
    R = _factor(H, lambda: objective.curvature(v)[2])
    order = np.arange(p * scores).reshape(p, scores).T.ravel()  # from column by column to score by score
    outside = np.kron(T, np.eye(scores))
    mean = (outside @ v)[order]
    root = np.linalg.qr(np.linalg.solve(outside[order].T, R.T).T, mode="r")
    signs = np.where(np.diag(root) < 0, -1.0, 1.0)
    proper = np.diag(prior.precision) > 0
    log_prior = (
        scores * float(np.linalg.slogdet(prior.precision[np.ix_(proper, proper)])[1]) if proper.any() else 0.0
    )
    flat = scores * int((~proper).sum()) - int(loose)
    log_root = float(np.log(np.abs(np.diag(root))).sum())
    volume = 0.5 * log_prior - log_root + 0.5 * flat * LOG_2PI
    posterior = LinearPosterior(mean, signs[:, None] * root, 1.0)
    return Laplace(posterior, value, volume, v, optimum.history, optimum.converged)


def _from_few(objective: _Posterior, few: _Posterior, begin: Floats, least: float, rows: float) -> Optimum:
    """Steps with the gradients of all rows and the curvature of some of them, from the mode of these."""
    first = newton(few, begin, tol=max(least, FEW_TOLERANCE * rows), max_iter=100)
    assert first.curvature is not None
    try:
        metric = cho_factor(first.curvature)
    except np.linalg.LinAlgError:
        return replace(first, converged=False)
    return lbfgs(
        objective,
        first.w,
        metric=lambda g: cho_solve(metric, g),
        scaled=False,
        tol=least,
        max_iter=GRADIENT_STEPS,
    )


def unfinished(fits: Iterable[Laplace]) -> Record | None:
    """The last step of the fit that ended farthest from its mode; None if all of them reached it."""
    ends = [fit.history[-1] for fit in fits if not fit.converged]
    return max(ends, key=lambda record: record.gradient, default=None)


def best_precision(fit: Callable[[float], float]) -> float:
    """The precision with the highest evidence: steps of ten until it is enclosed, then parabolas.

    Parameters
    ----------
    fit : the log evidence of a precision
    """
    from scipy.optimize import minimize_scalar

    known: dict[float, float] = {}

    def value(u: float) -> float:
        if u not in known:
            known[u] = fit(float(np.exp(u)))
        return known[u]

    middle = 0.0
    for _ in range(MOST_STEPS):
        near = [middle - LARGEST_STEP, middle, middle + LARGEST_STEP]
        best = max(near, key=value)
        if best == middle:
            break
        middle = best
    else:
        return float(np.exp(middle))  # the evidence rises to the end of what is looked at: weights of no use
    bounds = (middle - LARGEST_STEP, middle + LARGEST_STEP)
    optimum = minimize_scalar(
        lambda u: -value(float(u)), bounds=bounds, method="bounded", options={"xatol": 1e-4}
    )
    return float(np.exp(optimum.x))


def _outwards(scale: Scale, constant: bool) -> Floats:
    """(p, p) T: the constant and the weights of the columns as they are, from those in inner coordinates, b last."""
    d = len(scale.mean)
    T = np.zeros((d + constant, d + constant))
    T[np.arange(d) + constant, np.arange(d)] = 1 / scale.spread
    if constant:
        T[0, :d], T[0, d] = -scale.mean / scale.spread, 1.0
    return T


def _factor(H: Floats, expected: Callable[[], Floats]) -> Floats:
    """The upper factor of the curvature; of the expected one where the observed one is not positive."""
    for A in (H, None):
        A = expected() if A is None else A
        for lift in (0.0, LIFT):
            try:
                return np.linalg.cholesky(A + lift * np.diag(np.diag(A))).T
            except np.linalg.LinAlgError:
                continue
    raise DegenerateError(
        "the rows and the prior do not determine the weights: the posterior has no curvature in some direction. Give "
        "the prior a precision above 0."
    )
