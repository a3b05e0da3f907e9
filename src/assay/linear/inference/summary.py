"""Inference for fitted linear models: standard errors, intervals, tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.sums import Rows
from assay.core.targets import check_weights, label_codes, numeric_target, plain_values
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.class_factors import class_factors
from assay.linear.inference.coefficient_table import CoefficientTable, CoefficientTest, chi2_or_f
from assay.linear.inference.fisher_information import (
    COVARIANCES,
    condition,
    group_codes,
    inflation,
    refuse_one_group,
)
from assay.linear.inference.fit_measures import least_squares_measures, logistic_measures
from assay.linear.inference.least_squares_inference import LeastSquaresInference, quantiles
from assay.linear.inference.logistic_inference import LogisticInference
from assay.linear.inference.summary_rows import SummaryRows
from assay.linear.number_columns import number_columns
from assay.types import Label, TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["SHRUNKEN", "Inference", "check_options", "constant_name", "inflation_factors", "wald"]


class Inference(_Learner):
    """Mixin of linear learners whose coefficients have a known distribution; stands before the other bases.

    A classifier defines in ``_mixture()`` its C and share of absolute penalty, and in ``_intercept_strength()`` what
    part of the penalty the constant pays; a regressor has ``alpha`` if it has a penalty.
    """

    coef_: np.ndarray
    intercept_: Any
    fit_intercept: bool
    classes_: np.ndarray
    _mixture: Any
    _intercept_strength: Any

    def summary(
        self,
        X: TableLike | None = None,
        y: Target | None = None,
        sample_weight: Weights | None = None,
        *,
        level: float = 0.95,
        covariance: str = "model",
        groups: Any = None,
        intervals: str = "wald",
        reference: Label | None = None,
    ) -> CoefficientTable:
        r"""The coefficients with standard errors, tests and intervals, and how well the model fits.

        Takes the rows that the model was fitted on. Standard errors are the roots of the diagonal of the estimated
        covariance, :math:`H^{-1}` with the curvature H of the log likelihood, or :math:`\hat\sigma^2(X^TVX)^{-1}` for
        least squares; z (or t) is the estimate divided by its standard error, and p tells how often one would see it
        at least that far from 0 if the true coefficient were 0.

        Of a penalised model the coefficients are shrunken towards 0. Standard errors then tell how much such an
        estimate varies from sample to sample, not how far it is from the truth; tests and intervals are
        approximate, and a note says so.

        Parameters
        ----------
        X, y : the rows of fit
        sample_weight : (n,) as in fit. For classes a weight is a frequency: weight 2 is the row twice, and the number
            of rows is the sum of the weights. For numbers it is a precision: weight 2 is a row whose noise has half the
            variance, and the number of rows is their number.
        level : of the intervals
        covariance : "model" trusts the model; "HC0" to "HC3" hold also where the noise differs from row to row (HC1
            is HC0 times n/(n - k), HC2 and HC3 divide by powers of 1 - leverage; best for few rows is HC3);
            "cluster" where rows of one group depend on each other
        groups : (n,) the group of each row, for "cluster"
        intervals : "wald" adds and subtracts standard errors; "profile", for classes without a penalty, takes all
            values that the likelihood does not speak against
        reference : for classes, the label that the others are compared with; the first one by default

        Examples
        --------
        >>> from assay.linear import LogisticRegression
        >>> X, y = [[0.0], [1], [2], [3], [4], [5]], ["a", "a", "b", "a", "b", "b"]
        >>> model = LogisticRegression(C=float("inf"), tol=1e-8).fit(X, y)
        >>> table = model.summary(X, y)
        >>> table.estimate.round(4), table.standard_error.round(4)
        (array([-3.0351,  1.214 ]), array([2.5457, 0.9126]))
        >>> round(table.measures["log-likelihood"], 6), round(float(table["x0"]["odds_ratio"]), 3)
        (-2.477987, 3.367)
        """
        who = f"{type(self).__name__}.summary"
        if X is None or y is None:
            raise ParameterError(
                f"{who}: standard errors and tests are worked out from the rows of fit, which a model does not keep: "
                "summary(X, y). The coefficients alone: model.show()."
            )
        level = check_options(who, level, covariance, intervals)
        values = self._admit(X)
        if groups is not None and covariance != "cluster":
            raise ParameterError(f"{who}: groups are for covariance='cluster', got {covariance!r}.")
        codes = None if covariance != "cluster" else group_codes(groups, values.shape[0], who)
        w = check_weights(sample_weight, values)
        rows = SummaryRows.of(values, y, w, codes, self._names, self.fit_intercept)
        if rows.groups is not None:
            refuse_one_group(rows.groups, who)
        if hasattr(self, "classes_"):
            return self._classes_table(who, rows, level, covariance, intervals, reference)
        if intervals != "wald" or reference is not None:
            raise ParameterError(
                f"{who}: intervals='profile' and reference are for classes; least squares has neither."
            )
        return self._numbers_table(who, rows, level, covariance)

    def score_test(
        self, X: TableLike, y: Target, extra: Any, sample_weight: Weights | None = None
    ) -> CoefficientTest:
        r"""Whether further columns would improve a logistic model, without fitting them (Rao's score test).

        .. math:: g^T H^{-1} g,\qquad g, H \text{ of the likelihood with the new columns at weight 0}        \quad (1)

        is chi-squared with as many degrees of freedom as there are new coefficients if none is needed.

        Parameters
        ----------
        X, y, sample_weight : the rows of fit, of a model without a penalty
        extra : (n, q) the further columns, none of them constant; nominal ones become indicators

        Examples
        --------
        >>> from assay.linear import LogisticRegression
        >>> X, y = [[0.0], [1], [2], [3], [4], [5]], ["a", "a", "b", "a", "b", "b"]
        >>> model = LogisticRegression(C=float("inf"), tol=1e-8).fit(X, y)
        >>> print(model.score_test(X, y, [[row[0] ** 3] for row in X]))
        the weights of 1 further column = 0: chi2(1) = 0.02969, p = 0.863
        """
        who = f"{type(self).__name__}.score_test"
        values = self._admit(X)
        if not hasattr(self, "classes_"):
            raise ParameterError(f"{who}: is for classes; for numbers fit the columns and use wald_test.")
        w = check_weights(sample_weight, values)
        fresh, named = number_columns(
            np.asarray(plain_values(extra))[:, None] if np.ndim(extra) == 1 else extra, who, drop_first=True
        )
        if fresh.shape[0] != values.shape[0] or not fresh.shape[1]:
            raise DataError(
                f"{who}: extra must be columns of {values.shape[0]} rows, got shape {fresh.shape}."
            )
        smaller = self._class_fit(who, SummaryRows.of(values, y, w, None, self._names, self.fit_intercept), 0)
        if smaller.penalised:
            raise ParameterError(f"{who}: holds for a model without a penalty; fit with C = infinity.")
        smaller.check()
        both = np.column_stack(
            [part if isinstance(part, np.ndarray) else part.toarray() for part in (values, fresh)]
        )
        names = self._names + [f"extra {name}" for name in named]
        rows = SummaryRows.of(both, y, w, None, names, self.fit_intercept)
        still = [name for name in rows.constant if name not in self._names]
        if still:
            raise DegenerateError(
                f"{who}: {still[0]} is the same in all rows, so it cannot improve the model."
            )
        fit = self._class_fit(who, rows, 0, extra=fresh.shape[1])
        fit.check_columns()
        g = fit.curvature[1] * fit.total
        statistic = float(g @ fit.bread @ g)  # (1)
        q = fresh.shape[1] * (fit.K - 1)
        many = f"{fresh.shape[1]} further column" + ("" if fresh.shape[1] == 1 else "s")
        return chi2_or_f(f"the weights of {many} = 0", statistic, q, np.inf)

    def _classes_table(
        self, who: str, rows: SummaryRows, level: float, covariance: str, intervals: str, reference: Any
    ) -> CoefficientTable:
        fit = self._class_fit(who, rows, self._reference_number(reference, who))
        if covariance in ("HC2", "HC3") and fit.K > 2:
            raise ParameterError(
                f"{who}: covariance={covariance!r} is for two classes; use 'HC1' or 'cluster'."
            )
        if intervals == "profile" and (fit.penalised or covariance != "model"):
            raise ParameterError(
                f"{who}: profile intervals follow from the likelihood alone; fit with C = infinity and leave "
                "covariance='model'."
            )
        notes = fit.check()
        V = fit.covariance(covariance, rows.groups)
        estimate = fit.outside @ fit.at
        others = [k for k in range(fit.K) if k != fit.reference]
        labels = [str(label) for label in self.classes_]
        constant = constant_name(rows.names, self.fit_intercept)
        terms = ([constant] if constant else []) + rows.names
        equations = [f"log odds of {labels[k]} against {labels[fit.reference]}" for k in others]
        error = np.sqrt(np.maximum(V.diagonal(), 0.0))
        if intervals == "profile":
            lower, upper = fit.profile(error, level)
        else:
            lower, upper = wald(estimate, error, level, np.inf)
        if fit.penalised:
            notes = [*notes, SHRUNKEN.format("C = infinity")]
        notes += self._more_notes(rows, fit.gram, fit.objective.scale, covariance, "frequencies")
        return CoefficientTable(
            type(self).__name__,
            terms * len(others),
            [e for e in equations for _ in terms],
            estimate,
            error,
            lower,
            upper,
            V,
            level,
            np.inf,
            np.tile(inflation_factors(fit.gram, rows.names, self.fit_intercept), len(others)),
            logistic_measures(fit, condition(fit.gram, fit.objective.scale, self.fit_intercept)),
            notes=notes,
            odds=True,
            penalised=fit.penalised,
            columns=self._terms_of_columns(rows.names),
            constant=constant,
        )

    def _numbers_table(self, who: str, rows: SummaryRows, level: float, covariance: str) -> CoefficientTable:
        if np.ndim(self.coef_) != 1 and len(self.coef_) > 1:
            raise ParameterError(
                f"{who}: is for one output, this model has {len(self.coef_)}. Fit each alone."
            )
        if getattr(self, "positive", False):
            raise ParameterError(
                f"{who}: weights held at 0 or above have no normal distribution. Use positive=False."
            )
        alpha = float(np.max(getattr(self, "alpha", 0.0)))
        target = numeric_target(rows.y, rows.X.shape[0], who)
        if target.ndim != 1:
            raise DataError(f"{who}: y has {target.shape[1]} columns, the model has one output.")
        fit = LeastSquaresInference(
            Rows(rows.X, target, rows.w),
            np.ravel(self.coef_).astype(np.float64)[rows.kept],
            float(np.ravel(self.intercept_)[0] + rows.dropped @ np.ravel(self.coef_)),
            self.fit_intercept,
            rows.names,
            who,
            alpha,
            bool(getattr(self, "penalize_intercept", False)),
        )
        fit.check()
        V = fit.covariance(covariance, rows.groups)
        df = fit.df_residual if rows.groups is None else float(rows.groups.max())
        estimate = np.append([fit.intercept] if self.fit_intercept else [], fit.coef)
        error = np.sqrt(np.maximum(V.diagonal(), 0.0))
        lower, upper = wald(estimate, error, level, df)
        gram = fit.gram / fit.scale.total
        notes = [SHRUNKEN.format("LinearRegression")] if fit.penalised else []
        constant = constant_name(rows.names, self.fit_intercept)
        terms = ([constant] if constant else []) + rows.names
        table = CoefficientTable(
            type(self).__name__,
            terms,
            ["y"] * len(terms),
            estimate,
            error,
            lower,
            upper,
            V,
            level,
            df,
            inflation_factors(gram, rows.names, self.fit_intercept),
            {},
            quantiles(fit.residual if rows.w is None else np.sqrt(rows.w) * fit.residual),
            notes + self._more_notes(rows, gram, fit.scale, covariance, "precisions"),
            penalised=fit.penalised,
            columns=self._terms_of_columns(rows.names),
            constant=constant,
        )
        table.measures.update(
            least_squares_measures(fit, table, condition(gram, fit.scale, self.fit_intercept))
        )
        return table

    def _class_fit(self, who: str, rows: SummaryRows, reference: int, extra: int = 0) -> LogisticInference:
        codes = label_codes(rows.y, self.classes_, rows.X.shape[0], who)
        w = rows.w
        K = len(self.classes_)
        if K < 2:
            raise DataError(f"{who}: the model knows one class, so there is nothing to compare.")
        strength, intercept_strength, fixed_class = self._logistic_penalty(who)
        if getattr(self, "class_weight", None) is not None:
            weight = np.bincount(codes, weights=w, minlength=K).astype(np.float64)
            factors = class_factors(self.class_weight, self.classes_, weight, who)
            if factors is not None:
                w = factors[codes] * (1.0 if w is None else w)
        coef = self.coef_ if isinstance(self.coef_, np.ndarray) else self.coef_.toarray()
        W, b = _all_classes(coef.astype(np.float64), self.intercept_, K)
        W = np.column_stack((W, np.zeros((K, extra))))
        W = np.column_stack((W[:, rows.kept], b + W @ rows.dropped)).T
        return LogisticInference(
            Rows(rows.X, codes, w),
            W,
            self.fit_intercept,
            rows.names,
            self.classes_,
            who,
            strength,
            intercept_strength,
            reference,
            fixed_class,
        )

    def _logistic_penalty(self, who: str) -> tuple[float, float, int | None]:
        """1/C of the weights and of the constant, and the class that was left out when the penalty was paid."""
        if getattr(self, "link", "softmax") != "softmax" and len(self.classes_) > 2:
            raise ParameterError(
                f"{who}: each class has a model of its own here; fit a softmax to compare classes."
            )
        C, ratio = self._mixture()
        if np.isinf(C):
            return 0.0, 0.0, None
        if ratio > 0:
            raise ParameterError(
                f"{who}: a penalty on absolute values sets coefficients to 0, and what remains has no normal "
                "distribution. Fit the chosen columns with C = infinity, on other rows than they were chosen on."
            )
        reference = getattr(self, "reference", None)
        number = None if reference is None else int(np.flatnonzero(self.classes_ == reference)[0])
        return 1.0 / C, self._intercept_strength() / C, number

    def _reference_number(self, reference: Any, who: str) -> int:
        if reference is None:
            reference = getattr(self, "reference", None)
        if reference is None:
            return 0
        places = np.flatnonzero(self.classes_ == reference) if np.ndim(reference) == 0 else []
        if not len(places):
            raise ParameterError(
                f"{who}: reference must be one of {self.classes_.tolist()}, got {reference!r}."
            )
        return int(places[0])

    def _terms_of_columns(self, names: list[str]) -> dict[str, list[str]]:
        design = getattr(self, "design_", None)
        if design is None:
            return {}
        terms: dict[str, list[str]] = {}
        for name, source in zip(design.names, design.source):
            if name in names:
                terms.setdefault(design.schema[int(source)].name, []).append(name)
        return terms

    def _more_notes(
        self, rows: SummaryRows, gram: np.ndarray, scale: Any, covariance: str, weights: str
    ) -> list[str]:
        notes = []
        if rows.constant:
            shown = ", ".join(rows.constant[:6]) + (", ..." if len(rows.constant) > 6 else "")
            notes.append(f"Left out, since they are the same in all rows: {shown}.")
        if covariance != "model":
            notes.append(f"Standard errors are of the kind {covariance}, from the rows' own residuals.")
        if rows.w is not None:
            notes.append(f"Weights count as {weights}.")
        design = getattr(self, "design_", None)
        if design is not None and design.drop_first and not design.plain:
            first = [
                f"{c.name}={c.categories[0]}" for c in design.schema if c.kind == "nominal" and c.categories
            ]
            notes.append(f"Categories without a row are the reference: {', '.join(first)}.")
        factors = inflation(gram, len(rows.names))
        worst = [int(j) for j in np.argsort(-np.nan_to_num(factors)) if factors[j] > 10][:4]
        if worst:
            shown = ", ".join(f"{rows.names[j]} ({factors[j]:.3g})" for j in worst)
            notes.append(
                f"Nearly combinations of other columns, by VIF: {shown}. Such coefficients share one effect, which is "
                "why their standard errors are large; drop one of the columns, or use a penalty."
            )
        elif condition(gram, scale, self.fit_intercept) > 30 and np.isfinite(factors).all():
            notes.append(
                "The condition number is above 30 because of columns far from 0; only the constant suffers. Centre the "
                "columns to read it."
            )
        return notes


SHRUNKEN = (
    "The coefficients are shrunken towards 0 by the penalty: standard errors tell how much such estimates vary, not "
    "how far they are from the truth, and tests are approximate. For tests fit with {}."
)


def constant_name(names: list[str], intercept: bool) -> str:
    """What the constant is called beside these columns; nothing if there is none."""
    return "" if not intercept else "(constant)" if "constant" in names else "constant"


def wald(estimate: np.ndarray, error: np.ndarray, level: float, df: float) -> tuple[np.ndarray, np.ndarray]:
    """(m,) and (m,) the ends of intervals of so many standard errors on either side."""
    from scipy.special import ndtri, stdtrit

    tail = (1 + level) / 2
    reach = (stdtrit(df, tail) if np.isfinite(df) else ndtri(tail)) * error
    return estimate - reach, estimate + reach


def inflation_factors(gram: np.ndarray, names: list[str], intercept: bool) -> np.ndarray:
    """(P,) variance inflation factors, NaN for the constant."""
    factors = inflation(gram, len(names))
    return np.append(np.nan, factors) if intercept else factors


def _all_classes(coef: np.ndarray, intercept: Any, K: int) -> tuple[np.ndarray, np.ndarray]:
    """(K, d) and (K,), a zero row before the single one of two classes."""
    b = np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(coef))
    if len(coef) == K:
        return coef, b
    return np.vstack((np.zeros_like(coef), coef)), np.append(0.0, b)


def check_options(who: str, level: float, covariance: str, intervals: str = "wald") -> float:
    """The level, if it and the choices are known ones."""
    if not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise ParameterError(f"{who}: level must be a number above 0 below 1, got {level!r}.")
    for name, value, known in (
        ("covariance", covariance, COVARIANCES),
        ("intervals", intervals, ("wald", "profile")),
    ):
        if value not in known:
            raise ParameterError(f"{who}: {name} must be one of {', '.join(known)}, got {value!r}.")
    return float(level)
