"""Outlier detection by a density estimate: rows of low density are outliers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from assay.core import Card
from assay.core.parameters import Any_
from assay.core.stored import FloatArray, Object
from assay.outliers.detector import CONTAMINATION, Detector
from assay.types import Estimator

__all__ = ["DensityOutliers"]


class DensityOutliers(Detector):
    r"""Score a row by the logarithm of a density that was estimated from the training rows.

    .. math:: s(x) = \ln \hat p(x) \quad (1)

    The density is any estimator with ``fit(X)`` and ``score_samples(X)``: a kernel density, a nearest-neighbour
    density, a mixture of Gaussians. A mixture forgives several groups, a kernel density any shape; both find rows that
    are rare, wherever they lie. Never the posterior of a class: far away from all data it is near 0 or 1. Training
    rows that take part in their own density look a little less rare than they are.

    Cost: fit that of the density, and its score of the n training rows; predict O(1) times its score of a row; memory
    O(n), and the density.

    Parameters
    ----------
    estimator : a density with ``score_samples``, default None
        None takes ``assay.densities.KernelDensity`` with a bandwidth by Scott's rule for columns divided by their
        standard deviations.
    contamination : a share up to 0.5, or "auto", default 0.1
        "auto" takes the share 0.1: a density has no threshold of its own.

    Attributes
    ----------
    estimator_ : the fitted density      scale_ : (d,) what columns were divided by      offset_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from assay.outliers import DensityOutliers
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(0, 1, (50, 1)), rng.normal(20, 1, (50, 1)), [[10.0]]])
    >>> int(DensityOutliers().fit(X).score_samples(X).argmin())           # between the groups, near the mean
    100

    See Also
    --------
    GaussianOutliers, LocalOutlierFactor, assay.densities.KernelDensity

    References
    ----------
    - Parzen, E. (1962). On estimation of a probability density function and mode. Annals of Mathematical Statistics
      33(3), 1065-1076. doi:10.1214/aoms/1177704472
    - Barnett, V. and Lewis, T. (1994). Outliers in Statistical Data, third edition. Wiley.
    """

    card = Card("density outliers", "rows where an estimated density is low", scale=True)
    accepts = {
        "estimator": Any_(
            "a density with fit and score_samples, or None",
            lambda v: v is None or (hasattr(v, "fit") and hasattr(v, "score_samples")),
        ),
        "contamination": CONTAMINATION,
    }
    stored = {
        "_scores_": FloatArray("*"),
        "estimator_": Object(BaseEstimator),
        "scale_": FloatArray("p"),
    }

    renamed = {"density": "estimator", "density_": "estimator_"}  # in model files of earlier versions

    def __init__(self, estimator: Estimator | None = None, *, contamination: float | str = 0.1):
        self.estimator = estimator
        self.contamination = contamination

    def _learn(self, X: np.ndarray) -> np.ndarray:
        n, d = X.shape
        if self.estimator is None:
            from assay.densities.kernel_density import KernelDensity

            apart = X - X[0]  # 0 in columns that are constant, which a mean need not be
            largest = np.abs(apart).max(axis=0)
            unit = np.where(largest > 0, largest, 1.0)  # whose squares are numbers
            spread = unit * (apart / unit).std(axis=0)
            self.scale_ = np.where(spread > 0, spread, 1.0)
            density: Any = KernelDensity(bandwidth=float(max(n, 2) ** (-1 / (d + 4))))
        else:
            self.scale_, density = np.ones(d), clone(self.estimator)
        self.estimator_ = density.fit(X / self.scale_)
        self._scores_ = self._score(X)
        return self._scores_

    def _auto_offset(self) -> float:
        return float(np.percentile(self._scores_, 10.0))

    def _score(self, X: np.ndarray) -> np.ndarray:
        return np.asarray(self.estimator_.score_samples(X / self.scale_), dtype=np.float64)  # (1)
