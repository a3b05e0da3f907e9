"""The predictive distribution of a target, from that of an increasing function of it, by change of variables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import ndtr

__all__ = ["IncreasingMap", "TransformedDistribution"]

REACH = 8.0  # standard normal quantiles between which distributions are integrated
NODES = 513
MOST_CELLS = 1_000_000  # rows times nodes of quantiles in memory at once


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


class TransformedDistribution:
    r"""The distribution of y for n rows, when that of z = h(y / f) is known, with an increasing h and factors f.

    .. math:: F_y(y) = F_z(h(y/f)), \quad p_y(y) = p_z(h(y/f))\,h'(y/f)/f, \quad q_y(p) = f\,h^{-1}(q_z(p))

    Mean, standard deviation and continuous ranked probability score are integrals over quantiles (trapezoids in the
    normal quantile from -8 to 8, which is exact to rounding for smooth maps of normal distributions).

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
    >>> from scipy.stats import norm
    >>> from assay.stats.distributions.transformed import TransformedDistribution
    >>> class StandardNormal:
    ...     def quantile(self, p):
    ...         return np.array([norm.ppf(p)])
    ...     def take(self, rows):
    ...         return self
    >>> class Log:
    ...     inverse_transform = staticmethod(np.exp)
    >>> y = TransformedDistribution(StandardNormal(), Log())
    >>> y.quantile(0.5).round(6), y.mean.round(6)
    (array([1.]), array([1.648721]))
    """

    def __init__(self, inner: Any, map: IncreasingMap, factor: np.ndarray | None = None):
        self.inner, self.map, self.factor = inner, map, factor

    @property
    def mean(self) -> np.ndarray:
        """(n,) the expected value."""
        shares = _nodes()[1]
        return self._by_blocks(lambda quantiles, rows: quantiles @ shares)

    @property
    def sd(self) -> np.ndarray:
        """(n,) the standard deviation."""
        shares = _nodes()[1]

        def of_block(quantiles: np.ndarray, rows: slice) -> np.ndarray:
            return np.sqrt((quantiles - (quantiles @ shares)[:, None]) ** 2 @ shares)

        return self._by_blocks(of_block)

    def quantile(self, p: Any) -> np.ndarray:
        """(n,) the quantile of one probability, or (n, P) of several."""
        return self._back(np.asarray(self.inner.quantile(p)))

    def cdf(self, y: Any) -> np.ndarray:
        """(n,) the probability of at most y."""
        scaled, inside = self._scaled(y)
        below = np.asarray(self.inner.cdf(self.map.transform(scaled)))
        return np.where(inside, below, 0.0)

    def logpdf(self, y: Any) -> np.ndarray:
        """(n,) the logarithm of the density at y; minus infinity outside of the domain."""
        scaled, inside = self._scaled(y)
        density = np.asarray(self.inner.logpdf(self.map.transform(scaled))) + self.map.log_derivative(scaled)
        if self.factor is not None:
            density = density - np.log(self.factor)
        return np.where(inside, density, -np.inf)

    def crps(self, y: Any) -> np.ndarray:
        """(n,) the continuous ranked probability score: E|Y - y| - E|Y - Y'| / 2."""
        y = np.asarray(y, np.float64)
        at, shares = _nodes()
        ranks = 2 * ndtr(at) - 1

        def of_block(quantiles: np.ndarray, rows: slice) -> np.ndarray:
            away = np.abs(quantiles - y[rows, None]) @ shares - _of_the_kink(quantiles, y[rows])
            return away - quantiles @ (shares * ranks)

        return self._by_blocks(of_block)

    def take(self, rows: Any) -> Self:
        """The distributions of some rows."""
        factor = None if self.factor is None else self.factor[rows]
        return type(self)(self.inner.take(rows), self.map, factor)

    def interval(self, coverage: float) -> tuple[np.ndarray, np.ndarray]:
        """The two quantiles between which a share of ``coverage`` lies, with equal shares outside."""
        ends = self.quantile([(1 - coverage) / 2, (1 + coverage) / 2])
        return ends[:, 0], ends[:, 1]

    def _back(self, z: np.ndarray) -> np.ndarray:
        y = self.map.inverse_transform(z)
        if self.factor is None:
            return y
        return y * (self.factor if y.ndim == 1 else self.factor[:, None])

    def _scaled(self, y: Any) -> tuple[np.ndarray, np.ndarray]:
        """y in the unit of the map, any number of the domain in place of those outside; and which are inside."""
        scaled = np.asarray(y, np.float64)
        if self.factor is not None:
            scaled = scaled / self.factor
        inside = np.asarray(self.map.within(scaled))
        return np.where(inside, scaled, 1.0), inside

    def _by_blocks(self, work: Callable[[np.ndarray, slice], np.ndarray]) -> np.ndarray:
        """What ``work`` makes of the quantiles at the nodes, a block of rows at a time."""
        probabilities = ndtr(_nodes()[0])
        n, step = len(self.quantile(0.5)), MOST_CELLS // NODES
        answers = []
        for start in range(0, n, step):
            rows = slice(start, min(start + step, n))
            block = self if n <= step else self.take(np.arange(rows.start, rows.stop))
            answers.append(work(block.quantile(probabilities), rows))
        return np.concatenate(answers)


def _of_the_kink(quantiles: np.ndarray, y: np.ndarray) -> np.ndarray:
    """(n,) what the trapezoids of |q - y| have too much, because the slope jumps where q passes y.

    With the jump at the share s of a step h between nodes it is slope h^2 (s (1 - s) - 1/6), to the third order.
    """
    at, shares = _nodes()
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
