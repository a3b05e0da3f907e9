"""Recommendation by association rules weighted by ratings."""

from __future__ import annotations

import numpy as np

from assay.associations.recommender import Recommender
from assay.core import Card
from assay.core.explanation import Section
from assay.core.parameters import Range
from assay.core.stored import FloatArray
from assay.errors import DataError

__all__ = ["RatingAssociations"]

MAX_ITEMS = 20_000  # items, whose pairs take 3 GB


class RatingAssociations(Recommender):
    r"""Suggest what those who liked X liked as well: the confidence of X -> Y, each purchase weighed by its rating.

    A rating r between the lowest and the highest that occur weighs :math:`w = (r - r_{min})/(r_{max} - r_{min})`, a
    purchase without rating 1. Then

    .. math:: c(X \to Y) = \frac{\sum_u w_{uX} w_{uY} + m\, \bar w_Y}{\sum_u w_{uX} + m}, \qquad
              \text{score}(Y) = \frac{\sum_X w_X\, c(X \to Y)}{\sum_X w_X}

    over the items X that the user rated; :math:`\bar w_Y` is the mean weight of Y over all users, and m how many
    average users are added. With all weights 1 and m = 0, c is the confidence P(Y|X). Scores order items; they are no
    ratings.

    Cost: fit O(S + d^2) for d items, where S adds up the squares of how many items each user rated; predict O(d m)
    for a profile of m items; memory O(d^2).

    Parameters
    ----------
    m : float

    Attributes
    ----------
    ratings_ : Ratings      baseline_ : Baseline
    confidence_ : (d, d), c of row -> column      popularity_ : (d,) mean weight of each item

    Examples
    --------
    >>> from assay.associations import RatingAssociations
    >>> tastes = {"abc": ("tea", "cake"), "xyz": ("beer", "chips")}
    >>> rows = [(u, i, 5 if i in liked else 1) for users, liked in tastes.items() for u in users
    ...         for i in ("tea", "cake", "beer", "chips")]
    >>> model = RatingAssociations(m=0).fit(rows)
    >>> model.recommend({"tea": 5, "beer": 1})
    [Recommendation(item='cake', score=1.0), Recommendation(item='chips', score=0.0)]

    See Also
    --------
    association_rules, ItemNeighbors

    References
    ----------
    - Agrawal, R., Imielinski, T. and Swami, A. (1993). Mining association rules between sets of items in large
      databases. ACM SIGMOD Conference, 207-216. doi:10.1145/170035.170072
    """

    card = Card("rating associations", "what those who liked this liked as well")
    accepts = {"m": Range(0)}
    stored = {
        "confidence_": FloatArray("q", "q", finite=True),
        "popularity_": FloatArray("q", finite=True),
    }
    predicts_ratings = False

    def __init__(self, m: float = 1.0):
        self.m = m

    def _learn(self) -> None:
        if len(self.ratings_.items) > MAX_ITEMS:
            raise DataError(
                f"RatingAssociations: the confidences of {len(self.ratings_.items):,} items do not fit into memory; "
                f"up to {MAX_ITEMS:,} do. Use ItemNeighbors, which keeps the strongest only."
            )
        W = self.ratings_.values.copy()
        W.data = self._weights(W.data)
        n, total = W.shape[0], W.sum(axis=0)
        self.popularity_ = total / n
        both = (W.T @ W).toarray()
        below = total[:, None] + self.m
        above = both + self.m * self.popularity_
        self.confidence_ = np.divide(above, below, out=np.zeros_like(above), where=below > 0)
        np.fill_diagonal(self.confidence_, 0.0)

    def _weights(self, ratings: np.ndarray) -> np.ndarray:
        if not self.ratings_.rated:
            return np.ones(len(ratings))
        low, high = self.ratings_.values.data.min(), self.ratings_.values.data.max()
        return np.clip((ratings - low) / (high - low), 0.0, 1.0) if high > low else np.ones(len(ratings))

    def _scores(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        w = self._weights(ratings)
        if not w.sum() > 0:  # a user without liked items gets the most popular ones
            return self.popularity_.copy()
        return w @ self.confidence_[codes] / w.sum()

    def _reasons(self, codes: np.ndarray, ratings: np.ndarray, item: int) -> Section:
        w = self._weights(ratings)
        share = w / w.sum() if w.sum() > 0 else w
        sure = self.confidence_[codes, item]
        order = np.argsort(-share * sure, kind="stable").tolist()
        names = self.ratings_.items
        rows = [
            [str(names[codes[j]]), float(w[j]), float(sure[j]), float(share[j] * sure[j])]
            for j in order
            if share[j] > 0
        ]
        heads = ["because of", "liked by the user", "and then liked by", "adds"]
        return Section(f"Associations with {names[item]}", heads, rows)
