"""Softmax conditional: a linear score for each state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.scores import log_softmax, softmax
from assay.core.stored import FloatArray
from assay.errors import DataError
from assay.graphs.conditionals.conditional import Conditional, design_columns, numbers_given
from assay.tables import Column

__all__ = ["SoftmaxConditional", "fit_softmax"]

NEWTON_STEPS = 200
TOLERANCE = 1e-10  # of the gradient, in parts of the counts
HALVINGS = 40


@dataclass(frozen=True, eq=False)
class SoftmaxConditional(Conditional):
    r"""The probabilities of a node's states by a linear score of the parents for each state.

    .. math:: P(x = k \mid u) = \frac{\exp(w_{k0} + \sum_i w_{ki} u_i)}{\sum_l \exp(w_{l0} + \sum_i w_{li} u_i)}

    A parent of two states is 1 where it says yes (yes, true, 1, ...; else its second state), one of m states has an
    indicator for each but the first. Its numbers grow with the parents' states, not with their configurations.

    Parameters
    ----------
    weights : (r, p)      intercepts : (r,)

    Examples
    --------
    >>> from assay.graphs import SoftmaxConditional
    >>> from assay.tables import Column
    >>> grass, rain = Column("grass", "nominal", ("dry", "damp", "wet")), Column("rain", "nominal", ("no", "yes"))
    >>> SoftmaxConditional([[0], [1], [2]], [2, 1, 0]).table(grass, [rain]).round(3)
    array([[0.665, 0.245, 0.09 ],
           [0.333, 0.333, 0.333]])

    See Also
    --------
    LogisticConditional, NoisyOrConditional, TableConditional
    """

    weights: Any
    intercepts: Any
    stored = {"weights": FloatArray("r", "*", finite=True), "intercepts": FloatArray("r", finite=True)}

    def __post_init__(self) -> None:
        intercepts = numbers_given(self.intercepts, "SoftmaxConditional", "intercepts").ravel()
        object.__setattr__(self, "intercepts", intercepts)
        object.__setattr__(
            self,
            "weights",
            numbers_given(self.weights, "SoftmaxConditional", "weights").reshape(len(intercepts), -1),
        )

    def table(self, column: Column, parents: Sequence[Column]) -> np.ndarray:
        design, _ = design_columns(parents)
        return softmax(design @ self.weights.T + self.intercepts)  # (1)

    def n_parameters(self, column: Column, parents: Sequence[Column]) -> int:
        return (len(self.intercepts) - 1) * (self.weights.shape[1] + 1)

    def fitted(
        self, counts: np.ndarray, column: Column, parents: Sequence[Column], alpha: float = 0.0
    ) -> SoftmaxConditional:
        """Maximum likelihood by Newton's method; the first state's weights are 0."""
        W = fit_softmax(design_columns(parents)[0], np.asarray(counts, np.float64) + alpha)
        return SoftmaxConditional(W[:, 1:], W[:, 0])

    def check(self, column: Column, parents: Sequence[Column], who: str) -> None:
        super().check(column, parents, who)
        r, p = len(column.categories), design_columns(parents)[0].shape[1]
        if self.weights.shape != (r, p):
            raise DataError(
                f"{who}: the softmax of node {column.name!r} has {self.weights.shape[0]} x {self.weights.shape[1]} "
                f"weights, expected {r} x {p}: one for each state and indicator."
            )
        if not (np.isfinite(self.weights).all() and np.isfinite(self.intercepts).all()):
            raise DataError(f"{who}: the softmax of node {column.name!r} has a weight that is not finite.")


def fit_softmax(design: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """(r, 1 + p) the weights, intercept first, that maximise the likelihood of (q, r) counts; the first row is 0."""
    Z = np.column_stack([np.ones(len(design)), design])
    r, p, total = counts.shape[1], Z.shape[1], counts.sum(axis=1)
    W = np.zeros((r, p))
    value = _value(W, Z, counts)
    for _ in range(NEWTON_STEPS):
        P = softmax(Z @ W.T)
        gradient = ((counts - total[:, None] * P).T @ Z)[1:].ravel()
        if np.abs(gradient).max(initial=0.0) <= TOLERANCE * max(1.0, float(total.sum())):
            break
        H = np.zeros((r - 1, p, r - 1, p))
        for k in range(1, r):
            for j in range(1, r):
                H[k - 1, :, j - 1, :] = (Z.T * (total * P[:, k] * ((k == j) - P[:, j]))) @ Z
        H = H.reshape((r - 1) * p, -1)
        step = np.zeros_like(W)
        ridge = 1e-12 * max(1.0, float(np.trace(H)))
        step[1:] = np.linalg.solve(H + ridge * np.eye(len(H)), gradient).reshape(r - 1, p)
        rate = 1.0
        for _ in range(HALVINGS):
            new = _value(W + rate * step, Z, counts)
            if new >= value:
                break
            rate /= 2
        W = W + rate * step
        gain, value = new - value, new
        if (
            gain <= 0
        ):  # rounding; separable counts have no finite maximum, and end where nothing changes any more
            break
    return W


def _value(W: np.ndarray, Z: np.ndarray, counts: np.ndarray) -> float:
    return float((counts * log_softmax(Z @ W.T)).sum())
