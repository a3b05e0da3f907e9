"""Regression of ordered classes: one linear predictor, and a threshold between each class and the next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Classifier
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues, dense_block
from assay.core.fitting import all_or_nothing
from assay.core.model_view import Part
from assay.core.parameters import Any_, Choice, Count, Range
from assay.core.stored import AnyArray, Each, FloatArray, Object
from assay.core.sums import Rows
from assay.core.targets import check_weights, encode_labels, label_codes
from assay.errors import DataError, DegenerateWarning, ParameterError, warn_user
from assay.linear.inference.coefficient_table import CoefficientTable, CoefficientTest
from assay.linear.inference.fisher_information import column_scale, condition, group_codes, refuse_one_group
from assay.linear.inference.fit_measures import likelihood_measures
from assay.linear.inference.ordinal_inference import (
    OrdinalInference,
    ParallelSlopesTest,
    parallel_slopes_test,
)
from assay.linear.inference.summary import SHRUNKEN, Inference, check_options, inflation_factors, wald
from assay.linear.inference.summary_rows import SummaryRows
from assay.linear.ordinal.cumulative_links import CUMULATIVE_LINKS, CumulativeLink
from assay.linear.ordinal.cumulative_objective import CumulativeObjective
from assay.linear.terms import terms_section
from assay.optimize.newton import newton
from assay.optimize.objective import Record
from assay.types import RowLabels, TableLike, Target, Weights

SEPARATED = 1e-5  # share of the information about a direction that is left where the classes are separated
HIGHER = "the linear predictor (the larger, the higher the class)"


class OrdinalLogisticRegression(Inference, Classifier):
    r"""Model classes that have an order by thresholds on one linear predictor: the proportional odds model.

    Of K ordered classes (low, medium, high), with a distribution function F and thresholds
    :math:`\theta_1<\dots<\theta_{K-1}`

    .. math:: P(y\le k\mid x) = F(\theta_k - w^Tx).                                               \quad (1)

    With the logistic F the odds of a higher class grow by the factor :math:`e^{w_j}` with each unit of column j, at
    every threshold alike. It spends d + K - 1 parameters where a softmax spends (d + 1)(K - 1), and uses the order that
    a softmax does not see. The likelihood is maximised by Newton's method with the exact second derivatives and step
    control, in coordinates that do not depend on the units of the columns. :meth:`summary` has standard errors, tests
    and odds ratios, :meth:`brant_test` tells whether the odds are proportional.

    Cost: fit O(n d^2) a step, some 6 steps; predict O(d + K) a row; memory O(n d) to fit, O(d + K) kept.

    Parameters
    ----------
    order : list of labels, default None
        The classes from the lowest to the highest. None takes the order of an ordered categorical column, else sorts
        the labels. A label without a row is left out.
    link : "logit", "probit", "cloglog", "loglog" or "cauchit", default "logit"
        F: logistic, normal, :math:`1-e^{-e^x}` (proportional hazards), :math:`e^{-e^{-x}}`, or Cauchy's.
    alpha : float, default 0
        Weight of the penalty :math:`\frac\alpha2\lVert w\rVert^2` beside the mean log loss; thresholds are free.
    max_iter : int, default 100
        Most steps.
    tol : float, default 1e-8
        Stop when no entry of the gradient (of the mean log loss, for columns of spread 1) is larger.

    Attributes
    ----------
    coef_ : (d,) the weights      thresholds_ : (K-1,)
    levels_ : (K,) the labels from the lowest to the highest
    classes_ : (K,) the labels, sorted: the columns of ``predict_proba``
    n_iter_ : int      history_ : list of Record, one for each step

    Examples
    --------
    >>> from assay.linear import OrdinalLogisticRegression
    >>> X = [[1], [2], [3], [4], [5], [6], [7], [8], [9]]
    >>> y = ["low", "low", "medium", "low", "medium", "high", "medium", "high", "high"]
    >>> model = OrdinalLogisticRegression(order=["low", "medium", "high"]).fit(X, y)
    >>> model.predict([[1], [5], [9]])
    array(['low', 'medium', 'high'], dtype='<U6')
    >>> model.expected_rank([[1], [5], [9]]).round(2)
    array([1.05, 2.  , 2.95])

    See Also
    --------
    LogisticRegression, GeneralizedLinearModel

    References
    ----------
    - McCullagh, P. (1980). Regression models for ordinal data. Journal of the Royal Statistical Society B 42, 109-142.
      doi:10.1111/j.2517-6161.1980.tb01109.x
    - Agresti, A. (2010). Analysis of Ordinal Categorical Data, second edition. Wiley. doi:10.1002/9780470594001
    - Brant, R. (1990). Assessing proportionality in the proportional odds model for ordinal logistic regression.
      Biometrics 46, 1171-1178. doi:10.2307/2532457
    """

    card = Card(
        "ordinal logit",
        "thresholds on one weighted sum of the columns, for classes that have an order",
        also=("proportional odds", "ordered logit"),
        settings={"alpha": 0.001},  # finite weights also where the classes are separated
        learns=(
            "a linear score and ordered thresholds",
            "log loss of the ordered classes",
            "Newton steps",
            "global",
        ),
    )
    accepts = {
        "order": Any_(
            "a list of labels, or None", lambda v: v is None or not isinstance(v, (str, bytes, int, float))
        ),
        "link": Choice(*CUMULATIVE_LINKS),
        "alpha": Range(0),
        "max_iter": Count(1),
        "tol": Range(0),
    }
    stored = {
        "coef_": FloatArray("p", finite=True),
        "thresholds_": FloatArray("K - 1", finite=True),
        "levels_": AnyArray("K"),
        "history_": Each(Object(Record)),
    }
    takes: ClassVar[frozenset[str]] = frozenset({"sparse"})
    reference_category = True
    fit_intercept = True  # the thresholds are constants

    coef_: np.ndarray
    thresholds_: np.ndarray
    levels_: np.ndarray

    def __init__(
        self,
        order: Sequence[Any] | None = None,
        *,
        link: str = "logit",
        alpha: float = 0.0,
        max_iter: int = 100,
        tol: float = 1e-8,
    ):
        self.order = order
        self.link = link
        self.alpha = alpha
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # where the classes have no order along one direction
        return tags

    @all_or_nothing
    def fit(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> Self:
        """Learn from the rows of X and their classes y.

        Parameters
        ----------
        X : table, (n, d)
        y : (n,) class labels; those of an ordered categorical column have its order
        sample_weight : (n,) how often each row counts
        """
        self._check_parameters()
        who = type(self).__name__
        values = self._admit(X, fitting=True)
        self.classes_, codes = encode_labels(y, values.shape[0], who)
        w = check_weights(sample_weight, values, who)
        self.levels_ = self._ordered(y)
        self._learn(values, codes, w)
        return self

    def _ordered(self, y: Any) -> np.ndarray:
        """The labels from the lowest to the highest."""
        who, labels = type(self).__name__, self.classes_.tolist()
        order = _category_order(y) if self.order is None else list(self.order)
        if order is None:
            return self.classes_
        order = [label.item() if isinstance(label, np.generic) else label for label in order]
        unlisted = [label for label in labels if label not in order]
        if unlisted:
            raise DataError(
                f"y has the label {unlisted[0]!r}, which order does not list: {order}. Name every class once, the "
                "lowest first.",
                who=who,
            )
        if len(set(order)) < len(order):
            raise ParameterError(f"order names a label twice: {order}.", who=who)
        empty = [label for label in order if label not in labels]
        if empty and self.order is not None:
            warn_user(
                f"{who}: no row has the label {empty[0]!r}, so there is no threshold to learn for it; it is left out.",
                DegenerateWarning,
            )
        place = {label: k for k, label in enumerate(labels)}
        return self.classes_[[place[label] for label in order if label in place]]

    @property
    def _level_of_class(self) -> np.ndarray:
        """(K,) the place of each of ``classes_`` in the order."""
        place = {label: k for k, label in enumerate(self.levels_.tolist())}
        return np.array([place[label] for label in self.classes_.tolist()], dtype=np.int64)

    def _link(self) -> CumulativeLink:
        return CUMULATIVE_LINKS[self.link]

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        K, levels = len(self.classes_), self._level_of_class[y]
        count = np.bincount(levels, w, K).astype(np.float64)
        if (count == 0).any():
            empty = self.levels_.tolist()[int(np.argmin(count))]
            raise DataError(
                f"all rows of the class {empty!r} have weight 0, so there is no threshold to learn for it. Leave them "
                "out.",
                who=type(self).__name__,
            )
        if K < 2:
            self.coef_, self.thresholds_ = np.zeros(X.shape[1]), np.zeros(0)
            self.n_iter_, self.history_ = 1, []
            return
        rows = Rows(X, levels, w)
        objective = CumulativeObjective(rows, K, self._link(), column_scale(rows, True), float(self.alpha))
        start = objective.start(count)
        optimum = newton(objective, start, tol=self.tol, max_iter=self.max_iter)
        self.coef_, self.thresholds_ = objective.outside(optimum.w)
        self.history_, self.n_iter_ = optimum.history, max(1, optimum.n_iter)
        if self.alpha == 0 and (column := self._separating(objective, start, optimum.w)):
            warn_user(
                f"{type(self).__name__}: the classes do not overlap along {column}, so the likelihood rises without "
                "end and its coefficient is arbitrarily large; probabilities near 0 and 1 say no more than that. Set "
                "alpha above 0 for finite effects.",
                DegenerateWarning,
            )
        elif not optimum.converged and optimum.reason == "iterations":
            last = optimum.history[-1]
            warn_user(
                f"{type(self).__name__} stopped after {last.iteration} steps with a gradient of {last.gradient:.2g}. "
                "Raise max_iter, or tol.",
                ConvergenceWarning,
            )

    def _separating(self, objective: CumulativeObjective, start: np.ndarray, at: np.ndarray) -> str:
        """The column along which hardly any information is left, compared with no effect at all; "" if none is."""
        d = objective.d
        with np.errstate(all="ignore"):
            before, now = objective.curvature(start)[2], objective.curvature(at)[2]
        values, vectors = np.linalg.eigh(before)
        sound = values > 1e-12 * values.max()
        root = vectors[:, sound] / np.sqrt(values[sound])
        if not np.isfinite(now).all():
            return self._names[int(np.argmax(np.abs(at[:d])))]
        left, directions = np.linalg.eigh(root.T @ now @ root)
        if not len(left) or left[0] >= SEPARATED:
            return ""
        along = np.abs((root @ directions[:, 0])[:d])
        return self._names[int(np.argmax(along))] if along.any() else ""

    # ------------------------------------------------------------------ answers

    def linear_predictor(self, X: TableLike) -> np.ndarray:
        """(n,) w'x: the larger, the higher the class; the thresholds are on its scale."""
        return np.asarray(self._admit(X) @ self.coef_, np.float64)

    def expected_rank(self, X: TableLike) -> np.ndarray:
        """(n,) the mean of the class's rank, from 1 for the lowest to K for the highest."""
        return self._by_level(self._admit(X)) @ np.arange(1.0, len(self.levels_) + 1)

    def _by_level(self, X: Any) -> np.ndarray:
        """(n, K) probabilities from the lowest class to the highest."""
        eta = np.asarray(X @ self.coef_, np.float64)
        n, K = len(eta), len(self.levels_)
        if K < 2:
            return np.ones((n, K))
        link = self._link()
        a = self.thresholds_ - eta[:, None]  # (n, K-1)
        with np.errstate(over="ignore", under="ignore"):
            below, above = np.exp(link.log_cdf(a)), np.exp(link.log_sf(a))
        P = np.empty((n, K))
        P[:, 0], P[:, -1] = below[:, 0], above[:, -1]
        upper = below[:, :-1] > 0.5  # differences of the smaller numbers lose fewer digits
        P[:, 1:-1] = np.where(upper, above[:, :-1] - above[:, 1:], below[:, 1:] - below[:, :-1])
        np.maximum(P, 0.0, out=P)
        return P / P.sum(axis=1, keepdims=True)

    def _posterior(self, X: Any) -> np.ndarray:
        return self._by_level(X)[:, self._level_of_class]

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        weights = self.coef_[:, None]
        P = self._by_level(X)

        def sections(i: int) -> list[Section]:
            x = dense_block(X[i : i + 1])[0].astype(np.float64)
            terms = terms_section(
                "Terms of the linear predictor", self.design_, rows[i], x, weights, np.zeros(1), ["product"]
            )
            ends = ["", *(f"{t:.4g}" for t in self.thresholds_), ""]
            levels = [
                [str(label), ends[k], ends[k + 1], float(P[i, k])] for k, label in enumerate(self.levels_)
            ]
            return [terms, Section("Thresholds", ["class", "from", "to", "probability"], levels)]

        def contributions(some: np.ndarray) -> Contributions:
            values = dense_block(X[some])[:, :, None] * weights
            return self._contributions(values, np.zeros(1), [HIGHER], np.zeros(len(some), int))

        return Reasons(sections, contributions)

    def _model_parts(self) -> list[Part]:
        coefficients = [[name, float(w)] for name, w in zip(self._names, self.coef_)]
        thresholds = [[name, float(t)] for name, t in zip(self._threshold_names(), self.thresholds_)]
        return [
            Section(
                "Coefficients", ["column", "coefficient"], coefficients, f"Of {HIGHER}; link: {self.link}."
            ),
            Section("Thresholds", ["between", "threshold"], thresholds),
        ]

    def _threshold_names(self) -> list[str]:
        return [f"{low} | {high}" for low, high in zip(self.levels_[:-1], self.levels_[1:])]

    # ------------------------------------------------------------------ inference

    def summary(  # type: ignore[override]
        self,
        X: TableLike | None = None,
        y: Target | None = None,
        sample_weight: Weights | None = None,
        *,
        level: float = 0.95,
        covariance: str = "model",
        groups: RowLabels | None = None,
    ) -> CoefficientTable:
        """The coefficients and thresholds with standard errors, tests and intervals, and how well the model fits.

        Takes the rows that the model was fitted on; weights count as frequencies. With the logit link the exponentials
        of the coefficients are odds ratios of a higher class against a lower one, at any threshold.

        Parameters
        ----------
        X, y, sample_weight : the rows of fit
        level : of the intervals
        covariance : "model" trusts the model; "HC0" and "HC1" are from the rows' own gradients; "cluster" where rows of
            one group depend on each other
        groups : (n,) the group of each row, for "cluster"

        Examples
        --------
        >>> from assay.linear import OrdinalLogisticRegression
        >>> X, y = [[1], [2], [3], [4], [5], [6], [7], [8]], [0, 0, 1, 0, 1, 2, 1, 2]
        >>> table = OrdinalLogisticRegression().fit(X, y).summary(X, y)
        >>> table.terms, table.estimate.round(3), table.standard_error.round(3)
        (['x0', '0 | 1', '1 | 2'], array([1.198, 4.142, 7.906]), array([0.628, 2.534, 4.073]))
        """
        who = f"{type(self).__name__}.summary"
        if X is None or y is None:
            raise ParameterError(
                f"{who}: standard errors and tests are worked out from the rows of fit, which a model does not keep: "
                "summary(X, y). The coefficients alone: model.show()."
            )
        level = check_options(who, level, covariance)
        if covariance in ("HC2", "HC3"):
            raise ParameterError(
                f"{who}: covariance={covariance!r} is for two classes; use 'HC1' or 'cluster'."
            )
        part = self._summary_rows(X, y, sample_weight, covariance, groups, who)
        fit = OrdinalInference(
            Rows(part.X, part.y, part.w),
            self.coef_[part.kept],
            self.thresholds_ - part.dropped @ self.coef_,
            part.names,
            who,
            self._link(),
            float(self.alpha),
        )
        fit.check()
        V = fit.covariance(covariance, part.groups)
        estimate = np.append(fit.coef, fit.thresholds)
        error = np.sqrt(np.maximum(V.diagonal(), 0.0))
        lower, upper = wald(estimate, error, level, np.inf)
        logit = self.link == "logit"
        equation = "log odds of a higher class" if logit else f"{self.link} of a higher class"
        kappa = condition(fit.gram, fit.scale, True)
        notes = [SHRUNKEN.format("alpha=0")] if fit.penalised else []
        d, K = len(fit.coef), fit.K
        return CoefficientTable(
            type(self).__name__,
            part.names + self._threshold_names(),
            [equation] * d + ["thresholds"] * (K - 1),
            estimate,
            error,
            lower,
            upper,
            V,
            level,
            np.inf,
            np.append(inflation_factors(fit.gram, part.names, False), np.full(K - 1, np.nan)),
            likelihood_measures(
                fit.total, fit.log_likelihood, fit.null_log_likelihood, d, K - 1, fit.penalised, kappa
            ),
            notes=notes + self._more_notes(part, fit.gram, fit.scale, covariance, "frequencies"),
            odds=logit,
            penalised=fit.penalised,
            columns=self._terms_of_columns(part.names),
            constant="",
            thresholds="thresholds",
        )

    def score_test(
        self, X: TableLike, y: Target, extra: TableLike, sample_weight: Weights | None = None
    ) -> CoefficientTest:
        """Not for ordered classes; the error names what is: fit the columns and use ``wald_test``."""
        raise ParameterError(
            f"{type(self).__name__}.score_test: is for LogisticRegression. Fit the further columns as well and use "
            "summary(X, y).wald_test, or likelihood_ratio_test of the two summaries."
        )

    def brant_test(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> ParallelSlopesTest:
        """Whether the coefficients are the same at every threshold, as the model supposes (Brant 1990).

        A small p of a column says that its effect differs between thresholds: the odds are not proportional. Then a
        softmax (:class:`LogisticRegression`) or separate models say more.

        Parameters
        ----------
        X, y, sample_weight : the rows of fit

        Examples
        --------
        >>> import numpy as np
        >>> from assay.linear import OrdinalLogisticRegression
        >>> draw = np.random.default_rng(0)
        >>> X = draw.normal(size=(500, 1))
        >>> y = np.digitize(X[:, 0] + draw.logistic(size=500), [-1, 1])
        >>> print(OrdinalLogisticRegression().fit(X, y).brant_test(X, y).overall)
        all coefficients alike at every threshold: chi2(1) = 0.1797, p = 0.672
        """
        who = f"{type(self).__name__}.brant_test"
        if len(self.levels_) < 3:
            raise DataError(
                f"{who}: {len(self.levels_)} classes have no two thresholds to compare; with three or more there are."
            )
        part = self._summary_rows(X, y, sample_weight, "model", None, who)
        return parallel_slopes_test(
            Rows(part.X, part.y, part.w),
            len(self.levels_),
            self._link(),
            part.names,
            self._threshold_names(),
            who,
        )

    def _summary_rows(
        self, X: Any, y: Any, sample_weight: Any, covariance: str, groups: Any, who: str
    ) -> SummaryRows:
        """The rows with the number of each row's level as the target."""
        if len(self.levels_) < 2:
            raise DataError(f"{who}: the model knows one class, so there is nothing to compare.")
        values = self._admit(X)
        if groups is not None and covariance != "cluster":
            raise ParameterError(f"{who}: groups are for covariance='cluster', got {covariance!r}.")
        codes = None if covariance != "cluster" else group_codes(groups, values.shape[0], who)
        levels = self._level_of_class[label_codes(y, self.classes_, values.shape[0], who)]
        part = SummaryRows.of(values, levels, check_weights(sample_weight, values), codes, self._names, True)
        if part.groups is not None:
            refuse_one_group(part.groups, who)
        return part


def _category_order(y: Any) -> list[Any] | None:
    """The categories of an ordered categorical column (of pandas or polars), lowest first; None for other targets."""
    dtype = getattr(y, "dtype", None)
    categories = getattr(dtype, "categories", None)
    if categories is None:
        return None
    if getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum":
        return list(categories)
    return None
