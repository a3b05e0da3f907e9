"""The predictive distribution of a target, from that of an increasing function of it, by change of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import ndtr

from assay.stats.distributions.predictive.empirical import Empirical
from assay.stats.distributions.predictive.predictive import Floats, Predictive, block_rows

__all__ = ["IncreasingMap", "TransformedDistribution", "change_of_variables"]

REACH = 8.0  # standard normal quantiles between which distributions are integrated
NODES = 513


class IncreasingMap(Protocol):
    """What a change of variables needs of the map z = h(y)."""

    def transform(self, y: np.ndarray) -> np.ndarray:
        """z = h(y)."""

    def inverse_transform(self, z: np.ndarray) -> np.ndarray:
        """y."""

    def log_derivative(self, y: np.ndarray) -> np.ndarray:
        """log h'(y)."""

    def within(self, y: np.ndarray) -> np.ndarray:
        """Whether y lies in the domain of h."""


class TransformedDistribution(Predictive):
    r"""The distribution of y for n rows, when that of z = h(y / f) is known, with an increasing h and factors f.

    .. math:: F_y(y) = F_z(h(y/f)), \quad p_y(y) = p_z(h(y/f))\,h'(y/f)/f, \quad q_y(p) = f\,h^{-1}(q_z(p))

    Mean, standard deviation and continuous ranked probability score are integrals over quantiles (trapezoids in the
    normal quantile from -8 to 8: exact to rounding for smooth maps of normal distributions; what has less probability
    than 1e-15 on either side is left out, so that a mean which is infinite in theory is large here).

    Parameters
    ----------
    inner : predictive distribution of z
    map : with ``transform``, ``inverse_transform``, ``log_derivative`` and ``within``
    factor : (n,) positive numbers, default None
        What each row's y is divided by first.

    Examples
    --------
    The logarithm is normal with mean 0 and standard deviation 1, so the median is 1 and the mean exp(1/2):

    >>> import numpy as np
    >>> from assay.stats.distributions.predictive import Normal, TransformedDistribution
    >>> class Log:
    ...     transform = staticmethod(np.log)
    ...     inverse_transform = staticmethod(np.exp)
    >>> y = TransformedDistribution(Normal([0.0], 1.0), Log())
    >>> y.quantile(0.5).round(6), y.mean.round(6)
    (array([1.]), array([1.648721]))

    See Also
    --------
    Normal, TransformedTargetRegressor

    References
    ----------
    - Gneiting, T. and Raftery, A. E. (2007). Strictly Proper Scoring Rules, Prediction, and Estimation. Journal of the
      American Statistical Association 102, 359-378.
    """

    def __init__(self, inner: Any, map: IncreasingMap, factor: np.ndarray | None = None):
        self.inner, self.map, self.factor = inner, map, factor
        self.discrete = bool(getattr(inner, "discrete", False))  # type: ignore[misc]

    def __len__(self) -> int:
        return len(self.inner.quantile(0.5))

    @property
    def mean(self) -> Floats:
        """(n,) the expected number."""
        shares = _nodes()[1]
        return self._by_blocks(lambda quantiles, rows: quantiles @ shares)

    @property
    def sd(self) -> Floats:
        """(n,) the standard deviation."""
        shares = _nodes()[1]

        def of_block(quantiles: np.ndarray, rows: slice) -> np.ndarray:
            return np.sqrt((quantiles - (quantiles @ shares)[:, None]) ** 2 @ shares)

        return self._by_blocks(of_block)

    def take(self, rows: Any) -> Self:
        """The distributions of some rows."""
        factor = None if self.factor is None else self.factor[rows]
        return type(self)(self.inner.take(rows), self.map, factor)

    def _quantile(self, p: float) -> Floats:
        y = self.map.inverse_transform(np.asarray(self.inner.quantile(p)))
        return y if self.factor is None else y * self.factor

    def _cdf(self, y: Floats) -> Floats:
        scaled, inside = self._scaled(y)
        return np.where(inside, self.inner.cdf(self.map.transform(scaled)), 0.0)

    def _logpdf(self, y: Floats) -> Floats:
        scaled, inside = self._scaled(y)
        density = self.inner.logpdf(self.map.transform(scaled)) + self.map.log_derivative(scaled)
        if self.factor is not None:
            density = density - np.log(self.factor)
        return np.where(inside, density, -np.inf)

    def _crps(self, y: Floats) -> Floats:
        at, shares = _nodes()
        ranks = 2 * ndtr(at) - 1

        def of_block(quantiles: np.ndarray, rows: slice) -> np.ndarray:
            away = np.abs(quantiles - y[rows, None]) @ shares
            if not self.discrete:
                away -= _of_the_kink(quantiles, y[rows])
            return away - quantiles @ (shares * ranks)

        return self._by_blocks(of_block)

    def _scaled(self, y: Floats) -> tuple[Floats, np.ndarray]:
        """y in the unit of the map, any number of the domain in place of those outside; and which are inside."""
        scaled = y if self.factor is None else y / self.factor
        inside = np.asarray(self.map.within(scaled))
        return np.where(inside, scaled, 1.0), inside

    def _by_blocks(self, work: Callable[[np.ndarray, slice], np.ndarray]) -> np.ndarray:
        """What ``work`` makes of the quantiles at the nodes, a block of rows at a time."""
        probabilities = ndtr(_nodes()[0])
        answers = []
        for rows in block_rows(len(self), NODES):
            block = self.take(np.arange(rows.start, rows.stop))
            answers.append(work(block.quantile(probabilities), rows))
        return np.concatenate(answers)


def change_of_variables(inner: Any, map: IncreasingMap, factor: np.ndarray | None = None) -> Predictive:
    """The distribution of y, when that of z = h(y / f) is ``inner``: of a sample the sample of the y.

    >>> import numpy as np
    >>> from assay.stats.distributions.predictive import Empirical
    >>> from assay.stats.distributions.predictive.transformed import change_of_variables
    >>> class Log:
    ...     inverse_transform = staticmethod(np.exp2)
    >>> change_of_variables(Empirical([[0.0, 1.0, 2.0]]), Log(), np.array([10.0])).values
    array([10., 20., 40.])
    """
    if not isinstance(inner, Empirical):
        return TransformedDistribution(inner, map, factor)
    values = map.inverse_transform(inner.values)
    if factor is not None:
        values = values * np.repeat(factor, np.diff(inner.offsets))
    return Empirical(values, inner.weights, inner.offsets)


def _of_the_kink(quantiles: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n,) what the trapezoids of |q - y| have too much, because the slope jumps where q passes y.

    With the jump at the share s of a step h between nodes it is slope h^2 (s (1 - s) - 1/6), to the third order.
    """
    shares = _nodes()[1]
    rows = np.arange(len(y))
    k = np.clip((quantiles <= y[:, None]).sum(axis=1) - 1, 0, NODES - 2)
    low, high = quantiles[rows, k], quantiles[rows, k + 1]
    crossed = (low <= y) & (y < high)
    step = np.where(crossed, high - low, 1.0)
    s = np.where(crossed, (y - low) / step, 0.0)
    density = (1 - s) * shares[k] + s * shares[k + 1]  # of a node: h times that of the quantile
    return np.where(crossed, step * density * (s * (1 - s) - 1 / 6), 0.0)


def _nodes() -> tuple[np.ndarray, np.ndarray]:
    """Normal quantiles in even steps, and their shares of probability, which sum to 1."""
    at = np.linspace(-REACH, REACH, NODES)
    density = np.exp(-(at**2) / 2)
    return at, density / density.sum()
