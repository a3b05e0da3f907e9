"""Priors from what an expert says: "between 5 and 9, I am 90 per cent sure"."""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, ndtri

from assay.errors import DegenerateError, ParameterError
from assay.stats.bayesian.beta_bernoulli import BetaBernoulli
from assay.stats.checks import tail_of
from assay.stats.distributions.gaussian import Gaussian


def normal_from_interval(
    low: float, high: float, confidence: float = 0.9, *, quantile: float | None = None
) -> Gaussian:
    r"""The Gaussian that puts `confidence` symmetrically between low and high.

    .. math:: \mu_0 = \frac{low + high}2, \qquad \sigma_0 = \frac{high - low}{2 z}

    where z is the quantile of the standard normal at (1 + confidence)/2; give
    `quantile` to use a rounded table value instead.

    >>> prior = normal_from_interval(5, 9, 0.90, quantile=1.64)
    >>> prior.mean, round(prior.var, 5)
    (7.0, 1.48721)
    """
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError(f"normal_from_interval: low must be below high, got {low} and {high}.")
    z = -float(ndtri(tail_of(confidence, "normal_from_interval"))) if quantile is None else float(quantile)
    if not 0 < z < np.inf:
        raise ParameterError(f"normal_from_interval: quantile must be above 0, got {quantile}.")
    return Gaussian((low + high) / 2, ((high - low) / (2 * z)) ** 2)


def beta_from_interval(low: float, high: float, confidence: float = 0.9) -> BetaBernoulli:
    """The Beta belief about a probability with equal tails below low and above high.

    >>> prior = beta_from_interval(0.25, 0.75, confidence=0.5)
    >>> round(prior.a, 6), round(prior.b, 6)
    (1.0, 1.0)
    """
    from scipy.optimize import root

    if not 0 < low < high < 1:
        raise ParameterError(f"beta_from_interval: expected 0 < low < high < 1, got {low} and {high}.")
    tail = tail_of(confidence, "beta_from_interval")

    def missing(log_ab: np.ndarray) -> np.ndarray:
        a, b = np.exp(np.clip(log_ab, -20, 20))
        return np.array([betainc(a, b, low) - tail, betainc(b, a, 1 - high) - tail])

    # start from the normal distribution with the same interval
    m, sd = (low + high) / 2, (high - low) / (-2 * float(ndtri(tail)))
    worth = max(m * (1 - m) / sd**2 - 1, 0.1)
    solution = root(missing, np.log([m * worth, (1 - m) * worth]), tol=1e-13)
    if np.abs(missing(solution.x)).max() > 1e-8:
        raise DegenerateError(
            f"beta_from_interval: found no Beta with {confidence:g} from {low:g} to {high:g} and equal tails."
        )
    a, b = np.exp(np.clip(solution.x, -20, 20))
    return BetaBernoulli(float(a), float(b))
