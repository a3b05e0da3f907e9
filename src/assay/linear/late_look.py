"""Detection of missing values in large tables by their scores, without a separate scan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.linear.affine import affine

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["LateLook"]

MAX_ENTRIES = 1 << 16  # entries of a table that is not looked at twice


class LateLook(_Learner):
    """Mixin of learners that answer by X Wᵀ + b: a missing or infinite entry is found in the scores.

    If every column has a weight other than 0, such an entry makes a score NaN or infinite, so a large plain table needs
    no scan before.
    """

    coef_: np.ndarray
    intercept_: Any

    def _admit_to_answer(self, X: Any) -> Any:
        self._ready()
        return X if self._shows_missing(X) else self._admit(X)

    def _shows_missing(self, X: Any) -> bool:
        if not (type(X) is np.ndarray and X.ndim == 2 and X.size >= MAX_ENTRIES):
            return False
        if X.dtype not in (np.float64, np.float32) or not isinstance(self.coef_, np.ndarray):
            return False
        W = self._weight_rows()
        return X.shape[1] == W.shape[1] == len(self.schema_) and bool(
            not self.schema_.coded.any() and W.any(axis=0).all()
        )

    def _affine(self, X: Any) -> np.ndarray:
        """(n, rows of coef_) the scores; an entry that is no number is refused by name."""
        return affine(X, self._weight_rows(), self.intercept_, self._admit)

    def _weight_rows(self) -> Any:
        return self.coef_ if self.coef_.ndim == 2 else self.coef_[None]
