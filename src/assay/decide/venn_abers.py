"""Venn-Abers: two isotonic fits bracket the probability."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import FloatArray
from assay.decide._calibrators import Calibrator, check_calibration, pooled_scores
from assay.types import Floats, Scores

__all__ = ["VennAbersCalibrator"]

Block = tuple[float, float, Any]  # weight of label 1, weight of all, the blocks beyond


class VennAbersCalibrator(Calibrator):
    r"""Probabilities with a guarantee, whatever the scores (Vovk, Petej and Fedorova 2015).

    The new row joins the calibration rows once with label 0, once with label 1, and isotonic regression is
    fitted to both; its own fitted values are :math:`p_0 \le p_1`. One of the two is perfectly calibrated, and
    their distance says how much the calibration rows leave open. As one number, the minimax choice under log
    loss:

    .. math:: p = \frac{p_1}{1 - p_0 + p_1}                                                   \quad (1)

    No isotonic fit is run anew: pooling is the same in any order, so the blocks of all rows below and of all
    rows above each place are kept, and the new row is pooled between them. Cost: O(n log n) to fit,
    O(n) a call, O(log n) a row whose place was met before in it.

    Examples
    --------
    >>> from assay.decide import VennAbersCalibrator
    >>> curve = VennAbersCalibrator().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> low, high = curve.interval([0.25])
    >>> low.round(4), high.round(4)
    (array([0.3333]), array([0.6667]))
    >>> curve.predict([0.25])
    array([0.5])

    See Also
    --------
    IsotonicCalibrator

    References
    ----------
    - Vovk, V., Petej, I. and Fedorova, V. (2015). Large-scale probabilistic predictors with and without guarantees of
      validity. Advances in Neural Information Processing Systems 28, 892-900.
    """

    storable = True
    stored = {
        "scores_": FloatArray("m", ascending=True),
        "ones_": FloatArray("m"),
        "mass_": FloatArray("m"),
    }

    def fit(self, scores: ArrayLike, y: Any, sample_weight: Any = None) -> Self:
        """Learn from (n,) scores and (n,) labels 0 or 1."""
        s, y, w = check_calibration(scores, y, sample_weight, "VennAbersCalibrator")
        self.scores_, self.ones_, self.mass_ = pooled_scores(s, y, w)
        return self

    def interval(self, scores: Scores) -> tuple[np.ndarray, np.ndarray]:
        """(n,) lower and (n,) upper probability of class 1."""
        s = np.asarray(scores, dtype=np.float64)
        below = np.searchsorted(self.scores_, s, side="left")
        above = np.searchsorted(self.scores_, s, side="right")
        m = len(self.scores_)
        place, back = np.unique(below * (m + 2) + above, return_inverse=True)  # equal places, equal answers
        cells = list(zip(self.ones_.tolist(), self.mass_.tolist()))
        prefix = _blocks(cells, rising=True)
        suffix = _blocks(cells[::-1], rising=False)
        ends = np.empty((len(place), 2))
        for i, code in enumerate(place.tolist()):
            a, b = divmod(code, m + 2)
            here = cells[a] if a < b else (0.0, 0.0)  # rows with this very score
            for label in (0, 1):
                ends[i, label] = _pool(here[0] + label, here[1] + 1, prefix[a], suffix[m - b])
        return ends[back, 0], ends[back, 1]

    def predict(self, scores: Scores) -> np.ndarray:
        """(n,) probability of class 1."""
        p0, p1 = self.interval(scores)
        probability: Floats = p1 / (1 - p0 + p1)  # (1)
        return probability


def _blocks(cells: list[tuple[float, float]], rising: bool) -> list[Block | None]:
    """After each number of cells, the top of the stack of isotonic blocks; the stacks share their tails."""
    top: Block | None = None
    tops = [top]
    for ones, mass in cells:
        # cross-multiplied means: block before >= this one (rising), or <= (falling)
        while top is not None and (
            top[0] * mass >= ones * top[1] if rising else top[0] * mass <= ones * top[1]
        ):
            ones, mass, top = ones + top[0], mass + top[1], top[2]
        top = (ones, mass, top)
        tops.append(top)
    return tops


def _pool(ones: float, mass: float, left: Block | None, right: Block | None) -> float:
    """Mean of the block that a new cell ends in, between the blocks below and above it."""
    while True:
        if left is not None and left[0] * mass >= ones * left[1]:
            ones, mass, left = ones + left[0], mass + left[1], left[2]
        elif right is not None and right[0] * mass <= ones * right[1]:
            ones, mass, right = ones + right[0], mass + right[1], right[2]
        else:
            return ones / mass
