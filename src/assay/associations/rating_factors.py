"""Recommendation by matrix factorisation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from assay.associations.recommender import Recommender
from assay.core import Card
from assay.core.csr import compressed_matrix
from assay.core.explanation import Section
from assay.core.parameters import Count, Range, Seed
from assay.core.progress import track
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Plain
from assay.errors import DataError
from assay.optimize.alternating_ridge import ridge_rows
from assay.types import RandomState

__all__ = ["RatingFactors"]


class RatingFactors(Recommender):
    r"""Describe users and items by a few numbers each, so that their products are the ratings.

    With residuals e of the baseline of mean, user and item, alternating least squares minimises

    .. math:: \sum_{(u,i)} (e_{ui} - p_u^T q_i)^2
              + \lambda \Big(\sum_u n_u \lVert p_u \rVert^2 + \sum_i n_i \lVert q_i \rVert^2\Big)     \quad (1)

    over the ratings that are there; for fixed q, each p is a ridge regression, and the other way round, so that (1)
    falls with every step. Purchases without ratings are ones among zeros, and the ones count more (weight 1 + alpha):

    .. math:: \sum_{u,i} (1 + \alpha r_{ui}) (r_{ui} - p_u^T q_i)^2
              + \lambda \Big(\sum_u \lVert p_u \rVert^2 + \sum_i \lVert q_i \rVert^2\Big)             \quad (2)

    Cost: fit O(N r^2 + (n + d) r^3) in each round for N ratings of d items by n users and rank r; predict
    O(m r^2 + r^3 + d r) for a profile of m items, of purchases O(d r^2); memory O(N + (n + d) r^2).

    Parameters
    ----------
    rank : int
        How many numbers describe a user or an item.
    penalty : float
        :math:`\lambda`.
    alpha : float
        For purchases: how much more they count than what was not bought.
    max_iter : int
        Rounds of both halves.
    tol : float
        Stop once a round lowers the objective by less than this share.
    damping : float
        How many average ratings each user and item is given in the baseline.
    random_state : int, RandomState or None

    Attributes
    ----------
    ratings_ : Ratings      baseline_ : Baseline
    factors_ : (d, rank), q of each item
    history_ : list of dict, one for each round: objective, and for ratings the root mean squared error

    Examples
    --------
    >>> from assay.associations import RatingFactors
    >>> tastes = {"abc": ("tea", "cake"), "xyz": ("beer", "chips")}
    >>> rows = [(u, i, 5 if i in liked else 1) for users, liked in tastes.items() for u in users
    ...         for i in ("tea", "cake", "beer", "chips")]
    >>> model = RatingFactors(rank=1, random_state=0).fit(rows)
    >>> [name for name, score in model.recommend({"tea": 5, "beer": 1})]
    ['cake', 'chips']

    See Also
    --------
    ItemNeighbors, UserNeighbors, recommender_scores

    References
    ----------
    - Koren, Y., Bell, R. and Volinsky, C. (2009). Matrix factorization techniques for recommender systems. Computer
      42(8), 30-37. doi:10.1109/MC.2009.263
    """

    card = Card(
        "rating factors", "users and items described by a few numbers each", also=("matrix factorization",)
    )
    accepts = {
        "rank": Count(1),
        "penalty": Range(0, open="low"),
        "alpha": Range(0),
        "max_iter": Count(1),
        "tol": Range(0),
        "damping": Range(0),
        "random_state": Seed(),
    }
    stored = {
        "factors_": FloatArray("q", "*", finite=True),
        "history_": Each(Plain(dict)),
    }

    def __init__(
        self,
        rank: int = 10,
        penalty: float = 0.05,
        alpha: float = 40.0,
        max_iter: int = 30,
        tol: float = 1e-4,
        damping: float = 5.0,
        random_state: RandomState = None,
    ):
        self.rank = rank
        self.penalty = penalty
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol
        self.damping = damping
        self.random_state = random_state

    def _learn(self) -> None:
        E = self._targets()
        rng = random_state_of(self.random_state)
        spread = np.sqrt(np.mean(E.data**2) / self.rank) if E.nnz else 0.0
        Q = rng.normal(0, np.sqrt(max(spread, 1e-3)), size=(E.shape[1], self.rank))
        by_item = csr_array(E.T.tocsr())
        self.history_: list[dict[str, float]] = []
        for _ in track(range(self.max_iter), "factors"):
            P = self._solve(E, Q)
            Q = self._solve(by_item, P)
            self.history_.append(self._progress(E, P, Q))
            values = [record["objective"] for record in self.history_[-2:]]
            if len(values) == 2 and values[0] - values[1] <= self.tol * abs(values[0]):
                break
        self.factors_ = Q

    def _check_stored(self) -> None:
        super()._check_stored()
        if "factors_" in vars(self) and self.factors_.shape[1] != self.rank:
            raise DataError(
                f"RatingFactors: factors_ has {self.factors_.shape[1]} columns for rank {self.rank}."
            )

    def _targets(self) -> Any:
        return self.baseline_.residuals(self.ratings_) if self.ratings_.rated else self.ratings_.values.copy()

    def _solve(self, E: Any, Q: np.ndarray) -> np.ndarray:
        """One ridge regression for each row of E on the factors of the columns that it has."""
        if self.ratings_.rated:
            return ridge_rows(E, Q, self.penalty * np.maximum(np.diff(E.indptr), 1))
        return ridge_rows(E, Q, np.full(E.shape[0], self.penalty), self.alpha, everywhere=True)

    def _progress(self, E: Any, P: np.ndarray, Q: np.ndarray) -> dict[str, float]:
        """(1) or (2), and the root mean squared error of the ratings."""
        owner = np.repeat(np.arange(E.shape[0]), np.diff(E.indptr))
        fitted = (P[owner] * Q[E.indices]).sum(axis=1)
        squares = (E.data - fitted) ** 2
        if self.ratings_.rated:
            n_u, n_i = np.diff(E.indptr), np.bincount(E.indices, minlength=len(Q))
            size = n_u @ (P**2).sum(axis=1) + n_i @ (Q**2).sum(axis=1)
            objective = float(squares.sum() + self.penalty * size)
            return {"objective": objective, "rmse": float(np.sqrt(squares.mean()))}
        everywhere = float(np.sum((P.T @ P) * (Q.T @ Q)) - (fitted**2).sum())  # what is not there should be 0
        size = (P**2).sum() + (Q**2).sum()
        return {"objective": float((1 + self.alpha) * squares.sum() + everywhere + self.penalty * size)}

    def _taste(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        """(rank,) p of a profile."""
        d = len(self.ratings_.items)
        values = ratings
        if self.ratings_.rated:
            values = ratings - self.baseline_.expected(codes, ratings)[codes]
        row = compressed_matrix("csr_array", values, codes, np.array([0, len(codes)]), (1, d))
        return self._solve(row, self.factors_)[0]

    def _scores(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        products = self.factors_ @ self._taste(codes, ratings)
        return self.baseline_.expected(codes, ratings) + products if self.ratings_.rated else products

    def _reasons(self, codes: np.ndarray, ratings: np.ndarray, item: int) -> Section:
        taste, traits = self._taste(codes, ratings), self.factors_[item]
        order = np.argsort(-np.abs(taste * traits), kind="stable").tolist()
        rows = []
        for f in order:
            strongest = np.argsort(-self.factors_[:, f] * np.sign(traits[f]), kind="stable")[:3]
            like = ", ".join(str(self.ratings_.items[i]) for i in strongest.tolist())
            rows.append([f + 1, float(taste[f]), float(traits[f]), float(taste[f] * traits[f]), like])
        note = ""
        if self.ratings_.rated:
            note = f"From a baseline of {float(self.baseline_.expected(codes, ratings)[item]):.4g} of user and item."
        return Section("Hidden factors", ["factor", "user", "item", "adds", "items alike"], rows, note)
