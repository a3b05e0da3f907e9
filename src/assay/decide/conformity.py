"""Strangeness scores, conformal p-values, and what prediction sets achieve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.core.targets import label_codes
from assay.errors import DataError
from assay.types import Floats, Labels, Target

__all__ = ["SetCoverage", "aps_score", "conformal_quantile", "lac_score", "set_coverage"]

ROUNDING = 1e-12  # by which (n + 1) times a share may exceed a whole number


def lac_score(posterior: np.ndarray) -> np.ndarray:
    """(n, K) one less the posterior (least ambiguous set-valued classifier; Sadinle, Lei and Wasserman 2019).

    >>> lac_score(np.array([[0.7, 0.2, 0.1]]))
    array([[0.3, 0.8, 0.9]])

    See Also
    --------
    aps_score, ConformalClassifier

    References
    ----------
    - Sadinle, M., Lei, J. and Wasserman, L. (2019). Least ambiguous set-valued classifiers with bounded error levels.
      Journal of the American Statistical Association 114(525), 223-234. doi:10.1080/01621459.2017.1395341
    """
    return 1.0 - posterior


def aps_score(posterior: Floats, u: ArrayLike = 1.0) -> Floats:
    r"""(n, K) probability of all classes up to k, most probable first (Romano, Sesia and Candes 2020).

    .. math:: s(x,k) = \sum_{j \text{ before } k} P(j|x) + u\,P(k|x)

    With u uniform, one number per row, sets are no larger than they must be; u = 1 counts class k whole.

    >>> aps_score(np.array([[0.2, 0.7, 0.1]]))
    array([[0.9, 0.7, 1. ]])
    >>> aps_score(np.array([[0.2, 0.7, 0.1]]), np.array([0.5])).round(3)
    array([[0.8 , 0.35, 0.95]])

    See Also
    --------
    lac_score, ConformalClassifier

    References
    ----------
    - Romano, Y., Sesia, M. and Candès, E. J. (2020). Classification with valid and adaptive coverage. Advances in
      Neural Information Processing Systems 33, 3581-3591.
    """
    order = np.argsort(-posterior, axis=1, kind="stable")
    total = np.take_along_axis(posterior, order, axis=1).cumsum(axis=1)
    scores = np.empty_like(total)
    np.put_along_axis(scores, order, total, axis=1)
    part = (1 - np.asarray(u, dtype=np.float64)).reshape(-1, 1) * posterior
    return (scores - part).round(12)  # the sum of all classes is 1 whatever the order of adding


def p_values(strange: list[Floats], calibration: list[list[Floats]], n_calibration: np.ndarray) -> Floats:
    """(n, K) conformal p-values; the counts of several folds add up.

    ``strange`` holds per fold (n, K) scores, ``calibration`` per fold the sorted scores of its calibration
    rows: one array for all classes, or one per class.
    """
    n, K = strange[0].shape
    above = np.zeros((n, K))
    for scores, sorted_scores in zip(strange, calibration):
        for k in range(K):
            known = sorted_scores[k] if len(sorted_scores) > 1 else sorted_scores[0]
            above[:, k] += len(known) - np.searchsorted(known, scores[:, k], side="left")
    p: Floats = (above + 1) / (n_calibration + 1)
    return p


def conformal_quantile(scores: np.ndarray, coverage: float, weights: np.ndarray | None = None) -> float:
    r"""The score that a new one exceeds in a share 1 - coverage of cases at most; inf if there are too few.

    Of n exchangeable scores it is the :math:`\lceil(n+1)c\rceil`-th smallest; with weights, the smallest one whose
    scores up to it weigh :math:`c(\sum_iw_i+1)` together, so that a score of weight 2 is two scores.

    >>> import numpy as np
    >>> from assay.decide.conformity import conformal_quantile
    >>> conformal_quantile(np.arange(1.0, 20.0), 0.9), conformal_quantile(np.arange(1.0, 6.0), 0.9)
    (18.0, inf)
    """
    if weights is None:
        rank = upper_rank(len(scores), coverage)
        return float(np.partition(scores, rank - 1)[rank - 1]) if rank <= len(scores) else np.inf
    order = np.argsort(scores, kind="stable")
    total = np.cumsum(weights[order])
    at = int(np.searchsorted(total, coverage * (total[-1] + 1) - ROUNDING * (total[-1] + 1)))
    return float(scores[order[at]]) if at < len(scores) else np.inf


def upper_rank(n: float, coverage: float) -> int:
    """The place, from 1, of the score that bounds a new one among n: the number (n + 1) coverage, rounded up.

    >>> from assay.decide.conformity import upper_rank
    >>> upper_rank(99, 0.9), upper_rank(9, 0.9)
    (90, 9)
    """
    return max(1, int(np.ceil((n + 1) * coverage - ROUNDING * (n + 1))))


def rows_needed(coverage: float) -> int:
    """How many calibration rows make bounds of this coverage finite.

    >>> from assay.decide.conformity import rows_needed
    >>> rows_needed(0.9), rows_needed(0.95), rows_needed(0.5)
    (9, 19, 1)
    """
    return max(1, int(np.ceil(coverage / (1 - coverage) - 1e-9)))


@dataclass(frozen=True)
class SetCoverage:
    """How often prediction sets contain the truth, and how large they are.

    Attributes
    ----------
    coverage : share of sets that contain the truth; low, high : its exact binomial interval
    size : mean number of classes in a set
    empty, single : share of sets with no class, with one
    by_class : (K,) coverage among the rows of each class, NaN for a class without rows
    """

    coverage: float
    low: float
    high: float
    size: float
    empty: float
    single: float
    by_class: np.ndarray


def set_coverage(
    sets: ArrayLike, y: Target, classes: Labels | None = None, level: float = 0.95
) -> SetCoverage:
    """Judge prediction sets by rows with known labels.

    Parameters
    ----------
    sets : (n, K) bool
    y : (n,) labels
    classes : (K,) labels of the columns, default 0 to K - 1
    level : of the Clopper-Pearson interval

    Examples
    --------
    >>> from assay.decide import set_coverage
    >>> found = set_coverage([[True, False], [True, True], [False, True], [False, False]], [0, 0, 0, 1])
    >>> found.coverage, found.size, found.empty, found.by_class
    (0.5, 1.0, 0.25, array([0.66666667, 0.        ]))
    """
    S = np.asarray(sets)
    if S.ndim != 2 or S.dtype != bool or not S.size:
        raise DataError(f"set_coverage: expected (n, K) True and False, got shape {S.shape} of {S.dtype}.")
    names = np.arange(S.shape[1]) if classes is None else np.asarray(classes)
    if len(names) != S.shape[1] or not 0 < level < 1:
        raise DataError(f"set_coverage: expected {S.shape[1]} classes and a level between 0 and 1.")
    codes = label_codes(y, names, len(S), "set_coverage")
    hit = S[np.arange(len(S)), codes]
    from scipy.special import betaincinv

    n, k, tail = len(S), int(hit.sum()), (1 - level) / 2
    rows = np.bincount(codes, minlength=len(names))
    hits = np.bincount(codes, weights=hit, minlength=len(names))
    size = S.sum(axis=1)
    return SetCoverage(
        coverage=k / n,
        low=float(betaincinv(k, n - k + 1, tail)) if k else 0.0,
        high=float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0,
        size=float(size.mean()),
        empty=float((size == 0).mean()),
        single=float((size == 1).mean()),
        by_class=np.divide(hits, rows, out=np.full(len(names), np.nan), where=rows > 0),
    )
