"""A linear ranker learned from pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

import assay.linear.ranking._pairwise as _pairwise
from assay.core import Card
from assay.core.fitting import all_or_nothing
from assay.core.parameters import Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, Integer, Object, Scalar
from assay.errors import DegenerateError, DegenerateWarning, warn_user
from assay.linear.ranking.ranker import LinearRanker
from assay.linear.ranking.ranking_pairs import RankingError, ranking_error
from assay.types import RandomState, RowLabels, TableLike, Target

__all__ = ["PairwiseRanker", "RankingPass"]

AT_ONCE = 1 << 18  # pairs of one call of the native code, after which Ctrl-C is heard


@dataclass(frozen=True)
class RankingPass:
    """One pass over the pairs: how many were corrected, and how well the weights after it do on all pairs."""

    number: int
    corrected: int
    violated: int
    tied: int
    hinge: float
    stored = {
        "number": Integer(),
        "corrected": Integer(),
        "violated": Integer(),
        "tied": Integer(),
    }


class PairwiseRanker(LinearRanker):
    r"""Score rows by :math:`g(x) = w^Tx` such that rows which should rank above others score higher.

    Learns from pairs (u, v), u to stand above v: a total order, grades within queries, or any partial order. The
    error and the correction of a pair that stands wrongly are

    .. math:: E = \sum_{(u,v)} \left[m + w^T(x^v - x^u)\right]_+,\qquad
              w \leftarrow w + \eta\,(x^u - x^v)\ \text{ if }\ w^T(x^u - x^v) \le m                \quad (1)

    with margin m. There is no constant, for it would move all rows alike. Since w = 0 makes no
    error without a margin, the start is small and random, and ties are corrected. Passes go on until nothing was
    corrected, or until ``patience`` of them brought no fewer violated pairs; the best weights are kept, of those after
    each pass and of their mean over all visits so far, which is the steadier where no weights are right for all pairs.
    A pass costs O(pairs d), a list of n rows has up to n (n - 1) / 2 pairs. Columns should be on one scale.

    Not every order is linear in the columns; add columns, such as squares, if some pairs stay violated.

    Cost: fit O(m d) a pass over m pairs, of which a list of n rows has up to n (n - 1) / 2; predict O(d) a row; memory
    O(n d + m) to fit, O(d) kept.

    Parameters
    ----------
    rate : float, default 0.1
        :math:`\eta`; without a margin it sets the scale of the scores only.
    margin : float, default 0
        m: how much higher the upper row should score.
    max_iter : int, default 1000
        Most passes.
    patience : int, default 20
        Passes without improvement after which the best weights are taken.
    shuffle : bool, default True
        Whether each pass visits the pairs in a new random order.
    best : "highest" or "lowest", default "highest"
        Which target is the best: "highest" for grades, "lowest" for ranks, 1 being the first.
    max_pairs : int, default 10 million
        If the grades make more pairs, this many are drawn at random.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    coef_ : (d,) w, in the columns of ``design_``      intercept_ : 0.0
    error_ : RankingError of the training pairs        history_ : list of RankingPass      n_iter_ : int

    Examples
    --------
    Five things, the first the best:

    >>> from assay.linear import PairwiseRanker
    >>> X = [[4, 1], [3, 3], [2, 0], [1, 2], [0, 1]]
    >>> model = PairwiseRanker(best="lowest", random_state=0).fit(X, [1, 2, 3, 4, 5])
    >>> model.error_.violated, model.rank(X)
    (0, array([1, 2, 3, 4, 5]))
    >>> model.top_k(X, 2)
    array([0, 1])

    See Also
    --------
    ranking_error, pairs_from_clicks, pairs_from_grades

    References
    ----------
    - Herbrich, R., Graepel, T. and Obermayer, K. (2000). Large margin rank boundaries for ordinal regression. In
      Advances in Large Margin Classifiers, 115-132. MIT Press.
    - Joachims, T. (2002). Optimizing search engines using clickthrough data. Knowledge Discovery and Data Mining,
      133-142. doi:10.1145/775047.775067
    """

    card = Card(
        "pairwise ranker",
        "an order of rows, from pairs, grades or clicks",
        also=("ranker",),
        settings={"random_state": 0},
    )
    accepts = {
        "rate": Range(0, open="low"),
        "margin": Range(0),
        "max_iter": Count(1),
        "patience": Count(1),
        "shuffle": Flag(),
        "best": Choice("highest", "lowest"),
        "max_pairs": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "coef_": FloatArray("p"),
        "intercept_": Scalar(),
        "error_": Object(RankingError),
        "history_": Each(Object(RankingPass)),
    }

    def __init__(
        self,
        rate: float = 0.1,
        margin: float = 0.0,
        *,
        max_iter: int = 1000,
        patience: int = 20,
        shuffle: bool = True,
        best: str = "highest",
        max_pairs: int = 10_000_000,
        random_state: RandomState = None,
    ):
        self.rate = rate
        self.margin = margin
        self.max_iter = max_iter
        self.patience = patience
        self.shuffle = shuffle
        self.best = best
        self.max_pairs = max_pairs
        self.random_state = random_state

    @all_or_nothing
    def fit(
        self,
        X: TableLike,
        y: Target | None = None,
        *,
        group: RowLabels | None = None,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Learn from grades or ranks y, compared within groups, or from pairs.

        Parameters
        ----------
        X : table of n rows
        y : (n,) grades or ranks, see ``best``; not needed with ``pairs``
        group : (n,) the query that each row belongs to; None for one list
        pairs : (m, 2) row numbers, the upper row first; any partial order
        """
        self._check_parameters()
        values = _block(self._admit(X, fitting=True))
        rows = self._pairs(values.shape[0], y, group, pairs)
        draw, size = random_state_of(self.random_state), float(abs(values).max())
        with np.errstate(over="ignore", under="ignore"):
            w = np.asarray(draw.uniform(-0.01, 0.01, values.shape[1])) * (self.rate * size or 1.0)
        self.history_, self.intercept_ = [], 0.0
        fewest, since, trail = len(rows) + 1, 0, np.zeros_like(w)
        with progress(total=None, description="PairwiseRanker") as bar:
            for number in range(1, self.max_iter + 1):
                rows = _shuffled(rows, draw) if self.shuffle else rows
                corrected = self._pass(values, rows, w, trail, (number - 1) * len(rows))
                error, since = ranking_error(values @ w, rows, self.margin), since + 1
                self.history_.append(RankingPass(number, corrected, error.violated, error.tied, error.hinge))
                bar.advance(note=f"{error.violated} violated")
                if not corrected:
                    self.coef_, self.error_ = w, error
                    break
                mean = w - trail / (number * len(rows))
                averaged = ranking_error(values @ mean, rows, self.margin)
                for candidate, error_of in ((w, error), (mean, averaged)):
                    if error_of.violated + error_of.tied < fewest:
                        fewest, since = error_of.violated + error_of.tied, 0
                        self.coef_, self.error_ = candidate.copy(), error_of
                if since >= self.patience:
                    break
        self.n_iter_ = len(self.history_)
        if self.error_.tied == len(rows):
            warn_user(
                "PairwiseRanker: all pairs are tied, so nothing was learned: the columns do not differ within the "
                "pairs, or by too little to be seen. Standardise the columns, or give others.",
                DegenerateWarning,
            )
        elif corrected and since < self.patience:
            warn_user(
                f"PairwiseRanker stopped after {self.n_iter_} passes with {self.error_.violated} of {len(rows)} pairs "
                f"in the wrong order and {self.error_.tied} tied. Raise max_iter, standardise the columns, or add "
                "columns (squares, products) in which the order is linear.",
                ConvergenceWarning,
            )
        return self

    def partial_fit(
        self,
        X: TableLike,
        y: Target | None = None,
        *,
        group: RowLabels | None = None,
        pairs: ArrayLike | None = None,
    ) -> Self:
        """Visit the pairs of some more rows once, as they come, starting from the weights so far."""
        self._check_parameters()
        first = "coef_" not in vars(self)
        values = _block(self._admit(X, fitting=first))
        rows = self._pairs(values.shape[0], y, group, pairs)
        w = np.zeros(values.shape[1]) if first else self.coef_.copy()
        corrected = self._pass(values, rows, w, np.zeros_like(w), 0)
        error = ranking_error(values @ w, rows, self.margin)
        self.coef_, self.intercept_, self.error_ = w, 0.0, error
        self.history_ = [] if first else self.history_
        self.n_iter_ = len(self.history_) + 1
        self.history_.append(RankingPass(self.n_iter_, corrected, error.violated, error.tied, error.hinge))
        return self

    def _pass(self, X: Any, rows: np.ndarray, w: np.ndarray, trail: np.ndarray, visits: int) -> int:
        """Visit all pairs; w and trail change in place. Returns how many pairs were corrected."""
        corrected, rate, margin = 0, float(self.rate), float(self.margin)
        dense = isinstance(X, np.ndarray)
        correct = _pairwise.correct if dense else _pairwise.correct_sparse
        table = {"X": X}
        if not dense:
            start, column = X.indptr.astype(np.int64), X.indices.astype(np.int32)
            table = {"start": start, "column": column, "value": X.data}
        for a in range(0, len(rows), AT_ONCE):
            some = rows[a : a + AT_ONCE]
            corrected += correct(  # (1)
                **table, pairs=some, rate=rate, margin=margin, visits=visits + a, w=w, trail=trail
            )
        with np.errstate(over="ignore", invalid="ignore"):
            if not np.isfinite(X @ w).all():
                raise DegenerateError(
                    "PairwiseRanker: the weights grew beyond all numbers. Standardise the columns, or lower the rate."
                )
        return corrected


def _block(X: Any) -> Any:
    """A dense block row after row, or a sparse one whose column numbers were checked, for the native code."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X, dtype=np.float64)
    table = X.tocsr().astype(np.float64)
    table.check_format(full_check=True)
    return table


def _shuffled(rows: np.ndarray, draw: np.random.RandomState) -> np.ndarray:
    """The pairs in random order, each moved as one number of 64 bits."""
    return draw.permutation(rows.view(np.int64).ravel()).view(np.int32).reshape(-1, 2)
