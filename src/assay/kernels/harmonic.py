"""A kernel of waves of one period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import Scalar
from assay.kernels.kernel import Kernel
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.kernels.squared_distances import numbers, squared_distances
from assay.tables.rows import row_count
from assay.types import PointsLike

__all__ = ["Harmonic"]


@dataclass(frozen=True, eq=False)
class Harmonic(Kernel):
    r"""The kernel of waves of one period, of any size and phase.

    .. math:: K(a, b) = \cos\left(\frac{2 \pi \|a - b\|}{p}\right) \quad (1)

    Times a kernel that falls, such as `Matern`, it is an oscillation that loses its phase (quasi-periodic); a sum of
    harmonics of p, p / 2, p / 3 ... has any shape within the period. On a line such products and sums of Matern kernels
    and harmonics are processes of few states, whose posterior a Gaussian process finds in linear time.

    Positive semidefinite for one column: ``Harmonic().on([0])``.

    Parameters
    ----------
    periodicity : float, default 1
        p, the period.
    periodicity_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import Harmonic
    >>> Harmonic(periodicity=4.0)([[0.0]], [[1.0], [2.0], [4.0]]).round(6) + 0.0
    array([[ 0., -1.,  1.]])

    See Also
    --------
    ExpSineSquared, Matern

    References
    ----------
    - Solin, A. and Sarkka, S. (2014). Explicit link between periodic covariance functions and state space models.
      International Conference on Artificial Intelligence and Statistics, 904-912.
    """

    stationary: ClassVar[bool] = True
    psd: ClassVar[bool] = False
    searched: ClassVar[tuple[str, ...]] = ("periodicity",)

    periodicity: float = 1.0
    periodicity_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {"periodicity": Scalar(low=0, finite=True), "periodicity_bounds": BOUNDS}

    def psd_on(self, columns: int) -> bool:
        return columns == 1

    @property
    def name(self) -> str:
        return "harmonic"

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def _prepared(self, X: Any) -> Any:
        return numbers(X.toarray() if hasattr(X, "tocsr") else X)

    def _angles(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        squares = (A - B.T) ** 2 if A.shape[1] == 1 else squared_distances(A, B)
        return np.sqrt(squares) * (2.0 * np.pi / self.periodicity)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.cos(self._angles(A, B))

    def _derivatives(self, A: np.ndarray, B: np.ndarray, K: np.ndarray | None = None) -> list[np.ndarray]:
        if isinstance(self.periodicity_bounds, str):
            return []
        angles = self._angles(A, B)
        return [angles * np.sin(angles)]
