"""The hat matrix of least squares: leverages, and leaving out each row without fitting again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.targets import check_weights
from assay.errors import DataError, DegenerateError, ParameterError
from assay.stats.checks import as_matrix, as_points
from assay.tables.row_names import row_name

__all__ = ["HatMatrix", "hat_matrix", "leave_one_out", "press"]

ALONE = 1e-10  # a leverage nearer to 1 than this: the row alone decides its own fit


@dataclass(frozen=True)
class HatMatrix:
    r"""What turns observed numbers into fitted ones, :math:`\hat y = Hy`; made by `hat_matrix`.

    left, right : (n, r) with H = left rightᵀ, so that the n by n matrix is computed only on demand
    """

    left: NDArray[np.float64]
    right: NDArray[np.float64]

    @property
    def matrix(self) -> NDArray[np.float64]:
        """(n, n) all of H."""
        return self.left @ self.right.T

    @property
    def leverages(self) -> NDArray[np.float64]:
        """(n,) the diagonal of H: how much each row decides its own fit."""
        return np.einsum("ij,ij->i", self.left, self.right)

    @property
    def trace(self) -> float:
        """The sum of the leverages: the effective number of parameters."""
        return float(np.sum(self.leverages))

    def fit(self, y: ArrayLike) -> NDArray[np.float64]:
        """(n,) or (n, outputs) the fitted numbers H y."""
        return self.left @ (self.right.T @ as_points(y, "HatMatrix"))


def hat_matrix(X: ArrayLike, penalty: ArrayLike = 0.0, sample_weight: ArrayLike | None = None) -> HatMatrix:
    r"""The hat matrix of (ridge) least squares on the columns of X.

    .. math:: H = X(X^TX + \Lambda)^{-1}X^T, \qquad \Lambda = \operatorname{diag}(\lambda_1, \dots, \lambda_d)
                                                                                             \quad (1)

    X is the whole design, with its column of ones if there is an intercept; dependent columns are allowed.

    Parameters
    ----------
    X : (n, d)
    penalty : λ for all columns, or (d,) one for each; 0 for a column that is not penalised, such as the constant
    sample_weight : (n,) or None

    Examples
    --------
    The mean: every row has the same leverage.

    >>> from assay.stats.multivariate.hat_matrix import hat_matrix
    >>> hat_matrix([[1.0], [1.0], [1.0], [1.0]]).leverages.round(9)
    array([0.25, 0.25, 0.25, 0.25])

    See Also
    --------
    leave_one_out, press, effective_parameters

    References
    ----------
    - Hoaglin, D. C. and Welsch, R. E. (1978). The hat matrix in regression and ANOVA. The American Statistician
      32(1), 17-22.
    """
    who = "hat_matrix"
    D = as_matrix(X, who)
    n, d = D.shape
    w = check_weights(sample_weight, n, who)
    root = np.ones(n) if w is None else np.sqrt(w)
    ridge = np.asarray(penalty, dtype=np.float64)
    if (
        ridge.ndim > 1
        or (ridge.ndim == 1 and len(ridge) != d)
        or not (np.isfinite(ridge) & (ridge >= 0)).all()
    ):
        raise ParameterError(
            f"penalty must be one number from 0 up, or one for each of {d} columns.", who=who
        )
    ridge = np.broadcast_to(ridge, d)
    scale = np.abs(D).max(axis=0)  # columns of one size, so that the rank is judged fairly
    scale[scale == 0] = 1.0
    Z = root[:, None] * D / scale
    stacked = np.vstack([Z, np.diag(np.sqrt(ridge) / scale)]) if ridge.any() else Z
    U, s, _ = np.linalg.svd(stacked, full_matrices=False)
    basis = U[:n, s > max(stacked.shape) * np.finfo(np.float64).eps * s[0]]  # H = U₁U₁ᵀ of the stacked design
    if w is None:
        return HatMatrix(basis, basis)
    inverse = np.divide(1.0, root, out=np.zeros(n), where=root > 0)
    return HatMatrix(basis * inverse[:, None], basis * root[:, None])


def leave_one_out(residuals: ArrayLike, leverages: ArrayLike) -> NDArray[np.float64]:
    r"""The residual of each row under the fit to all other rows, without fitting again.

    .. math:: r_i - \hat y_{(i)} = \frac{r_i - \hat y_i}{1 - h_i}                              \quad (1)

    with the ordinary residual and the leverage of the row. Exact for least squares and for ridge with a given
    penalty.

    Examples
    --------
    The mean of 1, 2, 6 is 3, and 6 stands 4.5 above the mean of the other two.

    >>> from assay.stats import leave_one_out
    >>> leave_one_out([-2.0, -1.0, 3.0], [1 / 3, 1 / 3, 1 / 3])
    array([-3. , -1.5,  4.5])

    See Also
    --------
    press, hat_matrix

    References
    ----------
    - Allen, D. M. (1974). The relationship between variable selection and data augmentation and a method for
      prediction. Technometrics 16(1), 125-127.
    """
    who = "leave_one_out"
    e, h = as_points(residuals, who), as_points(leverages, who)
    if h.ndim != 1 or e.shape[:1] != h.shape:
        raise DataError(
            f"there must be one leverage for each residual, got {h.shape} and {e.shape}.", who=who
        )
    alone = np.flatnonzero(1 - h < ALONE)
    if len(alone):
        raise DegenerateError(
            f"{row_name(alone[0])} has leverage 1: without it the model is not determined, so it cannot "
            "be left out. "
            "Use fewer parameters, or a penalty.",
            who=who,
        )
    return e / (1 - h if e.ndim == 1 else (1 - h)[:, None])  # (1)


def press(X: ArrayLike, y: ArrayLike, penalty: ArrayLike = 0.0) -> float:
    r"""The sum of squared residuals of rows that were left out (PRESS); divide by n for the mean squared error.

    .. math:: \mathrm{PRESS} = \sum_i \left(\frac{r_i - \hat y_i}{1 - h_i}\right)^2             \quad (1)

    Examples
    --------
    >>> from assay.stats import press
    >>> round(press([[1.0], [1.0], [1.0]], [1.0, 2.0, 6.0]), 9)
    31.5

    See Also
    --------
    leave_one_out, hat_matrix

    References
    ----------
    - Allen, D. M. (1974). The relationship between variable selection and data augmentation and a method for
      prediction. Technometrics 16(1), 125-127.
    """
    H = hat_matrix(X, penalty)
    r = as_points(y, "press")
    if r.shape[:1] != H.left.shape[:1]:
        raise DataError(f"press: X has {len(H.left)} rows and y has {r.shape[:1]}.")
    return float(np.sum(leave_one_out(r - H.fit(r), H.leverages) ** 2))
