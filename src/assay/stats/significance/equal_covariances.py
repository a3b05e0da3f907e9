"""Do the classes share one covariance? Box's M test."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.stats.checks import as_matrix
from assay.stats.multivariate.covariance import factor
from assay.stats.multivariate.moments import covariance
from assay.stats.significance.test_result import TestResult


def box_m(X: ArrayLike, y: ArrayLike) -> TestResult:
    r"""Box's M: the question behind the choice between a linear and a quadratic discriminant.

    .. math:: M = (n-K)\ln|S| - \sum_k (n_k-1)\ln|S_k|, \qquad
              c = \frac{2d^2+3d-1}{6(d+1)(K-1)}\left[\sum_k\frac1{n_k-1} - \frac1{n-K}\right]

    with unbiased class covariances and their pooled mean S. The statistic
    returned, (1 - c) M, is chi-squared with d(d+1)(K-1)/2 degrees of freedom
    when all covariances are equal and the classes are normal. It also reacts
    to classes that are not normal: check that first.

    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> round(box_m(X, y).statistic, 4)
    140.943

    See Also
    --------
    levene, manova

    References
    ----------
    - Box, G. E. P. (1949). A general distribution theory for a class of likelihood criteria. Biometrika 36(3-4),
      317-346.
    """
    from scipy.stats import chi2

    rows, labels = as_matrix(X, "box_m"), np.asarray(y)
    if labels.shape != rows.shape[:1]:
        raise DataError(f"box_m: expected {len(rows)} labels, one per row, got shape {labels.shape}.")
    classes, counts = np.unique(labels, return_counts=True)
    d, K, n = rows.shape[1], len(classes), len(rows)
    if K < 2:
        raise DataError("box_m: needs at least two classes, y has one.")
    if counts.min() <= d:
        small = classes[counts.argmin()]
        raise DataError(
            f"box_m: class {small.item()!r} has {counts.min()} rows; "
            f"with {d} columns each class needs more than {d}."
        )
    free = counts - 1
    parts = [covariance(rows[labels == c], unbiased=True) for c in classes]
    pooled = np.tensordot(free, parts, axes=1) / (n - K)
    M = (n - K) * _log_det(pooled) - sum(f * _log_det(S) for f, S in zip(free, parts))
    c = (2 * d**2 + 3 * d - 1) / (6 * (d + 1) * (K - 1)) * (np.sum(1 / free) - 1 / (n - K))
    statistic = float((1 - c) * M)
    df = d * (d + 1) * (K - 1) / 2
    return TestResult("Box's M", statistic, float(chi2.sf(statistic, df)), df)


def _log_det(S: np.ndarray) -> float:
    return 2 * float(np.sum(np.log(np.diag(factor(S, "box_m", "Drop a column that others determine.")))))
