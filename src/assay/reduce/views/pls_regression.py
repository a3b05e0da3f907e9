"""Partial least squares regression."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.model_view import Part
from assay.core.moments import ClassScatter, RowScatter
from assay.core.parameters import Any_, Choice, Count
from assay.core.stored import FloatArray, Integer, Scalar
from assay.core.sums import Rows, Source
from assay.errors import DataError, ParameterError
from assay.reduce.views.latent_directions import latent_directions, rotations
from assay.reduce.views.pls_learner import PLS_PARAMETERS, PairedDirections
from assay.reduce.views.two_views import Covariances, covariances_of
from assay.types import Splitter

__all__ = ["PLSRegression"]

MOST_TRIED = 30  # components that n_components="cv" looks at


def _splits(cv: Any) -> bool:
    return hasattr(cv, "split") or (hasattr(cv, "__iter__") and not isinstance(cv, str))


class PLSRegression(PairedDirections, Regressor):
    r"""Predict numbers from a few directions of the columns, chosen for what they have in common with the numbers.

    The direction w of each component has the largest covariance of :math:`t=Xw` with the targets; t is then taken out
    of X and y, and the next one is sought in what is left. Least squares on k such components,

    .. math:: \hat y = \bar y + \sum_{j\le k} q_j t_j, \qquad q_j = \frac{Y^Tt_j}{t_j^Tt_j},     \quad (1)

    needs no more rows than columns, and no columns that are independent: with all components it is least squares, with
    few it is shrunk towards directions in which X varies much. Unlike principal components, it looks at y. Names,
    parameters and answers are scikit-learn's; the singular vectors are exact, where scikit-learn iterates to ``tol``,
    and the learner is a sum: ``fit_blocks``, ``partial_fit``, Dask and ``sample_weight`` give the same numbers.

    Intervals (``predict_interval``, for one target) are those of least squares on the k components, as if these had
    been known before: of few rows and many components they are too narrow.

    Cost: fit O(n d^2 + k d^2), with fewer rows than columns O(n^2 d); predict O(d q) a row; memory O(d^2) or O(n d).

    Parameters
    ----------
    n_components : int or "cv", default 2
        The number k of components. "cv" takes the smallest number, at most 30, whose squared error in
        cross-validation is within one standard error of the best; all are read off one set of sums for each fold.
    scale : bool, default True
        Whether to divide the columns of X and y by their standard deviations.
    max_iter, tol, copy : accepted as scikit-learn's
        Nothing is iterated, and X is never changed.
    cv : int, a splitter of scikit-learn, or pairs of row numbers, default 5
        Folds of ``n_components="cv"``; a number cuts the rows in their order.

    Attributes
    ----------
    coef_ : (q, p)      intercept_ : (q,) the means of y: the answer is ``(x - mean) @ coef_.T + intercept_``
    x_weights_, x_loadings_, x_rotations_ : (p, k)      y_weights_, y_loadings_, y_rotations_ : (q, k)
    x_scores_, y_scores_ : (n, k) of the training rows, if they were in memory
    x_shares_, y_shares_ : (k,) shares of the variances of X and y that each component explains
    n_components_ : k      cv_errors_ : (m,) mean squared error of 1, 2, ... components, with "cv"

    Examples
    --------
    >>> from assay.reduce import PLSRegression
    >>> X = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [2.0, 2.0, 2.0], [2.0, 5.0, 4.0]]
    >>> model = PLSRegression(n_components=2).fit(X, [0.1, 0.9, 6.2, 11.9])
    >>> model.predict(X).round(2)
    array([ 0.25,  0.6 ,  6.49, 11.75])

    See Also
    --------
    PLSCanonical, PCA

    References
    ----------
    - Wold, S., Sjostrom, M. and Eriksson, L. (2001). PLS-regression: a basic tool of chemometrics. Chemometrics and
      Intelligent Laboratory Systems 58, 109-130.
    - Dayal, B. S. and MacGregor, J. F. (1997). Improved PLS algorithms. Journal of Chemometrics 11, 73-85.
    """

    card = Card(
        "pls",
        "least squares on the directions that vary most with the target",
        also=("partial least squares", "pls regression"),
        learns=(
            "directions of two tables",
            "negative covariance of the scores",
            "singular vectors, one pair after the other",
            "greedy",
        ),
    )
    accepts = {
        **PLS_PARAMETERS,
        "n_components": Count(1) | Choice("cv"),
        "cv": Count(2) | Any_("a splitter or pairs of row numbers", _splits),
    }
    stored = {
        "x_scores_": FloatArray("n", "m", finite=True),
        "y_scores_": FloatArray("n", "m", finite=True),
        "x_shares_": FloatArray("m", finite=True),
        "y_shares_": FloatArray("m", finite=True),
        "n_components_": Integer(low=1),
        "cv_errors_": FloatArray("*", finite=True),
        "_variances": FloatArray("m", low=0, finite=True),
        "_count": Scalar(low=0, finite=True),
        "_residual": FloatArray("q", low=0, finite=True),
    }

    def __init__(
        self,
        n_components: int | float | str | None = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
        cv: Splitter = 5,
    ):
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy
        self.cv = cv

    def _learn_from(self, source: Source) -> None:
        for name in ("x_scores_", "y_scores_", "cv_errors_", "_chosen"):
            self.__dict__.pop(name, None)
        if self.n_components == "cv":
            self._chosen = self._cross_validate(source)
        super()._learn_from(source)
        self.__dict__.pop("_chosen", None)
        if isinstance(source, Rows):
            self._keep_scores(source.X, source.y)

    def _solve_views(self, views: Covariances) -> None:
        for name in ("x_scores_", "y_scores_"):
            self.__dict__.pop(name, None)
        if self.n_components == "cv":
            if "_chosen" not in vars(self):
                raise ParameterError(
                    f'{type(self).__name__}: n_components="cv" looks at the rows more than once. Use fit, or give a '
                    "number."
                )
            k = self._chosen
        else:
            k = self._check_number(min(views.rows, len(views.x_mean)))
        directions = latent_directions(views, k, regression=True, who=type(self).__name__)
        variances = directions.x_squares
        total = views.x_variance, np.trace(views.yy)
        of_x = variances * np.sum(directions.x_loadings**2, axis=0)
        of_y = variances * np.sum(directions.y_loadings**2, axis=0)
        self.x_shares_, self.y_shares_ = (
            part / whole if whole > 0 else np.zeros(k) for part, whole in zip((of_x, of_y), total)
        )
        left = np.diag(views.yy) - directions.y_loadings**2 @ variances
        self._residual = np.maximum(left, 0.0) * views.y_unit**2  # variances of what is left of each target
        self._variances = variances * (views.x_unit[0] / views.x_std[0]) ** 2  # of the scores
        self._keep_directions(views, directions, views.ratio)
        self.n_components_, self._count = k, views.count

    def _keep_scores(self, X: np.ndarray, y: np.ndarray) -> None:
        T = self._transform(X)
        Y = (np.asarray(y, dtype=np.float64).reshape(len(T), -1) - self._y_mean) / self._y_std
        size = np.abs(self.y_weights_).max(axis=0)
        size[size == 0] = 1.0
        c = self.y_weights_ / size  # whose squares neither overflow nor vanish
        squares = np.sum(c * c, axis=0)
        earlier = np.triu(self.y_loadings_.T @ c, 1)  # what the components before took out of y
        self.x_scores_ = T
        self.y_scores_ = (Y @ c - T @ earlier) / np.where(squares > 0, squares, 1.0) / size

    # The number of components

    def _cross_validate(self, source: Source) -> int:
        who = type(self).__name__
        if not isinstance(source, Rows):
            raise ParameterError(
                f'{who}: n_components="cv" needs the rows in memory. Give a number, or fit some of the rows first.'
            )
        X, y, w = source.X, source.y, source.w
        n, p = X.shape
        if n < 4:
            raise DataError(f"{who}: cross-validation needs at least 4 rows, got {n} sample(s).")
        few = n < p

        def part(rows: np.ndarray) -> ClassScatter | RowScatter:
            some = Rows(X[rows], y[rows], None if w is None else w[rows])
            return self._row_sums(some) if few else some.add_up(self._summarize_block)

        splits = list(check_cv(self.cv).split(X))
        most = max(1, min(MOST_TRIED, p, min(len(train) for train, _ in splits) - 1))
        errors, weights = np.empty((len(splits), most)), np.empty(len(splits))
        for f, (train, test) in enumerate(splits):
            held_out = part(test)
            errors[f] = _squared_errors(covariances_of(part(train), p, self.scale, who), held_out, most)
            weights[f] = float(held_out.count[0])
        self.cv_errors_ = errors.sum(axis=0) / weights.sum()
        best = int(np.argmin(self.cv_errors_))
        means = errors[weights > 0, best] / weights[weights > 0]
        slack = np.std(means, ddof=1) / np.sqrt(len(means)) if len(means) > 1 else 0.0
        return int(np.argmax(self.cv_errors_ <= self.cv_errors_[best] + slack)) + 1

    # Distributions

    def _no_distribution(self) -> str:
        return ""

    def _distribution(self, X: Any) -> Any:
        from assay.stats.distributions.predictive import Student

        self._refuse_several_targets(len(self.coef_) > 1)
        n, used = self._count, int(np.sum(self._variances > 0))
        dof = n - 1 - used
        if not dof > 0:
            raise DataError(
                f"{type(self).__name__}: {used} components of {n:g} rows leave no degrees of freedom for the noise. "
                "Take fewer components."
            )
        T = self._transform(X)
        size = np.where(self._variances > 0, self._variances, np.inf) * (n - 1)
        leverage = 1 / n + np.sum(T * T / size, axis=1)
        sigma = np.sqrt(self._residual[0] * (n - 1) / dof)
        mean = np.ravel(self._predict(X))
        return Student(mean, sigma * np.sqrt(1 + leverage), dof)

    def _model_parts(self) -> list[Part]:
        rows: list[list[Any]] = [
            [name, float(a), float(b), float(c)]
            for name, a, b, c in zip(
                self._names_out(), self.x_shares_, self.y_shares_, np.cumsum(self.y_shares_)
            )
        ]
        heads = ["component", "share of X", "share of y", "cumulative"]
        weights = [[name, *w] for name, w in zip(self._names, self.coef_.T.tolist())]
        return [
            Section("Components", heads, rows),
            Section("Weights of the columns", ["column", *self._outputs()], weights),
        ]


def _squared_errors(views: Covariances, held_out: ClassScatter | RowScatter, most: int) -> np.ndarray:
    """(most,) the squared errors of 1, 2, ... components on rows that are known by their sums alone."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that fewer components do is an answer here
        path = latent_directions(views, most, regression=True)
    p, count, mean = len(views.x_mean), float(held_out.count[0]), held_out.mean[0]
    if isinstance(held_out, RowScatter):
        D = held_out.deviations
    else:
        from assay.stats.multivariate.covariance import square_root

        D = square_root(held_out.scatter[0]).T  # rows with the same products
    errors = np.empty(most)
    for k in range(1, most + 1):
        some = path.first(k)
        R = views.columns(rotations(some.x_weights, some.x_loadings))
        B = (R @ (some.y_loadings * views.ratio).T * views.y_std).T / views.x_std
        left = D[:, p:] - D[:, :p] @ B.T
        shift = mean[p:] - views.y_mean - B @ (mean[:p] - views.x_mean)
        errors[k - 1] = np.sum((left / views.y_std) ** 2) + count * np.sum((shift / views.y_std) ** 2)
    return errors
