"""Platt's sigmoid: a logistic curve from a score to a probability."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core.stored import Scalar
from assay.decide._calibrators import Calibrator, check_calibration
from assay.types import Scores

__all__ = ["SigmoidCalibrator"]


class SigmoidCalibrator(Calibrator):
    r"""Fit a logistic curve to scores (Platt 1999).

    .. math:: P(y=1|s) = \frac1{1+e^{a s+b}}                                                  \quad (1)

    by maximum likelihood, not of the labels 0 and 1 but of the softer targets

    .. math:: t_+ = \frac{n_+ + 1}{n_+ + 2}, \qquad t_- = \frac1{n_- + 2},                    \quad (2)

    which keep the curve finite when the scores separate the classes. The likelihood is concave; Newton's
    method with halved steps finds its top in a handful of passes. Cost: O(n) a pass.

    Attributes
    ----------
    a_, b_ : float, the two numbers of (1); a is negative when larger scores mean class 1

    Examples
    --------
    >>> from assay.decide import SigmoidCalibrator
    >>> curve = SigmoidCalibrator().fit([-1.0, -1.0, 1.0, 1.0], [0, 0, 1, 1])  # the targets are 1/4 and 3/4
    >>> curve.predict([-1.0, 0.0, 1.0]).round(6)
    array([0.25, 0.5 , 0.75])

    See Also
    --------
    IsotonicCalibrator, TemperatureCalibrator, VennAbersCalibrator

    References
    ----------
    - Platt, J. C. (1999). Probabilistic outputs for support vector machines and comparisons to regularized likelihood
      methods. In Advances in Large Margin Classifiers, MIT Press, 61-74.
    """

    storable = True
    stored = {
        "a_": Scalar(),
        "b_": Scalar(),
    }

    def fit(self, scores: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from (n,) scores and (n,) labels 0 or 1."""
        s, y, w = check_calibration(scores, y, sample_weight, "SigmoidCalibrator")
        positive = float(w @ y)
        negative = float(w.sum()) - positive
        t = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (negative + 2))  # (2)
        center, width = float(np.average(s, weights=w)), float(np.sqrt(np.cov(s, aweights=w, ddof=0)))
        if not width > 1e-12 * max(abs(center), np.finfo(float).tiny):  # one score: one probability
            self.a_, self.b_ = 0.0, float(np.log((w @ (1 - t)) / (w @ t)))
            return self
        slope, offset = _newton((s - center) / width, t, w)
        self.a_ = -slope / width
        self.b_ = slope * center / width - offset
        return self

    def predict(self, scores: Scores) -> np.ndarray:
        """(n,) probability of class 1."""
        from scipy.special import expit

        return expit(-(self.a_ * np.asarray(scores, dtype=np.float64) + self.b_))  # (1)


def _newton(z: np.ndarray, t: np.ndarray, w: np.ndarray, max_iter: int = 100) -> tuple[float, float]:
    """Slope and offset that maximise sum w [t g - log(1 + e^g)], g = slope z + offset."""
    from scipy.special import expit

    Z = np.column_stack([z, np.ones_like(z)])
    at = np.array([0.0, np.log((w @ t) / (w @ (1 - t)))])
    total = w.sum()

    def loss(v: np.ndarray) -> float:
        g = Z @ v
        return float(w @ (np.logaddexp(0, g) - t * g))

    value = loss(at)
    for _ in range(max_iter):
        p = expit(Z @ at)
        gradient = Z.T @ (w * (p - t))
        if np.abs(gradient).max() <= 1e-12 * total:
            break
        curvature = (Z.T * (w * p * (1 - p))) @ Z
        curvature.flat[::3] += 1e-14 * total  # a flat stretch has no curvature of its own
        step = np.linalg.solve(curvature, gradient)
        size = 1.0
        while (new := loss(at - size * step)) > value and size > 1e-10:
            size /= 2
        if new >= value:  # rounding is all that is left
            break
        at, value = at - size * step, new
    return float(at[0]), float(at[1])
