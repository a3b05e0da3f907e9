"""Normal and Student predictive distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import beta, ndtr, ndtri, stdtr, stdtrit

from assay.errors import ParameterError
from assay.stats.distributions.predictive.predictive import Floats, Predictive

__all__ = ["Normal", "Student"]

LOG_2PI = float(np.log(2 * np.pi))
TINY = float(np.finfo(np.float64).tiny)


class Normal(Predictive):
    r"""Normal with the mean and the standard deviation of each row.

    .. math:: \mathrm{crps}(y) = \sigma\left[z(2\Phi(z)-1) + 2\varphi(z) - \pi^{-1/2}\right],
              \quad z = (y-\mu)/\sigma                                                            \quad (1)

    A standard deviation of 0 is a single point: its log density is infinite there and minus infinity elsewhere.

    Parameters
    ----------
    location : (n,) the means      scale : (n,) the standard deviations, from 0 up

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Normal
    >>> Normal([0.0], [1.0]).quantile([0.05, 0.5, 0.95]).round(3)
    array([[-1.645,  0.   ,  1.645]])
    """

    parameters = ("location", "scale")
    location: Floats
    scale: Floats

    def __init__(self, location: ArrayLike, scale: ArrayLike):
        self._keep(location=location, scale=scale)
        self._require("location", -np.inf)
        self._require("scale", 0, strict=False)

    @property
    def mean(self) -> Floats:
        return self.location

    @property
    def sd(self) -> Floats:
        return self.scale

    def _quantile(self, p: float) -> Floats:
        return self.location + self.scale * ndtri(p)

    def _cdf(self, y: Floats) -> Floats:
        return ndtr(standardised(y, self.location, self.scale))

    def _logpdf(self, y: Floats) -> Floats:
        z = standardised(y, self.location, self.scale, 0.0)
        logs = -0.5 * (LOG_2PI + z * z) - np.log(self.scale)
        return np.where((self.scale > 0) | (y == self.location), logs, -np.inf)

    def _crps(self, y: Floats) -> Floats:
        z = standardised(y, self.location, self.scale, 0.0)
        density = np.exp(-0.5 * (LOG_2PI + z * z))
        score = self.scale * (z * (2 * ndtr(z) - 1) + 2 * density - 1 / np.sqrt(np.pi))  # (1)
        return np.where(self.scale > 0, score, np.abs(y - self.location))


class Student(Predictive):
    r"""Student's t with the location, scale and degrees of freedom of each row: a normal with an estimated scale.

    .. math:: \mathrm{crps}(y) = s\left[z(2F_\nu(z)-1) + 2f_\nu(z)\frac{\nu+z^2}{\nu-1}
              - \frac{2\sqrt\nu}{\nu-1}\frac{B(\frac12,\nu-\frac12)}{B(\frac12,\frac\nu2)^2}\right],
              \quad z = (y-m)/s                                                                   \quad (1)

    The standard deviation is infinite up to 2 degrees of freedom, the score up to 1. Infinite degrees of freedom give
    the normal distribution, a scale of 0 a single point.

    Parameters
    ----------
    location : (n,)      scale : (n,) from 0 up      dof : (n,) degrees of freedom, above 0; inf is allowed

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Student
    >>> Student([0.0], [1.0], 4).quantile([0.05, 0.95]).round(3)
    array([[-2.132,  2.132]])
    """

    parameters = ("location", "scale", "dof")
    location: Floats
    scale: Floats
    dof: Floats

    def __init__(self, location: ArrayLike, scale: ArrayLike, dof: ArrayLike):
        self._keep(location=location, scale=scale, dof=dof)
        self._require("location", -np.inf)
        self._require("scale", 0, strict=False)
        if not (self.dof > 0).all():
            raise ParameterError(f"Student: dof must be above 0, got {self.dof.min():g}.")

    @property
    def mean(self) -> Floats:
        return self.location

    @property
    def sd(self) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            factor = np.where(np.isinf(self.dof), 1.0, self.dof / (self.dof - 2))
        factor = np.where(self.dof > 2, factor, np.inf)  # a scale of 0 times it would be no number
        return np.where(self.scale > 0, np.maximum(self.scale, TINY) * np.sqrt(factor), 0.0)

    def _quantile(self, p: float) -> Floats:
        levels = np.unique(self.dof)
        if len(levels) == 1:  # the usual case: one quantile for all rows
            return self.location + self.scale * stdtrit(levels[0], p)
        return self.location + self.scale * stdtrit(self.dof, p)

    def _cdf(self, y: Floats) -> Floats:
        return stdtr(self.dof, standardised(y, self.location, self.scale))

    def _logpdf(self, y: Floats) -> Floats:
        z = standardised(y, self.location, self.scale, 0.0)
        logs = self._log_density(z) - np.log(self.scale)
        return np.where((self.scale > 0) | (y == self.location), logs, -np.inf)

    def _log_density(self, z: Floats) -> Floats:
        normal = self.dof > 1e10
        dof = np.where(normal, 1.0, self.dof)
        half = np.minimum(dof / 2, 200.0)
        norm = -np.log(np.where(dof <= 400, beta(0.5, half), _large_beta(np.maximum(dof / 2, 200.0))))
        heavy = norm - 0.5 * np.log(dof) - (dof + 1) / 2 * np.log1p(z / dof * z)
        return np.where(normal, -0.5 * (LOG_2PI + z * z), heavy)

    def _crps(self, y: Floats) -> Floats:
        z = standardised(y, self.location, self.scale, 0.0)
        normal = self.dof > 1e10
        dof = np.where(normal | (self.dof <= 1), 2.0, self.dof)
        density = np.exp(self._log_density(z))
        spread = 2 * np.sqrt(dof) / (dof - 1) * _beta_ratio(dof)
        spread = np.where(normal, 1 / np.sqrt(np.pi), spread)
        weight = np.where(normal, 1.0, (dof + z * z) / (dof - 1))
        score = self.scale * (z * (2 * stdtr(self.dof, z) - 1) + 2 * density * weight - spread)  # (1)
        score = np.where(self.dof > 1, score, np.inf)
        return np.where(self.scale > 0, score, np.abs(y - self.location))


def _beta_ratio(dof: Floats) -> Floats:
    """B(1/2, dof - 1/2) / B(1/2, dof / 2)^2."""
    few = np.minimum(dof, 200.0)
    many = np.maximum(dof, 200.0)
    return np.where(
        dof <= 200,
        beta(0.5, few - 0.5) / beta(0.5, few / 2) ** 2,
        _large_beta(many - 0.5) / _large_beta(many / 2) ** 2,
    )


def _large_beta(b: Floats) -> Floats:
    """B(1/2, b) from b = 100: the series of the ratio of gamma functions, to 1e-15."""
    u = 1 / b
    series = 1 + u * (1 / 8 + u * (1 / 128 + u * (-5 / 1024 + u * (-21 / 32768 + u * (399 / 262144)))))
    return np.sqrt(np.pi * u) * series


def standardised(y: Floats, location: Floats, scale: Floats, on_points: float | None = None) -> Floats:
    """(y - location) / scale; where the scale is 0, +-inf beside the point and +inf at it, or ``on_points``.

    At a single point the distribution function is 1, hence +inf.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        z = (y - location) / scale
    points = scale == 0
    if points.any():
        beside = np.where(y < location, -np.inf, np.inf)
        z = np.where(points, beside if on_points is None else on_points, z)
    return z
