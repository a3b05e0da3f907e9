"""Kruskal and Wallis: analysis of variance of ranks, for samples that are not paired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, ndtr, ndtri

from assay.errors import DataError, ParameterError
from assay.sentence import Sentence
from assay.stats.checks import one_of
from assay.stats.distributions.studentized_range import studentized_range_quantile, studentized_range_sf
from assay.stats.significance.multiple_tests import METHODS, adjust, method_name
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.ranks import mid_ranks, tie_sum
from assay.stats.significance.samples import both, named_samples, place_of
from assay.stats.significance.test_result import TestResult, check_alpha

__all__ = ["KruskalWallis", "dunn", "kruskal_wallis"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class KruskalWallis(Sentence):
    """Result of `kruskal_wallis`.

    Attributes
    ----------
    test : TestResult of the statistic corrected for ties
    names, counts, mean_ranks, rank_sums : one per sample; rank 1 is the smallest value
    uncorrected : H before the correction for ties
    ties : 1 - sum(t^3 - t) / (N^3 - N), what H is divided by
    epsilon_squared : H / (N - 1), the share of the ranks' variation that the samples explain
    """

    test: TestResult
    names: tuple[str, ...]
    counts: NDArray[np.int64]
    mean_ranks: Floats
    uncorrected: float
    ties: float
    epsilon_squared: float

    @property
    def rank_sums(self) -> Floats:
        return self.mean_ranks * self.counts

    def __str__(self) -> str:
        width = max(len(n) for n in self.names)
        lines = [f"  {n:<{width}}  mean rank {r:.4g}" for n, r in zip(self.names, self.mean_ranks)]
        return "\n".join([str(self.test), *lines])


def kruskal_wallis(*data: Any, names: Sequence[str] | None = None, alpha: float = 0.05) -> KruskalWallis:
    r"""Compare L samples that are not paired, without assuming that they are normal.

    All N values are ranked together; if the samples come from one distribution, their mean ranks are alike:

    .. math:: H = \frac{12}{N(N+1)}\sum_jn_j\left(\bar R_j-\tfrac{N+1}2\right)^2 \Big/
              \left(1-\frac{\sum(t^3-t)}{N^3-N}\right) \sim \chi^2_{L-1}

    where t counts the values in each tie. Use `friedman` if row i of all samples is the same fold or data set.

    Parameters
    ----------
    data : a table with a column per learner, a dict of samples, or the samples themselves
    names : L names, default the columns' own or 1, 2, ...
    alpha : float

    Returns
    -------
    KruskalWallis, to be given to `dunn`

    Examples
    --------
    >>> from assay.stats import kruskal_wallis
    >>> result = kruskal_wallis([1, 3, 5, 2], [8, 7, 9, 6], [4, 10, 12, 11])
    >>> result.rank_sums.tolist(), round(result.test.statistic, 6), round(result.test.p, 6)
    ([11.0, 30.0, 37.0], 6.961538, 0.030784)

    See Also
    --------
    dunn, anova, rank_sum

    References
    ----------
    - Kruskal, W. H. and Wallis, W. A. (1952). Use of ranks in one-criterion variance analysis. Journal of the
      American Statistical Association 47(260), 583-621. doi:10.1080/01621459.1952.10483441
    """
    check_alpha(alpha, "kruskal_wallis")
    labels, samples, why = named_samples(data, names, "kruskal_wallis")
    counts = np.array([len(x) for x in samples])
    N, L = int(counts.sum()), len(samples)
    if N <= L:
        raise DataError(
            "kruskal_wallis: every sample has one value; there is nothing to compare spread with."
        )
    ranks = mid_ranks(np.concatenate(samples)[None])[0]
    ends = np.cumsum(counts)
    means = np.add.reduceat(ranks, np.concatenate([[0], ends[:-1]])) / counts
    H = float(12 / (N * (N + 1)) * (counts @ (means - (N + 1) / 2) ** 2))
    ties = 1 - tie_sum(ranks[None]) / (N**3 - N)
    if ties <= 0:
        corrected, p, note = 0.0, 1.0, "All values are equal."
    else:
        corrected = H / ties
        p, note = float(chdtrc(L - 1, corrected)), ""
        if counts.min() < 5:
            note = (
                "With fewer than 5 values in a sample the chi-squared distribution is a rough approximation."
            )
    test = TestResult("Kruskal-Wallis test", corrected, p, float(L - 1), alpha=alpha, why=both(note, why))
    return KruskalWallis(test, labels, counts, means, H, ties, corrected / (N - 1))


def dunn(
    result: KruskalWallis,
    method: str = "tukey",
    *,
    control: int | str | None = None,
    better: str = "higher",
) -> PostHoc:
    r"""Compare mean ranks in pairs after `kruskal_wallis`.

    .. math:: z_{ij} = \frac{\bar R_i-\bar R_j}{\sqrt{\frac{N(N+1)}{12}\,C\left(\frac1{n_i}+\frac1{n_j}\right)}}

    with C the correction for ties of H. "tukey" holds :math:`\sqrt2|z|` against the studentized range of L means
    with infinite degrees of freedom; every method of `adjust` is Dunn's test with normal p-values so adjusted.

    Parameters
    ----------
    result : result of `kruskal_wallis`, whose alpha holds here
    method : "tukey", or a method of `adjust` such as "holm" or "bonferroni"
    control : name or number, default None for all pairs
    better : "higher" or "lower": which values come first

    Examples
    --------
    >>> from assay.stats import dunn, kruskal_wallis
    >>> result = dunn(kruskal_wallis([1, 3, 5, 2], [8, 7, 9, 6], [4, 10, 12, 11]))
    >>> result.adjusted[0].round(6).tolist()
    [1.0, 0.14952, 0.029056]

    See Also
    --------
    kruskal_wallis, adjust, post_hoc

    References
    ----------
    - Dunn, O. J. (1964). Multiple comparisons using rank sums. Technometrics 6(3), 241-252.
    """
    if not isinstance(result, KruskalWallis):
        raise ParameterError(f"dunn: expected the result of kruskal_wallis, got {type(result).__name__}.")
    name = method_name(method)
    if name != "tukey" and name not in METHODS:
        raise ParameterError(f"dunn: method must be one of tukey, {', '.join(METHODS)}, got {method!r}.")
    one_of(better, ("higher", "lower"), "dunn", "better")
    place = None if control is None else place_of(control, result.names, "dunn")
    if name == "tukey" and place is not None:
        raise ParameterError("dunn: the Tukey-type test is one of all pairs. With a control: holm, finner.")
    N = int(result.counts.sum())
    error = np.sqrt(
        N * (N + 1) / 12 * max(result.ties, 0.0) * np.add.outer(1 / result.counts, 1 / result.counts)
    )
    words = "Tukey-type test of mean ranks" if name == "tukey" else f"Dunn's test, adjusted by {name}"
    return z_pairs(
        words, name, result.test, result.names, result.mean_ranks, error, better, place, len(result.names)
    )


def z_pairs(
    words: str,
    name: str,
    test: TestResult,
    names: tuple[str, ...],
    centre: Floats,
    error: Floats,
    better: str,
    place: int | None,
    k: int,
    adjusting: Any = adjust,
) -> PostHoc:
    """Pairs of mean ranks by normal statistics: by the studentized range ("tukey") or with adjusted p-values.

    >>> import numpy as np
    >>> from assay.stats.significance.kruskal_wallis import z_pairs
    >>> from assay.stats.significance.test_result import TestResult
    >>> test = TestResult("Friedman", 5.2, 0.074)
    >>> result = z_pairs("Nemenyi", "tukey", test, ("a", "b"), np.array([1.0, 2]), np.ones((2, 2)), "lower", None, 2)
    >>> round(result.critical, 2)  # for two, the normal quantile
    1.96
    """
    L, alpha = len(names), test.alpha
    d = np.subtract.outer(centre, centre)
    z = np.divide(d, error, out=np.zeros((L, L)), where=error > 0)
    pairs = (
        np.triu_indices(L, 1) if place is None else (np.full(L - 1, place), np.delete(np.arange(L), place))
    )
    raw = np.full((L, L), np.nan)
    adjusted = raw.copy()
    compared = np.zeros((L, L), dtype=bool)
    compared[pairs] = compared[pairs[::-1]] = True
    each = 2 * ndtr(-np.abs(z[pairs]))
    m = len(each)
    if name == "tukey":
        values = studentized_range_sf(np.sqrt(2) * np.abs(z[pairs]), k)
        width = studentized_range_quantile(alpha, k) / np.sqrt(2)
    else:
        values = adjusting(each, name)
        level = {"bonferroni": alpha / m, "sidak": -np.expm1(np.log1p(-alpha) / m), "none": alpha}
        width = float(-ndtri(level[name] / 2)) if name in level else np.nan
    for matrix, numbers in ((raw, each), (adjusted, values)):
        matrix[pairs] = matrix[pairs[::-1]] = numbers
        np.fill_diagonal(matrix, 1.0)
    margin = np.where(compared, width * error, np.nan)
    return PostHoc(words, test, names, centre, z, raw, adjusted, margin, better, place, test.why)
