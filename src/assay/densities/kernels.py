"""Kernel functions: of integral one, largest at 0 and decreasing with the distance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.errors import ParameterError

__all__ = ["ALIASES", "KERNELS", "Kernel", "kernel_of"]


@dataclass(frozen=True)
class Kernel:
    r"""A kernel in any number of dimensions, of one length u at a time.

    With a profile k that is 1 at 0 and falls with the length :math:`u = \|x\|`,

    .. math:: K(u) = \frac{k(u)}{c_d}, \qquad c_d = \frac{2\pi^{d/2}}{\Gamma(d/2)}\int_0^\infty k(r)\,r^{d-1}dr
                                                                                                       \quad (1)

    integrates to one over d dimensions. A density is :math:`\frac1{Nh^d}\sum_t K(\|x-x^t\|/h)`; a smoother or a
    weighted vote needs the profile alone. Use ``kernel_of(name)`` to get one.

    Parameters
    ----------
    name : str
    support : float
        The kernel is 0 from this length on; infinite for those that never are.
    log_profile : function of lengths
        log k(u), minus infinity where k is 0; negative lengths count as their absolute values.
    log_radial : function of m
        The logarithm of the m-th radial integral :math:`\int_0^\infty k(r)\,r^{m-1}dr`.
    roughness : float
        :math:`\int K(u)^2du` in one dimension.

    Examples
    --------
    >>> from assay.densities.kernels import kernel_of
    >>> kernel = kernel_of("epanechnikov")
    >>> kernel([0.0, 0.5, 1.0])
    array([0.75  , 0.5625, 0.    ])
    >>> kernel.profile([0.0, 0.5, 1.0])
    array([1.  , 0.75, 0.  ])
    >>> round(kernel.variance(), 12), round(kernel_of("gaussian").constant(2), 6)   # 1/5 and 2 pi
    (0.2, 6.283185)
    """

    name: str
    support: float
    log_profile: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    log_radial: Callable[[int], float]
    roughness: float

    def __call__(self, u: ArrayLike, d: int = 1) -> NDArray[np.float64]:
        """K(u) in d dimensions."""
        return np.exp(self.log(u, d))

    def log(self, u: ArrayLike, d: int = 1) -> NDArray[np.float64]:
        """log K(u) in d dimensions, exact also where K underflows."""
        return self._logs(u) - self.log_constant(d)

    def profile(self, u: ArrayLike) -> NDArray[np.float64]:
        """k(u), which is 1 at 0."""
        return np.exp(self._logs(u))

    def log_constant(self, d: int = 1) -> float:
        """log c_d of (1): the logarithm of the integral of the profile over d dimensions."""
        return math.log(2) + d / 2 * math.log(math.pi) - math.lgamma(d / 2) + self.log_radial(d)  # (1)

    def constant(self, d: int = 1) -> float:
        """c_d of (1); infinite or 0 where that is too large or too small for a number."""
        return float(np.exp(np.float64(self.log_constant(d)).clip(-800, 709.7)))

    def variance(self, d: int = 1) -> float:
        """The variance of each coordinate of a point drawn from the kernel in d dimensions."""
        return math.exp(self.log_radial(d + 2) - self.log_radial(d)) / d

    def _logs(self, u: ArrayLike) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return self.log_profile(np.abs(np.asarray(u, dtype=np.float64)))


def kernel_of(name: str | Kernel) -> Kernel:
    """The kernel of this name: one of ``KERNELS``, or of their other names in ``ALIASES``.

    >>> from assay.densities.kernels import kernel_of
    >>> kernel_of("tophat").name
    'box'
    """
    if isinstance(name, Kernel):
        return name
    kernel = KERNELS.get(ALIASES.get(name, name)) if isinstance(name, str) else None
    if kernel is None:
        raise ParameterError(f"kernel must be one of {', '.join([*KERNELS, *ALIASES])}, got {name!r}.")
    return kernel


def _within(logs: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Callable[..., NDArray[np.float64]]:
    """The logarithm of a profile that is 0 from 1 on."""
    return lambda u: np.where(u < 1, logs(np.minimum(u, 1.0)), -np.inf)


def _power(a: float, b: float) -> Callable[[int], float]:
    r"""log of the radial integrals of :math:`(1-r^a)^b`: a beta function."""
    return lambda m: math.lgamma(m / a) + math.lgamma(b + 1) - math.lgamma(m / a + b + 1) - math.log(a)


@lru_cache(maxsize=256)
def _cosine_radial(m: int) -> float:
    r, w = np.polynomial.legendre.leggauss(
        24 + m // 2
    )  # exact for the power of r, to rounding for the cosine
    r = (r + 1) / 2
    return math.log(float(np.sum(w / 2 * np.cos(np.pi / 2 * r) * r ** (m - 1))))


@lru_cache(maxsize=256)
def _logistic_radial(m: int) -> float:
    """4 Γ(m) η(m - 1), with η the alternating zeta function."""
    from scipy.special import zeta

    s = m - 1
    eta = 0.5 if s == 0 else math.log(2) if s == 1 else -math.expm1((1 - s) * math.log(2)) * float(zeta(s))
    return math.log(4 * eta) + math.lgamma(m)


def _log_sech_squared(u: NDArray[np.float64]) -> NDArray[np.float64]:
    return math.log(4) - u - 2 * np.log1p(np.exp(-u))  # 4 / (e^u + 2 + e^-u)


KERNELS: dict[str, Kernel] = {
    kernel.name: kernel
    for kernel in (
        Kernel(
            "gaussian",
            math.inf,
            lambda u: -0.5 * u * u,
            lambda m: (m / 2 - 1) * math.log(2) + math.lgamma(m / 2),
            1 / (2 * math.sqrt(math.pi)),
        ),
        Kernel("box", 1.0, _within(np.zeros_like), lambda m: -math.log(m), 1 / 2),
        Kernel("triangular", 1.0, _within(lambda u: np.log(1 - u)), _power(1, 1), 2 / 3),
        Kernel("epanechnikov", 1.0, _within(lambda u: np.log(1 - u * u)), _power(2, 1), 3 / 5),
        Kernel("biweight", 1.0, _within(lambda u: 2 * np.log(1 - u * u)), _power(2, 2), 5 / 7),
        Kernel("triweight", 1.0, _within(lambda u: 3 * np.log(1 - u * u)), _power(2, 3), 350 / 429),
        Kernel("tricube", 1.0, _within(lambda u: 3 * np.log(1 - u**3)), _power(3, 3), 175 / 247),
        Kernel(
            "cosine", 1.0, _within(lambda u: np.log(np.cos(np.pi / 2 * u))), _cosine_radial, math.pi**2 / 16
        ),
        Kernel("exponential", math.inf, lambda u: -u, lambda m: math.lgamma(m), 1 / 4),
        Kernel("logistic", math.inf, _log_sech_squared, _logistic_radial, 1 / 6),
    )
}
"""The kernels by name. The box is 1 for u below 1 and 0 at 1 itself."""

ALIASES = {"tophat": "box", "linear": "triangular", "quartic": "biweight"}
"""Other names of the same kernels."""
