"""The Laplacian kernel: similarity falls with the sum of absolute differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Scalar, Text
from assay.distances.minkowski import apart
from assay.errors import ParameterError
from assay.kernels.gamma import gamma_of
from assay.kernels.parameters import BOUNDS
from assay.kernels.points import LAPLACIAN, Form
from assay.kernels.squared_distances import numbers
from assay.kernels.vector import VectorKernel
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["Laplacian"]


@dataclass(frozen=True, eq=False)
class Laplacian(VectorKernel):
    r"""The exponential of the Manhattan distance: less smooth than the Gaussian kernel, and kinder to outlying values.

    .. math:: K(a, b) = \exp\Big(-\gamma \sum_j |a_j - b_j|\Big) \quad (1)

    Parameters
    ----------
    gamma : float, "scale", "auto" or None, default None
        "scale" is 1 / (d var(X)) of the training rows; "auto" and None are 1 / d.
    gamma_bounds : (low, high) or "fixed", default "fixed"

    Examples
    --------
    >>> from assay.kernels import Laplacian
    >>> Laplacian(0.5)([[0.0, 0.0]], [[1.0, 1.0]]).round(6)  # exp(-1)
    array([[0.367879]])

    See Also
    --------
    RBF, Matern
    """

    stationary: ClassVar[bool] = True
    searched: ClassVar[tuple[str, ...]] = ("gamma",)

    gamma: float | str | None = None
    gamma_bounds: tuple[float, float] | str = "fixed"
    stored = {"gamma": Scalar(low=0, finite=True) | Text("scale", "auto") | None, "gamma_bounds": BOUNDS}

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Laplacian:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def _prepared(self, X: Any) -> Any:
        X = numbers(X)
        if isinstance(self.gamma, str) and self.gamma != "auto":
            raise ParameterError(
                f"laplacian: gamma={self.gamma!r} is not known before the kernel learns from rows. Give a number, or "
                "call learn(X)."
            )
        return X * gamma_of(self.gamma, X, self.name)

    def _form(self) -> Form:
        return Form(LAPLACIAN)

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        if isinstance(self.gamma_bounds, str):
            return []
        distances = apart(A, B, 1.0)
        return [-distances * np.exp(-distances)]
