"""Rows of two classes for the perceptron: mistakes and their corrections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.linear.discriminants._perceptron as _perceptron
from assay.core.csr import csr_arrays
from assay.errors import DataError, DegenerateError
from assay.types import TableLike

__all__ = ["SignedRows", "Walk", "refuse_huge", "row_parts"]


HUGE = 1e150  # squares of such numbers, times a million rows, are still below the largest float


class SignedRows:
    r"""Rows with labels y of -1 and +1; a row is a mistake of the weights (w_0, w) if

    .. math:: y_i(w_0 + w^Tx_i) - \rho < 0, \quad\text{or} = 0 \text{ and } (\text{ties are mistakes or } y_i = -1)

    with a margin :math:`\rho \ge 0`. The second case is sign(0) = +1.

    Parameters
    ----------
    X : (n, d) array or CSR matrix      y : (n,) of 0 and 1      w : None or (n,) weights
    who : the learner's name, for messages
    margin : rho      tie_is_mistake : bool      bias : bool, whether w_0 is learned
    """

    def __init__(
        self,
        X: TableLike,
        y: np.ndarray,
        w: np.ndarray | None,
        *,
        who: str = "SignedRows",
        margin: float = 0.0,
        tie_is_mistake: bool = False,
        bias: bool = True,
    ):
        self.who = who
        self.margin, self.tie_is_mistake, self.bias = float(margin), bool(tie_is_mistake), bool(bias)
        self.y = 2.0 * y - 1
        self.X, self._parts = row_parts(X, who)
        self._epoch: Any = _perceptron.dense if "X" in self._parts else _perceptron.sparse
        refuse_huge(self.X, who)
        self.weight = np.empty(0) if w is None else w
        self.rows = np.arange(len(y)) if w is None else np.flatnonzero(w)

    def zero(self) -> np.ndarray:
        """(d + 1,) weights of nothing."""
        return np.zeros(self.X.shape[1] + 1)

    def scores(self, w: np.ndarray) -> np.ndarray:
        """(n,)"""
        return np.asarray(self.X @ w[1:]) + w[0]

    def wrong(self, w: np.ndarray) -> float:
        """How many rows are on the wrong side, or what they weigh together; ties by the rule above."""
        wrong = self._mistaken(self.y * self.scores(w))
        return float(self.weight[wrong].sum()) if len(self.weight) else int(wrong.sum())

    def _mistaken(self, m: np.ndarray) -> np.ndarray:
        return (m < 0) | ((m == 0) & (self.tie_is_mistake | (self.y < 0)))

    def correct_all(self, w: np.ndarray, rate: float) -> int:
        """Batch: add rate y_i (1, x_i) of all mistakes at once; returns how many there were."""
        mistake = self._mistaken(self.y * self.scores(w) - self.margin)
        if len(self.weight):
            mistake &= self.weight > 0
        step = np.where(mistake, rate * self.y * (self.weight if len(self.weight) else 1.0), 0.0)
        w[1:] += self.X.T @ step
        if self.bias:
            w[0] += step.sum()
        self._refuse_overflow(w)
        return int(mistake.sum())

    def correct(
        self,
        w: np.ndarray,
        order: np.ndarray,
        rate: float,
        walk: Walk,
        begin: int = 0,
        limit: int | None = None,
    ) -> tuple[int, np.ndarray]:
        """Visit rows and correct each mistake in place; returns where it stopped, and the rows corrected."""
        corrected = np.empty(len(order), dtype=np.int64)
        most = len(order) if limit is None else limit
        rule = _perceptron.Rule(
            rate=float(rate),
            margin=self.margin,
            tie_is_mistake=self.tie_is_mistake,
            bias=self.bias,
            limit=most,
        )
        end, k = self._epoch(
            **self._parts,
            y=self.y,
            weight=self.weight,
            order=order,
            begin=begin,
            rule=rule,
            w=w,
            drift=walk.drift,
            visits=walk.visits,
            corrected=corrected,
        )
        self._refuse_overflow(w)
        return end, corrected[:k]

    def _refuse_overflow(self, w: np.ndarray) -> None:
        if not np.isfinite(w).all():
            raise DegenerateError(
                f"{self.who}: the weights overflowed, the numbers are too large. Scale the columns first."
            )


def row_parts(X: Any, who: str) -> tuple[Any, dict[str, np.ndarray]]:
    """X in rows of float64, and the arrays that native code takes: X, or those of CSR, once they are checked."""
    if isinstance(X, np.ndarray):
        X = np.ascontiguousarray(X, dtype=np.float64)
        return X, {"X": X}
    X = X.tocsr()
    try:
        start, column, value = csr_arrays(X, np.float64)
    except DataError as error:
        raise DataError(f"{who}: {error}") from None
    if start[-1] > np.iinfo(column.dtype).max:  # both of one kind, as native code wants them
        column = column.astype(np.int64)
    return X, {"data": value, "indices": column, "indptr": start.astype(column.dtype, copy=False)}


@dataclass
class Walk:
    """For the mean of the weights over all visits: the corrections, each times the visits before it."""

    drift: np.ndarray
    visits: int = 0

    def mean(self, w: np.ndarray) -> np.ndarray:
        """(d + 1,) the mean of the weights after each visit so far."""
        return w - self.drift / max(self.visits, 1)


def refuse_huge(X: Any, who: str, weight: float = 1.0) -> None:
    """Refuse numbers whose products overflow once they are added up; ``weight`` is what all rows weigh together."""
    values = X if isinstance(X, np.ndarray) else X.data
    most = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if max(most, 1.0) * max(weight, 1.0) <= HUGE:
        return
    if weight > most:
        raise DegenerateError(
            f"{who}: the rows weigh {weight:.3g} together, too much to be squared. Divide weights by a power of ten."
        )
    raise DegenerateError(
        f"{who}: X holds {most:.3g}, too large to be squared and added up. Scale the columns first."
    )
