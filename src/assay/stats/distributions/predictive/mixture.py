"""Predictive distributions that are averages of others: of models, of parameters drawn or integrated out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.stats.distributions.predictive.counts import NegativeBinomial, Poisson
from assay.stats.distributions.predictive.predictive import Floats, Predictive

__all__ = ["Mixture"]

TAIL = 1e-10  # probability beyond the ends of integrals, on either side
NODES = 257  # of the integral of the score
HALVINGS = 64
PRECISION = 1e-12  # of quantiles
MOST_STEPS = 4096  # whole numbers up to which an integral over counts is their sum


class Mixture(Predictive):
    r"""The average of several distributions of each row, by their weights.

    .. math:: F(t) = \sum_k w_kF_k(t), \qquad
              \mathrm{crps}(y) = \sum_k w_k\,\mathrm{crps}_k(y)
                                 - \int\Bigl[\sum_k w_kF_k(t)^2 - F(t)^2\Bigr]dt                        \quad (1)

    An average is scored better than its parts are on average, by how much they disagree. The integral is by
    trapezoids, to some 1e-6 of the spread; for counts up to a few thousand it is their sum. Quantiles are
    by halving between those of the parts.

    Parameters
    ----------
    parts : m distributions of the same n rows
    weights : (m,) or (n, m) none negative; None weighs all alike

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Mixture, Normal
    >>> two = Mixture([Normal([0.0], 1.0), Normal([4.0], 1.0)], [0.25, 0.75])
    >>> two.mean, two.sd.round(4), two.cdf([2.0]).round(4), two.quantile(0.5).round(4)
    (array([3.]), array([2.]), array([0.2614]), array([3.5694]))

    See Also
    --------
    Empirical, Normal, Student
    """

    parts: list[Predictive]

    def __init__(self, parts: Sequence[Predictive], weights: ArrayLike | None = None):
        self.parts = list(parts)
        n, m = (len(self.parts[0]) if self.parts else 0), len(self.parts)
        w = np.ones(m) if weights is None else np.asarray(weights, dtype=np.float64)
        if not m or any(len(part) != n for part in self.parts):
            raise ParameterError("Mixture: parts must be distributions of the same rows, at least one.")
        if w.shape not in ((m,), (n, m)) or not (w >= 0).all() or not np.isfinite(w).all():
            raise ParameterError(
                f"Mixture: weights must be {m} numbers from 0 up, or as many for each of {n} rows, got shape {w.shape}."
            )
        total = w.sum(axis=-1, keepdims=True)
        if not (total > 0).all():
            raise ParameterError("Mixture: the weights of a row add up to 0.")
        self.weights = np.broadcast_to(w / total, (n, m))
        self.discrete = any(part.discrete for part in self.parts)  # type: ignore[misc]

    def __len__(self) -> int:
        return len(self.parts[0])

    def take(self, rows: Any) -> Self:
        """The distributions of some rows."""
        return type(self)([part.take(rows) for part in self.parts], self.weights[rows])

    def _average(self, values: Sequence[Floats] | Floats) -> Floats:
        return np.einsum("ij,ji->i", self.weights, np.asarray(values))

    @property
    def mean(self) -> Floats:
        return self._average([part.mean for part in self.parts])

    @property
    def sd(self) -> Floats:
        centre = self.mean
        return np.sqrt(self._average([part.sd**2 + (part.mean - centre) ** 2 for part in self.parts]))

    def _cdf(self, y: Floats) -> Floats:
        return np.minimum(self._average([part._cdf(y) for part in self.parts]), 1.0)

    def _cdf_below(self, y: Floats) -> Floats:
        return np.minimum(self._average([part._cdf_below(y) for part in self.parts]), 1.0)

    def _logpdf(self, y: Floats) -> Floats:
        from scipy.special import logsumexp

        with np.errstate(divide="ignore"):
            logs = np.column_stack([part._logpdf(y) for part in self.parts])
        return logsumexp(logs, axis=1, b=self.weights)

    def _quantile(self, p: float) -> Floats:
        ends = np.asarray([part._quantile(p) for part in self.parts])
        ends = np.where(self.weights.T > 0, ends, np.nan)
        low, high = np.nanmin(ends, axis=0), np.nanmax(ends, axis=0)
        if self._whole():
            return self._whole_quantile(p, low, high)
        at_low = self._cdf(low) >= p
        for _ in range(HALVINGS):
            if (high - low <= PRECISION * np.maximum(np.abs(low), np.abs(high))).all():
                break
            middle = low + (high - low) / 2
            enough = self._cdf(middle) >= p
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
        return np.where(at_low, np.minimum(low, high), high)

    def _whole(self) -> bool:
        return all(isinstance(part, (Poisson, NegativeBinomial)) for part in self.parts)

    def _whole_quantile(self, p: float, low: Floats, high: Floats) -> Floats:
        low = low - 1
        while (high - low > np.maximum(1.0, 1e-15 * high)).any():
            middle = np.floor((low + high) / 2)
            enough = self._cdf(middle) >= p * (1 - 1e-13)
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
        return high

    def _crps(self, y: Floats) -> Floats:
        score = self._average([part._crps(y) for part in self.parts]) - self._disagreement()  # (1)
        return np.maximum(score, 0.0)

    def _disagreement(self) -> Floats:
        """(n,) the integral of (1)."""
        low = np.min([part._quantile(TAIL) for part in self.parts], axis=0)
        high = np.max([part._quantile(1 - TAIL) for part in self.parts], axis=0)
        if self._whole() and float(np.max(high - low, initial=0)) <= MOST_STEPS:
            return sum(
                (self._variance_at(low + k) for k in range(int(np.max(high - low, initial=0)) + 1)),
                np.zeros(len(self)),
            )
        centre = self._quantile(0.5)
        quarter = (self._quantile(0.75) - self._quantile(0.25)) / 2
        unit = np.where(quarter > 0, quarter, np.maximum(high - low, 1e-300) / 4)
        first, last = np.arcsinh((low - centre) / unit), np.arcsinh((high - centre) / unit)
        step, total = (last - first) / (NODES - 1), np.zeros(len(self))
        for k in range(NODES):  # t = centre + unit sinh(u): tails are reached in few steps
            u = first + k * step
            t = np.clip(centre + unit * np.sinh(u), low, high)  # rounding may not step over a jump at the end
            inside = self._variance_at(t) * unit * np.cosh(u)
            total += inside * (0.5 if k in (0, NODES - 1) else 1.0)
        return total * step

    def _variance_at(self, t: Floats) -> Floats:
        """(n,) how much the parts disagree about the probability of numbers up to t."""
        levels = np.asarray([part._cdf(t) for part in self.parts])
        return self._average((levels - self._average(levels)) ** 2)
