"""Logistic regression: the log odds of the classes are linear in the columns."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Classifier, PassLearner
from assay.core.callbacks import iterations_of
from assay.core.parameters import Any_, Choice, Count, Flag, Range, Seed
from assay.core.progress import progress
from assay.core.stored import Each, FloatArray, Object, Plain, TableRows
from assay.core.sums import Rows, Source
from assay.errors import DataError, ParameterError, warn_user
from assay.linear.class_factors import class_factors
from assay.linear.compact import compact
from assay.linear.inference.summary import Inference
from assay.linear.linear_classifier import LinearClassifier
from assay.linear.logistic.logistic_by_columns import solve_by_columns
from assay.linear.logistic.logistic_objective import LogisticObjective
from assay.linear.logistic.logistic_solver import MAX_CURVATURE_WEIGHTS, minimise, runs_away
from assay.linear.logistic.logistic_sums import Scale
from assay.linear.logistic.row_sample import Survey, survey
from assay.optimize.objective import Optimum, Record
from assay.types import ClassWeight, Label, RandomState

__all__ = ["LogisticRegression"]

SAMPLE = 8192  # rows that are looked at first, shared among the classes
FITS = 1 << 24  # bytes of a table that may be copied into coordinates of its own


class LogisticRegression(Inference, LinearClassifier, PassLearner, Classifier):
    r"""Linear log odds of the classes, fitted by maximum (penalised) likelihood.

    Each class has a score :math:`z_k = w_k^Tx + b_k`, and the posterior is the softmax of the scores; two classes
    have one score, the log odds of the second, and the posterior is its logistic function

    .. math:: P(k\mid x) = \frac{e^{z_k}}{\sum_j e^{z_j}},\qquad P(1\mid x) = \frac1{1+e^{-z}}     \quad (1)

    The weights minimise the cross-entropy with a ridge, an absolute (lasso) or a mixed penalty:

    .. math:: C\sum_i w_i\big(-\ln P(y_i\mid x_i)\big) + \tfrac{1-\rho}2\lVert W\rVert^2
              + \rho\lVert W\rVert_1,\quad \rho = \text{l1\_ratio}                                  \quad (2)

    It is the learner to begin with when probabilities and reasons count: :math:`e^{w_{kj}}` is the factor by which
    one more unit of column j multiplies the odds. The steps are sums over rows, so that a table in memory, blocks
    from files and a Dask collection give the same weights.

    Cost: fit a few passes of O(n d K), whatever the scale of the columns, by Newton steps O(n d^2 K) each; predict O(d
    K) a row; memory O(n d + d^2) to fit, O(d K) kept.

    Parameters
    ----------
    penalty : "l2", "l1", "elasticnet" or None, deprecated
        As in scikit-learn it gives way to C and l1_ratio, and warns.
    C : float, default 1
        Inverse strength of the penalty, above 0; ``inf`` for none.
    l1_ratio : float, default 0
        :math:`\rho` of (2): 0 ridge, 1 lasso.
    dual : bool, default False
        True only with solver="liblinear"; the answer is the same.
    tol : float, default 1e-4
        Stop once no entry of the gradient of (2), divided by C times the sum of the weights, exceeds it, with the
        columns as they are and with columns of spread 1.
    fit_intercept : bool, default True
    intercept_scaling : float, default 1
        With solver="liblinear" the intercept is penalised as if it were this times a weight.
    class_weight : dict, "balanced" or None
        Factors of the rows' weights by class; "balanced" lets all classes weigh the same.
    random_state : accepted; nothing depends on it
    solver : str, default "lbfgs"
        "newton-cholesky" makes full Newton steps; "lbfgs", "newton-cg", "sag" and "saga" mean whatever is quickest;
        "liblinear" does, too, for two classes and with a penalised intercept.
    max_iter : int, default 100
        Steps at most.
    verbose, n_jobs : accepted; progress shows by itself, and threads are used when they help
    warm_start : bool, default False
        Begin with the weights of the last fit.
    penalize_intercept : bool, default False
        Whether the penalty counts the intercepts as well.
    reference : a class label, default None
        The class whose score is 0 (and its row of ``coef_``); the penalty counts the other rows. None treats all
        classes alike, their weights adding up to 0. For two classes the first is the reference anyway.

    Attributes
    ----------
    coef_ : (1, D) for two classes, else (K, D)      intercept_ : (1,) or (K,)
    n_iter_ : (1,) steps made
    history_ : list of Record, one a step: the value of (2) divided by C times the sum of the weights, the gradient

    Examples
    --------
    The chance of passing grows with the hours of study:

    >>> from assay.linear import LogisticRegression
    >>> hours, passed = [[0], [1], [2], [3], [4], [5]], [0, 0, 1, 0, 1, 1]
    >>> model = LogisticRegression(C=float("inf"), tol=1e-8).fit(hours, passed)
    >>> model.intercept_.round(6), model.coef_.round(6)
    (array([-3.035069]), array([[1.214028]]))
    >>> model.predict_proba([[2.5], [4]]).round(4)
    array([[0.5   , 0.5   ],
           [0.1393, 0.8607]])

    See Also
    --------
    LogisticRegressionCV, SGDClassifier, LogisticDiscriminant

    References
    ----------
    - Cox, D. R. (1958). The regression analysis of binary sequences. Journal of the Royal Statistical Society B
      20(2), 215-242.
    - McCullagh, P. and Nelder, J. A. (1989). Generalized Linear Models, second edition. Chapman and Hall.
    - Liu, D. C. and Nocedal, J. (1989). On the limited memory BFGS method for large scale optimization.
      Mathematical Programming 45, 503-528. doi:10.1007/BF01589116
    """

    card = Card(
        "logistic",
        "a weighted sum of the columns gives the log odds",
        also=("logistic regression", "softmax", "logit"),
        suits="any",
        scale=True,
        settings={"max_iter": 1000},
        learns=(
            "log odds linear in the columns",
            "log loss + squared (or absolute) weights",
            "Newton or quasi-Newton steps; coordinate descent",
            "global",
        ),
    )
    link = "softmax"
    kept_in_single = ("coef_", "intercept_")
    accepts = {
        "penalty": Choice("l1", "l2", "elasticnet", "deprecated") | None,
        "C": Range(0, open="low"),
        "l1_ratio": Range(0, 1) | None,
        "dual": Flag(),
        "tol": Range(0),
        "fit_intercept": Flag(),
        "intercept_scaling": Range(0, open="low"),
        "class_weight": Any_("None, 'balanced', or a dict from classes to numbers"),
        "random_state": Seed(),
        "solver": Choice("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"),
        "max_iter": Count(0),
        "verbose": Count(0) | Flag(),
        "warm_start": Flag(),
        "n_jobs": Any_("a whole number or None", lambda v: v is None or isinstance(v, Integral)),
        "penalize_intercept": Flag(),
        "reference": Any_("a class label or None"),
    }
    stored = {
        "coef_": FloatArray("K | 1", "p") | TableRows("K | 1", "p"),
        "intercept_": FloatArray("K | 1"),
        "history_": Each(Object(Record) | Plain()),
    }

    coef_: np.ndarray
    intercept_: np.ndarray
    n_iter_: np.ndarray
    history_: list[Record]

    def __init__(
        self,
        penalty: str | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: ClassWeight = None,
        random_state: RandomState = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
        penalize_intercept: bool = False,
        reference: Label | None = None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.penalize_intercept = penalize_intercept
        self.reference = reference

    @property
    def reference_category(self) -> bool:  # type: ignore[override]
        """Without a penalty one indicator of a nominal column is too many."""
        return self._mixture()[0] == np.inf

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.solver != "liblinear"
        return tags

    def _check_parameters(self) -> None:
        super()._check_parameters()
        who = type(self).__name__
        check_dual(who, self.solver, self.dual)
        if self.penalty == "elasticnet" and self.l1_ratio is None:
            raise ParameterError(f"{who}: l1_ratio must be specified when penalty is elasticnet.")
        message = ""
        if self.penalty is None and self.C != 1.0:
            message = "Setting penalty=None will ignore the C and l1_ratio parameters."
        elif self.penalty in ("l1", "l2") and self.l1_ratio not in (None, float(self.penalty == "l1")):
            message = f"Inconsistent values: penalty={self.penalty} with l1_ratio={self.l1_ratio}. Use l1_ratio only."
        if message:
            warn_user(f"{who}: {message}", UserWarning)
        if self.penalty != "deprecated":
            warn_user(
                f"{who}: 'penalty' was deprecated in scikit-learn 1.8 and goes in 1.10. Use C=inf for penalty=None, "
                "l1_ratio=0 for 'l2', l1_ratio=1 for 'l1', and l1_ratio alone for 'elasticnet'.",
                FutureWarning,
            )
        elif self.l1_ratio is None:
            warn_user(
                f"{who}: 'l1_ratio=None' was deprecated in scikit-learn 1.8 and goes in 1.10. Use l1_ratio=0.",
                FutureWarning,
            )

    def _mixture(self) -> tuple[float, float]:
        """C and rho of (2), whichever way they were given."""
        if self.penalty is None:
            return np.inf, 0.0
        ratio = {"l2": 0.0, "l1": 1.0}.get(self.penalty, self.l1_ratio or 0.0)
        return float(self.C), 0.0 if np.isinf(self.C) else float(ratio)

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        X = compact(X)
        dense = isinstance(X, np.ndarray)
        X = np.ascontiguousarray(X) if dense else X
        if dense and self._mixture()[1] == 0:
            self._learn_from(Rows(X, y, w))
        else:
            self._learn_by_columns(X, y, w)

    def _keep_precision(self, X: Any) -> None:
        if self.solver != "liblinear":  # which computes in double precision
            super()._keep_precision(X)

    def _learn_from(self, source: Source) -> None:
        K = self._count_classes()
        C, ratio = self._mixture()
        if ratio:
            raise DataError(
                f"{type(self).__name__}: with l1_ratio={ratio:g} all rows must be in memory. Use l1_ratio=0, or "
                "load the rows and call fit."
            )
        sums = survey(source, K, max(1, SAMPLE // K))
        factors, total = self._factors(sums.weight)
        objective = LogisticObjective(
            source,
            K,
            self._scale(sums, total),
            strength=1.0 / C,
            fit_intercept=self.fit_intercept,
            intercept_strength=self._intercept_strength() / C,
            reference=None if self.reference is None else self._number(self.reference),
            class_weight=factors,
        )
        sample = sums.sample
        assert sample is not None
        rows = int(sample.count.sum())
        if sample.complete and (not isinstance(source, Rows) or sample.X.size * 8 <= FITS):
            objective = objective.over(Rows(sample.X, sample.y, sample.w), factors)
        optimum = self._minimise(objective, None if sample.complete else sample.rows(factors), rows)
        self._keep(*self._as_coefficients(objective.weights(optimum.w), objective), optimum)
        if np.isinf(C) and runs_away(objective, optimum.w):
            self._warn_of_separation(source if isinstance(source, Rows) else None)

    def _minimise(self, objective: LogisticObjective, sample: Rows | None, rows: int) -> Optimum:
        start = self._start()
        first = np.zeros(objective.shape).ravel() if start is None else objective.start(start.T)
        tasks = iterations_of(self, "step")

        def fitted(w: np.ndarray) -> dict[str, np.ndarray]:
            return dict(zip(("coef_", "intercept_"), self._as_coefficients(objective.weights(w), objective)))

        with progress(self.max_iter, f"{type(self).__name__}: steps") as bar:

            def watch(record: Record) -> bool:
                bar.advance(note=f"gradient {record.gradient:.2g}")
                if tasks is None or record.weights is None or record.iteration == 0:
                    return False
                return tasks.end(fitted(record.weights))

            if tasks is not None:
                tasks.begin(fitted(first))
            optimum = minimise(
                objective,
                sample,
                rows,
                first,
                method="newton" if self.solver == "newton-cholesky" else "quick",
                tol=self.tol,
                max_iter=self.max_iter,
                watch=watch,
                keep=tasks is not None,
            )
            if tasks is None:
                return optimum
            tasks.close()
            return replace(optimum, history=[replace(record, weights=None) for record in optimum.history])

    def _most_iterations(self) -> int:
        return max(self.max_iter, 1) + 1  # one more begins than are made

    def _learn_by_columns(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        """Sparse rows, or a penalty with corners: solvers of their own, all rows in memory."""
        K = self._count_classes()
        C, ratio = self._mixture()
        if ratio and self.reference is not None and K > 2:
            raise ParameterError(
                f"{type(self).__name__}: reference needs l1_ratio=0, got l1_ratio={ratio:g}."
            )
        plain = self.reference is None or K == 2
        if not ratio and not (plain and (np.isfinite(C) or X.shape[1] * K > MAX_CURVATURE_WEIGHTS)):
            self._learn_from(Rows(X, y, w))  # which knows reference classes, and sees weights that run away
            return
        factors, total = self._factors(np.bincount(y, weights=w, minlength=K).astype(np.float64))
        if factors is not None:
            w = factors[y] if w is None else w * factors[y]
        W, optimum = solve_by_columns(
            X,
            y,
            w,
            K,
            C,
            ratio,
            fit_intercept=self.fit_intercept,
            intercept_strength=self._intercept_strength(),
            tol=self.tol,
            max_iter=self.max_iter,
            start=self._start(),
        )
        self._keep(*_coefficients(W, K > 2 and not ratio), optimum)

    def _as_coefficients(self, W: np.ndarray, objective: LogisticObjective) -> tuple[np.ndarray, np.ndarray]:
        """``coef_`` and ``intercept_`` from the (d + 1, rows) weights of an objective."""
        return _coefficients(W, objective.shape[1] == objective.K)

    def _keep(self, coef: np.ndarray, intercept: np.ndarray, optimum: Optimum) -> None:
        """Set the attributes, and warn if the fit has not converged."""
        self.coef_, self.intercept_ = coef, intercept
        self.n_iter_ = np.array([optimum.n_iter], dtype=np.int32)
        self.history_ = optimum.history
        if not optimum.converged and optimum.reason != "watch":
            last = optimum.history[-1]
            advice = "Raise max_iter." if optimum.reason == "iterations" else "Raise tol, or lower C."
            warn_user(
                f"{type(self).__name__} stopped after {last.iteration} steps with a gradient of {last.gradient:.2g} "
                f"(tol={self.tol:g}). {advice}",
                ConvergenceWarning,
            )

    def _count_classes(self) -> int:
        check_classes(type(self).__name__, self.solver, self.classes_)
        if self.reference is not None:
            self._number(self.reference)
        return len(self.classes_)

    def _factors(self, weight: np.ndarray) -> tuple[np.ndarray | None, float]:
        """The factors of the classes, and the sum of all weights with them."""
        factors = class_factors(self.class_weight, self.classes_, weight, type(self).__name__)
        return factors, float(weight.sum() if factors is None else weight @ factors)

    def _scale(self, sums: Survey, total: float) -> Scale:
        columns = sums.columns
        if not total > 0:
            raise DataError(
                f"{type(self).__name__}: the weights of all rows are zero, so there is nothing to learn."
            )
        if not np.isfinite(columns.scatter).all():
            j = int(np.argmin(np.isfinite(columns.scatter)))
            raise DataError(
                f"{type(self).__name__}: column {self._names[j]} has values too large to be squared. Divide them by "
                "some power of ten."
            )
        centred = self.fit_intercept and not (self._intercept_strength() and self._mixture()[0] < np.inf)
        return Scale.of(columns.mean, columns.scatter / columns.total, total, centred)

    def _intercept_strength(self) -> float:
        """What the penalty of an intercept is multiplied with."""
        if not self.fit_intercept:
            return 0.0
        if self.solver == "liblinear":
            return 1.0 / max(float(self.intercept_scaling) ** 2, 1e-300)
        return float(self.penalize_intercept)

    def _start(self) -> np.ndarray | None:
        """(rows, d + 1) the weights of the last fit, if they are wanted."""
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        K, d = len(self.classes_), len(self._names)
        expected = (1 if K == 2 else K, d)
        if self.coef_.shape != expected:
            raise ParameterError(
                f"{type(self).__name__}: warm_start begins with coef_ of shape {self.coef_.shape}, but expected shape "
                f"{expected} for this table. Set warm_start=False."
            )
        start = np.column_stack((self.coef_, self.intercept_)).astype(np.float64)
        if not np.isfinite(start).all():
            raise ParameterError(
                f"{type(self).__name__}: warm_start begins with coef_ and intercept_ that are no finite numbers "
                "(Floating-point under-/overflow). Set warm_start=False."
            )
        return start

    def _warn_of_separation(self, rows: Rows | None) -> None:
        """Warn that the likelihood has no maximum, if possible naming the columns."""
        message = (
            "the classes (or some of them) are separated: the weights grow for ever and the likelihood has no "
            "maximum. Set C to a finite number, or leave out the columns that decide"
        )
        if rows is not None:
            from assay.linear.separation.separability import separation

            separated = separation(
                rows.X,
                rows.y,
                rows.w,
                fit_intercept=self.fit_intercept,
                names=self._names,
                classes=self.classes_,
            )
            if separated.kind == "none":
                return
            message = separated.sentence or message
        warn_user(f"{type(self).__name__}: {message.rstrip('.')}.", ConvergenceWarning)


def _coefficients(W: np.ndarray, symmetric: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows of coefficients and intercepts from (d + 1, rows) weights."""
    if symmetric:  # what all classes share no row determines, and a penalty draws it to 0
        W = W - W.mean(axis=1, keepdims=True)
    return np.ascontiguousarray(W[:-1].T), W[-1].copy()


def check_dual(who: str, solver: str, dual: bool) -> None:
    """Refuse the dual problem where the solver has none."""
    if dual and solver != "liblinear":
        raise ParameterError(
            f"{who}: Solver {solver} supports only dual=False, got dual=True. Leave dual as it is."
        )


def check_classes(who: str, solver: str, classes: np.ndarray) -> None:
    """Refuse one class alone, and more than two where the solver tells apart two."""
    if len(classes) < 2:
        raise DataError(
            f"{who}: y has only one class, {classes.tolist()[0]!r}; at least 2 classes are needed."
        )
    if len(classes) > 2 and solver == "liblinear":
        raise ParameterError(
            f"{who}: The 'liblinear' solver does not support multiclass classification (n_classes >= 3). Leave "
            "solver as it is, with penalize_intercept=True for a penalised intercept, or use OneVsRestClassifier."
        )
