"""Weights of the lasso and of the elastic net for many penalties at once, each begun where the last one ended."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed, check
from assay.core.seeds import random_state_of
from assay.core.targets import numeric_target
from assay.errors import ParameterError, warn_user
from assay.linear.compact import compact
from assay.linear.regression.coordinate_descent import complain, grid, problem
from assay.tables import Table
from assay.types import RandomState, TableLike, Target

__all__ = ["enet_path", "lasso_path"]

ACCEPTS = {
    "l1_ratio": Range(0, 1),
    "eps": Range(0, 1, open="both"),
    "alphas": Any_(
        "a whole number from 1 up, or a list of numbers from 0 up",
        lambda v: v is None or (isinstance(v, str) and v == "warn") or np.ndim(v) > 0 or Count(1).holds(v),
    ),
    "precompute": Any_(
        "'auto', True, False or an array of cross products",
        lambda v: isinstance(v, (bool, np.bool_)) or np.ndim(v) == 2 or (isinstance(v, str) and v == "auto"),
    ),
    "positive": Flag(),
    "tol": Range(0),
    "max_iter": Count(1),
    "random_state": Seed(),
    "selection": Choice("cyclic", "random"),
}


def enet_path(
    X: TableLike,
    y: Target,
    *,
    l1_ratio: float = 0.5,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: ArrayLike = 100,
    precompute: bool | str | ArrayLike = "auto",
    Xy: ArrayLike | None = None,
    copy_X: bool = True,
    coef_init: ArrayLike | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    check_input: bool = True,
    tol: float = 1e-4,
    max_iter: int = 1000,
    random_state: RandomState = None,
    selection: str = "cyclic",
) -> tuple[Any, ...]:
    r"""The weights of the elastic net along falling alphas.

    Minimises :math:`\tfrac1{2n}\|y-Xw\|^2 + \alpha\rho\|w\|_1 + \tfrac12\alpha(1-\rho)\|w\|^2` without an intercept,
    so centre X and y first. Several outputs are solved one by one.

    Parameters
    ----------
    X : (n, d) numbers, dense or sparse        y : (n,) or (n, outputs)
    l1_ratio : rho, from 0 to 1
    eps : smallest alpha as a share of the largest
    alphas : how many, evenly spaced in the logarithm from the smallest one without any weight; or the alphas
    n_alphas : former name of that number
    precompute : "auto", True, False or (d, d) array, as in ElasticNet
    Xy, copy_X, verbose, check_input : accepted; nothing depends on them
    coef_init : (d,) or (outputs, d) where to begin
    return_n_iter : whether to return the sweeps as well
    positive, tol, max_iter, random_state, selection : as in ElasticNet

    Returns
    -------
    alphas : (m,) falling        coefs : (d, m) or (outputs, d, m)
    dual_gaps : (m,) summed over the outputs        n_iters : list of m, if asked for

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import enet_path
    >>> X, y = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.array([2.5, 1.5, -1.5, -2.5])
    >>> alphas, coefs, gaps = enet_path(X, y, l1_ratio=1.0, alphas=[1.0, 0.25])
    >>> coefs
    array([[1.  , 1.75],
           [0.  , 0.25]])

    See Also
    --------
    lasso_path, ElasticNet

    References
    ----------
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """
    if not isinstance(n_alphas, str):
        _goes("n_alphas", "the number in alphas")
        alphas = n_alphas
    elif alphas is None:
        _goes("alphas=None", "a number or a list of alphas")
    check(
        "enet_path",
        ACCEPTS,
        {
            "l1_ratio": l1_ratio,
            "eps": eps,
            "alphas": alphas,
            "precompute": precompute,
            "positive": positive,
            "tol": tol,
            "max_iter": max_iter,
            "random_state": random_state,
            "selection": selection,
        },
    )
    values = compact(Table.of(X, who="enet_path").values)
    target = numeric_target(y, values.shape[0], "enet_path")
    table = target[:, None] if target.ndim == 1 else target
    gram = None if isinstance(precompute, str) or precompute is False else precompute
    data = problem(values, table, None, False, gram, "enet_path")
    grid = _alphas(alphas, data, l1_ratio, eps, positive)
    seed = int(random_state_of(random_state).randint(1, 2**31)) if selection == "random" else 0
    start = None if coef_init is None else np.atleast_2d(np.asarray(coef_init, dtype=np.float64))
    expected = (table.shape[1], values.shape[1])
    if start is not None and (start.shape != expected or not np.isfinite(start).all()):
        raise ParameterError(
            f"enet_path: coef_init must hold finite numbers in the shape {expected}, got shape {start.shape}."
        )
    coefs, gaps, sweeps = [], np.zeros(len(grid)), np.zeros(len(grid), dtype=np.int64)
    for k in range(table.shape[1]):
        weights, gap, turns = data.path(
            k, grid, l1_ratio, tol, max_iter, positive, seed, None if start is None else start[k]
        )
        complain(gap, tol * data.square[k] / data.total, "enet_path", max_iter)
        coefs.append(weights.T)
        gaps, sweeps = gaps + gap, np.maximum(sweeps, turns)
    answer = (grid, coefs[0] if target.ndim == 1 else np.array(coefs), gaps)
    return (*answer, sweeps.tolist()) if return_n_iter else answer


def lasso_path(
    X: TableLike,
    y: Target,
    *,
    eps: float = 1e-3,
    n_alphas: Any = "deprecated",
    alphas: ArrayLike = 100,
    precompute: bool | str | ArrayLike = "auto",
    Xy: ArrayLike | None = None,
    copy_X: bool = True,
    coef_init: ArrayLike | None = None,
    verbose: bool | int = False,
    return_n_iter: bool = False,
    positive: bool = False,
    **params: Any,
) -> tuple[Any, ...]:
    """The weights of the lasso along falling alphas: :func:`enet_path` with ``l1_ratio=1``.

    Parameters
    ----------
    X, y, eps, n_alphas, alphas, precompute, Xy, copy_X, coef_init, verbose, return_n_iter, positive, params
        As in enet_path; params are its tol, max_iter, random_state and selection.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import lasso_path
    >>> X, y = np.array([[1, 1], [1, -1], [-1, 1], [-1, -1.0]]), np.array([2.5, 1.5, -1.5, -2.5])
    >>> lasso_path(X, y, alphas=3, eps=0.01)[0].round(4)
    array([2.  , 0.2 , 0.02])

    See Also
    --------
    enet_path, Lasso

    References
    ----------
    - Tibshirani, R. (1996). Regression shrinkage and selection via the lasso. Journal of the Royal Statistical
      Society B 58(1), 267-288.
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """
    return enet_path(
        X,
        y,
        l1_ratio=1.0,
        eps=eps,
        n_alphas=n_alphas,
        alphas=alphas,
        precompute=precompute,
        Xy=Xy,
        copy_X=copy_X,
        coef_init=coef_init,
        verbose=verbose,
        return_n_iter=return_n_iter,
        positive=positive,
        **params,
    )


def _goes(what: str, instead: str) -> None:
    warn_user(
        f"enet_path: '{what}' was deprecated in scikit-learn 1.9 and goes in 1.11. Give {instead}.",
        FutureWarning,
    )


def _alphas(alphas: Any, data: Any, l1_ratio: float, eps: float, positive: bool) -> np.ndarray:
    if alphas is None or isinstance(alphas, str):
        alphas = 100
    if np.ndim(alphas) == 0:
        return grid(data, l1_ratio, int(alphas), eps, positive, "enet_path")
    descending = np.sort(np.asarray(alphas, dtype=np.float64))[::-1].copy()
    if descending.ndim != 1 or not len(descending) or not ((descending >= 0) & (descending < np.inf)).all():
        raise ParameterError(f"enet_path: alphas must be numbers from 0 up, got {alphas!r}.")
    return descending
