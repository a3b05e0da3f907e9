"""Base class of the metrics: fitted once to a table, then evaluated for many pairs of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np

from assay.core.parallel import in_threads
from assay.core.parameters import Any_
from assay.core.stored import Kind
from assay.errors import DataError, ParameterError
from assay.tables import Schema
from assay.types import MetricLike, PointsLike, TableLike

__all__ = ["METRIC", "METRICS", "Metric", "metric_of"]

BLOCK = 1 << 20  # pairs in one piece of work


@dataclass(frozen=True)
class Metric:
    r"""A distance between rows of numbers.

    Some distances are those of a Minkowski space once the rows have been mapped to points,

    .. math:: D(a, b) = f\left(\|\phi(a) - \phi(b)\|_p\right) \quad (1)

    with an increasing :math:`f`. Such a metric has a number ``power`` (p), ``points`` (:math:`\phi`), ``finish``
    (:math:`f`) and ``begin`` (its inverse), and every way of searching serves it. For others ``power`` is None.

    A metric is immutable: ``learn`` returns a new one, fitted to the training rows.
    """

    takes: ClassVar[frozenset[str]] = frozenset()  # of "nominal", "missing", "sparse"
    triangle: ClassVar[bool] = False  # whether D(a, c) <= D(a, b) + D(b, c) always, which ball trees need
    function: ClassVar[bool] = False  # whether it is the user's own, slow for each pair
    precomputed: ClassVar[bool] = False  # whether rows are distances already
    stored: ClassVar[Mapping[str, Kind] | None] = {}

    @property
    def name(self) -> str:
        """Its name in `metric_of`."""
        return type(self).__name__.lower()

    @property
    def power(self) -> float | None:
        """The p of the Minkowski space in which the rows are points, or None."""
        return None

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Metric:
        """The metric fitted to the training rows X, their class codes y and weights w."""
        return self

    def points(self, X: TableLike) -> Any:
        """The rows as points of the Minkowski space."""
        return X

    def finish(self, distance: np.ndarray) -> np.ndarray:
        """The distance of rows from that of their points."""
        return distance

    def begin(self, distance: float) -> float:
        """The distance of points from that of their rows."""
        return distance

    def between(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        """(n, m) the distances between all rows of A and of B."""
        A, B = self._prepared(A), self._prepared(B)
        n, m = A.shape[0], B.shape[0]
        out = np.empty((n, m))
        size = max(1, BLOCK // max(m, 1))

        def some(start: int) -> None:
            self._fill(A[start : start + size], B, out[start : start + size])

        in_threads(some, range(0, n, size), 1 if self.function else None)
        return out

    def paired(self, A: PointsLike, B: PointsLike) -> np.ndarray:
        """(n,) the distance of each row of A to the same row of B."""
        if len(self._shape(A)) != 2 or self._shape(A) != self._shape(B):
            raise DataError(
                f"paired: A and B must be tables of one shape, got {self._shape(A)} and {self._shape(B)}."
            )
        A, B = self._prepared(A), self._prepared(B)
        return np.array([self._block(A[i : i + 1], B[i : i + 1])[0, 0] for i in range(A.shape[0])])

    @staticmethod
    def _shape(A: Any) -> tuple[int, ...]:
        return A.shape if hasattr(A, "shape") else np.shape(A)

    def _dense(self, X: Any) -> np.ndarray:
        """The rows as numbers; sparse ones are refused, by a metric that does not take them."""
        if hasattr(X, "tocsr"):
            raise DataError(
                f"{self.name}: sparse rows were passed, but this distance needs dense ones.",
                remedy="Use X.toarray().",
            )
        return np.asarray(X, dtype=np.float64)

    def _prepared(self, X: Any) -> Any:
        """The rows as ``_block`` wants them."""
        return X

    def _fill(self, A: Any, B: Any, out: np.ndarray) -> None:
        """The distances of some rows, where they are wanted."""
        out[:] = self._block(A, B)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        raise TypeError(f"{type(self).__name__} must define _block")


# name: module, class, what the name itself says
METRICS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "minkowski": ("minkowski", "Minkowski", {}),
    "p": ("minkowski", "Minkowski", {}),
    **{name: ("minkowski", "Minkowski", {"p": 2.0}) for name in ("euclidean", "l2")},
    **{name: ("minkowski", "Minkowski", {"p": 1.0}) for name in ("manhattan", "cityblock", "l1")},
    **{name: ("minkowski", "Minkowski", {"p": np.inf}) for name in ("chebyshev", "infinity")},
    "sqeuclidean": ("minkowski", "SquaredEuclidean", {}),
    "seuclidean": ("minkowski", "Standardized", {}),
    "mahalanobis": ("mahalanobis", "Mahalanobis", {}),
    "discriminant": ("discriminant", "DiscriminantMetric", {}),
    "cosine": ("cosine", "Cosine", {}),
    **{
        name: ("named", "Named", {"which": name})
        for name in (
            "braycurtis", "canberra", "correlation", "dice", "hamming", "haversine", "jaccard",
            "nan_euclidean", "rogerstanimoto", "russellrao", "sokalsneath", "yule",
        )
    },
    "matching": ("named", "Named", {"which": "hamming"}),
    "heom": ("mixed", "HEOM", {}),
    "gower": ("mixed", "Gower", {}),
    "vdm": ("mixed", "ValueDifference", {}),
    "auto": ("mixed", "Fitting", {}),
    "precomputed": ("precomputed", "Precomputed", {}),
}  # fmt: skip

METRIC = Any_(
    "the name of a metric, a function of two rows, or a Metric",
    lambda value: (
        (isinstance(value, str) and value in METRICS)
        or isinstance(value, Metric)
        or callable(value)
        or hasattr(value, "pairwise")
    ),
)


def metric_of(
    metric: MetricLike,
    *,
    p: float = 2,
    metric_params: Mapping[str, Any] | None = None,
    schema: Schema | None = None,
) -> Metric:
    """The metric that a name, a function or another metric stands for.

    Parameters
    ----------
    metric : str, callable of two rows, Metric, or object with ``pairwise(A, B)``
        The names are scikit-learn's and SciPy's; "heom", "gower" and "vdm" are distances for mixed tables,
        "discriminant" looks at the classes, "auto" is Minkowski's for numbers without missing values, else "heom", and
        "precomputed" means that the rows are distances already.
    p : float
        The exponent of "minkowski".
    metric_params : dict
        More arguments of the metric, such as VI for "mahalanobis".
    schema : Schema
        Which columns hold categories; None means none.

    Examples
    --------
    >>> from assay.distances import metric_of
    >>> metric_of("chebyshev").between([[0.0, 0.0]], [[3.0, 4.0], [1.0, 0.0]])
    array([[4., 1.]])
    """
    from importlib import import_module

    if isinstance(metric, Metric):
        return metric
    params = dict(metric_params or {})
    if callable(metric):
        from assay.distances.function import Function

        return Function(metric, params)
    if hasattr(metric, "pairwise"):
        from assay.distances.function import Pairwise

        name = type(metric).__name__  # scikit-learn's objects for which every way of searching is there
        same = {"EuclideanDistance64": 2.0, "ManhattanDistance64": 1.0, "ChebyshevDistance64": np.inf}
        return metric_of("minkowski", p=same[name]) if name in same else Pairwise(metric)
    if not isinstance(metric, str) or metric not in METRICS:
        raise ParameterError(
            f"metric must be one of {', '.join(map(repr, METRICS))}, or a function of two rows, got {metric!r}."
        )
    module, cls, options = METRICS[metric]
    made = getattr(import_module(f"assay.distances.{module}"), cls)
    if metric in ("minkowski", "p", "auto"):
        options = {"p": float(params.pop("p", p))}
    if module in ("mixed",):
        options = {**options, "coded": _coded(schema)}
    accepted = {f.name for f in fields(made) if f.name not in ("which", "coded") and not f.name.endswith("_")}
    for name in params:
        if name not in accepted or name in options:
            raise ParameterError(
                f"metric {metric!r} has no parameter {name!r}; it has "
                f"{', '.join(sorted(accepted - set(options))) or 'none'}. Change metric_params."
            )
    return made(**options, **params)


def _coded(schema: Schema | None) -> np.ndarray | None:
    """(d,) bool: the columns whose categories have no order; ranks are numbers."""
    return None if schema is None else np.array([column.kind == "nominal" for column in schema])
