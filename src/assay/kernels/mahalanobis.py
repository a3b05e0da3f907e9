"""The Gaussian kernel of Mahalanobis' distance: with one covariance, one for each class, or one for each row."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import FloatArray, Integer, Scalar, Text
from assay.distances.mahalanobis import covariance_of, inverse_of, root_of
from assay.distances.metric import metric_of
from assay.distances.search import searcher
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.kernels.points import GAUSSIAN, Form
from assay.kernels.stationary import OfDistance
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["LocalMahalanobisKernel", "MahalanobisKernel", "regularised"]


def regularised(S: np.ndarray, ridge: float) -> np.ndarray:
    r"""The covariance with a share of its mean variance added to the diagonal, so that it has an inverse.

    .. math:: S + \epsilon \frac{\mathrm{tr}\,S}{d} I \quad (1)

    >>> import numpy as np
    >>> from assay.kernels.mahalanobis import regularised
    >>> regularised(np.array([[2.0, 2.0], [2.0, 2.0]]), 0.5)
    array([[3., 2.],
           [2., 3.]])
    """
    return S + ridge * np.trace(S) / max(len(S), 1) * np.eye(len(S))


@dataclass(frozen=True, eq=False)
class MahalanobisKernel(OfDistance):
    r"""The Gaussian kernel after columns are freed of their scales and correlations.

    .. math:: K(a, b) = \exp\left(-\frac{(a-b)^T S^{-1} (a-b)}{2 \ell^2}\right) \quad (1)

    With :math:`S = s^2 I` it is the Gaussian kernel of length scale s. An estimated covariance is regularised:
    :math:`S + \epsilon\,\mathrm{tr}(S)/d\, I` has an inverse also with fewer rows than columns.

    Parameters
    ----------
    covariance : "global", "class", or a (d, d) array, default "global"
        S: that of the training rows; with "class" the kernel is the mean of one kernel for the covariance of each
        class, weighted by the classes' shares (``learn`` then returns this sum); or S itself, taken as it is.
    ridge : float, default 1e-3
        The :math:`\epsilon` above.
    length_scale : float, default 1
    length_scale_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Attributes
    ----------
    L_ : (r, d) with :math:`L^T L = S^{-1}`, after ``learn``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import RBF, MahalanobisKernel
    >>> A, B = [[0.0, 0.0]], [[1.0, 2.0]]
    >>> bool(np.allclose(MahalanobisKernel(4.0 * np.eye(2))(A, B), RBF(2.0)(A, B)))
    True

    See Also
    --------
    LocalMahalanobisKernel, RBF

    References
    ----------
    - Alpaydin, E. (2014). Introduction to Machine Learning, 3rd edition. MIT Press, section 13.6.
    """

    takes: ClassVar[frozenset[str]] = frozenset()
    searched: ClassVar[tuple[str, ...]] = ("length_scale",)

    covariance: Any = "global"
    ridge: float = 1e-3
    length_scale: float = 1.0
    length_scale_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    L_: np.ndarray | None = None
    stored = {
        "covariance": Text("global", "class") | FloatArray("d", "d", finite=True),
        "ridge": Scalar(low=0, finite=True),
        "length_scale": Scalar(low=0, finite=True),
        "length_scale_bounds": BOUNDS,
        "L_": FloatArray("*", "d", finite=True) | None,
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.ridge, (int, float, np.number)) or not 0 <= self.ridge < np.inf:
            raise ParameterError(f"MahalanobisKernel: ridge must be a number from 0, got {self.ridge!r}.")
        if isinstance(self.covariance, str):
            if self.covariance not in ("global", "class"):
                raise ParameterError(
                    f"MahalanobisKernel: covariance must be 'global', 'class' or a matrix, got {self.covariance!r}."
                )
            return
        S = np.asarray(self.covariance, dtype=np.float64)
        if S.ndim != 2 or S.shape[0] != S.shape[1] or not np.isfinite(S).all():
            raise ParameterError("MahalanobisKernel: covariance must be a square matrix of finite numbers.")
        values = np.linalg.eigvalsh((S + S.T) / 2)
        if values[0] < -1e-9 * abs(values[-1]) or not values[-1] > 0:
            raise ParameterError(
                "MahalanobisKernel: covariance must be positive semidefinite, its smallest eigenvalue is "
                f"{values[0]:.3g}."
            )
        object.__setattr__(self, "covariance", S)
        if self.L_ is None:
            object.__setattr__(self, "L_", root_of(inverse_of(S), "MahalanobisKernel"))

    @property
    def name(self) -> str:
        return "mahalanobis"

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Kernel:
        if not isinstance(self.covariance, str):
            return self
        X = np.asarray(X, dtype=np.float64)
        if self.covariance == "global":
            S = regularised(covariance_of(X, w), self.ridge)
            return replace(self, L_=root_of(inverse_of(S), "MahalanobisKernel"))
        if y is None:
            raise DataError("MahalanobisKernel: covariance='class' looks at the classes, but there are none.")
        return self._of_classes(X, np.asarray(y), np.ones(len(X)) if w is None else w)

    def _of_classes(self, X: np.ndarray, y: np.ndarray, w: np.ndarray) -> Kernel:
        from assay.kernels.constant import ConstantKernel

        total: Kernel | None = None
        for label in np.unique(y[w > 0]):
            rows = y == label
            S = regularised(covariance_of(X[rows], w[rows]), self.ridge)
            if not S.any():  # one row has no spread of its own
                S = regularised(covariance_of(X, w), self.ridge)
            share = ConstantKernel(float(w[rows].sum() / w.sum()), "fixed")
            term = share * MahalanobisKernel(S, self.ridge, self.length_scale, self.length_scale_bounds)
            total = term if total is None else total + term
        assert total is not None
        return total

    def _prepared(self, X: Any) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        if self.L_ is None:
            raise DataError(
                "mahalanobis: the covariance is not known before the kernel learns from rows. Give it, or call "
                "learn(X)."
            )
        if X.ndim != 2 or X.shape[1] != self.L_.shape[1]:
            raise DataError(
                f"mahalanobis: the covariance is for {self.L_.shape[1]} columns, rows have the shape {X.shape}."
            )
        return np.einsum("ij,rj->ir", X, self.L_) / self.length_scale  # equal rows stay equal

    def _form(self) -> Form:
        return Form(GAUSSIAN)

    def _slope(self, squares: np.ndarray) -> np.ndarray:
        squares *= -0.5
        return np.exp(squares, out=squares)


class RowMaps:
    """Rows with a linear map for each of them."""

    def __init__(self, rows: np.ndarray, maps: np.ndarray):
        self.rows, self.maps = rows, maps

    def __getitem__(self, some: slice) -> RowMaps:
        return RowMaps(self.rows[some], self.maps[some])

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, eq=False)
class LocalMahalanobisKernel(Kernel):
    r"""The Gaussian kernel of a distance that each row has for itself, from the covariance around it.

    .. math:: K(a, b) = \tfrac12 \left(e^{-\frac12 (a-b)^T S_a^{-1} (a-b)} + e^{-\frac12 (a-b)^T S_b^{-1} (a-b)}\right)
              \quad (1)

    with :math:`S_x` the regularised covariance of the k training rows nearest to x (Euclidean distance), as they lie
    around x. It is symmetric, but not positive semidefinite in general: look at `check_gram`, and repair with
    `repair_gram`. Cost: O(n m d^2).

    Parameters
    ----------
    n_neighbors : int, default 20
    ridge : float, default 1e-3
        Regularises S as in `MahalanobisKernel`.

    Attributes
    ----------
    rows_ : (n, d) the training rows, after ``learn``

    Examples
    --------
    >>> import numpy as np
    >>> from assay.kernels import LocalMahalanobisKernel
    >>> X = np.random.default_rng(0).normal(size=(60, 2)) * [1.0, 100.0]
    >>> K = LocalMahalanobisKernel().learn(X)(X)
    >>> bool((K == K.T).all()), bool((np.diag(K) == 1).all())
    (True, True)

    See Also
    --------
    MahalanobisKernel, check_gram, repair_gram

    References
    ----------
    - Alpaydin, E. (2014). Introduction to Machine Learning, 3rd edition. MIT Press, section 13.6.
    """

    psd: ClassVar[bool] = False

    n_neighbors: int = 20
    ridge: float = 1e-3
    rows_: np.ndarray | None = None
    stored = {
        "n_neighbors": Integer(low=1),
        "ridge": Scalar(low=0, finite=True),
        "rows_": FloatArray("n", "d", finite=True) | None,
    }

    def __post_init__(self) -> None:
        check_count("LocalMahalanobisKernel", "n_neighbors", self.n_neighbors, low=2)
        if not isinstance(self.ridge, (int, float, np.number)) or not 0 <= self.ridge < np.inf:
            raise ParameterError(
                f"LocalMahalanobisKernel: ridge must be a number from 0, got {self.ridge!r}."
            )

    @property
    def name(self) -> str:
        return "local_mahalanobis"

    def learn(
        self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None
    ) -> LocalMahalanobisKernel:
        X = np.ascontiguousarray(X, dtype=np.float64)
        return replace(self, rows_=X if w is None else X[w > 0])

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def _prepared(self, X: Any) -> RowMaps:
        if self.rows_ is None:
            raise DataError("local_mahalanobis: the kernel needs rows to look around in. Call learn(X).")
        X = np.ascontiguousarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.rows_.shape[1]:
            raise DataError(
                f"local_mahalanobis: training rows have {self.rows_.shape[1]} columns, these the shape {X.shape}."
            )
        k = min(self.n_neighbors, len(self.rows_))
        near = searcher(self.rows_, metric_of("euclidean")).nearest(X, k)[1]
        whole = covariance_of(self.rows_)
        return RowMaps(
            X,
            np.array([self._map(x, self.rows_[i], whole) for x, i in zip(X, near)]).reshape(-1, *whole.shape),
        )

    def _map(self, x: np.ndarray, neighbours: np.ndarray, whole: np.ndarray) -> np.ndarray:
        """(d, d) an L with L'L the inverse of the covariance around x; of all rows if the neighbours equal x."""
        around = neighbours - x
        S = around.T @ around / len(around)
        S = regularised(S if S.any() else whole, self.ridge)
        values, vectors = np.linalg.eigh(S)
        roots = np.sqrt(np.maximum(values, 0))
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=values > 1e-14 * values[-1])
        return inverse[:, None] * vectors.T

    def _block(self, A: RowMaps, B: RowMaps) -> np.ndarray:
        out = np.empty((len(A), len(B)))
        for i in range(len(A)):
            out[i] = _similarity((B.rows - A.rows[i]) @ A.maps[i].T)
        for j in range(len(B)):
            out[:, j] += _similarity((A.rows - B.rows[j]) @ B.maps[j].T)
        return 0.5 * out  # (1)


def _similarity(differences: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * np.einsum("ij,ij->i", differences, differences))
