"""Effect sizes of ranks and of counts: how often one value is larger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from assay.errors import DataError
from assay.stats.checks import is_whole
from assay.stats.effects.effect_size import EffectSize
from assay.stats.intervals.proportion_interval import proportion_interval
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.ranks import mid_ranks
from assay.stats.significance.summary import sample
from assay.stats.significance.test_result import check_alpha

__all__ = ["cliff_delta", "discordant_odds", "rank_biserial", "vargha_delaney_a"]


def cliff_delta(first: ArrayLike, second: ArrayLike, *, alpha: float = 0.05) -> EffectSize:
    r"""How much more often a value of the first sample beats one of the second than the reverse.

    .. math:: \delta = \frac{\#\{x_i > y_j\} - \#\{x_i < y_j\}}{n_1n_2}                          \quad (1)

    with the interval of Feng and Cliff (2004), which is not symmetric and stays within -1 and 1:

    .. math:: \frac{\delta - \delta^3 \pm z\sigma\sqrt{(1-\delta^2)^2 + z^2\sigma^2}}{1 - \delta^2 + z^2\sigma^2}
                                                                                                \quad (2)

    :math:`\sigma^2` is the unbiased variance of the dominances. Samples that do not overlap have
    :math:`\delta = \pm1` and the bound :math:`(n - z^2)/(n + z^2)`, n the size of the smaller one.

    Parameters
    ----------
    first, second : (n1,) and (n2,) numbers, not paired

    Examples
    --------
    >>> from assay.stats import cliff_delta
    >>> print(cliff_delta([3, 4, 5, 6, 7], [1, 2, 3, 4, 5]))
    Cliff's delta 0.64 (95% interval -0.01 to 0.91): large (Romano et al. 2006).

    See Also
    --------
    vargha_delaney_a, rank_sum

    References
    ----------
    - Cliff, N. (1993). Dominance statistics: ordinal analyses to answer ordinal questions. Psychological Bulletin
      114(3), 494-509. doi:10.1037/0033-2909.114.3.494
    """
    alpha = check_alpha(alpha, "cliff_delta")
    a, b = sample(first, "cliff_delta", 1), sample(second, "cliff_delta", 1)
    n1, n2 = len(a), len(b)
    a, b = np.split(
        mid_ranks(np.concatenate([a, b])[None])[0], [n1]
    )  # values equal but for rounding are tied
    rows, columns = _beats(a, np.sort(b)), -_beats(b, np.sort(a))  # mean dominance of each value
    delta = float(rows.mean())  # (1)
    name, z = "Cliff's delta", float(-ndtri(alpha / 2))
    if abs(delta) > 1 - 1e-12:
        near = max(-1.0, (min(n1, n2) - z * z) / (min(n1, n2) + z * z))
        low, high = (near, 1.0) if delta > 0 else (-1.0, -near)
        return EffectSize(name, float(np.sign(delta)), low, high, alpha, "The samples do not overlap.")
    if min(n1, n2) < 2:
        return EffectSize(name, delta, alpha=alpha, why="One value alone gives no interval.")
    untied = np.mean(_differs(a, np.sort(b)))
    total = n1 * n2 * (untied - delta**2)  # sum over pairs of (d_ij - delta)^2
    spread = n2**2 * np.sum((rows - delta) ** 2) + n1**2 * np.sum((columns - delta) ** 2) - total
    variance = max(spread / (n1 * n2 * (n1 - 1) * (n2 - 1)), (1 - delta**2) / (n1 * n2 - 1))
    half = z * np.sqrt(variance) * np.sqrt((1 - delta**2) ** 2 + z * z * variance)
    below = 1 - delta**2 + z * z * variance
    low, high = ((delta - delta**3 + sign * half) / below for sign in (-1, 1))  # (2)
    return EffectSize(name, delta, float(max(low, -1.0)), float(min(high, 1.0)), alpha)


def vargha_delaney_a(first: ArrayLike, second: ArrayLike, *, alpha: float = 0.05) -> EffectSize:
    r"""The probability that a value of the first sample beats one of the second.

    .. math:: A = \frac{\#\{x_i > y_j\} + \frac12\#\{x_i = y_j\}}{n_1n_2} = \frac{\delta + 1}{2}

    with Cliff's :math:`\delta`; 0.5 is no difference, Vargha and Delaney (2000) call it large from 0.71
    up and from 0.29 down.

    Parameters
    ----------
    first, second : (n1,) and (n2,) numbers, not paired

    Examples
    --------
    >>> from assay.stats import vargha_delaney_a
    >>> round(vargha_delaney_a([3, 4, 5, 6, 7], [1, 2, 3, 4, 5]).value, 6)
    0.82

    See Also
    --------
    cliff_delta, rank_sum

    References
    ----------
    - Vargha, A. and Delaney, H. D. (2000). A critique and improvement of the CL common language effect size
      statistics of McGraw and Wong. Journal of Educational and Behavioral Statistics 25(2), 101-132.
    """
    d = cliff_delta(first, second, alpha=alpha)
    return replace(
        d,
        measure="Vargha and Delaney's A",
        value=(d.value + 1) / 2,
        low=(d.low + 1) / 2,
        high=(d.high + 1) / 2,
    )


def rank_biserial(first: Any, second: Any = None, *, alpha: float = 0.05) -> EffectSize:
    r"""The effect size of Wilcoxon's signed-rank test: how much one side's ranks outweigh the other's.

    .. math:: r = \frac{R^+ - R^-}{R^+ + R^-}, \qquad
              \tanh\left(\operatorname{artanh} r \pm z_{1-\alpha/2}\,\frac{\sigma}{1 - r^2}\right), \quad
              \sigma^2 = \tfrac4n \operatorname{var}_i\, h_i, \quad
              h_i = \tfrac1{n-1}\sum_{j \ne i}\operatorname{sign}(d_i + d_j)                   \quad (1)

    r is all but the mean of sign(d_i + d_j) over pairs, hence its spread; Fisher's scale keeps the interval within
    -1 and 1. For fewer than some 20 differences it is a little too short.

    Parameters
    ----------
    first : (n,) values; differences, if second is None
    second : values paired with them

    Examples
    --------
    >>> from assay.stats import rank_biserial
    >>> round(rank_biserial([.02, -.01, .05, .03, .04, -.015, .06, .025, .07, .035]).value, 4)  # (52 - 3) / 55
    0.8909

    See Also
    --------
    wilcoxon_signed_rank, cliff_delta

    References
    ----------
    - Kerby, D. S. (2014). The simple difference formula: an approach to teaching nonparametric correlation.
      Comprehensive Psychology 3, article 1.
    """
    alpha, name = check_alpha(alpha, "rank_biserial"), "rank-biserial correlation"
    d = paired_differences(first, second, "rank_biserial")
    d = d[d != 0]
    if not len(d):
        return EffectSize(name, 0.0, alpha=alpha, why="All differences are zero.")
    ranks = mid_ranks(np.abs(d)[None])[0]
    r, n = float(np.sum(np.sign(d) * ranks) / ranks.sum()), len(d)
    if abs(r) > 1 - 1e-12:
        return EffectSize(name, r, alpha=alpha, why="All differences point one way; there is no interval.")
    h = (n * -_beats(-d, np.sort(d)) - np.sign(d)) / (n - 1)
    variance = max(4 * float(np.var(h, ddof=1)) / n, (1 - r * r) / n**2)  # (1)
    half = float(-ndtri(alpha / 2)) * np.sqrt(variance) / (1 - r * r)
    return EffectSize(
        name, r, float(np.tanh(np.arctanh(r) - half)), float(np.tanh(np.arctanh(r) + half)), alpha
    )


def discordant_odds(only_first: int, only_second: int, *, alpha: float = 0.05) -> EffectSize:
    r"""The effect size of McNemar's test: the odds that it is the first learner who errs alone.

    .. math:: OR = e_{01} / e_{10}, \qquad \frac{\pi_{low}}{1 - \pi_{low}} \text{ to } \frac{\pi_{high}}{1-\pi_{high}}

    from Clopper and Pearson's interval of :math:`\pi = e_{01}/(e_{01}+e_{10})`; 1 is no difference.

    Parameters
    ----------
    only_first, only_second : rows that only the first, only the second learner gets wrong

    Examples
    --------
    >>> from assay.stats import discordant_odds
    >>> print(discordant_odds(15, 5))
    odds of who errs alone 3.00 (95% interval 1.04 to 10.55): small (Chen, Cohen and Chen 2010).

    See Also
    --------
    mcnemar, discordant

    References
    ----------
    - Agresti, A. (2013). Categorical Data Analysis, third edition. Wiley.
    """
    alpha, name = check_alpha(alpha, "discordant_odds"), "odds of who errs alone"
    if not is_whole(only_first) or not is_whole(only_second):
        raise DataError(
            f"discordant_odds: needs whole numbers from 0, got {only_first!r} and {only_second!r}."
        )
    e01, e10 = int(only_first), int(only_second)
    n = e01 + e10
    if n == 0:
        why = "No row is wrong for exactly one of the two."
        return EffectSize(name, 1.0, 0.0, np.inf, alpha, why)
    low, high = proportion_interval(e01, n, method="clopper-pearson", alpha=alpha)
    odds, least, most = (p / (1 - p) if p < 1 else np.inf for p in (e01 / n, low, high))
    return EffectSize(name, odds, least, most, alpha)


def _beats(x: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """Of each x, the share of the other sample it beats less the share that beats it."""
    below = np.searchsorted(ordered, x, side="left")
    above = len(ordered) - np.searchsorted(ordered, x, side="right")
    return (below - above) / len(ordered)


def _differs(x: np.ndarray, ordered: np.ndarray) -> np.ndarray:
    """Of each x, the share of the other sample that is not tied with it."""
    tied = np.searchsorted(ordered, x, side="right") - np.searchsorted(ordered, x, side="left")
    return 1 - tied / len(ordered)
