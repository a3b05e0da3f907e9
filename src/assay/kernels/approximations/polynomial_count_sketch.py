"""Tensor sketch: features of the polynomial kernel by hashing and Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np

import assay.kernels.approximations._feature_maps as _feature_maps
from assay.core import Card
from assay.core.csr import csr_arrays
from assay.core.parallel import in_threads
from assay.core.parameters import Count, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray, IntArray, Object
from assay.errors import DataError
from assay.kernels.approximations.entry_moments import EntryMoments
from assay.kernels.approximations.feature_map import BLOCK_BYTES, DrawnFeatures
from assay.types import RandomState

__all__ = ["PolynomialCountSketch"]


class PolynomialCountSketch(DrawnFeatures):
    r"""A few columns whose dot products are close to the polynomial kernel (tensor sketch).

    .. math:: K(a, b) = (\gamma\,a^Tb + c)^q \quad (1)

    is the dot product of all products of q columns, :math:`d^q` of them. A count sketch of a row puts its columns at
    random into m places with random signs and keeps dot products on average; the sketch of a product of rows is the
    circular convolution of their sketches, that is, the product of their Fourier transforms:

    .. math:: z(x) = F^{-1}\bigl(F(C_1x) \circ \dots \circ F(C_qx)\bigr) \quad (2)

    The same ``random_state`` draws what scikit-learn draws. Of the rows the map needs only their number of columns.

    Cost: fit O(q d); transform O(q (d + m log m)) a row; memory O(q d).

    Parameters
    ----------
    gamma : float, default 1
    degree : int, default 2
        q.
    coef0 : float, default 0
        c, not negative.
    n_components : int, default 100
        m; some ten times the number of columns is a good start.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    indexHash_ : (q, d or d + 1) the place of each column      bitHash_ : (q, d or d + 1) its sign, -1 or 1

    Examples
    --------
    >>> from assay.kernels import PolynomialCountSketch
    >>> Z = PolynomialCountSketch(n_components=5_000, random_state=0).fit_transform([[1.0, 2.0], [3.0, 4.0]])
    >>> (Z @ Z.T).round(6)  # 5^2, 11^2, 25^2
    array([[ 25., 121.],
           [121., 625.]])

    See Also
    --------
    Nystroem, RBFSampler

    References
    ----------
    - Pham, N. and Pagh, R. (2013). Fast and scalable polynomial kernels via explicit feature maps. Proceedings of the
      19th ACM SIGKDD International Conference on Knowledge Discovery and Data Mining, 239-247.
      doi:10.1145/2487575.2487591
    """

    card = Card(
        "polynomial sketch", "hashed products of columns for the polynomial kernel", also=("tensor sketch",)
    )
    accepts = {
        "gamma": Range(0),
        "degree": Count(1),
        "coef0": Range(0),
        "n_components": Count(1),
        "random_state": Seed(),
    }
    stored = {
        "indexHash_": CodeArray("q", "h", below="m"),
        "bitHash_": IntArray("q", "h", low=-1, high=1),
        "_sums": Object(EntryMoments),
    }
    takes = frozenset({"sparse"})
    keeps_single = False  # as with scikit-learn

    def __init__(
        self,
        *,
        gamma: float = 1.0,
        degree: int = 2,
        coef0: float = 0.0,
        n_components: int = 100,
        random_state: RandomState = None,
    ):
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_components = n_components
        self.random_state = random_state

    def _forget(self) -> None:
        super()._forget()
        self.__dict__.pop("indexHash_", None)

    def _summarize(self, X: Any, y: Any, w: Any) -> EntryMoments:
        return EntryMoments(0, 0.0, 0.0, X.shape[1], X.dtype == np.float32)

    def _solve(self, sums: EntryMoments) -> None:
        if "indexHash_" in vars(self):  # more rows change nothing
            return
        random, shape = random_state_of(self.random_state), (self.degree, sums.columns + (self.coef0 != 0))
        self.indexHash_ = random.randint(0, high=self.n_components, size=shape)
        self.bitHash_ = random.choice(a=[-1, 1], size=shape)
        self._n_features_out = self.n_components

    def _transform(self, X: Any) -> np.ndarray:
        from scipy.fft import irfft, rfft

        q, m = self.indexHash_.shape[0], self._n_features_out
        place = np.ascontiguousarray(self.indexHash_, dtype=np.int64)
        sign = np.sqrt(self.gamma) * self.bitHash_
        constant = np.zeros((q, m))
        if self.coef0 != 0:  # the column of ones
            constant[np.arange(q), place[:, -1]] = np.sqrt(self.coef0) * self.bitHash_[:, -1]
        out = np.empty((X.shape[0], m))
        size = max(16, BLOCK_BYTES // (8 * q * m))

        def some(start: int) -> None:
            rows = X[start : start + size]
            sketches = np.tile(constant, (rows.shape[0], 1, 1))
            flat = sketches.reshape(rows.shape[0], q * m)
            if isinstance(rows, np.ndarray):
                _feature_maps.sketch(np.ascontiguousarray(rows, dtype=np.float64), place, sign, m, flat)
            else:
                begin, column, data = csr_arrays(rows.tocsr(), np.float64)
                _feature_maps.sketch_sparse(data, column, begin, place, sign, flat)
            with np.errstate(over="ignore", invalid="ignore"):
                waves = rfft(sketches, axis=2)
                out[start : start + size] = irfft(np.prod(waves, axis=1), n=m, axis=1)  # (2)

        in_threads(some, range(0, X.shape[0], size))
        if not np.isfinite(out).all():
            i = int(np.flatnonzero(~np.isfinite(out).all(axis=1))[0])
            raise DataError(
                f"{type(self).__name__}: a product of {q} numbers of row {i + 1} is beyond the largest number. Scale "
                "the columns first: StandardScaler."
            )
        return out
