"""Chi-squared of columns of counts and the class."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.bayes.counts import FeatureSums
from assay.core.targets import encode_labels, is_table
from assay.errors import DataError
from assay.select.filters.score import counts_of
from assay.select.filters.tests_of_columns import chi2_of_counts
from assay.tables import Table
from assay.types import TableLike, Target

__all__ = ["chi2"]


def chi2(X: TableLike, y: Target) -> tuple[np.ndarray, np.ndarray]:
    r"""Chi-squared of columns of counts, such as words: do they occur in the classes by the classes' shares?

    .. math:: \chi_j^2 = \sum_k \frac{(o_{kj} - e_{kj})^2}{e_{kj}},\quad o_{kj} = \sum_{i: y_i = k} x_{ij},\quad
              e_{kj} = \frac{n_k}{n} \sum_i x_{ij}

    with K - 1 degrees of freedom. Each count is an event; for categories, or numbers in bins, use
    ``feature_scores(X, y, "chi-squared")``. Cost: one pass over the counts, sparse or dense.

    Parameters
    ----------
    X : array, sparse matrix or frame of numbers from 0 up, (n, d)
    y : (n,) classes, or (n, K) zeros and ones, one column for each label

    Returns
    -------
    (d,) chi-squared, NaN for a column of zeros      (d,) p-values

    Examples
    --------
    >>> from assay.select import chi2
    >>> chi2([[10, 20], [20, 20], [20, 30]], [1, 0, 0])[0].round(4)
    array([4.    , 0.7143])

    See Also
    --------
    feature_scores, discriminating_words, f_classif

    References
    ----------
    - Pearson, K. (1900). On the criterion that a given system of deviations from the probable in the case of a
      correlated system of variables is such that it can be reasonably supposed to have arisen from random sampling.
      Philosophical Magazine 50, 157-175.
    """
    table = Table.of(X, who="chi2")
    if is_table(y, "chi2"):
        return _of_labels(table, y)
    classes, codes = encode_labels(y, table.shape[0], "chi2")
    return chi2_of_counts(counts_of(table.values, codes, None, len(classes), table.schema, "chi2"))


def _of_labels(table: Table, y: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same of several labels a row, which may overlap."""
    labels, n = np.asarray(y, np.float64), table.shape[0]
    if len(labels) != n or not np.isin(labels, (0.0, 1.0)).all():
        raise DataError(f"y must hold zeros and ones in {n} rows, or one class for each row.", who="chi2")
    total = counts_of(table.values, np.zeros(n, np.int64), None, 1, table.schema, "chi2").feature_count
    sums = FeatureSums(labels.sum(axis=0), np.asarray(table.values.T @ labels).T)
    return chi2_of_counts(sums, shares=labels.mean(axis=0), total=total[0])
