"""Differences in units of their spread: Cohen's d, Hedges' g, Cohen's h."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, ndtri

from assay.errors import DataError, ParameterError
from assay.stats.checks import is_number, is_whole
from assay.stats.distributions.tails import noncentral_t
from assay.stats.effects.effect_size import EffectSize
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.summary import Summary
from assay.stats.significance.test_result import check_alpha

__all__ = ["cohen_d", "cohen_h", "hedges_g"]


def cohen_d(
    first: ArrayLike, second: ArrayLike | None = None, *, paired: bool = False, alpha: float = 0.05
) -> EffectSize:
    r"""A difference of means in standard deviations.

    .. math:: d = \frac{m_1 - m_2}{S_p} \quad \text{(two samples, pooled deviation)}, \qquad
              d = \frac{m}{S} \quad \text{(differences)}                                         \quad (1)

    The interval comes from the noncentral t distribution: all noncentralities under which the t seen is not
    far out. Negligible below 0.2, small, medium from 0.5, large from 0.8 (Cohen 1988).

    Parameters
    ----------
    first : (n,) values or their Summary; differences, if second is None
    second : values of a second sample
    paired : bool
        Whether the values of both belong together; then d is that of their differences.

    Examples
    --------
    >>> from assay.stats import cohen_d
    >>> print(cohen_d([2, 3, 4, 5, 6], [1, 2, 3, 4, 5]))
    Cohen's d 0.63 (95% interval -0.66 to 1.89): medium (Cohen 1988).

    See Also
    --------
    hedges_g, cliff_delta, t_test

    References
    ----------
    - Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, second edition. Lawrence Erlbaum.
    """
    return _standardised(first, second, paired, alpha, "Cohen's d", "cohen_d")[0]


def hedges_g(
    first: ArrayLike, second: ArrayLike | None = None, *, paired: bool = False, alpha: float = 0.05
) -> EffectSize:
    r"""Cohen's d without its bias, which is upwards for few values.

    .. math:: g = J\,d, \qquad J = \frac{\Gamma(\nu/2)}{\sqrt{\nu/2}\,\Gamma((\nu-1)/2)} \approx 1 - \frac{3}{4\nu - 1}

    with the degrees of freedom :math:`\nu` of the deviation.

    Parameters
    ----------
    first, second, paired : see ``cohen_d``

    Examples
    --------
    >>> from assay.stats import hedges_g
    >>> print(hedges_g([2, 3, 4, 5, 6], [1, 2, 3, 4, 5]))
    Hedges' g 0.57 (95% interval -0.60 to 1.71): medium (Cohen 1988).

    See Also
    --------
    cohen_d, t_test

    References
    ----------
    - Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal
      of Educational Statistics 6(2), 107-128.
    """
    d, df = _standardised(first, second, paired, alpha, "Hedges' g", "hedges_g")
    if df < 2:
        raise DataError("hedges_g: two values are too few for an unbiased size. Give at least 3 values.")
    J = float(np.exp(gammaln(df / 2) - gammaln((df - 1) / 2)) / np.sqrt(df / 2))
    return replace(d, value=J * d.value, low=J * d.low, high=J * d.high)


def cohen_h(
    share_first: float,
    share_second: float,
    n_first: int | None = None,
    n_second: int | None = None,
    *,
    alpha: float = 0.05,
) -> EffectSize:
    r"""The difference of two shares, on a scale on which all shares are equally well known.

    .. math:: h = 2\arcsin\sqrt{p_1} - 2\arcsin\sqrt{p_2}, \qquad h \pm z_{1-\alpha/2}\sqrt{1/n_1 + 1/n_2}

    Parameters
    ----------
    share_first, share_second : from 0 to 1, such as two error rates on different rows
    n_first, n_second : rows; without them there is no interval

    Examples
    --------
    >>> from assay.stats import cohen_h
    >>> print(cohen_h(0.30, 0.15, 100, 100))
    Cohen's h 0.36 (95% interval 0.09 to 0.64): small (Cohen 1988).

    See Also
    --------
    two_proportions_test, cohen_d

    References
    ----------
    - Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences, second edition. Lawrence Erlbaum.
    """
    alpha = check_alpha(alpha, "cohen_h")
    if not all(is_number(v) and 0 <= v <= 1 for v in (share_first, share_second)):
        raise DataError(f"cohen_h: shares must lie from 0 to 1, got {share_first!r} and {share_second!r}.")
    h = float(2 * np.arcsin(np.sqrt(share_first)) - 2 * np.arcsin(np.sqrt(share_second)))
    if n_first is None or n_second is None:
        return EffectSize("Cohen's h", h, alpha=alpha)
    if not is_whole(n_first, 1) or not is_whole(n_second, 1):
        raise ParameterError(f"cohen_h: n must be from 1, got {n_first!r} and {n_second!r}.")
    half = float(-ndtri(alpha / 2)) * np.sqrt(1 / n_first + 1 / n_second)
    return EffectSize("Cohen's h", h, h - half, h + half, alpha)


def _standardised(
    first: Any, second: Any, paired: bool, alpha: float, measure: str, who: str
) -> tuple[EffectSize, float]:
    """d, and the degrees of freedom of the deviation it is measured by."""
    alpha = check_alpha(alpha, who)
    if second is None or paired:
        if paired and second is None:
            raise ParameterError("paired=True needs two samples, the second one is missing.", who=who)
        s = Summary.of(first if second is None else paired_differences(first, second, who), who)
        gap, sd, df, root = s.mean, s.sd, s.n - 1, 1 / np.sqrt(s.n)
    else:
        a, b = Summary.of(first, who), Summary.of(second, who)
        df = a.n + b.n - 2
        if min(a.n, b.n) < 2:
            raise DataError(f"needs at least 2 values in each sample, got {a.n} and {b.n}.", who=who)
        gap = a.mean - b.mean
        sd = 0.0 if a.constant and b.constant else np.sqrt(((a.n - 1) * a.sd**2 + (b.n - 1) * b.sd**2) / df)
        root = np.sqrt(1 / a.n + 1 / b.n)
    if df < 1:
        raise DataError("one value alone has no spread. Give at least 2 values.", who=who)
    if sd <= 1e-10 * abs(gap) or sd == 0:
        why = "There is no spread to measure the difference by."
        return EffectSize(measure, float(np.sign(gap) * np.inf) if gap else 0.0, alpha=alpha, why=why), df
    d = float(gap / sd)  # (1)
    low, high = (_noncentrality(d / root, df, share) * root for share in (1 - alpha / 2, alpha / 2))
    return EffectSize(measure, d, float(low), float(high), alpha), df


def _noncentrality(t: float, df: float, share: float) -> float:
    """The noncentrality under which a t as small as this has the probability ``share``."""
    reach = 10.0 + 2 * abs(t)
    low, high = t - reach, t + reach  # the probability falls as the noncentrality grows
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if noncentral_t(t, df, middle) > share else (low, middle)
    return (low + high) / 2
