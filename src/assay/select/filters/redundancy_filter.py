"""Remove columns that say what a better one has said."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Range
from assay.core.stored import FloatArray, IntArray
from assay.select.filters.bins import check_bins
from assay.select.filters.pairwise_selector import BINS, PairwiseSelector
from assay.select.filters.score import SCORES, score_named
from assay.tables import Table

__all__ = ["RedundancyFilter"]


class RedundancyFilter(PairwiseSelector):
    r"""Remove each column that is strongly tied to one that scores better and is kept.

    Columns are gone through from the best score down; one whose association with a kept column exceeds ``threshold`` is
    redundant. The association is :math:`|r|` of numbers, the root of the share of variance between categories, or
    Cramer's V of categories, over the rows that have both. Of two perfectly correlated columns one is kept: the better,
    or among equals the earlier.

    Cost: fit O(n b^2) for b categories and numbers, and that of the scores; transform O(d) a row; memory O(b^2).

    Parameters
    ----------
    threshold : float from 0 to 1, default 0.95
    score_func : str, default "f"
        By which columns are better, a name of :func:`feature_scores`.
    bins : "mdl", int or ("width", int), default "mdl"
        How numbers are cut for scores of categories.

    Attributes
    ----------
    scores_ : (d,) the scores      relevance_ : (d,) associations with the target
    redundancy_ : (d, d) associations of the columns
    tied_to_ : (d,) for a removed column the kept one that it is tied to most, -1 for a kept one

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import RedundancyFilter
    >>> x = np.arange(12.0)
    >>> X = np.column_stack([x % 5, 2 * x + 1, x])
    >>> model = RedundancyFilter().fit(X, x > 5)
    >>> model.get_support(), model.reasons()[2]["why"]
    (array([ True,  True, False]), 'association 1 with x1, which scores better')

    See Also
    --------
    CFSSelector, MRMRSelector, VarianceThreshold

    References
    ----------
    - Aggarwal, C. C. (2015). Data Mining: The Textbook, section 10.2. Springer.
    """

    card = Card("redundancy filter", "removes columns tied to a better one")
    accepts = {"threshold": Range(0, 1), "score_func": Choice(*SCORES), "bins": BINS}
    stored = {"scores_": FloatArray("d"), "tied_to_": IntArray("d", low=-1)}
    measure = "correlation"

    def __init__(
        self, threshold: float = 0.95, *, score_func: str = "f", bins: int | str | tuple[str, int] = "mdl"
    ):
        self.threshold = threshold
        self.score_func = score_func
        self.bins = bins

    def _choose(self, table: Table, target: np.ndarray, weights: np.ndarray | None) -> np.ndarray:
        who = type(self).__name__
        score = score_named(self.score_func, who)
        K = len(self.classes_) if hasattr(self, "classes_") else None
        score.task_for("regression" if K is None else "classification", who)
        check_bins(self.bins, who)
        self.scores_, _ = score.of(table, target, weights, K, bins=self.bins, who=who)
        return super()._choose(table, target, weights)

    def _pick(self, relevance: np.ndarray, redundancy: np.ndarray) -> list[int]:
        worth = np.where(
            np.isnan(self.scores_), np.inf, -score_named(self.score_func, "").sign * self.scores_
        )
        kept: list[int] = []
        self.tied_to_ = np.full(len(worth), -1, dtype=np.int64)
        for j in np.argsort(worth, kind="stable").tolist():
            if kept and redundancy[j, kept].max() > self.threshold:
                self.tied_to_[j] = kept[int(np.argmax(redundancy[j, kept]))]
            else:
                kept.append(j)
        return kept

    def _why(self, j: int) -> str:
        other = int(self.tied_to_[j])
        if other < 0:
            return f"{self.score_func} {self.scores_[j]:.6g}, tied to no better column"
        tied = f"association {self.redundancy_[j, other]:.3g} with {self.schema_[other].name}"
        return f"{tied}, which scores better"
