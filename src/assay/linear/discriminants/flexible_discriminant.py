"""Flexible discriminant analysis: linear discriminants of what any regression makes of the columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import get_tags

from assay.bayes.gaussian_classifier import class_priors, log_odds_of_two, log_of
from assay.core import Card, Classifier
from assay.core.complaints import missing_message
from assay.core.explanation import Section
from assay.core.explanations import Reasons, RowValues
from assay.core.lazy_answers import LazyTransforms
from assay.core.meta_estimator import MetaEstimator, fit_to
from assay.core.parameters import Any_, Count, Simplex
from assay.core.scores import softmax
from assay.core.stored import Each, FloatArray, Object
from assay.errors import DataError, DegenerateError, ParameterError
from assay.linear.regression.linear_regression import LinearRegression
from assay.stats.multivariate.scatter import discriminant_directions
from assay.tables import Table
from assay.types import Estimator, Priors, TableLike

__all__ = ["FlexibleDiscriminantAnalysis"]

NO_SCORE = 1e-10  # share of the variance of scores, below which the regression explains none of it

LEAST_SPREAD = 1e-10  # of the spread of a regression, that is within classes in any case


class FlexibleDiscriminantAnalysis(LazyTransforms, MetaEstimator, Classifier):
    r"""Discriminant analysis by optimal scoring: regression in place of the means and covariances of the columns.

    Scores :math:`\theta` of the classes and a regression :math:`\eta` on the columns are sought that fit each other,

    .. math:: \min_{\theta,\eta} \sum_i \left(\theta(y_i) - \eta(x_i)\right)^2, \qquad
              \sum_i \theta(y_i) = 0,\; \tfrac1n\sum_i\theta(y_i)^2 = 1                           \quad (1)

    and at most K - 1 uncorrelated ones after it. All of them follow from one regression of the indicators of the
    classes: the scores are the eigenvectors of the covariance of indicators and answers. The classifier is then that of
    linear discriminants of :math:`\eta(x)`. With least squares this is linear discriminant analysis, exactly. A
    regression on a basis (polynomials, splines) gives curved boundaries, one with a penalty smooth ones, trees or
    neighbours others. A regression that repeats the training rows leaves no spread within classes: its answers are
    surer than they should be.

    Cost: fit that of the regression with K targets and O(n K^2); predict that of the regression and O(K^2) a row;
    memory that of the regression and O(n K).

    Parameters
    ----------
    estimator : regressor, default None
        None is ``LinearRegression()``. A basis is a pipeline: ``make_pipeline(PolynomialFeatures(2), Ridge())``. One
        that takes a single target is fitted once for each class.
    n_components : int or None, default None
        New columns of ``transform``, and scores to classify by, at most K - 1; None takes all.
    priors : (K,) probabilities, default None
        None takes the class shares.

    Attributes
    ----------
    estimators_ : list of the fitted regressor, or of one for each class
    scores_ : (K, r) the optimal scores of the classes      shares_ : (r,) of the variance of each that is explained
    means_ : (K, r) of the classes along the discriminants      priors_ : (K,)      classes_ : (K,)

    Examples
    --------
    A class inside of another one: quadratic terms separate what lines cannot.

    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import PolynomialFeatures
    >>> from assay.linear import FlexibleDiscriminantAnalysis, Ridge
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1, "in", "out")
    >>> curved = make_pipeline(PolynomialFeatures(2), Ridge(1e-3))
    >>> [round(FlexibleDiscriminantAnalysis(model).fit(X, y).score(X, y), 2) for model in (None, curved)]
    [0.6, 0.91]

    See Also
    --------
    LinearDiscriminantAnalysis, LeastSquaresClassifier

    References
    ----------
    - Hastie, T., Tibshirani, R. and Buja, A. (1994). Flexible discriminant analysis by optimal scoring. Journal of the
      American Statistical Association 89, 1255-1270.
    - Hastie, T., Buja, A. and Tibshirani, R. (1995). Penalized discriminant analysis. Annals of Statistics 23, 73-102.
    """

    card = Card(
        "fda",
        "linear discriminants of what a regression makes of the columns",
        also=("flexible discriminant", "flexible discriminant analysis"),
        learns=(
            "discriminants of the fits of a regressor",
            "squared error of optimal scores",
            "the regressor's, and an eigendecomposition",
            "analytic",
        ),
    )
    accepts = {
        "estimator": Any_("a regressor, or None"),
        "n_components": Count(1) | None,
        "priors": Simplex() | None,
    }
    stored = {
        "estimators_": Each(Object(BaseEstimator)),
        "scores_": FloatArray("K", "r", finite=True),
        "shares_": FloatArray("r", finite=True),
        "_centre": FloatArray("K", finite=True),
        "_directions": FloatArray("K", "v", finite=True),
        "means_": FloatArray("K", "v", finite=True),
        "priors_": FloatArray("K", low=0),
    }
    _task = "regressor"

    def __init__(
        self,
        estimator: Estimator | None = None,
        *,
        n_components: int | None = None,
        priors: Priors | None = None,
    ):
        self.estimator = estimator
        self.n_components = n_components
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = False  # the checks would round the columns until no scatter is left
        return tags

    def _default_estimator(self) -> Any:
        return LinearRegression()

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        who, K = type(self).__name__, len(self.classes_)
        most = K - 1
        if K < 2:
            raise DegenerateError(f"{who}: The number of classes has to be greater than one. Got 1 class.")
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"{who}: n_components cannot be larger than n_classes - 1 = {most}, got {self.n_components}."
            )
        weight = np.ones(len(y)) if w is None else w
        counts = np.bincount(y, weight, minlength=K)
        if not counts.all():
            empty = self.classes_[int(np.argmin(counts))]
            raise DegenerateError(
                f"{who}: class {empty} has no row that weighs anything, so it has no score."
            )
        Y = np.eye(K)[y]
        self._fit_regressors(X, Y, w)
        answers = self._answers(X)
        self._centre = weight @ answers / counts.sum()
        shares = counts / counts.sum()
        fitted = Y.T @ (weight[:, None] * (answers - self._centre)) / counts.sum()
        root = np.sqrt(shares)
        M = fitted / root / root[:, None]
        M = (M + M.T) / 2
        aside = np.eye(K) - np.outer(root, root)  # scores that are the same for all classes say nothing
        values, vectors = np.linalg.eigh(aside @ M @ aside)
        order = np.argsort(-values)[: most if self.n_components is None else self.n_components]
        order = order[values[order] > NO_SCORE]
        if not len(order):
            raise DegenerateError(f"{who}: the regression tells none of the classes apart.")
        self.shares_ = values[order]
        self.scores_ = vectors[:, order] / root[:, None]  # (1)
        self.priors_ = class_priors(who, self.priors, counts, self.classes_)
        self._discriminate((answers - self._centre) @ self.scores_, y, weight, counts)

    def _discriminate(self, Z: np.ndarray, y: np.ndarray, weight: np.ndarray, counts: np.ndarray) -> None:
        """Linear discriminants of the regressions: directions with variance 1 within the classes."""
        means = (np.eye(len(counts))[y] * weight[:, None]).T @ Z / counts[:, None]
        apart = Z - means[y]
        within = (apart * weight[:, None]).T @ apart / counts.sum()
        between = (means * counts[:, None]).T @ means / counts.sum()
        within += LEAST_SPREAD * np.trace(within + between) / len(within) * np.eye(len(within))
        directions = discriminant_directions(within, between).directions
        self._directions, self.means_ = self.scores_ @ directions, means @ directions

    def _fit_regressors(self, X: Any, Y: np.ndarray, w: np.ndarray | None) -> None:
        template, who = self._template(), type(self).__name__
        several = hasattr(template, "__sklearn_tags__") and get_tags(template).target_tags.multi_output
        if (
            isinstance(X, Table)
            and not X.complete
            and "missing" not in getattr(template, "takes", ("missing",))
        ):
            raise DataError(missing_message(who, X, self._missing_remedy()))
        targets = [Y] if several else list(np.ascontiguousarray(Y.T))
        self.estimators_ = [fit_to(clone(template), X, target, w, who) for target in targets]

    def _asked(self) -> Any:
        fitted = vars(self).get("estimators_")
        return fitted[0] if fitted else self._template()

    def _answers(self, X: Any) -> np.ndarray:
        """(n, K) what the regressions make of the rows."""
        columns = [np.asarray(model.predict(X), dtype=np.float64) for model in self.estimators_]
        return columns[0] if columns[0].ndim == 2 else np.column_stack(columns)

    def _along(self, X: Any) -> np.ndarray:
        return (self._answers(X) - self._centre) @ self._directions

    def transform(self, X: TableLike) -> np.ndarray:
        """(n, r) the rows along the discriminants, with unit variances within the classes."""
        return self._along(self._admit(X))

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the discriminants."""
        self._ready()
        r = self.means_.shape[1]
        return np.array([f"flexiblediscriminantanalysis{j}" for j in range(r)], dtype=object)

    def decision_function(self, X: TableLike) -> np.ndarray:
        """(n, K) the score of each class; with two classes (n,), the log odds of the second."""
        scores = self._scores(self._admit(X))
        return log_odds_of_two(scores) if len(self.classes_) == 2 else scores

    def _scores(self, X: Any) -> np.ndarray:
        constants = log_of(self.priors_) - 0.5 * np.sum(self.means_**2, axis=1)
        return self._along(X) @ self.means_.T + constants

    def _posterior(self, X: Any) -> np.ndarray:
        return softmax(self._scores(X))

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        along = self._along(X)

        def sections(i: int) -> list[Section]:
            heads = ["", *(f"discriminant {j + 1}" for j in range(along.shape[1])), "distance"]
            lines: list[list[Any]] = [["this row", *along[i].tolist(), ""]]
            lines += [
                [f"mean of {label}", *mean.tolist(), float(np.linalg.norm(mean - along[i]))]
                for label, mean in zip(self.classes_, self.means_)
            ]
            note = "The classes have variance 1 along each discriminant; the nearest mean wins, but for the priors."
            return [Section("Along the discriminants", heads, lines, note)]

        return Reasons(sections)
