"""One machine of two sides: what the solver found, and what follows from it for each of its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.kernels import GramRows
from assay.svm.engine import Solution
from assay.svm.span import span_values

__all__ = ["BinaryFit", "one_sided"]


@dataclass(frozen=True, eq=False)
class BinaryFit:
    """A machine that tells the rows of sign 1 from those of sign -1.

    Attributes
    ----------
    sign, alpha, upper : (n,) sides, multipliers, and their bounds, in units in which the margin is 1
    scores : (n,) the decision values of the training rows
    offset : float, the bias      offset_range : (low, high) where it may lie
    margin : float, rho of nu machines, else 1
    ridge : (n,) what squared slacks add to the diagonal, or None
    bias : bool, whether the machine has one
    solution : Solution, or None where there was nothing to solve
    """

    sign: np.ndarray
    alpha: np.ndarray
    upper: np.ndarray
    scores: np.ndarray
    offset: float
    offset_range: tuple[float, float]
    margin: float = 1.0
    ridge: np.ndarray | None = None
    bias: bool = True
    solution: Solution | None = None

    @property
    def support(self) -> np.ndarray:
        """Places of the support vectors."""
        return np.flatnonzero(self.alpha > 0)

    def left_out_scores(self, gram: GramRows) -> np.ndarray:
        """(n,) the score of each row by the other rows, by the span rule."""
        free = np.flatnonzero((self.alpha > 0) & (self.alpha < self.upper))
        bounded = np.flatnonzero((self.alpha > 0) & (self.alpha >= self.upper))
        K = np.empty((len(free), len(free) + len(bounded)))
        gram.fill(free, np.concatenate([free, bounded]), K)
        return span_values(
            self.scores, self.sign * self.alpha, free, bounded, K, gram.diagonal, self.ridge, self.bias
        )


def one_sided(sign: np.ndarray, upper: np.ndarray) -> BinaryFit:
    """The machine of rows that are all on one side: a score of their sign, without support vectors."""
    side = float(sign[0]) if len(sign) else 0.0
    return BinaryFit(sign, np.zeros(len(sign)), upper, np.full(len(sign), side), side, (side, side))
