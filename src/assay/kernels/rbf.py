"""The Gaussian kernel: similarity falls with the squared distance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Scalar, Text
from assay.errors import ParameterError
from assay.kernels.gamma import gamma_of
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS, shown
from assay.kernels.points import GAUSSIAN, Form
from assay.kernels.stationary import LENGTH_SCALE, OfDistance
from assay.types import TableLike

__all__ = ["RBF"]


@dataclass(frozen=True, eq=False)
class RBF(OfDistance):
    r"""The Gaussian kernel, also called radial basis function or squared exponential.

    .. math:: K(a, b) = \exp\left(-\tfrac12 \sum_j \frac{(a_j - b_j)^2}{\ell_j^2}\right)
                      = \exp(-\gamma \|a - b\|^2), \quad \gamma = \frac1{2\ell^2} \quad (1)

    Parameters
    ----------
    length_scale : float or (d,) array, default 1
        How far rows may be apart and still be similar; one for each column (automatic relevance determination), or one
        for all.
    length_scale_bounds : (low, high), one such pair for each column, or "fixed", default (1e-5, 1e5)
        Where a search may look for it.
    gamma : float, "scale" or "auto", default None
        Given, it takes the place of the length scale: "scale" is 1 / (d var(X)) and "auto" 1 / d, of the training rows.

    Examples
    --------
    >>> from assay.kernels import RBF
    >>> RBF()([[0.0, 0.0]], [[1.0, 1.0]]).round(6)  # exp(-1)
    array([[0.367879]])
    >>> RBF([1.0, 1e9])([[0.0, 0.0]], [[1.0, 1.0]]).round(6)  # the second column does not matter
    array([[0.606531]])

    See Also
    --------
    Matern, RationalQuadratic, Laplacian, MahalanobisKernel
    """

    searched: ClassVar[tuple[str, ...]] = ("length_scale",)
    tolerance: ClassVar[float] = 1e-13

    length_scale: ArrayLike = 1.0
    length_scale_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    gamma: float | str | None = None
    stored = {
        "length_scale": LENGTH_SCALE,
        "length_scale_bounds": BOUNDS,
        "gamma": Scalar(low=0, finite=True) | Text("scale", "auto") | None,
    }

    def learn(self, X: TableLike, y: np.ndarray | None = None, w: np.ndarray | None = None) -> RBF:
        return self if self.gamma is None else replace(self, gamma=gamma_of(self.gamma, X, self.name))

    def _scale(self) -> Any:
        if self.gamma is None:
            return self.length_scale
        if isinstance(self.gamma, str):
            raise ParameterError(
                f"rbf: gamma={self.gamma!r} is not known before the kernel learns from rows. Give a number or call "
                "learn(X)."
            )
        if not self.gamma >= 0:
            raise ParameterError(
                f"rbf: gamma must be 'scale', 'auto' or a number from 0, got {self.gamma!r}."
            )
        return 1.0 / math.sqrt(2.0 * self.gamma) if self.gamma > 0 else np.inf

    def _searched(self, name: str) -> tuple[Any, Any]:
        unknown = isinstance(self.gamma, str) and isinstance(self.length_scale_bounds, str)
        return np.nan if unknown else self._scale(), self.length_scale_bounds

    def _with_values(self, values: Mapping[str, Any]) -> Self:
        return self._changed({**values, "gamma": None}) if values else self

    def _form(self) -> Form | None:
        return Form(GAUSSIAN)

    def _of(self, squares: np.ndarray) -> np.ndarray:
        squares *= -0.5
        return np.exp(squares, out=squares)

    def _slope(self, squares: np.ndarray) -> np.ndarray:
        return self._of(squares)

    def _slope_of_values(self, K: np.ndarray | None) -> np.ndarray | None:
        return K

    def __repr__(self) -> str:
        name = "length_scale" if self.gamma is None else "gamma"
        return f"RBF({name}={shown(getattr(self, name))})"
