"""Growth functions: in how many ways a class can label n points at most."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from assay.errors import ParameterError
from assay.theory._checks import counts, one_count

__all__ = ["growth", "log_growth", "sauer"]


def sauer(n: int, d: int) -> int:
    r"""Sauer's lemma: a class of VC dimension d labels n points in no more ways than

    .. math:: \sum_{i=0}^{d} \binom ni \le \left(\frac{e n}d\right)^d

    which is all :math:`2^n` up to n = d and grows like a power of n from there on: the reason why learning works.

    Examples
    --------
    >>> from assay.theory import sauer
    >>> [sauer(n, 3) for n in (2, 3, 4, 10)]
    [4, 8, 15, 176]

    See Also
    --------
    growth, log_growth, vc_bound

    References
    ----------
    - Sauer, N. (1972). On the density of families of sets. Journal of Combinatorial Theory A 13(1), 145-147.
      doi:10.1016/0097-3165(72)90019-2
    """
    from math import comb

    n, d = one_count(n, "sauer", "n", 0), one_count(d, "sauer", "d", 0)
    return sum(comb(n, i) for i in range(min(n, d) + 1))


def growth(hypotheses: str, n: int, columns: int = 1, *, pieces: int = 1) -> int:
    r"""The growth function of a class: the number of ways in which it labels n points in the best position.

    ============== ============================================== ================
    class          growth                                         VC dimension
    ============== ============================================== ================
    thresholds     n + 1                                          1
    stumps, d = 1  2 n                                            2
    intervals      sum of C(n, i), i up to 2 (2k for k pieces)    2k
    half-spaces    2 (sum of C(n - 1, i), i up to d) (Cover)      d + 1
    look-up        2^n                                            infinite
    ============== ============================================== ================

    Parameters
    ----------
    hypotheses : "thresholds", "stumps", "intervals", "half-spaces" or "look-up"
    n : points
    columns : d, for half-spaces
    pieces : k, for unions of k intervals

    Examples
    --------
    Of the 16 labellings of four points in the plane, a line can do 14.

    >>> from assay.theory.growth import growth
    >>> growth("half-spaces", 4, columns=2), growth("intervals", 4), growth("thresholds", 4)
    (14, 11, 5)

    See Also
    --------
    log_growth, sauer, vc_dimension

    References
    ----------
    - Vapnik, V. N. and Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to
      their probabilities. Theory of Probability and Its Applications 16(2), 264-280. doi:10.1137/1116025
    """
    from math import comb

    who = "growth"
    n, d, k = one_count(n, who, "n"), one_count(columns, who, "columns"), one_count(pieces, who, "pieces")
    if hypotheses in ("thresholds", "stumps", "intervals") and d != 1:
        raise ParameterError(f"{who}: {hypotheses} are counted on a line, so columns must be 1, got {d}.")
    if hypotheses == "thresholds":
        return n + 1
    if hypotheses == "stumps":
        return 2 * n
    if hypotheses == "intervals":  # 2k cuts among the n + 1 gaps; fewer pieces are two cuts less
        return sauer(n, 2 * k)
    if hypotheses == "half-spaces":
        return 2 * sum(comb(n - 1, i) for i in range(min(d, n - 1) + 1))
    if hypotheses == "look-up":
        return 2**n
    raise ParameterError(
        f"{who}: hypotheses must be thresholds, stumps, intervals, half-spaces or look-up, got {hypotheses!r}."
    )


def log_growth(n: ArrayLike, d: ArrayLike) -> Any:
    """ln of Sauer's bound, elementwise, for as many points as one likes.

    >>> import numpy as np
    >>> from assay.theory.growth import log_growth
    >>> np.exp(log_growth([4, 10], 3)).round(6)
    array([ 15., 176.])

    See Also
    --------
    growth, sauer

    References
    ----------
    - Sauer, N. (1972). On the density of families of sets. Journal of Combinatorial Theory A 13(1), 145-147.
      doi:10.1016/0097-3165(72)90019-2
    """
    n, d = np.broadcast_arrays(counts(n, "log_growth", "n"), counts(d, "log_growth", "d", 0))
    logs = np.array([_log_sauer(*pair) for pair in zip(n.ravel(), d.ravel())])
    return logs.reshape(n.shape)[()]


def _log_sauer(n: float, d: float) -> float:
    if d >= n:
        return float(n * np.log(2))
    if d > 1e6:  # a sum of so many terms is not worth its time: (e n / d)^d
        return float(min(n * np.log(2), d * (1 + np.log(n / d))))
    i = np.arange(1, d + 1)
    return float(
        logsumexp(np.r_[0.0, np.cumsum(np.log((n - i + 1) / i))])
    )  # ln C(n, i), without n! that cancels
