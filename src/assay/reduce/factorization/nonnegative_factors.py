"""What nonnegative factorisations share: the table and its two halves, penalties, starts, and what they show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.core.explanations import dense_block
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.stored import FloatArray, Integer, Scalar
from assay.errors import DataError, ParameterError, warn_user
from assay.reduce.components.explained_sums import ExplainedSums
from assay.reduce.factorization.component_words import ComponentWords
from assay.reduce.factorization.nonnegative import Half, Penalty, beta_of
from assay.reduce.factorization.nonnegative_starts import start_factors
from assay.tables.row_names import row_name
from assay.types import TableLike

__all__ = ["NonnegativeFactors", "unit_of"]

COLUMNS_SHOWN = 8  # of each part in show()


class NonnegativeFactors(ExplainedSums, NumberedColumns):
    r""":math:`X \approx WH` with :math:`W, H \ge 0`; not for direct use.

    Where the derivative of the loss vanishes, an amount above 0 is a sum over the columns,

    .. math:: w_k = \sum_j \frac{w_k}{\sum_i h_{ki} x_i \hat x_i^{\beta-2}}\; h_{kj} x_j \hat x_j^{\beta-2},
              \qquad \hat x = wH                                                              \quad (1)

    with terms from 0 up: what the columns add to it.
    """

    takes = frozenset({"sparse", "missing"})
    accepts = {
        "n_components": Count(1) | Choice("auto") | None,
        "init": Choice("random", "nndsvd", "nndsvda", "nndsvdar", "custom") | None,
        "beta_loss": Range() | Choice("frobenius", "kullback-leibler", "itakura-saito"),
        "tol": Range(0),
        "max_iter": Count(1),
        "random_state": Seed(),
        "alpha_W": Range(0),
        "alpha_H": Range(0) | Choice("same"),
        "l1_ratio": Range(0, 1),
        "verbose": Count(0),
    }
    stored = {
        "components_": FloatArray("m", "p", low=0, finite=True),
        "n_components_": Integer(low=1),
        "reconstruction_err_": Scalar(low=0),
    }
    n_components: Any
    init: str | None
    beta_loss: Any
    random_state: Any
    alpha_W: float
    alpha_H: Any
    l1_ratio: float
    components_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    # The table

    def _halves(self, X: Any, w: np.ndarray | None, rows: float, unit: float = 1.0) -> tuple[Half, Half]:
        """X for the rows of W, and X transposed for the columns of H; ``rows`` scales the penalty of H.

        X may have been divided by ``unit``, and both factors by its root; penalties are divided accordingly.
        """
        beta = beta_of(self.beta_loss)
        d = X.shape[1]
        alpha_H = self.alpha_W if self.alpha_H == "same" else self.alpha_H
        l1, l2 = self.l1_ratio * unit ** (0.5 - beta), (1 - self.l1_ratio) * unit ** (1 - beta)
        of_W = Penalty(d * self.alpha_W * l1, d * self.alpha_W * l2)
        of_H = Penalty(rows * alpha_H * l1, rows * alpha_H * l2)
        if not isinstance(X, np.ndarray):
            X = X.tocsr().astype(np.float64)
            X.eliminate_zeros()
            each = np.diff(X.indptr)
        else:
            X = X.astype(np.float64, copy=False)
            each = np.count_nonzero(X, axis=1)
        entries = float(each.sum() if w is None else each @ w)
        per_row = entries / max(len(each) if w is None else float(w.sum()), 1.0)
        if not isinstance(X, np.ndarray):
            return Half(X, None, of_W, per_row), Half(X.T.tocsr(), w, of_H, entries / d)
        known = ~np.isnan(X)
        if known.all():
            return Half(X, None, of_W, per_row), Half(X.T, w, of_H, entries / d)
        filled = np.where(known, X, 0.0)
        X = np.ascontiguousarray(X)
        return (
            Half(filled, None, of_W, per_row, known, X),
            Half(filled.T, w, of_H, entries / d, known.T, np.ascontiguousarray(X.T)),
        )

    def _check_values(self, X: Any) -> None:
        values = X.data if not isinstance(X, np.ndarray) else X
        if values.size and np.nanmin(values) < 0:
            where = ""
            if isinstance(X, np.ndarray):
                i, j = np.argwhere(X < 0)[0]
                where = f": {row_name(int(i))}, column {self._names[j]} is {X[i, j]:g}"
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__} (input X){where}. Nonnegative factors need "
                "numbers from 0 up."
            )
        largest, power = float(np.nanmax(values, initial=0.0)), max(1.0, beta_of(self.beta_loss))
        if largest > (np.finfo(np.float64).max / max(1, values.size)) ** (1 / power):
            raise DataError(
                f"{type(self).__name__}: {largest:g} in X is too large: the loss, a sum of its powers of {power:g}, "
                "overflows. Divide X by a power of ten."
            )
        if beta_of(self.beta_loss) <= 0 and (
            np.nanmin(values, initial=np.inf) == 0 or (values is not X and X.nnz < np.prod(X.shape))
        ):
            raise ValueError(
                f"{type(self).__name__}: When beta_loss <= 0 and X contains zeros, the solver may diverge. Please add "
                "small values to X, or use a positive beta_loss."
            )
        if isinstance(X, np.ndarray) and np.isnan(X).any():
            empty = np.isnan(X).all(axis=0)
            if empty.any():
                raise DataError(
                    f"{type(self).__name__}: all values of column {self._names[int(np.argmax(empty))]!r} are missing. "
                    "Leave it out."
                )

    # Where it starts

    def _start(self, X: Any, w: np.ndarray | None, W: Any, H: Any) -> tuple[np.ndarray, np.ndarray]:
        k, d = self.n_components, X.shape[1]
        if self.init == "custom":
            factors = []
            for name, A, shape in (("H", H, (k, d)), ("W", W, (X.shape[0], k))):
                factors.append(self._checked_factor(name, A, shape, X.dtype))
            H, W = factors
            if len(H) != W.shape[1]:
                raise ParameterError(
                    f"{type(self).__name__}: W has {W.shape[1]} columns and H {len(H)} rows, both should be the number "
                    "of parts."
                )
            return W, H
        if W is not None or H is not None:
            warn_user(
                "When init!='custom', provided W or H are ignored. Set init='custom' to use them as initialization.",
                RuntimeWarning,
            )
        k = d if k is None or k == "auto" else int(k)
        if (
            isinstance(X, np.ndarray) and np.isnan(X).any()
        ):  # the means of the columns stand for what is missing
            known = ~np.isnan(X)
            weights = known * (np.ones(len(X)) if w is None else w)[:, None]
            total = weights.sum(axis=0)
            means = np.einsum("ij,ij->j", weights, np.where(known, X, 0.0)) / np.where(total > 0, total, 1.0)
            X = np.where(known, X, means)
        return start_factors(X, k, self.init, w, self.random_state, type(self).__name__)

    def _checked_factor(self, name: str, A: Any, shape: tuple[Any, int], dtype: Any) -> np.ndarray:
        who = type(self).__name__
        A = np.asarray(A)
        for axis, (wanted, word) in enumerate(zip(shape, ("first", "second"))):
            if A.ndim != 2 or (wanted not in (None, "auto") and A.shape[axis] != wanted):
                raise ParameterError(
                    f"Array with wrong {word} dimension passed to {who} (input {name}). Expected {wanted}, but got "
                    f"{A.shape[axis] if A.ndim == 2 else A.shape}."
                )
        if A.dtype != dtype:
            raise TypeError(
                f"{who}: H and W should have the same dtype as X, {dtype}. Got {name}.dtype = {A.dtype}."
            )
        if not np.isfinite(A).all() or A.min() < 0:
            raise ValueError(f"Negative values in data passed to {who} (input {name}).")
        if not A.max() > 0:
            raise ValueError(f"Array passed to {who} (input {name}) is full of zeros.")
        return np.array(A, dtype=np.float64)

    # What it shows

    def _terms(self, X: Any) -> Callable[[np.ndarray], np.ndarray]:
        W, H = np.asarray(self._transform(X), np.float64), np.asarray(self.components_, np.float64)
        power, largest = beta_of(self.beta_loss) - 2, H.max(axis=1, initial=0.0)
        shape = (H / np.where(largest > 0, largest, 1.0)[:, None]).T

        def of_rows(some: np.ndarray) -> np.ndarray:
            x, fitted = np.nan_to_num(dense_block(X[some]).astype(np.float64)), W[some] @ H
            x, fitted = _of_largest(x), _of_largest(fitted)  # (1) has no units
            pull = x * np.where(fitted > 0, fitted, 1.0) ** power
            terms = pull[:, :, None] * shape
            total = terms.sum(axis=1)
            return terms * np.divide(W[some], total, out=np.zeros_like(total), where=total > 0)[:, None]

        return of_rows

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) the rows that the parts add up to with amounts X (n, k)."""
        self._ready()
        W = dense_block(X)
        if W.ndim != 2 or W.shape[1] != self._n_features_out:
            raise ValueError(f"{type(self).__name__}: expected rows of {self._n_features_out} components.")
        return W @ self.components_

    def complete(self, X: TableLike) -> np.ndarray:
        """(n, d) the rows with their missing values replaced by what the parts add up to."""
        values = dense_block(self._admit(X))
        return np.where(np.isnan(values), self.inverse_transform(self._transform(values)), values)

    def top_columns(self, n_columns: int = 10) -> ComponentWords:
        """The columns of largest weight in each part."""
        self._ready()
        return ComponentWords.of(self.components_, self._names, n_columns)

    def _model_parts(self) -> list[Part]:
        return [self.top_columns(COLUMNS_SHOWN).section(self._names_out(), "Parts", "part", "column")]


def unit_of(X: Any) -> float:
    """1, or a power of four near the largest entry where its square is near the ends of floating-point numbers."""
    values = X if isinstance(X, np.ndarray) else X.data
    largest = float(np.nanmax(values, initial=0.0))
    return 1.0 if 1e-30 < largest < 1e30 or largest == 0 else 4.0 ** round(np.log2(largest) / 2)


def _of_largest(A: np.ndarray) -> np.ndarray:
    """Each row as shares of its largest number."""
    largest = A.max(axis=1, initial=0.0, keepdims=True)
    return A / np.where(largest > 0, largest, 1.0)
