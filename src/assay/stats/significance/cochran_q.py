"""Cochran's Q: do several learners err equally often on the same test rows?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.stats.checks import as_matrix
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["cochran_q"]


def cochran_q(right: ArrayLike, *, alpha: float = 0.05) -> TestResult:
    r"""McNemar's test for more than two learners: whether all have the same error rate on the same rows.

    With :math:`G_j` the rows that learner j gets right and :math:`L_i` the learners that are right on row i,

    .. math:: Q = \frac{(k - 1)\left(k\sum_j G_j^2 - \left(\sum_j G_j\right)^2\right)}{k\sum_i L_i - \sum_i L_i^2}
              \sim \chi^2_{k-1}                                                                 \quad (1)

    Rows on which all agree carry no weight. For two learners it is McNemar's test, not corrected. After a
    rejection, compare pairs by ``mcnemar`` with p-values adjusted for their number.

    Parameters
    ----------
    right : (n, k) of 0 and 1, or truth values
        Whether each of k learners is right (or wrong: Q is the same) on each of n rows.

    Returns
    -------
    TestResult; ``why`` warns if rows with disagreement, times learners, are below 24: chi-square is rough

    Examples
    --------
    >>> from assay.stats import cochran_q
    >>> right = [[1, 1, 0]] * 8 + [[1, 0, 0]] * 6 + [[0, 0, 1]] * 2 + [[1, 1, 1]] * 20
    >>> print(cochran_q(right))
    Cochran's Q: statistic 13.5000 with 2 degrees of freedom, p = 0.001: significant at 0.05.

    See Also
    --------
    mcnemar, adjust, friedman

    References
    ----------
    - Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37(3-4), 256-266.
    """
    from scipy.special import chdtrc

    alpha = check_alpha(alpha, "cochran_q")
    hits = as_matrix(right, "cochran_q")
    k = hits.shape[1]
    if k < 2 or not np.isin(hits, (0, 1)).all():
        other = f"{hits[~np.isin(hits, (0, 1))][0]:g} among the values" if k > 1 else "one column"
        raise DataError(f"cochran_q: needs a table of 0 and 1 with two or more columns, got {other}.")
    columns, rows = hits.sum(axis=0), hits.sum(axis=1)
    split = float(k * rows.sum() - np.sum(rows**2))
    if split == 0:
        return TestResult("Cochran's Q", 0.0, 1.0, k - 1, alpha=alpha, why="On every row all learners agree.")
    Q = float((k - 1) * (k * np.sum(columns**2) - columns.sum() ** 2) / split)  # (1)
    telling = int(np.sum((rows > 0) & (rows < k)))
    why = (
        ""
        if telling * k >= 24
        else f"Rows on which the learners disagree: {telling}, too few; chi-square is rough."
    )
    return TestResult("Cochran's Q", Q, float(chdtrc(k - 1, Q)), k - 1, alpha=alpha, why=why)
