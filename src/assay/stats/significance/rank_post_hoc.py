"""Which learners differ over data sets: Nemenyi, Bonferroni-Dunn, Holm and similar steps, Conover."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from assay.core.parameters import check_count
from assay.errors import DataError, ParameterError
from assay.stats.checks import _as_floats
from assay.stats.significance.friedman import Friedman, friedman
from assay.stats.significance.kruskal_wallis import z_pairs
from assay.stats.significance.multiple_tests import METHODS, adjust, method_name
from assay.stats.significance.post_hoc_result import PostHoc
from assay.stats.significance.samples import both, place_of

__all__ = ["bonferroni_dunn", "compare_ranks", "conover", "nemenyi", "shaffer"]

Floats = NDArray[np.float64]


def nemenyi(result: Friedman | Any, **options: Any) -> PostHoc:
    r"""All pairs: two learners differ if their average ranks are a critical difference apart.

    .. math:: CD = q_\alpha\sqrt{\frac{k(k+1)}{6N}},\qquad q_\alpha = \text{studentized range}_{k,\infty}/\sqrt2

    Parameters
    ----------
    result : result of `friedman`, or the table that it takes
    options : those of `friedman` (better, names, alpha), for a table

    Examples
    --------
    >>> from assay.stats import nemenyi
    >>> accuracies = [[.80, .85, .82], [.70, .76, .74], [.91, .90, .93], [.65, .72, .70], [.88, .92, .89]]
    >>> result = nemenyi(accuracies)
    >>> round(result.critical, 6), result.adjusted[0].round(6).tolist()
    (1.482286, [1.0, 0.068887, 0.253784])

    See Also
    --------
    friedman, compare_ranks, conover

    References
    ----------
    - Nemenyi, P. B. (1963). Distribution-free multiple comparisons. PhD thesis, Princeton University.
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    result = _friedman(result, options)
    return z_pairs(
        "Nemenyi's test", "tukey", result.test, result.names, result.average_ranks, _error(result), "lower", None,
        len(result.names),
    )  # fmt: skip


def bonferroni_dunn(result: Friedman | Any, control: int | str, **options: Any) -> PostHoc:
    r"""All against a control: :math:`CD = z_{1-\alpha/(2(k-1))}\sqrt{k(k+1)/(6N)}`.

    `compare_ranks` with "holm" finds all that this finds, and more; this one has a critical difference to draw.

    Parameters
    ----------
    result : result of `friedman`, or the table that it takes
    control : name or number of the learner that the others are compared with
    options : those of `friedman`, for a table

    Examples
    --------
    >>> from assay.stats import bonferroni_dunn, friedman_from_ranks
    >>> result = bonferroni_dunn(friedman_from_ranks([44 / 14, 2, 40.5 / 14, 27.5 / 14], 14), control=0)
    >>> round(result.critical, 6), result.differ[0].tolist()
    (1.168143, [False, False, False, True])

    See Also
    --------
    nemenyi, compare_ranks, friedman

    References
    ----------
    - Dunn, O. J. (1961). Multiple comparisons among means. Journal of the American Statistical Association 56(293),
      52-64.
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    return compare_ranks(result, "bonferroni", control=control, **options)


def compare_ranks(
    result: Friedman | Any, method: str = "holm", *, control: int | str | None = None, **options: Any
) -> PostHoc:
    r"""Compare average ranks in pairs, or with a control, by adjusted normal p-values.

    .. math:: z_{ij} = (R_i-R_j)\Big/\sqrt{\frac{k(k+1)}{6N}}

    Parameters
    ----------
    result : result of `friedman`, or the table that it takes
    method : a name of `adjust` ("holm", "hochberg", "finner", "hommel", ...) or, for all pairs, "shaffer"
    control : name or number, default None for all pairs
    options : those of `friedman`, for a table

    Examples
    --------
    >>> from assay.stats import compare_ranks, friedman_from_ranks
    >>> result = compare_ranks(friedman_from_ranks([44 / 14, 2, 40.5 / 14, 27.5 / 14], 14), "holm", control=0)
    >>> result.adjusted[0].round(4).tolist()
    [1.0, 0.0472, 0.6084, 0.0472]

    See Also
    --------
    friedman, nemenyi, shaffer, adjust

    References
    ----------
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    - García, S. and Herrera, F. (2008). An extension on statistical comparisons of classifiers over multiple data
      sets for all pairwise comparisons. Journal of Machine Learning Research 9, 2677-2694.
    """
    result = _friedman(result, options)
    name = method_name(method)
    if name not in METHODS and name != "shaffer":
        raise ParameterError(
            f"compare_ranks: method must be one of {', '.join(METHODS)}, shaffer, got {method!r}."
        )
    place = None if control is None else place_of(control, result.names, "compare_ranks")
    if name == "shaffer" and place is not None:
        raise ParameterError(
            "compare_ranks: Shaffer's steps are for all pairs. With a control: finner, holm."
        )
    k = len(result.names)
    adjusting = (lambda p, _: shaffer(p, k)) if name == "shaffer" else adjust
    words = "Bonferroni-Dunn test" if name == "bonferroni" and place is not None else (
        f"comparison of average ranks, adjusted by {name.replace('_', '-')}"
    )  # fmt: skip
    return z_pairs(
        words,
        name,
        result.test,
        result.names,
        result.average_ranks,
        _error(result),
        "lower",
        place,
        k,
        adjusting,
    )


def conover(result: Friedman | Any, method: str = "holm", **options: Any) -> PostHoc:
    r"""Pairs of rank sums by t tests whose error is what the ranks vary by once learners are taken out.

    .. math:: t_{ij} = \frac{N(R_i-R_j)}{\sqrt{2N\left(A-N\sum_lR_l^2\right)/((N-1)(k-1))}}
              \sim t_{(N-1)(k-1)},\qquad A = \sum_{ij}r_{ij}^2

    Sharper than `nemenyi`, and to be used only after a significant test of all.

    Parameters
    ----------
    result : result of `friedman` (with its ranks), or the table that it takes
    method : a name of `adjust`
    options : those of `friedman`, for a table

    Examples
    --------
    >>> from assay.stats import conover
    >>> accuracies = [[.80, .85, .82], [.70, .76, .74], [.91, .90, .93], [.65, .72, .70], [.88, .92, .89]]
    >>> conover(accuracies, "none").p[0].round(6).tolist()
    [1.0, 0.021225, 0.075528]

    See Also
    --------
    friedman, compare_ranks

    References
    ----------
    - Conover, W. J. (1999). Practical Nonparametric Statistics, third edition. Wiley.
    """
    result = _friedman(result, options)
    name = method_name(method)
    if name not in METHODS:
        raise ParameterError(f"conover: method must be one of {', '.join(METHODS)}, got {method!r}.")
    if result.ranks is None:
        raise DataError("conover: needs the ranks on every data set, not their averages only. Use friedman.")
    N, k = result.ranks.shape
    R, df = result.average_ranks, (N - 1) * (k - 1)
    left = max(float(np.sum(result.ranks**2) - N * np.sum(R**2)), 0.0)
    error = float(np.sqrt(2 * left / (N * df)))  # of a difference of average ranks
    d = np.subtract.outer(R, R)
    sure = np.where(np.abs(d) > 1e-12, np.copysign(np.inf, d), 0.0)
    exact = left <= 1e-12 * N * k
    t = sure if exact else d / error
    raw = 2 * stdtr(df, -np.abs(t))
    np.fill_diagonal(raw, 1.0)
    pairs = np.triu_indices(k, 1)
    adjusted = raw.copy()
    adjusted[pairs] = adjusted[pairs[::-1]] = adjust(raw[pairs], name)
    width = float(-stdtrit(df, result.test.alpha / 2)) * error if name == "none" else np.nan
    margin = np.where(np.eye(k, dtype=bool), np.nan, width)
    note = "" if result.test.rejected else "The test of all learners does not reject: read pairs with care."
    return PostHoc(
        f"Conover's test, adjusted by {name.replace('_', '-')}", result.test, result.names, R, t, raw, adjusted,
        margin, "lower", None, both(note, result.test.why),
    )  # fmt: skip


def shaffer(p: Floats, k: int) -> Floats:
    r"""Holm's steps for all pairs of k, knowing which numbers of hypotheses can be true together.

    If any pair differs, at most (k - 1)(k - 2)/2 of the others can be equal; so on. Adjusted:
    :math:`\max_{j\le i} t_j p_{(j)}` with :math:`t_j` the largest possible number that is at most m - j + 1.

    Parameters
    ----------
    p : (k (k - 1) / 2,) p-values of all pairs
    k : int

    Examples
    --------
    Of three learners, once one pair differs at most one other pair can be equal:

    >>> import numpy as np
    >>> from assay.stats import shaffer
    >>> shaffer(np.array([0.01, 0.02, 0.04]), 3).tolist()
    [0.03, 0.03, 0.04]

    See Also
    --------
    compare_ranks, holm, adjust

    References
    ----------
    - Shaffer, J. P. (1986). Modified sequentially rejective multiple test procedures. Journal of the American
      Statistical Association 81(395), 826-831.
    - García, S. and Herrera, F. (2008). An extension on statistical comparisons of classifiers over multiple data
      sets for all pairwise comparisons. Journal of Machine Learning Research 9, 2677-2694.
    """
    p = _as_floats(p, "shaffer")
    check_count("shaffer", "k", k, low=2)
    m = int(k) * (int(k) - 1) // 2
    if p.shape != (m,) or ((p < 0) | (p > 1) | np.isnan(p)).any():
        raise ParameterError(f"shaffer: expected {m} p-values, one for each pair of {k}.")
    possible = np.array(sorted(_true_together(k)))
    t = possible[np.searchsorted(possible, m - np.arange(m), side="right") - 1]
    order = np.argsort(p, kind="stable")
    adjusted = np.empty(m)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(t * p[order]))
    return adjusted


@cache
def _true_together(k: int) -> frozenset[int]:
    """How many pairs of k learners can be equal at once: a group of j gives j (j - 1) / 2, and so do the rest."""
    if k <= 1:
        return frozenset({0})
    return frozenset(j * (j - 1) // 2 + s for j in range(1, k + 1) for s in _true_together(k - j))


def _friedman(result: Any, options: dict[str, Any]) -> Friedman:
    if isinstance(result, Friedman):
        if options:
            raise ParameterError(f"{', '.join(options)}: given to friedman already; leave it out here.")
        return result
    return friedman(result, **options)


def _error(result: Friedman) -> Floats:
    k = len(result.names)
    return np.full((k, k), np.sqrt(k * (k + 1) / (6 * result.datasets)))
