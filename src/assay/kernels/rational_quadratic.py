"""A mixture of Gaussian kernels of all length scales."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Scalar
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.kernels.stationary import LENGTH_SCALE, OfDistance

__all__ = ["RationalQuadratic"]


@dataclass(frozen=True, eq=False)
class RationalQuadratic(OfDistance):
    r"""A mixture of Gaussian kernels of many length scales.

    .. math:: K(a, b) = \Big(1 + \frac{r^2}{2\alpha}\Big)^{-\alpha} \quad (1)

    with r the distance after each column is divided by its length scale. For large alpha it is the Gaussian kernel.

    Parameters
    ----------
    length_scale : float or (d,) array, default 1
    alpha : float, default 1
        How much the length scales of the mixture agree.
    length_scale_bounds : (low, high), one such pair for each column, or "fixed", default (1e-5, 1e5)
    alpha_bounds : (low, high) or "fixed", default (1e-5, 1e5)

    Examples
    --------
    >>> from assay.kernels import RationalQuadratic
    >>> RationalQuadratic()([[0.0]], [[2.0]]).round(6)  # 1 / 3
    array([[0.333333]])

    See Also
    --------
    RBF, Matern

    References
    ----------
    - Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning. MIT Press, section 4.2.
    """

    searched: ClassVar[tuple[str, ...]] = ("alpha", "length_scale")

    length_scale: ArrayLike = 1.0
    alpha: float = 1.0
    length_scale_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    alpha_bounds: tuple[float, float] | str = SEARCH_BOUNDS
    stored = {
        "length_scale": LENGTH_SCALE,
        "alpha": Scalar(low=0, finite=True),
        "length_scale_bounds": BOUNDS,
        "alpha_bounds": BOUNDS,
    }

    @property
    def name(self) -> str:
        return "rational_quadratic"

    def _of(self, squares: np.ndarray) -> np.ndarray:
        base = self._base(squares)
        return np.reciprocal(base, out=base) if self.alpha == 1 else np.power(base, -self.alpha, out=base)

    def _slope(self, squares: np.ndarray) -> np.ndarray:
        base = self._base(squares)
        return np.power(base, -self.alpha - 1.0, out=base)

    def _base(self, squares: np.ndarray) -> np.ndarray:
        squares = squares * (0.5 / self.alpha)
        squares += 1.0
        return squares

    def _other_derivatives(self, squares: np.ndarray) -> dict[str, list[np.ndarray]]:
        slopes = super()._other_derivatives(squares)
        if isinstance(self.alpha_bounds, str):
            return slopes | {"alpha": []}
        base = self._base(squares)
        inside = squares / (2.0 * base) - self.alpha * np.log(base)
        return slopes | {"alpha": [np.multiply(inside, base**-self.alpha, out=inside)]}
