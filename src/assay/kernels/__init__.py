"""Kernel functions and their matrices."""

from assay.kernels.algebra import Exponentiation, Product, Sum
from assay.kernels.approximations.additive_chi2_sampler import AdditiveChi2Sampler
from assay.kernels.approximations.fourier_features import FourierFeatures
from assay.kernels.approximations.landmarks import PivotedCholesky, pivoted_cholesky
from assay.kernels.approximations.nystroem import Nystroem
from assay.kernels.approximations.polynomial_count_sketch import PolynomialCountSketch
from assay.kernels.approximations.rbf_sampler import RBFSampler
from assay.kernels.approximations.row_function import RowFunction
from assay.kernels.approximations.skewed_chi2_sampler import SkewedChi2Sampler
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
    "AdditiveChi2Sampler",
    "ConstantKernel",
    "CosineKernel",
    "DotProduct",
    "Exponentiation",
    "FourierFeatures",
    "FunctionKernel",
    "GramRows",
    "Kernel",
    "KernelRows",
    "Linear",
    "Matern",
    "MatrixRows",
    "Normalized",
    "Nystroem",
    "OnColumns",
    "PivotedCholesky",
    "Polynomial",
    "PolynomialCountSketch",
    "PrecomputedKernel",
    "Product",
    "RBFSampler",
    "RationalQuadratic",
    "RowFunction",
    "Sigmoid",
    "SkewedChi2Sampler",
    "SquaresPlusLinear",
    "Sum",
    "WhiteKernel",
    "kernel_of",
    "pivoted_cholesky",
]
