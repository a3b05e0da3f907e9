"""Odds and likelihood ratios: two classes compared by one number."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from assay.errors import DataError, ParameterError
from assay.stats.checks import as_points


def odds(p: ArrayLike) -> NDArray[np.float64]:
    """p/(1 - p), from 0 to infinity.

    >>> odds([0.5, 0.75])
    array([1., 3.])
    """
    p = _probabilities(p, "odds")
    with np.errstate(divide="ignore"):
        return p / (1 - p)


def log_odds(p: ArrayLike) -> NDArray[np.float64]:
    """The logit, log p/(1 - p); 0 at p = 1/2.

    >>> log_odds(0.75).round(6)
    np.float64(1.098612)
    """
    return logit(_probabilities(p, "log_odds"))


def likelihood_ratio(x: ArrayLike, first: Any, second: Any) -> NDArray[np.float64]:
    """p(x|first)/p(x|second) for two densities (anything with `logpdf`).

    >>> from assay.stats import Gaussian
    >>> round(float(likelihood_ratio(2.5, Gaussian(1, 2), Gaussian(3, 2))), 7)
    0.6065307
    """
    return np.exp(first.logpdf(x) - second.logpdf(x))


def log_odds_discriminant(
    x: ArrayLike, first: Any, second: Any, priors: ArrayLike = (0.5, 0.5)
) -> NDArray[np.float64]:
    r"""Log of the posterior odds; choose the first class where it is above 0.

    .. math:: g(x) = \log\frac{p(x|C_1)}{p(x|C_2)} + \log\frac{P(C_1)}{P(C_2)}

    Its exponential is the likelihood-ratio discriminant, compared with 1.

    >>> from assay.stats import Gaussian
    >>> float(log_odds_discriminant(0.0, Gaussian(-2, 1), Gaussian(2, 1)))
    0.0
    """
    return first.logpdf(x) - second.logpdf(x) + log_prior_ratio(priors, "log_odds_discriminant")


def log_prior_ratio(priors: ArrayLike, who: str) -> float:
    """log P(C_1)/P(C_2) of two priors, both above 0, that sum to 1."""
    P = as_points(priors, who)
    if P.shape != (2,) or not (P > 0).all() or not abs(P.sum() - 1) <= 1e-8:
        raise ParameterError(f"priors must be two numbers above 0 that sum to 1, got {P}.", who=who)
    return float(np.log(P[0]) - np.log(P[1]))


def _probabilities(p: ArrayLike, who: str) -> NDArray[np.float64]:
    p = as_points(p, who)
    if ((p < 0) | (p > 1)).any():
        raise DataError(f"expected probabilities from 0 to 1, got {p.min():g} to {p.max():g}.", who=who)
    return p
