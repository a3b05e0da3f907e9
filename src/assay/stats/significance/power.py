"""Planning a test: its power, the rows it needs, and the smallest difference it can find."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.sentence import Sentence
from assay.stats.checks import is_number, is_whole
from assay.stats.significance.powers import POWERS, Setting, approximate_n
from assay.stats.significance.test_result import check_alpha, check_alternative

__all__ = ["SampleSize", "power_of", "sample_size_for", "smallest_difference"]

COUNTED = ("binomial", "proportion", "mcnemar")  # their power climbs in teeth, because outcomes are whole
STEPS_MATTER_BELOW = 5000


@dataclass(frozen=True)
class SampleSize(Sentence):
    """How many values a test needs; print it for a sentence.

    Attributes
    ----------
    n : int
        Values, pairs or test rows; for "two-sample t", of each sample.
    exact : float
        n before rounding up; NaN for tests of counts, where whole numbers alone make sense.
    power : float
        What n gives.
    test, difference, alpha, alternative : the arguments
    """

    n: int
    exact: float
    power: float
    test: str
    difference: float
    alpha: float
    alternative: str

    def __int__(self) -> int:
        return self.n

    def __str__(self) -> str:
        each = " in each sample" if self.test == "two-sample t" else ""
        return (
            f"{self.test} test: n = {self.n}{each} finds a difference of {self.difference:g} "
            f"with probability {self.power:.3f} (level {self.alpha:g}, {self.alternative})."
        )


def power_of(
    test: str,
    difference: float,
    n: int,
    *,
    sd: float = 1.0,
    ratio: float = 0.0,
    p0: float | None = None,
    disagree: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    r"""The probability that a test rejects when the truth differs from the hypothesis by ``difference``.

    .. math:: \text{z, "greater": } \Phi(\sqrt n\,\delta/\sigma - z_\alpha), \qquad
              \text{t: } P(T_{n-1,\,\sqrt n\,\delta/\sigma} > t_{\alpha,\,n-1}) \text{, noncentral}

    The powers of "binomial", "proportion" and "mcnemar" are sums over outcomes, not approximations.

    Parameters
    ----------
    test : str
        "z" and "t": one mean, or paired differences. "two-sample t": pooled, n in each sample.
        "binomial": the exact test of an error rate ``p0``; "proportion": the one by the normal
        approximation. "mcnemar": the exact test of two learners on n rows.
    difference : float
        The true mean, or difference of means, less that of the hypothesis; of rates for the last three.
    n : int
    sd : float
        Standard deviation of one value, for z and t; of one paired difference, if pairs are tested.
    ratio : float
        Test rows per training row, for "t" over splits that share rows (see ``paired_t``).
    p0 : float
        The rate of the hypothesis, for "binomial" and "proportion".
    disagree : float
        The share of rows that exactly one of two learners gets wrong, for "mcnemar".
    alternative : "two-sided", "greater" or "less"

    Examples
    --------
    >>> from assay.stats import power_of
    >>> round(power_of("z", 0.5, 100, sd=2, alternative="greater"), 4)
    0.8038
    >>> round(power_of("binomial", 0.05, 100, p0=0.1, alternative="greater"), 4)  # 15 % instead of 10 %
    0.4317

    See Also
    --------
    sample_size_for, smallest_difference

    References
    ----------
    - Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, second edition. Lawrence Erlbaum.
    """
    s = _setting("power_of", test, sd, ratio, p0, disagree, alpha, alternative)
    least = 1 if test in ("z", *COUNTED) else 2
    if not is_whole(n, least):
        raise ParameterError(f"power_of: n must be a whole number from {least}, got {n!r}.")
    _check_difference("power_of", test, difference, s)
    return float(POWERS[test](float(difference), float(n), s))


def sample_size_for(
    test: str,
    difference: float,
    power: float = 0.8,
    *,
    sd: float = 1.0,
    ratio: float = 0.0,
    p0: float | None = None,
    disagree: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> SampleSize:
    r"""The smallest n from which on a test finds ``difference`` with probability ``power``.

    .. math:: \text{z, "greater": } n = \left(\frac{(z_\alpha + z_\beta)\,\sigma}{\delta}\right)^2

    For tests of counts the power climbs in teeth; n is the smallest from which on it stays above. Beyond
    5000 rows, where the teeth are small, the normal approximation gives n.

    Parameters
    ----------
    test, difference, sd, ratio, p0, disagree, alpha, alternative : see ``power_of``
    power : float

    Examples
    --------
    >>> from assay.stats import sample_size_for
    >>> result = sample_size_for("z", 0.5, sd=2, alternative="greater")
    >>> round(result.exact, 2), result.n
    (98.92, 99)
    >>> print(sample_size_for("mcnemar", 0.02, disagree=0.1))
    mcnemar test: n = 2043 finds a difference of 0.02 with probability 0.800 (level 0.05, two-sided).

    See Also
    --------
    power_of, smallest_difference

    References
    ----------
    - Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, second edition. Lawrence Erlbaum.
    """
    who = "sample_size_for"
    s = _setting(who, test, sd, ratio, p0, disagree, alpha, alternative)
    _check_difference(who, test, difference, s)
    if not (is_number(power) and s.alpha < power < 1):
        raise ParameterError(f"power must lie between alpha and 1, got {power!r}.", who=who)
    if difference == 0 or ((difference > 0) != (alternative != "less") and alternative != "two-sided"):
        raise ParameterError(
            f"difference must not be 0 and must lie on the side of the alternative ({alternative}), "
            f"got {difference!r}.",
            who=who,
        )
    gap, exact = float(difference), np.nan
    if test in COUNTED:
        n = _counted(test, gap, power, s)
    else:
        exact = _root(test, gap, power, s)
        n = max(1 if test == "z" else 2, ceil(exact - 1e-9))
    return SampleSize(n, exact, float(POWERS[test](gap, float(n), s)), test, gap, s.alpha, alternative)


def smallest_difference(
    test: str,
    n: int,
    power: float = 0.8,
    *,
    sd: float = 1.0,
    ratio: float = 0.0,
    p0: float | None = None,
    disagree: float | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """The smallest difference that n values find with probability ``power``; upwards, unless "less".

    Parameters
    ----------
    test, n, sd, ratio, p0, disagree, alpha, alternative : see ``power_of``
    power : float

    Returns
    -------
    float; NaN if not even the largest possible difference is found so often

    Examples
    --------
    What a test set of 500 rows can show of two learners that disagree on a tenth of it:

    >>> from assay.stats import smallest_difference
    >>> round(smallest_difference("mcnemar", 500, disagree=0.1), 4)
    0.0407

    See Also
    --------
    power_of, sample_size_for

    References
    ----------
    - Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, second edition. Lawrence Erlbaum.
    """
    who = "smallest_difference"
    s = _setting(who, test, sd, ratio, p0, disagree, alpha, alternative)
    if not (is_number(power) and s.alpha < power < 1):
        raise ParameterError(f"power must lie between alpha and 1, got {power!r}.", who=who)
    sign = -1.0 if alternative == "less" else 1.0
    power_of(test, 0.0, n, sd=sd, ratio=ratio, p0=p0, disagree=disagree, alpha=alpha, alternative=alternative)
    reach = s.disagree if test == "mcnemar" else s.p0 if sign < 0 else 1 - s.p0
    high = reach if test in COUNTED else s.sd
    while test not in COUNTED and POWERS[test](sign * high, float(n), s) < power:
        high *= 2
    if POWERS[test](sign * high, float(n), s) < power:
        return np.nan
    low = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if POWERS[test](sign * middle, float(n), s) >= power else (middle, high)
    return sign * high


def _root(test: str, gap: float, power: float, s: Setting) -> float:
    """n of a z or t test, before rounding."""
    n = approximate_n(test, gap, power, s)
    if test == "z" and s.alternative != "two-sided":
        return n
    if s.ratio and POWERS["z"](gap, 1 / s.ratio, s) <= power:
        raise ParameterError(
            f"sample_size_for: splits that share rows never find {gap:g} with probability {power:g}, however "
            "many. More rows are needed, not more splits."
        )
    low, high = 1.0 if test == "z" else 2.0, max(2 * n, 4.0)
    if POWERS[test](gap, low, s) >= power:
        return low
    while POWERS[test](gap, high, s) < power:
        high *= 2
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if POWERS[test](gap, middle, s) >= power else (middle, high)
    return high


def _counted(test: str, gap: float, power: float, s: Setting) -> int:
    """Down from an n that is surely enough, to the last one before the power falls short."""
    near = approximate_n(test, gap, power, s)
    if near > STEPS_MATTER_BELOW:
        n = ceil(near)
        while POWERS[test](gap, float(n), s) < power:  # the exact test is a little more careful
            n = ceil(n * 1.002)
        return n
    each = s.disagree if test == "mcnemar" else s.p0 * (1 - s.p0)
    n = ceil(near * (1 + min(4.0, 10 / np.sqrt(max(near * each, 1e-9)))) + min(10 / each, 10 * near)) + 20
    while POWERS[test](gap, float(n), s) < power:
        n *= 2
    while n > 1 and POWERS[test](gap, float(n - 1), s) >= power:
        n -= 1
    return n


def _setting(
    who: str, test: Any, sd: Any, ratio: Any, p0: Any, disagree: Any, alpha: Any, alternative: Any
) -> Setting:
    if test not in POWERS:
        raise ParameterError(f"test must be one of {', '.join(POWERS)}, got {test!r}.", who=who)
    if not (is_number(sd) and sd > 0 and is_number(ratio) and ratio >= 0):
        raise ParameterError(f"sd must be above 0 and ratio from 0, got {sd!r} and {ratio!r}.", who=who)
    for name, value, tests in (("p0", p0, ("binomial", "proportion")), ("disagree", disagree, ("mcnemar",))):
        if test in tests and not (is_number(value) and 0 < value < 1):
            raise ParameterError(f"{test} needs {name}, a share between 0 and 1, got {value!r}.", who=who)
    return Setting(float(sd), float(ratio), 0.5 if p0 is None else float(p0),
                   0.5 if disagree is None else float(disagree),
                   check_alpha(alpha, who), check_alternative(alternative, who))  # fmt: skip


def _check_difference(who: str, test: str, difference: Any, s: Setting) -> None:
    if not is_number(difference):
        raise ParameterError(f"difference must be a finite number, got {difference!r}.", who=who)
    if test in ("binomial", "proportion") and not 0 <= s.p0 + difference <= 1:
        raise ParameterError(f"p0 + difference must lie from 0 to 1, got {s.p0 + difference:g}.", who=who)
    if test == "mcnemar" and abs(difference) > s.disagree:
        raise ParameterError(
            f"two learners that disagree on {s.disagree:g} of the rows differ by that at most, "
            f"got {difference!r}.",
            who=who,
        )
