"""What learners of two tables of the same rows share: one sum of squares and products, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import TransformerMixin

from assay.core.moments import ClassScatter, RowScatter, class_scatter, row_scatter
from assay.core.stored import Boolean, FloatArray, Integer, Object
from assay.core.sum_learner import SumLearner
from assay.core.sums import Rows, Source
from assay.core.targets import plain_values
from assay.errors import DataError, DegenerateError, ParameterError
from assay.types import TableLike, Target

if TYPE_CHECKING:
    from assay.core.learner import Learner as _Learner
else:
    _Learner = object  # a mixin: it stands before a learner's base

__all__ = ["Covariances", "TwoViews", "covariances_of"]

ZERO_SPREAD = 1e-15  # of the mean of a column, below which its standard deviation is rounding


@dataclass(frozen=True)
class Covariances:
    """Of two views: where they lie, how far they spread, and how they vary together.

    x_mean, x_std : (p,)      y_mean, y_std : (q,) the standard deviations, or ones
    xx : (r, r), xy : (r, q), yy : (q, q) covariances, divided by n - 1, of the columns divided by x_unit, y_unit
    x_unit, y_unit : (p,), (q,) the standard deviations, or one number for all columns of a view
    basis : (p, r) whose columns are the coordinates of xx; None for the columns themselves
    x_rows : (n, p) with products xx, where these would be more; xx is empty then; None else
    count : what the rows weigh      rows : how many rows, weights counted as repeats
    """

    x_mean: np.ndarray
    x_std: np.ndarray
    y_mean: np.ndarray
    y_std: np.ndarray
    xx: np.ndarray
    xy: np.ndarray
    yy: np.ndarray
    x_unit: np.ndarray
    y_unit: np.ndarray
    basis: np.ndarray | None
    count: float
    rows: int
    x_rows: np.ndarray | None = None

    @property
    def x_variance(self) -> float:
        """The sum of the variances of X."""
        return float(np.trace(self.xx) if self.x_rows is None else np.sum(self.x_rows**2))

    def reduced(self) -> Covariances:
        """The same with the products of few rows in coordinates of the space that they span."""
        if self.x_rows is None:
            return self
        _, values, V = np.linalg.svd(self.x_rows, full_matrices=False)
        inside = values > max(self.x_rows.shape) * np.finfo(float).eps * values.max(initial=0.0)
        basis = V[inside].T
        return replace(self, xx=np.diag(values[inside] ** 2), xy=basis.T @ self.xy, basis=basis, x_rows=None)

    def columns(self, W: np.ndarray) -> np.ndarray:
        """(p, k) vectors in the columns of X from (r, k) in the coordinates of ``xx``."""
        return W if self.basis is None else self.basis @ W

    @property
    def ratio(self) -> float:
        """What one unit of Y is in units of X, where columns keep their own."""
        return float((self.y_unit[0] / self.y_std[0]) / (self.x_unit[0] / self.x_std[0]))


def covariances_of(sums: ClassScatter | RowScatter, p: int, scale: bool, who: str) -> Covariances:
    """The covariances of two views from the scatter of both side by side; the first has p columns.

    >>> import numpy as np
    >>> from assay.core.moments import class_scatter
    >>> from assay.reduce.views.two_views import covariances_of
    >>> Z = np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]])
    >>> covariances_of(class_scatter(Z, np.zeros(3, int), None, 1, pooled=True), 1, True, "CCA").xy
    array([[1.]])
    """
    count, mean = float(sums.count[0]), sums.mean[0]
    if not count > 1:
        raise DegenerateError(
            f"{who} needs at least 2 rows to measure a variance, got {'1 sample' if count == 1 else f'{count:g}'}; "
            "weights count as repeated rows."
        )
    squares = sums.squares if isinstance(sums, RowScatter) else np.diag(sums.scatter[0])
    if not np.isfinite(squares).all():
        raise DegenerateError(
            f"{who}: the squares of the columns overflow. Scale the columns first: StandardScaler."
        )
    spread = np.sqrt(squares / (count - 1))
    spread = np.where(spread > ZERO_SPREAD * np.abs(mean), spread, 0.0)
    std = np.where(spread > 0, spread, 1.0) if scale else np.ones(len(spread))
    unit = std
    if not scale:
        widest = [spread[:p].max(initial=0.0), spread[p:].max(initial=0.0)]
        unit = np.repeat([v if v > 0 else 1.0 for v in widest], [p, len(spread) - p])
    x_rows = None
    if isinstance(sums, RowScatter):
        D = sums.deviations / (unit * np.sqrt(count - 1))
        D[:, spread == 0] = 0.0
        x_rows, y_rows = D[:, :p], D[:, p:]
        products = (np.empty((0, 0)), x_rows.T @ y_rows, y_rows.T @ y_rows)
    else:
        S = sums.scatter[0] / unit / unit[:, None] / (count - 1)
        S[spread == 0] = S[:, spread == 0] = 0.0
        products = (S[:p, :p], S[:p, p:], S[p:, p:])
    return Covariances(
        *(mean[:p], std[:p], mean[p:], std[p:]),
        *products,
        *(unit[:p], unit[p:]),
        None,
        count,
        int(np.ceil(count)),
        x_rows,
    )


class TwoViews(SumLearner, TransformerMixin):
    """Mixin of learners of two tables X and y of the same rows; stands before the learner's base.

    The learner writes ``_solve_views(views)``, which sets ``x_rotations_`` and ``y_rotations_``: both views divided by
    their standard deviations and multiplied by these are the new columns.
    """

    stored = {
        "_sums": Object(ClassScatter, RowScatter),
        "_n_features_out": Integer("m", low=0),
        "_x_mean": FloatArray("p", finite=True),
        "_x_std": FloatArray("p", low=0, finite=True),
        "_y_mean": FloatArray("q", finite=True),
        "_y_std": FloatArray("q", low=0, finite=True),
        "_one_number": Boolean(),
        "x_weights_": FloatArray("p", "m", finite=True),
        "y_weights_": FloatArray("q", "m", finite=True),
        "x_loadings_": FloatArray("p", "m", finite=True),
        "y_loadings_": FloatArray("q", "m", finite=True),
        "x_rotations_": FloatArray("p", "m", finite=True),
        "y_rotations_": FloatArray("q", "m", finite=True),
    }

    n_components: Any
    scale: bool
    _n_features_out: int
    x_weights_: np.ndarray
    y_weights_: np.ndarray
    x_loadings_: np.ndarray
    y_loadings_: np.ndarray
    x_rotations_: np.ndarray
    y_rotations_: np.ndarray

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = tags.target_tags.multi_output = tags.target_tags.single_output = True
        if tags.regressor_tags is not None:
            tags.regressor_tags.poor_score = True  # few directions of the columns, as scikit-learn's
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn what the rows of X and of y have in common.

        Parameters
        ----------
        X : array or pandas, polars, pyarrow frame, (n, p)
        y : (n,) numbers, or the second table, (n, q)
        sample_weight : (n,) what each row counts; None counts each once
        """
        column = getattr(y, "ndim", 1) == 2 and y.shape[1] == 1 and not hasattr(y, "__dask_graph__")
        super().fit(X, np.asarray(plain_values(y))[:, 0] if column else y, sample_weight)
        self._one_number = not column and len(self.y_rotations_) == 1
        return self

    # Sums

    def _learn_from(self, source: Source) -> None:
        if isinstance(source, Rows) and source.X.shape[0] < source.X.shape[1]:
            self._sums = self._row_sums(source)
        else:
            self._sums = source.add_up(self._summarize_block)
        self._solve(self._sums)

    def _row_sums(self, rows: Rows) -> RowScatter:
        """The rows themselves in place of their products, which would be more."""
        Z = self._side_by_side(rows.X, rows.y)
        return row_scatter(Z, np.zeros(len(Z), np.int64), rows.w, 1)

    def _summarize(self, X: Any, y: Any, w: Any) -> ClassScatter:
        Z = self._side_by_side(X, y)
        return class_scatter(Z, np.zeros(len(Z), np.int64), w, 1, pooled=True)

    def _side_by_side(self, X: Any, y: Any) -> np.ndarray:
        if y is None:
            raise DataError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        return np.column_stack([np.asarray(X, dtype=np.float64), y])

    def _solve(self, sums: ClassScatter | RowScatter) -> None:
        views = covariances_of(sums, len(self._names), self.scale, type(self).__name__)
        self._x_mean, self._x_std = views.x_mean, views.x_std
        self._y_mean, self._y_std = views.y_mean, views.y_std
        self._one_number = len(views.y_mean) == 1
        self._solve_views(views)
        self._n_features_out = self.x_rotations_.shape[1]

    def _solve_views(self, views: Covariances) -> None:
        raise TypeError(f"{type(self).__name__} must define _solve_views")

    def _check_number(self, most: int) -> int:
        k = int(self.n_components)
        if k > most:
            raise ParameterError(
                f"`n_components` upper bound is {most}. Got {k} instead. Reduce `n_components`.",
                who=type(self).__name__,
            )
        return k

    # Answers

    def transform(self, X: TableLike, y: Target | None = None, copy: bool = True) -> Any:
        """(n, k) the new columns of X; with y a pair, those of X and those of y.

        Parameters
        ----------
        X : (n, p)
        y : (n,) or (n, q), the second view of the same rows, default None
        copy : bool, default True
            Accepted as scikit-learn's; X and y are never changed.
        """
        of_x = self._transform(self._admit(X))
        if y is None:
            return of_x
        return of_x, (self._second(y, len(of_x)) - self._y_mean) / self._y_std @ self.y_rotations_

    def _deviations(self, X: Any) -> np.ndarray:
        return (X - self._x_mean) / self._x_std

    def _weights(self) -> np.ndarray:
        return self.x_rotations_.T

    def _transform(self, X: Any) -> np.ndarray:
        return self._deviations(X) @ self.x_rotations_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """The new columns of the training rows: a pair, as ``transform(X, y)`` gives it."""
        return self.fit(X, y, sample_weight).transform(X, y)

    def joint_transform(self, X: TableLike, y: Target) -> np.ndarray:
        """(n, 2 k) the new columns of both views side by side, as columns for another learner."""
        return np.hstack([np.asarray(part) for part in self.transform(X, y)])

    def inverse_transform(self, X: TableLike, y: Target | None = None) -> Any:
        """(n, p) the rows of X with these new columns, as near as they come; with y a pair, the rows of both views.

        Parameters
        ----------
        X : (n, k)      y : (n, k) or None, default None
        """
        self._ready()
        back = self._columns(X) @ self.x_loadings_.T * self._x_std + self._x_mean
        return (
            back if y is None else (back, self._columns(y) @ self.y_loadings_.T * self._y_std + self._y_mean)
        )

    def _columns(self, Z: Any) -> np.ndarray:
        Z = np.asarray(Z, dtype=np.float64)
        if Z.ndim != 2 or Z.shape[1] != self._n_features_out:
            raise DataError(
                f"expected rows of {self._n_features_out} components, got an array of the shape {Z.shape}.",
                who=type(self).__name__,
            )
        return Z

    def _second(self, y: Any, n: int) -> np.ndarray:
        values = np.asarray(plain_values(y), dtype=np.float64)
        values = values[:, None] if values.ndim == 1 else values
        if values.shape != (n, len(self._y_mean)):
            raise DataError(
                f"y should be {n} rows of {len(self._y_mean)} columns as in fit, got the shape {values.shape}.",
                who=type(self).__name__,
            )
        if not np.isfinite(values).all():
            raise DataError("y contains NaN or infinity.", who=type(self).__name__)
        return values

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The names of the new columns: that of the class and a number."""
        self._ready()
        return np.array(self._names_out(), dtype=object)

    def _names_out(self) -> list[str]:
        return [f"{type(self).__name__.lower()}{j}" for j in range(self._n_features_out)]
