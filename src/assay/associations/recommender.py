"""Base class of recommenders: fit to ratings, recommend items, explain."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from assay.associations.ratings import LARGEST, Baseline, Ratings
from assay.core.explanation import Explanation, Section
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Accepted, Count, check
from assay.core.stored import Kind, Object
from assay.errors import DataError
from assay.types import Label, TableLike

__all__ = ["Recommendation", "Recommender"]

SHOWN = 20  # reasons that an explanation lists


class Recommendation(NamedTuple):
    """An item, and how much it is expected to be liked: a rating, or a score that only orders items."""

    item: Any
    score: float


class Recommender:
    """Base of recommenders; subclasses define ``_learn()``, ``_scores(codes, ratings)`` and ``_reasons(...)``.

    A user is known by what they rated, their profile, and nothing else; so somebody who came after ``fit`` is answered
    as well, from a dict of items and ratings.

    Attributes
    ----------
    ratings_ : Ratings          baseline_ : Baseline
    """

    storable = True
    stored: ClassVar[Mapping[str, Kind]] = {
        "ratings_": Object(Ratings, u="u", q="q"),
        "baseline_": Object(Baseline, q="q"),
    }
    accepts: ClassVar[Mapping[str, Accepted | None]] = {}
    predicts_ratings: ClassVar[bool] = True  # else scores only order items
    damping: float = 0.0

    ratings_: Ratings
    baseline_: Baseline

    @all_or_nothing
    def fit(
        self,
        table: TableLike | Ratings,
        user: str = "user",
        item: str = "item",
        rating: str | None = "rating",
    ) -> Self:
        """Learn from ratings.

        Parameters
        ----------
        table : Ratings, or a table with one row for each rating (frame, dict of columns, tuples)
        user, item, rating : names of the columns; ``rating=None`` for purchases
        """
        check(type(self).__name__, self.accepts, vars(self))
        self.ratings_ = table if isinstance(table, Ratings) else Ratings.from_long(table, user, item, rating)
        if not len(self.ratings_):
            raise DataError(f"{type(self).__name__}: there are no ratings to learn from.")
        self.baseline_ = Baseline.of(self.ratings_, self.damping)
        self._learn()
        return self

    def _learn(self) -> None:
        raise TypeError(f"{type(self).__name__} must say how it learns")

    def _scores(self, codes: np.ndarray, ratings: np.ndarray) -> np.ndarray:
        """(d,) the score of every item for somebody who rated these."""
        raise TypeError(f"{type(self).__name__} must say how it scores")

    def _reasons(self, codes: np.ndarray, ratings: np.ndarray, item: int) -> Section:
        """Where the score of one item comes from."""
        raise TypeError(f"{type(self).__name__} must give reasons")

    def _check_stored(self) -> None:
        """Check the parameters of a loaded file."""
        check(type(self).__name__, self.accepts, self.get_params())

    # ------------------------------------------------------------------ answers

    def recommend(
        self, user: Label, n: int = 10, *, known: bool = False, among: Iterable[Any] | None = None
    ) -> list[Recommendation]:
        """The items that a user is expected to like best.

        Parameters
        ----------
        user : a user of ``fit``, or a dict from item to rating (for purchases, a list of items)
        n : int
        known : bool
            Whether to suggest what the user rated already.
        among : items to choose from, default None for all
        """
        check(f"{type(self).__name__}.recommend", {"n": Count(0)}, {"n": n})
        codes, ratings = self._profile(user)
        score = self._scores(codes, ratings)
        able = np.ones(len(score), bool)
        if among is not None:
            able[:] = False
            able[[self._code(name) for name in among]] = True
        if not known:
            able[codes] = False
        items = np.flatnonzero(able)
        best = items[np.argsort(-score[items], kind="stable")[:n]]
        return [Recommendation(self.ratings_.items[i], float(score[i])) for i in best.tolist()]

    def predict(self, users: Iterable[Any], items: Iterable[Any]) -> np.ndarray:
        """(m,) the score of each pair of a user and an item.

        Parameters
        ----------
        users : users of ``fit``; somebody unknown has an empty profile
        items : items of ``fit``, as many as users; an unknown one gets what is expected of an average item
        """
        self._ready()
        users, items = list(users), list(items)
        if len(users) != len(items):
            raise DataError(f"{type(self).__name__}: {len(users)} users for {len(items)} items.")
        places = self.ratings_.places[1]
        answer = np.empty(len(users))
        rows: dict[Any, list[int]] = {}
        for i, user in enumerate(users):
            rows.setdefault(user, []).append(i)
        for user, mine in rows.items():
            codes, ratings = self._profile(user, strict=False)
            score = self._scores(codes, ratings)
            unknown = self.baseline_.mean + self.baseline_.user(codes, ratings)
            for i in mine:
                code = places.get(items[i])
                answer[i] = unknown if code is None else score[code]
        return answer

    def explain(self, user: Label, item: Label) -> Explanation:
        """Why an item gets its score for a user: what it is made of."""
        codes, ratings = self._profile(user)
        code = self._code(item)
        score = float(self._scores(codes, ratings)[code])
        reasons = self._reasons(codes, ratings, code)
        if len(reasons.rows) > SHOWN:
            hidden = f"... and {len(reasons.rows) - SHOWN} that add less. "
            reasons = replace(reasons, rows=reasons.rows[:SHOWN], note=hidden + reasons.note)
        return Explanation(type(self).__name__, f"{score:.4g} for {item}", sections=[reasons])

    # ------------------------------------------------------------------ parts

    def _profile(self, user: Any, strict: bool = True) -> tuple[np.ndarray, np.ndarray]:
        """What somebody rated: numbers of items, and the ratings."""
        self._ready()
        if isinstance(user, (list, set, frozenset)):
            user = dict.fromkeys(user, 1.0)
        if isinstance(user, Mapping):
            codes = np.array([self._code(name) for name in user], np.int64)
            try:
                ratings = np.array(list(user.values()), np.float64)
            except (TypeError, ValueError):
                ratings = np.array([np.nan])
            if not (np.abs(ratings) <= LARGEST).all():
                raise DataError(
                    f"{type(self).__name__}: the ratings of a user must be numbers, got {user!r:.80}."
                )
            order = np.argsort(codes)
            return codes[order], ratings[order]
        u = self.ratings_.places[0].get(user)
        if u is not None:
            return self.ratings_.row(u)
        if strict:
            raise DataError(
                f"{type(self).__name__}: there is no user {user!r}. For somebody new give a dict of items and ratings."
            )
        return np.zeros(0, np.int64), np.zeros(0)

    def _code(self, item: Any) -> int:
        code = self.ratings_.places[1].get(item)
        if code is None:
            raise DataError(f"{type(self).__name__}: there is no item {item!r}.")
        return code

    def _ready(self) -> None:
        if "ratings_" not in vars(self):
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(f"{type(self).__name__}: call fit with ratings first.")

    def get_params(self) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def __repr__(self) -> str:
        parameters = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        learned = f": {self.ratings_!r}" if "ratings_" in vars(self) else ""
        return f"{type(self).__name__}({parameters}){learned}"
