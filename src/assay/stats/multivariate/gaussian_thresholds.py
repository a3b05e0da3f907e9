"""Where two Gaussians of one variable are equally probable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.odds import log_prior_ratio
from assay.stats.distributions.gaussian import Gaussian

MAX_DISTANCE = 1e150  # standard deviations of the first class


@dataclass(frozen=True)
class GaussianThresholds:
    """Result of `gaussian_thresholds`.

    points : (0, 1 or 2,) increasing; where the posteriors are equal
    a, b, c : the log odds are a x² + b x + c
    regions : (low, high, class 0 or 1) from left to right, covering the line
    """

    points: NDArray[np.float64]
    a: float
    b: float
    c: float
    regions: tuple[tuple[float, float, int], ...]

    def decide(self, x: ArrayLike) -> NDArray[np.int64]:
        """Class number at every x; the first class where both are equally probable."""
        x = np.asarray(x, dtype=float)
        lows = np.array([low for low, _, _ in self.regions])
        owner = np.array([k for _, _, k in self.regions])
        at_or_after = owner[np.searchsorted(lows, x, side="right") - 1]
        return np.where(np.isin(x, self.points), 0, at_or_after)


def gaussian_thresholds(
    first: Gaussian, second: Gaussian, priors: ArrayLike = (0.5, 0.5)
) -> GaussianThresholds:
    r"""Decision thresholds of two normal classes: the roots of their log odds.

    .. math:: ax^2+bx+c = 0, \quad
              a = \frac1{2\sigma_2^2} - \frac1{2\sigma_1^2}, \quad
              b = \frac{\mu_1}{\sigma_1^2} - \frac{\mu_2}{\sigma_2^2}, \quad
              c = \frac{\mu_2^2}{2\sigma_2^2} - \frac{\mu_1^2}{2\sigma_1^2}
                  + \log\frac{\sigma_2}{\sigma_1} + \log\frac{P(C_1)}{P(C_2)}                  \quad (1)

    The first class is chosen where the value is positive. Equal variances
    leave one threshold, nearer to the mean of the less likely class; unequal
    ones leave two, with the narrower class between them, or none, when one
    class is the better choice everywhere. A threshold more than 1e150 standard
    deviations away is left out: its square would be beyond the floats.

    Examples
    --------
    >>> t = gaussian_thresholds(Gaussian(-2, 1), Gaussian(2, 4))
    >>> t.points.round(7)
    array([-6.3265763, -0.3400903])
    >>> t.decide([-10, -2, 3])
    array([1, 0, 1])

    See Also
    --------
    gaussian_log_odds, log_linear_ratio

    References
    ----------
    - Duda, R. O., Hart, P. E. and Stork, D. G. (2001). Pattern Classification, second edition. Wiley.
    """
    who = "gaussian_thresholds"
    if not (first.var > 0 and second.var > 0):
        raise DegenerateError(
            f"both variances must be above 0, got {first.var:g} and {second.var:g}. "
            "Fit with floor > 0 where a class has one value only.",
            who=who,
        )
    prior = log_prior_ratio(priors, who)
    # in units of the first class the formula is simple and nothing cancels: x = m_1 + s_1 t
    s1 = np.sqrt(first.var)
    with np.errstate(all="ignore"):
        gap, ratio = (second.mean - first.mean) / s1, np.float64(second.var) / first.var
        A = 0.5 * (first.var - second.var) / second.var
        B = -gap / ratio
        C = gap**2 / (2 * ratio) + 0.5 * np.log(ratio) + prior
    if not np.isfinite([A, B, C]).all():
        raise DegenerateError(f"{first} and {second} are too far apart for floating-point numbers.", who=who)
    near = [t for t in _roots(A, B, C) if abs(t) < MAX_DISTANCE]
    points = np.unique([first.mean + s1 * t for t in near])
    a = A / first.var
    b = (B - 2 * A * first.mean / s1) / s1
    c = C - B * first.mean / s1 + A * first.mean**2 / first.var

    def owner(low: float, high: float) -> int:
        """Class of an open interval, asked at a point inside it."""
        t_low, t_high = (low - first.mean) / s1, (high - first.mean) / s1
        reach = 1 + abs(t_low if np.isfinite(t_low) else t_high if np.isfinite(t_high) else 0)
        lo = t_low if np.isfinite(t_low) else (t_high if np.isfinite(t_high) else 0) - reach
        hi = t_high if np.isfinite(t_high) else (t_low if np.isfinite(t_low) else 0) + reach
        t = (lo + hi) / 2
        with np.errstate(over="ignore"):
            return 0 if (A * t + B) * t + C >= 0 else 1

    edges = [-np.inf, *map(float, points), np.inf]
    regions = tuple((low, high, owner(low, high)) for low, high in pairwise(edges))
    return GaussianThresholds(points, float(a), float(b), float(c), regions)


class LogLinear(NamedTuple):
    """The ratio p(x|C_1)/p(x|C_2) is exp(w1 x + w0)."""

    w1: float
    w0: float


def log_linear_ratio(mean1: float, mean2: float, var: float) -> LogLinear:
    r"""Likelihood ratio of two Gaussians with the same variance, as the exponential of a line.

    .. math:: \frac{p(x|C_1)}{p(x|C_2)} = e^{w_1x+w_0}, \qquad
              w_1 = \frac{\mu_1-\mu_2}{\sigma^2}, \quad w_0 = \frac{\mu_2^2-\mu_1^2}{2\sigma^2}

    This is why equal variances lead to logistic regression.

    >>> w1, w0 = log_linear_ratio(1, 3, 2)
    >>> round(float(np.exp(w1 * 2.5 + w0)), 7)
    0.6065307
    """
    if not var > 0:
        raise ParameterError(f"log_linear_ratio: var must be above 0, got {var}.")
    return LogLinear((mean1 - mean2) / var, (mean2 - mean1) * (mean2 + mean1) / (2 * var))


def _roots(a: float, b: float, c: float) -> list[float]:
    """Real roots of a t² + b t + c, without cancellation; infinite ones are left out."""
    if a == 0:
        with np.errstate(over="ignore"):
            roots = [] if b == 0 else [float(-np.float64(c) / b)]
        return [t for t in roots if np.isfinite(t)]
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return []
    q = -0.5 * (b + np.copysign(np.sqrt(discriminant), b))
    if q == 0:  # b = c = 0: both roots at 0
        return [0.0]
    with np.errstate(over="ignore"):
        roots = [float(np.float64(q) / a), float(np.float64(c) / q)]
    return [t for t in roots if np.isfinite(t)]
