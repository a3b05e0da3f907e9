"""Likelihood-ratio test of two nested models fitted to the same rows."""

from __future__ import annotations

import numpy as np

from assay.errors import DataError, ParameterError
from assay.linear.inference.coefficient_table import CoefficientTable, CoefficientTest, chi2_or_f

__all__ = ["likelihood_ratio_test"]

SAME = ("rows", "null log-likelihood", "total squares")  # measures that the same rows share


def likelihood_ratio_test(smaller: CoefficientTable, larger: CoefficientTable) -> CoefficientTest:
    r"""Whether a model fits better than a part of it, by more than chance.

    .. math:: 2(\ell_{larger} - \ell_{smaller}) \sim \chi^2_q,                                      \quad (1)

    q being the number of coefficients that only the larger model has, if they are all 0.

    Parameters
    ----------
    smaller, larger : summaries of two fits of the same rows, the terms of the first among those of the second

    Examples
    --------
    >>> from assay.linear import LinearRegression, likelihood_ratio_test
    >>> X, y = [[1.0, 0], [2, 1], [3, 0], [4, 1], [5, 0]], [1.0, 2.5, 3.0, 4.6, 5.0]
    >>> first = [[row[0]] for row in X]
    >>> smaller = LinearRegression().fit(first, y).summary(first, y)
    >>> larger = LinearRegression().fit(X, y).summary(X, y)
    >>> print(likelihood_ratio_test(smaller, larger))
    x1 = 0: chi2(1) = 22.6, p = 2e-06

    See Also
    --------
    coefficient_report, CoefficientTable

    References
    ----------
    - Wilks, S. S. (1938). The large-sample distribution of the likelihood ratio for testing composite hypotheses.
      Annals of Mathematical Statistics 9(1), 60-62. doi:10.1214/aoms/1177732360
    """
    for table in (smaller, larger):
        if not isinstance(table, CoefficientTable):
            raise ParameterError(
                f"likelihood_ratio_test: takes two summaries, got {type(table).__name__}. Call its summary(X, y) first."
            )
        if table.penalised:
            raise ParameterError(
                f"likelihood_ratio_test: {table.learner} was fitted with a penalty, so its likelihood is not the "
                "largest there is."
            )
    shared = [name for name in SAME if name in smaller.measures or name in larger.measures]
    if bool(smaller.constant) != bool(larger.constant):  # squares about the mean, and about 0
        shared = [name for name in shared if name != "total squares"]
    first, other = (
        np.array([t.measures[name] for name in shared if name in t.measures]) for t in (smaller, larger)
    )
    if first.shape != other.shape or not np.allclose(first, other, rtol=1e-8, atol=0):
        raise DataError("likelihood_ratio_test: the two models were not fitted on the same rows and targets.")
    extra = [t for t in dict.fromkeys(larger.terms) if t not in smaller.terms]
    alien = [t for t in smaller.terms if t not in larger.terms]
    if alien or not extra:
        what = f"the smaller has {alien[0]!r}, the larger has not" if alien else "they have the same terms"
        raise ParameterError(f"likelihood_ratio_test: one model must be a part of the other; {what}.")
    gain = 2 * (larger.measures["log-likelihood"] - smaller.measures["log-likelihood"])  # (1)
    label = " = ".join(extra) if len(extra) <= 4 else f"{len(extra)} coefficients"
    return chi2_or_f(f"{label} = 0", max(gain, 0.0), len(larger.terms) - len(smaller.terms), np.inf)
