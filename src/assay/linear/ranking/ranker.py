"""What rankers share: pairs of rows from grades, orders or clicks, scores, places, and the error of an order."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.explanation import Explanation
from assay.core.explanations import Explanations, Reasons, RowValues
from assay.core.learner import Learner
from assay.core.parameters import check_count
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, Scalar
from assay.core.targets import numeric_target
from assay.errors import DataError
from assay.linear.affine import affine
from assay.linear.ranking.ranking_pairs import (
    RankingError,
    checked_pairs,
    group_codes,
    pairs_from_grades,
    ranking_error,
)
from assay.linear.terms import sum_of_terms
from assay.types import RandomState, RowLabels, TableLike, Target

__all__ = ["LinearRanker", "Ranker"]


class Ranker(Learner):
    """Base of learners of an order: rows that should rank above others score higher.

    A subclass writes ``fit(X, y, group=, pairs=)``, which calls ``_pairs``, and ``_predict(X)``, the scores. It has the
    parameters ``best``, ``max_pairs`` and ``random_state``, and a ``margin`` by which the upper row should lead.
    """

    stored = {"error_": Object(RankingError)}

    margin: Any
    best: str
    max_pairs: int
    random_state: RandomState
    error_: RankingError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.target_tags.required = None, True
        return tags

    def _pairs(self, n: int, y: Any, group: Any, pairs: Any) -> np.ndarray:
        who = type(self).__name__
        if pairs is None:
            grades = numeric_target(y, n, who)
            if grades.ndim != 1:
                raise DataError(
                    f"{who}: y must be one column of grades or ranks, got {grades.shape[1]} columns."
                )
            codes, draw = group_codes(group, n, who), random_state_of(self.random_state)
            pairs = pairs_from_grades(
                grades, codes, best=self.best, max_pairs=self.max_pairs, random_state=draw
            )
            if not len(pairs):
                raise DataError(
                    f"{who}: no two rows of a group have different grades ({n} sample{'s' if n > 1 else ''}), so "
                    "there is no pair to learn from."
                )
        rows = checked_pairs(pairs, n, who)
        if not len(rows):
            raise DataError(f"{who}: pairs is empty, so there is nothing to learn from.")
        return rows

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the scores; only their order means something."""
        return self._predict(self._admit(X))

    def explain(self, X: TableLike) -> Explanation | Explanations:
        """The terms of the score: an Explanation for one row, Explanations for several."""
        return self._explain_table(X).one_or_all()

    def _explain_block(self, X: Any, rows: RowValues) -> Explanations:
        return Explanations(type(self).__name__, self._predict(X).tolist(), rows, self._reasons(X, rows))

    def rank(self, X: TableLike, group: RowLabels | None = None) -> np.ndarray:
        """(n,) the place of each row in its group: 1 for the highest score; of equals the first row."""
        g = self.predict(X)
        code = group_codes(group, len(g), type(self).__name__)
        order = np.lexsort((-g, code))
        start = np.searchsorted(code[order], code[order])
        places = np.empty(len(g), dtype=np.int64)
        places[order] = np.arange(len(g)) - start + 1
        return places

    def top_k(self, X: TableLike, k: int) -> np.ndarray:
        """The numbers of the k rows with the highest scores, best first."""
        return np.argsort(-self.predict(X), kind="stable")[: _how_many(k, type(self).__name__)]

    def rerank(self, X: TableLike, candidates: Any, k: int | None = None) -> np.ndarray:
        """The rows that another search found, by the scores of this ranker: best first, at most k of them.

        Parameters
        ----------
        X : table of n rows
        candidates : row numbers of X, in any order; equal scores stay in it
        k : most rows to return; None for all
        """
        g, rows = self.predict(X), np.asarray(candidates)
        rows = rows if rows.size else rows.astype(np.int64)
        if (
            rows.ndim != 1
            or rows.dtype.kind not in "iu"
            or (rows.size and not 0 <= rows.min() <= rows.max() < len(g))
        ):
            raise DataError(
                f"{type(self).__name__}: candidates must be row numbers of X, from 0 to {len(g) - 1}, got "
                f"{candidates!r}."
            )
        return rows[np.argsort(-g[rows], kind="stable")][
            : None if k is None else _how_many(k, type(self).__name__)
        ]

    def pairwise_error(
        self,
        X: TableLike,
        y: Target | None = None,
        *,
        group: RowLabels | None = None,
        pairs: ArrayLike | None = None,
    ) -> RankingError:
        """How many pairs of these rows the scores put in the wrong order; arguments as in ``fit``."""
        g = self.predict(X)
        return ranking_error(g, self._pairs(len(g), y, group, pairs), self.margin)

    def score(
        self,
        X: TableLike,
        y: Target | None = None,
        *,
        group: RowLabels | None = None,
        pairs: ArrayLike | None = None,
    ) -> float:
        """The share of pairs in the right order, a tie counting one half."""
        return 1.0 - self.pairwise_error(X, y, group=group, pairs=pairs).share

    def _predict(self, X: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _predict")


class LinearRanker(Ranker):
    """A ranker whose score is a sum over columns; ``fit`` sets ``coef_`` (d,), and ``intercept_``, which is 0."""

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})
    stored = {"coef_": FloatArray("p"), "intercept_": Scalar()}

    coef_: np.ndarray
    intercept_: float

    def _predict(self, X: Any) -> np.ndarray:
        return affine(X, self.coef_[None], 0.0)[:, 0]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        W = self.coef_[:, None]
        return sum_of_terms(self, "Terms of the score", X, rows, W, np.zeros(1), ["product"], ["the score"])


def _how_many(k: Any, who: str) -> int:
    check_count(who, "k", k, low=0)
    return int(k)
