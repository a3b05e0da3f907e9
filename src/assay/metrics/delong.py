"""Interval of the area under the ROC curve, and DeLong's test of two areas."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError, ParameterError
from assay.metrics._inputs import scored
from assay.metrics.areas import area_of
from assay.metrics.curves import Tallies, tallies
from assay.metrics.estimate import Estimate
from assay.stats.significance.test_result import TestResult, check_alpha, check_alternative
from assay.types import Label, Scores, Target

__all__ = ["auc_interval", "delong"]


def auc_interval(
    truth: Target, score: Scores, *, pos_label: Label | None = None, alpha: float = 0.05, method: str = "auto"
) -> Estimate:
    r"""The area under the ROC curve with its interval.

    DeLong, DeLong and Clarke-Pearson (1988): with the placements :math:`V_i` of the P positives (share of negatives
    scored lower, equals half) and :math:`W_j` of the N negatives (share of positives scored higher),

    .. math:: \operatorname{var}\hat A = S^2_V / P + S^2_W / N                                      \quad (1)

    The interval is made on the scale of :math:`\ln(A/(1-A))` and so stays between 0 and 1. Where the variance (1) is
    zero (perfect separation) or a class has one row, Newcombe's score interval (2006, method 5) takes over, the values
    :math:`\theta` with

    .. math:: (\hat A - \theta)^2 \le z^2 \frac{\theta(1-\theta)}{PN}
              \left(1 + N^*\left[\tfrac{1-\theta}{2-\theta} + \tfrac{\theta}{1+\theta}\right]\right),
              \quad N^* = \tfrac{P+N}2 - 1                                                          \quad (2)

    Where a class has few rows, (1) is itself uncertain: with 10 rows of one class, 200 of the other and areas above 0.9
    the interval held the true area in 81 to 91 of 100 simulated samples. Newcombe's does better there if both classes
    spread alike, and worse if they do not.

    Parameters
    ----------
    truth : (n,) labels of two classes
    score : (n,) larger for the positive class
    pos_label : the positive class
    method : "auto", "delong", "delong-plain" (no logarithm, cut at 0 and 1) or "newcombe"

    Examples
    --------
    >>> from assay.metrics import auc_interval
    >>> print(auc_interval([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [.95, .9, .8, .7, .6, .55, .5, .4, .3, .1]))
    0.8400 (0.4104 to 0.9754, DeLong)
    """
    rows = scored(truth, score, "auc_interval", pos_label)
    return interval_of(tallies(rows), alpha, method, "auc_interval")


def interval_of(counted: Tallies, alpha: float, method: str, who: str) -> Estimate:
    """The interval from unweighted counts."""
    alpha = check_alpha(alpha, who)
    if method not in ("auto", "delong", "delong-plain", "newcombe"):
        raise ParameterError(
            f"method must be auto, delong, delong-plain or newcombe, got {method!r}.", who=who
        )
    from scipy.special import expit, logit, ndtri

    area, var, P, N = spread(counted)
    if np.isnan(area):
        return Estimate(area, method="", alpha=alpha, why="one of the two classes has no row")
    z = float(ndtri(1 - alpha / 2))
    if method == "newcombe" or not var > 0:
        if method in ("auto", "newcombe"):
            low, high = _newcombe(area, P, N, z)
            return Estimate(area, low, high, "Newcombe", alpha)
        return Estimate(area, alpha=alpha, why="the variance is zero or not defined; use method='newcombe'")
    if method == "delong-plain":
        half = z * np.sqrt(var)
        return Estimate(area, max(0.0, area - half), min(1.0, area + half), "DeLong, not transformed", alpha)
    half = z * np.sqrt(var) / (area * (1 - area))
    return Estimate(area, float(expit(logit(area) - half)), float(expit(logit(area) + half)), "DeLong", alpha)


def spread(counted: Tallies) -> tuple[float, float, float, float]:
    """Area, its variance (1), and the two numbers of rows."""
    P, N = float(counted.tps[-1]), float(counted.fps[-1])
    if not (P > 0 and N > 0):
        return float("nan"), float("nan"), P, N
    pos, neg = np.diff(counted.tps, prepend=0.0), np.diff(counted.fps, prepend=0.0)
    V = (N - counted.fps + neg / 2) / N  # of the positives at each score
    W = (counted.tps - pos / 2) / P  # of the negatives at each score
    area = float(neg @ W / N)
    if P < 2 or N < 2:
        return area, float("nan"), P, N
    var = pos @ (V - area) ** 2 / (P - 1) / P + neg @ (W - area) ** 2 / (N - 1) / N  # (1)
    return area, float(var), P, N


def _newcombe(area: float, P: float, N: float, z: float) -> tuple[float, float]:
    from scipy.optimize import brentq

    star = (P + N) / 2 - 1

    def excess(theta: float) -> float:  # (2), negative inside the interval
        inside = 1 + star * ((1 - theta) / (2 - theta) + theta / (1 + theta))
        return (area - theta) ** 2 - z * z * theta * (1 - theta) / (P * N) * inside

    low = (
        0.0
        if area == 0
        else float(brentq(excess, 1e-300, area))
        if excess(area) < 0
        else _edge(excess, 0.0, area)
    )
    high = (
        1.0
        if area == 1
        else float(brentq(excess, area, 1.0))
        if excess(area) < 0
        else _edge(excess, 1.0, area)
    )
    return low, high


def _edge(excess: Any, far: float, area: float) -> float:
    """The root between the far end and an area of exactly 0 or 1, where the excess touches zero."""
    from scipy.optimize import brentq

    near = area + (1e-9 if area < far else -1e-9)
    return float(brentq(excess, min(far, near), max(far, near)))


def delong(
    truth: Target,
    first: ArrayLike,
    second: ArrayLike,
    *,
    pos_label: Label | None = None,
    alpha: float = 0.05,
    alternative: str = "two-sided",
) -> TestResult:
    r"""Test whether two scores of the same rows have the same area under the ROC curve (DeLong et al. 1988).

    .. math:: z = (\hat A_1 - \hat A_2) \Big/ \sqrt{S^2_{V_1-V_2}/P + S^2_{W_1-W_2}/N}

    with the placements of :func:`auc_interval`, row by row, so that what the two scores share cancels.

    Parameters
    ----------
    truth : (n,) labels of two classes
    first, second : (n,) scores of the same rows
    pos_label : the positive class
    alternative : "two-sided", "greater" (the first area is larger) or "less"

    Returns
    -------
    TestResult, with the difference of the areas as its estimate

    Examples
    --------
    >>> from assay.metrics import delong
    >>> truth = [0, 0, 0, 0, 1, 1, 1, 1]
    >>> result = delong(truth, [1, 2, 3, 4, 5, 6, 7, 8], [1, 5, 3, 6, 2, 7, 4, 8])
    >>> result.estimate, round(result.p, 4)
    (0.3125, 0.1601)
    """
    alpha, alternative = check_alpha(alpha, "delong"), check_alternative(alternative, "delong")
    first_scores = scored(truth, first, "delong", pos_label)
    second_scores = scored(truth, second, "delong", pos_label)
    P, N = int(first_scores.positive.sum()), int((~first_scores.positive).sum())
    if P < 2 or N < 2:
        raise DataError(
            f"delong: each class needs two rows to show its spread, got {P} positive and {N} negative."
        )
    from scipy.special import ndtr, ndtri

    V1, W1 = placements(first_scores.positive, first_scores.score)
    V2, W2 = placements(second_scores.positive, second_scores.score)
    difference = area_of(first_scores) - area_of(second_scores)
    scale = float(np.sqrt(np.var(V1 - V2, ddof=1) / P + np.var(W1 - W2, ddof=1) / N))
    name = "DeLong's test of two areas under the ROC curve"
    if scale <= 1e-12:
        if abs(difference) <= 1e-12:
            why = "Both scores order every pair of a positive and a negative row alike."
            return TestResult(name, 0.0, 1.0, None, alternative, alpha, 0.0, 0.0, 0.0, why, code="delong")
        why = "The difference is the same on every row, so there is no spread to judge it by."
        return TestResult(name, float(np.copysign(np.inf, difference)), float("nan"), None, alternative, alpha,
                          difference, np.nan, np.nan, why)  # fmt: skip
    z = difference / scale
    p = {"two-sided": 2 * ndtr(-abs(z)), "greater": ndtr(-z), "less": ndtr(z)}[alternative]
    half = float(ndtri(1 - alpha / 2)) * scale
    return TestResult(
        name,
        float(z),
        float(p),
        None,
        alternative,
        alpha,
        difference,
        difference - half,
        difference + half,
        code="delong",
    )


def placements(positive: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(P,) share of negatives below each positive, (N,) share of positives above each negative; equals half."""
    pos, neg = score[positive], score[~positive]
    rising = np.sort(neg)
    V = (np.searchsorted(rising, pos, "left") + np.searchsorted(rising, pos, "right")) / (2 * len(neg))
    rising = np.sort(pos)
    W = 1 - (np.searchsorted(rising, neg, "left") + np.searchsorted(rising, neg, "right")) / (2 * len(pos))
    return V, W
