"""Tests of one column at a time, from sums: analysis of variance, correlation, chi-squared."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc, fdtrc

from assay.bayes.counts import FeatureSums
from assay.core.moments import ClassMoments
from assay.select.filters.column_sums import NumberSums

__all__ = [
    "anova_of_moments",
    "chi2_of_counts",
    "correlations",
    "f_of_correlations",
    "f_of_table",
    "fisher_of_moments",
    "fisher_of_table",
    "independence_of_table",
]

Scores = tuple[Any, Any]  # scores and p-values, or None in place of these


def between_and_within(moments: ClassMoments) -> tuple[np.ndarray, np.ndarray]:
    """(d,) squared deviations of the class means from the mean, and of the rows from their class means."""
    pooled = moments.pooled()
    low = 0.0 if moments.low is None else moments.low
    gap = (moments.mean - pooled.mean) + (low - (0.0 if pooled.low is None else pooled.low))
    gap = np.where(moments.observed > 0, gap, 0.0)
    with np.errstate(over="ignore"):  # classes so far apart have an infinite F
        return (moments.observed * gap**2).sum(axis=0), moments.scatter.sum(axis=0)


def anova_of_moments(moments: ClassMoments) -> Scores:
    """F of each column, NaN for a constant one and inf for one that is constant in each class, and its p-value."""
    between, within = between_and_within(moments)
    classes = (moments.observed > 0).sum(axis=0)
    return _f(between, within, classes - 1.0, moments.observed.sum(axis=0) - classes)


def _f(between: Any, within: Any, df: Any, error_df: Any) -> Scores:
    with np.errstate(divide="ignore", invalid="ignore"):
        f = np.asarray((between / df) / (within / error_df))
        p = np.where(np.isnan(f), np.nan, fdtrc(df, error_df, f))
    return f, np.where(np.isposinf(f), 0.0, p)


def fisher_of_moments(moments: ClassMoments) -> Scores:
    """Between / within; inf where nothing varies within the classes, 0 where nothing varies at all."""
    between, within = between_and_within(moments)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(between == 0, 0.0, between / within), None


def _squared_correlations(table: np.ndarray) -> tuple[np.ndarray, int, int, float]:
    """Squared canonical correlations of rows and columns of a table; its rows, columns and sum, without empty ones."""
    kept = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    total = float(kept.sum())
    if min(kept.shape) < 2:
        return np.zeros(0), *kept.shape, total
    p = kept / total
    rows, columns = p.sum(axis=1), p.sum(axis=0)
    residual = (p - np.outer(rows, columns)) / np.sqrt(np.outer(rows, columns))
    most = min(kept.shape) - 1
    return np.minimum(np.linalg.svd(residual, compute_uv=False)[:most] ** 2, 1.0), *kept.shape, total


def f_of_table(table: np.ndarray) -> Scores:
    """F of Pillai's trace of the indicators of categories; of two categories the F of the one indicator."""
    squares, c, K, n = _squared_correlations(table)
    if not len(squares):
        return np.nan, np.nan
    s, trace = float(len(squares)), float(squares.sum())
    df, error_df = (c - 1.0) * (K - 1.0), s * (n - K - (c - 1.0) + s)
    if error_df <= 0:
        return np.nan, np.nan
    if s - trace <= 1e-14 * s:
        return np.inf, 0.0
    f = error_df / df * trace / (s - trace)
    return f, float(fdtrc(df, error_df, f))


def fisher_of_table(table: np.ndarray) -> Scores:
    """The trace of the between over the within scatter of the indicators of categories."""
    squares = _squared_correlations(table)[0]
    with np.errstate(divide="ignore"):
        return float((squares / np.where(squares > 1 - 1e-14, 0.0, 1 - squares)).sum()), None


def independence_of_table(table: np.ndarray) -> Scores:
    """Pearson's chi-squared of rows and columns, and its p-value with (c - 1)(K - 1) degrees of freedom."""
    squares, c, K, n = _squared_correlations(table)
    statistic, df = n * float(squares.sum()), (c - 1) * (K - 1)
    return statistic, float(chdtrc(df, statistic)) if df > 0 else 1.0


def chi2_of_counts(
    sums: FeatureSums, shares: np.ndarray | None = None, total: np.ndarray | None = None
) -> Scores:
    """Chi-squared of the sums of each column by class against the shares of the classes, and its p-value.

    ``shares`` and ``total`` are those of the classes and the columns, where labels overlap.
    """
    observed = sums.feature_count
    shares = sums.class_count / sums.class_count.sum() if shares is None else shares
    expected = np.outer(shares, observed.sum(axis=0) if total is None else total)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = observed - expected
        statistic = (apart * (apart / expected)).sum(
            axis=0
        )  # no square, which overflows for sums above 1e154
    return statistic, chdtrc(len(observed) - 1, statistic)


def correlations(sums: NumberSums, center: bool = True) -> np.ndarray:
    """(d,) Pearson's r of each column of numbers; NaN where one of the two is constant."""
    n = sums.x.observed[0]
    xx, yy, xy = sums.x.scatter[0], sums.y.scatter[0], sums.xy
    if not center:
        x, y = sums.x.mean[0], sums.y.mean[0]
        xx, yy, xy = xx + n * x * x, yy + n * y * y, xy + n * x * y
    varies = (xx > 0) & (yy > 0)
    spread = np.sqrt(np.where(varies, xx, np.nan))
    return np.clip(xy / spread / np.sqrt(np.where(varies, yy, np.nan)), -1.0, 1.0)


def f_of_correlations(r: np.ndarray, n: np.ndarray, center: bool = True, force_finite: bool = True) -> Scores:
    """F of a line through each column, r^2 / (1 - r^2) times its degrees of freedom, and its p-value."""
    df = n - (2 if center else 1)
    squares = r * r
    with np.errstate(divide="ignore", invalid="ignore"):
        f = squares / (1 - squares) * df
        p = np.where(np.isnan(f), np.nan, np.where(np.isposinf(f), 0.0, fdtrc(1, df, f)))
    if force_finite:
        f[np.isposinf(f)] = np.finfo(f.dtype).max
        f[np.isnan(f)], p[np.isnan(p)] = 0.0, 1.0
    return f, p
