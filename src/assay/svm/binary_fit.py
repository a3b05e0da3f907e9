"""One machine of two sides: what the solver found, and what follows from it for each of its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.kernels import GramRows, MatrixRows
from assay.svm.engine import Solution
from assay.svm.span import JITTER, span_values, spans_by_columns

__all__ = ["BinaryFit", "one_sided"]

MOST_FREE = 4000  # vectors whose matrix is inverted
LEAST_SEEN = 1e-5  # of a score, where the margin is 1, that is an error worth more work


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
    spans : (n,) squared spans of the support vectors, or None where they are yet to be computed
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
    spans: np.ndarray | None = None

    @property
    def support(self) -> np.ndarray:
        """Places of the support vectors."""
        return np.flatnonzero(self.alpha > 0)

    def left_out_scores(self, gram: GramRows, most: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(n,) the score of each row by the other rows, by the span rule, and (n,) what the row counts.

        Beyond 4000 free vectors, spans are those to 4000 of them, which are no smaller. With ``most``, spans of so many
        of the free and of so many of the other support vectors are computed; they count for the others, which count 0.
        """
        signed = self.sign * self.alpha
        if self._loses_spans(gram):
            below = self.alpha < self.upper
            free, others = np.flatnonzero((self.alpha > 0) & below), np.flatnonzero((self.alpha > 0) & ~below)
            spans = spans_by_columns(gram.factor(), free, others, self.bias)
            return self.scores - signed * spans, np.ones(len(self.sign))
        if self.spans is not None and (most is None or len(self.sign) <= most):
            slack = 0.0 if self.ridge is None else self.ridge
            return self.scores + signed * (slack - self.spans), np.ones(len(self.sign))
        support = self.support
        below = self.alpha[support] < self.upper[support]
        free, others = support[below], support[~below]
        if len(free) > MOST_FREE:
            kept = np.arange(len(free)) * MOST_FREE // len(free)  # in equal steps
            kept = np.append(True, np.diff(kept) > 0)
            free, others = free[kept], np.sort(np.concatenate([free[~kept], others]))
        share = np.ones(len(self.sign))
        if most is not None and len(others) > most:
            share[others] = 0.0
            others = others[np.arange(most) * len(others) // most]
            share[others] = (len(support) - len(free)) / most
        if most is not None and len(free) > most:
            judged = np.zeros(len(free), dtype=bool)
            judged[np.arange(most) * len(free) // most] = True
            share[free] = np.where(judged, len(free) / most, 0.0)
            free = np.concatenate([free[~judged], free[judged]])
        both = np.concatenate([free, others])

        def values(dtype: Any) -> np.ndarray:
            held = gram.K.dtype if isinstance(gram, MatrixRows) else dtype
            K = np.empty((len(free), len(both)), held)
            gram.fill(free, both, K)
            return K

        left_out = span_values(
            self.scores, signed, free, others, values, gram.diagonal, self.ridge, self.bias, most
        )
        return left_out, share

    def _loses_spans(self, gram: GramRows) -> bool:
        """Whether rounding of the kernel matrix would show in the scores, where there are columns to turn to."""
        if gram.rank is None or self.ridge is not None:
            return False
        return JITTER * float(gram.diagonal.mean() * self.alpha.max(initial=0.0)) > LEAST_SEEN


def one_sided(sign: np.ndarray, upper: np.ndarray) -> BinaryFit:
    """The machine of rows that are all on one side: a score of their sign, without support vectors."""
    side = float(sign[0]) if len(sign) else 0.0
    return BinaryFit(sign, np.zeros(len(sign)), upper, np.full(len(sign), side), side, (side, side))
