"""Predictive distributions that are weighted samples: neighbours, leaves of a forest, residuals of other rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.stats.distributions.predictive.predictive import Floats, Predictive, block_rows
from assay.types import RowIndex

__all__ = ["Empirical", "ShiftedSample"]

SLACK = 1e-9  # probability by which a sum of weights may miss a level through rounding


class Empirical(Predictive):
    r"""A weighted sample of numbers for each row.

    .. math:: F(t) = \sum_j w_j\,[v_j \le t], \qquad
              \mathrm{crps}(y) = \sum_j w_j|v_j-y| - \sum_j w_jv_j(2C_j-w_j-1)                    \quad (1)

    with the values in ascending order and :math:`C_j = w_1+\dots+w_j`. There is no density; ``logpdf`` is that of a
    Gaussian kernel estimate with Silverman's width :math:`0.9\min(s, \mathrm{iqr}/1.34)\,m^{-1/5}` (m the effective
    size :math:`1/\sum_j w_j^2`), or infinite at the one number of a sample without spread.

    Parameters
    ----------
    values : (n, m) the sample of each row, or (N,) those of all rows end to end
    weights : like values, none negative; None weighs all numbers of a row alike
    offsets : (n + 1,) where the sample of each row begins, if values is one long array

    Examples
    --------
    >>> from assay.stats.distributions.predictive import Empirical
    >>> neighbours = Empirical([[3.0, 1.0, 2.0, 10.0], [5.0, 5.0, 5.0, 5.0]])
    >>> neighbours.mean, neighbours.quantile(0.5), neighbours.crps([2.0, 7.0])
    (array([4., 5.]), array([2., 5.]), array([0.75, 2.  ]))
    """

    discrete = True
    values: Floats
    offsets: np.ndarray

    def __init__(self, values: ArrayLike, weights: ArrayLike | None = None, offsets: ArrayLike | None = None):
        sample = np.asarray(values, dtype=np.float64)
        if offsets is None:
            if sample.ndim != 2 or not sample.shape[1]:
                raise ParameterError(
                    f"Empirical: values must have a row of numbers for each row, got shape {sample.shape}; "
                    "or give offsets."
                )
            starts = np.arange(len(sample) + 1) * sample.shape[1]
        else:
            starts = np.asarray(offsets, dtype=np.int64)
            if sample.ndim != 1 or starts[0] != 0 or starts[-1] != len(sample) or (np.diff(starts) < 1).any():
                raise ParameterError("Empirical: offsets must begin with 0, rise and end with len(values).")
        counts = np.diff(starts)
        w = np.ones(sample.shape) if weights is None else np.asarray(weights, dtype=np.float64)
        if w.shape != sample.shape or not (w >= 0).all() or not np.isfinite(sample).all():
            raise ParameterError("Empirical: values must be finite, and weights as many and not negative.")
        if offsets is None:
            order = np.argsort(sample, axis=1, kind="stable")
            sample = np.take_along_axis(sample, order, axis=1).ravel()
            w = (w if weights is None else np.take_along_axis(w, order, axis=1)).ravel()
        else:
            row = np.repeat(np.arange(len(counts)), counts)
            inner = row[1:] == row[:-1]
            if (inner & (sample[1:] < sample[:-1])).any():
                order = np.lexsort((sample, row))
                sample, w = sample[order], w[order]
        totals = np.add.reduceat(w, starts[:-1])
        if not (totals > 0).all():
            raise ParameterError(f"Empirical: the weights of row {int(np.argmin(totals))} add up to 0.")
        self.values, self.offsets = sample, starts
        self._weights = w / np.repeat(totals, counts)
        self._above = np.cumsum(self._weights)  # row i ends near i + 1

    @classmethod
    def mixture(cls, parts: Sequence[Empirical]) -> Empirical:
        """The mean of several distributions of the same rows: their samples put together, all parts alike.

        >>> from assay.stats.distributions.predictive import Empirical
        >>> Empirical.mixture([Empirical([[1.0, 2.0]]), Empirical([[9.0]])]).quantile([0.5, 0.75])
        array([[2., 9.]])
        """
        rows = np.concatenate([np.repeat(np.arange(len(part)), np.diff(part.offsets)) for part in parts])
        order = np.argsort(rows, kind="stable")
        values = np.concatenate([part.values for part in parts])[order]
        weights = np.concatenate([part.weights for part in parts])[order]
        return cls(values, weights, sum(part.offsets for part in parts))

    @property
    def weights(self) -> Floats:
        """(N,) the probabilities of all values, row by row."""
        return self._weights

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, rows: Any) -> Self:
        chosen = np.arange(len(self))[rows]
        starts, counts = self.offsets[chosen], np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(counts)))
        at = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], counts)
        taken = object.__new__(type(self))
        taken.values, taken._weights, taken.offsets = self.values[at], self._weights[at], offsets
        taken._above = np.cumsum(taken._weights)
        return taken

    def _sums(self, terms: Floats) -> Floats:
        return np.add.reduceat(terms, self.offsets[:-1]) if len(self) else np.zeros(0)

    def _spread_out(self, per_row: Floats) -> Floats:
        return np.repeat(per_row, np.diff(self.offsets))

    @property
    def mean(self) -> Floats:
        first = self.values[self.offsets[:-1]]
        return first + self._sums(self._weights * (self.values - self._spread_out(first)))

    @property
    def sd(self) -> Floats:
        return np.sqrt(self._sums(self._weights * (self.values - self._spread_out(self.mean)) ** 2))

    def _quantile(self, p: float) -> Floats:
        before = np.concatenate(([0.0], self._above[self.offsets[1:-1] - 1]))
        at = np.searchsorted(self._above, before + p - SLACK, side="left")
        return self.values[np.clip(at, self.offsets[:-1], self.offsets[1:] - 1)]

    def _cdf(self, y: Floats) -> Floats:
        return np.minimum(self._sums(self._weights * (self.values <= self._spread_out(y))), 1.0)

    def _cdf_below(self, y: Floats) -> Floats:
        return np.minimum(self._sums(self._weights * (self.values < self._spread_out(y))), 1.0)

    def _logpdf(self, y: Floats) -> Floats:
        sd = self.sd
        iqr = (self._quantile(0.75) - self._quantile(0.25)) / 1.34
        size = 1 / self._sums(self._weights**2)
        width = 0.9 * np.where(iqr > 0, np.minimum(sd, iqr), sd) * size**-0.2
        point = width <= 0
        safe = np.where(point, 1.0, width)
        z = (self._spread_out(y) - self.values) / self._spread_out(safe)
        logs = -0.5 * z * z
        top = np.maximum.reduceat(logs, self.offsets[:-1])
        total = self._sums(self._weights * np.exp(logs - self._spread_out(top)))
        smooth = top + np.log(total) - np.log(safe) - 0.5 * np.log(2 * np.pi)
        at_point = np.where(y == self.values[self.offsets[:-1]], np.inf, -np.inf)
        return np.where(point, at_point, smooth)

    def _crps(self, y: Floats) -> Floats:
        away = self.values - self._spread_out(y)
        w = self._weights
        before = np.concatenate(([0.0], self._above[self.offsets[1:-1] - 1]))
        cumulative = self._above - self._spread_out(before)
        score = self._sums(w * np.abs(away)) - self._sums(w * away * (2 * cumulative - w - 1))  # (1)
        return np.maximum(score, 0.0)


class ShiftedSample(Predictive):
    r"""One sample of errors for all rows, moved to the prediction of each row and stretched by its scale.

    .. math:: Y_i = m_i + s_i E, \qquad E \text{ drawn from } e_1, \dots, e_m                    \quad (1)

    It takes the memory of the m errors and two numbers a row. ``logpdf`` is that of the kernel estimate of
    :class:`Empirical`.

    Parameters
    ----------
    location : (n,) the predictions      errors : (m,) the sample      scale : (n,) above 0, default 1
    weights : (m,) of the errors, none negative; default all alike

    Examples
    --------
    >>> from assay.stats.distributions.predictive import ShiftedSample
    >>> ShiftedSample([10.0, 20.0], [-1.0, 0.0, 2.0]).quantile([0.1, 0.5, 0.9])
    array([[ 9., 10., 12.],
           [19., 20., 22.]])
    """

    parameters = ("location", "scale")
    discrete = True
    location: Floats
    scale: Floats

    def __init__(
        self,
        location: ArrayLike,
        errors: ArrayLike,
        scale: ArrayLike = 1.0,
        weights: ArrayLike | None = None,
    ):
        self._keep(location=location, scale=scale)
        self._require("location", -np.inf)
        self._require("scale", 0)
        w = None if weights is None else np.asarray(weights, dtype=np.float64)[None]
        self._sample = Empirical(np.asarray(errors, dtype=np.float64)[None], w)

    @property
    def errors(self) -> Floats:
        """(m,) the sample of errors, in ascending order."""
        return self._sample.values

    def take(self, rows: RowIndex) -> Self:
        taken = super().take(rows)
        taken._sample = self._sample
        return taken

    @property
    def mean(self) -> Floats:
        return self.location + self.scale * self._sample.mean

    @property
    def sd(self) -> Floats:
        return self.scale * self._sample.sd

    def _quantile(self, p: float) -> Floats:
        return self.location + self.scale * self._sample._quantile(p)

    def _cdf(self, y: Floats) -> Floats:
        return self._share(y, "right")

    def _cdf_below(self, y: Floats) -> Floats:
        return self._share(y, "left")

    def _share(self, y: Floats, side: Any) -> Floats:
        z = (y - self.location) / self.scale
        cumulative = np.concatenate(([0.0], self._sample._above))
        return np.minimum(cumulative[np.searchsorted(self.errors, z, side=side)], 1.0)

    def _logpdf(self, y: Floats) -> Floats:
        z = (y - self.location) / self.scale
        logs = np.empty(len(z))
        for rows in block_rows(len(z), len(self.errors)):
            logs[rows] = self._sample.take(np.zeros(len(z[rows]), np.int64))._logpdf(z[rows])
        return logs - np.log(self.scale)

    def _crps(self, y: Floats) -> Floats:
        z = (y - self.location) / self.scale
        errors, w = self.errors, self._sample.weights
        below = np.concatenate(([0.0], np.cumsum(w)))
        partial = np.concatenate(([0.0], np.cumsum(w * errors)))
        at = np.searchsorted(errors, z, side="right")
        distance = z * (2 * below[at] - below[-1]) + partial[-1] - 2 * partial[at]
        half = float((w * errors * (2 * below[1:] - w - 1)).sum())
        return np.maximum(self.scale * (distance - half), 0.0)
