"""Kernel functions and their matrices."""

from assay.kernels.algebra import Exponentiation, Product, Sum
from assay.kernels.constant import ConstantKernel, WhiteKernel
from assay.kernels.dot_products import (
    CosineKernel,
    DotProduct,
    Linear,
    Polynomial,
    Sigmoid,
    SquaresPlusLinear,
)
from assay.kernels.given import FunctionKernel, PrecomputedKernel
from assay.kernels.gram_rows import GramRows, KernelRows, MatrixRows
from assay.kernels.kernel import Kernel
from assay.kernels.matern import Matern
from assay.kernels.names import kernel_of
from assay.kernels.normalized import Normalized
from assay.kernels.on_columns import OnColumns
from assay.kernels.rational_quadratic import RationalQuadratic
from assay.kernels.rbf import RBF

__all__ = [
    "RBF",
    "ConstantKernel",
    "CosineKernel",
    "DotProduct",
    "Exponentiation",
    "FunctionKernel",
    "GramRows",
    "Kernel",
    "KernelRows",
    "Linear",
    "Matern",
    "MatrixRows",
    "Normalized",
    "OnColumns",
    "Polynomial",
    "PrecomputedKernel",
    "Product",
    "RationalQuadratic",
    "Sigmoid",
    "SquaresPlusLinear",
    "Sum",
    "WhiteKernel",
    "kernel_of",
]
