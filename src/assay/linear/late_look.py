"""Detection of missing values in large tables by their scores, without a separate scan.

Methods of learners that answer by X Wᵀ + b. If every column has a weight other than 0, a missing or infinite entry
makes a score NaN or infinite, so a large plain table needs no scan before.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.linear.affine import affine

__all__ = ["admit_to_answer", "affine_scores", "shows_missing", "weight_rows"]

MAX_ENTRIES = 1 << 16  # entries of a table that is not looked at twice


def admit_to_answer(self: Any, X: Any) -> Any:
    """X as it came if its scores show missing values, else the checked block."""
    self._ready()
    return X if shows_missing(self, X) else self._admit(X)


def affine_scores(self: Any, X: Any) -> np.ndarray:
    """(n, rows of coef_) the scores; an entry that is no number is refused by name."""
    return affine(X, self._weight_rows(), self.intercept_, self._admit)


def weight_rows(self: Any) -> Any:
    """(outputs, d) the weights, also of a single output."""
    return self.coef_ if self.coef_.ndim == 2 else self.coef_[None]


def shows_missing(self: Any, X: Any) -> bool:
    """Whether a missing or infinite entry of X would show in the scores."""
    if not (type(X) is np.ndarray and X.ndim == 2 and X.size >= MAX_ENTRIES):
        return False
    if X.dtype not in (np.float64, np.float32) or not isinstance(self.coef_, np.ndarray):
        return False
    W = self._weight_rows()
    return X.shape[1] == W.shape[1] == len(self.schema_) and bool(
        not self.schema_.coded.any() and W.any(axis=0).all()
    )
