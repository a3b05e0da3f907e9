"""Quade's test: Friedman's, with larger weights for data sets on which the learners differ more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import fdtrc

from assay.stats.checks import one_of
from assay.stats.significance.friedman import all_alike
from assay.stats.significance.ranks import mid_ranks
from assay.stats.significance.samples import both, named_table
from assay.stats.significance.test_result import TestResult, check_alpha
from assay.types import TableLike

__all__ = ["quade"]


def quade(
    table: TableLike, *, better: str = "higher", names: Sequence[str] | None = None, alpha: float = 0.05
) -> TestResult:
    r"""Compare k learners over N data sets by ranks, each data set weighted by the rank of its range.

    With :math:`r_{ij}` the rank on data set i and :math:`Q_i` the rank of its range (largest minus smallest value):

    .. math:: S_{ij} = Q_i\left(r_{ij}-\tfrac{k+1}2\right),\quad A=\sum_{ij}S_{ij}^2,\quad
              B=\tfrac1N\sum_j\Big(\sum_iS_{ij}\Big)^2,\quad F=\frac{(N-1)B}{A-B}\sim F_{k-1,(N-1)(k-1)}

    It has more power than `friedman` for up to about five learners, if values of different data sets are on
    one scale.

    Parameters
    ----------
    table, better, names, alpha : as in `friedman`

    Examples
    --------
    >>> from assay.stats import quade
    >>> sales = [[5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
    ...          [19, 18, 28, 37, 58], [10, 7, 6, 8, 7]]
    >>> print(quade(sales))
    Quade's test: statistic 3.8293 with 4 and 24 degrees of freedom, p = 0.015: significant at 0.05.

    See Also
    --------
    friedman, compare_ranks

    References
    ----------
    - Quade, D. (1979). Using weighted rankings in the analysis of complete blocks with additive block effects.
      Journal of the American Statistical Association 74(367), 680-683.
    """
    check_alpha(alpha, "quade")
    one_of(better, ("higher", "lower"), "quade", "better")
    _, X, _, why = named_table(table, names, "quade")
    N, k = X.shape
    ranks = mid_ranks(-X if better == "higher" else X)
    span = np.ptp(X, axis=1)
    weight = mid_ranks(span[None], np.abs(X).max(axis=1)[None])[0]
    S = weight[:, None] * (ranks - (k + 1) / 2)
    A, B = float(np.sum(S**2)), float(np.sum(S.sum(axis=0) ** 2) / N)
    df = (float(k - 1), float((N - 1) * (k - 1)))
    if A == 0:
        f, p, note = 0.0, 1.0, "On every data set all values are equal."
    elif A - B <= 1e-12 * A:
        f, p = np.inf, all_alike(N, k, ranks)
        note = (
            f"All {N} data sets order the learners alike, with one range, so that F is infinite; "
            f"p is how often they do by chance, {p:.2g}."
        )
    else:
        f, note = (N - 1) * B / (A - B), ""
        p = float(fdtrc(*df, f))
    return TestResult("Quade's test", f, p, df, alpha=alpha, why=both(note, why))
