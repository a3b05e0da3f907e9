"""Logistic conditional: a yes-or-no node by a linear score of its parents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError
from assay.graphs.conditionals.conditional import (
    Conditional,
    design_columns,
    number_given,
    numbers_given,
    present_state,
)
from assay.graphs.conditionals.softmax import fit_softmax
from assay.tables import Column

__all__ = ["LogisticConditional"]


@dataclass(frozen=True, eq=False)
class LogisticConditional(Conditional):
    r"""A yes-or-no node whose log odds are linear in its parents.

    .. math:: P(x \mid u) = \frac{1}{1 + \exp(-w_0 - \sum_i w_i u_i)}                              \quad (1)

    Parents enter as in :class:`SoftmaxConditional`.

    Parameters
    ----------
    weights : (p,)      intercept : float

    Examples
    --------
    >>> from assay.graphs import LogisticConditional
    >>> from assay.tables import Column
    >>> wet, rain = Column("wet", "nominal", ("no", "yes")), Column("rain", "nominal", ("no", "yes"))
    >>> LogisticConditional([2.0], -1.0).table(wet, [rain]).round(3)
    array([[0.731, 0.269],
           [0.269, 0.731]])

    See Also
    --------
    SoftmaxConditional, NoisyOrConditional
    """

    weights: Any
    intercept: float = 0.0
    stored = {"weights": FloatArray("*", finite=True), "intercept": Scalar(finite=True)}

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "weights", numbers_given(self.weights, "LogisticConditional", "weights").ravel()
        )
        object.__setattr__(
            self, "intercept", number_given(self.intercept, "LogisticConditional", "intercept")
        )

    def table(self, column: Column, parents: Sequence[Column]) -> np.ndarray:
        from scipy.special import expit

        score = design_columns(parents)[0] @ self.weights + self.intercept
        yes = present_state(column)
        table = np.empty((len(score), 2))
        table[:, yes], table[:, 1 - yes] = expit(score), expit(-score)  # (1)
        return table

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        return len(self.weights) + 1

    def fitted(
        self, counts: np.ndarray, column: Column, parents: Sequence[Column], alpha: float = 0.0
    ) -> LogisticConditional:
        """Maximum likelihood by Newton's method."""
        yes = present_state(column)
        ordered = np.asarray(counts, np.float64)[:, [1 - yes, yes]] + alpha
        w = fit_softmax(design_columns(parents)[0], ordered)[1]
        return LogisticConditional(w[1:], w[0])

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        super().check(column, parents, who)
        p = design_columns(parents)[0].shape[1]
        if len(column.categories) != 2:
            raise DataError(
                f"{who}: node {column.name!r} has {len(column.categories)} states; a LogisticConditional is for two. "
                "For more: SoftmaxConditional."
            )
        if len(self.weights) != p:
            raise DataError(
                f"{who}: the logistic conditional of node {column.name!r} has {len(self.weights)} weights, expected "
                f"{p}: one for each parent (indicators counted)."
            )
        if not np.isfinite(self.weights).all() or not np.isfinite(self.intercept):
            raise DataError(
                f"{who}: the logistic conditional of {column.name!r} has a weight that is not finite."
            )
