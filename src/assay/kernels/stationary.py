"""What kernels of the scaled Euclidean distance share: one length scale, or one for each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, Kind, Scalar
from assay.errors import DataError, ParameterError
from assay.kernels.points import Form
from assay.kernels.squared_distances import numbers, squared_distances
from assay.kernels.vector import VectorKernel
from assay.tables.rows import row_count
from assay.types import PointsLike

__all__ = ["LENGTH_SCALE", "OfDistance"]

LENGTH_SCALE: Kind = Scalar(low=0, finite=True) | FloatArray("d", low=0, finite=True)

MOST_SCALES_OF_A_SQUARE = 1e3  # from the centre, beyond which (2) loses more than six digits
FARTHEST = 1e150  # differences whose squares are numbers


@dataclass(frozen=True, eq=False)
class OfDistance(VectorKernel):
    r"""A kernel that falls with the distance of the rows after each column is divided by its length scale.

    .. math:: K(a, b) = k(r^2), \quad r^2 = \sum_j \frac{(a_j - b_j)^2}{\ell_j^2}, \quad
              \frac{\partial K}{\partial\log\ell_j} = g(r^2) \frac{(a_j - b_j)^2}{\ell_j^2}, \quad g = -2 k' \quad (1)

    One of this family writes k (``_of``) and g (``_slope``). The sums of all derivatives with weights W then need
    one product of matrices: with :math:`M = W \circ g`,

    .. math:: \sum_{il} M_{il} (a_{ij} - b_{lj})^2 = \sum_i a_{ij}^2 \sum_l M_{il} + \sum_l b_{lj}^2 \sum_i M_{il}
              - 2 \sum_i a_{ij} (M B)_{ij} \quad (2)
    """

    stationary: ClassVar[bool] = True
    tolerance: ClassVar[float] = 0.0  # absolute error of r^2 that does not matter

    def _scale(self) -> Any:
        """The length scale, or one for each column."""
        return self.length_scale  # type: ignore[attr-defined]

    def diagonal(self, A: PointsLike) -> np.ndarray:
        return np.ones(row_count(A, self.name))

    def diagonal_gradient(self, A: PointsLike) -> np.ndarray:
        return np.zeros((len(self.theta), row_count(A, self.name)))

    def _prepared(self, X: Any) -> Any:
        X, scale = numbers(X), np.asarray(self._scale(), dtype=np.float64)
        if X.ndim != 2:
            raise DataError(f"{self.name}: rows must be a table of rows and columns, got shape {X.shape}.")
        if scale.ndim and len(scale) != X.shape[1]:
            raise ParameterError(
                f"{self.name}: length_scale has {len(scale)} values, the table has {X.shape[1]} columns."
            )
        return X.multiply(1.0 / scale).tocsr() if hasattr(X, "tocsr") else X / scale

    def _form(self) -> Form | None:
        return None

    def _block(self, A: Any, B: Any) -> np.ndarray:
        if self._form_for(A, B) is not None:
            return super()._block(A, B)
        return self._of(squared_distances(A, B, self.tolerance))

    def _derivatives(self, A: Any, B: Any, K: np.ndarray | None = None) -> list[np.ndarray]:
        A, B = _dense(A), _dense(B)
        squares = squared_distances(A, B, self.tolerance)
        by_name = self._other_derivatives(squares)
        if "length_scale" not in by_name:
            slope = self._slope(squares if np.ndim(self._scale()) else squares.copy())
            if np.ndim(self._scale()):
                by_name["length_scale"] = [slope * (A[:, j, None] - B[:, j]) ** 2 for j in range(A.shape[1])]
            else:
                by_name["length_scale"] = [np.multiply(slope, squares, out=slope)]
        return [slope for name in self.searched for slope in by_name[name]]

    def _derivative_sums(self, A: Any, B: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        slope, shared = self._slope_of_values(K), not np.ndim(self._scale())
        if shared and slope is None:
            return super()._derivative_sums(A, B, W, K)
        same = A is B
        A, B = _dense(A), _dense(B)
        centre = B.mean(axis=0)
        A, B = A - centre, B - centre
        squares = squared_distances(A, B, self.tolerance) if slope is None else np.zeros((0, 0))
        sums = {
            name: np.array([np.einsum("ij,ij->", W, part) for part in parts])
            for name, parts in self._other_derivatives(squares).items()
        }
        if "length_scale" not in sums:
            M = self._slope(squares) * W if slope is None else slope * W
            if same:  # a row is no distance from itself, which (2) would have to find as a difference of large numbers
                np.fill_diagonal(M, 0.0)
            both = np.concatenate([B, np.ones((len(B), 1))], axis=1)
            with np.errstate(over="ignore", invalid="ignore"):
                MB = M @ both  # its last column holds the sums of the rows
                by_column = (
                    MB[:, -1] @ A**2
                    + (np.ones(len(A)) @ M) @ B**2
                    - 2.0 * np.einsum("ij,ij->j", A, MB[:, :-1])  # (2)
                )
            widest = np.maximum(np.abs(A).max(axis=0, initial=0.0), np.abs(B).max(axis=0, initial=0.0))
            for j in np.flatnonzero(widest > MOST_SCALES_OF_A_SQUARE):
                apart = np.clip(A[:, j, None] - B[:, j], -FARTHEST, FARTHEST)
                by_column[j] = np.einsum("ij,ij->", M, np.square(apart, out=apart))
            sums["length_scale"] = by_column
            if shared:
                sums["length_scale"] = sums["length_scale"].sum(keepdims=True)
        return np.concatenate([sums[name] for name in self.searched])

    def _slope_of_values(self, K: np.ndarray | None) -> np.ndarray | None:
        """g of (1), where it is a function of the values of the kernel alone; None where it needs distances."""
        return None

    def _other_derivatives(self, squares: np.ndarray) -> dict[str, list[np.ndarray]]:
        """The derivatives by the logs of parameters that are no free length scales; none for those that are fixed."""
        return {"length_scale": []} if isinstance(self._searched("length_scale")[1], str) else {}

    def _of(self, squares: np.ndarray) -> np.ndarray:
        """k of (1); it may write over its argument."""
        raise TypeError(f"{type(self).__name__} must define _of")

    def _slope(self, squares: np.ndarray) -> np.ndarray:
        """g of (1); it may write over its argument."""
        raise TypeError(f"{type(self).__name__} must define _slope")


def _dense(X: Any) -> np.ndarray:
    return X.toarray() if hasattr(X, "tocsr") else X
