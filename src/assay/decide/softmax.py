"""Calibration by a softmax layer: probabilities of all classes from the scores of all classes."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import CodeArray, FloatArray
from assay.decide._calibrators import Calibrator, check_class_numbers
from assay.errors import DataError
from assay.linear import LogisticRegression
from assay.types import Target, Weights

__all__ = ["SoftmaxCalibrator"]

WEAK_PENALTY = 1e3  # C of the layer: its weights stay finite where the scores separate the classes


class SoftmaxCalibrator(Calibrator):
    r"""A layer of weights over the scores of all classes, and the softmax of its activations.

    .. math:: P(k \mid x) = \operatorname{softmax}_k\Big(\sum_j v_{kj} f_j(x) + v_{k0}\Big) \quad (1)

    The weights minimise the cross-entropy (with a very small penalty, so that they stay finite). Unlike a curve for
    each class it sees all scores at once, so a high score of one class may speak against another. The scores must be
    those of rows that the classifier did not learn from, as in :class:`CalibratedClassifierCV`. Cost: a logistic
    regression on K columns.

    Attributes
    ----------
    coef_ : (K, m) v      intercept_ : (K,)      seen_ : the classes that had rows; others get the probability 0

    Examples
    --------
    >>> import numpy as np
    >>> from assay.decide import SoftmaxCalibrator
    >>> scores = np.array([[1.0, -1.0], [1.0, -1.0], [1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, 1.0]])
    >>> SoftmaxCalibrator().fit(scores, [0, 0, 0, 1, 1, 1]).predict(scores[:1]).round(2)  # 3 of 4
    array([[0.75, 0.25]])

    See Also
    --------
    TemperatureCalibrator, SigmoidCalibrator, CalibratedClassifierCV

    References
    ----------
    - Guo, C., Pleiss, G., Sun, Y. and Weinberger, K. Q. (2017). On calibration of modern neural networks. International
      Conference on Machine Learning, 1321-1330.
    """

    storable = True
    stored = {
        "coef_": FloatArray("K", "m", finite=True),
        "intercept_": FloatArray("K", finite=True),
        "seen_": CodeArray("*", below="K"),
    }

    def fit(self, scores: ArrayLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from (n, K) scores and (n,) class numbers."""
        f = _scores(scores)
        y, K = check_class_numbers(y, f.shape, "SoftmaxCalibrator"), f.shape[1]
        self.coef_, self.intercept_ = np.zeros((K, K)), np.zeros(K)
        self.seen_ = np.unique(y)
        if len(self.seen_) < 2:
            return self
        middle, scale = f.mean(axis=0), np.where(np.ptp(f, axis=0) > 0, f.std(axis=0), 1.0)
        layer = LogisticRegression(C=WEAK_PENALTY, tol=1e-8, max_iter=1000)
        layer.fit((f - middle) / scale, y, sample_weight)
        coef, intercept = layer.coef_, layer.intercept_
        if len(coef) == 1:  # the log odds of two classes, half for each
            coef, intercept = np.vstack([-coef, coef]) / 2, np.concatenate([-intercept, intercept]) / 2
        self.coef_[self.seen_] = coef / scale
        self.intercept_[self.seen_] = intercept - (coef / scale) @ middle
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """(n, K) probabilities."""
        from scipy.special import softmax

        activation = _scores(scores) @ self.coef_.T + self.intercept_
        P = np.zeros_like(activation)
        P[:, self.seen_] = softmax(activation[:, self.seen_], axis=1)  # (1)
        return P


def _scores(scores: ArrayLike) -> np.ndarray:
    f = np.asarray(scores, dtype=np.float64)
    if f.ndim != 2 or f.shape[1] == 0 or not np.isfinite(f).all():
        raise DataError(f"SoftmaxCalibrator: expected (n, K) finite scores, got shape {f.shape}.")
    return f
