"""Matern's kernels: as smooth as one likes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Scalar
from assay.errors import ParameterError
from assay.kernels.parameters import BOUNDS, SEARCH_BOUNDS
from assay.kernels.points import GAUSSIAN, MATERN, Form
from assay.kernels.stationary import LENGTH_SCALE, OfDistance

__all__ = ["Matern"]

LARGEST_NU = 150.0  # up to which the factors of (1) are numbers
FARTHEST = 1e6  # a distance z at which the kernel is 0 for all of them


@dataclass(frozen=True, eq=False)
class Matern(OfDistance):
    r"""A kernel between the exponential of the distance and the Gaussian: nu says how smooth its functions are.

    .. math:: K(a, b) = \frac{2^{1-\nu}}{\Gamma(\nu)} z^\nu K_\nu(z), \quad z = \sqrt{2\nu}\, r \quad (1)

    with r the distance after each column is divided by its length scale and :math:`K_\nu` Bessel's modified function.
    nu = 1/2 is :math:`e^{-r}`, 3/2 is :math:`(1 + \sqrt3 r) e^{-\sqrt3 r}`, 5/2 is
    :math:`(1 + \sqrt5 r + 5r^2/3) e^{-\sqrt5 r}`, infinity is the Gaussian kernel; other values take some ten times as
    long.

    Parameters
    ----------
    length_scale : float or (d,) array, default 1
    length_scale_bounds : (low, high), one such pair for each column, or "fixed", default (1e-5, 1e5)
    nu : float above 0, default 1.5
        Functions of such a process have derivatives up to below nu.

    Examples
    --------
    >>> from assay.kernels import Matern
    >>> Matern(nu=0.5)([[0.0]], [[1.0]]).round(6)  # exp(-1)
    array([[0.367879]])

    See Also
    --------
    RBF, RationalQuadratic

    References
    ----------
    - Rasmussen, C. E. and Williams, C. K. I. (2006). Gaussian Processes for Machine Learning. MIT Press, section 4.2.
    """

    searched: ClassVar[tuple[str, ...]] = ("length_scale",)

    length_scale: ArrayLike = 1.0
    length_scale_bounds: Any = SEARCH_BOUNDS
    nu: float = 1.5
    stored = {"length_scale": LENGTH_SCALE, "length_scale_bounds": BOUNDS, "nu": Scalar(low=0)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.nu, (int, float, np.number)) or not self.nu > 0:
            raise ParameterError(f"Matern: nu must be a number above 0, got {self.nu!r}.")
        if LARGEST_NU < self.nu < np.inf:
            raise ParameterError(
                f"Matern: nu must be at most {LARGEST_NU:g}, beyond which Bessel's function overflows, or inf, the "
                f"Gaussian kernel, from which such a kernel hardly differs; got {self.nu!r}."
            )

    def _form(self) -> Form | None:
        if np.isinf(self.nu):
            return Form(GAUSSIAN)
        return Form(MATERN, 2.0 * self.nu, 0.0, int(self.nu + 0.5)) if self.nu in (0.5, 1.5, 2.5) else None

    def _distances(self, squares: np.ndarray) -> np.ndarray:
        """z of (1), in place; beyond `FARTHEST`, where the kernel is 0, that."""
        z = np.sqrt(squares, out=squares)
        z *= np.sqrt(2.0 * self.nu)
        return np.minimum(z, FARTHEST, out=z)

    def _of(self, squares: np.ndarray) -> np.ndarray:
        if np.isinf(self.nu):
            squares *= -0.5
            return np.exp(squares, out=squares)
        z = self._distances(squares)
        if self.nu == 0.5:  # these three for sparse rows, native code has them for dense ones
            return np.exp(-z)
        if self.nu == 1.5:
            return (1.0 + z) * np.exp(-z)
        if self.nu == 2.5:
            return (1.0 + z + z * z / 3.0) * np.exp(-z)
        return _bessel(self.nu, self.nu, z)  # (1)

    def _slope(self, squares: np.ndarray) -> np.ndarray:
        r"""With :math:`(z^\nu K_\nu)' = -z^\nu K_{\nu-1}`, g = 2 nu 2^{1-nu} / Gamma(nu) z^{nu-1} K_{nu-1}(z)."""
        if np.isinf(self.nu):
            return self._of(squares)
        z = self._distances(squares)
        if self.nu == 0.5:
            return np.divide(np.exp(-z), z, out=np.zeros_like(z), where=z > 0)
        if self.nu == 1.5:
            return 3.0 * np.exp(-z)
        if self.nu == 2.5:
            return 5.0 / 3.0 * (1.0 + z) * np.exp(-z)
        if self.nu > 1:
            return self.nu / (self.nu - 1.0) * _bessel(self.nu - 1.0, self.nu - 1.0, z)
        return _at_zero(2.0 * self.nu * _factor(self.nu) * _power_bessel(self.nu - 1.0, z), z, 0.0)


def _factor(nu: float) -> float:
    from scipy.special import gammaln

    return float(np.exp((1.0 - nu) * np.log(2.0) - gammaln(nu)))


def _power_bessel(nu: float, z: np.ndarray) -> np.ndarray:
    """z^nu K_nu(z), 0 at z = 0."""
    from scipy.special import kve

    safe = np.where(z > 0, z, 1.0)
    return np.where(z > 0, np.exp(nu * np.log(safe) - safe) * kve(nu, safe), 0.0)


def _bessel(nu: float, order: float, z: np.ndarray) -> np.ndarray:
    """2^{1-nu} / Gamma(nu) z^nu K_nu(z), 1 at z = 0."""
    return _at_zero(_factor(nu) * _power_bessel(order, z), z, 1.0)


def _at_zero(values: np.ndarray, z: np.ndarray, value: float) -> np.ndarray:
    """The values, or their limit where z is so small that Bessel's function is no number."""
    return np.where((z > 0) & np.isfinite(values), values, value)
