"""Steps drawn from kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.densities.kernels import Kernel

__all__ = ["drawn_from"]

Draw = Callable[[np.random.RandomState, int, int], np.ndarray]


def drawn_from(
    kernel: Kernel, n: int, d: int, rng: np.random.RandomState, product: bool = False, cut: float = np.inf
) -> np.ndarray:
    """(n, d) draws from a kernel of width 1 in d dimensions, none longer than ``cut``.

    Parameters
    ----------
    kernel : Kernel
    n, d : int
    rng : RandomState
    product : bool
        Each coordinate from the kernel of one dimension.
    cut : float
        Longer ones (for a product: longer coordinates) are drawn again.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.densities.draws import drawn_from
    >>> from assay.densities.kernels import kernel_of
    >>> steps = drawn_from(kernel_of("epanechnikov"), 1000, 2, np.random.RandomState(0))
    >>> bool(np.all(np.sum(steps**2, axis=1) < 1))
    True
    """
    if product:
        return drawn_from(kernel, n * d, 1, rng, cut=cut).reshape(n, d)
    steps = _steps(kernel, n, d, rng)
    while not np.isinf(cut):
        long = np.flatnonzero(np.linalg.norm(steps, axis=1) > cut)
        if not len(long):
            break
        steps[long] = _steps(kernel, len(long), d, rng)
    return steps


def _steps(kernel: Kernel, n: int, d: int, rng: np.random.RandomState) -> np.ndarray:
    """A direction at random, and the length that the kernel has in d dimensions."""
    from scipy.special import gammainc

    steps = rng.normal(size=(n, d))
    if kernel.name == "gaussian":
        return steps
    square = np.einsum("ij,ij->i", steps, steps)
    if kernel.name == "box":  # the share of a Gaussian ball is uniform
        length = gammainc(d / 2, square / 2) ** (1 / d)
    else:
        length = _LENGTHS[kernel.name](rng, n, d)
    return steps * (length / np.sqrt(square))[:, None]


def _power(a: float, b: float) -> Draw:
    """Lengths with density proportional to (1 - r^a)^b r^(d-1): r^a is a beta variable."""
    return lambda rng, n, d: rng.beta(d / a, b + 1, size=n) ** (1 / a)


def _rejecting(draw: Draw, chance: Callable[[np.ndarray], np.ndarray]) -> Draw:
    """Draw until as many are kept, each with its chance."""

    def lengths(rng: np.random.RandomState, n: int, d: int) -> np.ndarray:
        out, todo = np.empty(n), np.arange(n)
        while len(todo):
            r = draw(rng, len(todo), d)
            kept = rng.uniform(size=len(todo)) < chance(r)
            out[todo[kept]] = r[kept]
            todo = todo[~kept]
        return out

    return lengths


def _gamma(rng: np.random.RandomState, n: int, d: int) -> np.ndarray:
    return rng.gamma(d, size=n)


_LENGTHS: dict[str, Draw] = {
    "triangular": _power(1, 1),
    "epanechnikov": _power(2, 1),
    "biweight": _power(2, 2),
    "triweight": _power(2, 3),
    "tricube": _power(3, 3),
    "exponential": _gamma,
    # cos(pi r / 2) lies below pi (1 - r) / 2, and 4 e^-r / (1 + e^-r)^2 below 4 e^-r
    "cosine": _rejecting(
        _power(1, 1), lambda r: np.sin(np.pi / 2 * (1 - r)) / (np.pi / 2 * np.maximum(1 - r, 1e-300))
    ),
    "logistic": _rejecting(_gamma, lambda r: 1 / (1 + np.exp(-r)) ** 2),
}
