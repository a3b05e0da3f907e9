"""Kernels by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from assay.errors import ParameterError, did_you_mean
from assay.kernels.dot_products import Linear, Polynomial, Sigmoid
from assay.kernels.given import FunctionKernel, PrecomputedKernel
from assay.kernels.kernel import Kernel
from assay.kernels.rbf import RBF
from assay.tables import Schema

__all__ = ["KERNELS", "kernel_of"]

KERNELS: dict[str, Callable[..., Kernel]] = {
    "linear": lambda **_: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, **_: RBF(gamma=gamma),
    "sigmoid": lambda gamma, coef0, **_: Sigmoid(gamma, coef0),
    "precomputed": lambda **_: PrecomputedKernel(),
}


def kernel_of(
    kernel: Any,
    *,
    gamma: float | str = "scale",
    degree: float = 3,
    coef0: float = 0.0,
    schema: Schema | None = None,
) -> Kernel:
    """The kernel that a name, a function or another kernel stands for.

    Parameters
    ----------
    kernel : str, callable of two tables, or Kernel
    gamma : float, "scale" or "auto", default "scale"
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
    if isinstance(kernel, Kernel):
        return kernel if schema is None else kernel.with_schema(schema)
    if callable(kernel):
        return FunctionKernel(kernel)
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel](gamma=gamma, degree=degree, coef0=coef0)
    raise ParameterError(
        f"kernel must be one of {', '.join(map(repr, KERNELS))}, a function of two tables, or a Kernel, got {kernel!r}."
        + did_you_mean(kernel, KERNELS, listed=False)
    )
