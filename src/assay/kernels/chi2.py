"""The chi-squared kernels of histograms and counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

import assay.kernels._chi2 as _chi2
from assay.core.stored import Scalar, Text
from assay.errors import DataError, ParameterError
from assay.kernels.gamma import gamma_of
from assay.kernels.kernel import Kernel
from assay.kernels.parameters import BOUNDS
from assay.tables.rows import row_count
from assay.types import PointsLike, TableLike

__all__ = ["AdditiveChi2", "Chi2"]


def _shares(X: Any, who: str) -> np.ndarray:
    X = np.ascontiguousarray(X.toarray() if hasattr(X, "tocsr") else X, dtype=np.float64)
    if (X < 0).any():
        raise DataError(f"{who}: X contains negative values; this kernel compares counts or shares.")
    return X


def _distances(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    out = np.empty((len(A), len(B)))
    _chi2.distances(A, B, out)
    return out


@dataclass(frozen=True, eq=False)
class AdditiveChi2(Kernel):
    r"""Minus the chi-squared distance of two rows of counts or shares.

    .. math:: K(a, b) = -\sum_j \frac{(a_j - b_j)^2}{a_j + b_j} \quad (1)

    with 0 for columns that are 0 in both. It is positive semidefinite only among combinations whose coefficients sum to
    0, as those of a machine with a bias do; `Chi2` always is.

    Examples
    --------
    >>> from assay.kernels import AdditiveChi2
    >>> AdditiveChi2()([[1.0, 0.0]], [[3.0, 0.0]])  # -(4 / 4)
    array([[-1.]])
    """

    psd: ClassVar[bool] = False
    additive: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return "additive_chi2"

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.zeros(row_count(A, self.name))

    def _prepared(self, X: Any) -> np.ndarray:
        return _shares(X, self.name)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        return -_distances(A, B)


@dataclass(frozen=True, eq=False)
class Chi2(Kernel):
    r"""The exponential chi-squared kernel of two rows of counts or shares, such as histograms.

    .. math:: K(a, b) = \exp\Big(-\gamma \sum_j \frac{(a_j - b_j)^2}{a_j + b_j}\Big) \quad (1)

    Parameters
    ----------
    gamma : float, "scale" or "auto", default 1
        "scale" is 1 / (d var(X)) and "auto" 1 / d, of the training rows.
    gamma_bounds : (low, high) or "fixed", default "fixed"

    Examples
    --------
    >>> from assay.kernels import Chi2
    >>> Chi2()([[1.0, 0.0]], [[3.0, 0.0]]).round(6)  # exp(-1)
    array([[0.367879]])

    References
    ----------
    - Zhang, J., Marszalek, M., Lazebnik, S. and Schmid, C. (2007). Local features and kernels for classification of
      texture and object categories. International Journal of Computer Vision 73(2), 213-238.
      doi:10.1007/s11263-006-9794-4
    """

    searched: ClassVar[tuple[str, ...]] = ("gamma",)

    gamma: float | str = 1.0
    gamma_bounds: tuple[float, float] | str = "fixed"
    stored = {"gamma": Scalar(low=0, finite=True) | Text("scale", "auto"), "gamma_bounds": BOUNDS}

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> Chi2:
        return replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def _prepared(self, X: Any) -> np.ndarray:
        return _shares(X, self.name) * self._factor()  # the distance grows with the rows

    def _factor(self) -> float:
        if isinstance(self.gamma, str):
            raise ParameterError(
                f"chi2: gamma={self.gamma!r} is not known before the kernel learns from rows. Give a number, or call "
                "learn(X)."
            )
        return float(self.gamma)

    def _block(self, A: np.ndarray, B: np.ndarray) -> np.ndarray:
        distances = _distances(A, B)
        np.negative(distances, out=distances)
        return np.exp(distances, out=distances)

    def _derivatives(self, A: np.ndarray, B: np.ndarray, K: np.ndarray | None = None) -> list[np.ndarray]:
        if isinstance(self.gamma_bounds, str):
            return []
        distances = _distances(A, B)
        return [-distances * np.exp(-distances)]
