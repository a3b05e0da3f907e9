"""Random Fourier features of the Gaussian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, Scalar
from assay.kernels.approximations.entry_moments import EntryMoments
from assay.kernels.approximations.feature_map import DrawnFeatures, wave_features
from assay.types import RandomState

__all__ = ["RBFSampler"]


class RBFSampler(DrawnFeatures):
    r"""Cosines of random projections, whose dot products are close to the Gaussian kernel.

    The kernel :math:`e^{-\gamma\|a-b\|^2}` is the mean of :math:`2\cos(w^Ta + \beta)\cos(w^Tb + \beta)` over
    :math:`w \sim N(0, 2\gamma I)` and :math:`\beta` uniform on a circle. With m draws,

    .. math:: z_j(x) = \sqrt{2/m}\,\cos(w_j^T x + \beta_j), \qquad z(a)^Tz(b) \approx K(a, b), \quad (1)

    with an error of the order :math:`1/\sqrt m`. A linear learner on these columns is close to a kernel machine, at a
    cost that grows with the rows alone, never with their square. The same ``random_state`` draws what scikit-learn
    draws. The learner is a sum: of the rows it needs their number of columns and, for "scale", their variance;
    ``partial_fit``, ``fit_blocks`` and Dask give the same features.

    Cost: fit O(d m), with "scale" O(n d); transform O(d m) a row; memory O(d m).

    Parameters
    ----------
    gamma : float or "scale", default 1
        "scale" is 1 / (d var(X)).
    n_components : int, default 100
        m.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    random_weights_ : (d, m)      random_offset_ : (m,)

    Examples
    --------
    >>> from assay.kernels import RBFSampler
    >>> Z = RBFSampler(gamma=0.5, n_components=200_000, random_state=0).fit_transform([[0.0], [1.0]])
    >>> (Z @ Z.T).round(2)  # exp(-0.5) = 0.61
    array([[1.  , 0.61],
           [0.61, 1.  ]])

    See Also
    --------
    FourierFeatures, Nystroem, PolynomialCountSketch

    References
    ----------
    - Rahimi, A. and Recht, B. (2007). Random features for large-scale kernel machines. Advances in Neural Information
      Processing Systems 20.
    """

    card = Card("rbf sampler", "random cosines for the Gaussian kernel", also=("random fourier features",))
    accepts = {
        "gamma": Choice("scale") | Range(0),
        "n_components": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "random_weights_": FloatArray("p", "m", finite=True),
        "random_offset_": FloatArray("m", finite=True),
        "_gamma": Scalar(0, finite=True),
        "_sums": Object(EntryMoments),
    }
    takes = frozenset({"sparse"})
    random_weights_: np.ndarray
    random_offset_: np.ndarray
    _gamma: float

    def __init__(
        self, *, gamma: float | str = 1.0, n_components: int = 100, random_state: RandomState = None
    ):
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("random_weights_", None)

    def _summarize(self, X: Any, y: Any, w: Any) -> EntryMoments:
        if self.gamma == "scale":
            return EntryMoments.of(X)
        return EntryMoments(0, 0.0, 0.0, X.shape[1], X.dtype == np.float32)

    def _solve(self, sums: EntryMoments) -> None:
        d, m = sums.columns, self.n_components
        gamma = self.gamma
        if isinstance(gamma, str):
            gamma = 1.0 / (d * sums.variance) if sums.variance > 0 else 1.0
        if "random_weights_" in vars(self):  # more rows: the same draws, another scale
            self.random_weights_ = self.random_weights_ * np.sqrt(gamma / self._gamma)
        else:
            random = random_state_of(self.random_state)
            self.random_weights_ = (2.0 * gamma) ** 0.5 * random.normal(size=(d, m))
            self.random_offset_ = random.uniform(0, 2 * np.pi, size=m)
        dtype = np.float32 if sums.single else np.float64
        self.random_weights_ = self.random_weights_.astype(dtype, copy=False)
        self.random_offset_ = self.random_offset_.astype(dtype, copy=False)
        self._gamma, self._n_features_out = float(gamma), m

    def _transform(self, X: Any) -> np.ndarray:
        m = self._n_features_out
        return wave_features(X, self.random_weights_, self.random_offset_, (2.0 / m) ** 0.5)  # (1)
