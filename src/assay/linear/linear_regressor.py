"""Mixin of linear regressors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.core.explanations import Reasons, RowValues
from assay.core.stored import Each, FloatArray, Object, Plain, Scalar, TableRows
from assay.linear.late_look import admit_to_answer, affine_scores, weight_rows
from assay.linear.terms import sum_of_terms
from assay.optimize.objective import Record

if TYPE_CHECKING:
    from assay.core.learner import Regressor as _Regressor
else:
    _Regressor = object  # a mixin: it stands before a regressor's base

__all__ = ["LinearRegressor"]


class LinearRegressor(_Regressor):
    r"""Mixin of regressors with :math:`\hat y = w^Tx + w_0`; stands before ``Regressor``.

    The learner sets ``coef_``, (d,) or (outputs, d), and ``intercept_``, a number or (outputs,).
    """

    stored = {
        "coef_": FloatArray("p") | FloatArray("o", "p") | TableRows("o", "p"),
        "intercept_": Scalar() | FloatArray("o"),
        "history_": Each(Object(Record) | Plain()),
    }

    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})

    coef_: np.ndarray
    intercept_: Any

    _admit_to_answer = admit_to_answer
    _affine = affine_scores
    _weight_rows = weight_rows

    def _predict(self, X: Any) -> np.ndarray:
        answers = self._affine(X)
        return answers[:, 0] if self.coef_.ndim == 1 else answers

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        W = np.atleast_2d(self.coef_)
        b = np.broadcast_to(np.asarray(self.intercept_, dtype=np.float64), len(W))
        heads = ["product"] if len(W) == 1 else [f"output {k}" for k in range(len(W))]
        outputs = ["the answer"] if len(W) == 1 else [f"output {k}" for k in range(len(W))]
        return sum_of_terms(self, "Terms of the prediction", X, rows, W.T, b, heads, outputs)
