"""Linear regression: ordinary least squares."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from assay.core import Card, Regressor
from assay.core.parameters import Any_, Flag, Range
from assay.core.stored import FloatArray, Integer
from assay.errors import DegenerateWarning, warn_user
from assay.linear.inference.summary import Inference
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.least_squares_learner import SeveralOutputs

__all__ = ["LinearRegression"]


class LinearRegression(Inference, SeveralOutputs, LinearRegressor, Regressor):
    r"""Ordinary least squares.

    .. math:: \min_{w,b}\;\sum_i v_i\,(y_i - w^Tx_i - b)^2                                            \quad (1)

    with row weights :math:`v_i` (1 unless given): maximum likelihood under Gaussian noise. The rows enter through sums
    of squares and products alone, so blocks of rows, Dask and ``partial_fit`` give the same answer. Columns may
    differ in scale by any power of ten. Where columns are (nearly) collinear the rows are looked at twice and solved by
    orthogonal transformations, which keeps the digits that squaring would lose.

    If (1) does not have one answer (collinear columns, or no more rows than columns), the shortest w is given, with a
    ``DegenerateWarning``; a constant column gets weight 0. A direction is left out only if rounding cannot tell it
    from zero (scikit-learn leaves out more, see ``tol``). The first category of each nominal column is the
    reference.

    Cost: fit O(n d^2 + d^3), and O(n^2 d + n^3) where n < d; predict O(d) a row; memory O(n d + min(n, d)^2) to fit,
    O(d) kept.

    Parameters
    ----------
    fit_intercept : bool, default True
        Whether there is a constant b.
    copy_X : bool, default True
        Accepted for scikit-learn's sake; X is never changed.
    tol : float, default 1e-6
        When the iterations for sparse tables of more than 100 rows and columns stop; all else is solved directly.
        (In scikit-learn also the size of singular values, relative to the largest, that count as 0.)
    n_jobs : int or None, default None
        Accepted for scikit-learn's sake; see ``ASSAY_NUM_THREADS``.
    positive : bool, default False
        Whether weights below 0 are forbidden.

    Attributes
    ----------
    coef_ : (d,) or (outputs, d)      intercept_ : float or (outputs,)
    rank_ : int, of the centred columns
    singular_ : (min(n, d),) singular values of the centred, weighted columns, largest first (dense tables)

    Examples
    --------
    >>> from assay.linear import LinearRegression
    >>> model = LinearRegression().fit([[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [3, 5, 6, 8, 9, 12])
    >>> model.coef_.round(6), round(float(model.intercept_), 6)        # 59/35 and 19/15
    (array([1.685714]), 1.266667)

    See Also
    --------
    Ridge, Lasso, PolynomialRegressor

    References
    ----------
    - Björck, Å. (1996). Numerical Methods for Least Squares Problems. SIAM.
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card(
        "linear regression",
        "a weighted sum of the columns with the least squared error",
        also=("least squares", "ols"),
        suits="any",
        learns=(
            "a linear function",
            "squared error",
            "normal equations or an orthogonal decomposition; non-negative least squares",
            "analytic",
        ),
    )
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "tol": Range(0),
        "n_jobs": Any_("None or a whole number", lambda v: v is None or (type(v) is int and v != 0)),
        "positive": Flag(),
    }
    stored = {
        "rank_": Integer(),
        "singular_": FloatArray("*"),
    }
    reference_category = True

    def __init__(
        self,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        tol: float = 1e-6,
        n_jobs: int | None = None,
        positive: bool = False,
    ):
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    def _keep_rank(self, rank: int, loose: int) -> None:
        self.__dict__.pop("singular_", None)
        self.rank_ = rank
        d = self.coef_.shape[-1]
        if loose and not self.positive:
            warn_user(
                f"LinearRegression: the columns are linearly dependent (rank {rank} of {d}), so the weights are not "
                "unique; the shortest are given. Drop a column, or use Ridge.",
                DegenerateWarning,
            )

    @cached_property
    def singular_(self) -> np.ndarray:
        """(min(n, d),) singular values of the centred, weighted columns, largest first."""
        kept = self._sums.kept
        if kept is not None:
            if not isinstance(kept.X, np.ndarray):
                raise AttributeError("LinearRegression: singular_ is for dense tables.")
            root = np.ones(len(kept.X)) if kept.w is None else np.sqrt(kept.w)
            mean = root**2 @ kept.X / (root @ root) if self.fit_intercept else 0.0
            return np.linalg.svd((kept.X - mean) * root[:, None], compute_uv=False)
        moments = self._sums.moments
        d = len(self._names)
        S = moments.scatter[0][:d, :d]
        if not self.fit_intercept:
            S = S + moments.count[0] * np.outer(moments.mean[0][:d], moments.mean[0][:d])
        return np.sqrt(np.maximum(np.linalg.eigvalsh(S)[::-1], 0.0))
