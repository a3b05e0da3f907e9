"""The Chinese restaurant process: partitions whose number of groups grows with the rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import digamma, gammaln

from assay.core.parameters import check_count
from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.types import RandomState

__all__ = ["ChineseRestaurant", "stick_breaking"]

SUMMED = 100_000  # terms up to which expected tables are added up, without the cancellation of a formula
STICKS_AT_ONCE = 1 << 16
MOST_STICKS = 1_000_000  # that stick_breaking breaks before it gives up


class ChineseRestaurant:
    r"""Random partitions: each customer joins a table with a probability in proportion to those who sit there.

    With :math:`n_k` customers at table k and n - 1 in all, customer n sits

    .. math:: P(\text{table } k) = \frac{n_k}{\alpha + n - 1}, \qquad P(\text{a new table}) = \frac\alpha{\alpha+n-1}
              \quad (1)

    The order of arrival does not matter: a partition into tables of sizes :math:`n_1 \dots n_K` has the probability

    .. math:: \frac{\Gamma(\alpha)}{\Gamma(\alpha+n)}\,\alpha^K \prod_k \Gamma(n_k) \quad (2)

    and the expected number of tables is :math:`\sum_{i<n}\alpha/(\alpha+i)`, about :math:`\alpha\ln(1 + n/\alpha)`. It
    is the prior of who belongs together in a Dirichlet process mixture.

    Parameters
    ----------
    alpha : float above 0, default 1
        The concentration: the larger, the more tables.

    Examples
    --------
    >>> from assay.mixture import ChineseRestaurant
    >>> restaurant = ChineseRestaurant(1.0)
    >>> restaurant.next_table([3, 1]).round(3)
    array([0.6, 0.2, 0.2])
    >>> round(restaurant.probability([2, 2]) * 24, 12)
    1.0
    >>> (restaurant.table_distribution(4) * 24).round(9).tolist()
    [6.0, 11.0, 6.0, 1.0]
    >>> round(restaurant.expected_tables(100), 4)
    5.1874

    See Also
    --------
    DirichletProcessMixture, stick_breaking

    References
    ----------
    - Aldous, D. J. (1985). Exchangeability and related topics. École d'Été de Probabilités de Saint-Flour XIII, 1-198.
      Springer. doi:10.1007/BFb0099421
    - Antoniak, C. E. (1974). Mixtures of Dirichlet processes with applications to Bayesian nonparametric problems. The
      Annals of Statistics 2(6), 1152-1174. doi:10.1214/aos/1176342871
    """

    def __init__(self, alpha: float = 1.0):
        _check_alpha(alpha, "ChineseRestaurant")
        self.alpha = float(alpha)

    def __repr__(self) -> str:
        return f"ChineseRestaurant(alpha={self.alpha:g})"

    def sample(self, n: int, random_state: RandomState = None) -> np.ndarray:
        """(n,) the table of each of n customers, numbered in the order in which tables are taken."""
        _whole(n, "n")
        rng = as_generator(random_state, "ChineseRestaurant")
        tables = np.zeros(n, dtype=np.int64)
        taken = 1
        for i, u in enumerate(
            rng.uniform(size=n)[1:], 1
        ):  # a new table, or that of a customer drawn at random
            place = u * (self.alpha + i) - self.alpha
            tables[i] = taken if place < 0 else tables[min(int(place), i - 1)]  # (1)
            taken += place < 0
        return tables

    def next_table(self, sizes: ArrayLike) -> np.ndarray:
        """(K + 1,) where the next customer sits, by the sizes of the K tables: at each of them, or at a new one."""
        counts = _sizes(sizes)
        return np.append(counts, self.alpha) / (self.alpha + counts.sum())  # (1)

    def log_probability(self, sizes: ArrayLike) -> float:
        """The logarithm of (2), of one partition into tables of these sizes."""
        counts = _sizes(sizes)
        n = counts.sum()
        return float(
            gammaln(self.alpha)
            - gammaln(self.alpha + n)
            + len(counts) * np.log(self.alpha)
            + gammaln(counts).sum()
        )

    def probability(self, sizes: ArrayLike) -> float:
        """The probability (2) of one partition into tables of these sizes."""
        return float(np.exp(self.log_probability(sizes)))

    def expected_tables(self, n: int) -> float:
        """The expected number of tables of n customers."""
        _whole(n, "n")
        if n <= SUMMED:
            return float(np.sum(self.alpha / (self.alpha + np.arange(n))))
        return float(self.alpha * (digamma(self.alpha + n) - digamma(self.alpha)))

    def table_distribution(self, n: int) -> np.ndarray:
        """(n,) the probability that n customers take 1, 2, ..., n tables; O(n^2)."""
        _whole(n, "n")
        shares = np.zeros(n)
        shares[0] = 1.0
        for i in range(1, n):
            stay = shares * (i / (self.alpha + i))
            stay[1:] += shares[:-1] * (self.alpha / (self.alpha + i))
            shares = stay
        return shares

    @classmethod
    def from_expected_tables(cls, tables: float, n: int) -> ChineseRestaurant:
        """The process with that expected number of tables of n customers: alpha of maximum likelihood, given tables.

        >>> from assay.mixture import ChineseRestaurant
        >>> ChineseRestaurant.from_expected_tables(5.18737752, 100)
        ChineseRestaurant(alpha=1)
        """
        _whole(n, "n")
        if not 1 < tables < n:
            raise ParameterError(
                f"tables must be above 1 and below n = {n}, got {tables!r}.", who="ChineseRestaurant"
            )

        def excess(log_alpha: float) -> float:
            return cls(np.exp(log_alpha)).expected_tables(n) - tables

        return cls(float(np.exp(brentq(excess, -30.0, 30.0, xtol=1e-12))))


def stick_breaking(alpha: float, *, tolerance: float = 1e-6, random_state: RandomState = None) -> np.ndarray:
    r"""Weights of a Dirichlet process: pieces broken off a stick of length one, until less than ``tolerance`` is left.

    .. math:: v_k \sim \mathrm{beta}(1, \alpha), \qquad \pi_k = v_k \prod_{j<k}(1 - v_j)

    The last entry is what is left, so that the weights sum to 1.

    Parameters
    ----------
    alpha : float above 0
        The concentration: the larger, the smaller the pieces.
    tolerance : float from 0 to 1, default 1e-6
    random_state : int, Generator, RandomState or None, default None

    Examples
    --------
    >>> from assay.mixture import stick_breaking
    >>> weights = stick_breaking(1.0, tolerance=1e-3, random_state=0)
    >>> round(float(weights.sum()), 12), bool(weights[-1] < 1e-3)
    (1.0, True)

    See Also
    --------
    ChineseRestaurant, BayesianGaussianMixture

    References
    ----------
    - Sethuraman, J. (1994). A constructive definition of Dirichlet priors. Statistica Sinica 4, 639-650.
    """
    who = "stick_breaking"
    _check_alpha(alpha, who)
    if not 0 < tolerance < 1:
        raise ParameterError(f"tolerance must be a number between 0 and 1, got {tolerance!r}.", who=who)
    rng = as_generator(random_state, who)
    pieces: list[np.ndarray] = []
    left, broken = 1.0, 0
    while left >= tolerance:
        size = int(min(max(64, 2 * alpha), STICKS_AT_ONCE))
        shares = rng.beta(1.0, alpha, size=size)
        behind = left * np.cumprod(1 - shares)
        before = np.append(left, behind[:-1])
        enough = np.flatnonzero(behind < tolerance)
        stop = int(enough[0]) + 1 if len(enough) else size
        pieces.append((shares * before)[:stop])
        left, broken = float(behind[stop - 1]), broken + stop
        if broken > MOST_STICKS:
            raise ParameterError(
                f"alpha = {alpha:g} takes more than {MOST_STICKS:,} pieces; raise tolerance.", who=who
            )
    return np.append(np.concatenate(pieces), left)


def _sizes(sizes: ArrayLike) -> np.ndarray:
    counts = np.asarray(sizes, dtype=np.float64)
    if counts.ndim != 1 or not (counts >= 1).all() or (counts != np.floor(counts)).any():
        raise DataError(
            f"sizes must be whole numbers from 1 up, one for each table, got {sizes!r}.",
            who="ChineseRestaurant",
        )
    return counts


def _check_alpha(alpha: float, who: str) -> None:
    if not (np.isreal(alpha) and 0 < alpha < np.inf):
        raise ParameterError(f"alpha must be a number above 0, got {alpha!r}.", who=who)


def _whole(n: int, name: str) -> None:
    check_count("ChineseRestaurant", name, n)
