"""Factorisation of a table of which only some entries are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card
from assay.core.explanations import dense_block
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Count, Flag, Range, Seed
from assay.core.progress import track
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DataError, warn_user
from assay.optimize.alternating_ridge import ridge_rows
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.components.spectrum import with_fixed_signs
from assay.reduce.factorization.component_words import ComponentWords
from assay.types import RandomState, TableLike, Target

__all__ = ["MatrixFactorization"]

COLUMNS_SHOWN = 8  # of each factor in show()
LARGEST_SQUARABLE = 1e153
SMALLEST_RIDGE = 1e-10  # of the mean square of the entries, so that rows with few entries have an answer


class MatrixFactorization(ExplainedSums, NumberedColumns):
    r"""Rows and columns by few numbers each, from the entries that are known; the products are what the others may be.

    .. math:: \min \sum_{(t,i) \in \Omega} \Big[(x_{ti} - \mu - b_t - b_i - f_t^Tg_i)^2
              + \lambda(\lVert f_t\rVert^2 + \lVert g_i\rVert^2)\Big]                             \quad (1)

    over the known entries :math:`\Omega`. For fixed g each row (f, b) is a ridge regression on the columns that it has,
    and the other way round: the objective falls with every round. Of several random starts the best stays, since (1)
    has several minima. A row with a missing entry is mapped by what it has, and ``complete`` fills it in.
    :class:`assay.associations.RatingFactors` does the same for lists of users, items and ratings.

    Cost: fit O(N k^2 + (n + d) k^3) a round over N known entries; transform O(m k^2 + k^3) for m entries of a row;
    memory O(N + (n + d) k^2).

    Parameters
    ----------
    n_components : int, default 2
        The number k of factors.
    penalty : float, default 0.05
        :math:`\lambda`, for each known entry.
    biases : bool, default True
        Whether rows and columns have an offset of their own, b, and the table a mean; else (1) has the product alone.
    n_init : int, default 1
        Random starts.
    tol : float, default 1e-6
        Stop once a round lowers the objective by less than this share of the first.
    max_iter : int, default 500
    random_state : int, RandomState or None, default None
        The starts; None are always the same.

    Attributes
    ----------
    components_ : (k, d) g of the columns      column_biases_ : (d,)      mean_ : the mean of the known entries
    history_ : the objective after each round of the best start      n_iter_ : how many

    Examples
    --------
    A product of rank 2 with an entry hidden, which was 3.

    >>> import numpy as np
    >>> from assay.reduce import MatrixFactorization
    >>> X = np.array([[1, 2, 0], [0, 1, 3], [1, 3, np.nan], [2, 4, 0]])
    >>> model = MatrixFactorization(2, penalty=1e-9, biases=False, n_init=5, tol=1e-12, random_state=0).fit(X)
    >>> model.complete(X)[2].round(3)
    array([1., 3., 3.])

    See Also
    --------
    NMF, ProbabilisticPCA, RatingFactors

    References
    ----------
    - Koren, Y., Bell, R. and Volinsky, C. (2009). Matrix factorization techniques for recommender systems. Computer
      42(8), 30-37. doi:10.1109/MC.2009.263
    """

    card = Card(
        "matrix factorization of tables", "rows and columns by few numbers, from the entries that are known"
    )
    accepts = {
        "n_components": Count(1),
        "penalty": Range(0),
        "biases": Flag(),
        "n_init": Count(1),
        "tol": Range(0),
        "max_iter": Count(1),
        "random_state": Seed(),
    }
    takes = frozenset({"missing"})
    stored = {
        "components_": FloatArray("m", "p", finite=True),
        "column_biases_": FloatArray("p", finite=True),
        "mean_": Scalar(),
        "n_iter_": Integer(low=1),
        "_scale": Scalar(low=0),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        penalty: float = 0.05,
        biases: bool = True,
        n_init: int = 1,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: RandomState = None,
    ):
        self.n_components = n_components
        self.penalty = penalty
        self.biases = biases
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, X: TableLike, y: Target | None = None) -> Any:  # type: ignore[override]
        """Learn the factors of the columns from the known entries of X; y is ignored."""
        return super().fit(X)

    def _learn(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> None:
        known = ~np.isnan(X)
        if not known.any(axis=0).all():
            column = self._names[int(np.argmin(known.any(axis=0)))]
            raise DataError(
                f"{type(self).__name__}: all values of column {column!r} are missing. Leave it out."
            )
        self._scale = float(np.abs(X[known]).max()) or 1.0  # in units of it squares do not overflow
        if not self._scale < LARGEST_SQUARABLE:
            raise DataError(
                f"{type(self).__name__}: {self._scale:g} in X is too large to be squared. Divide the columns by some "
                "power of ten."
            )
        values = X / self._scale
        mean = float(values[known].mean()) if self.biases else 0.0
        E = _known_entries(values - mean)
        Et = csr_array(E.T.tocsr())
        random = random_state_of(0 if self.random_state is None else self.random_state)
        best: tuple[Any, ...] | None = None
        for _ in track(range(self.n_init), type(self).__name__):
            trial = self._climb(E, Et, random)
            if best is None or trial[0][-1] < best[0][-1]:
                best = trial
        assert best is not None
        history, G, biases = best
        turned = (
            G @ np.linalg.eigh(G.T @ G)[1][:, ::-1]
        )  # of all that give the same products, along main axes
        G = with_fixed_signs(turned.T).T
        self.history_ = [value * self._scale**2 for value in history]
        self.components_, self.column_biases_ = np.ascontiguousarray(G.T) * self._scale, biases * self._scale
        self.mean_, self.n_iter_, self._n_features_out = mean * self._scale, len(history), self.n_components
        if self.n_iter_ == self.max_iter:
            warn_user(
                f"{type(self).__name__} did not converge in {self.max_iter} rounds. Raise max_iter or tol.",
                ConvergenceWarning,
            )

    def _climb(self, E: Any, Et: Any, random: Any) -> tuple[list[float], np.ndarray, np.ndarray]:
        spread = max(float(np.sqrt(np.mean(E.data**2) / self.n_components)), 1e-3)
        G, biases = (
            random.normal(0, np.sqrt(spread), size=(E.shape[1], self.n_components)),
            np.zeros(E.shape[1]),
        )
        history: list[float] = []
        for _ in range(self.max_iter):
            F, row_biases = self._half(E, G, biases)
            G, biases = self._half(Et, F, row_biases)
            history.append(self._objective(E, F, row_biases, G, biases))
            if len(history) > 1 and history[-2] - history[-1] <= self.tol * history[0]:
                break
        return history, G, biases

    def _half(self, E: Any, G: np.ndarray, biases: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Factors and offsets of the rows of E, given those of the columns."""
        wide, ridge = self._regression(G, np.diff(E.indptr))
        if not self.biases:
            return ridge_rows(E, wide, ridge), np.zeros(E.shape[0])
        left = E.copy()
        left.data = E.data - biases[E.indices]
        solved = ridge_rows(left, wide, ridge)
        return solved[:, :-1], solved[:, -1]

    def _regression(self, G: np.ndarray, entries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What rows are regressed on, the offset last, and (n, r) penalties of rows with so many entries."""
        size = self.penalty * np.maximum(entries, 1) + SMALLEST_RIDGE
        ridge = np.repeat(size[:, None], G.shape[1], axis=1)
        if not self.biases:
            return G, ridge
        offset = np.full(len(ridge), SMALLEST_RIDGE)
        return np.column_stack([G, np.ones(len(G))]), np.column_stack([ridge, offset])

    def _objective(
        self, E: Any, F: np.ndarray, rows: np.ndarray, G: np.ndarray, columns: np.ndarray
    ) -> float:
        owner = np.repeat(np.arange(E.shape[0]), np.diff(E.indptr))
        fitted = np.einsum("ek,ek->e", F[owner], G[E.indices]) + rows[owner] + columns[E.indices]
        n_rows, n_columns = np.diff(E.indptr), np.bincount(E.indices, minlength=len(G))
        size = n_rows @ (F**2).sum(axis=1) + n_columns @ (G**2).sum(axis=1)
        return float(np.sum((E.data - fitted) ** 2) + self.penalty * size)

    # Answers

    def _rows(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        E = _known_entries((X - self.mean_) / self._scale)
        F, biases = self._half(E, self.components_.T / self._scale, self.column_biases_ / self._scale)
        return F, biases * self._scale

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return self._rows(X)[0]

    def _terms(self, X: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        """Of a row the weights are those of its regression: they depend on which entries it has."""
        known = ~np.isnan(X)
        left = np.where(known, X - self.mean_ - self.column_biases_, 0.0) / self._scale
        wide, ridge = self._regression(self.components_.T / self._scale, known.sum(axis=1))
        k = self._n_features_out

        def of_rows(some: np.ndarray) -> np.ndarray:
            M = known[some][:, :, None] * wide
            A = np.swapaxes(M, 1, 2) @ M + ridge[some][:, :, None] * np.eye(wide.shape[1])
            weights = np.linalg.solve(A, np.swapaxes(M, 1, 2))[:, :k]
            return np.swapaxes(weights, 1, 2) * left[some][:, :, None]

        return of_rows

    def complete(self, X: TableLike) -> np.ndarray:
        """(n, d) the rows with their missing values replaced by what the factors give."""
        values = self._admit(X)
        F, biases = self._rows(values)
        expected = F @ self.components_ + biases[:, None] + self.column_biases_ + self.mean_
        return np.where(np.isnan(values), expected, values)

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) what factors X (n, k) give, for rows without an offset of their own."""
        self._ready()
        F = dense_block(X)
        if F.ndim != 2 or F.shape[1] != self._n_features_out:
            raise ValueError(f"{type(self).__name__}: expected rows of {self._n_features_out} components.")
        return F @ self.components_ + self.column_biases_ + self.mean_

    def top_columns(self, n_columns: int = 10) -> ComponentWords:
        """The columns of largest weight in each factor, of either sign."""
        self._ready()
        return ComponentWords.of(self.components_, self._names, n_columns)

    def _model_parts(self) -> list[Part]:
        return [self.top_columns(COLUMNS_SHOWN).section(self._names_out(), "Factors", "factor", "column")]


def _known_entries(X: np.ndarray) -> Any:
    """The entries that are known, zeros included, as rows of a sparse table."""
    from assay.core.csr import compressed_matrix

    known = ~np.isnan(X)
    starts = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    return compressed_matrix("csr_array", X[known], np.nonzero(known)[1].astype(np.int32), starts, X.shape)
