"""Logistic regression whose penalty is chosen by cross-validation along a path."""

from __future__ import annotations

import inspect
import warnings
from typing import Any

import numpy as np
from sklearn.utils.metadata_routing import UNUSED

from assay.core import Card, Classifier
from assay.core.parallel import in_threads
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import Progress, progress
from assay.core.routing import PassesOn
from assay.core.stored import Each, FloatArray, IntArray, Mapped, Object, Scalar
from assay.errors import DataError, ParameterError, warn_user
from assay.linear.class_factors import class_factors
from assay.linear.compact import compact
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.elastic_net_logistic import Search
from assay.linear.logistic.logistic_regression import LogisticRegression, check_classes, check_dual
from assay.linear.regression.penalty_curve import PenaltyCurve
from assay.tables import Table
from assay.tables.rows import entries_of_rows
from assay.types import ClassWeight, RandomState, Scoring, Splitter, TableLike, Target, Weights

__all__ = ["LogisticRegressionCV"]

NEWTON_WEIGHTS = 500  # weights up to which full Newton steps cost little
EXACT = 1e-4  # tolerance of the final weights, relative to that of the folds


class LogisticRegressionCV(PassesOn, LinearClassifier, Classifier):
    r"""Logistic regression with the penalty of the best cross-validated score.

    For each mixture :math:`\rho` of absolute and quadratic penalty, the weights that minimise

    .. math:: C\sum_i w_i\big(-\ln P(y_i\mid x_i)\big) + \rho\|W\|_1 + \tfrac{1-\rho}2\|W\|^2        \quad (1)

    are computed along rising C, each from the last one's weights, on all folds but one, and judged by ``scoring`` on
    that one. The penalty with the best mean score is taken, or, with ``one_standard_error``, the strongest whose score
    is not more than a standard error below it, and the weights are computed once more from all rows.

    Cost: fit cv times the number of penalties fits of LogisticRegression, each a few passes of O(n d K); predict O(d K)
    a row; memory O(n d + d^2) to fit, O(d K) for each penalty and fold kept.

    Parameters
    ----------
    Cs : int or list of floats, default 10
        How many values of C, from 1e-4 to 1e4, evenly spaced in the logarithm; or the values.
    l1_ratios : list of floats, default (0,)
        Values of :math:`\rho` to choose from.
    fit_intercept, dual, solver, tol, max_iter, class_weight : as in LogisticRegression
    intercept_scaling, random_state : as in LogisticRegression
    penalty : "l1", "l2" or "elasticnet", deprecated
        As in scikit-learn it gives way to l1_ratios, and warns.
    cv : int, splitter or iterable, default None
        The folds: 5, stratified by class, if None (fewer if no class has 5 rows). A splitter of groups gets those of
        ``fit(X, y, groups=...)``.
    scoring : str or function, default None
        What is judged by, as in scikit-learn; None is the accuracy. "neg_log_loss" judges the probabilities.
    n_jobs : int, default None
        Threads at most; None for as many as there are cores. The answer does not depend on it.
    verbose : accepted; progress shows by itself
    refit : bool, default True
        False averages the weights, C and :math:`\rho` of each fold's best instead.
    use_legacy_attributes : bool, default False
        True for attributes as scikit-learn had them before 1.8: ``C_`` and ``l1_ratio_`` arrays with one entry a class,
        ``scores_`` and ``coefs_paths_`` dicts from class labels to (folds, m, r) and (folds, m, r, D + 1),
        ``n_iter_`` of shape (1, folds, m, r); without the axis of the mixtures if ``l1_ratios`` is None.
    one_standard_error : bool, default False
        Take the strongest penalty within one standard error of the best.
    penalize_intercept : bool, default False
        Whether the intercept is penalised like the weights, as in LogisticRegression.

    Attributes
    ----------
    C_ : float      l1_ratio_ : float      Cs_ : (m,)      l1_ratios_ : (r,)
    coef_ : (1, D) for two classes, else (K, D)      intercept_ : (1,) or (K,)
    scores_ : (folds, r, m)      n_iter_ : (folds, r, m)
    coefs_paths_ : (folds, r, m, 1 or K, D + 1), the intercept last, if there is one
    curve_ : PenaltyCurve of the chosen mixture: print it

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from assay.linear import LogisticRegressionCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LogisticRegressionCV(Cs=[0.01, 0.1, 1, 10], scoring="neg_log_loss", max_iter=500).fit(X, y)
    >>> model.C_
    10.0
    >>> print(model.curve_)
           C  neg_log_loss  standard error
        0.01       -0.6391        0.004437
         0.1       -0.3313         0.01124
           1         -0.14          0.0158
          10      -0.06778         0.01994  chosen

    See Also
    --------
    LogisticRegression, RidgeClassifierCV

    References
    ----------
    - Cox, D. R. (1958). The regression analysis of binary sequences. Journal of the Royal Statistical Society B
      20(2), 215-242.
    - Hastie, T., Tibshirani, R. and Friedman, J. (2009). The Elements of Statistical Learning, second edition.
      Springer. doi:10.1007/978-0-387-84858-7
    """

    card = Card(
        "lasso logistic",
        "the same with few columns, how few by cross-validation",
        also=("l1 logistic",),
        scale=True,
        settings={
            "l1_ratios": (1.0,),
            "use_legacy_attributes": False,
            "scoring": "neg_log_loss",
            "max_iter": 1000,
        },
        learns=(
            "log odds linear in the columns",
            "log loss + squared (or absolute) weights",
            "Newton or quasi-Newton steps; coordinate descent",
            "global",
        ),
    )
    __metadata_request__score = {"sample_weight": UNUSED}  # the scorer's to ask for
    link = "softmax"
    _has_scorer = True
    accepts = {
        "Cs": Any_(
            "a whole number from 1 up, or a list of numbers above 0",
            lambda v: (
                Count(1).holds(v)
                if np.ndim(v) == 0
                else len(v) > 0 and all(Range(0, open="low").holds(C) for C in v)
            ),
        ),
        "l1_ratios": Any_(
            "a list of numbers from 0 to 1",
            lambda v: (
                v is None
                or (isinstance(v, str) and v == "warn")
                or (np.ndim(v) == 1 and len(v) > 0 and all(Range(0, 1).holds(r) for r in v))
            ),
        ),
        "fit_intercept": Flag(),
        "cv": None,
        "dual": Flag(),
        "penalty": Choice("l1", "l2", "elasticnet", "deprecated"),
        "scoring": None,
        "solver": Choice("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"),
        "tol": Range(0),
        "max_iter": Count(0),
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
        "n_jobs": Count(-1024) | None,
        "verbose": Count(0) | Flag(),
        "refit": Flag(),
        "intercept_scaling": Range(0, open="low"),
        "random_state": Seed(),
        "use_legacy_attributes": Flag() | Choice("warn"),
        "one_standard_error": Flag(),
        "penalize_intercept": Flag(),
    }
    stored = {
        "C_": Scalar() | FloatArray("*"),
        "Cs_": FloatArray("*"),
        "coefs_paths_": FloatArray("*", "*", "*", "*", "*")
        | FloatArray("*", "*", "*", "*")
        | Mapped(FloatArray("*", "*", "*") | FloatArray("*", "*", "*", "*")),
        "curve_": Object(PenaltyCurve),
        "l1_ratio_": Scalar() | FloatArray("*"),
        "l1_ratios_": FloatArray("*") | Each(Scalar() | None) | None,
        "scores_": FloatArray("*", "*", "*")
        | FloatArray("*", "*")
        | Mapped(FloatArray("*", "*") | FloatArray("*", "*", "*")),
        "n_iter_": IntArray("*")
        | IntArray("*", "*")
        | IntArray("*", "*", "*")
        | IntArray("*", "*", "*", "*"),
    }

    C_: Any  # floats and arrays, or as before scikit-learn 1.8
    l1_ratio_: Any
    scores_: Any
    coefs_paths_: Any
    n_iter_: Any

    def __init__(
        self,
        *,
        Cs: Any = 10,
        l1_ratios: Any = (0.0,),
        fit_intercept: bool = True,
        cv: Splitter | None = None,
        dual: bool = False,
        penalty: str = "deprecated",
        scoring: Scoring | None = None,
        solver: str = "lbfgs",
        tol: float = 1e-4,
        max_iter: int = 100,
        class_weight: ClassWeight = None,
        n_jobs: int | None = None,
        verbose: bool | int = 0,
        refit: bool = True,
        intercept_scaling: float = 1.0,
        random_state: RandomState = None,
        use_legacy_attributes: Any = False,
        one_standard_error: bool = False,
        penalize_intercept: bool = False,
    ):
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.dual = dual
        self.penalty = penalty
        self.scoring = scoring
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.refit = refit
        self.intercept_scaling = intercept_scaling
        self.random_state = random_state
        self.use_legacy_attributes = use_legacy_attributes
        self.one_standard_error = one_standard_error
        self.penalize_intercept = penalize_intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags

    def score(self, X: TableLike, y: Target, sample_weight: Weights | None = None, **params: Any) -> float:
        """The score of the answers for X, by ``scoring``; params go to the scorer, if it has requested them."""
        routed = self._routed("score", sample_weight, params)
        return self._scorer()(self, X, y, **routed.scorer.score)

    def _score_by_blocks(self) -> str:
        return "mean" if self._measure() == "accuracy" else ""

    def _scorer(self) -> Any:
        from sklearn.metrics import get_scorer

        return get_scorer(self._measure())

    def _measure(self) -> Any:
        plain = self.scoring is None or (isinstance(self.scoring, str) and self.scoring == "warn")
        return "accuracy" if plain else self.scoring

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_dual(type(self).__name__, self.solver, self.dual)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        from sklearn.model_selection import check_cv

        who, K = type(self).__name__, len(self.classes_)
        check_classes(who, self.solver, self.classes_)
        X = compact(X)
        if isinstance(X, np.ndarray):
            X = np.ascontiguousarray(X, dtype=np.float64)
        factors = class_factors(
            self.class_weight, self.classes_, np.bincount(y, w, K).astype(np.float64), who
        )
        weight = w if factors is None else factors[y] * (1.0 if w is None else w)
        Cs = np.logspace(-4, 4, self.Cs) if np.ndim(self.Cs) == 0 else np.array(self.Cs, dtype=np.float64)
        ratios = self._ratios()
        with warnings.catch_warnings():  # a class with fewer rows than folds is judged where it is
            warnings.filterwarnings("ignore", "The least populated class", UserWarning)
            cv = min(5, max(2, int(np.bincount(y).max()))) if self.cv is None else self.cv
            splitter = check_cv(cv, self.classes_[y], classifier=True)
            folds = list(splitter.split(X, self.classes_[y], **self._metadata.splitter.split))
        if not folds:
            raise ParameterError(f"{who}: cv must give at least one fold, got none.")
        judge, metadata = _Judge(self._measure(), self.classes_, X), dict(self._metadata.scorer.score)
        if "sample_weight" in metadata:
            metadata["sample_weight"] = w  # as it was checked
        with progress(len(folds) * len(ratios) * len(Cs), f"{who}: penalties") as bar:

            def fold(rows: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
                train, test = rows
                part = (X[train], y[train], None if weight is None else weight[train])
                if part[2] is not None and not part[2].any():
                    raise DataError(
                        f"{who}: all rows of a training fold have weight 0. Use fewer folds, or shuffle the rows."
                    )
                paths = [self._path(*part, Cs, ratio, bar) for ratio in ratios]
                weights = np.array([path[0] for path in paths])  # (r, m, rows, D + 1)
                exam = (X[test], y[test], entries_of_rows(metadata, test, len(y)))
                scores = np.array([[judge(W, *exam) for W in path] for path in weights])
                return weights, scores, np.array([path[1] for path in paths])

            results = in_threads(fold, folds, self.n_jobs)
        weights, scores, steps = (np.array(part) for part in zip(*results))
        self.Cs_, self.l1_ratios_ = Cs, np.array(ratios)
        self.scores_, self.n_iter_ = scores, steps
        self.coefs_paths_ = weights if self.fit_intercept else weights[..., :-1]
        W = self._choose_penalty(X, y, weight, weights)
        self.coef_, self.intercept_ = np.ascontiguousarray(W[:, :-1]), W[:, -1].copy()
        if self.use_legacy_attributes is True:
            self._as_before()

    def _as_before(self) -> None:
        """The attributes by class, as they were before scikit-learn 1.8."""
        labels = (self.classes_[1:] if len(self.classes_) == 2 else self.classes_).tolist()
        scores, steps = (
            np.swapaxes(self.scores_, 1, 2),
            np.swapaxes(self.n_iter_, 1, 2)[None],
        )  # (folds, m, r)
        paths = np.moveaxis(self.coefs_paths_, (3, 2), (0, 2))  # (rows, folds, m, r, D + 1)
        if self.l1_ratios is None:
            scores, steps, paths = scores[..., 0], steps[..., 0], paths[..., 0, :]
        self.C_ = np.full(len(labels), self.C_)
        self.l1_ratio_ = np.full(len(labels), self.l1_ratio_)
        self.scores_ = {label: scores.copy() for label in labels}
        self.coefs_paths_ = {label: path.copy() for label, path in zip(labels, paths)}
        self.n_iter_ = steps

    def _ratios(self) -> list[float]:
        if self.penalty in ("l1", "l2"):
            self._penalty_goes()
            return [1.0 if self.penalty == "l1" else 0.0]
        if self.penalty == "elasticnet":
            self._penalty_goes()
        elif self.l1_ratios is None:
            warn_user(
                f"{type(self).__name__}: 'l1_ratios=None' was deprecated in scikit-learn 1.8 and goes in 1.10. Use "
                "l1_ratios=(0,).",
                FutureWarning,
            )
        unset = self.l1_ratios is None or isinstance(self.l1_ratios, str)
        return [0.0] if unset else [float(ratio) for ratio in self.l1_ratios]

    def _penalty_goes(self) -> None:
        warn_user(
            f"{type(self).__name__}: 'penalty' was deprecated in scikit-learn 1.8 and goes in 1.10. Use "
            "l1_ratios=(0,) for 'l2', l1_ratios=(1,) for 'l1', and l1_ratios alone for 'elasticnet'.",
            FutureWarning,
        )

    def _path(
        self, X: Any, y: np.ndarray, w: np.ndarray | None, Cs: np.ndarray, ratio: float, bar: Progress
    ) -> tuple[np.ndarray, np.ndarray]:
        """(m, rows, D + 1) weights and (m,) steps, C rising, each from the last one's weights."""
        rows, d = 1 if len(self.classes_) == 2 else len(self.classes_), X.shape[1]
        weights, steps = np.empty((len(Cs), rows, d + 1)), np.empty(len(Cs), dtype=np.int32)
        walk = self._walker(X, y, w, ratio, self.tol)
        for i in np.argsort(Cs, kind="stable"):
            weights[i], n_iter = walk(float(Cs[i]))
            steps[i] = max(n_iter, 1)  # finding out that it was there already is a step, too
            bar.advance()
        return weights, steps

    def _walker(self, X: Any, y: np.ndarray, w: np.ndarray | None, ratio: float, tol: float) -> Any:
        """A function of C that gives the weights and the steps, and remembers where it was."""
        if ratio and self.solver != "liblinear" and not self.penalize_intercept:
            search = Search(X, y, w, len(self.classes_), self.fit_intercept)

            def by_columns(C: float) -> tuple[np.ndarray, int]:
                optimum = search.descend(C, ratio, tol, self.max_iter)
                if not optimum.converged:
                    self._unfinished(optimum)
                return optimum.w, optimum.n_iter

            return by_columns
        model = LogisticRegression(
            l1_ratio=ratio,
            dual=self.dual,
            tol=tol,
            fit_intercept=self.fit_intercept,
            intercept_scaling=self.intercept_scaling,
            solver=self._solver(X, tol < self.tol),
            max_iter=self.max_iter,
            warm_start=True,
            penalize_intercept=self.penalize_intercept,
        )
        model.classes_ = self.classes_
        model._remember(Table.of(X[:1], who=type(self).__name__).schema)

        def by_rows(C: float) -> tuple[np.ndarray, int]:
            model.C = C
            model._learn(X, y, w)
            return np.column_stack((model.coef_, model.intercept_)), int(model.n_iter_[0])

        return by_rows

    def _solver(self, X: Any, exact: bool) -> str:
        """Full Newton steps for the last digits, where they cost little."""
        few = isinstance(X, np.ndarray) and X.shape[1] * len(self.classes_) <= NEWTON_WEIGHTS
        return "newton-cholesky" if exact and few and self.solver != "liblinear" else self.solver

    def _unfinished(self, optimum: Any) -> None:
        from sklearn.exceptions import ConvergenceWarning

        advice = "Raise max_iter." if optimum.reason == "iterations" else "Raise tol, or lower Cs."
        warn_user(
            f"{type(self).__name__} stopped after {optimum.n_iter} steps (tol={self.tol:g}). {advice}",
            ConvergenceWarning,
        )

    def _choose_penalty(self, X: Any, y: np.ndarray, w: np.ndarray | None, weights: np.ndarray) -> np.ndarray:
        """Set what was chosen; the weights (rows, D + 1) that follow."""
        order = np.argsort(self.Cs_, kind="stable")
        total = self.scores_.mean(axis=0)  # (r, m)
        c, r = np.unravel_index(int(np.argmax(total.T)), total.T.shape)
        measure = self._measure()
        name = measure if isinstance(measure, str) else "score"
        curve = PenaltyCurve("C", self.Cs_[order], self.scores_[:, r, order].T, name, True, 0)
        chosen = curve.within_one_standard_error if self.one_standard_error else int(np.argmax(order == c))
        self.curve_ = PenaltyCurve("C", curve.penalty, curve.scores, name, True, chosen)
        if self.refit:
            c = order[chosen]
            self.C_, self.l1_ratio_ = float(self.Cs_[c]), float(self.l1_ratios_[r])
            # from scratch, and exactly, since this one is kept: no trace of the folds' paths is left
            return self._walker(X, y, w, self.l1_ratio_, EXACT * self.tol)(self.C_)[0]
        flat = np.moveaxis(self.scores_, 1, 2).reshape(len(weights), -1)  # (folds, m r)
        best = np.argmax(flat, axis=1)
        at, ratio = np.divmod(best, len(self.l1_ratios_))
        self.C_, self.l1_ratio_ = float(self.Cs_[at].mean()), float(self.l1_ratios_[ratio].mean())
        return np.mean([weights[f, ratio[f], at[f]] for f in range(len(weights))], axis=0)


class _Judge:
    """The score of weights on rows that were left out."""

    def __init__(self, measure: Any, classes: np.ndarray, X: Any):
        self.measure, self.classes = measure, classes
        if measure == "accuracy":
            return
        from sklearn.metrics import get_scorer, make_scorer

        self.scorer = get_scorer(measure)
        function = getattr(self.scorer, "_score_func", None)
        known = inspect.signature(function).parameters if function is not None else {}
        if "labels" in known:  # a fold may lack some
            fixed = {"labels": classes, **self.scorer._kwargs}
            if len(classes) == 2 and "pos_label" in known:
                fixed.setdefault("pos_label", classes[-1])
            self.scorer = make_scorer(
                function,
                greater_is_better=self.scorer._sign == 1,
                response_method=self.scorer._response_method,
                **fixed,
            )
        self.schema = Table.of(X[:1], who="LogisticRegressionCV").schema

    def __call__(self, W: np.ndarray, X: TableLike, y: np.ndarray, metadata: dict[str, Any]) -> float:
        w = metadata.get("sample_weight")
        if w is not None and not w.any():  # rows without weight are better judges than none
            metadata = {name: value for name, value in metadata.items() if name != "sample_weight"}
            w = None
        model = LogisticRegression()
        model.classes_, model.coef_, model.intercept_ = self.classes, W[:, :-1], W[:, -1]
        if isinstance(self.measure, str) and self.measure == "accuracy":
            return float(np.average(model._choose(X) == y, weights=w))
        model._remember(self.schema)
        return float(self.scorer(model, X, self.classes[y], **metadata))
