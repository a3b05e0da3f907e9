"""Distributions of the latent number whose thresholds make ordered classes, and the probability between two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, ndtri

__all__ = ["CUMULATIVE_LINKS", "Between", "CumulativeLink", "between"]

Function = Callable[[np.ndarray], np.ndarray]
LOG_ROOT_2PI = 0.5 * float(np.log(2 * np.pi))


class Between(NamedTuple):
    """log P(b < latent <= a), with its derivatives: by a and b, and the second ones (aa, bb, ab); all (n,)."""

    log_probability: np.ndarray
    upper: np.ndarray
    lower: np.ndarray
    upper_twice: np.ndarray
    lower_twice: np.ndarray
    mixed: np.ndarray


@dataclass(frozen=True)
class CumulativeLink:
    """A distribution function F by logarithms, which do not underflow.

    Attributes
    ----------
    name : str
    quantile : the inverse of F
    log_cdf, log_sf, log_pdf : log F, log(1 - F), log F'
    steepness : the derivative of log F'
    """

    name: str
    quantile: Function
    log_cdf: Function
    log_sf: Function
    log_pdf: Function
    steepness: Function


def _gumbel_log_cdf(x: np.ndarray) -> np.ndarray:
    return -np.exp(np.minimum(-x, 700.0))


def _gumbel_log_sf(x: np.ndarray) -> np.ndarray:
    """log(1 - exp(-exp(-x)))."""
    e = np.exp(np.minimum(-x, 700.0))
    small = np.minimum(-x, 0.0) - e / 2  # log(e - e^2/2 + ...) where e is small
    return np.where(e < 1e-8, small, np.log(-np.expm1(-np.maximum(e, 1e-300))))


CUMULATIVE_LINKS = {
    link.name: link
    for link in (
        CumulativeLink(
            "logit",
            lambda p: np.log(p) - np.log1p(-p),
            log_expit,
            lambda x: log_expit(-x),
            lambda x: log_expit(x) + log_expit(-x),
            lambda x: -np.tanh(x / 2),
        ),
        CumulativeLink(
            "probit",
            ndtri,
            log_ndtr,
            lambda x: log_ndtr(-x),
            lambda x: -0.5 * x * x - LOG_ROOT_2PI,
            np.negative,
        ),
        CumulativeLink(  # the complementary log-log: F = 1 - exp(-exp(x)), proportional hazards
            "cloglog",
            lambda p: np.log(-np.log1p(-p)),
            lambda x: _gumbel_log_sf(-x),
            lambda x: _gumbel_log_cdf(-x),
            lambda x: x - np.exp(np.minimum(x, 700.0)),
            lambda x: 1 - np.exp(np.minimum(x, 700.0)),
        ),
        CumulativeLink(  # F = exp(-exp(-x))
            "loglog",
            lambda p: -np.log(-np.log(p)),
            _gumbel_log_cdf,
            _gumbel_log_sf,
            lambda x: -x - np.exp(np.minimum(-x, 700.0)),
            lambda x: np.exp(np.minimum(-x, 700.0)) - 1,
        ),
        CumulativeLink(
            "cauchit",
            lambda p: np.tan(np.pi * (p - 0.5)),
            lambda x: np.log(np.arctan2(1.0, -x) / np.pi),
            lambda x: np.log(np.arctan2(1.0, x) / np.pi),
            lambda x: -np.log(np.pi) - np.log1p(x * x),
            lambda x: -2 * x / (1 + x * x),
        ),
    )
}


def between(link: CumulativeLink, eta: np.ndarray, y: np.ndarray, thresholds: np.ndarray) -> Between:
    """The probability of class y, which lies between the thresholds y - 1 and y, less the linear predictor."""
    return _logistic(eta, y, thresholds) if link.name == "logit" else _general(link, eta, y, thresholds)


def _logistic(eta: np.ndarray, y: np.ndarray, thresholds: np.ndarray) -> Between:
    r"""With logistic F the probability is :math:`F(a)(1-F(b))(1-e^{b-a})`, whose last factor is one for each class."""
    K = len(thresholds) + 1
    share, turn, log_share = np.zeros(K), np.zeros(K), np.zeros(K)
    gap = np.diff(thresholds)
    share[1:-1] = 1 / np.expm1(gap)  # by how much the last factor's logarithm grows with a - b
    turn[1:-1] = share[1:-1] * (1 + share[1:-1])
    log_share[1:-1] = np.log(-np.expm1(-gap))
    a = np.append(thresholds, np.inf)[y] - eta
    b = np.append(-np.inf, thresholds)[y] - eta
    above, below = expit(-a), expit(b)  # beyond a, and up to b
    up, down = above * (1 - above), below * (1 - below)
    logs = log_expit(a) + log_expit(-b) + log_share[y]
    return Between(logs, above + share[y], -below - share[y], -up - turn[y], -down - turn[y], turn[y])


def _general(link: CumulativeLink, eta: np.ndarray, y: np.ndarray, thresholds: np.ndarray) -> Between:
    last = len(thresholds)
    has_a, has_b = y < last, y > 0
    a = np.where(has_a, thresholds[np.minimum(y, last - 1)], 0.0) - eta
    b = np.where(has_b, thresholds[np.maximum(y - 1, 0)], 0.0) - eta
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        low_a, low_b = np.where(has_a, link.log_cdf(a), 0.0), np.where(has_b, link.log_cdf(b), -np.inf)
        high_a, high_b = np.where(has_a, link.log_sf(a), -np.inf), np.where(has_b, link.log_sf(b), 0.0)
        upper_half = high_b < low_a  # the difference of the smaller numbers loses fewer digits
        big = np.where(upper_half, high_b, low_a)
        small = np.where(upper_half, high_a, low_b)
        logs = big + np.log1p(-np.exp(small - big))
        up = np.where(has_a, np.exp(link.log_pdf(a) - logs), 0.0)
        down = np.where(has_b, -np.exp(link.log_pdf(b) - logs), 0.0)
        steep_a = np.where(up != 0, link.steepness(a), 0.0)
        steep_b = np.where(down != 0, link.steepness(b), 0.0)
    return Between(logs, up, down, up * (steep_a - up), down * (steep_b - down), -up * down)
