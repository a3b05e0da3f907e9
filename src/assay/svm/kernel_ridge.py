"""Kernel ridge regression: least squares with a ridge in the space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.parameters import Array, Choice, Flag, Instance, Range
from assay.core.stored import FloatArray, Scalar
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.kernels import Kernel, Linear
from assay.kernels.gram_rows import finite
from assay.kernels.kernel import mirror
from assay.kernels.memory import fits_memory
from assay.kernels.names import pairwise_kernel_of
from assay.processes.in_blocks import factor_in_blocks, invert_in_blocks
from assay.svm.conjugate_gradients import ByGradients
from assay.svm.kernel_expansion import KernelExpansion
from assay.types import KernelLike, TableLike, Weights

__all__ = ["KernelRidge"]

PENALTIES = 10.0 ** np.arange(
    -8.0, 4.5, 0.5
)  # tried for alpha="auto", as shares of the kernel matrix's mean diagonal
FEWER_COLUMNS = 0.5  # a linear kernel with fewer columns than this share of the rows is solved by columns
MOST_ROWS_AT_ONCE = 2500  # whose matrix is factored in one step, which Ctrl-C does not end
SOUND_PENALTY = 1e-9  # of the mean diagonal, from which the solution by columns loses no digits that matter


class KernelRidge(KernelExpansion, Regressor):
    r"""Ridge regression on the images of the rows in the space of a kernel.

    .. math:: \min_f \sum_i w_i (y_i - f(x_i))^2 + \alpha \|f\|^2, \qquad
              f(x) = \sum_i c_i K(x_i, x), \quad c = (K + \alpha W^{-1})^{-1} y \quad (1)

    There is no intercept, so centre y where the kernel has no constant part. Unlike :class:`SVR` the solution comes in
    closed form, and every row has a coefficient. So do the answers to each row of a fit without it:

    .. math:: \hat y_{(i)} = y_i - c_i \,/\, \left[(K + \alpha W^{-1})^{-1}\right]_{ii} \quad (2)

    ``alpha="auto"`` takes the penalty with the least mean square of these residuals, for each target, from one
    eigendecomposition. A linear kernel of few columns is solved by them, which gives the same coefficients. Where the
    kernel matrix does not fit the memory, (1) is solved by conjugate gradients to 1e-8 of the targets, with kernel
    values that are computed anew in each step.

    Cost: fit O(n^2 d + n^3), for the linear kernel O(n d^2), beyond the memory O(n^2 d) a step; predict O(n d) a row;
    memory O(n^2) to fit (beyond that O(500 n)), O(n d) kept.

    Parameters
    ----------
    alpha : float, (t,) one for each target, or "auto", default 1
        The penalty; 0 fits the rows as well as the kernel can.
    kernel : str, callable of two rows, or Kernel, default "linear"
        "linear", "poly", "rbf", "laplacian", "sigmoid", "cosine", "chi2", "precomputed", ...
        (:func:`assay.kernels.kernel_of`).
    gamma : float, "scale", "auto" or None, default None
        None is 1 / d ("auto"), and 1 for "chi2".
    degree : float, default 3
        Of "poly".
    coef0 : float, default 1
        Of "poly" and "sigmoid".
    kernel_params : dict, default None
        More arguments of a function of two rows.
    leave_one_out : bool, default False
        Whether to keep the answers (2) as ``loo_predictions_``; always so with alpha="auto".

    Attributes
    ----------
    dual_coef_ : (n,) or (n, t) c      X_fit_ : the training rows; empty for kernel="precomputed"
    kernel_ : Kernel, fitted to the training rows
    alpha_ : float or (t,) the penalties used
    loo_predictions_ : (n,) or (n, t) the values of (2)

    Examples
    --------
    >>> import numpy as np
    >>> from assay.svm import KernelRidge
    >>> KernelRidge(alpha=1.0).fit([[1.0], [2.0]], [1.0, 2.0]).predict([[6.0]])  # 5 x / (5 + 1)
    array([5.])
    >>> x = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(x[:, 0]) + np.random.default_rng(0).normal(0, 0.1, 40)
    >>> model = KernelRidge("auto", kernel="rbf").fit(x, y)
    >>> model.predict([[1.5]]).round(1), round(float(np.std(y - model.loo_predictions_)), 2)
    (array([0.9]), 0.08)

    See Also
    --------
    SVR, assay.linear.Ridge, assay.kernels.Nystroem

    References
    ----------
    - Saunders, C., Gammerman, A. and Vovk, V. (1998). Ridge regression learning algorithm in dual variables.
      Proceedings of the 15th International Conference on Machine Learning, 515-521.
    - Murphy, K. P. (2012). Machine Learning: A Probabilistic Perspective, section 14.4.3. MIT Press.
    """

    card = Card(
        "kernel ridge",
        "least squares with a ridge in the space of a kernel",
        also=("krr",),
        scale=True,
        most_rows=5_000,
        learns=(
            "a linear function in the kernel's space",
            "squared error + squared weights",
            "a linear system",
            "analytic",
        ),
    )
    needs_psd = False  # a system of equations has one solution
    accepts = {
        "alpha": Range(0) | Array(1, low=0) | Choice("auto"),
        **KernelExpansion.accepts,
        "gamma": Range(0) | Choice("scale", "auto") | None,
        "kernel_params": Instance(dict, words="a dict") | None,
        "leave_one_out": Flag(),
    }
    stored = {
        "dual_coef_": FloatArray("n", finite=True) | FloatArray("n", "t", finite=True),
        "alpha_": Scalar(low=0) | FloatArray("t", low=0),
        "loo_predictions_": FloatArray("n", finite=True) | FloatArray("n", "t", finite=True),
    }
    remedy = (
        "With alpha above 0, without leave-one-out and with a positive semidefinite kernel it needs no matrix; or use "
        "Nystroem(kernel, n_components=1000) before Ridge: the cost then grows with the rows alone."
    )

    def __init__(
        self,
        alpha: ArrayLike = 1,
        *,
        kernel: KernelLike = "linear",
        gamma: float | str | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Mapping[str, Any] | None = None,
        leave_one_out: bool = False,
    ):
        self.alpha = alpha
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.leave_one_out = leave_one_out

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = tags.target_tags.single_output = True
        return tags

    def fit(self, X: TableLike, y: Any, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their numbers y.

        Parameters
        ----------
        X : array, sparse matrix, or pandas, polars, pyarrow frame, (n, d); kernel values (n, n) if they are precomputed
        y : (n,) numbers, or (n, t) for several targets
        sample_weight : (n,) what each row counts, or one number for all; None counts each once
        """
        column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1
        super().fit(X, np.asarray(y)[:, 0] if column else y, sample_weight)
        if column:
            self.dual_coef_ = self.dual_coef_[:, None]
        return self

    def _kernel(self) -> Kernel:
        """The kernel that the parameters say; a function is one of two rows, as scikit-learn's pairwise kernels are."""
        try:
            return pairwise_kernel_of(self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params)
        except ParameterError as error:
            raise ParameterError(f"{type(self).__name__}: {error}") from None

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        self.__dict__.pop("loo_predictions_", None)
        Y = y[:, None] if y.ndim == 1 else y
        root = None if w is None else np.sqrt(np.asarray(w, dtype=np.float64))
        penalty = self._penalties(Y.shape[1])
        wants_loo = self.leave_one_out or penalty is None
        target = Y if root is None else Y * root[:, None]
        system = self._system(X, y, root, penalty)
        if penalty is None:
            penalty = system.best_penalties(target)
        coef, inverse = np.empty_like(target, order="F"), np.empty_like(target, order="F")
        for alpha in np.unique(penalty):
            some = penalty == alpha
            coef[:, some], diagonal = system.solve(target[:, some], float(alpha), wants_loo)
            inverse[:, some] = diagonal[:, None]
        self.alpha_ = penalty if y.ndim == 2 else float(penalty[0])
        dual = coef if root is None else coef * root[:, None]
        self.dual_coef_ = np.ascontiguousarray(dual) if y.ndim == 2 else dual[:, 0]
        if wants_loo:
            self._keep_loo(X, Y, coef / inverse, root)

    def _keep_loo(self, X: Any, Y: np.ndarray, residual: np.ndarray, root: np.ndarray | None) -> None:
        """(2), from residuals in units of the rows' weights; a row without weight is left out anyway."""
        if root is not None:
            without = root == 0
            residual = residual / np.where(without, 1.0, root)[:, None]
            if without.any():
                residual[without] = Y[without] - np.atleast_2d(self._predict(X[without]).T).T
        left_out = Y - residual
        self.loo_predictions_ = left_out if self.dual_coef_.ndim == 2 else left_out[:, 0]

    def _penalties(self, targets: int) -> np.ndarray | None:
        """(t,) the penalty of each target; None if it is to be chosen."""
        if isinstance(self.alpha, str):
            return None
        alpha = np.atleast_1d(np.asarray(self.alpha, dtype=np.float64))
        if len(alpha) not in (1, targets):
            raise DataError(
                f"{type(self).__name__}: alpha must be a number or one for each of the {targets} targets, got "
                f"{len(alpha)}."
            )
        return np.broadcast_to(alpha, targets)

    def _system(self, X: Any, y: np.ndarray, root: np.ndarray | None, penalty: np.ndarray | None) -> Any:
        """The equations (1): by columns if they are few, else by rows."""
        if isinstance(self._kernel(), Linear) and X.shape[1] < FEWER_COLUMNS * X.shape[0]:
            self.kernel_, self.shape_fit_ = Linear(), tuple(map(int, X.shape))
            Z = (
                X
                if root is None
                else (X.multiply(root[:, None]).tocsr() if hasattr(X, "tocsr") else X * root[:, None])
            )
            system = _ByColumns(Z)
            if penalty is None or penalty.min() >= SOUND_PENALTY * system.mean_diagonal > 0:
                self.X_fit_ = X.tocsr() if hasattr(X, "tocsr") else X
                return system
        if self._goes_by_gradients(X, penalty):
            self._learn_kernel(X, y, None)
            self.X_fit_ = X.tocsr() if hasattr(X, "tocsr") else X
            return ByGradients(self.kernel_, self.X_fit_, root, type(self).__name__)
        K = self._learn_matrix(X, y, None)
        if root is not None:
            K *= root
            K *= root[:, None]
        return _BySpectrum(K) if penalty is None else _ByRows(K, type(self).__name__)

    def _goes_by_gradients(self, X: Any, penalty: np.ndarray | None) -> bool:
        """Whether the kernel matrix does not fit the memory, and the equations can do without it."""
        kernel = self._kernel()
        if fits_memory(X.shape[0]) or penalty is None or not penalty.min() > 0 or self.leave_one_out:
            return False
        return kernel.psd and not kernel.precomputed and not kernel.function

    def _explained_outputs(self, X: Any) -> np.ndarray:
        """All targets."""
        places = np.zeros(X.shape[0], dtype=np.int64)
        return places if self._output_count() == 1 else places[:, None] + np.arange(self._output_count())

    def _output_count(self) -> int:
        return 1 if self.dual_coef_.ndim == 1 else self.dual_coef_.shape[1]

    def _output_coefficients(self, p: int) -> np.ndarray:
        return self.dual_coef_ if self.dual_coef_.ndim == 1 else self.dual_coef_[:, p]

    def _output_bias(self, p: int) -> float:
        return 0.0

    def _output_words(self, p: int) -> str:
        return "the prediction" if self._output_count() == 1 else f"the prediction of target {p + 1}"

    def _facts(self) -> list[list[Any]]:
        return [
            ["alpha", np.round(self.alpha_, 6).tolist() if self.dual_coef_.ndim == 2 else float(self.alpha_)]
        ]

    def _predict(self, X: Any) -> np.ndarray:
        c = self.dual_coef_
        sums = self._kernel_sums(X, np.ascontiguousarray(c[:, None] if c.ndim == 1 else c))
        return sums if c.ndim == 2 else sums[:, 0]


class _ByRows:
    """(K + alpha I) c = y for given penalties, by Cholesky factors in the place of one triangle of K."""

    def __init__(self, K: np.ndarray, who: str):
        self.K, self.who, self.diagonal, self.intact = K, who, np.diagonal(K).copy(), True

    def _restore(self) -> np.ndarray:
        """K as it was, from the triangle that no factor has touched."""
        if not self.intact:
            np.fill_diagonal(self.K, self.diagonal)
            mirror(self.K)
        self.intact = True
        return self.K

    def solve(self, Y: np.ndarray, alpha: float, with_inverse: bool) -> tuple[np.ndarray, np.ndarray]:
        """The coefficients, and the diagonal of the inverse (ones if not wanted)."""
        from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

        matrix, self.intact = self._restore().T, False  # its upper triangle is the lower one of K
        np.fill_diagonal(matrix, self.diagonal + alpha)
        if len(matrix) <= MOST_ROWS_AT_ONCE:
            factor, singular = dpotrf(matrix, lower=0, overwrite_a=1, clean=0)
        else:  # Ctrl-C is heard between two blocks
            factor, singular = matrix, not factor_in_blocks(matrix.T)
        if singular:
            warn_user(
                f"{self.who}: Singular matrix in solving dual problem. Using least-squares solution instead. Raise "
                "alpha to keep the coefficients small.",
                DegenerateWarning,
            )
            return _BySpectrum(self._restore()).solve(Y, alpha, with_inverse)
        coef = dpotrs(factor, Y, lower=0)[0]
        if not with_inverse:
            return coef, np.ones(len(Y))
        if len(matrix) <= MOST_ROWS_AT_ONCE:
            return coef, np.diagonal(dpotri(factor, lower=0, overwrite_c=1)[0])
        invert_in_blocks(matrix.T)
        return coef, np.diagonal(matrix).copy()


class _BySpectrum:
    """The same from the eigenvectors of K: every further penalty costs O(n^2)."""

    def __init__(self, K: np.ndarray):
        from scipy.linalg import eigh

        self.mean_diagonal = float(np.trace(K)) / len(K)
        size, self.U = eigh(K, overwrite_a=False, check_finite=False, driver="evd")
        self.size = size  # below 0 where the matrix is none of a kernel

    def best_penalties(self, Y: np.ndarray) -> np.ndarray:
        """(t,) for each target the penalty with the least mean square of (2)."""
        rotated, squares, size = self.U.T @ Y, self.U**2, np.maximum(self.size, 0.0)

        def errors(alpha: float) -> np.ndarray:
            share = 1.0 / (size + alpha)
            return np.mean(((self.U @ (share[:, None] * rotated)) / (squares @ share)[:, None]) ** 2, axis=0)

        return _least(errors, self.mean_diagonal)

    def solve(self, Y: np.ndarray, alpha: float, with_inverse: bool) -> tuple[np.ndarray, np.ndarray]:
        total = self.size + alpha
        sound = np.abs(total) > len(total) * np.finfo(float).eps * np.abs(total).max()
        share = np.divide(1.0, total, out=np.zeros_like(total), where=sound)
        return self.U @ (share[:, None] * (self.U.T @ Y)), self.U**2 @ share if with_inverse else np.ones(
            len(Y)
        )


class _ByColumns:
    r"""The same for K = ZZ' with few columns: :math:`(ZZ'+\alpha I)^{-1} = (I - Z(Z'Z+\alpha I)^{-1}Z')/\alpha`."""

    def __init__(self, Z: Any):
        S = Z.T @ Z
        S = finite(S.toarray() if hasattr(S, "toarray") else np.asarray(S), "KernelRidge")
        self.Z, self.mean_diagonal = Z, float(np.trace(S)) / Z.shape[0]
        self.size, self.V = np.linalg.eigh(S)
        self.size = np.maximum(self.size, 0.0)

    def best_penalties(self, Y: np.ndarray) -> np.ndarray:
        """(t,) for each target the penalty with the least mean square of (2)."""
        P = np.asarray(self.Z @ self.V)
        rotated, squares = P.T @ Y, P**2

        def errors(alpha: float) -> np.ndarray:
            share = 1.0 / (self.size + alpha)
            left = Y - P @ (share[:, None] * rotated)
            return np.mean((left / (1.0 - squares @ share)[:, None]) ** 2, axis=0)

        return _least(errors, self.mean_diagonal)

    def solve(self, Y: np.ndarray, alpha: float, with_inverse: bool) -> tuple[np.ndarray, np.ndarray]:
        share = 1.0 / (self.size + alpha)
        weights = (self.V * share) @ (self.V.T @ np.asarray(self.Z.T @ Y))
        diagonal = np.ones(Y.shape[0])
        if with_inverse:
            diagonal = (1.0 - np.asarray(self.Z @ self.V) ** 2 @ share) / alpha
        return (Y - self.Z @ weights) / alpha, diagonal


def _least(errors: Any, mean_diagonal: float) -> np.ndarray:
    """(t,) the penalties of the least errors: the best of a grid, refined between its neighbours."""
    from scipy.optimize import minimize_scalar

    scale = mean_diagonal if mean_diagonal > 0 else 1.0
    table = np.array([errors(alpha) for alpha in scale * PENALTIES])
    best = np.empty(table.shape[1])
    for t, place in enumerate(np.argmin(table, axis=0)):
        ends = np.log(scale * PENALTIES[[max(place - 1, 0), min(place + 1, len(PENALTIES) - 1)]])
        search = minimize_scalar(lambda log, t=t: errors(np.exp(log))[t], bounds=ends, method="bounded")
        best[t] = np.exp(search.x) if search.fun < table[place, t] else scale * PENALTIES[place]
    return best
