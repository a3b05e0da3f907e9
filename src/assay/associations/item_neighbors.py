"""Item-based collaborative filtering."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, vstack

from assay.associations.ratings import Ratings
from assay.associations.recommender import Recommender
from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.explanation import Section
from assay.core.parameters import Count, Range
from assay.core.progress import track
from assay.core.stored import TableRows

__all__ = ["ItemNeighbors", "item_similarity"]

CHUNK = 4_000_000  # similarities that are held in full at one time


class ItemNeighbors(Recommender):
    r"""Expect a rating like those that the user gave to similar items.

    Two items are similar if the same users like them more, or less, than their own average (adjusted cosine); few
    common users shrink it:

    .. math:: s_{ij} = \frac{n_{ij}}{n_{ij} + \lambda}
              \frac{\sum_u (r_{ui} - \bar r_u)(r_{uj} - \bar r_u)}
                   {\sqrt{\sum_u (r_{ui} - \bar r_u)^2 \sum_u (r_{uj} - \bar r_u)^2}}              \quad (1)

    over the :math:`n_{ij}` users who rated both. With the k most similar items N that the user rated, and the
    baseline b of mean, user and item,

    .. math:: \hat r_{ui} = b_{ui} + \frac{\sum_{j \in N} s_{ij} (r_{uj} - b_{uj})}{\sum_{j \in N} s_{ij}} \quad (2)

    For purchases without ratings (1) is the cosine of the items' columns, and the score is the sum of similarities.

    Cost: fit O(S + d^2) for d items, where S adds up the squares of how many items each user rated; predict O(d m)
    for a profile of m items; memory O(k d) for the similarities that are kept.

    Parameters
    ----------
    k : int
        The most similar items that count.
    shrinkage : float
        :math:`\lambda` of (1).
    damping : float
        How many average ratings each user and item is given in the baseline.

    Attributes
    ----------
    ratings_ : Ratings      baseline_ : Baseline
    similarity_ : (d, d) CSR matrix, the positive similarities of each item, the greatest 10 k of them

    Examples
    --------
    >>> from assay.associations import ItemNeighbors
    >>> tastes = {"abc": ("tea", "cake"), "xyz": ("beer", "chips")}
    >>> rows = [(u, i, 5 if i in liked else 1) for users, liked in tastes.items() for u in users
    ...         for i in ("tea", "cake", "beer", "chips")]
    >>> model = ItemNeighbors(shrinkage=1).fit(rows)
    >>> [name for name, score in model.recommend({"tea": 5, "beer": 1})]
    ['cake', 'chips']

    See Also
    --------
    UserNeighbors, RatingFactors, recommender_scores

    References
    ----------
    - Sarwar, B., Karypis, G., Konstan, J. and Riedl, J. (2001). Item-based collaborative filtering recommendation
      algorithms. World Wide Web Conference, 285-295. doi:10.1145/371920.372071
    """

    card = Card(
        "item neighbours", "ratings like those that the user gave to similar items", also=("item neighbors",)
    )
    accepts = {"k": Count(1), "shrinkage": Range(0), "damping": Range(0)}
    stored = {"similarity_": TableRows("q", "q", finite=True)}

    def __init__(self, k: int = 30, shrinkage: float = 10.0, damping: float = 5.0):
        self.k = k
        self.shrinkage = shrinkage
        self.damping = damping

    def _learn(self) -> None:
        self.similarity_ = item_similarity(self.ratings_, self.shrinkage, 10 * self.k)

    def _scores(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        near, towards = self._parts(codes, ratings)
        if not self.ratings_.rated:
            return near.sum(axis=1)
        weight = near.sum(axis=1)
        moved = np.divide(near @ towards, weight, out=np.zeros(len(weight)), where=weight > 0)
        return self.baseline_.expected(codes, ratings) + moved  # (2)

    def _parts(self, codes: np.ndarray, ratings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Similarities of all items to those of a profile, the k greatest of each; and the residuals there."""
        near = self.similarity_[:, codes].toarray()
        if near.shape[1] > self.k:
            least = np.partition(near, -self.k, axis=1)[:, -self.k, None]
            near[near < least] = 0.0
        if not self.ratings_.rated:
            return near, ratings
        return near, ratings - self.baseline_.expected(codes, ratings)[codes]

    def _reasons(self, codes: np.ndarray, ratings: np.ndarray, item: int) -> Section:
        near, towards = self._parts(codes, ratings)
        row = near[item]
        order = [j for j in np.argsort(-row, kind="stable").tolist() if row[j] > 0]
        total = row.sum()
        names = self.ratings_.items
        if not self.ratings_.rated:
            rows = [[str(names[codes[j]]), float(row[j])] for j in order]
            return Section("Similar items that were bought", ["item", "similarity"], rows)
        rows = [
            [str(names[codes[j]]), float(row[j]), float(ratings[j]), float(row[j] * towards[j] / total)]
            for j in order
        ]
        start = float(self.baseline_.expected(codes, ratings)[item])
        note = f"From a baseline of {start:.4g} of user and item."
        return Section("Similar items that were rated", ["item", "similarity", "rating", "adds"], rows, note)


def item_similarity(ratings: Ratings, shrinkage: float = 10.0, most: int = 300) -> Any:
    """(d, d) CSR matrix of the positive similarities (1) of items, the ``most`` greatest of each; none to itself."""
    values = ratings.values
    pattern = compressed_matrix("csr_array", np.ones(values.nnz), values.indices, values.indptr, values.shape)
    centred = values.copy()
    if ratings.rated:
        n = np.diff(values.indptr)
        owner = np.repeat(np.arange(len(n)), n)
        means = np.bincount(owner, values.data, minlength=len(n)) / np.maximum(n, 1)
        centred.data = values.data - means[owner]
    square = centred.multiply(centred)
    columns, held, squared = centred.tocsc(), pattern.tocsc(), square.tocsc()
    blocks = []
    step = min(max(CHUNK // max(len(ratings.items), 1), 1), 512)
    for a in track(range(0, len(ratings.items), step), "similarities"):
        part = slice(a, a + step)
        above = (columns[:, part].T @ columns).toarray()
        common = (held[:, part].T @ held).toarray()
        if ratings.rated:
            left, other = (squared[:, part].T @ held).toarray(), (held[:, part].T @ squared).toarray()
        else:
            count = pattern.sum(axis=0)
            left, other = np.broadcast_to(count[part, None], above.shape), np.broadcast_to(count, above.shape)
        below = np.sqrt(left * other)
        # Means that are not exact leave something of ratings that are all alike.
        alike = below > 1e-12 * np.maximum(common, 1)
        near = np.divide(above, below, out=np.zeros_like(above), where=alike)
        near *= np.divide(common, common + shrinkage, out=np.zeros_like(above), where=common > 0)  # (1)
        near[np.arange(len(near)), np.arange(a, a + len(near))] = 0.0
        if near.shape[1] > most:
            near[near < np.partition(near, -most, axis=1)[:, -most, None]] = 0.0
        blocks.append(csr_array(np.maximum(near, 0.0)))
    return csr_array(vstack(blocks))
