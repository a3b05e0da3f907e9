"""Distances as kernels, and kernels as distances."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Object, Scalar, Text
from assay.distances import Metric, metric_of
from assay.distances.minkowski import Minkowski
from assay.errors import DataError, ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.normalized import ScaledRows
from assay.kernels.parameters import BOUNDS
from assay.tables import Schema
from assay.tables.rows import row_count, take_rows
from assay.types import MetricLike, PointsLike, TableLike

__all__ = ["DistanceKernel", "KernelDistance"]

FORMS = ("exponential", "gaussian", "inverse", "negative")
MEDIAN_ROWS = 1000  # training rows whose distances give the median
OF_NEGATIVE_TYPE = {"sqeuclidean", "seuclidean", "mahalanobis", "cosine", "hamming", "jaccard"}
EUCLIDEAN = {"euclidean", "seuclidean", "mahalanobis"}


@dataclass(frozen=True, eq=False)
class DistanceKernel(Kernel):
    r"""Any distance as a kernel: near rows are similar.

    ============= ================================ ===========================================================
    form          K(a, b)                          positive semidefinite
    ============= ================================ ===========================================================
    "exponential" :math:`e^{-D/2s^2}`              for distances of negative type: Minkowski's with p from 1 to 2,
                                                   squared Euclidean, Mahalanobis, cosine, Hamming, Jaccard
    "gaussian"    :math:`e^{-D^2/2s^2}`            for Euclidean and Mahalanobis distances
    "inverse"     :math:`1 / (1 + D/s)`            as "exponential"
    "negative"    :math:`s - D`                    never; only among coefficients that sum to 0
    ============= ================================ ===========================================================

    ``psd`` says whether this combination is one of these; for others look at `check_gram`.

    Parameters
    ----------
    metric : str, callable of two rows, or Metric, default "euclidean"
        As in ``assay.distances.metric_of``; "gower" and "heom" take mixed tables.
    scale : float or "median", default "median"
        s; "median" is the median distance of (at most a thousand of) the training rows, its root for "exponential".
    form : "exponential", "gaussian", "inverse" or "negative", default "exponential"
    scale_bounds : (low, high) or "fixed", default "fixed"

    Attributes
    ----------
    metric_ : Metric, fitted to the training rows after ``learn``

    Examples
    --------
    >>> from assay.kernels import DistanceKernel
    >>> DistanceKernel("manhattan", scale=1.0, form="inverse")([[0.0, 0.0]], [[1.0, 2.0]])
    array([[0.25]])

    See Also
    --------
    KernelDistance, check_gram

    References
    ----------
    - Schoenberg, I. J. (1938). Metric spaces and positive definite functions. Transactions of the American Mathematical
      Society 44(3), 522-536. doi:10.2307/1989894
    """

    searched: ClassVar[tuple[str, ...]] = ("scale",)

    metric: MetricLike = "euclidean"
    scale: float | str = "median"
    form: str = "exponential"
    scale_bounds: tuple[float, float] | str = "fixed"
    metric_: Any = None
    stored = {
        "metric": Text() | Object(Metric),
        "scale": Scalar(low=0, finite=True) | Text("median"),
        "form": Text(*FORMS),
        "scale_bounds": BOUNDS,
        "metric_": Object(Metric) | None,
    }

    def __post_init__(self) -> None:
        if self.scale != "median":
            super().__post_init__()
        if self.form not in FORMS:
            raise ParameterError(
                f"DistanceKernel: form must be one of {', '.join(map(repr, FORMS))}, got {self.form!r}."
            )
        metric_of(self.metric)

    @property
    def name(self) -> str:
        return f"{self.form} of {self._metric.name}"

    @property
    def _metric(self) -> Metric:
        return metric_of(self.metric) if self.metric_ is None else self.metric_

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return self._metric.takes

    @property
    def function(self) -> bool:  # type: ignore[override]
        return self._metric.function

    @property
    def psd(self) -> bool:  # type: ignore[override]
        metric = self._metric
        if self.form == "gaussian":
            return metric.name in EUCLIDEAN or (isinstance(metric, Minkowski) and metric.p == 2)
        negative_type = metric.name in OF_NEGATIVE_TYPE or (
            isinstance(metric, Minkowski) and 1 <= metric.p <= 2
        )
        return self.form != "negative" and negative_type

    def with_schema(self, schema: Schema) -> DistanceKernel:
        return replace(self, metric_=metric_of(self.metric, schema=schema))

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> DistanceKernel:
        metric = self._metric.learn(X, y, w)
        scale = self.scale
        if isinstance(scale, str):
            n = row_count(X, self.name)
            some = take_rows(X, np.unique(np.linspace(0, n - 1, min(n, MEDIAN_ROWS)).astype(int)))
            distances = metric.between(some, some)
            apart = distances[(distances > 0) & np.isfinite(distances)]
            scale = float(np.median(apart)) if len(apart) else 1.0
            scale = float(np.sqrt(scale)) if self.form == "exponential" else scale
        return replace(self, metric_=metric, scale=scale)

    def diagonal(self, A: PointsLike) -> np.ndarray:
        if self._metric.triangle and "missing" not in self.takes:
            return np.full(row_count(A, self.name), float(self._of(np.zeros(1))[0]))
        return super().diagonal(A)

    def _prepared(self, X: Any) -> Any:
        if self._metric.precomputed:
            raise DataError("DistanceKernel: distances between rows are needed, not a table of distances.")
        return self._metric._prepared(X)

    def _block(self, A: Any, B: Any) -> np.ndarray:
        return self._of(self._metric._block(A, B))

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        if isinstance(self.scale_bounds, str):
            return []
        s, D = self._scale(), self._metric._block(A, B)
        K = self._of(D) if K is None else K
        slopes = {
            "exponential": lambda: K * D / s**2,
            "gaussian": lambda: K * (D / s) ** 2,
            "inverse": lambda: K**2 * D / s,
            "negative": lambda: np.full_like(K, s),
        }
        return [slopes[self.form]()]

    def _scale(self) -> float:
        if isinstance(self.scale, str):
            raise ParameterError(
                "DistanceKernel: scale='median' is not known before the kernel learns from rows. Give a number, or "
                "call learn(X)."
            )
        return float(self.scale)

    def _of(self, D: np.ndarray) -> np.ndarray:
        s = self._scale()
        if self.form == "exponential":
            return np.exp(D / (-2.0 * s * s))
        if self.form == "gaussian":
            return np.exp(-0.5 * (D / s) ** 2)
        return 1.0 / (1.0 + D / s) if self.form == "inverse" else s - D


@dataclass(frozen=True, eq=False)
class KernelDistance(Metric):
    r"""The distance of two rows in the space of a kernel's features, for all that takes a metric.

    .. math:: D(a, b) = \|\phi(a) - \phi(b)\| = \sqrt{K(a, a) + K(b, b) - 2 K(a, b)} \quad (1)

    Parameters
    ----------
    kernel : Kernel

    Examples
    --------
    >>> from assay.kernels import KernelDistance, Linear
    >>> KernelDistance(Linear()).between([[0.0, 0.0]], [[3.0, 4.0]])
    array([[5.]])

    See Also
    --------
    DistanceKernel
    """

    kernel: Any = None
    stored = {"kernel": Object("assay.kernels.kernel.Kernel")}

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel) or self.kernel.precomputed:
            raise ParameterError(f"KernelDistance: kernel must be a Kernel of rows, got {self.kernel!r}.")

    @property
    def name(self) -> str:
        return f"distance of {self.kernel!r}"

    @property
    def takes(self) -> frozenset[str]:  # type: ignore[override]
        return self.kernel.takes

    @property
    def triangle(self) -> bool:  # type: ignore[override]
        return self.kernel.psd

    @property
    def function(self) -> bool:  # type: ignore[override]
        return self.kernel.function

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> KernelDistance:
        return replace(self, kernel=self.kernel.learn(X, y, w))

    def between(self, A: Any, B: Any) -> np.ndarray:
        a, b = self.kernel.diagonal(A), self.kernel.diagonal(B)
        return _root(self.kernel.between(A, B), a, b)

    def _prepared(self, X: Any) -> ScaledRows:
        return ScaledRows(self.kernel._prepared(X), self.kernel.diagonal(X))

    def _block(self, A: ScaledRows, B: ScaledRows) -> np.ndarray:
        return _root(self.kernel._block(A.rows, B.rows), A.numbers, B.numbers)


def _root(K: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(1), 0 where rounding leaves less than its own error."""
    squares = a[:, None] + b - 2.0 * K
    return np.sqrt(np.where(squares > 1e-14 * (np.abs(a)[:, None] + np.abs(b)), squares, 0.0))
