"""Forms of measures of predicted numbers: functions of means over rows, quantiles, maxima, distances from a target."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from assay.metrics.estimate import Estimate
from assay.metrics.forms import (
    NOT_DEFINED,
    ONE_ROW,
    SAFE_MEAN,
    Bounds,
    Form,
    IntervalRequest,
    OfOutcome,
    effective_rows,
    on_open_scale,
    scaled_back,
)
from assay.metrics.outcome import Outcome
from assay.stats.estimators.weighted_quantile import weighted_quantile

__all__ = ["OfDistance", "OfMaximum", "OfMeans", "OfMedian"]

Columns = tuple[np.ndarray | tuple[np.ndarray, np.ndarray], ...]
COMPLEX_STEP = 1e-100  # of derivatives; no difference is taken, so that it can be as small as one likes
NO_VARIATION = "the rows show no variation, so the interval has no width"


@dataclass(frozen=True)
class OfMeans:
    r"""A smooth function :math:`g(m_1, \dots, m_q)` of means over rows: R2, a ratio of sums, a correlation.

    The delta method's interval has the rows' influences

    .. math:: l_i = \frac{w_i}{\sum_j w_j}\sum_k \frac{\partial g}{\partial m_k}(v_{ik} - m_k), \qquad
              s^2 = \frac{n}{n-1}\sum_i l_i^2                                                     \quad (1)

    with the effective number of rows n, and Student's quantile on a scale without bounds: the logarithm of the distance
    from the one bound, the log odds between two (Fisher's z for a correlation). A bootstrap resamples the sums.

    Parameters
    ----------
    values : of an Outcome, gives q columns of n values, or None where it lacks what they need; the first two must be
        squares or sizes, never negative, by which it is seen whether the arithmetic stays in range. A pair of columns
        is their product, which the value does not have to compute row by row
    function : g of (..., q) means, made of arithmetic and roots (derivatives are taken by a complex step); the number
        of rows and other facts it may need are columns, too
    degree : by which power of c the value grows if all numbers are multiplied by c; None if it follows no such law

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import OfMeans, Outcome
    >>> def sizes(outcome):
    ...     return np.abs(outcome.answer - outcome.truth), np.abs(outcome.truth)
    >>> relative = OfMeans(sizes, lambda m: m[..., 0] / m[..., 1], degree=0)
    >>> relative(Outcome.of_numbers([2, 8], [3, 9]))
    0.2
    """

    values: Callable[[Outcome], Columns | None]
    function: Callable[[np.ndarray], np.ndarray]
    degree: float | None = None

    def __call__(self, outcome: Outcome) -> float:
        means, unit = self.means(outcome)
        if means is None:
            return float("nan")
        with np.errstate(all="ignore"):
            return float(scaled_back(self.function(means), unit, self.degree))

    def means(self, outcome: Outcome) -> tuple[np.ndarray | None, float]:
        """The means, and the unit that they were computed in."""
        with np.errstate(all="ignore"):
            columns = self.values(outcome)
            if columns is None:
                return None, 1.0
            means = _means(columns, outcome)
            low, high = SAFE_MEAN
            if self.degree is None or (low < min(means[:2]) and max(means[:2]) < high):
                return means, 1.0
            rescaled, unit = outcome.rescaled(always=True)
            columns = self.values(rescaled)
            assert columns is not None
            return _means(columns, rescaled), unit

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        unit = 1.0
        if self.degree is not None:
            outcome, unit = outcome.rescaled()
        with np.errstate(all="ignore"):
            columns = self.values(outcome)
            if columns is None:
                return Estimate(np.nan, alpha=request.alpha, why=NOT_DEFINED)
            V = np.column_stack([c[0] * c[1] if isinstance(c, tuple) else c for c in columns])
            w = outcome.weight
            part = np.full(len(V), 1 / len(V)) if w is None else w / w.sum()
            means = _means(columns, outcome)
            value = float(self.function(means))
            slope = self._gradient(means)
            influence = part * ((V - means) @ slope)
        whole = float(scaled_back(value, unit, self.degree))
        if not np.isfinite(value):
            return Estimate(whole, alpha=request.alpha, why=NOT_DEFINED)
        if request.analytic:
            n = effective_rows(part)
            if len(V) < 2 or n <= 1:
                return Estimate(whole, alpha=request.alpha, why=ONE_ROW)
            if not np.isfinite(influence).all():
                return Estimate(whole, alpha=request.alpha, why=NO_VARIATION)
            spread = float(np.sqrt(influence @ influence * n / (n - 1)))  # (1)
            ends = on_open_scale(value, spread, n - 1, request.alpha, limits)
            low, high = (float(scaled_back(end, unit, self.degree)) for end in ends)
            why = "" if spread > 0 else NO_VARIATION
            return Estimate(whole, low, high, "delta method", request.alpha, why)
        planned = request.plan(len(V))
        mass = np.ones(len(V)) if w is None else w
        sums = planned.sums(np.column_stack([mass[:, None] * V, mass]))
        with np.errstate(all="ignore"):
            resampled = scaled_back(self.function(sums[:, :-1] / sums[:, -1:]), unit, self.degree)
        resampled = np.where(np.isfinite(resampled), resampled, np.nan)
        return request.of_resamples(whole, resampled, planned, request.kind(), limits,
                                    (influence, np.ones(len(V))))  # fmt: skip

    def influence(self, outcome: Outcome) -> np.ndarray | None:
        """(n,) what each row adds to the measure beyond its value, n times over, weights aside; None if undefined."""
        unit = 1.0
        if self.degree is not None:
            outcome, unit = outcome.rescaled()
        with np.errstate(all="ignore"):
            columns = self.values(outcome)
            if columns is None:
                return None
            V = np.column_stack([c[0] * c[1] if isinstance(c, tuple) else c for c in columns])
            means = V.mean(axis=0)
            shares: np.ndarray = scaled_back((V - means) @ self._gradient(means), unit, self.degree)
        return shares if np.isfinite(shares).all() else None

    def _gradient(self, means: np.ndarray) -> np.ndarray:
        """(q,) derivatives of the function, exact to rounding: Im g(m + ih) / h."""
        steps = means + 1j * COMPLEX_STEP * np.eye(len(means))
        return np.imag(self.function(steps)) / COMPLEX_STEP


def _means(columns: Columns, outcome: Outcome) -> np.ndarray:
    return np.array([outcome.mean_product(*c) if isinstance(c, tuple) else outcome.mean(c) for c in columns])


@dataclass(frozen=True)
class OfMedian:
    r"""The median over rows of a value of each: the interval between two order statistics.

    Of n independent rows, the number with values below the true median is binomial with chance 1/2, so that
    :math:`v_{(k)}` to :math:`v_{(n+1-k)}` covers it with :math:`1 - 2P(B < k) \ge 1-\alpha`, whatever the values'
    distribution; weighted rows use the effective number of rows (Woodruff 1952).

    Parameters
    ----------
    values : of an Outcome, gives (n,) values, an array of their own, whose order need not be kept
    degree : as in :class:`OfMeans`

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import Outcome
    >>> from assay.metrics.number_forms import OfMedian
    >>> middle = OfMedian(lambda outcome: np.abs(outcome.answer - outcome.truth), degree=1)
    >>> middle(Outcome.of_numbers([1, 2, 3], [1, 3, 9]))
    1.0
    """

    values: Callable[[Outcome], np.ndarray]
    degree: float | None = None

    def __call__(self, outcome: Outcome) -> float:
        with np.errstate(over="ignore"):
            values = self.values(outcome)
            value = self._median(values, outcome.weight)
        if np.isfinite(value) or self.degree is None:
            return value
        rescaled, unit = outcome.rescaled(always=True)
        return float(scaled_back(self._median(self.values(rescaled), rescaled.weight), unit, self.degree))

    @staticmethod
    def _median(values: np.ndarray, weight: np.ndarray | None) -> float:
        if weight is None:
            return float(np.median(values, overwrite_input=True))
        return float(weighted_quantile(values[:, None], weight)[0])

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        if not request.analytic:
            return OfOutcome(self).interval(outcome, request, limits)
        from scipy.special import bdtr

        outcome, unit = outcome.rescaled()
        values, w = self.values(outcome), outcome.weight
        counted = slice(None) if w is None else w > 0
        values = values[counted]
        order = np.argsort(values, kind="stable")
        ranked = values[order]
        part = np.full(len(values), 1 / len(values)) if w is None else w[counted][order] / w.sum()
        n = len(values)
        if w is not None:
            n = int(effective_rows(part) + 1e-9 * n)  # what rounding took below a whole number
        below = bdtr(np.arange(n // 2 + 1), n, 0.5)  # P(B <= k)
        rank = int(
            np.searchsorted(below, request.alpha / 2, side="right")
        )  # the largest k with P(B < k) <= alpha / 2
        value = self._median(values, None if w is None else w[counted])
        if rank < 1:
            needed = int(np.ceil(1 - np.log2(request.alpha)))
            why = f"an interval of the median needs {needed} rows, or as much in weights; these are as good as {n}"
            return Estimate(float(scaled_back(value, unit, self.degree)), alpha=request.alpha, why=why)
        if w is None:
            low, high = ranked[rank - 1], ranked[n - rank]
        else:
            share = np.cumsum(part)
            last = len(values) - 1
            low = ranked[min(int(np.searchsorted(share, rank / n - 1e-12)), last)]
            high = ranked[min(int(np.searchsorted(share, (n - rank) / n + 1e-12)), last)]
        value, low, high = (float(scaled_back(v, unit, self.degree)) for v in (value, low, high))
        return Estimate(value, low, high, "order statistics", request.alpha)


@dataclass(frozen=True)
class OfMaximum:
    """The largest value of any row. It has no interval: more rows can only raise it.

    Parameters
    ----------
    values : of an Outcome, gives (n,) values

    Examples
    --------
    >>> import numpy as np
    >>> from assay.metrics import Outcome
    >>> from assay.metrics.number_forms import OfMaximum
    >>> OfMaximum(lambda outcome: np.abs(outcome.answer - outcome.truth))(Outcome.of_numbers([1, 2, 3], [1, 3, 9]))
    6.0
    """

    values: Callable[[Outcome], np.ndarray]

    def __call__(self, outcome: Outcome) -> float:
        return float(self.values(outcome).max())

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        share = request.alpha ** (1 / len(outcome.truth))
        why = f"more rows can only raise it; of all rows, {share:.2%} or more have no larger one"
        return Estimate(self(outcome), alpha=request.alpha, why=why)


def zero(outcome: Outcome) -> float:
    """The target of a measure that ought to be 0."""
    return 0.0


@dataclass(frozen=True)
class OfDistance:
    """How far a measure is from the value it ought to have, with the other measure's interval, folded.

    Parameters
    ----------
    form : the other measure's form
    target : of an Outcome, the value it ought to have; NaN where that is not known

    Examples
    --------
    >>> from assay.metrics import OfRows, Outcome
    >>> from assay.metrics.number_forms import OfDistance
    >>> OfDistance(OfRows(lambda outcome: outcome.answer - outcome.truth))(Outcome.of_numbers([1, 2], [0, 2]))
    0.5
    """

    form: Form
    target: Callable[[Outcome], float] = zero

    def __call__(self, outcome: Outcome) -> float:
        return abs(self.form(outcome) - self.target(outcome))

    def interval(self, outcome: Outcome, request: IntervalRequest, limits: Bounds) -> Estimate:
        centre = self.target(outcome)
        of = self.form.interval(outcome, request, (-np.inf, np.inf))
        value, low, high = of.value - centre, of.low - centre, of.high - centre
        if low < 0 < high:
            low, high = 0.0, max(-low, high)
        else:
            low, high = sorted((abs(low), abs(high)))
        return Estimate(abs(value), low, high, of.method, request.alpha, of.why)
