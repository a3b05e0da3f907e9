"""A kernel of what repeats itself."""

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

__all__ = ["ExpSineSquared"]


@dataclass(frozen=True, eq=False)
class ExpSineSquared(Kernel):
    r"""The periodic kernel: rows are alike again after each period.

    .. math:: K(a, b) = \exp\left(-\frac{2 \sin^2(\pi \|a - b\| / p)}{\ell^2}\right) \quad (1)

    Positive semidefinite for one column. With several, the distance of rows does not say in which direction they
    differ, and (1) need not be: use one kernel a column, ``ExpSineSquared().on([0]) * ExpSineSquared().on([1])``.

    Parameters
    ----------
    length_scale : float, default 1
        How quickly similarity falls within a period.
    periodicity : float, default 1
        p, the period.
    length_scale_bounds, periodicity_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import ExpSineSquared
    >>> ExpSineSquared(periodicity=3.0)([[0.0]], [[1.5], [3.0], [6.0]]).round(6)  # exp(-2), 1, 1
    array([[0.135335, 1.      , 1.      ]])

    References
    ----------
    - MacKay, D. J. C. (1998). Introduction to Gaussian processes. In Bishop, C. M. (ed.), Neural Networks and Machine
      Learning, 133-165. Springer.
    """

    stationary: ClassVar[bool] = True
    psd: ClassVar[bool] = False
    searched: ClassVar[tuple[str, ...]] = ("length_scale", "periodicity")

    length_scale: float = 1.0
    periodicity: float = 1.0
    length_scale_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    periodicity_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {
        "length_scale": Scalar(low=0, finite=True),
        "periodicity": Scalar(low=0, finite=True),
        "length_scale_bounds": BOUNDS,
        "periodicity_bounds": BOUNDS,
    }

    def psd_on(self, columns: int) -> bool:
        return columns == 1

    @property
    def name(self) -> str:
        return "periodic"

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def _prepared(self, X: Any) -> Any:
        return numbers(X.toarray() if hasattr(X, "tocsr") else X)

    def _angles(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        squares = (A - B.T) ** 2 if A.shape[1] == 1 else squared_distances(A, B)
        return np.sqrt(squares) * (np.pi / self.periodicity)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return np.exp(-2.0 * (np.sin(self._angles(A, B)) / self.length_scale) ** 2)

    def _derivatives(self, A: np.ndarray, B: np.ndarray, K: np.ndarray | None = None) -> list[np.ndarray]:
        angles = self._angles(A, B)
        sine = np.sin(angles)
        outer = 4.0 / self.length_scale**2 * np.exp(-2.0 * (sine / self.length_scale) ** 2) * sine
        slopes = [] if isinstance(self.length_scale_bounds, str) else [outer * sine]
        if not isinstance(self.periodicity_bounds, str):
            slopes.append(outer * angles * np.cos(angles))
        return slopes
