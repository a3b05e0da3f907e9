"""Platt's sigmoid: a logistic curve from a score to a probability."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Scalar
from assay.decide._calibrators import Calibrator, check_calibration
from assay.optimize.sigmoid import fit_sigmoid
from assay.types import Floats, Scores

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

    def fit(self, scores: ArrayLike, y: Any, sample_weight: Any = None) -> Self:
        """Learn from (n,) scores and (n,) labels 0 or 1."""
        s, y, w = check_calibration(scores, y, sample_weight, "SigmoidCalibrator")
        self.a_, self.b_ = fit_sigmoid(s, y, w)
        return self

    def predict(self, scores: Scores) -> np.ndarray:
        """(n,) probability of class 1."""
        from scipy.special import expit

        probability: Floats = expit(-(self.a_ * np.asarray(scores, dtype=np.float64) + self.b_))  # (1)
        return probability
