"""Elastic net whose penalty is chosen by cross-validation along a path."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Regressor
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.routing import PassesOn
from assay.core.seeds import random_state_of
from assay.core.stored import Each, FloatArray, IntArray, Integer, Object, Scalar
from assay.errors import DataError, ParameterError
from assay.linear.compact import compact
from assay.linear.linear_regressor import LinearRegressor
from assay.linear.regression.coordinate_descent import CrossProducts, Problem, complain, grid, problem
from assay.linear.regression.paths import enet_path
from assay.linear.regression.penalty_curve import PenaltyCurve
from assay.linear.regression.selecting_regressor import SelectingRegressor
from assay.types import RandomState, Splitter

__all__ = ["ElasticNetCV"]

SERIAL_MULTIPLICATIONS = 1e6  # multiplications up to which threads are not worth their start


class ElasticNetCV(PassesOn, SelectingRegressor, LinearRegressor, Regressor):  # type: ignore[misc]
    r"""Elastic net with the :math:`\alpha` and the mixture of the smallest cross-validated error.

    For each mixture :math:`\rho`, weights are computed along falling alphas, each from the last one's weights, on all
    folds but one, and judged by the mean squared error on that one. The penalty with the smallest mean error is
    taken, or, with ``one_standard_error``, the strongest whose error is not more than a standard error above it, and
    the weights are computed once more from all rows. With n > d the folds are taken out of the cross products of all
    rows, so that the rows are multiplied only twice, whatever the number of folds.

    Cost: fit cv times a path of O(n d^2 + s d^2) for s sweeps of all its penalties; predict O(d) a row; memory O(n d +
    d^2) to fit, O(d) kept.

    Parameters
    ----------
    l1_ratio : float or list of floats, default 0.5
        Mixtures to choose from; of several, values near 1 are the ones to look at closely.
    eps : float, default 1e-3
        Smallest alpha as a share of the largest.
    alphas : int or array, default 100
        How many alphas, evenly spaced in the logarithm below the one that keeps all weights at 0; or the alphas.
    fit_intercept, max_iter, tol, positive, random_state, selection : as in ElasticNet
    precompute : "auto", bool or (d, d) array, default "auto"
        Whether the cross products are used; "auto" and False let the learner choose.
    cv : int, splitter or iterable, default None
        The folds: 5 in the order of the rows if None. A splitter of groups gets those of ``fit(X, y, groups=...)``.
    n_jobs : int, default None
        Threads at most; None for as many as there are cores. The answer does not depend on it.
    copy_X, verbose : accepted; X is never written to, and progress shows by itself
    one_standard_error : bool, default False
        Take the strongest penalty within one standard error of the best.

    Attributes
    ----------
    alpha_ : float      l1_ratio_ : float      coef_ : (D,)      intercept_ : float
    alphas_ : (m,), or (ratios, m)        mse_path_ : (m, folds), or (ratios, m, folds)
    curve_ : PenaltyCurve of the chosen mixture: print it
    dual_gap_ : float      n_iter_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from assay.linear import ElasticNetCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 8))
    >>> model = ElasticNetCV(l1_ratio=[0.5, 1.0]).fit(X, 3 * X[:, 0] + rng.normal(size=60))
    >>> model.l1_ratio_, round(model.alpha_, 1), np.flatnonzero(np.abs(model.coef_) > 0.5)
    (1.0, 0.1, array([0]))

    See Also
    --------
    ElasticNet, LassoCV, enet_path

    References
    ----------
    - Zou, H. and Hastie, T. (2005). Regularization and variable selection via the elastic net. Journal of the Royal
      Statistical Society B 67(2), 301-320. doi:10.1111/j.1467-9868.2005.00503.x
    - Friedman, J., Hastie, T. and Tibshirani, R. (2010). Regularization paths for generalized linear models via
      coordinate descent. Journal of Statistical Software 33(1), 1-22. doi:10.18637/jss.v033.i01
    """

    card = Card(
        "elastic net cv",
        "elastic net, its penalty by cross-validation",
        scale=True,
        learns=(
            "a linear function with few columns",
            "squared error + absolute and squared weights",
            "coordinate descent",
            "global",
        ),
    )
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "l1_ratio": Any_(
            "a number from 0 to 1, or a list of such",
            lambda v: np.size(v) > 0 and all(Range(0, 1).holds(r) for r in np.atleast_1d(v)),
        ),
        "eps": Range(0, open="low"),
        "alphas": Any_(
            "a whole number from 1 up, or a list of numbers from 0 up",
            lambda v: Count(1).holds(v) or _is_list(v),
        ),
        "fit_intercept": Flag(),
        "precompute": Any_(
            "'auto', True, False or an array of cross products",
            lambda v: (
                isinstance(v, (bool, np.bool_)) or np.ndim(v) == 2 or (isinstance(v, str) and v == "auto")
            ),
        ),
        "max_iter": Count(1),
        "tol": Range(0),
        "cv": None,
        "copy_X": Flag(),
        "verbose": Flag() | Count(0),
        "n_jobs": Count(-1024) | None,
        "positive": Flag(),
        "random_state": Seed(),
        "selection": Choice("cyclic", "random"),
        "one_standard_error": Flag(),
    }
    stored = {
        "dual_gap_": Scalar() | FloatArray("*"),
        "n_iter_": Integer() | Each(Integer()) | IntArray("*"),
        "alpha_": Scalar(),
        "alphas_": FloatArray("*") | FloatArray("*", "*"),
        "curve_": Object(PenaltyCurve),
        "l1_ratio_": Scalar(),
        "mse_path_": FloatArray("*", "*") | FloatArray("*", "*", "*"),
    }
    path = staticmethod(enet_path)

    def __init__(
        self,
        *,
        l1_ratio: ArrayLike = 0.5,
        eps: float = 1e-3,
        alphas: Any = 100,
        fit_intercept: bool = True,
        precompute: bool | str | ArrayLike = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        cv: Splitter | None = None,
        copy_X: bool = True,
        verbose: bool | int = 0,
        n_jobs: int | None = None,
        positive: bool = False,
        random_state: RandomState = None,
        selection: str = "cyclic",
        one_standard_error: bool = False,
    ):
        self.l1_ratio = l1_ratio
        self.eps = eps
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.copy_X = copy_X
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.positive = positive
        self.random_state = random_state
        self.selection = selection
        self.one_standard_error = one_standard_error

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        from sklearn.model_selection import check_cv

        who = type(self).__name__
        if y.ndim == 2:
            raise DataError(
                f"{who} learns one output, y has {y.shape[1]}. Fit one model for each column of y."
            )
        X, target = compact(X), y[:, None]
        w = None if w is None else w * (len(w) / w.sum())  # only their shares count
        gram = None if self.precompute is False or isinstance(self.precompute, str) else self.precompute
        whole = problem(X, target, w, self.fit_intercept, gram, who)
        ratios = [float(ratio) for ratio in np.atleast_1d(self.l1_ratio)]
        grids = [self._grid(whole, ratio) for ratio in ratios]
        folds = list(check_cv(self.cv).split(X, y, **self._metadata.splitter.split))
        if not folds:
            raise ParameterError(f"{who}: cv must give at least one fold, got none.")

        def judge(fold: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
            train, test = (_rows(part) for part in fold)
            data = _training_part(whole, X, target, w, train, test, self.fit_intercept, who)
            models = [self._weights(data, alphas, ratio) for alphas, ratio in zip(grids, ratios)]
            bar.advance()
            return np.array([_errors(X[test], y[test], _some(w, test), *model) for model in models])

        work = whole.cost * len(folds) * sum(len(alphas) for alphas in grids)
        with progress(len(folds), f"{who}: folds") as bar:
            judged = in_threads(judge, folds, 1 if work <= SERIAL_MULTIPLICATIONS else self.n_jobs)
        errors = np.array(judged)  # (folds, ratios, m)
        self._choose_penalty(errors, grids, ratios)
        weights, history = whole.descend(
            0,
            self.alpha_,
            self.l1_ratio_,
            self.tol,
            self.max_iter,
            self.positive,
            self._seed(),
            np.zeros(X.shape[1]),
        )
        complain(history[-1].gap, self.tol * whole.square[0] / whole.total, who, self.max_iter)
        self.coef_, self.intercept_ = weights, float(whole.intercept(weights, 0))
        self.dual_gap_, self.n_iter_ = history[-1].gap, history[-1].iteration
        self._keep_noise(whole, weights[None], self.alpha_, self.l1_ratio_)

    def _grid(self, whole: Problem, ratio: float) -> np.ndarray:
        who = type(self).__name__
        if np.ndim(self.alphas) == 0:
            return grid(whole, ratio, self.alphas, self.eps, self.positive, who)
        alphas = np.asarray(self.alphas, dtype=object)
        for i, alpha in enumerate(alphas):
            if not Range(0, np.inf, open="high").holds(alpha):
                raise ParameterError(f"{who}: alphas[{i}] must be a number from 0 up, got {alpha!r}.")
        return np.sort(alphas.astype(np.float64))[::-1].copy()

    def _seed(self) -> int:
        drawn = self.selection == "random"
        return int(random_state_of(self.random_state).randint(1, 2**31)) if drawn else 0

    def _weights(self, data: Problem, alphas: np.ndarray, ratio: float) -> tuple[np.ndarray, np.ndarray]:
        """(m, d) weights and (m,) intercepts."""
        settings = (self.tol, self.max_iter, self.positive, self._seed())
        weights, gaps, _ = data.path(0, alphas, ratio, *settings)
        complain(gaps, self.tol * data.square[0] / data.total, type(self).__name__, self.max_iter)
        return weights, data.intercept(weights, 0)

    def _choose_penalty(self, errors: np.ndarray, grids: list[np.ndarray], ratios: list[float]) -> None:
        table = np.moveaxis(errors, 0, 2)  # (ratios, m, folds)
        curves = [
            PenaltyCurve("alpha", alphas, scores, "mean squared error", False, 0)
            for alphas, scores in zip(grids, table)
        ]
        r = int(np.argmin([curve.mean.min() for curve in curves]))
        best = curves[r]
        chosen = best.within_one_standard_error if self.one_standard_error else best.best
        self.curve_ = PenaltyCurve("alpha", best.penalty, best.scores, best.measure, False, chosen)
        self.alpha_, self.l1_ratio_ = float(grids[r][chosen]), ratios[r]
        self.alphas_ = np.array(grids) if len(ratios) > 1 and np.ndim(self.alphas) == 0 else grids[0]
        self.mse_path_ = np.squeeze(table)


def _is_list(v: Any) -> bool:
    """Whether v is a list of single things, at least one."""
    return not isinstance(v, str) and hasattr(v, "__len__") and len(v) > 0 and not any(map(np.ndim, v))


def _rows(part: np.ndarray) -> np.ndarray:
    part = np.asarray(part)
    return np.flatnonzero(part) if part.dtype == bool else part


def _some(w: np.ndarray | None, rows: np.ndarray) -> np.ndarray | None:
    return None if w is None else w[rows]


def _training_part(
    whole: Problem,
    X: Any,
    y: np.ndarray,
    w: np.ndarray | None,
    train: np.ndarray,
    test: np.ndarray,
    fit_intercept: bool,
    who: str,
) -> Problem:
    """The problem of the training rows: what is left of the cross products of all rows, if that is most of them."""
    weight = _some(w, train)
    if weight is not None and not weight.any():
        raise DataError(
            f"{who}: all rows of a training fold have weight 0. Use fewer folds, or shuffle the rows."
        )
    if isinstance(whole, CrossProducts) and len(test) <= len(train) and _complement(train, test, len(y)):
        training = whole.without(X[test], y[test], _some(w, test), fit_intercept)
        if training.total > 0.3 * whole.total:
            return training
    return problem(X[train], y[train], weight, fit_intercept, None, who)


def _complement(train: np.ndarray, test: np.ndarray, n: int) -> bool:
    if len(train) + len(test) != n:
        return False
    used = np.zeros(n, dtype=np.int8)
    used[train] = 1
    used[test] = 1
    return bool(used.all())


def _errors(
    X: Any, y: np.ndarray, w: np.ndarray | None, weights: np.ndarray, intercepts: np.ndarray
) -> np.ndarray:
    """(m,) mean squared errors of m models."""
    residual = np.asarray(X @ weights.T)
    residual += intercepts - y[:, None]
    if w is None or not w.any():
        return np.einsum("nm,nm->m", residual, residual) / len(y)
    return (w / w.sum()) @ residual**2
