"""Distances of mixed tables: numbers, categories and missing values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

import assay.distances._mixed as _mixed
from assay.core.stored import BoolArray, FloatArray, OffsetArray, Scalar
from assay.distances.metric import Metric
from assay.distances.minkowski import Minkowski
from assay.errors import DataError
from assay.types import PointsLike, TableLike

__all__ = ["HEOM", "Fitting", "Gower", "ValueDifference"]


@dataclass(frozen=True, eq=False)
class HEOM(Metric):
    r"""Euclid's distance over columns of any kind (heterogeneous Euclidean-overlap metric).

    .. math:: D(a, b) = \sqrt{\sum_j \delta_j^2}, \quad \delta_j =
              \begin{cases} 1 & \text{if } a_j \text{ or } b_j \text{ is missing} \\
              [a_j \ne b_j] & \text{for categories} \\
              |a_j - b_j| / r_j & \text{for numbers} \end{cases} \quad (1)

    with :math:`r_j` the range of column j in the training rows. A column that was constant there differs by 1 or not at
    all, as categories do. Ordinal columns are their ranks. A category that training did not have is missing.

    Parameters
    ----------
    coded : (d,) bool, which columns hold codes of categories; None means none

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import HEOM
    >>> metric = HEOM(coded=np.array([False, True])).learn(np.array([[0.0, 0], [10.0, 1]]))
    >>> metric.between(np.array([[5.0, 0]]), np.array([[5.0, 1], [8.0, 0], [np.nan, 0]]))
    array([[1. , 0.3, 1. ]])

    See Also
    --------
    Gower, ValueDifference

    References
    ----------
    - Wilson, D. R. and Martinez, T. R. (1997). Improved heterogeneous distance functions. Journal of Artificial
      Intelligence Research 6, 1-34. doi:10.1613/jair.346
    """

    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing"})
    square: ClassVar[bool] = True  # whether (1) is a root of squares
    gaps: ClassVar[bool] = True  # whether a missing value counts as a difference of 1

    coded: np.ndarray | None = None
    scale_: np.ndarray | None = None  # (d,) what numbers are divided by; 0 for categories and constants
    start_: np.ndarray | None = None  # (d + 1,) where the table of each column begins in worth_
    worth_: np.ndarray | None = None  # the (c, c) table of each column of categories, one after the other
    stored = {
        "coded": BoolArray("d") | None,
        "scale_": FloatArray("d", low=0, finite=True) | None,
        "start_": OffsetArray("d + 1", end="e") | None,
        "worth_": FloatArray("e") | None,
    }

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        X = self._dense(X)
        coded = self._coded(X)
        if w is not None:  # rows of weight 0 are not there
            X, y, w = X[w > 0], None if y is None else np.asarray(y)[w > 0], w[w > 0]
        start, worth = self._tables(X, y, w, coded)
        return replace(self, coded=coded, scale_=self._scales(X, w, coded), start_=start, worth_=worth)

    def _coded(self, X: np.ndarray) -> np.ndarray:
        return np.zeros(X.shape[1], bool) if self.coded is None else np.asarray(self.coded, dtype=bool)

    def _scales(self, X: np.ndarray, w: np.ndarray | None, coded: np.ndarray) -> np.ndarray:
        """The ranges of columns of numbers."""
        scale = np.zeros(X.shape[1])
        for j in np.flatnonzero(~coded):
            observed = X[~np.isnan(X[:, j]), j]
            scale[j] = np.ptp(observed) if len(observed) else 0.0
        return scale

    def _tables(self, X: Any, y: Any, w: Any, coded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """No tables: categories differ by 1 or not at all."""
        return np.zeros(X.shape[1] + 1, np.int64), np.zeros(0)

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        A, B = self._dense(A), self._dense(B)
        if self.scale_ is None:
            both: Any = self.learn(np.concatenate([A, B]))
            return both.between(A, B)
        return super().between(A, B)

    def _prepared(self, X: Any) -> np.ndarray:
        """Numbers in units of their scale, which no longer need it; columns of categories as they are."""
        X = np.ascontiguousarray(self._dense(X))
        if self.scale_ is None or X.shape[1] != len(self.scale_):
            known = "no" if self.scale_ is None else len(self.scale_)
            raise DataError(f"{self.name}: the metric knows {known} columns, the table has {X.shape[1]}.")
        return X / np.where(self.scale_ > 0, self.scale_, 1.0)

    @property
    def _kinds(self) -> np.ndarray:
        """(d,) 0 for numbers, 1 for what is equal or not, 2 for what has a table."""
        assert self.scale_ is not None and self.start_ is not None
        return np.where(np.diff(self.start_) > 0, 2, np.where(self.scale_ > 0, 0, 1)).astype(np.uint8)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        assert self.start_ is not None and self.worth_ is not None
        out = np.empty((len(A), len(B)))
        _mixed.distances(
            A=A,
            B=B,
            kind=self._kinds,
            start=self.start_,
            worth=self.worth_,
            square=self.square,
            gaps=self.gaps,
            out=out,
        )
        return out

    def _check_stored(self) -> None:
        """Check the tables of a loaded file before they are used."""
        if self.scale_ is None:
            return
        start, worth = self.start_, self.worth_
        sizes = np.sqrt(np.abs(np.diff(start))) if start is not None and start.ndim == 1 else np.array([0.5])
        if (
            worth is None
            or worth.ndim != 1
            or worth.dtype != np.float64
            or start is None
            or start.dtype != np.int64
            or self.scale_.shape != (len(start) - 1,)
            or start[0] != 0
            or start[-1] != len(worth)
            or (np.diff(start) < 0).any()
            or (sizes != np.floor(sizes)).any()
        ):
            raise ValueError(f"{self.name}: the stored tables of categories do not fit together.")


@dataclass(frozen=True, eq=False)
class Gower(HEOM):
    r"""The mean difference over the columns that both rows have (Gower's coefficient, as a distance).

    .. math:: D(a, b) = \frac{\sum_j [a_j, b_j \text{ there}]\, \delta_j}{\sum_j [a_j, b_j \text{ there}]},
              \quad \delta_j = \begin{cases} [a_j \ne b_j] & \text{for categories} \\
              |a_j - b_j| / r_j & \text{for numbers} \end{cases} \quad (1)

    with :math:`r_j` the range of column j in the training rows; rows that share no column are at distance 1.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import Gower
    >>> metric = Gower(coded=np.array([False, True])).learn(np.array([[0.0, 0], [10.0, 1]]))
    >>> metric.between(np.array([[5.0, 0]]), np.array([[5.0, 1], [8.0, 0], [np.nan, 0]]))
    array([[0.5 , 0.15, 0.  ]])

    See Also
    --------
    HEOM, ValueDifference

    References
    ----------
    - Gower, J. C. (1971). A general coefficient of similarity and some of its properties. Biometrics 27(4),
      857-871. doi:10.2307/2528823
    """

    square: ClassVar[bool] = False
    gaps: ClassVar[bool] = False


@dataclass(frozen=True, eq=False)
class ValueDifference(HEOM):
    r"""Value difference metric: categories differ as much as their class distributions.

    .. math:: D(a, b) = \sqrt{\sum_j \delta_j^2}, \quad \delta_j = \begin{cases}
              \sqrt{\sum_k (P(k \mid a_j) - P(k \mid b_j))^2} & \text{for categories} \\
              |a_j - b_j| / 4 \sigma_j & \text{for numbers} \\
              1 & \text{if one is missing} \end{cases} \quad (1)

    with the class shares and standard deviations of the training rows (Wilson and Martinez 1997). A category without
    training rows is as far from all others as a missing value.

    Examples
    --------
    Red and brown come with the same classes, blue with the other:

    >>> import numpy as np
    >>> from assay.distances import ValueDifference
    >>> metric = ValueDifference(coded=np.array([True])).learn(np.array([[0.0], [1.0], [2.0]]), np.array([0, 0, 1]))
    >>> metric.between(np.array([[0.0]]), np.array([[1.0], [2.0]])).round(4)
    array([[0.    , 1.4142]])

    See Also
    --------
    HEOM, Gower

    References
    ----------
    - Stanfill, C. and Waltz, D. (1986). Toward memory-based reasoning. Communications of the ACM 29(12), 1213-1228.
      doi:10.1145/7902.7906
    - Wilson, D. R. and Martinez, T. R. (1997). Improved heterogeneous distance functions. Journal of Artificial
      Intelligence Research 6, 1-34. doi:10.1613/jair.346
    """

    @property
    def name(self) -> str:
        return "vdm"

    def _scales(self, X: np.ndarray, w: np.ndarray | None, coded: np.ndarray) -> np.ndarray:
        """Four standard deviations (divisor n) of columns of numbers."""
        scale = np.zeros(X.shape[1])
        for j in np.flatnonzero(~coded):
            known = ~np.isnan(X[:, j])
            observed = X[known, j]
            if len(observed) and np.ptp(observed) > 0:
                counts = None if w is None else w[known]
                center = np.average(observed, weights=counts)
                scale[j] = 4 * np.sqrt(np.average((observed - center) ** 2, weights=counts))
        return scale

    def _tables(self, X: Any, y: Any, w: Any, coded: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if y is None:
            raise DataError("vdm: this metric looks at the classes, but there are none. Use 'heom'.")
        codes = np.unique(np.asarray(y), return_inverse=True)[1].ravel()
        K = codes.max() + 1
        sizes, tables = np.zeros(X.shape[1] + 1, np.int64), []
        for j in np.flatnonzero(coded):
            observed = ~np.isnan(X[:, j])
            value = X[observed, j].astype(np.int64)
            c = int(value.max()) + 1 if len(value) else 1
            weights = None if w is None else w[observed]
            counts = np.bincount(value * K + codes[observed], weights=weights, minlength=c * K).reshape(c, K)
            total = counts.sum(axis=1)
            share = counts / np.where(total > 0, total, 1.0)[:, None]
            table = np.sqrt(((share[:, None] - share) ** 2).sum(axis=2))  # (1)
            table[total == 0] = table[:, total == 0] = 1.0
            tables.append(table.ravel())
            sizes[j + 1] = c * c
        return np.cumsum(sizes), np.concatenate(tables) if tables else np.zeros(0)


@dataclass(frozen=True, eq=False)
class Fitting(Metric):
    """The metric "auto": Minkowski's for numbers without missing values, else HEOM; ``learn`` decides.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.distances import metric_of
    >>> [metric_of("auto").learn(np.array(X)).name for X in ([[1.0], [2.0]], [[1.0], [np.nan]])]
    ['euclidean', 'heom']
    """

    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing", "sparse"})

    p: float = 2.0
    coded: np.ndarray | None = None
    stored = {
        "p": Scalar(low=0),
        "coded": BoolArray("d") | None,
    }

    @property
    def name(self) -> str:
        return "auto"

    def learn(self, X: Any, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        plain = self.coded is None or not np.any(self.coded)
        if hasattr(X, "tocsr") or (plain and not np.isnan(X).any()):
            return Minkowski(self.p).learn(X)
        return HEOM(self.coded).learn(X, y, w)

    def between(self, A: Any, B: Any) -> np.ndarray:
        if hasattr(A, "tocsr"):
            return Minkowski(self.p).between(A, B)
        A, B = self._dense(A), self._dense(B)
        return self.learn(np.concatenate([A, B])).between(A, B)
