"""Laplace approximation: a Gaussian at the mode of any density, and the integral of that density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from assay.errors import DegenerateError, ParameterError
from assay.stats.checks import as_points, tail_of
from assay.stats.distributions.gaussian import LOG_2PI, Gaussian
from assay.stats.distributions.multivariate_gaussian import MultivariateGaussian
from assay.types import RandomState

__all__ = ["LaplaceApproximation", "laplace_approximation"]

Floats = NDArray[np.float64]
Function = Callable[[Any], Any]
STEPS = (0.08, 0.04, 0.02)  # of differences, in standard deviations; extrapolated to an error of sixth order
MAX_ITERATIONS = 200
MAX_HALVINGS = 60
LONGEST_STEP = 10.0  # times the size of the point
FARTHEST = 1e12  # times the size of the start: a density that still rises there has no maximum
SETTLED = 1e-10  # the gain of one more Newton step, in units of the log density
AT_MODE = 1e-4  # distance from the mode, in standard deviations, at which the search may end for rounding


@dataclass(frozen=True)
class LaplaceApproximation:
    """Result of `laplace_approximation`: a Gaussian belief.

    Attributes
    ----------
    mode : (d,), or a number if the search started from one
    precision : (d, d) minus the second derivatives of the log density at the mode, or a number
    log_density_at_mode : float, not normalised
    evaluations : of the log density
    """

    mode: Any
    precision: Any
    log_density_at_mode: float
    evaluations: int

    @property
    def covariance(self) -> Any:
        """(d, d) the inverse of the precision, or a number."""
        return 1 / self.precision if np.ndim(self.mode) == 0 else np.linalg.inv(self.precision)

    @property
    def log_normaliser(self) -> float:
        """Log of the approximate integral of the density: the log evidence, if it is prior times likelihood."""
        A = np.atleast_2d(self.precision)
        log_det = float(np.linalg.slogdet(A)[1])
        return self.log_density_at_mode + 0.5 * (len(A) * LOG_2PI - log_det)

    @property
    def density(self) -> Gaussian | MultivariateGaussian:
        """The Gaussian itself."""
        if np.ndim(self.mode) == 0:
            return Gaussian(self.mode, self.covariance)
        return MultivariateGaussian(self.mode, self.covariance)

    @property
    def mean(self) -> Any:
        return self.mode

    @property
    def map(self) -> Any:
        return self.mode

    @property
    def var(self) -> Any:
        """(d,) variances, or a number."""
        return self.covariance if np.ndim(self.mode) == 0 else np.diag(self.covariance).copy()

    def interval(self, level: float = 0.95) -> tuple[Any, Any]:
        """Central credible intervals of each parameter, which are also the shortest."""
        half = -float(ndtri(tail_of(level, "LaplaceApproximation"))) * np.sqrt(self.var)
        return self.mode - half, self.mode + half

    hpd = interval

    def logpdf(self, theta: ArrayLike) -> Floats:
        """Log density of the Gaussian."""
        return self.density.logpdf(theta)

    def sample(self, n: int, random_state: RandomState = None) -> Floats:
        """(n,) or (n, d) draws from the Gaussian."""
        return self.density.sample(n, random_state)


def laplace_approximation(
    log_density: Function, start: ArrayLike, gradient: Function | None = None, hessian: Function | None = None
) -> LaplaceApproximation:
    r"""Approximate a density by the Gaussian at its mode, and its integral with it.

    With the mode :math:`\theta_0` and :math:`A = -\nabla\nabla\log f(\theta_0)`,

    .. math:: f(\theta) \approx f(\theta_0)\,e^{-\frac12(\theta-\theta_0)^TA(\theta-\theta_0)}, \qquad
              \int f \approx f(\theta_0)\,(2\pi)^{d/2}|A|^{-1/2}                                    \quad (1)

    The mode is found by Newton's steps with halving; where the density is not concave they follow the slope. Second
    derivatives that are not given are differences of the gradient, or of the log density, extrapolated from three step
    widths in units of its own standard deviations. Cost without derivatives: O(d²) evaluations a step.

    Good where the density is nearly Gaussian: many data, one mode away from any edge. Parameters that must be positive
    are better given as logarithms (and the density multiplied by the derivative).

    Parameters
    ----------
    log_density : function of a vector (d,), or of a number if ``start`` is one
        log f up to a constant; minus infinity (or NaN) where there is no density.
    start : (d,) or a number
        Where f is above 0.
    gradient, hessian : functions of the same argument, default None
        First, (d,), and second derivatives, (d, d), of the log density.

    Examples
    --------
    The integral of x^5 e^-x is 5! = 120; by Laplace it is Stirling's formula:

    >>> from assay.stats import laplace_approximation
    >>> result = laplace_approximation(lambda x: 5 * np.log(x) - x if x > 0 else -np.inf, start=1.0)
    >>> round(result.mode, 6), round(float(np.exp(result.log_normaliser)), 4)
    (5.0, 118.0192)

    See Also
    --------
    mean_field, GridPosterior, MultivariateGaussian

    References
    ----------
    - Tierney, L. and Kadane, J. B. (1986). Accurate approximations for posterior moments and marginal densities.
      Journal of the American Statistical Association 81(393), 82-86. doi:10.1080/01621459.1986.10478240
    """
    who = "laplace_approximation"
    for name, function in (("log_density", log_density), ("gradient", gradient), ("hessian", hessian)):
        if function is not None and not callable(function):
            raise ParameterError(f"{name} must be a function", who=who, got=function)
    first = as_points(start, who)
    if first.ndim > 1 or not first.size:
        raise ParameterError(f"start must be a number or a vector, got shape {first.shape}.", who=who)
    problem = _Problem(log_density, gradient, hessian, first.ndim == 0)
    x = np.atleast_1d(first).astype(float)
    value = problem.value(x)
    if value == -np.inf:
        raise ParameterError(f"log_density is minus infinity (or NaN) at the start {_shown(x)}.", who=who)
    scale = 0.1 * (1 + np.abs(x))
    best, settled = value, False
    for _ in range(MAX_ITERATIONS):
        slope, A = problem.derivatives(x, value, scale)
        values, vectors = np.linalg.eigh(A)
        curvature = np.maximum(np.abs(values), 1e-10 * max(np.abs(values).max(), 1e-300))
        with np.errstate(over="ignore", invalid="ignore"):
            step = vectors @ ((vectors.T @ slope) / curvature)
            step = np.nan_to_num(step, nan=0.0, posinf=1e300, neginf=-1e300)
            step *= min(1.0, LONGEST_STEP * (1 + np.abs(x).max()) / max(np.abs(step).max(), 1e-300))
        gain = 0.5 * float(slope @ step)  # of a whole Newton step
        concave = values.min() > 1e-10 * np.abs(values).max()
        if concave:
            scale = 1 / np.sqrt(np.diag(A))
        if gain <= SETTLED and concave:
            if settled:
                return _result(problem, x + step, value, scale)
            settled, x = True, x + step  # once more, with differences in the scale of this place
            value = problem.value(x)
            continue
        moved, best = _line_search(problem, x, value, step, gain)
        if best <= value:  # rounding, or a stationary point that is none of the wanted
            if concave and gain <= AT_MODE**2 / 2 * max(1.0, abs(value) * 1e-8):
                return _result(problem, x, value, scale)
            break
        x, value = moved, best
        if np.abs(x).max() > FARTHEST * (1 + np.abs(first).max()):
            break
    if best > value or np.abs(x).max() > FARTHEST or concave:
        what = f"no maximum was found; the log density still rises at {_shown(x)}."
    else:
        what = (
            f"the point {_shown(x)} is not a maximum: the log density does not fall in all directions "
            f"(smallest curvature {values.min() + 0.0:.3g})."
        )
    raise DegenerateError(
        what, who=who, remedy="Start elsewhere, add a proper prior, or use logarithms of positive parameters."
    )


class _Problem:
    """Values and derivatives of a log density of a vector; counts the evaluations."""

    def __init__(self, log_density: Function, gradient: Any, hessian: Any, scalar: bool):
        self.log_density, self.given_gradient, self.given_hessian = log_density, gradient, hessian
        self.scalar, self.evaluations = scalar, 0

    def _argument(self, x: Floats) -> Any:
        return float(x[0]) if self.scalar else x

    def value(self, x: Floats) -> float:
        self.evaluations += 1
        with np.errstate(all="ignore"):
            v = np.asarray(self.log_density(self._argument(x)), dtype=float)
        if v.size != 1:
            raise ParameterError(
                f"laplace_approximation: log_density must give one number, got shape {v.shape}."
            )
        number = float(v.reshape(()))
        if number == np.inf:
            raise DegenerateError(f"laplace_approximation: the density is infinite at {_shown(x)}.")
        return -np.inf if np.isnan(number) else number

    def gradient(self, x: Floats) -> Floats:
        g = np.atleast_1d(np.asarray(self.given_gradient(self._argument(x)), dtype=float))
        return self._finite(g, x.shape, "gradient", x)

    def derivatives(self, x: Floats, value: float, scale: Floats) -> tuple[Floats, Floats]:
        """The slope, and minus the second derivatives."""
        d = len(x)
        if self.given_hessian is not None:
            H = np.asarray(self.given_hessian(self._argument(x)), dtype=float).reshape(-1)
            if H.size != d * d:
                raise ParameterError(
                    f"laplace_approximation: hessian must give ({d}, {d}) numbers, got {H.size}."
                )
            A = -self._finite(H.reshape(d, d), (d, d), "hessian", x)
            slope = self.gradient(x) if self.given_gradient is not None else self._slope(x, value, scale)
            return slope, (A + A.T) / 2
        for shrink in (1.0, 0.1, 1e-2, 1e-3, 1e-4):  # near an edge of the density shorter steps are needed
            if self.given_gradient is not None:
                slope = self.gradient(x)
                A = _extrapolated(lambda h: self._hessian_of_gradient(x, h), shrink * scale)
            else:
                slope = self._slope(x, value, shrink * scale)
                A = _extrapolated(lambda h: self._hessian_of_values(x, value, h), shrink * scale)
            if np.isfinite(A).all() and np.isfinite(slope).all():
                return slope, -(A + A.T) / 2
        raise DegenerateError(
            f"laplace_approximation: the density is 0 right beside {_shown(x)}, so it has no derivatives there."
        )

    def _slope(self, x: Floats, value: float, scale: Floats) -> Floats:
        def differences(h: Floats) -> Floats:
            return np.array(
                [(self.value(x + e) - self.value(x - e)) / (2 * e[j]) for j, e in enumerate(np.diag(h))]
            )

        with np.errstate(invalid="ignore"):
            return _extrapolated(differences, scale)

    def _hessian_of_gradient(self, x: Floats, h: Floats) -> Floats:
        return np.array(
            [(self.gradient(x + e) - self.gradient(x - e)) / (2 * e[j]) for j, e in enumerate(np.diag(h))]
        )

    def _hessian_of_values(self, x: Floats, value: float, h: Floats) -> Floats:
        d, E = len(x), np.diag(h)
        H = np.empty((d, d))
        with np.errstate(invalid="ignore"):
            for i in range(d):
                H[i, i] = (self.value(x + E[i]) - 2 * value + self.value(x - E[i])) / h[i] ** 2
                for j in range(i):
                    plus = self.value(x + E[i] + E[j]) + self.value(x - E[i] - E[j])
                    minus = self.value(x + E[i] - E[j]) + self.value(x - E[i] + E[j])
                    H[i, j] = H[j, i] = (plus - minus) / (4 * h[i] * h[j])
        return H

    def _finite(self, values: Floats, shape: tuple[int, ...], name: str, x: Floats) -> Floats:
        if values.shape != shape or not np.isfinite(values).all():
            raise ParameterError(
                f"laplace_approximation: {name} must give finite numbers of shape {shape} at {_shown(x)}, got "
                f"{_shown(values)}."
            )
        return values


def _extrapolated(differences: Callable[[Floats], Floats], scale: Floats) -> Floats:
    """Central differences at three step widths, extrapolated to 0 (Richardson)."""
    coarse, middle, fine = (differences(step * scale) for step in STEPS)
    with np.errstate(invalid="ignore"):
        first, second = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
        return (16 * second - first) / 15


def _line_search(
    problem: _Problem, x: Floats, value: float, step: Floats, gain: float
) -> tuple[Floats, float]:
    """The longest of the halved steps that raises the log density enough."""
    length = 1.0
    for _ in range(MAX_HALVINGS):
        best = problem.value(x + length * step)
        if best > value + 1e-4 * length * gain:
            return x + length * step, best
        length /= 2
    return x, value


def _result(problem: _Problem, x: Floats, value: float, scale: Floats) -> LaplaceApproximation:
    """The approximation at x, with the curvature right there."""
    top = max(problem.value(x), value)
    _, A = problem.derivatives(x, problem.value(x), scale)
    mode, precision = (float(x[0]), float(A[0, 0])) if problem.scalar else (x, A)
    return LaplaceApproximation(mode, precision, top, problem.evaluations)


def _shown(x: Floats) -> str:
    return np.array2string(np.asarray(x), precision=4, threshold=6).replace("\n", "")
