"""Random Fourier features of the skewed chi-squared kernel, for histograms."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object
from assay.errors import DataError
from assay.kernels.approximations.entry_moments import EntryMoments
from assay.kernels.approximations.feature_map import DrawnFeatures, wave_features
from assay.types import RandomState

__all__ = ["SkewedChi2Sampler"]


class SkewedChi2Sampler(DrawnFeatures):
    r"""Cosines of random projections of logarithms, for the skewed chi-squared kernel of histograms.

    .. math:: K(a, b) = \prod_j \frac{2\sqrt{(a_j + c)(b_j + c)}}{a_j + b_j + 2c} \quad (1)

    is a function of the difference of :math:`\ln(a + c)` and :math:`\ln(b + c)`, whose frequencies follow the
    hyperbolic secant. The same ``random_state`` draws what scikit-learn draws.

    Cost: fit O(d m); transform O(d m) a row; memory O(d m).

    Parameters
    ----------
    skewedness : float, default 1
        c; all entries must be above -c.
    n_components : int, default 100
        m.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    random_weights_ : (d, m)      random_offset_ : (m,)

    Examples
    --------
    >>> from assay.kernels import SkewedChi2Sampler
    >>> Z = SkewedChi2Sampler(n_components=20_000, random_state=0).fit_transform([[0.0], [3.0]])
    >>> (Z @ Z.T).round(2)  # 2 sqrt(1 * 4) / 5 = 0.8
    array([[1. , 0.8],
           [0.8, 1. ]])

    See Also
    --------
    AdditiveChi2Sampler, RBFSampler

    References
    ----------
    - Li, F., Ionescu, C. and Sminchisescu, C. (2010). Random Fourier approximations for skewed multiplicative
      histogram kernels. Pattern Recognition, DAGM, 262-271. doi:10.1007/978-3-642-15986-2_27
    """

    card = Card("skewed chi2 sampler", "random cosines for a kernel of histograms")
    accepts = {"skewedness": Range(), "n_components": Count(1), "random_state": Seed()}
    stored = {
        "random_weights_": FloatArray("p", "m", finite=True),
        "random_offset_": FloatArray("m", finite=True),
        "_sums": Object(EntryMoments),
    }

    def __init__(self, *, skewedness: float = 1.0, n_components: int = 100, random_state: RandomState = None):
        self.skewedness = skewedness
        self.n_components = n_components
        self.random_state = random_state

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("random_weights_", None)

    def _summarize(self, X: Any, y: Any, w: Any) -> EntryMoments:
        return EntryMoments(0, 0.0, 0.0, X.shape[1], X.dtype == np.float32)

    def _solve(self, sums: EntryMoments) -> None:
        m = self.n_components
        if "random_weights_" not in vars(self):
            random = random_state_of(self.random_state)
            uniform = random.uniform(size=(sums.columns, m))
            self.random_weights_ = (
                np.log(np.tan(np.pi / 2.0 * uniform)) / np.pi
            )  # the inverse of sech's distribution
            self.random_offset_ = random.uniform(0, 2 * np.pi, size=m)
        dtype = np.float32 if sums.single else np.float64
        self.random_weights_ = self.random_weights_.astype(dtype, copy=False)
        self.random_offset_ = self.random_offset_.astype(dtype, copy=False)
        self._n_features_out = m

    def _transform(self, X: np.ndarray) -> np.ndarray:
        if X.min(initial=np.inf) <= -self.skewedness:
            i, j = np.argwhere(-self.skewedness >= X)[0].tolist()
            raise DataError(
                "SkewedChi2Sampler: X may not contain entries smaller than -skewedness; "
                f"row {i + 1}, column {self._names[j]!r} has {X[i, j]:g}. Raise skewedness or shift the column."
            )
        logarithms = np.log(X + X.dtype.type(self.skewedness))
        m = self._n_features_out
        return wave_features(logarithms, self.random_weights_, self.random_offset_, (2.0 / m) ** 0.5)
