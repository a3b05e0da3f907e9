"""Is it normal? A histogram, three tests for one variable, two for several."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_ndtr, ndtr

from assay.errors import DataError
from assay.sentence import Sentence
from assay.stats.checks import as_matrix, as_sample
from assay.stats.multivariate.covariance import factor
from assay.stats.multivariate.moments import covariance
from assay.stats.significance.test_result import TestResult


@dataclass(frozen=True)
class NormalityCheck(Sentence):
    """Result of `check_normality`.

    n, mean, var, skewness, excess_kurtosis (0 and 0 for a normal variable)
    counts, edges : the histogram
    tests : one `TestResult` per test
    """

    n: int
    mean: float
    var: float
    skewness: float
    excess_kurtosis: float
    counts: NDArray[np.int64]
    edges: NDArray[np.float64]
    tests: tuple[TestResult, ...]

    def rejected(self, alpha: float = 0.05) -> bool:
        """Whether any test rejects normality at level alpha divided by the number of tests (Bonferroni)."""
        return min(test.p for test in self.tests) <= alpha / len(self.tests)

    def __str__(self) -> str:
        width = self.counts.max()
        lines = [
            f"n {self.n}, mean {self.mean:.6g}, variance {self.var:.6g}, "
            f"skewness {self.skewness:.3g}, excess kurtosis {self.excess_kurtosis:.3g}"
        ]
        for count, low, high in zip(self.counts, self.edges[:-1], self.edges[1:]):
            lines.append(f"{low:>12.5g} to {high:<12.5g} {'#' * round(40 * count / width)} {count}")
        lines += [f"{test.test}: {test.statistic:.6g}, p = {test.p:.4g}" for test in self.tests]
        return "\n".join(lines)


def check_normality(x: ArrayLike, *, bins: int | str = "auto") -> NormalityCheck:
    r"""Look at one variable before a Gaussian is fitted to it.

    - Shapiro-Wilk: how straight the normal plot is; the best all-round test
      (left out above 5000 values, where its p values are not reliable).
    - Jarque-Bera: :math:`\frac n6\left(g_1^2 + \tfrac14 g_2^2\right)` from
      skewness and excess kurtosis, chi-squared with 2 degrees of freedom for
      large n.
    - Anderson-Darling: distance of the distribution functions, tails weighted;
      p value by Stephens' approximation for unknown mean and variance.

    With thousands of values any real variable is rejected: look at the
    histogram and the skewness, too.

    Parameters
    ----------
    x : (n,), n at least 8, not constant
    bins : number of histogram bins, or a rule of `numpy.histogram_bin_edges`

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> check_normality(rng.normal(size=200)).rejected()
    False
    >>> check_normality(rng.exponential(size=200)).rejected()
    True

    See Also
    --------
    mardia, henze_zirkler

    References
    ----------
    - Mardia, K. V. (1970). Measures of multivariate skewness and kurtosis with applications. Biometrika 57(3),
      519-530. doi:10.1093/biomet/57.3.519
    - Henze, N. and Zirkler, B. (1990). A class of invariant consistent tests for multivariate normality.
      Communications in Statistics 19(10), 3595-3617.
    """
    from scipy.stats import chi2, shapiro

    x = as_sample(x, "check_normality")
    n = len(x)
    if n < 8 or np.ptp(x) == 0:
        raise DataError(f"check_normality: needs at least 8 values that are not all equal, got {n}.")
    z = (x - x.mean()) / x.std()
    g1, g2 = float(np.mean(z**3)), float(np.mean(z**4) - 3)
    jarque_bera = n / 6 * (g1**2 + g2**2 / 4)
    tests = [
        TestResult("Jarque-Bera", jarque_bera, float(chi2.sf(jarque_bera, 2)), 2),
        _anderson_darling(np.sort((x - x.mean()) / x.std(ddof=1))),
    ]
    if n <= 5000:
        W, p = shapiro(x)
        tests.insert(0, TestResult("Shapiro-Wilk", float(W), float(p)))
    counts, edges = np.histogram(x, bins=bins)
    return NormalityCheck(n, float(x.mean()), float(x.var()), g1, g2, counts, edges, tuple(tests))


def mardia(X: ArrayLike) -> tuple[TestResult, TestResult]:
    r"""Mardia's tests of multivariate normality: skewness and kurtosis of Mahalanobis products.

    .. math:: b_1 = \frac1{n^2}\sum_{ij} \left[(x_i-m)^TS^{-1}(x_j-m)\right]^3, \quad
              \frac{n b_1}6 \sim \chi^2_{d(d+1)(d+2)/6}; \qquad
              b_2 = \frac1n\sum_i \left[(x_i-m)^TS^{-1}(x_i-m)\right]^2, \quad
              \frac{b_2 - d(d+2)}{\sqrt{8d(d+2)/n}} \sim N(0,1)

    with the maximum-likelihood covariance S. Cost O(n d^3): the double sum is
    the squared length of the tensor of third moments.

    >>> from sklearn.datasets import load_iris
    >>> skewness, kurtosis = mardia(load_iris().data[:50])
    >>> round(skewness.statistic, 4), round(kurtosis.statistic, 4)
    (25.6643, 1.295)

    See Also
    --------
    henze_zirkler, check_normality

    References
    ----------
    - Mardia, K. V. (1970). Measures of multivariate skewness and kurtosis with applications. Biometrika 57(3),
      519-530. doi:10.1093/biomet/57.3.519
    """
    from scipy.stats import chi2

    Z = _whitened(X, "mardia")
    n, d = Z.shape
    third = np.einsum("ij,ik,il->jkl", Z, Z, Z, optimize=True) / n
    skewness = n * float(np.sum(third**2)) / 6
    b2 = float(np.mean(np.sum(Z**2, axis=1) ** 2))
    kurtosis = (b2 - d * (d + 2)) / np.sqrt(8 * d * (d + 2) / n)
    p = float(chi2.sf(skewness, d * (d + 1) * (d + 2) / 6))
    return (
        TestResult("Mardia skewness", skewness, p),
        TestResult("Mardia kurtosis", float(kurtosis), float(2 * ndtr(-abs(kurtosis)))),
    )


def henze_zirkler(X: ArrayLike) -> TestResult:
    r"""Henze and Zirkler's test of multivariate normality, sensitive to every departure.

    It measures the distance between the characteristic function of the
    whitened rows and that of the standard normal; the p value comes from the
    log-normal distribution with the statistic's own mean and variance. Cost
    O(n^2 d) time, in blocks of bounded memory.

    >>> from sklearn.datasets import load_iris
    >>> test = henze_zirkler(load_iris().data[:50])
    >>> round(test.statistic, 4), round(test.p, 4)
    (0.9488, 0.05)

    See Also
    --------
    mardia, check_normality

    References
    ----------
    - Henze, N. and Zirkler, B. (1990). A class of invariant consistent tests for multivariate normality.
      Communications in Statistics 19(10), 3595-3617.
    """
    from scipy.spatial.distance import cdist

    Z = _whitened(X, "henze_zirkler")
    n, d = Z.shape
    b2 = 0.5 * ((2 * d + 1) * n / 4) ** (2 / (d + 4))  # the smoothing parameter, squared
    block = max(1, 4_000_000 // n)
    pairs = sum(
        float(np.exp(-b2 / 2 * cdist(Z[i : i + block], Z, "sqeuclidean")).sum()) for i in range(0, n, block)
    )
    singles = np.exp(-b2 / (2 * (1 + b2)) * np.sum(Z**2, axis=1)).sum()
    statistic = float(pairs / n - 2 * (1 + b2) ** (-d / 2) * singles + n * (1 + 2 * b2) ** (-d / 2))
    a, w = 1 + 2 * b2, (1 + b2) * (1 + 3 * b2)
    mean = 1 - a ** (-d / 2) * (1 + d * b2 / a + d * (d + 2) * b2**2 / (2 * a**2))
    var = (
        2 * (1 + 4 * b2) ** (-d / 2)
        + 2 * a**-d * (1 + 2 * d * b2**2 / a**2 + 3 * d * (d + 2) * b2**4 / (4 * a**4))
        - 4 * w ** (-d / 2) * (1 + 3 * d * b2**2 / (2 * w) + d * (d + 2) * b2**4 / (2 * w**2))
    )
    log_var = np.log1p(var / mean**2)
    z = (np.log(statistic) - np.log(mean) + log_var / 2) / np.sqrt(log_var)
    return TestResult("Henze-Zirkler", statistic, float(ndtr(-z)))


def _anderson_darling(z: NDArray[np.float64]) -> TestResult:
    """z : sorted values, standardised with the unbiased variance."""
    n = len(z)
    odd = 2 * np.arange(1, n + 1) - 1
    a2 = -n - float(np.mean(odd * (log_ndtr(z) + log_ndtr(-z[::-1]))))
    a = a2 * (1 + 0.75 / n + 2.25 / n**2)  # Stephens' correction for estimated parameters
    if a >= 0.6:
        p = np.exp(1.2937 - 5.709 * a + 0.0186 * a**2)
    elif a >= 0.34:
        p = np.exp(0.9177 - 4.279 * a - 1.38 * a**2)
    elif a >= 0.2:
        p = 1 - np.exp(-8.318 + 42.796 * a - 59.938 * a**2)
    else:
        p = 1 - np.exp(-13.436 + 101.14 * a - 223.73 * a**2)
    if a > 13:  # beyond the fitted range the parabola would turn upwards
        p = 0.0
    return TestResult("Anderson-Darling", a2, float(p))


def _whitened(X: ArrayLike, who: str) -> NDArray[np.float64]:
    from scipy.linalg import solve_triangular

    rows = as_matrix(X, who)
    n, d = rows.shape
    if n <= d + 1:
        raise DataError(f"{n} rows of {d} columns are too few; more than {d + 1} are needed.", who=who)
    L = factor(covariance(rows), who, "Drop a column that others determine.")
    return solve_triangular(L, (rows - rows.mean(axis=0)).T, lower=True).T
