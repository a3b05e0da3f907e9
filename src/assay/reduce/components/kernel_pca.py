"""Kernel principal components."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from assay.core import Card
from assay.core.explanation import Section
from assay.core.explanations import dense_block
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Any_, Choice, Count, Flag, Instance, Range, Seed
from assay.core.seeds import random_state_of
from assay.core.stored import FloatArray, Object, ObjectRows, Plain, Scalar, TableRows
from assay.errors import DegenerateWarning, ParameterError, warn_user
from assay.kernels import Kernel, Linear, kernel_of
from assay.kernels.gram_rows import finite
from assay.kernels.kernel_learner import KERNEL, KernelLearner
from assay.kernels.names import pairwise_kernel_of
from assay.reduce.components.explained_moves import ExplainedMoves, terms_of_rows
from assay.reduce.components.some_eigenpairs import some_eigenpairs
from assay.reduce.components.spectrum import with_fixed_signs
from assay.stats.multivariate.leading_eigenvectors import leading_eigenvectors
from assay.types import KernelLike, RandomState, TableLike, Target

__all__ = ["KernelPCA"]

ROWS_FOR_BLOCKS = 200  # from which few eigenvalues are found by products with blocks of vectors
SHARE_FOR_BLOCKS = 0.05  # share of the rows that is few
EXTRA_VECTORS = 8  # in a block beyond those wanted
FEW_VECTORS = 2  # in the block that is tried first
MOST_PRODUCTS = (
    150,
    60,
)  # of the block tried first and of the larger one, before all eigenvalues are computed
SAME_VALUE = 1e-9  # of the largest eigenvalue, below which two are taken for one that occurs twice
CONVERGED = 1e-11  # of the largest eigenvalue, that a residual may have
NEGATIVE_SHARE = 1e-6  # of the largest eigenvalue that a negative one may have by rounding
ZERO_SHARE = 1e-12  # of the largest eigenvalue, below which an eigenvalue is rounding


class KernelPCA(KernelLearner, ExplainedMoves, NumberedColumns):
    r"""Principal components in the space of features of a kernel: uncorrelated columns that are curved in the old ones.

    With the kernel matrix K of the training rows, centred, :math:`\tilde K = \sum_r \lambda_r v_r v_r^T`,

    .. math:: z_r(x) = \frac1{\sqrt{\lambda_r}} \sum_i v_{ri}\,\tilde K(x_i, x)              \quad (1)

    New rows are centred by the mean of the training rows' features. The linear kernel gives :class:`PCA`. With all
    components the dot products of the new columns are the kernel matrix itself, centred: the map of the kernel that the
    data need. Kernels of mixed tables, strings, trees and graphs work as well (:mod:`assay.kernels`). Names, parameters
    and answers are scikit-learn's.

    Cost: fit O(n^2 d + n^2 k) for few components, O(n^3) for all; transform O(n (d + k)) a row; memory O(n^2) to fit,
    O(n (d + k)) kept.

    Parameters
    ----------
    n_components : int or None, default None
        None keeps all with an eigenvalue above 0.
    kernel : str, callable or Kernel, default "linear"
        A name (:func:`assay.kernels.kernel_of`), "precomputed", a function of two rows, or a kernel.
    gamma, degree, coef0 : float or None, float, float
        Of "rbf", "poly" and "sigmoid"; gamma=None is 1 / number of columns.
    kernel_params : dict or None, default None
        Arguments of a function.
    alpha : float, default 1
        Ridge penalty of the way back, see ``fit_inverse_transform``.
    fit_inverse_transform : bool, default False
        Whether to learn a way back from components to rows, by kernel ridge regression on the components.
    eigen_solver, tol, max_iter, iterated_power : as scikit-learn's
        Accepted; eigenvalues are exact, and by products with blocks of vectors where few of many are asked for.
    remove_zero_eig : bool, default False
        Whether components without variance are left out also if ``n_components`` asks for them.
    random_state : int, RandomState or None, default None
        First block of vectors; None is always the same one.
    copy_X : bool, default True
        Whether to keep a copy of the training rows, so that X may be changed later; X is never changed here.
    n_jobs : int or None, default None
        Accepted as scikit-learn's.

    Attributes
    ----------
    eigenvalues_ : (k,) of the centred kernel matrix, the largest first      eigenvectors_ : (n, k)
    kernel_ : Kernel, fitted      X_fit_ : the training rows      gamma_ : float
    explained_variance_ratio_ : (k,) shares of the variance in the space of features
    dual_coef_ : (n, d), X_transformed_fit_ : (n, k), of the way back

    Examples
    --------
    Two rings that one component separates.

    >>> from sklearn.datasets import make_circles
    >>> from assay.reduce import KernelPCA
    >>> X, y = make_circles(400, factor=0.3, noise=0.05, random_state=0)
    >>> pca = KernelPCA(n_components=2, kernel="rbf", gamma=10).fit(X)
    >>> pca.eigenvalues_.round(4)
    array([42.7396, 40.4572])

    See Also
    --------
    PCA, Nystroem

    References
    ----------
    - Schoelkopf, B., Smola, A. and Mueller, K.-R. (1998). Nonlinear component analysis as a kernel eigenvalue problem.
      Neural Computation 10, 1299-1319.
    """

    card = Card("kernel pca", "principal components in the features of a kernel")
    accepts = {
        "n_components": Count(1) | None,
        "kernel": KERNEL,
        "gamma": Range(0) | None,
        "degree": Range(0),
        "coef0": Range(),
        "kernel_params": Instance(dict, words="a dict") | None,
        "alpha": Range(0),
        "fit_inverse_transform": Flag(),
        "eigen_solver": Choice("auto", "dense", "arpack", "randomized"),
        "tol": Range(0),
        "max_iter": Count(1) | None,
        "iterated_power": Count(0) | Choice("auto"),
        "remove_zero_eig": Flag(),
        "random_state": Seed(),
        "copy_X": Flag(),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, (int, np.integer))),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "eigenvalues_": FloatArray("m", low=0, finite=True),
        "eigenvectors_": FloatArray("n", "m", finite=True),
        "X_fit_": TableRows("n", "p") | ObjectRows("n") | FloatArray(0, 0),
        "gamma_": Scalar(),
        "explained_variance_ratio_": FloatArray("m", finite=True),
        "dual_coef_": FloatArray("n", "p", finite=True),
        "X_transformed_fit_": FloatArray("n", "m", finite=True),
        "_column_means": FloatArray("n", finite=True),
        "_shift": FloatArray("*", finite=True),
        "shape_fit_": Plain(tuple),
    }

    def __init__(
        self,
        n_components: int | None = None,
        *,
        kernel: KernelLike = "linear",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        alpha: float = 1.0,
        fit_inverse_transform: bool = False,
        eigen_solver: str = "auto",
        tol: float = 0,
        max_iter: int | None = None,
        iterated_power: int | str = "auto",
        remove_zero_eig: bool = False,
        random_state: RandomState = None,
        copy_X: bool = True,
        n_jobs: int | None = None,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @all_or_nothing
    def fit(self, X: TableLike, y: Target | None = None) -> Self:  # type: ignore[override]
        """Learn the components of the rows of X; y is ignored."""
        return super().fit(X)

    def _kernel(self) -> Kernel:
        try:
            return pairwise_kernel_of(self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    # Learning

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        if self.fit_inverse_transform and self._kernel().precomputed:
            raise ValueError(
                f"{type(self).__name__}: Cannot fit_inverse_transform with a precomputed kernel."
            )
        self._fit_kernel(X)
        n = X.shape[0]
        self._shift = np.zeros(X.shape[1] if len(X.shape) == 2 else 0)
        if isinstance(self.kernel_, Linear) and isinstance(X, np.ndarray):
            self._shift = X.mean(axis=0)  # it changes no component, and no dot product loses its digits
            X = X - self._shift
        if self.kernel_.precomputed:
            self.X_fit_ = np.empty((0, 0))
            K = finite(np.array(X, dtype=np.float64), "precomputed")
        else:
            K = finite(self.kernel_.gram(X), self.kernel_.name)
            self.X_fit_ = X + self._shift if self._shift.any() else X.copy() if self.copy_X else X
        self.gamma_ = 1.0 / X.shape[-1] if self.gamma is None else float(self.gamma)
        self._column_means = K.mean(axis=0)
        row_means = K.mean(axis=1)
        K -= self._column_means
        K -= row_means[:, None]
        K += row_means.mean()
        total = float(np.trace(K))
        values, vectors = self._eigen(K, n if self.n_components is None else min(n, self.n_components))
        keep = np.ones(len(values), dtype=bool)
        if self.remove_zero_eig or self.n_components is None:
            keep = values > 0
        self.eigenvalues_ = values[keep]
        self.eigenvectors_ = np.ascontiguousarray(vectors[:, keep])
        self._n_features_out = int(keep.sum())
        self.explained_variance_ratio_ = (
            self.eigenvalues_ / total if total > 0 else np.zeros(self._n_features_out)
        )
        self._learn_way_back(X)

    def _eigen(self, K: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        n = len(K)
        pairs = None
        if n > ROWS_FOR_BLOCKS and k <= SHARE_FOR_BLOCKS * n and self.kernel_.psd:
            random = random_state_of(0 if self.random_state is None else self.random_state)
            start = random.uniform(-1, 1, size=(n, k + EXTRA_VECTORS))
            blocks = zip((start[:, :FEW_VECTORS], start), MOST_PRODUCTS)
            pairs = next(filter(None, (_by_products(K, block, k, most) for block, most in blocks)), None)
        values, vectors = pairs or some_eigenpairs(K, n - k, n - 1)
        order = np.argsort(-values, kind="stable")
        values, vectors = values[order], vectors[:, order]
        self._complain(K, values)
        values = np.where(values > ZERO_SHARE * max(values[0], 0.0), values, 0.0)
        return values, with_fixed_signs(vectors.T).T

    def _complain(self, K: np.ndarray, values: np.ndarray) -> None:
        """Warn if the kernel cannot be an inner product, whose components of negative variance are left out."""
        lowest = float(values[-1])
        if len(values) < len(K) and not self.kernel_.psd:
            lowest = float(some_eigenpairs(K, 0, 0)[0][0])
        if lowest < -NEGATIVE_SHARE * max(float(values[0]), 0.0):
            warn_user(
                f"{type(self).__name__}: the centred kernel matrix has a negative eigenvalue, {lowest:.4g} beside "
                f"{values[0]:.4g}, so this kernel is no inner product; such components are left out. See "
                "assay.kernels.check_gram.",
                DegenerateWarning,
            )

    def _learn_way_back(self, X: Any) -> None:
        for name in ("dual_coef_", "X_transformed_fit_"):
            self.__dict__.pop(name, None)
        if not self.fit_inverse_transform:
            return
        Z = self.eigenvectors_ * np.sqrt(self.eigenvalues_)
        K = self._between_components(Z, Z)
        K.flat[:: len(K) + 1] += self.alpha
        self.dual_coef_ = np.linalg.solve(K, dense_block(X))
        self.X_transformed_fit_ = Z

    def _between_components(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        kernel = self._kernel()
        if isinstance(self.kernel, str):
            kernel = kernel_of(self.kernel, gamma=self.gamma_, degree=self.degree, coef0=self.coef0)
        return kernel.learn(self.eigenvectors_ * np.sqrt(self.eigenvalues_)).between(A, B)

    # Answers

    def _transform(self, X: Any) -> np.ndarray:
        scaled = self._scaled()
        if self.kernel_.precomputed:
            return (np.asarray(X, dtype=np.float64) - self._column_means) @ scaled
        X, S = self._shifted(X)
        return self.kernel_.combine(X, S, scaled) - self._column_means @ scaled

    def _scaled(self) -> np.ndarray:
        """(n, k) what a unit of the kernel adds to each component."""
        root = np.sqrt(self.eigenvalues_)
        scaled = self.eigenvectors_ / np.where(root > 0, root, np.inf)
        scaled -= scaled.mean(axis=0)  # 0 but for rounding, so that the mean of a new row's values drops out
        return scaled

    def _shifted(self, X: Any) -> tuple[Any, Any]:
        """New rows and training rows as the kernel compares them."""
        if self._shift.any():
            X = dense_block(X) - self._shift
        S = self.X_fit_ - self._shift if self._shift.any() else self.X_fit_
        if hasattr(X, "tocsr") != hasattr(S, "tocsr"):
            import scipy.sparse

            X, S = scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(S)
        return X, S

    def _training_block(self) -> Any:
        return None if self.kernel_.precomputed or "schema_" not in vars(self) else self.X_fit_

    def _sources(self, X: Any, row: dict[str, Any], placed: np.ndarray) -> list[Section]:
        if self.kernel_.precomputed:
            values = np.asarray(X, dtype=np.float64)[0] - self._column_means
        else:
            values = np.asarray(self.kernel_.between(*self._shifted(X)))[0] - self._column_means
        return [terms_of_rows(self, values, values[:, None] * self._scaled(), "kernel less mean")]

    def inverse_transform(self, X: TableLike) -> np.ndarray:
        """(n, d) rows whose components are about X (n, k); needs ``fit_inverse_transform=True``.

        As scikit-learn's, it does not know the mean of the features, so for the linear kernel use :class:`PCA`.
        """
        self._ready()
        if "dual_coef_" not in vars(self):
            raise NotFittedError(
                f"{type(self).__name__}: The fit_inverse_transform parameter was not set to True when instantiating "
                "and hence the inverse transform is not available."
            )
        Z = np.asarray(dense_block(X), dtype=np.float64)
        if Z.ndim != 2 or Z.shape[1] != self._n_features_out:
            raise ValueError(f"{type(self).__name__}: expected rows of {self._n_features_out} components.")
        return self._between_components(Z, self.X_transformed_fit_) @ self.dual_coef_

    def _check_stored(self) -> None:
        if "X_fit_" not in vars(self) or self.kernel_.precomputed:
            return
        if self.X_fit_.shape[0] != self.shape_fit_[0]:
            raise ValueError(
                f"{self.shape_fit_[0]} training rows are named, {self.X_fit_.shape[0]} are stored"
            )
        if self._shift.any() and len(self._shift) != self.X_fit_.shape[1]:
            raise ValueError("the shift does not belong to the training rows")

    def _model_parts(self) -> list[Part]:
        shares = np.cumsum(self.explained_variance_ratio_)
        lines: list[list[Any]] = [
            [name, float(v), float(r), float(c)]
            for name, v, r, c in zip(
                self._names_out()[:10], self.eigenvalues_, self.explained_variance_ratio_, shares
            )
        ]
        note = f"kernel {self.kernel_!r}, {self.shape_fit_[0]} training rows"
        return [Section("Components", ["component", "eigenvalue", "share", "cumulative"], lines, note)]


def _by_products(K: np.ndarray, start: np.ndarray, k: int, most: int) -> tuple[np.ndarray, np.ndarray] | None:
    """The k largest eigenvalues and their vectors; None if they are not exact, or one may occur more often than found.

    From a block of b columns at most b copies of an eigenvalue are found.
    """

    def product(V: np.ndarray) -> np.ndarray:
        if V.shape[1] > FEW_VECTORS:
            return K @ V
        return np.column_stack([K @ v for v in V.T])  # for so few columns BLAS would copy the whole of K

    leading = leading_eigenvectors(product, start, k, max_products=most)
    values, b = leading.values, start.shape[1]
    scale = max(values[0], 0.0)
    if len(values) < k or leading.residual > CONVERGED * scale:
        return None
    if b <= k and (values[: k - b + 1] - values[b - 1 :] <= SAME_VALUE * scale).any():
        return None
    return values, leading.vectors
