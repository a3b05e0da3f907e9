"""Ridge regression: least squares with a price on large weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.parameters import Array, Choice, Count, Flag, Range, Seed
from assay.core.stored import Text
from assay.errors import ParameterError
from assay.linear.inference.summary import Inference
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.least_squares_learner import SeveralOutputs
from assay.types import RandomState

__all__ = ["Ridge"]

SOLVERS = ("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs")


class Ridge(Inference, SeveralOutputs, LinearRegressor, Regressor):
    r"""Least squares that pays for the squared length of its weights.

    .. math:: \min_{w,b}\;\sum_i v_i\,(y_i - w^Tx_i - b)^2 + \alpha\lVert w\rVert^2                    \quad (1)

    The penalty makes the answer unique and steadies it where columns are nearly collinear: some bias for less variance.
    It is also the most probable w if weights are Gaussian beforehand with variance :math:`\sigma^2/\alpha` each. Scale
    the columns alike first, or the penalty favours those with large numbers. The rows enter through sums, so
    blocks, Dask and ``partial_fit`` give the same answer.

    Cost: fit O(n d^2 + d^3), and O(n^2 d + n^3) where n < d; predict O(d) a row; memory O(n d + min(n, d)^2) to fit,
    O(d) kept.

    Parameters
    ----------
    alpha : float, or (outputs,) one for each output, default 1.0
        The penalty; 0 is least squares, see LinearRegression.
    fit_intercept : bool, default True
        Whether there is a constant b.
    copy_X : bool, default True
        Accepted for scikit-learn's sake; X is never changed.
    max_iter : int, default None
        Of the iterations for sparse tables of more than 100 rows and columns; all else is solved directly.
    tol : float, default 1e-4
        When those iterations stop.
    solver : "auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga" or "lbfgs", default "auto"
        Accepted for scikit-learn's sake: all of them find the same w, which here is computed in the way that suits
        the data. As there, "lbfgs" goes with ``positive=True`` and only with it.
    positive : bool, default False
        Whether weights below 0 are forbidden.
    random_state : default None
        Accepted for scikit-learn's sake; nothing is drawn.
    penalize_intercept : bool, default False
        Whether the penalty is :math:`\alpha(\lVert w\rVert^2+b^2)`, the most probable (w, b) if b is drawn like w.

    Attributes
    ----------
    coef_ : (d,) or (outputs, d)      intercept_ : float or (outputs,)
    n_iter_ : None, since nothing is iterated
    solver_ : str, the way that scikit-learn takes with these settings

    Examples
    --------
    One column, sums of squares 10 and of products 20, so that w = 20 / (10 + 10):

    >>> from assay.linear import Ridge
    >>> model = Ridge(alpha=10.0).fit([[-2.0], [-1.0], [0.0], [1.0], [2.0]], [-4.0, -2.0, 0.0, 2.0, 4.0])
    >>> model.coef_, float(model.intercept_)
    (array([1.]), 0.0)

    See Also
    --------
    RidgeCV, Lasso, LinearRegression

    References
    ----------
    - Hoerl, A. E. and Kennard, R. W. (1970). Ridge regression: biased estimation for nonorthogonal problems.
      Technometrics 12(1), 55-67.
    """

    card = Card(
        "ridge",
        "least squares, shrunk",
        also=("ridge regression",),
        scale=True,
        learns=(
            "a linear function",
            "squared error + squared weights",
            "a Cholesky factor or a singular value decomposition",
            "analytic",
        ),
    )
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "alpha": Range(0) | Array(1, low=0),
        "fit_intercept": Flag(),
        "copy_X": Flag(),
        "max_iter": Count() | None,
        "tol": Range(0),
        "solver": Choice(*SOLVERS),
        "positive": Flag(),
        "random_state": Seed(),
        "penalize_intercept": Flag(),
    }
    stored = {"solver_": Text()}

    def __init__(
        self,
        alpha: ArrayLike = 1.0,
        *,
        fit_intercept: bool = True,
        copy_X: bool = True,
        max_iter: int | None = None,
        tol: float = 1e-4,
        solver: str = "auto",
        positive: bool = False,
        random_state: RandomState = None,
        penalize_intercept: bool = False,
    ):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state
        self.penalize_intercept = penalize_intercept

    _column_stays = False  # as in scikit-learn

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_solver(type(self).__name__, self.solver, self.positive)

    def _alphas(self, q: int) -> np.ndarray:
        alphas = np.ravel(np.asarray(self.alpha, dtype=np.float64))
        if len(alphas) not in (1, q):
            raise ParameterError(
                f"{type(self).__name__}: Number of targets and number of penalties do not correspond: "
                f"{len(alphas)} != {q}. Give one alpha, or one for each column of y."
            )
        return np.broadcast_to(alphas, q)

    def _keep_rank(self, rank: int, loose: int) -> None:
        self.n_iter_ = None
        self.solver_ = solver_name(self.solver, self.positive, False)


def check_solver(who: str, solver: str, positive: bool) -> None:
    """Refuse what scikit-learn refuses."""
    if solver == "lbfgs" and not positive:
        raise ParameterError(
            f"{who}: 'lbfgs' solver can be used only when positive=True. Please use another solver."
        )
    if positive and solver not in ("auto", "lbfgs"):
        raise ParameterError(
            f"{who}: solver='{solver}' does not support positive fitting. Please set the solver to 'auto' or 'lbfgs', "
            "or set `positive=False`"
        )


def solver_name(solver: str, positive: bool, sparse: bool) -> str:
    """What scikit-learn calls the way it takes."""
    if solver != "auto":
        return solver
    return "lbfgs" if positive else "sparse_cg" if sparse else "cholesky"
