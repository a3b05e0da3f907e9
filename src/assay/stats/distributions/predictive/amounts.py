"""Predictive distributions of amounts: gamma, inverse Gaussian, and Tweedie's with a peak at 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import (
    beta,
    gammainc,
    gammaincinv,
    gammaln,
    log_ndtr,
    log_wright_bessel,
    ndtr,
    pdtrik,
    xlogy,
)

from assay.errors import ParameterError
from assay.stats.distributions.predictive.predictive import Floats, Predictive, bisect, block_rows

__all__ = ["Gamma", "InverseGaussian", "Tweedie"]

NODES = 400  # of the trapezoidal rule in log t; its error falls faster than any power of their distance


class Gamma(Predictive):
    r"""Gamma with the mean of each row and the variance :math:`\phi\mu^2`.

    With the shape a = 1/phi and :math:`u = ay/\mu`,

    .. math:: \mathrm{crps}(y) = y(2P_a(u)-1) - \mu(2P_{a+1}(u)-1) - \frac{\mu}{a B(\frac12,a)}   \quad (1)

    where :math:`P_a` is the regularised incomplete gamma function.

    Parameters
    ----------
    location : (n,) the means, above 0      dispersion : (n,) phi, above 0

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Gamma
    >>> Gamma([10.0], 0.25).quantile([0.05, 0.95]).round(3)
    array([[ 3.416, 19.384]])
    """

    parameters = ("location", "dispersion")
    location: Floats
    dispersion: Floats

    def __init__(self, location: ArrayLike, dispersion: ArrayLike):
        self._keep(location=location, dispersion=dispersion)
        self._require("location", 0)
        self._require("dispersion", 0)

    @property
    def mean(self) -> Floats:
        return self.location

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.dispersion) * self.location

    def _quantile(self, p: float) -> Floats:
        return gammaincinv(1 / self.dispersion, p) * self.dispersion * self.location

    def _cdf(self, y: Floats) -> Floats:
        return gammainc(1 / self.dispersion, self._scaled(y))

    def _scaled(self, y: Floats) -> Floats:
        return np.maximum(y, 0) / self.location / self.dispersion

    def _logpdf(self, y: Floats) -> Floats:
        shape, u = 1 / self.dispersion, self._scaled(y)
        positive = np.where(y > 0, y, 1.0)
        logs = xlogy(shape, np.where(y > 0, u, 1.0)) - u - np.log(positive) - gammaln(shape)
        at_zero = np.where(shape < 1, np.inf, np.where(shape == 1, -np.log(self.location), -np.inf))
        return np.where(y > 0, logs, np.where(y == 0, at_zero, -np.inf))

    def _crps(self, y: Floats) -> Floats:
        shape, u = 1 / self.dispersion, self._scaled(y)
        distance = y * (2 * gammainc(shape, u) - 1) - self.location * (2 * gammainc(shape + 1, u) - 1)
        return distance - self.location * self.dispersion / beta(0.5, shape)  # (1)


class InverseGaussian(Predictive):
    r"""Inverse Gaussian with the mean of each row and the variance :math:`\phi\mu^3`.

    .. math:: F(y) = \Phi\!\left(\frac{y-\mu}{\mu\sqrt{\phi y}}\right)
              + e^{2/(\phi\mu)}\,\Phi\!\left(-\frac{y+\mu}{\mu\sqrt{\phi y}}\right)               \quad (1)

    The score uses the closed form of :math:`E|Y-y|`; the mean difference of two draws, which has none, is integrated
    numerically (relative error below 1e-10).

    Parameters
    ----------
    location : (n,) the means, above 0      dispersion : (n,) phi, above 0

    Examples
    --------
    >>> from assay.stats.distributions.predictive import InverseGaussian
    >>> InverseGaussian([10.0], 0.02).quantile([0.05, 0.95]).round(3)
    array([[ 4.533, 18.528]])
    """

    parameters = ("location", "dispersion")
    location: Floats
    dispersion: Floats

    def __init__(self, location: ArrayLike, dispersion: ArrayLike):
        self._keep(location=location, dispersion=dispersion)
        self._require("location", 0)
        self._require("dispersion", 0)

    @property
    def mean(self) -> Floats:
        return self.location

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.dispersion * self.location) * self.location

    def _quantile(self, p: float) -> Floats:
        return bisect(self._cdf, p, self.location)

    def _cdf(self, y: Floats) -> Floats:
        first, second = _inverse_gaussian_parts(y / self.location, self.dispersion * self.location)
        return first + second  # (1)

    def _logpdf(self, y: Floats) -> Floats:
        t = np.where(y > 0, y, 1.0)
        squares = ((t - self.location) / self.location) ** 2 / (self.dispersion * t)
        logs = -0.5 * (squares + np.log(2 * np.pi * self.dispersion) + 3 * np.log(t))
        return np.where(y > 0, logs, -np.inf)

    def _crps(self, y: Floats) -> Floats:
        ratio = self.dispersion * self.location
        first, second = _inverse_gaussian_parts(y / self.location, ratio)
        partial = first - second  # E[Y; Y <= y] / mean
        distance = y * (2 * (first + second) - 1) + self.location * (1 - 2 * partial)
        distinct, codes = np.unique(ratio, return_inverse=True)
        return distance - self.location * _inverse_gaussian_half_difference(distinct)[codes]


def _inverse_gaussian_parts(t: Floats, ratio: Floats) -> tuple[Floats, Floats]:
    """The two terms of the distribution function of mean 1 and dispersion ``ratio``."""
    positive = np.where(t > 0, t, 1.0)
    root = np.sqrt(ratio * positive)
    first = ndtr((positive - 1) / root)
    with np.errstate(over="ignore"):
        second = np.exp(np.minimum(2 / ratio + log_ndtr(-(positive + 1) / root), 0.0))
    return np.where(t > 0, first, 0.0), np.where(t > 0, second, 0.0)


def _inverse_gaussian_half_difference(ratio: Floats) -> Floats:
    """Half the mean difference of two draws, of mean 1: the integral of F (1 - F), in log t."""
    out = np.empty(len(ratio))
    for rows in block_rows(len(ratio), NODES):
        phi = ratio[rows, None]
        # where the tails have gone: exp(-(t - 1)^2 / (2 phi t)) below 1e-20, on either side of 1
        reach = np.arccosh(1 + 46 * phi)
        grid = np.linspace(-1.0, 1.0, NODES)
        t = np.exp(reach * grid)
        first, second = _inverse_gaussian_parts(t, phi)
        F = first + second
        out[rows] = (F * np.maximum(1 - F, 0) * t).sum(axis=1) * (reach[:, 0] * 2 / (NODES - 1))
    return out


class Tweedie(Predictive):
    r"""A sum of a Poisson number of gamma amounts: 0 with a probability of its own, else continuous.

    Tweedie's distribution with the mean of each row, variance :math:`\phi\mu^p` and 1 < p < 2 is the sum of N gamma
    variables, N Poisson:

    .. math:: N \sim \mathrm{Poisson}\!\left(\frac{\mu^{2-p}}{\phi(2-p)}\right), \quad
              \text{shape } \frac{2-p}{p-1}, \quad \text{scale } \phi(p-1)\mu^{p-1}               \quad (1)

    The distribution function adds up the terms of N that matter (to 1e-14), quantiles are found by bisection, the score
    by the trapezoidal rule (relative error below 1e-6). The log density at 0 is the log probability of 0.

    Parameters
    ----------
    location : (n,) the means, above 0      dispersion : (n,) phi, above 0
    power : (n,) p, above 1 and below 2

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Tweedie
    >>> claims = Tweedie([10.0], 10.0, 1.5)
    >>> claims.cdf(0).round(4), claims.quantile([0.5, 0.95]).round(2)
    (array([0.5313]), array([[ 0.  , 47.47]]))
    """

    parameters = ("location", "dispersion", "power")
    discrete = True
    location: Floats
    dispersion: Floats
    power: Floats

    def __init__(self, location: ArrayLike, dispersion: ArrayLike, power: ArrayLike = 1.5):
        self._keep(location=location, dispersion=dispersion, power=power)
        self._require("location", 0)
        self._require("dispersion", 0)
        if not ((self.power > 1) & (self.power < 2)).all():
            raise ParameterError("Tweedie: power must be above 1 and below 2.")

    @property
    def mean(self) -> Floats:
        return self.location

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.dispersion * self.location**self.power)

    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """The Poisson rate, the gamma shape and the gamma scale (1)."""
        p, mu, phi = self.power, self.location, self.dispersion
        return mu ** (2 - p) / (phi * (2 - p)), (2 - p) / (p - 1), phi * (p - 1) * mu ** (p - 1)

    def _quantile(self, p: float) -> Floats:
        rate, _, _ = self._parts()
        positive = np.exp(-rate) < p
        out = np.zeros(len(self))
        if positive.any():
            inner = self.take(positive)
            out[positive] = bisect(inner._cdf, p, inner.location)
        return out

    def _cdf(self, y: Floats) -> Floats:
        rate, shape, scale = self._parts()
        return np.where(y < 0, 0.0, _mixture(np.maximum(y, 0) / scale, rate, shape))

    def _cdf_below(self, y: Floats) -> Floats:
        return np.where(y > 0, self._cdf(y), 0.0)

    def _logpdf(self, y: Floats) -> Floats:
        rate, shape, scale = self._parts()
        positive = y > 0
        u = np.where(positive, y, scale) / scale
        logs = log_wright_bessel(shape, 0.0, rate * u**shape) - rate - u - np.log(np.where(positive, y, 1.0))
        return np.where(positive, logs, np.where(y == 0, -rate, -np.inf))

    def _crps(self, y: Floats) -> Floats:
        out = np.empty(len(self))
        for i in range(len(self)):  # each row has a grid of its own
            out[i] = self.take([i])._row_crps(float(y[i]))
        return out

    def _row_crps(self, y: float) -> float:
        top = 4 * float(self._quantile(1 - 1e-12)[0]) + 1e-300
        t = top * np.linspace(0, 1, 20 * NODES) ** 2  # dense near 0, where the steps are
        row = self.take(np.zeros(len(t), np.int64))
        F = row._cdf(t)
        at = min(max(y, 0.0), top)
        below, above = np.append(t[t < at], at), np.append(at, t[t > at])
        middle = float(self._cdf(np.array([at]))[0])
        left = np.trapezoid(np.append(F[t < at], middle) ** 2, below)
        right = np.trapezoid(np.append(1 - middle, 1 - F[t > at]) ** 2, above)
        return float(left + right + max(-y, 0.0) + max(y - top, 0.0))


def _mixture(u: Floats, rate: Floats, shape: Floats) -> Floats:
    """(n,) the probability that a Poisson number of gamma amounts of scale 1 adds up to u at most."""
    low = np.maximum(np.floor(pdtrik(1e-16, rate)) - 1, 1)
    low = np.where(np.isfinite(low), low, 1.0)
    high = np.ceil(pdtrik(1 - 1e-15, rate)) + 2
    high = np.where(np.isfinite(high), high, 3.0)
    total = np.exp(-rate)
    order = np.argsort(high - low)
    for rows in block_rows(len(u), int((high - low).max()) + 1):
        some = order[rows]
        terms = np.arange(int((high - low)[some].max()) + 1)
        k = low[some, None] + terms
        logs = xlogy(k, rate[some, None]) - rate[some, None] - gammaln(k + 1)
        total[some] += (np.exp(logs) * gammainc(k * shape[some, None], u[some, None])).sum(axis=1)
    return np.minimum(total, 1.0)
