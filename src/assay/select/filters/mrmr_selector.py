"""Minimum redundancy, maximum relevance: columns one by one, each for what it adds."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.core.stored import IntArray
from assay.errors import warn_user
from assay.select.filters.pairwise_selector import BINS, MEASURE, PairwiseSelector

__all__ = ["MRMRSelector"]

SMALLEST = 1e-12  # a redundancy below is that of rounding


class MRMRSelector(PairwiseSelector):
    r"""Keep columns of maximum relevance and minimum redundancy, taken one by one.

    The first is the most relevant; then the column with the largest

    .. math:: I(j; y) - \frac1{|S|} \sum_{i \in S} I(i; j) \qquad\text{or}\qquad
              I(j; y) \Big/ \frac1{|S|} \sum_{i \in S} I(i; j)                                        \quad (1)

    joins the set S, by difference or by quotient. I is the mutual information of categories and of numbers in bins, or
    with ``measure="correlation"``, and for a target of numbers, the strength of association as in
    :class:`CFSSelector`.

    Cost: fit O(n b^2 + d k) for b bins of all columns and k columns kept; transform O(d) a row; memory O(b^2).

    Parameters
    ----------
    n_features : int, default 10
        How many columns to keep.
    form : "difference" or "quotient", default "difference"
    measure : "auto", "information" or "correlation", default "auto"
        "auto" is information for classes and correlation for numbers.
    bins : "mdl", int or ("width", int), default "mdl"
        How numbers are cut for "information", as in :func:`feature_scores`.

    Attributes
    ----------
    ranking_ : (k,) the columns in the order in which they were taken
    relevance_ : (d,) I(j; y)      redundancy_ : (d, d) I(i; j), entropies on the diagonal      measure_ : str

    Examples
    --------
    The copy of the best column comes last:

    >>> import numpy as np
    >>> from assay.select import MRMRSelector
    >>> rng = np.random.default_rng(0)
    >>> y = np.arange(300) % 3
    >>> X = np.column_stack([y == 0, y == 0, y == 1, rng.random(300) < 0.5]).astype(float)
    >>> MRMRSelector(n_features=2, bins=2).fit(X, y).ranking_
    array([0, 2])

    See Also
    --------
    CFSSelector, RedundancyFilter, feature_scores

    References
    ----------
    - Peng, H., Long, F. and Ding, C. (2005). Feature selection based on mutual information: criteria of max-dependency,
      max-relevance, and min-redundancy. IEEE Transactions on Pattern Analysis and Machine Intelligence 27(8),
      1226-1238. doi:10.1109/TPAMI.2005.159
    """

    card = Card("mrmr", "columns of maximum relevance and minimum redundancy")
    accepts = {
        "n_features": Count(1),
        "form": Choice("difference", "quotient"),
        "measure": MEASURE,
        "bins": BINS,
    }
    stored = {"ranking_": IntArray("*", low=0)}

    def __init__(
        self,
        n_features: int = 10,
        *,
        form: str = "difference",
        measure: str = "auto",
        bins: int | str | tuple[str, int] = "mdl",
    ):
        self.n_features = n_features
        self.form = form
        self.measure = measure
        self.bins = bins

    def _pick(self, relevance: np.ndarray, redundancy: np.ndarray) -> list[int]:
        d = len(relevance)
        if self.n_features > d:
            warn_user(
                f"MRMRSelector: n_features={self.n_features} is greater than the {d} columns; all are kept."
            )
        taken = [int(np.argmax(relevance))]
        shared = redundancy[:, taken[0]].copy()
        while len(taken) < min(self.n_features, d):
            mean = shared / len(taken)
            worth = (
                relevance - mean if self.form == "difference" else relevance / np.maximum(mean, SMALLEST)
            )  # (1)
            worth[taken] = -np.inf
            taken.append(int(np.argmax(worth)))
            shared += redundancy[:, taken[-1]]
        self.ranking_ = np.array(taken, dtype=np.int64)
        return taken

    def _why(self, j: int) -> str:
        relevance = f"relevance {self.relevance_[j]:.4g}"
        place = np.flatnonzero(self.ranking_ == j)
        if not len(place):
            return f"{relevance}, redundancy {self.redundancy_[j, self.ranking_].mean():.4g} with those kept"
        before = self.ranking_[: place[0]]
        shared = (
            f", redundancy {self.redundancy_[j, before].mean():.4g} with those before" if len(before) else ""
        )
        return f"taken as number {place[0] + 1}: {relevance}{shared}"
