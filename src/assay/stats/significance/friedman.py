"""Friedman's test: several learners on several data sets, compared by their ranks on each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lgamma
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, fdtrc

from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.checks import _as_floats, one_of
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.ranks import mid_ranks, tie_sum
from assay.stats.significance.samples import both, checked_names, named_table
from assay.stats.significance.test_result import TestResult, check_alpha
from assay.types import TableLike

__all__ = ["Friedman", "friedman", "friedman_from_ranks"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Friedman(Sentence):
    """Result of `friedman`: k learners on N data sets.

    Attributes
    ----------
    test : TestResult of Iman and Davenport's F, the sharper of the two
    chi2 : TestResult of Friedman's chi-squared
    names, average_ranks : one per learner; rank 1 is the best
    ranks : (N, k), or None if only average ranks were given
    kendall_w : agreement of the data sets on the order, 0 (none) to 1 (the same order everywhere)
    rows : numbers of the data sets that were used, those without a missing cell
    """

    test: TestResult
    chi2: TestResult
    names: tuple[str, ...]
    average_ranks: Floats
    datasets: int
    kendall_w: float
    ranks: Floats | None = None
    rows: NDArray[np.intp] | None = None

    @property
    def nemenyi(self) -> PostHoc:
        """All pairs by Nemenyi's test."""
        from assay.stats.significance.rank_post_hoc import nemenyi

        return nemenyi(self)

    @property
    def cd(self) -> float:
        """Nemenyi's critical difference of average ranks."""
        return self.nemenyi.critical

    @property
    def groups(self) -> list[tuple[int, ...]]:
        """Numbers of learners, best first, whose average ranks lie within the critical difference: the bars of
        a critical-difference diagram. Each is a longest such run; runs of one are left out."""
        return self.nemenyi.groups

    @property
    def order(self) -> NDArray[np.intp]:
        """The learners, best average rank first."""
        return np.argsort(self.average_ranks, kind="stable")

    def __str__(self) -> str:
        width = max(len(n) for n in self.names)
        lines = [f"  {self.names[j]:<{width}}  average rank {self.average_ranks[j]:.4f}" for j in self.order]
        head = [str(self.chi2), str(self.test)]
        tail = f"Nemenyi's critical difference {self.cd:.4f}; Kendall's W {self.kendall_w:.3f}."
        return "\n".join([*head, *lines, tail])


def friedman(
    table: TableLike,
    *,
    better: str = "higher",
    ties: bool = False,
    names: Sequence[str] | None = None,
    alpha: float = 0.05,
) -> Friedman:
    r"""Do k learners have the same rank on average, over N data sets?

    On each data set the learners are ranked, 1 for the best and mid-ranks for equal ones; :math:`R_j` is the
    average rank of learner j.

    .. math:: \chi_F^2 = \frac{12N}{k(k+1)}\left[\sum_jR_j^2-\frac{k(k+1)^2}4\right] \sim \chi^2_{k-1} \quad (1),
              \qquad F_F = \frac{(N-1)\chi_F^2}{N(k-1)-\chi_F^2} \sim F_{k-1,(k-1)(N-1)}              \quad (2)

    (1) is too careful for few data sets; (2), by Iman and Davenport, is not, and decides here. Where all data
    sets agree the denominator is 0, and p is the probability that they do by chance, (1/k!)^(N-1) without ties. Two
    learners are compared more sharply by
    `wilcoxon_signed_rank`, which also uses the sizes of the differences.

    Parameters
    ----------
    table : (N, k), a row per data set and a column per learner: array, data frame, or dict of columns
        Rows with a missing cell (NaN) are left out, and the result says so.
    better : "higher" (accuracy) or "lower" (error): which values get rank 1
    ties : bool, default False
        Divide (1) by :math:`1-\sum(t^3-t)/(Nk(k^2-1))`, t the sizes of ties, as SciPy always does.
    names : k names, default the columns' own or 1, 2, ...
    alpha : float

    Returns
    -------
    Friedman; `nemenyi`, `bonferroni_dunn`, `compare_ranks` and `conover` go on from it

    Examples
    --------
    >>> from assay.stats import friedman
    >>> accuracies = [[.80, .85, .82], [.70, .76, .74], [.91, .90, .93], [.65, .72, .70], [.88, .92, .89]]
    >>> print(friedman(accuracies, names=["tree", "bayes", "rules"]))
    Friedman's test: statistic 5.2000 with 2 degrees of freedom, p = 0.074: not significant at 0.05.
    Friedman's test, Iman-Davenport F: statistic 4.3333 with 2 and 8 degrees of freedom, p = 0.053: not
    significant at 0.05.
      bayes  average rank 1.4000
      rules  average rank 1.8000
      tree   average rank 2.8000
    Nemenyi's critical difference 1.4823; Kendall's W 0.520.

    See Also
    --------
    friedman_from_ranks, quade, nemenyi, compare_ranks

    References
    ----------
    - Friedman, M. (1937). The use of ranks to avoid the assumption of normality implicit in the analysis of
      variance. Journal of the American Statistical Association 32(200), 675-701. doi:10.1080/01621459.1937.10503522
    - Iman, R. L. and Davenport, J. M. (1980). Approximations of the critical region of the Friedman statistic.
      Communications in Statistics 9(6), 571-595.
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    check_alpha(alpha, "friedman")
    one_of(better, ("higher", "lower"), "friedman", "better")
    labels, X, rows, why = named_table(table, names, "friedman")
    ranks = mid_ranks(-X if better == "higher" else X)
    N, k = X.shape
    divisor = 1 - tie_sum(ranks) / (N * k * (k * k - 1)) if ties else 1.0
    return _tested(labels, ranks.mean(axis=0), N, divisor, alpha, why, ranks, rows)


def friedman_from_ranks(
    average_ranks: ArrayLike, datasets: int, *, names: Sequence[str] | None = None, alpha: float = 0.05
) -> Friedman:
    """Friedman's test from the average ranks that a publication prints.

    Parameters
    ----------
    average_ranks : (k,), whose mean is (k + 1) / 2 up to rounding
    datasets : int, N
    names, alpha : as in `friedman`

    Examples
    --------
    >>> from assay.stats import friedman_from_ranks
    >>> result = friedman_from_ranks([44 / 14, 2, 40.5 / 14, 27.5 / 14], 14)
    >>> round(result.test.statistic, 4), round(result.cd, 4), result.groups
    (3.6863, 1.2536, [(3, 1, 2, 0)])

    See Also
    --------
    friedman, nemenyi, bonferroni_dunn

    References
    ----------
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    check_alpha(alpha, "friedman_from_ranks")
    R = _as_floats(average_ranks, "friedman_from_ranks")
    if R.ndim != 1 or len(R) < 2 or not np.isfinite(R).all():
        raise DataError("friedman_from_ranks: expected the average ranks of two or more learners.")
    k = len(R)
    if isinstance(datasets, bool) or not isinstance(datasets, int | np.integer) or datasets < 2:
        raise ParameterError(f"friedman_from_ranks: datasets must be at least 2, got {datasets!r}.")
    if abs(R.mean() - (k + 1) / 2) > 0.01 or R.min() < 0.995 or R.max() > k + 0.005:
        raise DataError(
            f"friedman_from_ranks: average ranks of {k} learners lie between 1 and {k} and average "
            f"{(k + 1) / 2:g}, these average {R.mean():.4g}."
        )
    labels = checked_names(names, k, "friedman_from_ranks")
    return _tested(labels, R, int(datasets), 1.0, alpha, "", None, None)


def _tested(
    labels: tuple[str, ...], R: Floats, N: int, divisor: float, alpha: float, why: str, ranks: Any, rows: Any
) -> Friedman:
    k = len(R)
    most = N * (k - 1)
    centred = float(np.sum((R - R.mean()) ** 2))  # sum R^2 - k (k + 1)^2 / 4, without cancellation
    chi2, note = 0.0, ""
    if divisor > 0:
        chi2 = min(12 * N / (k * (k + 1)) * centred / divisor, float(most))  # (1)
    if centred < 1e-20:
        chi2, note = 0.0, "All average ranks are equal."
    if most - chi2 <= 1e-10 * most:
        f, p = np.inf, all_alike(N, k, ranks)
        note = (
            f"All {N} data sets order the learners alike, so that F is infinite; "
            f"p is how often that happens by chance, {p:.2g}."
        )
    else:
        f = (N - 1) * chi2 / (most - chi2)  # (2)
        p = float(fdtrc(k - 1, (k - 1) * (N - 1), f))
    if k == 2:
        note = both(note, "Two learners: wilcoxon_signed_rank also uses how large the differences are.")
    reason = both(note, why)
    name = "Friedman's test" if divisor == 1 else "Friedman's test, corrected for ties"
    df = (float(k - 1), float((k - 1) * (N - 1)))
    return Friedman(
        TestResult(f"{name}, Iman-Davenport F", f, p, df, alpha=alpha, why=reason),
        TestResult(name, chi2, float(chdtrc(k - 1, chi2)), float(k - 1), alpha=alpha, why=why),
        labels, R, N, chi2 / most, ranks, rows,
    )  # fmt: skip


def all_alike(N: int, k: int, ranks: Floats | None = None) -> float:
    """Probability that N data sets order k learners alike by chance; of equal learners (ranks), fewer orders differ.

    >>> from assay.stats.significance.friedman import all_alike
    >>> round(all_alike(2, 3), 6)
    0.166667
    """
    same = np.unique(ranks[0], return_counts=True)[1] if ranks is not None else np.ones(k)
    orders = lgamma(k + 1) - sum(lgamma(t + 1) for t in same)
    return float(np.exp(-(N - 1) * orders))
