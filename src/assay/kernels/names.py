"""Kernels by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from assay.errors import ParameterError, did_you_mean
from assay.kernels.chi2 import AdditiveChi2, Chi2
from assay.kernels.dot_products import CosineKernel, Linear, Polynomial, Sigmoid, SquaresPlusLinear
from assay.kernels.given import FunctionKernel, PrecomputedKernel
from assay.kernels.kernel import Kernel
from assay.kernels.laplacian import Laplacian
from assay.kernels.mahalanobis import MahalanobisKernel
from assay.kernels.mixed import GOWER, MixedKernel
from assay.kernels.rbf import RBF
from assay.tables import Schema
from assay.types import KernelLike

__all__ = ["KERNELS", "kernel_of", "pairwise_kernel_of"]

KERNELS: dict[str, Callable[..., Kernel]] = {
    "linear": lambda **_: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "polynomial": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, **_: RBF(gamma=gamma),
    "gaussian": lambda gamma, **_: RBF(gamma=gamma),
    "sigmoid": lambda gamma, coef0, **_: Sigmoid(gamma, coef0),
    "laplacian": lambda gamma, **_: Laplacian(gamma),
    "cosine": lambda **_: CosineKernel(),
    "chi2": lambda gamma, **_: Chi2(gamma),
    "additive_chi2": lambda **_: AdditiveChi2(),
    "mahalanobis": lambda **_: MahalanobisKernel(),
    "squares_plus_linear": lambda **_: SquaresPlusLinear(),
    "mixed": lambda gamma, **_: MixedKernel(gamma=1.0 if isinstance(gamma, str) else gamma),
    "gower": lambda **_: MixedKernel(*GOWER),
    "precomputed": lambda **_: PrecomputedKernel(),
}

HASHED = (str, int, float)  # parameters by which a kernel is looked up


def kernel_of(
    kernel: KernelLike,
    *,
    gamma: float | str = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    schema: Schema | None = None,
) -> Kernel:
    """The kernel that a name, a function or another kernel stands for.

    Parameters
    ----------
    kernel : str, callable of two tables or of two rows, Kernel, or scikit-learn's kernel object
        The names are "linear", "poly" (or "polynomial"), "rbf" (or "gaussian"), "sigmoid", "laplacian", "cosine",
        "chi2", "additive_chi2", "mahalanobis", "squares_plus_linear", "mixed" and "gower" (tables with categories
        and missing values) and "precomputed".
    gamma : float, "scale" or "auto", default "scale"
        Of "rbf", "poly", "sigmoid", "laplacian", "chi2" and "mixed", which has scales of its own: "scale" is 1.
    degree : float, default 3
        Of "poly".
    coef0 : float, default 0
        Of "poly" and "sigmoid".
    schema : Schema, default None
        Names and kinds of the columns, for kernels of columns by name and of mixed tables.

    Examples
    --------
    >>> from assay.kernels import kernel_of
    >>> kernel_of("poly", gamma=1.0, degree=2, coef0=1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """
    made = _kernel(kernel, gamma, degree, coef0)
    return made if schema is None else made.with_schema(schema)


def pairwise_kernel_of(
    kernel: Any, gamma: float | str | None, degree: float, coef0: float, params: Mapping[str, Any] | None
) -> Kernel:
    """The kernel as scikit-learn's ``pairwise_kernels`` understands it.

    A function is one of two rows and of ``params``; gamma=None is 1 / columns, 1 for "chi2".

    >>> from assay.kernels.names import pairwise_kernel_of
    >>> pairwise_kernel_of("chi2", None, 3, 1, None)
    Chi2(gamma=1)
    """
    plain = callable(kernel) and not isinstance(kernel, Kernel) and not hasattr(kernel, "theta")
    if plain:
        return FunctionKernel(kernel, "rows", params or {})
    if gamma is None:
        gamma = 1.0 if isinstance(kernel, str) and kernel == "chi2" else "auto"
    return kernel_of(kernel, gamma=gamma, degree=degree, coef0=coef0)


@lru_cache(maxsize=128, typed=True)  # kernels are immutable, and a fit asks for its kernel several times
def _named(name: str, gamma: float | str, degree: float, coef0: float) -> Kernel:
    return KERNELS[name](gamma=gamma, degree=degree, coef0=coef0)


def _kernel(kernel: Any, gamma: float | str, degree: float, coef0: float) -> Kernel:
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in KERNELS:
        if isinstance(gamma, HASHED) and isinstance(degree, HASHED) and isinstance(coef0, HASHED):
            return _named(kernel, gamma, degree, coef0)
        return KERNELS[kernel](gamma=gamma, degree=degree, coef0=coef0)
    if any(base.__module__ == "sklearn.gaussian_process.kernels" for base in type(kernel).__mro__):
        from assay.kernels.scikit_learn import from_scikit_learn  # slow to import

        return from_scikit_learn(kernel)
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise ParameterError(
            f"kernel must be an object, got the class {kernel.__name__}. Write {kernel.__name__}()."
        )
    if callable(kernel):
        return FunctionKernel(kernel)
    raise ParameterError(
        f"kernel must be one of {', '.join(map(repr, KERNELS))}, a function of two tables or two rows, or a Kernel, "
        f"got {kernel!r}." + did_you_mean(kernel, KERNELS, listed=False)
    )
