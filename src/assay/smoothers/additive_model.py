"""Additive model: a sum of curves, one for each column."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning

from assay.core import Card, Regressor
from assay.core.explanation import Section
from assay.core.explanations import Contributions, Reasons, RowValues
from assay.core.parameters import Any_, Count, Range
from assay.core.progress import track
from assay.core.stored import Each, FloatArray, Object, Scalar
from assay.core.targets import row_counts
from assay.errors import DataError, DegenerateError, ParameterError, warn_user
from assay.smoothers.additive_bands import AdditiveOperator, Lines
from assay.smoothers.band import Band
from assay.smoothers.smoother import Smoother
from assay.smoothers.smoothing_spline import SmoothingSpline
from assay.stats.distributions.predictive import Student
from assay.types import TableLike

__all__ = ["AdditiveModel"]

EXACT_ROWS = 500  # rows up to which predictive distributions have the exact error of the curves
FREE = 3  # rounds in which the smoothers still choose how smooth they are


class AdditiveModel(Regressor):
    r"""Predict by a sum of curves of one column each, none of which needs a formula.

    .. math:: \hat g(x) = \alpha + \sum_j f_j(x_j), \qquad \sum_t f_j(x^t_j) = 0                          \quad (1)

    Backfitting takes the columns in turn and smooths what the others leave over,

    .. math:: f_j \leftarrow \operatorname{smooth}\Big(x_j,\ r - \alpha - \sum_{l\ne j} f_l(x_l)\Big)     \quad (2)

    centred, until nothing changes. Of smoothers that keep lines only the bends are taken, what (2) has beyond its
    least-squares line; the lines of all these columns are fitted together, to what the bends leave over,

    .. math:: f_j(x) = \beta_j(x-\bar x_j) + \tilde f_j(x), \qquad
              \beta = \operatorname{least squares}\Big(X,\ r - \alpha - \sum_l\tilde f_l\Big)          \quad (3)

    so that columns that go together take few rounds and do not take each other's lines (Buja, Hastie and Tibshirani
    1989; of splines the curves are the same). In the first rounds each smoother chooses how smooth it is; then that
    is held, so that the rounds converge. Many columns do no harm, as each curve depends on one; interactions are not
    modelled. Categories become indicators, whose curves are lines. Cost of a round: d fits of one column; of bands: d
    inverses of n by n matrices.

    Cost: fit O(i d s) for i cycles and smoothers of cost s, O(n log n) by default; predict O(d log n) a row; memory
    O(n d), the smoothers' rows are kept.

    Parameters
    ----------
    smoother : Smoother, list of d smoothers (one for each column of the design), or None, default None
        What smooths a column; None is ``SmoothingSpline(penalty=1.4)``, with λ by generalised cross-validation.
    max_iter : int, default 100
        The most rounds.
    tol : float, default 1e-3
        Stop when no curve changes by more than this part of the standard deviation of y, in the root mean square.

    Attributes
    ----------
    smoothers_ : list of d fitted smoothers, the curves      intercept_ : float, α
    slopes_ : (d,) of lines that are added to the curves      offsets_ : (d,) what is added so that their means are 0
    residual_ : (n,) what the curves leave over
    n_iter_ : int      history_ : list of float, the greatest change of a curve in each round

    Examples
    --------
    >>> import numpy as np
    >>> from assay.smoothers import AdditiveModel
    >>> X = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    >>> model = AdditiveModel().fit(X, np.sin(3 * X[:, 0]) + X[:, 1] ** 2)
    >>> bool(np.abs(model.predict(X) - np.sin(3 * X[:, 0]) - X[:, 1] ** 2).max() < 0.01)
    True

    See Also
    --------
    SmoothingSpline, Loess

    References
    ----------
    - Hastie, T. J. and Tibshirani, R. J. (1990). Generalized Additive Models. Chapman and Hall.
    - Buja, A., Hastie, T. and Tibshirani, R. (1989). Linear smoothers and additive models. Annals of Statistics
      17(2), 453-510. doi:10.1214/aos/1176347115
    """

    card = Card(
        "additive model",
        "a sum of curves, one for each column",
        also=("gam",),
        suits="numeric",
        most_rows=10_000,
        most_columns=50,
        learns=("a sum of smooth curves", "squared error + curvature", "backfitting", "global"),
    )
    accepts = {
        "smoother": Any_(
            "a smoother, a list of them, or None",
            lambda v: v is None or isinstance(v, (Smoother, list, tuple)),
        ),
        "max_iter": Count(1),
        "tol": Range(0),
    }
    stored = {
        "history_": Each(Scalar()),
        "intercept_": Scalar(),
        "offsets_": FloatArray("p"),
        "slopes_": FloatArray("p"),
        "residual_": FloatArray("*"),
        "smoothers_": Each(Object(BaseEstimator), "p"),
    }

    def __init__(self, smoother: Any = None, *, max_iter: int = 100, tol: float = 1e-3):
        self.smoother = smoother
        self.max_iter = max_iter
        self.tol = tol

    def _learn(self, X: Any, y: np.ndarray, w: np.ndarray | None) -> None:
        if y.ndim > 1:
            raise DataError(f"AdditiveModel: y should be a 1d array, got {y.shape[1]} columns.")
        X = np.asarray(X, dtype=np.float64)
        n, d = X.shape
        top = float(np.ptp(y))
        if not (top == 0 or 1e-140 < top < 1e140):
            raise DegenerateError(
                f"AdditiveModel: y varies by {top:.3g}, whose square is no number. Divide it by its spread first."
            )
        counts = np.ones(n) if w is None else w
        self.intercept_ = float(counts @ y / counts.sum())
        self.smoothers_, self.history_ = self._begin(d), []
        self.slopes_, self.offsets_ = np.zeros(d), np.zeros(d)
        lines = Lines([smoother.keeps_lines for smoother in self.smoothers_], X, counts)
        bends, target, curves = np.zeros((d, n)), y - self.intercept_, np.zeros((d, n))
        size = float(np.sqrt(counts @ target**2 / counts.sum())) or 1.0
        for turn in track(range(self.max_iter), "rounds"):
            before = curves
            slopes = lines.joint @ (target - bends.sum(axis=0))  # (3)
            residual = target - lines.centred @ slopes - bends.sum(axis=0)
            for j in range(d):
                if turn == FREE:
                    self.smoothers_[j] = clone(self.smoothers_[j]).set_params(**self.smoothers_[j]._held())
                part = residual + bends[j]
                smooth = self.smoothers_[j].fit(X[:, j : j + 1], part, w).predict(X[:, j : j + 1])  # (2)
                mean, slope = lines.share @ smooth, lines.each[j] @ smooth
                bends[j] = smooth - mean - slope * lines.centred[:, j]
                residual = part - bends[j]
                self.slopes_[j] = slopes[j] - slope
                self.offsets_[j] = -mean - self.slopes_[j] * lines.means[j]
            curves = bends + (lines.centred * slopes).T
            self.history_.append(float(np.sqrt((curves - before) ** 2 @ counts / counts.sum()).max()))
            if self.history_[-1] <= self.tol * size and turn > FREE:
                break
        self.residual_ = target - curves.sum(axis=0)
        self.n_iter_ = len(self.history_)
        if self.history_[-1] > self.tol * size and self.n_iter_ == self.max_iter:
            warn_user(
                f"AdditiveModel stopped after {self.max_iter} rounds; the curves still changed by "
                f"{self.history_[-1]:.3g}. Raise max_iter or tol; columns that go together converge slowly.",
                ConvergenceWarning,
            )

    def _begin(self, d: int) -> list[Any]:
        """A smoother for each column, unfitted."""
        prototype = SmoothingSpline(penalty=1.4) if self.smoother is None else self.smoother
        if isinstance(prototype, Smoother):
            return [clone(prototype) for _ in range(d)]
        if len(prototype) != d or not all(isinstance(smoother, Smoother) for smoother in prototype):
            raise DataError(
                f"AdditiveModel: smoother must have one smoother for each of {d} columns, got {prototype}."
            )
        return [clone(smoother) for smoother in prototype]

    def curves(self, X: TableLike) -> np.ndarray:
        """(q, d) the terms f_j(x_j) of (1) for each row of X."""
        return self._curves(self._admit(X))

    def _curves(self, X: Any) -> np.ndarray:
        X = np.asarray(X, dtype=np.float64)
        d = X.shape[1]
        if len(self.smoothers_) != d or self.slopes_.shape != (d,) or self.offsets_.shape != (d,):
            raise ValueError("AdditiveModel: the stored curves do not fit the columns.")
        smooth = [smoother.predict(X[:, j : j + 1]) for j, smoother in enumerate(self.smoothers_)]
        return np.column_stack(smooth) + X * self.slopes_ + self.offsets_

    def confidence_band(self, X: TableLike, level: float = 0.95) -> Band:
        r"""Pointwise intervals for the sum :math:`g(x)` at the rows of X, as of one smoother, without its bias.

        .. math:: \hat g(x) \pm t_\nu\,\hat\sigma\sqrt{\textstyle\sum_t l_t(x)^2}                       \quad (4)

        with l(x) the weights that the rows' numbers have in the estimate, once the rounds have converged and if the
        smoothers stay as smooth as they are, and :math:`\nu` and :math:`\hat\sigma` as of `Smoother` (noise "global").
        """
        values, known, sigma = self._for_bands(X, level)
        weights = known.share + np.sum(known.rows(values), axis=0)
        return Band.of(
            self._predict(values), known.errors(weights, sigma), np.full(len(values), known.dof), level
        )

    def curve_bands(self, X: TableLike, level: float = 0.95) -> list[Band]:
        """For each column the intervals (4) of its own curve at the rows of X."""
        values, known, sigma = self._for_bands(X, level)
        curves, dof = self._curves(values), np.full(len(values), known.dof)
        return [
            Band.of(curves[:, j], known.errors(weights, sigma), dof, level)
            for j, weights in enumerate(known.rows(values))
        ]

    def degrees_of_freedom(self) -> float:
        """As many parameters as the model is worth: the trace of the map from y to the fitted numbers."""
        self._ready()
        return self._operator().freedom

    def _for_bands(self, X: Any, level: float) -> tuple[np.ndarray, AdditiveOperator, float]:
        if not 0 < level < 1:
            raise ParameterError(f"AdditiveModel: level must be a number between 0 and 1, got {level!r}.")
        values = np.asarray(self._admit(X), dtype=np.float64)
        known = self._operator()
        return values, known, known.sigma(self.residual_)

    def _no_distribution(self) -> str:
        smoothers = vars(self).get("smoothers_", [])
        return next(filter(None, (smoother._no_distribution() for smoother in smoothers)), "")

    def _distribution(self, X: Any) -> Student:
        r"""Student's t of a new observation; of more rows than ``EXACT_ROWS`` with the mean error of the curves.

        There the degrees of freedom are those of the curves one by one, and their error at every row is
        :math:`\hat\sigma` times the root of degrees of freedom over rows.
        """
        n = len(self.residual_)
        if n <= EXACT_ROWS:
            known = self._operator()
            sigma = known.sigma(self.residual_)
            weights = known.share + np.sum(known.rows(np.asarray(X, dtype=np.float64)), axis=0)
            return Student(self._predict(X), np.hypot(sigma, known.errors(weights, sigma)), known.dof)
        w = self.smoothers_[0].weight_
        counts = np.ones(n) if w is None else row_counts(w)
        freedom = 1 + sum(max(smoother.degrees_of_freedom() - 1, 0.0) for smoother in self.smoothers_)
        total = float(counts.sum())
        if not total > freedom:
            raise DegenerateError(
                "AdditiveModel: the curves pass through all rows, so nothing is left to see the noise by. Smooth more."
            )
        sigma = float(np.sqrt(counts @ self.residual_**2 / (total - freedom)))
        return Student(self._predict(X), sigma * np.sqrt(1 + freedom / total), total - freedom)

    def _operator(self) -> AdditiveOperator:
        rows = [smoother.X_[:, 0] for smoother in self.smoothers_]
        if len({len(column) for column in rows}) > 1:
            raise DataError("AdditiveModel: a smoother that stores some rows only has no confidence band.")
        w = self.smoothers_[0].weight_
        counts = np.ones(len(rows[0])) if w is None else row_counts(w)
        return AdditiveOperator(self.smoothers_, np.column_stack(rows), counts)

    def _predict(self, X: Any) -> np.ndarray:
        return self.intercept_ + self._curves(X).sum(axis=1)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        terms = self._curves(X)

        def sections(i: int) -> list[Section]:
            lines: list[list[Any]] = [["(mean)", "", self.intercept_]]
            lines += [[name, float(X[i, j]), float(terms[i, j])] for j, name in enumerate(self._names)]
            lines.append(["sum", "", float(self.intercept_ + terms[i].sum())])
            return [Section("Terms of the sum", ["column", "value", "term"], lines)]

        def contributions(some: np.ndarray) -> Contributions:
            base, chosen = np.array([self.intercept_]), np.zeros(len(some), int)
            return self._contributions(terms[some][:, :, None], base, ["the answer"], chosen)

        return Reasons(sections, contributions)
