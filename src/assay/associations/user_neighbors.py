"""Recommendation by similar users: what people of the same taste like."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.associations.recommender import Recommender
from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.explanation import Section
from assay.core.parameters import Count, Range
from assay.core.stored import TableRows

__all__ = ["UserNeighbors"]


class UserNeighbors(Recommender):
    r"""Expect a rating like those that similar users gave to the item.

    Two users are similar if what one rated above what is expected of user and item, the other did too; few common items
    shrink it. With residuals :math:`e_{ui} = r_{ui} - b_{ui}` of the baseline,

    .. math:: s_{uv} = \frac{n_{uv}}{n_{uv} + \lambda}
              \frac{\sum_i e_{ui} e_{vi}}{\sqrt{\sum_i e_{ui}^2 \sum_i e_{vi}^2}}, \qquad
              \hat r_{ui} = b_{ui} + \frac{\sum_{v \in N} s_{uv} e_{vi}}{\sum_{v \in N} s_{uv}}

    over the items that both rated, and the k most similar users N who rated item i. For purchases without ratings the
    similarity is the cosine of two users' rows, and the score the sum of the similarities of those who bought the item.

    Cost: fit O(N) for N ratings; predict O(N + n log n) for a profile, which all n users are compared to;
    memory O(N).

    Parameters
    ----------
    k : int
        The most similar raters of an item that count.
    shrinkage : float
        :math:`\lambda`.
    damping : float
        How many average ratings each user and item is given in the baseline.

    Attributes
    ----------
    ratings_ : Ratings      baseline_ : Baseline
    residuals_ : (users, items) CSR matrix

    Examples
    --------
    >>> from assay.associations import UserNeighbors
    >>> tastes = {"abc": ("tea", "cake"), "xyz": ("beer", "chips")}
    >>> rows = [(u, i, 5 if i in liked else 1) for users, liked in tastes.items() for u in users
    ...         for i in ("tea", "cake", "beer", "chips")]
    >>> model = UserNeighbors(shrinkage=1).fit(rows)
    >>> [name for name, score in model.recommend({"tea": 5, "beer": 1})]
    ['cake', 'chips']

    See Also
    --------
    ItemNeighbors, RatingFactors, recommender_scores

    References
    ----------
    - Resnick, P., Iacovou, N., Suchak, M., Bergstrom, P. and Riedl, J. (1994). GroupLens: an open architecture for
      collaborative filtering of netnews. ACM Conference on Computer Supported Cooperative Work, 175-186.
    """

    card = Card("user neighbours", "ratings like those that similar users gave", also=("user neighbors",))
    accepts = {"k": Count(1), "shrinkage": Range(0), "damping": Range(0)}
    stored = {"residuals_": TableRows("u", "q", finite=True)}

    def __init__(self, k: int = 40, shrinkage: float = 10.0, damping: float = 5.0):
        self.k = k
        self.shrinkage = shrinkage
        self.damping = damping

    def _learn(self) -> None:
        self.residuals_ = (
            self.baseline_.residuals(self.ratings_) if self.ratings_.rated else self.ratings_.values.copy()
        )

    def _similar(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        """(users,) how similar each user is to a profile; somebody with the very same ratings is as good as any."""
        E = self.residuals_
        mine = np.zeros(E.shape[1])
        rated = np.zeros(E.shape[1])
        mine[codes] = self._residuals(codes, ratings)
        rated[codes] = 1.0
        pattern = compressed_matrix("csr_array", np.ones(E.nnz), E.indices, E.indptr, E.shape)
        common = pattern @ rated
        if self.ratings_.rated:
            below = np.sqrt((E.multiply(E) @ rated) * (pattern @ mine**2))
        else:
            below = np.sqrt(np.diff(E.indptr) * float(len(codes)))
        near = np.divide(E @ mine, below, out=np.zeros(len(common)), where=below > 1e-12)
        shrunk = np.divide(common, common + self.shrinkage, out=np.zeros(len(common)), where=common > 0)
        return np.maximum(near * shrunk, 0.0)

    def _residuals(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        if not self.ratings_.rated:
            return ratings
        return ratings - self.baseline_.expected(codes, ratings)[codes]

    def _raters(self, codes: np.ndarray, ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray, Any]:
        """For each item the k most similar users who rated it: users, similarities, and their residuals by column."""
        near = self._similar(codes, ratings)
        order = np.argsort(-near, kind="stable")
        order = order[near[order] > 0]
        E = self.residuals_[order].tocsc()  # in each column the most similar users come first
        E.sort_indices()
        place = np.arange(E.nnz) - np.repeat(E.indptr[:-1], np.diff(E.indptr))
        keep = place < self.k
        column = np.repeat(np.arange(E.shape[1]), np.diff(E.indptr))[keep]
        return column, order[E.indices[keep]], (near[order][E.indices[keep]], E.data[keep])

    def _scores(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        d = len(self.ratings_.items)
        column, _, (near, residual) = self._raters(codes, ratings)
        weight = np.bincount(column, near, minlength=d)
        if not self.ratings_.rated:
            return weight
        total = np.bincount(column, near * residual, minlength=d)
        moved = np.divide(total, weight, out=np.zeros(d), where=weight > 0)
        return self.baseline_.expected(codes, ratings) + moved

    def _reasons(self, codes: np.ndarray, ratings: np.ndarray, item: int) -> Section:
        column, users, (near, residual) = self._raters(codes, ratings)
        mine = np.flatnonzero(column == item)
        total = near[mine].sum()
        names = self.ratings_.users
        if not self.ratings_.rated:
            rows = [[str(names[users[j]]), float(near[j])] for j in mine.tolist()]
            return Section("Similar users who bought it", ["user", "similarity"], rows)
        rows = [
            [
                str(names[users[j]]),
                float(near[j]),
                self._rating(users[j], item),
                float(near[j] * residual[j] / total),
            ]
            for j in mine.tolist()
        ]
        start = float(self.baseline_.expected(codes, ratings)[item])
        note = f"From a baseline of {start:.4g} of user and item."
        return Section("Similar users who rated it", ["user", "similarity", "rating", "adds"], rows, note)

    def _rating(self, u: int, item: int) -> float:
        codes, ratings = self.ratings_.row(int(u))
        return float(ratings[np.searchsorted(codes, item)])
