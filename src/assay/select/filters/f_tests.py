"""F tests of columns: analysis of variance by classes, a line by a target of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core.moments import ClassMoments, class_moments
from assay.core.parameters import Flag, check
from assay.core.sums import Rows
from assay.core.targets import encode_labels, numeric_target
from assay.errors import DataError, warn_user
from assay.prepare.sparse_moments import sparse_moments
from assay.select.filters.column_sums import NumberSums, number_sums, refuse_overflow_of_numbers
from assay.select.filters.score import SCORES
from assay.select.filters.tests_of_columns import anova_of_moments, correlations, f_of_correlations
from assay.tables import Table
from assay.types import TableLike, Target

__all__ = ["f_classif", "f_oneway", "f_regression", "r_regression", "warn_constant"]


def f_oneway(*args: Any) -> tuple[np.ndarray, np.ndarray]:
    r"""Analysis of variance of several samples, column by column.

    .. math:: F = \frac{\sum_k n_k (m_k - m)^2 / (K - 1)}{\sum_k \sum_i (x_{ki} - m_k)^2 / (n - K)}   \quad (1)

    From deviations, so that nothing cancels however far the numbers lie from 0. A missing value is left out of its
    column. Cost: O(n d).

    Parameters
    ----------
    args : K samples, (n_k, d) arrays or sparse matrices, or (n_k,)

    Returns
    -------
    (d,) F, NaN for a constant column      (d,) p-values

    Examples
    --------
    >>> from assay.select import f_oneway
    >>> f_oneway([[1.0], [3.0]], [[5.0], [7.0]])
    (array([8.]), array([0.10557281]))

    See Also
    --------
    f_classif, anova

    References
    ----------
    - Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    """
    if len(args) < 2:
        raise DataError(f"expected two samples or more, got {len(args)}.", who="f_oneway")
    samples = []
    for sample in args:
        rows = sample if hasattr(sample, "tocsr") else np.asarray(sample)
        values = Table.of(rows[:, None] if np.ndim(rows) == 1 else rows, who="f_oneway").values
        one_class = np.zeros(values.shape[0], np.int64)
        dense = isinstance(values, np.ndarray)
        samples.append(
            class_moments(values, one_class, None, 1, False) if dense else sparse_moments(values, None)
        )
    d = max(moments.mean.shape[1] for moments in samples)

    def stacked(name: str) -> np.ndarray:
        parts = [getattr(moments, name) for moments in samples]
        filled = [np.zeros_like(m.mean) if part is None else part for part, m in zip(parts, samples)]
        return np.vstack([np.broadcast_to(part, (1, d)) for part in filled])

    count = np.concatenate([moments.count for moments in samples])
    observed, mean, scatter, low = (stacked(name) for name in ("observed", "mean", "scatter", "low"))
    f, p = anova_of_moments(ClassMoments(count, observed, mean, scatter, None, low))
    warn_constant(f)
    return f, p


def warn_constant(f: np.ndarray, who: str = "") -> None:
    """Say which columns have no F, since nothing varies in them."""
    constant = np.flatnonzero(np.isnan(f))
    if len(constant):
        warn_user(f"{who}{': ' if who else ''}Features {constant} are constant.", UserWarning)


def f_classif(X: TableLike, y: Target) -> tuple[np.ndarray, np.ndarray]:
    r"""F of the analysis of variance of each column by class: do the classes have different means?

    Of numbers as :func:`f_oneway`. Of a nominal column the F of Pillai's trace of its indicators, which of two
    categories is the F of the one indicator. A missing number is left out of its column, a missing category is one of
    its own. Cost: one pass over the rows.

    Parameters
    ----------
    X : array, sparse matrix or frame, (n, d)
    y : (n,) classes

    Returns
    -------
    (d,) F, NaN for a constant column      (d,) p-values

    Examples
    --------
    >>> from assay.select import f_classif
    >>> from assay.tables.data import load_iris
    >>> iris = load_iris()
    >>> f_classif(iris.X, iris.y)[0].round(1)
    array([ 119.3,   49.2, 1180.2,  960. ])

    See Also
    --------
    f_regression, chi2, mutual_info_classif, feature_scores

    References
    ----------
    - Fisher, R. A. (1925). Statistical Methods for Research Workers. Oliver and Boyd.
    """
    table = Table.of(X, who="f_classif")
    classes, codes = encode_labels(y, table.shape[0], "f_classif")
    f, p = SCORES["f"].of(table, codes, None, len(classes), who="f_classif")
    warn_constant(f, "f_classif")
    assert p is not None
    return f, p


def r_regression(X: TableLike, y: Target, *, center: bool = True, force_finite: bool = True) -> np.ndarray:
    r"""Pearson's correlation of each column of numbers and the target.

    .. math:: r_j = \frac{\sum_i (x_{ij} - \bar x_j)(y_i - \bar y)}
              {\sqrt{\sum_i (x_{ij} - \bar x_j)^2 \sum_i (y_i - \bar y)^2}}

    over the rows in which the column is known. Cost: one pass over the rows.

    Parameters
    ----------
    X : array, sparse matrix or frame of numbers, (n, d)
    y : (n,) numbers
    center : bool, default True
        False leaves the means out of the formula.
    force_finite : bool, default True
        0 in place of NaN where the column or the target is constant.

    Returns
    -------
    (d,) r, from -1 to 1

    Examples
    --------
    >>> from assay.select import r_regression
    >>> r_regression([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]], [2.0, 4.0, 6.0])
    array([1., 0.])

    See Also
    --------
    f_regression, mutual_info_regression

    References
    ----------
    - Pearson, K. (1895). Note on regression and inheritance in the case of two parents. Proceedings of the Royal
      Society of London 58, 240-242. doi:10.1098/rspl.1895.0041
    """
    sums = _number_sums(X, y, center, force_finite, "r_regression")
    r = correlations(sums, center)
    return np.nan_to_num(r) if force_finite else r


def f_regression(
    X: TableLike, y: Target, *, center: bool = True, force_finite: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    r"""F of a line through each column of numbers and the target.

    .. math:: F_j = \frac{r_j^2}{1 - r_j^2} (n - 2)

    with the correlation of :func:`r_regression`, and n - 1 in place of n - 2 if means are left out.

    Parameters
    ----------
    X, y, center : as in r_regression
    force_finite : bool, default True
        For a constant column or target 0 and p = 1 in place of NaN; for a perfect line the largest number in place of
        infinity.

    Returns
    -------
    (d,) F      (d,) p-values

    Examples
    --------
    >>> from assay.select import f_regression
    >>> f_regression([[1.0], [2.0], [3.0], [4.0]], [1.0, 3.0, 2.0, 4.0])
    (array([3.55555556]), array([0.2]))

    See Also
    --------
    r_regression, f_classif, feature_scores

    References
    ----------
    - Pearson, K. (1895). Note on regression and inheritance in the case of two parents. Proceedings of the Royal
      Society of London 58, 240-242. doi:10.1098/rspl.1895.0041
    """
    sums = _number_sums(X, y, center, force_finite, "f_regression")
    return f_of_correlations(correlations(sums, center), sums.x.observed[0], center, force_finite)


def _number_sums(X: Any, y: Any, center: bool, force_finite: bool, who: str) -> NumberSums:
    check(who, {"center": Flag(), "force_finite": Flag()}, {"center": center, "force_finite": force_finite})
    table = Table.of(X, who=who)
    if table.schema.coded.any():
        name = table.schema[int(np.argmax(table.schema.coded))].name
        raise DataError(
            f"column {name!r} holds categories, expected numbers. For any columns: feature_scores(X, y, 'f').",
            who=who,
        )
    rows = Rows(table.values, numeric_target(y, table.shape[0], who))
    sums = rows.add_up(lambda block: number_sums(block.X, block.y, None, table.schema))
    refuse_overflow_of_numbers(sums, table.schema, who)
    return sums
