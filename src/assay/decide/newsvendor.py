"""The newsvendor's decision: how much to provide, if each unit too few and each unit too many has its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import check_weights, plain_values
from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.checks import is_number
from assay.types import Floats, TableLike, Target, Weights

__all__ = ["Newsvendor", "newsvendor"]

FAR_TAIL = 1e-13  # probability beyond the number from which distances are measured


@dataclass(frozen=True)
class Newsvendor(Sentence):
    """What :func:`newsvendor` decided.

    Attributes
    ----------
    amount : (n,) how much to provide for each row
    level : the quantile that this is, under / (under + over)
    under, over : costs of a unit too few and of a unit too many
    expected_cost : (n,) what the amount costs on average, by the predicted distribution; None if that is not known
    """

    amount: np.ndarray
    level: float
    under: float
    over: float
    expected_cost: np.ndarray | None = None

    def cost(self, truth: Target) -> np.ndarray:
        """(n,) what each amount cost, now that the true numbers are known.

        >>> from assay.decide import newsvendor
        >>> newsvendor([[8.0, 11.0]], levels=[0.5, 0.8], under=4, over=1).cost([10.0])
        array([1.])
        """
        y = np.asarray(plain_values(truth), dtype=np.float64)
        if y.shape != self.amount.shape:
            raise DataError(
                f"{len(self.amount)} amounts and true numbers of shape {y.shape}.", who="Newsvendor"
            )
        if not np.isfinite(y).all():
            raise DataError("a true number is NaN or infinite.", who="Newsvendor")
        return unit_costs(y, self.amount, self.under, self.over)

    def mean_cost(self, truth: Target, sample_weight: Weights | None = None) -> float:
        """What the amounts cost on average, now that the true numbers are known.

        >>> from assay.decide import newsvendor
        >>> newsvendor([[8.0, 11.0]], levels=[0.5, 0.8], under=4, over=1).mean_cost([13.0])
        8.0
        """
        cost = self.cost(truth)
        return float(np.average(cost, weights=check_weights(sample_weight, len(cost), "Newsvendor")))

    def __str__(self) -> str:
        amount = f"{self.amount[0]:.4g}" if len(self.amount) == 1 else f"{self.amount.mean():.4g} on average"
        expected = "" if self.expected_cost is None else f", expected cost {self.expected_cost.mean():.4g}"
        return (
            f"Provide {amount}: the quantile {self.level:.4g}, at {self.under:g} a unit too few and {self.over:g} a "
            f"unit too many{expected}."
        )


def newsvendor(
    predicted: Any,
    X: TableLike | None = None,
    *,
    under: float,
    over: float,
    levels: ArrayLike | None = None,
) -> Newsvendor:
    r"""The amount that costs least on average, if it has to be chosen before the number is known.

    A unit too few costs :math:`c_u` (a sale lost), a unit too many :math:`c_o` (stock left over). The expected cost

    .. math:: C(q) = c_u\,E(Y-q)_+ + c_o\,E(q-Y)_+                                                \quad (1)

    is least at the critical fractile, the quantile :math:`c_u/(c_u+c_o)` of the predicted distribution. From a
    distribution's CRPS, :math:`E|Y-q| - E|Y-q_0| = \mathrm{crps}(q) - \mathrm{crps}(q_0)`, the cost follows exactly.

    Parameters
    ----------
    predicted : predictive distribution of n rows; or (n, P) predicted quantiles of the ``levels``; or a fitted
        regressor with ``predict_distribution`` or ``predict_interval``
    X : the rows, for a regressor
    under, over : costs of one unit, above 0
    levels : (P,) rising, between 0 and 1. Between two levels the quantile is interpolated; beyond the outer ones
        nothing is known, so that the expected cost counts no worse case than these

    Examples
    --------
    Demand is normal with mean 100 and standard deviation 20; a lost sale costs 4, a leftover 1:

    >>> from assay.decide import newsvendor
    >>> from assay.stats.distributions.predictive import Normal
    >>> print(newsvendor(Normal([100.0], 20.0), under=4, over=1))
    Provide 116.8: the quantile 0.8, at 4 a unit too few and 1 a unit too many, expected cost 28.

    See Also
    --------
    decide, expected_utility

    References
    ----------
    - Arrow, K. J., Harris, T. and Marschak, J. (1951). Optimal inventory policy. Econometrica 19(3), 250-272.
    - Gneiting, T. and Raftery, A. E. (2007). Strictly Proper Scoring Rules, Prediction, and Estimation. Journal of the
      American Statistical Association 102, 359-378.
    """
    who = "newsvendor"
    for name, cost in (("under", under), ("over", over)):
        if not is_number(cost) or not 0 < cost < np.inf:
            raise ParameterError(
                f"{name}, the cost of a unit, must be a number above 0, got {cost!r}.", who=who
            )
    under, over = float(under), float(over)
    level = 1 / (1 + over / under)
    if X is not None:
        if not hasattr(predicted, "predict_distribution"):
            amount = _end_of_interval(predicted, X, level, who)
            return Newsvendor(amount, level, under, over)
        predicted = predicted.predict_distribution(X)
    if hasattr(predicted, "cdf") and hasattr(predicted, "crps"):
        amount = predicted.quantile(level)
        return Newsvendor(amount, level, under, over, expected_unit_cost(predicted, amount, under, over))
    if levels is None:
        raise ParameterError(
            "predicted must be a predictive distribution, a regressor with its rows X, or quantiles with "
            "their levels=.",
            who=who,
        )
    p, Q = _check_quantiles(predicted, levels, who)
    if not p[0] <= level <= p[-1]:
        raise ParameterError(
            f"the costs ask for the quantile {level:.4g}, the levels end at {p[0]:g} and {p[-1]:g}. Predict it, too.",
            who=who,
        )
    at = int(np.clip(np.searchsorted(p, level), 1, max(len(p) - 1, 1)))
    if len(p) == 1:
        amount = Q[:, 0]
    else:
        share = (level - p[at - 1]) / (p[at] - p[at - 1])
        amount = (1 - share) * Q[:, at - 1] + share * Q[:, at]
    return Newsvendor(amount, level, under, over, _cost_of_quantiles(p, Q, level, amount, under, over))


def unit_costs(truth: Floats, amount: Floats, under: float, over: float) -> Floats:
    """(n,) ``under`` times each unit that an amount is too low, ``over`` times each unit that it is too high."""
    short = truth - amount
    excess = -over * short
    short *= under
    return np.maximum(short, excess, out=short)


def expected_unit_cost(distribution: Any, amount: Any, under: float, over: float) -> Floats:
    """(n,) the expected cost (1) of any amount, by a predictive distribution.

    >>> from assay.decide.newsvendor import expected_unit_cost
    >>> from assay.stats.distributions.predictive import Poisson
    >>> expected_unit_cost(Poisson([1.0]), [0.0], under=4, over=1)     # of no stock, each sale is lost
    array([4.])
    """
    mean, q = distribution.mean, np.asarray(amount, dtype=np.float64)
    distance = _mean_distance(distribution, q)
    short, excess = np.maximum(distance + mean - q, 0) / 2, np.maximum(distance - mean + q, 0) / 2
    cost: Floats = under * short + over * excess
    return cost


def _mean_distance(distribution: Any, q: Floats) -> Floats:
    """(n,) E|Y - q|, from the score of q and that of a number beyond nearly all of Y."""
    from assay.stats.distributions.predictive import Student

    if isinstance(distribution, Student):  # its tail is too heavy to find such a number
        return _student_distance(distribution, q)
    far = distribution.quantile(1 - FAR_TAIL)
    far = np.maximum(far, q)
    distance: Floats = distribution.crps(q) - distribution.crps(far) + (far - distribution.mean)
    return distance


def _student_distance(t: Any, q: np.ndarray) -> np.ndarray:
    """E|Y - q| = s (2 f(z)(v + z^2)/(v - 1) + z (2 F(z) - 1)), z = (q - m)/s; infinite up to one degree of freedom."""
    points = t.scale == 0
    scale = np.where(points, 1.0, t.scale)
    z = (q - t.location) / scale
    with np.errstate(divide="ignore", invalid="ignore"):
        density = np.exp(t.logpdf(q)) * scale
        tails = np.where(np.isinf(t.dof), 1.0, (t.dof + z * z) / (t.dof - 1))
        distance = scale * (2 * density * tails + z * (2 * t.cdf(q) - 1))
    return np.where(points, np.abs(q - t.location), np.where(t.dof > 1, distance, np.inf))


def _end_of_interval(model: Any, X: Any, level: float, who: str) -> np.ndarray:
    """(n,) the quantile as the end of a prediction interval with as much probability on its other side."""
    if abs(level - 0.5) < 1e-12:
        return np.asarray(model.predict(X), dtype=np.float64)
    if not hasattr(model, "predict_interval"):
        raise ParameterError(
            f"{type(model).__name__} has neither predict_distribution nor predict_interval. Wrap it: "
            f"ConformalRegressor({type(model).__name__}()).",
            who=who,
        )
    ends = np.asarray(model.predict_interval(X, coverage=abs(2 * level - 1)), dtype=np.float64)
    return ends[:, int(level > 0.5)]


def _check_quantiles(predicted: Any, levels: Any, who: str) -> tuple[np.ndarray, np.ndarray]:
    p, Q = (
        np.atleast_1d(np.asarray(levels, dtype=np.float64)),
        np.asarray(plain_values(predicted), dtype=np.float64),
    )
    if p.ndim != 1 or not len(p) or not ((p > 0) & (p < 1)).all() or (np.diff(p) <= 0).any():
        raise ParameterError(f"levels must rise from above 0 to below 1, got {levels!r}.", who=who)
    if Q.ndim != 2 or Q.shape[1] != len(p) or not len(Q):
        raise DataError(f"{len(p)} levels need quantiles of shape (n, {len(p)}), got {Q.shape}.", who=who)
    if not np.isfinite(Q).all():
        raise DataError("a predicted quantile is NaN or infinite.", who=who)
    return p, np.sort(Q, axis=1)  # quantiles that cross are put in order


def _cost_of_quantiles(
    p: Floats, Q: Floats, level: float, amount: Floats, under: float, over: float
) -> Floats:
    """(n,) the cost if the number lies on straight lines between the quantiles, and not beyond them: trapezoids."""
    nodes = np.concatenate([[0.0], p, [1.0], [level]])
    values = np.column_stack([Q[:, 0], Q, Q[:, -1], amount])
    order = np.argsort(nodes, kind="stable")
    nodes, values = nodes[order], values[:, order]
    slopes = np.where(nodes[:-1] < level, -over, under)  # of the distance from the amount, on either side
    distance = (values[:, :-1] + values[:, 1:]) / 2 - amount[:, None]
    cost: Floats = (distance * slopes * np.diff(nodes)).sum(axis=1)
    return cost
