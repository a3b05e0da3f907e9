"""Predictive distributions of counts and of shares of successes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import bdtr, betainc, gammaincc, gammaln, hyp2f1, i0e, i1e, xlog1py, xlogy

from assay.errors import ParameterError
from assay.stats.distributions.predictive.predictive import Floats, Predictive, bisect_whole, block_rows

__all__ = ["BinomialShare", "NegativeBinomial", "Poisson"]


class _Counts(Predictive):
    """Whole numbers from 0 up."""

    discrete = True

    def _quantile(self, p: float) -> Floats:
        return bisect_whole(self._cdf, p, self.mean + self.sd)

    def _cdf_below(self, y: Floats) -> Floats:
        return self._cdf(np.ceil(y) - 1)

    def _logpdf(self, y: Floats) -> Floats:
        whole = (y >= 0) & (y == np.floor(y)) & np.isfinite(y)
        return np.where(whole, self._log_mass(np.where(whole, y, 0.0)), -np.inf)

    def _log_mass(self, k: Floats) -> Floats:
        raise TypeError(f"{type(self).__name__} must define _log_mass")


class Poisson(_Counts):
    r"""Poisson with the mean of each row.

    .. math:: \mathrm{crps}(y) = (y-\lambda)(2F(y)-1) + 2\lambda f(\lfloor y\rfloor)
              - \lambda e^{-2\lambda}(I_0(2\lambda)+I_1(2\lambda))                                \quad (1)

    Parameters
    ----------
    rate : (n,) the means, from 0 up

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Poisson
    >>> Poisson([4.0]).quantile([0.05, 0.5, 0.95])
    array([[1., 4., 8.]])
    """

    parameters = ("rate",)
    rate: Floats

    def __init__(self, rate: ArrayLike):
        self._keep(rate=rate)
        self._require("rate", 0, strict=False)

    @property
    def mean(self) -> Floats:
        return self.rate

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.rate)

    def _cdf(self, y: Floats) -> Floats:
        return np.where(y < 0, 0.0, gammaincc(np.floor(np.maximum(y, 0)) + 1, self.rate))

    def _log_mass(self, k: Floats) -> Floats:
        return xlogy(k, self.rate) - self.rate - gammaln(k + 1)

    def _crps(self, y: Floats) -> Floats:
        rate = self.rate
        mass = np.where(y < 0, 0.0, np.exp(self._log_mass(np.floor(np.maximum(y, 0)))))
        spread = i0e(2 * rate) + i1e(2 * rate)
        return (y - rate) * (2 * self._cdf(y) - 1) + rate * (2 * mass - spread)  # (1)


class NegativeBinomial(_Counts):
    r"""Negative binomial with the mean of each row and the variance :math:`\mu + \alpha\mu^2`.

    With k = 1/alpha and the probability :math:`\pi = k/(k+\mu)`,

    .. math:: \mathrm{crps}(y) = y(2F_{k,\pi}(y)-1) - \mu\left[2F_{k+1,\pi}(y-1)-1
              + \tfrac1\pi\,{}_2F_1(k+1,\tfrac12;2;-4(1-\pi)/\pi^2)\right]                        \quad (1)

    Where the hypergeometric function loses its precision (alpha below 1e-3) the mean difference of two draws is added
    up over the whole numbers instead, to 1e-12 of the mean.

    Parameters
    ----------
    rate : (n,) the means, from 0 up      overdispersion : (n,) alpha, above 0

    Examples
    --------
    >>> from assay.stats.distributions.predictive import NegativeBinomial
    >>> NegativeBinomial([4.0], 1.0).quantile([0.05, 0.5, 0.95])
    array([[ 0.,  3., 13.]])
    """

    parameters = ("rate", "overdispersion")
    rate: Floats
    overdispersion: Floats

    def __init__(self, rate: ArrayLike, overdispersion: ArrayLike):
        self._keep(rate=rate, overdispersion=overdispersion)
        self._require("rate", 0, strict=False)
        self._require("overdispersion", 0)

    @property
    def mean(self) -> Floats:
        return self.rate

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.rate + self.overdispersion * self.rate**2)

    def _cdf(self, y: Floats) -> Floats:
        return self._shaped_cdf(y, 1 / self.overdispersion)

    def _shaped_cdf(self, y: Floats, shape: Floats) -> Floats:
        success = 1 / (1 + self.overdispersion * self.rate)
        return np.where(y < 0, 0.0, betainc(shape, np.floor(np.maximum(y, 0)) + 1, success))

    def _log_mass(self, k: Floats) -> Floats:
        shape = 1 / self.overdispersion
        ways = gammaln(k + shape) - gammaln(k + 1) - gammaln(shape)
        odds = self.overdispersion * self.rate
        return ways + xlogy(k, odds) - (k + shape) * np.log1p(odds)

    def _crps(self, y: Floats) -> Floats:
        shape = 1 / self.overdispersion
        distance = y * (2 * self._cdf(y) - 1) - self.rate * (2 * self._shaped_cdf(y - 1, shape + 1) - 1)
        return distance - self._half_difference()  # (1)

    def _half_difference(self) -> Floats:
        """(n,) half the mean difference of two draws."""
        odds = self.overdispersion * self.rate
        closed = self.overdispersion >= 1e-3
        shape = 1 / np.where(closed, self.overdispersion, 1.0)
        x = np.where(closed, -4 * odds * (1 + odds), 0.0)
        half = self.rate * (1 + odds) * hyp2f1(shape + 1, 0.5, 2.0, x)
        rows = np.flatnonzero(~(closed & np.isfinite(half) & (half >= 0)))
        half[rows] = [_summed_half_difference(self.take([i])) for i in rows.tolist()]
        return half


class BinomialShare(Predictive):
    r"""The share of successes among some trials, with the probability of each row.

    With the count :math:`x = my` of m trials the score is 1/m times that of the binomial distribution,

    .. math:: E|X-x| - \tfrac12E|X-X'| = x(2F_m(x)-1) - m\pi(2F_{m-1}(x-1)-1)
              - \sum_{k=0}^{m-1}F_m(k)(1-F_m(k))                                                  \quad (1)

    Parameters
    ----------
    probability : (n,) from 0 to 1      trials : (n,) whole numbers from 1, default 1

    Examples
    --------
    >>> from assay.stats.distributions.predictive import BinomialShare
    >>> BinomialShare([0.5], 20).quantile([0.05, 0.95])
    array([[0.3, 0.7]])
    """

    parameters = ("probability", "trials")
    discrete = True
    probability: Floats
    trials: Floats

    def __init__(self, probability: ArrayLike, trials: ArrayLike = 1):
        self._keep(probability=probability, trials=trials)
        self._require("probability", 0, strict=False, high=1)
        self._require("trials", 1, strict=False)
        if (self.trials != np.floor(self.trials)).any():
            raise ParameterError("BinomialShare: trials must be whole numbers from 1.")

    @property
    def mean(self) -> Floats:
        return self.probability

    @property
    def sd(self) -> Floats:
        return np.sqrt(self.probability * (1 - self.probability) / self.trials)

    def _count(self, y: Floats) -> Floats:
        """The count of a share; a share that is a whole count up to rounding is that count."""
        count = y * self.trials
        nearest = np.round(count)
        return np.where(np.abs(count - nearest) <= 1e-9 * np.maximum(1, np.abs(nearest)), nearest, count)

    def _count_cdf(self, k: Floats, trials: Floats) -> Floats:
        inside = np.clip(np.floor(k), 0, np.maximum(trials, 1))
        below = bdtr(inside, np.maximum(trials, 1).astype(np.int64), self.probability)
        return np.where(k < 0, 0.0, np.where(k >= trials, 1.0, below))

    def _quantile(self, p: float) -> Floats:
        start = self.trials * (self.mean + self.sd)
        return (
            np.minimum(bisect_whole(lambda k: self._count_cdf(k, self.trials), p, start), self.trials)
            / self.trials
        )

    def _cdf(self, y: Floats) -> Floats:
        return self._count_cdf(self._count(y), self.trials)

    def _cdf_below(self, y: Floats) -> Floats:
        return self._count_cdf(np.ceil(self._count(y)) - 1, self.trials)

    def _logpdf(self, y: Floats) -> Floats:
        m, count = self.trials, self._count(y)
        whole = (count >= 0) & (count <= m) & (count == np.floor(count))
        k = np.where(whole, count, 0.0)
        ways = gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
        logs = ways + xlogy(k, self.probability) + xlog1py(m - k, -self.probability)
        return np.where(whole, logs, -np.inf)

    def _crps(self, y: Floats) -> Floats:
        m, x = self.trials, self._count(y)
        distance = x * (2 * self._count_cdf(x, m) - 1)
        distance -= m * self.probability * (2 * self._count_cdf(x - 1, m - 1) - 1)
        most = int(m.max())
        half = np.empty(len(m))
        for rows in block_rows(len(m), most):
            k = np.arange(most, dtype=np.float64)
            trials = m[rows, None]
            F = bdtr(np.minimum(k, trials), trials.astype(np.int64), self.probability[rows, None])
            half[rows] = (F * (1 - F)).sum(axis=1)
        return (distance - half) / m  # (1)


def _summed_half_difference(row: Predictive) -> float:
    """Half the mean difference of two draws of whole numbers: the sum of F (1 - F), of a single row."""
    low, high = float(row._quantile(1e-16)[0]), float(row._quantile(1 - 1e-15)[0])
    step = max(1.0, np.floor((high - low) / 2**20))  # a mean of 1e9 needs no term for each whole number
    k = np.arange(max(low - 1, 0), high + 1, step)
    F = row._cdf(k) if len(row) == len(k) else _cdf_at(row, k)
    return float(step * (F * (1 - F)).sum())


def _cdf_at(row: Predictive, k: Floats) -> Floats:
    return row.take(np.zeros(len(k), np.int64))._cdf(k)
