"""Kernels of all pairs of rows by scikit-learn's function names: the same arguments and numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError, did_you_mean
from assay.kernels.admitted import finite_rows
from assay.kernels.chi2 import AdditiveChi2, Chi2
from assay.kernels.dot_products import CosineKernel, Linear, Polynomial, Sigmoid
from assay.kernels.gamma import gamma_of
from assay.kernels.given import FunctionKernel
from assay.kernels.laplacian import Laplacian
from assay.kernels.names import kernel_of
from assay.kernels.rbf import RBF
from assay.types import MetricLike, TableLike

__all__ = [
    "additive_chi2_kernel",
    "chi2_kernel",
    "cosine_similarity",
    "laplacian_kernel",
    "linear_kernel",
    "pairwise_kernels",
    "polynomial_kernel",
    "rbf_kernel",
    "sigmoid_kernel",
]


def linear_kernel(X: Any, Y: Any = None, dense_output: bool = True) -> Any:
    """Inner products of rows; with ``dense_output=False`` sparse for sparse rows.

    >>> from assay.kernels.pairwise import linear_kernel
    >>> linear_kernel([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """
    X = finite_rows(X, "linear_kernel")
    Y = X if Y is None else finite_rows(Y, "linear_kernel")
    return X @ Y.T if not dense_output and hasattr(X, "tocsr") else Linear()(X, Y)


def polynomial_kernel(
    X: TableLike, Y: TableLike | None = None, degree: float = 3, gamma: float | None = None, coef0: float = 1
) -> Any:
    """(gamma x'y + coef0)^degree; gamma None is 1 / d.

    >>> from assay.kernels.pairwise import polynomial_kernel
    >>> polynomial_kernel([[1.0, 2.0]], [[3.0, 4.0]], degree=2, gamma=1.0)
    array([[144.]])
    """
    X = finite_rows(X, "polynomial_kernel")
    return Polynomial(degree, gamma_of(gamma, X, "polynomial_kernel"), coef0)(X, Y)


def sigmoid_kernel(
    X: TableLike, Y: TableLike | None = None, gamma: float | None = None, coef0: float = 1
) -> Any:
    """tanh(gamma x'y + coef0); gamma None is 1 / d.

    >>> from assay.kernels.pairwise import sigmoid_kernel
    >>> sigmoid_kernel([[1.0, 0.0]], [[0.0, 1.0]]).round(6)
    array([[0.761594]])
    """
    X = finite_rows(X, "sigmoid_kernel")
    return Sigmoid(gamma_of(gamma, X, "sigmoid_kernel"), coef0)(X, Y)


def rbf_kernel(X: TableLike, Y: TableLike | None = None, gamma: float | None = None) -> Any:
    """``exp(-gamma |x - y|^2)``; gamma None is 1 / d.

    >>> from assay.kernels.pairwise import rbf_kernel
    >>> rbf_kernel([[0.0, 0.0]], [[1.0, 1.0]]).round(6)
    array([[0.367879]])
    """
    X = finite_rows(X, "rbf_kernel")
    return RBF(gamma=gamma_of(gamma, X, "rbf_kernel"))(X, Y)


def laplacian_kernel(X: TableLike, Y: TableLike | None = None, gamma: float | None = None) -> Any:
    """``exp(-gamma |x - y|_1)``; gamma None is 1 / d.

    >>> from assay.kernels.pairwise import laplacian_kernel
    >>> laplacian_kernel([[0.0, 0.0]], [[1.0, 1.0]]).round(6)
    array([[0.367879]])
    """
    X = finite_rows(X, "laplacian_kernel")
    return Laplacian(gamma_of(gamma, X, "laplacian_kernel"))(X, Y)


def cosine_similarity(X: TableLike, Y: TableLike | None = None, dense_output: bool = True) -> Any:
    """Cosines of the angles between rows; with ``dense_output=False`` sparse for sparse rows.

    >>> from assay.kernels.pairwise import cosine_similarity
    >>> cosine_similarity([[1.0, 0.0]], [[3.0, 4.0]])
    array([[0.6]])
    """
    kernel, X = CosineKernel(), finite_rows(X, "cosine_similarity")
    Y = X if Y is None else finite_rows(Y, "cosine_similarity")
    if not dense_output and hasattr(X, "tocsr"):
        return kernel._prepared(X) @ kernel._prepared(Y).T
    return kernel(X, Y)


def additive_chi2_kernel(X: TableLike, Y: TableLike | None = None) -> Any:
    """-sum_j (x_j - y_j)^2 / (x_j + y_j).

    >>> from assay.kernels.pairwise import additive_chi2_kernel
    >>> additive_chi2_kernel([[1.0, 0.0]], [[3.0, 0.0]])
    array([[-1.]])
    """
    return AdditiveChi2()(finite_rows(X, "additive_chi2_kernel"), Y)


def chi2_kernel(X: TableLike, Y: TableLike | None = None, gamma: float = 1.0) -> Any:
    """exp(-gamma sum_j (x_j - y_j)^2 / (x_j + y_j)).

    >>> from assay.kernels.pairwise import chi2_kernel
    >>> chi2_kernel([[1.0, 0.0]], [[3.0, 0.0]]).round(6)
    array([[0.367879]])
    """
    return Chi2(gamma)(finite_rows(X, "chi2_kernel"), Y)


FUNCTIONS: dict[str, tuple[Callable[..., Any], frozenset[str]]] = {  # name: function, its parameters
    "additive_chi2": (additive_chi2_kernel, frozenset()),
    "chi2": (chi2_kernel, frozenset({"gamma"})),
    "linear": (linear_kernel, frozenset()),
    "polynomial": (polynomial_kernel, frozenset({"gamma", "degree", "coef0"})),
    "poly": (polynomial_kernel, frozenset({"gamma", "degree", "coef0"})),
    "rbf": (rbf_kernel, frozenset({"gamma"})),
    "laplacian": (laplacian_kernel, frozenset({"gamma"})),
    "sigmoid": (sigmoid_kernel, frozenset({"gamma", "coef0"})),
    "cosine": (cosine_similarity, frozenset()),
}


def pairwise_kernels(
    X: TableLike,
    Y: Any = None,
    metric: MetricLike = "linear",
    *,
    filter_params: bool = False,
    n_jobs: int | None = None,
    **kwds: Any,
) -> Any:
    """The values of a kernel for all pairs of rows.

    Parameters
    ----------
    X, Y : tables of rows; Y None takes the pairs of X
    metric : str, callable of two rows, Kernel, or scikit-learn's kernel object
        The name of one of the functions of this module without ``_kernel``, or "precomputed", which returns X.
    filter_params : bool
        Whether parameters that this kernel does not have are left out; else they are an error.
    n_jobs : int
        Accepted; the kernels choose their threads themselves.
    **kwds : parameters of the kernel, or of the function

    Examples
    --------
    >>> from assay.kernels.pairwise import pairwise_kernels
    >>> pairwise_kernels([[1.0, 2.0]], [[3.0, 4.0]], metric="poly", degree=2, gamma=1.0, foo=1, filter_params=True)
    array([[144.]])
    """
    if isinstance(metric, str) and metric == "precomputed":
        K = finite_rows(X, "pairwise_kernels")
        columns = K.shape[0] if Y is None else np.shape(Y)[0]
        if K.shape[1] != columns:
            raise DataError(
                "pairwise_kernels: Precomputed metric requires shape (n_queries, n_indexed), values with each of the "
                f"{columns} rows; got {K.shape}."
            )
        return K
    made = kernel_of(metric) if callable(metric) else None
    if made is not None and not isinstance(made, FunctionKernel):  # a kernel object, ours or scikit-learn's
        return made(X, Y)
    if callable(metric):
        kernel = FunctionKernel(metric, "rows", kwds)
        return kernel(X, Y)
    if not isinstance(metric, str) or metric not in FUNCTIONS:
        raise ParameterError(
            f"pairwise_kernels: metric must be one of {', '.join(map(repr, FUNCTIONS))}, 'precomputed', or a function "
            f"of two rows, got {metric!r}." + did_you_mean(metric, FUNCTIONS, listed=False)
        )
    function, known = FUNCTIONS[metric]
    if filter_params:
        kwds = {name: value for name, value in kwds.items() if name in known}
    unknown = set(kwds) - known
    if unknown:
        raise ParameterError(
            f"pairwise_kernels: the kernel {metric!r} has no parameter {min(unknown)!r}; it has "
            f"{', '.join(sorted(known)) or 'none'}."
        )
    return function(X, Y, **kwds)
