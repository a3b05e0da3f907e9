"""Permutation tests of a mean difference: by flipping signs of pairs, or dealing values into two samples."""

from __future__ import annotations

from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from assay.core.seeds import as_generator
from assay.errors import ParameterError
from assay.stats.checks import is_whole
from assay.stats.significance.differences import paired_differences
from assay.stats.significance.summary import sample
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative
from assay.types import RandomState

__all__ = ["permutation_test"]

PAIRS_IN_FULL = 18  # 2^18 sign patterns
DEALS_IN_FULL = 50_000


def permutation_test(
    first: Any,
    second: Any = None,
    *,
    paired: bool = True,
    n_resamples: int = 9999,
    random_state: RandomState = 0,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test a mean difference by what it would be if labels were exchanged at random.

    Paired: each difference keeps or changes its sign, :math:`\bar d_s = \frac1n\sum_i s_i d_i`. Not paired:
    the pooled values are dealt into two samples of the same sizes. p is the share of arrangements whose mean
    difference is as far out as the one seen:

    .. math:: p = \frac{\#\{|\bar d_s| \ge |\bar d|\}}{2^n} \text{ in full}, \qquad
              p = \frac{1 + \#\{\dots\}}{1 + B} \text{ over B random arrangements}              \quad (1)

    In full up to 18 pairs or 50,000 deals; the second form never gives less than it may.

    Parameters
    ----------
    first : (n,) values of the first learner; or differences, if second is None
    second : values of the second one
    paired : bool
    n_resamples : int
        B.
    random_state : None, int or Generator
    alternative : "two-sided", "greater" (the first is larger) or "less"

    Returns
    -------
    TestResult, with the mean difference as statistic and estimate

    Examples
    --------
    >>> from assay.stats import permutation_test
    >>> permutation_test([.02, -.01, .05, .03, .04, -.015, .06, .025, .07, .035]).p
    0.01171875

    See Also
    --------
    t_test, rank_sum

    References
    ----------
    - Pitman, E. J. G. (1937). Significance tests which may be applied to samples from any populations. Supplement
      to the Journal of the Royal Statistical Society 4(1), 119-130.
    - Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in
      Genetics and Molecular Biology 9(1), article 39.
    """
    who = "permutation_test"
    alpha, alternative = check_alpha(alpha, who), check_alternative(alternative, who)
    if not is_whole(n_resamples, 1):
        raise ParameterError(f"n_resamples must be a whole number from 1, got {n_resamples!r}.", who=who)
    rng = as_generator(random_state, who)
    if paired:
        d = paired_differences(first, second, who)
        observed, drawn, full = float(d.mean()), *_signed(d, n_resamples, rng)
        name, scale, slack = "paired permutation test", np.abs(d).mean(), 0.0
    elif second is None:
        raise ParameterError("paired=False needs two samples, the second one is missing.", who=who)
    else:
        a, b = sample(first, who, 1), sample(second, who, 1)
        observed, drawn, full = float(a.mean() - b.mean()), *_dealt(a, b, n_resamples, rng)
        name, scale = "permutation test", np.abs(np.concatenate([a, b]) - np.median(np.append(a, b))).mean()
        slack = 8 * np.finfo(float).eps * max(np.abs(a).max(), np.abs(b).max())
    slack += 1e-10 * scale  # sums in another order differ by rounding
    sides = {"greater": drawn >= observed - slack, "less": drawn <= observed + slack}
    hits = int(np.sum(sides.get(alternative, np.abs(drawn) >= abs(observed) - slack)))
    p = hits / len(drawn) if full else (1 + hits) / (1 + len(drawn))  # (1)
    why = (
        ""
        if full
        else f"By {len(drawn)} random arrangements; p is known to {np.sqrt(p * (1 - p) / len(drawn)):.2g}."
    )
    if scale == 0 or (full and len(drawn) == 1):
        why = "There is nothing to exchange."
    return TestResult(name, observed, p, None, alternative, alpha, observed, why=why)


def _signed(d: np.ndarray, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """Means under sign changes: all of them, or some; zeros have no sign to change."""
    n, moving = len(d), np.abs(d[d != 0])
    if len(moving) <= PAIRS_IN_FULL:
        sums = np.zeros(1)
        for size in moving:
            sums = np.concatenate([sums + size, sums - size])
        return sums / n, True
    blocks = np.array_split(np.arange(draws), max(1, draws * len(moving) // 2_000_000))
    parts = [(rng.integers(0, 2, (len(block), len(moving))) * 2 - 1) @ moving for block in blocks]
    return np.concatenate(parts) / n, False


def _dealt(a: np.ndarray, b: np.ndarray, draws: int, rng: np.random.Generator) -> tuple[np.ndarray, bool]:
    """Differences of means when the values are dealt anew: all ways, or some."""
    pooled, n1, n2 = np.concatenate([a, b]), len(a), len(b)
    pooled = pooled - np.median(
        pooled
    )  # where zero lies does not matter, and small numbers keep their digits
    if comb(n1 + n2, n1) <= DEALS_IN_FULL:
        rows = np.array(list(combinations(range(n1 + n2), n1)))
        sums, full = pooled[rows].sum(axis=1), True
    else:
        blocks = np.array_split(np.arange(draws), max(1, draws * (n1 + n2) // 2_000_000))
        parts = [rng.permuted(np.tile(pooled, (len(k), 1)), axis=1)[:, :n1].sum(axis=1) for k in blocks]
        sums, full = np.concatenate(parts), False
    return sums / n1 - (pooled.sum() - sums) / n2, full
