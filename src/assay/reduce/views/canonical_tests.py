"""Are two sets of columns independent? Tests of canonical correlations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.errors import DataError
from assay.stats.checks import as_points, one_of
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["canonical_correlation_tests", "wilks_lambdas"]


def wilks_lambdas(correlations: ArrayLike) -> np.ndarray:
    r""":math:`\Lambda_k = \prod_{i\ge k}(1-\rho_i^2)`: what the correlations from the k-th on leave unexplained.

    >>> from assay.reduce.views.canonical_tests import wilks_lambdas
    >>> wilks_lambdas([0.940969, 0.123937]).round(4)
    array([0.1128, 0.9846])
    """
    left = 1 - as_points(correlations, "wilks_lambdas") ** 2
    return np.cumprod(np.maximum(left, 0.0)[::-1])[::-1]


def canonical_correlation_tests(
    correlations: ArrayLike, n: float, p: int, q: int, method: str = "bartlett", alpha: float = 0.05
) -> list[TestResult]:
    r"""Whether two sets of columns are independent, and whether the correlations beyond the k-th are 0.

    With Wilks' lambda of the correlations from the k-th on (k = 0 is the test of independence), Bartlett's statistic

    .. math:: -\left(n-1-\tfrac{p+q+1}2\right)\ln\Lambda_k \;\approx\; \chi^2_{(p-k)(q-k)}         \quad (1)

    or Rao's, which is F distributed, and closer where rows are few. Both take the columns to be normal. Read the tests
    in turn: the first that is not significant says how many pairs there are evidence for.

    Parameters
    ----------
    correlations : (s,) all canonical correlations, s = min(p, q)
    n : number of rows      p, q : number of columns of the two sets
    method : "bartlett" or "rao", default "bartlett"
    alpha : float, default 0.05

    Returns
    -------
    list of s TestResult, of k = 0, 1, ..., with the k-th correlation as ``estimate``

    Examples
    --------
    Sepals against petals of 150 flowers.

    >>> from assay.reduce import canonical_correlation_tests
    >>> print(canonical_correlation_tests([0.940969, 0.123937], 150, 2, 2)[0])
    Bartlett's test that 2 correlations are 0: statistic 319.66... with 4 degrees of freedom, p < 0.001: significant ...

    See Also
    --------
    CCA

    References
    ----------
    - Bartlett, M. S. (1941). The statistical significance of canonical correlations. Biometrika 32, 29-37.
    - Rao, C. R. (1951). An asymptotic expansion of the distribution of Wilks' criterion. Bulletin of the International
      Statistical Institute 33, 177-180.
    """
    from scipy.special import chdtrc, fdtrc

    who = "canonical_correlation_tests"
    one_of(method, ("bartlett", "rao"), who, "method")
    alpha = check_alpha(alpha, who)
    rho = np.atleast_1d(as_points(correlations, who))
    if (rho < 0).any() or (rho > 1 + 1e-9).any():
        raise DataError(f"correlations must be numbers from 0 to 1, got {rho.tolist()}.", who=who)
    factor = n - 1 - (p + q + 1) / 2
    if not factor > 0:
        raise DataError(
            f"{n:g} rows are too few to test the correlations of {p} and {q} columns, more than "
            f"{(p + q + 3) / 2:g} are needed.",
            who=who,
        )
    results = []
    for k, remaining in enumerate(wilks_lambdas(rho)):
        a, b, count = p - k, q - k, len(rho) - k
        what = f"test that {count} correlation{'s are' if count > 1 else ' is'} 0"
        df: float | tuple[float, float]
        if method == "bartlett":
            df = float(a * b)
            statistic = -factor * np.log(remaining) if remaining > 0 else np.inf  # (1)
            p_value = chdtrc(df, statistic)
        else:
            power = a * a + b * b - 5
            t = np.sqrt((a * a * b * b - 4) / power) if power > 0 else 1.0
            df = (float(a * b), factor * t - a * b / 2 + 1)
            root = remaining ** (1 / t)
            statistic = (1 - root) / root * df[1] / df[0] if root > 0 else np.inf
            p_value = fdtrc(df[0], df[1], statistic)
        name = "Bartlett's" if method == "bartlett" else "Rao's"
        results.append(
            TestResult(
                f"{name} {what}", float(statistic), float(p_value), df, alpha=alpha, estimate=float(rho[k])
            )
        )
    return results
