"""Temperature scaling: one number that makes a classifier less, or more, sure of itself."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Scalar
from assay.decide._calibrators import Calibrator, check_class_numbers
from assay.errors import DataError
from assay.types import Floats, Target, Weights

__all__ = ["TemperatureCalibrator"]

LOG_BETA_LIMITS = (-10.0, 10.0)  # of the logarithm of the inverse temperature


class TemperatureCalibrator(Calibrator):
    r"""Divide all log scores by one temperature T (Guo and others 2017).

    .. math:: P_T(k|x) = \frac{e^{z_k(x)/T}}{\sum_j e^{z_j(x)/T}},                            \quad (1)

    T by maximum likelihood. The most probable class stays the same, for any number of classes. With
    :math:`\beta = 1/T` the log likelihood is concave and its slope

    .. math:: \sum_i w_i\Big(z_{y_i}(x_i) - \sum_k P_T(k|x_i) z_k(x_i)\Big)                    \quad (2)

    falls as :math:`\beta` grows; its zero is sought for :math:`\log\beta` from -10 to 10 (perfectly separated
    scores end at a limit). Cost: O(n K) a step, some ten steps.

    Attributes
    ----------
    beta_ : inverse temperature; below 1 the classifier was too sure of itself

    Examples
    --------
    Sure to 0.9, but right in 3 of 4 cases:

    >>> from assay.decide import TemperatureCalibrator
    >>> z = np.log([[0.9, 0.1], [0.9, 0.1], [0.1, 0.9], [0.1, 0.9]])
    >>> TemperatureCalibrator().fit(z, [0, 0, 1, 0]).predict(z[:1]).round(6)
    array([[0.75, 0.25]])

    See Also
    --------
    SigmoidCalibrator, IsotonicCalibrator, VennAbersCalibrator

    References
    ----------
    - Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. International
      Conference on Machine Learning, 1321-1330.
    """

    storable = True
    stored = {"beta_": Scalar(low=0)}

    def fit(self, logits: ArrayLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from (n, K) log scores and (n,) class numbers."""
        z = _logits(logits)
        y = check_class_numbers(y, z.shape, "TemperatureCalibrator")
        w = np.ones(len(z)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.beta_ = float(np.exp(_root(z, y, w)))
        return self

    def predict(self, logits: ArrayLike) -> np.ndarray:
        """(n, K) probabilities."""
        from scipy.special import softmax

        probabilities: Floats = softmax(self.beta_ * _logits(logits), axis=1)  # (1)
        return probabilities


def _root(z: np.ndarray, y: np.ndarray, w: np.ndarray) -> float:
    """The logarithm of beta where (2) is 0, by Newton's method, halving its bracket where that leads astray."""
    low, high = LOG_BETA_LIMITS
    z = z - z.max(axis=1, keepdims=True)  # the same posterior, and no exponential overflows
    of_labels = float(w @ z[np.arange(len(z)), y])

    def slope(t: float) -> tuple[float, float]:
        """(2) at beta = exp t, and its derivative in t: minus beta times the summed variances of z."""
        P = np.exp(np.exp(t) * z)
        P /= P.sum(axis=1, keepdims=True)
        mean = np.einsum("ik,ik->i", P, z)
        spread = np.einsum("ik,ik,ik->i", P, z, z) - mean**2
        return of_labels - float(w @ mean), -float(np.exp(t) * (w @ spread))

    if slope(low)[0] <= 0:
        return low
    if slope(high)[0] >= 0:
        return high
    t = 0.0
    for _ in range(200):
        value, falling = slope(t)
        low, high = (t, high) if value > 0 else (low, t)
        new = t - value / falling if falling < 0 else np.inf
        if not low < new < high:
            new = (low + high) / 2
        if abs(new - t) <= 1e-14 * max(1.0, abs(t)) or value == 0:
            break
        t = new
    return t


def _logits(logits: Any) -> np.ndarray:
    z = np.asarray(logits, dtype=np.float64)
    if z.ndim != 2 or z.shape[1] == 0 or not np.isfinite(z).all():
        raise DataError(f"TemperatureCalibrator: expected (n, K) finite log scores, got shape {z.shape}.")
    return z
