"""Kernel canonical correlation analysis."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from assay.core import Card
from assay.core.explanation import Section
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.new_columns import NumberedColumns
from assay.core.parameters import Count, Range
from assay.core.stored import FloatArray, Object, ObjectRows, Plain, TableRows
from assay.core.targets import plain_values
from assay.errors import DataError, DegenerateError, ParameterError
from assay.kernels import Kernel
from assay.kernels.gram_rows import finite
from assay.kernels.kernel_learner import KERNEL, KernelLearner
from assay.kernels.names import pairwise_kernel_of
from assay.reduce.components.explained_moves import ExplainedMoves, terms_of_rows
from assay.reduce.components.some_eigenpairs import some_eigenpairs
from assay.reduce.components.spectrum import with_fixed_signs
from assay.types import KernelLike, TableLike, Target

__all__ = ["KernelCCA"]


class KernelCCA(KernelLearner, ExplainedMoves, NumberedColumns):
    r"""Pairs of curved functions of the columns of two tables, each pair with the largest correlation that is left.

    With the kernel matrices of both tables, centred, and a ridge :math:`\kappa`,

    .. math:: \max_{a,b}\; a^TK_xK_yb \quad\text{under}\quad
              a^T(K_x+\kappa_x I)^2a = b^T(K_y+\kappa_y I)^2b = 1                                \quad (1)

    New rows have the columns :math:`\sum_i a_i\tilde K_x(x_i, x)`. Without a ridge any two tables would be perfectly
    correlated, as soon as a kernel can tell all rows apart, so ``ridge`` is not to be left out; choose it by the
    correlation of rows that were not in the fit. The linear kernel with a small ridge gives :class:`CCA`. Kernels of
    mixed tables, strings, trees and graphs work as well, for X (:mod:`assay.kernels`).

    Cost: fit O(n^2 d + n^3); transform O(n (d + k)) a row; memory O(n^2) to fit, O(n (d + k)) kept.

    Parameters
    ----------
    n_components : int, default 2
        Pairs of new columns.
    kernel, y_kernel : str, callable or Kernel, default "rbf"
        Of X and of y: a name (:func:`assay.kernels.kernel_of`), a function of two rows, or a kernel.
    gamma, degree, coef0 : float or None, float, float
        Of "rbf", "poly" and "sigmoid"; gamma=None is 1 / number of columns.
    ridge : float above 0, default 0.01
        :math:`\kappa` as a share of the trace of the centred kernel matrix.

    Attributes
    ----------
    correlations_ : (k,) of the new columns of the training rows
    dual_coef_ : (n, k), y_dual_coef_ : (n, k) a and b, for new columns of variance 1
    kernel_, y_kernel_ : Kernel, fitted      X_fit_, y_fit_ : the training rows

    Examples
    --------
    A circle: x and y are uncorrelated, and yet determine each other but for a sign.

    >>> import numpy as np
    >>> from assay.reduce import CCA, KernelCCA
    >>> angle = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    >>> x, y = np.cos(angle)[:, None], np.sin(angle)
    >>> round(float(CCA(n_components=1).fit(x, y).canonical_correlations_[0]), 3)
    0.0
    >>> round(float(KernelCCA(n_components=1).fit(x, y).correlations_[0]), 2)
    0.97

    See Also
    --------
    CCA, KernelPCA

    References
    ----------
    - Bach, F. R. and Jordan, M. I. (2002). Kernel independent component analysis. Journal of Machine Learning Research
      3, 1-48.
    - Hardoon, D. R., Szedmak, S. and Shawe-Taylor, J. (2004). Canonical correlation analysis: an overview with
      application to learning methods. Neural Computation 16, 2639-2664.
    """

    card = Card("kernel cca", "pairs of curved functions of two tables with the largest correlation")
    accepts = {
        "n_components": Count(1),
        "kernel": KERNEL,
        "y_kernel": KERNEL,
        "gamma": Range(0) | None,
        "degree": Range(0),
        "coef0": Range(),
        "ridge": Range(0, open="low"),
    }
    stored = {
        "kernel_": Object(Kernel, d="p"),
        "y_kernel_": Object(Kernel),
        "X_fit_": TableRows("n", "p") | ObjectRows("n"),
        "y_fit_": FloatArray("n", "*", finite=True),
        "correlations_": FloatArray("m", finite=True),
        "dual_coef_": FloatArray("n", "m", finite=True),
        "y_dual_coef_": FloatArray("n", "m", finite=True),
        "_offset": FloatArray("m", finite=True),
        "_y_offset": FloatArray("m", finite=True),
        "shape_fit_": Plain(tuple),
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        kernel: KernelLike = "rbf",
        y_kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        ridge: float = 0.01,
    ):
        self.n_components = n_components
        self.kernel = kernel
        self.y_kernel = y_kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target) -> Self:  # type: ignore[override]
        """Learn what the rows of X and y have in common.

        Parameters
        ----------
        X : (n, p) table, or objects as the kernel takes them      y : (n,) numbers, or the second table, (n, q)
        """
        return super().fit(X, y)

    def _kernel(self) -> Kernel:
        return self._named(self.kernel)

    def _named(self, kernel: Any) -> Kernel:
        try:
            resolved = pairwise_kernel_of(kernel, self.gamma, self.degree, self.coef0, None)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None
        if resolved.precomputed:
            raise ParameterError(
                f"{type(self).__name__}: give rows and a kernel; precomputed is not supported."
            )
        return resolved

    def _learn(self, X: Any, y: Any, w: np.ndarray | None) -> None:
        who, n = type(self).__name__, X.shape[0]
        Y = self._second(y, n)
        if n < 2:
            raise DataError(f"{who} needs at least 2 rows, got 1 sample.")
        self._fit_kernel(X)
        self.y_kernel_, self.X_fit_, self.y_fit_ = self._named(self.y_kernel).learn(Y), X, Y
        K, K_mean = _centred(finite(self.kernel_.gram(X), self.kernel_.name))
        L, L_mean = _centred(finite(self.y_kernel_.gram(Y), self.y_kernel_.name))
        A, B = self._shrunk(K, "X"), self._shrunk(L, "y")
        M = A[0] @ B[0]
        k = min(int(self.n_components), n - 1)
        squares, U = some_eigenpairs(M @ M.T, n - k, n - 1)
        order = np.argsort(-squares)
        U = with_fixed_signs(U[:, order].T).T
        V = M.T @ U / np.sqrt(np.maximum(squares[order], np.finfo(float).tiny))
        self.dual_coef_, self._offset, Z = _settled(K, A[1](U), K_mean)
        self.y_dual_coef_, self._y_offset, T = _settled(L, B[1](V), L_mean)
        self.correlations_ = np.einsum("ij,ij->j", Z, T) / n
        self._n_features_out = k

    def _shrunk(self, K: np.ndarray, name: str) -> tuple[np.ndarray, Any]:
        """K (K + kappa I)^-1, and what solves with K + kappa I."""
        from scipy.linalg import cho_factor, cho_solve

        kappa = float(self.ridge) * float(np.trace(K))
        if not kappa > 0:
            raise DegenerateError(f"{type(self).__name__}: all rows of {name} are alike to the kernel.")
        factor = cho_factor(K + kappa * np.eye(len(K)), lower=True)
        solved = cho_solve(factor, K)
        return (solved + solved.T) / 2, lambda U: cho_solve(factor, U)

    def _second(self, y: Any, n: int) -> np.ndarray:
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        try:
            Y = np.asarray(plain_values(y), dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"{type(self).__name__}: y should be numbers, one or more columns of them. For classes give columns of "
                "0 and 1, one for each: pandas.get_dummies(y)."
            ) from None
        Y = Y[:, None] if Y.ndim == 1 else Y
        if len(Y) != n:
            raise DataError(f"{type(self).__name__}: X has {n} rows and y has {len(Y)}.")
        if not np.isfinite(Y).all():
            raise DataError(f"{type(self).__name__}: y contains NaN or infinity.")
        return Y

    def transform(self, X: TableLike, y: Target | None = None) -> Any:
        """(n, k) the new columns of X; with y a pair, those of X and those of y."""
        of_x = self._transform(self._admit(X))
        if y is None:
            return of_x
        Y = self._second(y, len(of_x))
        return of_x, self.y_kernel_.combine(Y, self.y_fit_, self.y_dual_coef_) - self._y_offset

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:  # type: ignore[override]
        """(n, k) the new columns of the rows of X, as a pipeline needs them."""
        return self.fit(X, y).transform(X)

    def _transform(self, X: Any) -> np.ndarray:
        return self.kernel_.combine(X, self.X_fit_, self.dual_coef_) - self._offset

    def _training_block(self) -> Any:
        return self.X_fit_ if "schema_" in vars(self) else None

    def _sources(self, X: Any, row: dict[str, Any], placed: np.ndarray) -> list[Section]:
        values = np.asarray(self.kernel_.between(X, self.X_fit_))[0]
        terms = (values - values.mean())[:, None] * self.dual_coef_  # the coefficients sum to 0
        return [terms_of_rows(self, values, terms, "kernel", base=-self._offset)]

    def _model_parts(self) -> list[Part]:
        rows: list[list[Any]] = [[j + 1, float(r)] for j, r in enumerate(self.correlations_)]
        note = f"kernels {self.kernel_!r} and {self.y_kernel_!r}, {self.shape_fit_[0]} training rows"
        return [Section("Pairs", ["pair", "correlation"], rows, note)]


def _centred(K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The kernel matrix of centred features, and its column means before."""
    means = K.mean(axis=0)
    return K - means - means[:, None] + means.mean(), means


def _settled(K: np.ndarray, a: np.ndarray, means: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coefficients for columns of variance 1, what to subtract from them, and the columns of the training rows."""
    a = a - a.mean(axis=0)  # so that the mean of a new row's kernel values drops out
    Z = K @ a
    spread = np.sqrt(np.mean(Z * Z, axis=0))
    spread[spread == 0] = 1.0
    return a / spread, means @ (a / spread), Z / spread
