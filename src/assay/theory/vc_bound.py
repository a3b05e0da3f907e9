"""Infinitely many hypotheses: bounds by the VC dimension, each with its constants and its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import ParameterError
from assay.theory._checks import MOST_ROWS, above_zero, counts, one_count, plain, scalar, share, whole_up
from assay.theory.growth import log_growth

__all__ = ["vc_bound", "vc_sample_size"]


def _order(n: Any, d: Any, delta: Any) -> Any:
    return np.sqrt(d / n * np.log(n / d) - np.log(delta) / n)


def _vapnik(n: Any, d: Any, delta: Any) -> Any:
    return np.sqrt((d * (np.log(2 * n / d) + 1) + np.log(4) - np.log(delta)) / n)


def _chervonenkis(n: Any, d: Any, delta: Any) -> Any:
    return np.sqrt(8 / n * (np.log(4) - np.log(delta) + log_growth(2 * n, d)))


def _devroye(n: Any, d: Any, delta: Any) -> Any:
    depth = np.log(4) - np.log(delta) + log_growth(n**2, d)
    room = np.maximum(2 * n - 4, 1e-300)  # eps = sqrt((4 eps (1 + eps) + depth) / 2n), solved for eps
    return np.where(n > 2, (2 + np.sqrt(4 + room * depth)) / room, np.inf)


def _lugosi(n: Any, d: Any, delta: Any) -> Any:
    return np.sqrt(32 / n * (np.log(8) - np.log(delta) + log_growth(n, d)))


FORMS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "order": _order,
    "vapnik": _vapnik,
    "vapnik-chervonenkis": _chervonenkis,
    "devroye": _devroye,
    "devroye-gyorfi-lugosi": _lugosi,
}


def vc_bound(
    n: ArrayLike, d: ArrayLike, delta: ArrayLike = 0.05, c: ArrayLike = 1.0, *, form: str = "order"
) -> Any:
    r"""Within what distance of its risk every hypothesis' empirical risk is, with probability 1 - delta.

    ======================= ============================================================================
    order                   :math:`c\sqrt{\frac dn\ln\frac nd + \frac1n\ln\frac1\delta}`: how it grows; the
                            constant c is yours, so that alone it promises nothing
    vapnik                  :math:`\sqrt{\frac1n (d (\ln\frac{2n}d + 1) + \ln\frac4\delta)}`: the risk is no
                            more than this above the empirical risk (Vapnik 1995)
    vapnik-chervonenkis     :math:`\sqrt{\frac8n \ln\frac{4 m(2n)}\delta}` (1971)
    devroye                 :math:`\epsilon = \sqrt{\frac1{2n}(4\epsilon(1 + \epsilon)
                            + \ln\frac{4 m(n^2)}\delta)}` (1982)
    devroye-gyorfi-lugosi   :math:`\sqrt{\frac{32}n \ln\frac{8 m(n)}\delta}` (1996, theorem 12.5)
    ======================= ============================================================================

    with Sauer's m(n) for the growth function. They hold for every distribution of the data, and are therefore
    pessimistic: above 1 a bound promises nothing, and cross-validation remains the practical tool.

    Parameters
    ----------
    n : rows, more than d
    d : VC dimension of the class
    delta : float
    c : float
        Multiplies every form; only "order" needs it.
    form : one of the names above

    All but ``form`` may be arrays.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.theory.vc_bound import vc_bound
    >>> vc_bound(np.array([100, 1000, 10000]), 3).round(4)
    array([0.3676, 0.1429, 0.0523])
    >>> round(vc_bound(10_000, 3, form="vapnik-chervonenkis"), 4)
    0.1608

    See Also
    --------
    vc_sample_size, vc_dimension, sauer

    References
    ----------
    - Vapnik, V. N. and Chervonenkis, A. Y. (1971). On the uniform convergence of relative frequencies of events to
      their probabilities. Theory of Probability and Its Applications 16(2), 264-280. doi:10.1137/1116025
    """
    who = "vc_bound"
    n, d, delta = counts(n, who, "n"), counts(d, who, "d"), share(delta, who, "delta")
    c = above_zero(c, who, "c")
    if form not in FORMS:
        raise ParameterError(f"{who}: form must be one of {', '.join(FORMS)}, got {form!r}.")
    if not np.all(n <= 2 * MOST_ROWS):
        raise ParameterError(f"{who}: n must be a number of rows that could be, up to 2^64.")
    if not np.all(n > d):
        raise ParameterError(f"{who}: n must be above d: up to d rows the class can fit any labels.")
    return plain(c * FORMS[form](n, d, delta))


def vc_sample_size(d: int, eps: float, delta: float = 0.05, c: float = 1.0, *, form: str = "order") -> int:
    r"""The least n from which on ``vc_bound`` is eps at most; or, for a learner without errors, Blumer's number.

    It is looked for above e d, from where on every form falls with n. With ``form="blumer"``: rows after which every
    hypothesis without an error on them has risk eps at most, with probability 1 - delta (Blumer, Ehrenfeucht, Haussler
    and Warmuth 1989),

    .. math:: n \ge \max\left(\frac4\epsilon \log_2\frac2\delta,\ \frac{8 d}\epsilon \log_2\frac{13}\epsilon\right)

    Parameters
    ----------
    d, eps, delta, c : numbers
    form : as for ``vc_bound``, or "blumer"

    Examples
    --------
    >>> from assay.theory import vc_sample_size
    >>> vc_sample_size(3, 0.05), vc_sample_size(3, 0.05, form="vapnik-chervonenkis")
    (11053, 127824)
    >>> vc_sample_size(4, 0.1, form="blumer")
    2248

    See Also
    --------
    vc_bound, consistent_sample_size

    References
    ----------
    - Blumer, A., Ehrenfeucht, A., Haussler, D. and Warmuth, M. K. (1989). Learnability and the Vapnik-Chervonenkis
      dimension. Journal of the ACM 36(4), 929-965. doi:10.1145/76359.76371
    """
    who = "vc_sample_size"
    d, eps, c = (
        one_count(d, who, "d"),
        scalar(share(eps, who, "eps"), who, "eps"),
        scalar(above_zero(c, who, "c"), who, "c"),
    )
    delta = scalar(share(delta, who, "delta"), who, "delta")
    if form == "blumer":
        return int(whole_up(max(4 / eps * np.log2(2 / delta), 8 * d / eps * np.log2(13 / eps)), who))
    low = int(np.ceil(np.e * d)) + 1  # from e d on every form falls with n
    if vc_bound(low, d, delta, c, form=form) <= eps:
        return low
    high = 2 * low
    while vc_bound(high, d, delta, c, form=form) > eps:
        low, high = high, 2 * high
        if high > MOST_ROWS:
            raise ParameterError(f"{who}: more rows than 2^63 would be needed; ask for less.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if vc_bound(middle, d, delta, c, form=form) > eps else (low, middle)
    return high
