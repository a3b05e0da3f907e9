"""How far a mean of n independent values can be from its expectation: Hoeffding, Chernoff, Bernstein, McDiarmid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import xlogy

from assay.core.seeds import as_generator
from assay.errors import DataError, ParameterError
from assay.theory._checks import (
    above_zero,
    counts,
    not_negative,
    one_count,
    plain,
    rate,
    scalar,
    share,
    whole_up,
)
from assay.types import RandomState

__all__ = [
    "bernstein",
    "chernoff",
    "empirical_bernstein_epsilon",
    "hoeffding",
    "hoeffding_epsilon",
    "hoeffding_sample_size",
    "mcdiarmid",
    "simulate_deviation",
]


def hoeffding(n: ArrayLike, eps: ArrayLike, *, width: ArrayLike = 1.0, sides: int = 2) -> Any:
    r"""Hoeffding's bound on the probability that a mean misses its expectation by more than eps.

    .. math:: P(|\mu - \hat\mu| > \epsilon) \le 2 e^{-2 \epsilon^2 n / w^2}

    for n independent values in an interval of width w, whatever their distribution. A bound of 1 or more
    is vacuous and is returned as 1. For one hypothesis chosen before the sample was seen; for the best of
    many see ``finite_class_bound``.

    Parameters
    ----------
    n : number of values
    eps : float
    width : float
        Of the interval the values come from; 1 for right or wrong.
    sides : 2, or 1 for a miss on one side only (without the factor 2)

    All but ``sides`` may be arrays.

    Examples
    --------
    >>> from assay.theory import hoeffding
    >>> round(hoeffding(100, 0.1), 6), round(hoeffding(1000, 0.05), 6)
    (0.270671, 0.013476)

    See Also
    --------
    hoeffding_epsilon, chernoff, bernstein

    References
    ----------
    - Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American
      Statistical Association 58(301), 13-30. doi:10.1080/01621459.1963.10500830
    """
    who = "hoeffding"
    n, eps, width = counts(n, who, "n"), not_negative(eps, who, "eps"), above_zero(width, who, "width")
    with np.errstate(over="ignore"):  # a miss beyond all measure has probability 0
        return plain(np.minimum(1.0, _sides(sides, who) * np.exp(-2 * (eps / width) ** 2 * n)))


def hoeffding_sample_size(eps: ArrayLike, delta: ArrayLike, *, width: ArrayLike = 1.0, sides: int = 2) -> Any:
    r"""How many values make the mean miss by more than eps with probability delta at most.

    .. math:: n \ge \frac{w^2}{2\epsilon^2} \ln\frac2\delta

    >>> from assay.theory import hoeffding_sample_size
    >>> hoeffding_sample_size(0.1, 0.05)
    185

    See Also
    --------
    hoeffding_epsilon, finite_class_sample_size

    References
    ----------
    - Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American
      Statistical Association 58(301), 13-30. doi:10.1080/01621459.1963.10500830
    """
    who = "hoeffding_sample_size"
    eps, delta, width = (
        above_zero(eps, who, "eps"),
        share(delta, who, "delta"),
        above_zero(width, who, "width"),
    )
    with np.errstate(over="ignore"):  # whole_up refuses what is infinite
        return whole_up((width / eps) ** 2 / 2 * (np.log(_sides(sides, who)) - np.log(delta)), who)


def hoeffding_epsilon(n: ArrayLike, delta: ArrayLike, *, width: ArrayLike = 1.0, sides: int = 2) -> Any:
    r"""Within what distance the mean of n values is from its expectation, with probability 1 - delta.

    .. math:: \epsilon = w \sqrt{\frac1{2n} \ln\frac2\delta}

    >>> from assay.theory import hoeffding_epsilon
    >>> round(hoeffding_epsilon(1000, 0.05), 4)
    0.0429

    See Also
    --------
    hoeffding, hoeffding_sample_size

    References
    ----------
    - Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the American
      Statistical Association 58(301), 13-30. doi:10.1080/01621459.1963.10500830
    """
    who = "hoeffding_epsilon"
    n, delta, width = counts(n, who, "n"), share(delta, who, "delta"), above_zero(width, who, "width")
    return plain(width * np.sqrt((np.log(_sides(sides, who)) - np.log(delta)) / (2 * n)))


def chernoff(n: ArrayLike, p: ArrayLike, eps: ArrayLike, *, side: str = "above") -> Any:
    r"""Chernoff's bound in its tight form: the share of n rows misses its probability p by eps or more, on one side.

    .. math:: P(\hat p \ge p + \epsilon) \le e^{-n\, \mathrm{kl}(p + \epsilon \| p)}, \qquad
              \mathrm{kl}(q \| p) = q \ln\frac qp + (1 - q) \ln\frac{1 - q}{1 - p}

    Never above Hoeffding's one-sided bound, and far below it when p is near 0 or 1; but p must be known.

    Parameters
    ----------
    side : "above" (the share is p + eps or more) or "below" (p - eps or less)

    Examples
    --------
    Ten heads of ten fair throws: the bound is exact.

    >>> from assay.theory import chernoff
    >>> chernoff(10, 0.5, 0.5) == 0.5**10
    True

    See Also
    --------
    hoeffding, kl_inverse

    References
    ----------
    - Chernoff, H. (1952). A measure of asymptotic efficiency for tests of a hypothesis based on the sum of
      observations. Annals of Mathematical Statistics 23(4), 493-507. doi:10.1214/aoms/1177729330
    """
    who = "chernoff"
    n, p, eps = counts(n, who, "n"), rate(p, who, "p"), not_negative(eps, who, "eps")
    if side not in ("above", "below"):
        raise ParameterError(f"{who}: side must be above or below, got {side!r}.")
    q = p + eps if side == "above" else p - eps
    possible = (q >= 0) & (q <= 1)
    return plain(np.where(possible, np.exp(-n * binary_kl(np.clip(q, 0, 1), p)), 0.0))


def binary_kl(q: ArrayLike, p: ArrayLike) -> NDArray[np.float64]:
    """kl(q || p) of two Bernoulli distributions, elementwise; infinite where p is 0 or 1 and q is not.

    >>> from assay.theory.concentration import binary_kl
    >>> binary_kl([0.5, 1.0, 0.3], [0.5, 0.5, 0.0]).round(4)
    array([0.    , 0.6931,    inf])
    """
    q, p = np.broadcast_arrays(np.asarray(q, dtype=np.float64), np.asarray(p, dtype=np.float64))
    impossible = ((p == 0) & (q > 0)) | ((p == 1) & (q < 1))
    inside = np.where((p == 0) | (p == 1), 0.5, p)
    kl = _part(q, inside, inside - q) + _part(1 - q, 1 - inside, q - inside)
    return np.where(impossible, np.inf, np.where((p == 0) | (p == 1), 0.0, np.maximum(kl, 0.0)))


def _part(q: NDArray[np.float64], p: NDArray[np.float64], gap: NDArray[np.float64]) -> NDArray[np.float64]:
    """q ln(q / p), where p = q + gap: by the gap where it is small, since the logarithms would cancel."""
    near = np.abs(gap) < 0.5 * q
    return np.where(
        near, -q * np.log1p(np.where(near, gap, 0.0) / np.where(near, q, 1.0)), xlogy(q, q) - xlogy(q, p)
    )


def bernstein(
    n: ArrayLike, eps: ArrayLike, variance: ArrayLike, *, bound: ArrayLike = 1.0, sides: int = 2
) -> Any:
    r"""Bernstein's bound: like Hoeffding's, but small variances make it smaller.

    .. math:: P(|\mu - \hat\mu| > \epsilon) \le 2 \exp\left(-\frac{n \epsilon^2}{2 \sigma^2 + 2 b \epsilon / 3}\right)

    for n independent values with variance at most sigma² that differ from their mean by at most b.

    Examples
    --------
    >>> from assay.theory import bernstein, hoeffding
    >>> round(bernstein(1000, 0.02, variance=0.01), 6), round(hoeffding(1000, 0.02), 6)
    (1.2e-05, 0.898658)

    See Also
    --------
    hoeffding, empirical_bernstein_epsilon

    References
    ----------
    - Boucheron, S., Lugosi, G. and Massart, P. (2013). Concentration Inequalities. Oxford University Press.
    """
    who = "bernstein"
    n, eps = counts(n, who, "n"), not_negative(eps, who, "eps")
    v, b = not_negative(variance, who, "variance"), above_zero(bound, who, "bound")
    scale = 2 * v + 2 * b * eps / 3
    exponent = n * eps * (eps / np.where(scale > 0, scale, 1.0))
    return plain(np.minimum(1.0, _sides(sides, who) * np.exp(-exponent)))


def empirical_bernstein_epsilon(sample: ArrayLike, delta: float) -> float:
    r"""Within what distance above its mean the expectation of values in [0, 1] lies, by the sample's own variance.

    .. math:: \mu \le \hat\mu + \sqrt{\frac{2 S^2 \ln(2/\delta)}{n}} + \frac{7 \ln(2/\delta)}{3 (n - 1)}

    with probability 1 - delta (Maurer and Pontil 2009), S² with divisor n - 1. Below Hoeffding's distance when the
    values hardly vary, as the errors of a good classifier do.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.theory import empirical_bernstein_epsilon, hoeffding_epsilon
    >>> wrong = np.r_[np.ones(10), np.zeros(9990)]
    >>> round(empirical_bernstein_epsilon(wrong, 0.05), 5), round(hoeffding_epsilon(10000, 0.05, sides=1), 5)
    (0.00172, 0.01224)

    See Also
    --------
    bernstein, hoeffding_epsilon

    References
    ----------
    - Maurer, A. and Pontil, M. (2009). Empirical Bernstein bounds and sample variance penalization. Conference on
      Learning Theory.
    """
    who = "empirical_bernstein_epsilon"
    values = rate(sample, who, "sample")
    if values.ndim != 1 or len(values) < 2:
        raise DataError(
            f"{who}: the sample must be a column of at least two values, got shape {values.shape}."
        )
    n, depth = len(values), float(np.log(2) - np.log(scalar(share(delta, who, "delta"), who, "delta")))
    return float(np.sqrt(2 * values.var(ddof=1) * depth / n) + 7 * depth / (3 * (n - 1)))


def mcdiarmid(changes: ArrayLike, eps: ArrayLike, *, sides: int = 2) -> Any:
    r"""McDiarmid's bound: any function of independent values that no single value can change by much.

    .. math:: P(|f - E f| > \epsilon) \le 2 \exp\left(-\frac{2 \epsilon^2}{\sum_i c_i^2}\right)

    Parameters
    ----------
    changes : (n,) how much replacing value i can change f at most
    eps : float or array

    Examples
    --------
    The mean of 100 values in [0, 1] changes by 1/100 at most: Hoeffding's bound again.

    >>> import numpy as np
    >>> from assay.theory import mcdiarmid
    >>> round(mcdiarmid(np.full(100, 1 / 100), 0.1), 6)
    0.270671

    See Also
    --------
    hoeffding, rademacher_bound

    References
    ----------
    - McDiarmid, C. (1989). On the method of bounded differences. In Surveys in Combinatorics, 148-188. Cambridge
      University Press.
    """
    who = "mcdiarmid"
    c = not_negative(changes, who, "changes")
    if c.ndim != 1 or not c.any():
        raise ParameterError(f"{who}: changes must be one number per value, not all 0, got shape {c.shape}.")
    e = not_negative(eps, who, "eps")
    size = c.max() * np.linalg.norm(c / c.max())  # the root of the sum of squares
    with np.errstate(over="ignore"):
        return plain(np.minimum(1.0, _sides(sides, who) * np.exp(-2 * (e / size) ** 2)))


def simulate_deviation(
    n: int, eps: ArrayLike, *, p: float = 0.5, runs: int = 10_000, random_state: RandomState = 0
) -> Any:
    """How often the share of n throws of a coin misses p by more than eps: to compare with the bounds.

    Examples
    --------
    >>> from assay.theory import hoeffding, simulate_deviation
    >>> 0.02 < simulate_deviation(100, 0.1) < 0.05 < hoeffding(100, 0.1)
    True
    """
    who = "simulate_deviation"
    n, runs = one_count(n, who, "n"), one_count(runs, who, "runs")
    p = scalar(rate(p, who, "p"), who, "p")
    heads = as_generator(random_state, who).binomial(n, p, size=runs)
    miss = np.abs(heads - n * p) / n
    e = not_negative(eps, who, "eps")
    return plain(
        np.mean(miss[:, None] > e.ravel() + 1e-12, axis=0).reshape(e.shape)
    )  # exactly eps is no miss


def _sides(sides: int, who: str) -> int:
    if sides not in (1, 2):
        raise ParameterError(f"{who}: sides must be 1 or 2, got {sides!r}.")
    return int(sides)
