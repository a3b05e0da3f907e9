"""The noise part of a kernel, apart from the function that it is the noise of."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.kernels import Kernel, WhiteKernel

__all__ = ["noise_variance", "without_noise"]


def without_noise(kernel: Kernel) -> Kernel:
    """The kernel of the function alone: white noise in it has the variance 0.

    >>> from assay.kernels import RBF, WhiteKernel
    >>> from assay.processes.noise import without_noise
    >>> (RBF() + WhiteKernel(0.5)).diagonal([[0.0]]), without_noise(RBF() + WhiteKernel(0.5)).diagonal([[0.0]])
    (array([1.5]), array([1.]))
    """
    if isinstance(kernel, WhiteKernel):
        return WhiteKernel(0.0, "fixed")
    return kernel._with_parts(without_noise) if kernel._noisy else kernel


def noise_variance(kernel: Kernel, X: Any) -> np.ndarray:
    """(n,) the variance of the kernel's noise part for each row of X.

    >>> from assay.kernels import RBF, WhiteKernel
    >>> from assay.processes.noise import noise_variance
    >>> noise_variance(RBF() + WhiteKernel(0.5), [[0.0], [1.0]])
    array([0.5, 0.5])
    """
    total = kernel.diagonal(X)
    return total - without_noise(kernel).diagonal(X) if kernel._noisy else np.zeros_like(total)
