"""Finitely many hypotheses: how far the empirical risk of any of them can be from its risk."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError
from assay.theory._checks import above_zero, counts, not_negative, plain, share, whole_up

__all__ = [
    "consistent_epsilon",
    "consistent_sample_size",
    "erm_excess",
    "finite_class_bound",
    "finite_class_epsilon",
    "finite_class_sample_size",
    "linear_class_log_size",
]


def finite_class_bound(
    size: ArrayLike | None, n: ArrayLike, eps: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""The probability that any of the hypotheses misses its risk by more than eps, bounded by the sum over all.

    .. math:: P(\exists h: |R(h) - \hat R(h)| > \epsilon) \le 2 |H| e^{-2 \epsilon^2 n}

    It holds for every distribution and is far too loose for tuning: cross-validation remains the practical tool.
    At 1 it is vacuous.

    Parameters
    ----------
    size : :math:`|H|`, how many hypotheses; None if ``log_size`` is given
    n : rows
    eps : float
    log_size : :math:`\ln|H|`, for classes too large to count

    Examples
    --------
    >>> from assay.theory import finite_class_bound
    >>> round(finite_class_bound(1000, 530, 0.1), 4)
    0.0498

    See Also
    --------
    finite_class_epsilon, vc_bound

    References
    ----------
    - Mohri, M., Rostamizadeh, A. and Talwalkar, A. (2018). Foundations of Machine Learning, second edition. MIT
      Press.
    """
    who = "finite_class_bound"
    h = _log_size(size, log_size, who)
    n, eps = counts(n, who, "n"), not_negative(eps, who, "eps")
    with np.errstate(over="ignore"):  # a miss beyond all measure has probability 0
        return plain(np.exp(np.minimum(0.0, np.log(2) + h - 2 * eps**2 * n)))


def finite_class_sample_size(
    size: ArrayLike | None, eps: ArrayLike, delta: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""How many rows make every hypothesis' empirical risk right to within eps, with probability 1 - delta.

    .. math:: n \ge \frac1{2 \epsilon^2} \ln\frac{2 |H|}\delta

    >>> from assay.theory import finite_class_sample_size
    >>> finite_class_sample_size(1000, 0.1, 0.05)
    530
    """
    who = "finite_class_sample_size"
    h = _log_size(size, log_size, who)
    eps, delta = above_zero(eps, who, "eps"), share(delta, who, "delta")
    with np.errstate(over="ignore"):  # whole_up refuses what is infinite
        return whole_up((h + np.log(2) - np.log(delta)) / (2 * eps) / eps, who)


def finite_class_epsilon(
    size: ArrayLike | None, n: ArrayLike, delta: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""Within what distance of its risk every hypothesis' empirical risk is, with probability 1 - delta.

    .. math:: \epsilon = \sqrt{\frac1{2 n} \ln\frac{2 |H|}\delta}

    Above 1 it is vacuous.

    >>> from assay.theory import finite_class_epsilon
    >>> round(finite_class_epsilon(1000, 530, 0.05), 6)
    0.099984
    """
    who = "finite_class_epsilon"
    h = _log_size(size, log_size, who)
    n, delta = counts(n, who, "n"), share(delta, who, "delta")
    return plain(np.sqrt((h + np.log(2) - np.log(delta)) / (2 * n)))


def erm_excess(
    size: ArrayLike | None, n: ArrayLike, delta: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""How much worse than the best of the class the one chosen by its empirical risk can be: twice epsilon.

    .. math:: R(\hat h) \le \min_h R(h) + 2 \epsilon

    once for believing the chosen one, once for not seeing how good the best one is.

    >>> from assay.theory import erm_excess
    >>> round(erm_excess(1000, 530, 0.05), 6)
    0.199968
    """
    return plain(2 * np.asarray(finite_class_epsilon(size, n, delta, log_size=log_size)))


def consistent_sample_size(
    size: ArrayLike | None, eps: ArrayLike, delta: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""Rows after which every hypothesis without an error on them has risk eps at most, with probability 1 - delta.

    .. math:: n \ge \frac1\epsilon \left(\ln|H| + \ln\frac1\delta\right)

    For learners that can fit the sample exactly, when the truth is in the class; 1/eps instead of 1/eps².

    >>> from assay.theory import consistent_sample_size
    >>> consistent_sample_size(1000, 0.1, 0.05)
    100

    See Also
    --------
    consistent_epsilon, finite_class_sample_size

    References
    ----------
    - Blumer, A., Ehrenfeucht, A., Haussler, D. and Warmuth, M. K. (1989). Learnability and the Vapnik-Chervonenkis
      dimension. Journal of the ACM 36(4), 929-965. doi:10.1145/76359.76371
    """
    who = "consistent_sample_size"
    h = _log_size(size, log_size, who)
    eps, delta = share(eps, who, "eps"), share(delta, who, "delta")
    return whole_up((h - np.log(delta)) / eps, who)


def consistent_epsilon(
    size: ArrayLike | None, n: ArrayLike, delta: ArrayLike, *, log_size: float | None = None
) -> Any:
    r"""The risk that no hypothesis without an error on n rows exceeds, with probability 1 - delta.

    .. math:: \epsilon = \frac1n \left(\ln|H| + \ln\frac1\delta\right)

    >>> from assay.theory import consistent_epsilon
    >>> round(consistent_epsilon(1000, 100, 0.05), 4)
    0.099
    """
    who = "consistent_epsilon"
    h = _log_size(size, log_size, who)
    n, delta = counts(n, who, "n"), share(delta, who, "delta")
    return plain((h - np.log(delta)) / n)


def linear_class_log_size(bits: ArrayLike, columns: ArrayLike) -> Any:
    r"""ln of the number of linear classifiers whose weights have ``bits`` bits each: K columns and a bias.

    .. math:: |H| = 2^{L (K + 1)}

    Examples
    --------
    >>> from assay.theory import finite_class_sample_size, linear_class_log_size
    >>> finite_class_sample_size(None, 0.1, 0.05, log_size=linear_class_log_size(bits=16, columns=10))
    6285
    """
    who = "linear_class_log_size"
    return plain(counts(bits, who, "bits") * (counts(columns, who, "columns") + 1) * np.log(2))


def _log_size(size: Any, log_size: Any, who: str) -> NDArray[np.float64]:
    if (size is None) == (log_size is None):
        raise ParameterError(
            f"{who}: give either size, the number of hypotheses, or log_size, its logarithm."
        )
    if size is None:
        return not_negative(log_size, who, "log_size")
    if isinstance(size, int) and not isinstance(size, bool) and size > 2**63:
        from math import log

        return np.asarray(log(size))  # whole numbers have no largest one
    return np.log(counts(size, who, "size"))
