"""Correlation-based feature selection: tied to the class, not to each other."""

from __future__ import annotations

import heapq

import numpy as np

from assay.core import Card
from assay.core.parameters import Count
from assay.core.stored import Scalar
from assay.select.filters.pairwise_selector import BINS, MEASURE, PairwiseSelector

__all__ = ["CFSSelector"]


class CFSSelector(PairwiseSelector):
    r"""Keep the subset whose columns are tied to the target and not to each other.

    .. math:: M(S) = \frac{\sum_{j \in S} r_{jy}}{\sqrt{k + 2 \sum_{i < j \in S} r_{ij}}}                    \quad (1)

    is the correlation with the target of the sum of k standardised columns: each column adds what it tells of the
    target, and pays for what it repeats. Correlations are the symmetrical uncertainty
    :math:`2 I(a; b) / (H(a) + H(b))` of categories and of numbers in bins; with ``measure="correlation"``, and for a
    target of numbers, :math:`|r|`, the root of the variance between categories, and Cramer's V. The subset is searched
    best first: the best set so far that was not yet extended is extended by every column, until ``patience`` extensions
    in a row have found nothing better. Where no column is tied to the target, none is kept.

    Cost: fit O(n b^2 + d^2 s) for b bins of all columns and s extensions; transform O(d) a row; memory O(b^2).

    Parameters
    ----------
    measure : "auto", "information" or "correlation", default "auto"
        "auto" is information for classes and correlation for numbers.
    bins : "mdl", int or ("width", int), default "mdl"
        How numbers are cut for "information", as in :func:`feature_scores`.
    patience : int, default 5
        Extensions without success after which the search ends.

    Attributes
    ----------
    merit_ : float, (1) of the columns that are kept
    relevance_ : (d,) correlations with the target      redundancy_ : (d, d) those of the columns      measure_ : str

    Examples
    --------
    A copy adds nothing, and is left out:

    >>> import numpy as np
    >>> from assay.select import CFSSelector
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(200) % 2
    >>> x = y + 0.5 * rng.normal(size=200)
    >>> X = np.column_stack([x, x, rng.normal(size=200)])
    >>> CFSSelector().fit(X, y).get_support()
    array([ True, False, False])

    See Also
    --------
    MRMRSelector, RedundancyFilter, feature_scores

    References
    ----------
    - Hall, M. A. (2000). Correlation-based feature selection for discrete and numeric class machine learning.
      International Conference on Machine Learning, 359-366.
    """

    card = Card("cfs", "columns tied to the class and not to each other")
    accepts = {"measure": MEASURE, "bins": BINS, "patience": Count(1)}
    stored = {"merit_": Scalar()}

    def __init__(
        self, measure: str = "auto", *, bins: int | str | tuple[str, int] = "mdl", patience: int = 5
    ):
        self.measure = measure
        self.bins = bins
        self.patience = patience

    def _strengths(self, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.measure_ == "information":  # symmetrical uncertainty
            entropy = matrix.diagonal()
            both = entropy[:, None] + entropy
            matrix = np.divide(2 * matrix, both, out=np.zeros_like(matrix), where=both > 0)
        return super()._strengths(matrix)

    def _pick(self, relevance: np.ndarray, redundancy: np.ndarray) -> list[int]:
        d = len(relevance)
        best: tuple[float, tuple[int, ...]] = (0.0, ())
        waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
        visited, without_success = {()}, 0
        while waiting and without_success < self.patience:
            _, subset = heapq.heappop(waiting)
            outside = np.setdiff1d(np.arange(d), subset)
            merits = _merits(subset, outside, relevance, redundancy)
            before = best[0]
            for j, merit in zip(outside.tolist(), merits.tolist()):
                extended = tuple(sorted((*subset, j)))
                if extended in visited:
                    continue
                visited.add(extended)
                heapq.heappush(waiting, (-merit, extended))
                if merit > best[0] * (1 + 1e-12):
                    best = (merit, extended)
            without_success = 0 if best[0] > before else without_success + 1
        self.merit_ = best[0]
        return list(best[1])

    def _why(self, j: int) -> str:
        kept = [int(i) for i in np.flatnonzero(self.support_) if i != j]
        shared = f", {self.redundancy_[j, kept].max():.3f} at most with those kept" if kept else ""
        return f"correlation {self.relevance_[j]:.3f} with the target{shared}"


def _merits(
    subset: tuple[int, ...], outside: np.ndarray, relevance: np.ndarray, redundancy: np.ndarray
) -> np.ndarray:
    """(1) of the subset with each one of the other columns added."""
    members = np.array(subset, dtype=np.intp)
    k = len(members) + 1
    inner = (redundancy[np.ix_(members, members)].sum() - redundancy[members, members].sum()) / 2
    pairs = inner + redundancy[np.ix_(outside, members)].sum(axis=1)
    return (relevance[members].sum() + relevance[outside]) / np.sqrt(k + 2 * pairs)
