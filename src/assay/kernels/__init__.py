"""Kernel functions and their matrices."""

from assay.kernels.dot_products import Linear, Polynomial, Sigmoid
from assay.kernels.given import FunctionKernel, PrecomputedKernel
from assay.kernels.gram_rows import GramRows, KernelRows, MatrixRows
from assay.kernels.kernel import Kernel
from assay.kernels.names import kernel_of
from assay.kernels.rbf import RBF

__all__ = [
    "RBF",
    "FunctionKernel",
    "GramRows",
    "Kernel",
    "KernelRows",
    "Linear",
    "MatrixRows",
    "Polynomial",
    "PrecomputedKernel",
    "Sigmoid",
    "kernel_of",
]
