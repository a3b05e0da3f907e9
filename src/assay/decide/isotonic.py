"""Isotonic calibration: the best staircase that never falls."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import FloatArray
from assay.decide._calibrators import Calibrator, check_calibration, pooled_scores
from assay.errors import DataError
from assay.types import Floats, Scores, Target

__all__ = ["IsotonicCalibrator", "pool_adjacent_violators"]


def pool_adjacent_violators(y: Target, weights: ArrayLike | None = None) -> np.ndarray:
    r"""The non-decreasing sequence closest to y in weighted least squares.

    .. math:: \min_{g_1\le\dots\le g_n} \sum_i w_i (y_i-g_i)^2

    Neighbours in the wrong order are pooled into their mean until none is left. Cost: O(n).

    Examples
    --------
    >>> from assay.decide import pool_adjacent_violators
    >>> pool_adjacent_violators([1, 3, 2, 4])
    array([1. , 2.5, 2.5, 4. ])

    See Also
    --------
    IsotonicCalibrator

    References
    ----------
    - Ayer, M., Brunk, H. D., Ewing, G. M., Reid, W. T. and Silverman, E. (1955). An empirical distribution function for
      sampling with incomplete information. Annals of Mathematical Statistics 26(4), 641-647.
      doi:10.1214/aoms/1177728423
    """
    y = np.asarray(y, dtype=np.float64)
    w = np.ones_like(y) if weights is None else np.asarray(weights, dtype=np.float64)
    if y.ndim != 1 or not len(y) or y.shape != w.shape or not np.isfinite(y).all() or not (w > 0).all():
        raise DataError(
            "pool_adjacent_violators: expected (n,) finite numbers and as many weights above 0, "
            f"got shapes {y.shape} and {w.shape}."
        )
    starts = np.flatnonzero(np.diff(y, prepend=-np.inf) > 0)  # all of a run that never rises is one block
    run_mass = np.add.reduceat(w, starts)
    run_mean = np.add.reduceat(w * y, starts) / run_mass
    means: list[float] = []
    masses: list[float] = []
    sizes: list[int] = []
    for value, mass, size in zip(
        run_mean.tolist(), run_mass.tolist(), np.diff(starts, append=len(y)).tolist()
    ):
        while means and means[-1] >= value:  # pool with the block before
            before = masses.pop()
            value = (means.pop() * before + value * mass) / (before + mass)
            mass += before
            size += sizes.pop()
        means.append(value)
        masses.append(mass)
        sizes.append(size)
    return np.repeat(np.array(means, dtype=np.float64), sizes)


class IsotonicCalibrator(Calibrator):
    """Fit a probability that never falls as the score rises (Zadrozny and Elkan 2002).

    Least squares under monotonicity, by pooling adjacent violators. Between training scores the probability
    is interpolated, outside it is that of the nearest. Needs a thousand rows or so; with few, prefer the
    sigmoid. Cost: O(n log n).

    Attributes
    ----------
    scores_, probabilities_ : (m,) the corners of the curve

    Examples
    --------
    >>> from assay.decide import IsotonicCalibrator
    >>> curve = IsotonicCalibrator().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> curve.predict([0.0, 0.15, 0.25, 0.9])
    array([0.  , 0.25, 0.5 , 1.  ])

    See Also
    --------
    pool_adjacent_violators, VennAbersCalibrator

    References
    ----------
    - Zadrozny, B. and Elkan, C. (2002). Transforming classifier scores into accurate multiclass probability estimates.
      ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 694-699. doi:10.1145/775047.775151
    """

    storable = True
    stored = {
        "scores_": FloatArray("m", ascending=True),
        "probabilities_": FloatArray("m", low=0, high=1),
    }

    def fit(self, scores: ArrayLike, y: Any, sample_weight: Any = None) -> Self:
        """Learn from (n,) scores and (n,) labels 0 or 1."""
        s, y, w = check_calibration(scores, y, sample_weight, "IsotonicCalibrator")
        levels, ones, mass = pooled_scores(s, y, w)
        g = pool_adjacent_violators(ones / mass, mass)
        corner = np.ones(len(g), dtype=bool)
        corner[1:-1] = (g[1:-1] != g[:-2]) | (g[1:-1] != g[2:])
        self.scores_, self.probabilities_ = levels[corner], g[corner]
        return self

    def predict(self, scores: Scores) -> Floats:
        """(n,) probability of class 1."""
        probability: Floats = np.interp(
            np.asarray(scores, dtype=np.float64), self.scores_, self.probabilities_
        )
        return probability
