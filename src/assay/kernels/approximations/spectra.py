"""Frequencies of stationary kernels: what the kernel's Fourier transform, as a density, draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.kernels.kernel import Kernel
from assay.kernels.laplacian import Laplacian
from assay.kernels.matern import Matern
from assay.kernels.rational_quadratic import RationalQuadratic
from assay.kernels.rbf import RBF

__all__ = ["draw_frequencies", "is_isotropic", "scale_frequencies"]

Draw = Callable[[Any, int, int, np.random.RandomState], np.ndarray]


def _gaussian(kernel: Any, d: int, m: int, random: np.random.RandomState) -> np.ndarray:
    return random.normal(size=(d, m))


def _student(kernel: Matern, d: int, m: int, random: np.random.RandomState) -> np.ndarray:
    normal, nu = random.normal(size=(d, m)), float(kernel.nu)
    return normal if np.isinf(nu) else normal / np.sqrt(random.chisquare(2 * nu, size=m) / (2 * nu))


def _gamma_mixture(kernel: RationalQuadratic, d: int, m: int, random: np.random.RandomState) -> np.ndarray:
    alpha = float(kernel.alpha)
    return random.normal(size=(d, m)) * np.sqrt(random.gamma(alpha, 1 / alpha, size=m))


def _cauchy(kernel: Laplacian, d: int, m: int, random: np.random.RandomState) -> np.ndarray:
    return random.standard_cauchy(size=(d, m))


# frequencies of the kernel with length scale 1, or gamma 1 for Laplacian
SPECTRA: dict[type[Kernel], Draw] = {
    RBF: _gaussian,
    Matern: _student,
    RationalQuadratic: _gamma_mixture,
    Laplacian: _cauchy,
}
NOT_ISOTROPIC: tuple[type[Kernel], ...] = (Laplacian,)


def draw_frequencies(kernel: Kernel, d: int, m: int, random: np.random.RandomState) -> np.ndarray:
    """(d, m) frequencies of a stationary kernel of length scale 1.

    >>> import numpy as np
    >>> from assay.kernels import RBF
    >>> from assay.kernels.approximations.spectra import draw_frequencies
    >>> draw_frequencies(RBF(), 2, 3, np.random.RandomState(0)).shape
    (2, 3)
    """
    draw = SPECTRA.get(type(kernel))
    if draw is None:
        known = ", ".join(sorted(cls.__name__ for cls in SPECTRA))
        raise ParameterError(
            f"kernel must be a stationary one whose frequencies are known ({known}), got {kernel!r}. For any other "
            "kernel: Nystroem."
        )
    return draw(kernel, d, m, random)


def is_isotropic(kernel: Kernel) -> bool:
    """Whether all directions are alike to the kernel, once columns are scaled."""
    return type(kernel) not in NOT_ISOTROPIC


def scale_frequencies(kernel: Any, frequencies: np.ndarray) -> np.ndarray:
    """Those of length scale 1, brought to the kernel's own length scale or gamma."""
    gamma = getattr(kernel, "gamma", None)
    if isinstance(kernel, Laplacian):
        return frequencies * (1.0 / len(frequencies) if gamma is None else gamma)
    if gamma is not None:
        return frequencies * (2.0 * gamma) ** 0.5
    return frequencies / np.asarray(kernel.length_scale, dtype=np.float64).reshape(-1, 1)
