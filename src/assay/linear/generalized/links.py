r"""Links: the function :math:`g` that makes the mean of the target linear in the columns, :math:`g(\mu) = \eta`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.errors import ParameterError, did_you_mean

__all__ = ["LINKS", "Link", "find_link", "power_link"]

Function = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Link:
    """A link and what is needed of it.

    Attributes
    ----------
    name : str
    predictor : the linear predictor of a mean, eta = g(mu)
    mean : the mean of a linear predictor, mu = g^-1(eta)
    slope : the derivative of the mean by the linear predictor, from (eta, mu)
    low, high : the means that the link can give lie between these
    positive : whether the linear predictor must be above 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear.generalized.links import find_link
    >>> log = find_link("log")
    >>> log.mean(np.array([0.0])), log.predictor(np.array([1.0])), find_link("power(0.5)").mean(np.array([3.0]))
    (array([1.]), array([0.]), array([9.]))
    """

    name: str
    predictor: Function
    mean: Function
    slope: Callable[[np.ndarray, np.ndarray], np.ndarray]
    low: float = -np.inf
    high: float = np.inf
    positive: bool = False


def _logistic(eta: np.ndarray) -> np.ndarray:
    from scipy.special import expit

    return expit(eta)


def _logit(mu: np.ndarray) -> np.ndarray:
    from scipy.special import logit

    return logit(mu)


def _normal(eta: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return ndtr(eta)


def _normal_quantile(mu: np.ndarray) -> np.ndarray:
    from scipy.special import ndtri

    return ndtri(mu)


def power_link(p: float) -> Link:
    r""":math:`g(\mu) = \mu^p`; the logarithm for p = 0."""
    if p == 0:
        return LINKS["log"]
    if p == 1:
        return LINKS["identity"]
    return Link(
        f"power({p:g})",
        lambda mu: mu**p,
        lambda eta: eta ** (1 / p),
        lambda eta, mu: mu / (p * eta),
        low=0.0,
        positive=True,
    )


LINKS: dict[str, Link] = {
    link.name: link
    for link in (
        Link("identity", lambda mu: mu, lambda eta: eta, lambda eta, mu: np.ones_like(eta)),
        Link("log", np.log, np.exp, lambda eta, mu: mu, low=0.0),
        Link("logit", _logit, _logistic, lambda eta, mu: mu * (1 - mu), low=0.0, high=1.0),
        Link(
            "probit",
            _normal_quantile,
            _normal,
            lambda eta, mu: np.exp(-0.5 * eta * eta) / np.sqrt(2 * np.pi),
            low=0.0,
            high=1.0,
        ),
        Link(
            "cloglog",
            lambda mu: np.log(-np.log1p(-mu)),
            lambda eta: -np.expm1(-np.exp(eta)),
            lambda eta, mu: np.exp(eta - np.exp(eta)),
            low=0.0,
            high=1.0,
        ),
        Link("inverse", lambda mu: 1 / mu, lambda eta: 1 / eta, lambda eta, mu: -mu * mu),
    )
}
NAMED_POWERS = {"sqrt": 0.5, "inverse_squared": -2.0}


def find_link(name: str, who: str = "find_link") -> Link:
    """The link of a name: one of LINKS, "sqrt", "inverse_squared", or "power(p)" with a number p."""
    if name in LINKS:
        return LINKS[name]
    if name in NAMED_POWERS:
        return power_link(NAMED_POWERS[name])
    power = re.fullmatch(r"power\(([-+0-9.e]+)\)", name.replace(" ", ""))
    if power:
        try:
            p = float(power[1])
        except ValueError:
            p = np.nan
        if np.isfinite(p):
            return power_link(p)
    known = [*LINKS, *NAMED_POWERS, "power(p)"]
    raise ParameterError(f"{who}: there is no link {name!r}.{did_you_mean(name, ['auto', *known])}")
