"""Evaluation of recommenders on held-out ratings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.associations.ratings import Baseline, Ratings
from assay.associations.recommender import Recommender
from assay.core.csr import compressed_matrix
from assay.core.parameters import Count, Range, Seed, check
from assay.core.progress import track
from assay.core.seeds import random_state_of
from assay.errors import DataError
from assay.types import RandomState, TableLike

__all__ = ["RecommenderScores", "recommender_scores"]


@dataclass(frozen=True)
class RecommenderScores:
    """Scores of a recommender on held-out ratings, beside baselines.

    Attributes
    ----------
    recommender : str
    rmse : root mean squared error of the held-out ratings; None if scores are no ratings
    baseline_rmse : the same for the baseline of mean, user and item
    hit_rate : share of users for whom one of the n suggestions is a held-out item that they liked
    popular_hit_rate : the same for the n items that most liked
    n : number of suggestions      users : number of users evaluated      held_out : number of ratings
    """

    recommender: str
    rmse: float | None
    baseline_rmse: float | None
    hit_rate: float
    popular_hit_rate: float
    n: int
    users: int
    held_out: int

    def __str__(self) -> str:
        lines = [f"{self.recommender} on {self.held_out:,} held-out ratings of {self.users:,} users"]
        if self.rmse is not None:
            lines.append(
                f"  error of ratings (RMSE)       {self.rmse:.4f}   baseline {self.baseline_rmse:.4f}"
            )
        lines.append(
            f"  a liked item among the {self.n:<3}    {self.hit_rate:.4f}   popular  {self.popular_hit_rate:.4f}"
        )
        return "\n".join(lines)


def recommender_scores(
    recommender: Recommender,
    table: TableLike,
    user: str = "user",
    item: str = "item",
    rating: str | None = "rating",
    *,
    share: float = 0.2,
    n: int = 10,
    random_state: RandomState = 0,
) -> RecommenderScores:
    """Evaluate a recommender on a random share of each user's ratings, held out from training.

    An item is liked if its rating is at least the user's own mean, or if it was bought. Somebody with one rating only
    keeps it. The recommender that is given is not changed.

    Parameters
    ----------
    recommender : Recommender with its parameters
    table, user, item, rating : as for ``fit``
    share : float, of each user's ratings, at least one
    n : int, suggestions to each user
    random_state : int, RandomState or None

    Examples
    --------
    >>> from assay.associations import ItemNeighbors, recommender_scores
    >>> rows = [(u, i, 5 if (u < 10) == (i < 8) else 1) for u in range(20) for i in range(16) if (u * i) % 3]
    >>> scores = recommender_scores(ItemNeighbors(), rows, n=3)
    >>> scores.rmse < scores.baseline_rmse
    True
    """
    accepts = {"share": Range(0, 1, open="both"), "n": Count(1), "random_state": Seed()}
    check("recommender_scores", accepts, {"share": share, "n": n, "random_state": random_state})
    ratings = table if isinstance(table, Ratings) else Ratings.from_long(table, user, item, rating)
    train, u, i, r = _split(ratings, share, random_state_of(random_state))
    if not len(u):
        raise DataError("recommender_scores: every user has a single rating, so that none can be held out.")
    model = type(recommender)(**recommender.get_params()).fit(train)
    base = Baseline.of(train, 5.0)
    means = ratings.values.sum(axis=1) / np.maximum(np.diff(ratings.values.indptr), 1)
    popular = np.bincount(
        train.values.indices, (train.values.data >= means[_owner(train)]), len(ratings.items)
    )
    errors, plain, hits, easy, asked = [], [], 0, 0, 0
    order = np.argsort(u, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(u[order]) != 0])
    for rows in track(np.split(order, starts[1:]), "users"):
        code = int(u[rows[0]])
        codes, values = train.row(code)
        score = model._scores(codes, values)
        errors.append(score[i[rows]] - r[rows])
        plain.append(base.expected(codes, values)[i[rows]] - r[rows])
        liked = i[rows][r[rows] >= means[code]]
        if len(liked):
            asked += 1
            hits += bool(np.isin(_top(score, codes, n), liked).any())
            easy += bool(np.isin(_top(popular, codes, n), liked).any())
    rated = ratings.rated and model.predicts_ratings
    return RecommenderScores(
        type(recommender).__name__,
        _rms(errors) if rated else None,
        _rms(plain) if rated else None,
        hits / max(asked, 1),
        easy / max(asked, 1),
        n,
        asked,
        len(u),
    )


def _split(
    ratings: Ratings, share: float, rng: np.random.RandomState
) -> tuple[Ratings, np.ndarray, np.ndarray, np.ndarray]:
    """The ratings that stay, and users, items and values of the held-out ones."""
    values = ratings.values
    count = np.diff(values.indptr)
    owner = _owner(ratings)
    order = np.lexsort((rng.random_sample(values.nnz), owner))
    place = np.arange(values.nnz) - np.repeat(values.indptr[:-1], count)
    many = np.minimum(np.maximum(np.rint(share * count), 1), count - 1)
    held = np.zeros(values.nnz, bool)
    held[order] = place < many[owner]
    start = np.concatenate([[0], np.cumsum(np.bincount(owner[~held], minlength=len(count)))])
    kept = compressed_matrix("csr_array", values.data[~held], values.indices[~held], start, values.shape)
    train = Ratings(ratings.users, ratings.items, kept, ratings.rated)
    return train, owner[held], values.indices[held], values.data[held]


def _owner(ratings: Ratings) -> np.ndarray:
    count = np.diff(ratings.values.indptr)
    return np.repeat(np.arange(len(count)), count)


def _top(score: np.ndarray, known: np.ndarray, n: int) -> np.ndarray:
    score = score.astype(np.float64)
    score[known] = -np.inf
    return np.argsort(-score, kind="stable")[:n]


def _rms(errors: list[np.ndarray]) -> float:
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))
