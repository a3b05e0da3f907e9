"""Kernel functions and their matrices."""

from assay.kernels.algebra import Exponentiation, Product, Sum
from assay.kernels.approximations.additive_chi2_sampler import AdditiveChi2Sampler
from assay.kernels.approximations.fourier_features import FourierFeatures
from assay.kernels.approximations.landmarks import PivotedCholesky, pivoted_cholesky
from assay.kernels.approximations.nystroem import Nystroem
from assay.kernels.approximations.polynomial_count_sketch import PolynomialCountSketch
from assay.kernels.approximations.rbf_sampler import RBFSampler
from assay.kernels.approximations.skewed_chi2_sampler import SkewedChi2Sampler
from assay.kernels.chi2 import AdditiveChi2, Chi2
from assay.kernels.constant import ConstantKernel, WhiteKernel
from assay.kernels.distance_kernel import DistanceKernel, KernelDistance
from assay.kernels.dot_products import (
    CosineKernel,
    DotProduct,
    Linear,
    Polynomial,
    Sigmoid,
    SquaresPlusLinear,
)
from assay.kernels.empirical_kernel import EmpiricalKernel
from assay.kernels.explicit_kernel import ExplicitKernel
from assay.kernels.given import FunctionKernel, PrecomputedKernel
from assay.kernels.gram import (
    GramReport,
    RepairedGram,
    center_gram,
    check_gram,
    kernel_alignment,
    normalize_gram,
    repair_gram,
)
from assay.kernels.gram_rows import GramRows, KernelRows, MatrixRows
from assay.kernels.harmonic import Harmonic
from assay.kernels.kernel import Kernel
from assay.kernels.laplacian import Laplacian
from assay.kernels.mahalanobis import LocalMahalanobisKernel, MahalanobisKernel
from assay.kernels.matern import Matern
from assay.kernels.mixed import MixedKernel
from assay.kernels.names import kernel_of
from assay.kernels.normalized import Normalized
from assay.kernels.on_columns import OnColumns
from assay.kernels.pairwise import (
    additive_chi2_kernel,
    chi2_kernel,
    cosine_similarity,
    laplacian_kernel,
    linear_kernel,
    pairwise_kernels,
    polynomial_kernel,
    rbf_kernel,
    sigmoid_kernel,
)
from assay.kernels.periodic import ExpSineSquared
from assay.kernels.rational_quadratic import RationalQuadratic
from assay.kernels.rbf import RBF
from assay.kernels.structures.bag_of_words import BagOfWords
from assay.kernels.structures.edit_distance import (
    Alignment,
    EditSimilarity,
    align,
    edit_distance,
    edit_distances,
)
from assay.kernels.structures.fisher_kernel import FisherKernel
from assay.kernels.structures.graph import Graph
from assay.kernels.structures.mismatch import Mismatch
from assay.kernels.structures.nodes_of_graph import DiffusionKernel, RegularizedLaplacian
from assay.kernels.structures.probability_product import ProbabilityProduct
from assay.kernels.structures.shortest_paths import ShortestPaths
from assay.kernels.structures.spectrum import Spectrum
from assay.kernels.structures.subsequences import Subsequences
from assay.kernels.structures.trees import SubsetTrees, Subtrees
from assay.kernels.structures.walks import SharedWalks
from assay.kernels.structures.weisfeiler_lehman import WeisfeilerLehman
from assay.kernels.templates import choose_templates

__all__ = [
    "RBF",
    "AdditiveChi2",
    "AdditiveChi2Sampler",
    "Alignment",
    "BagOfWords",
    "Chi2",
    "ConstantKernel",
    "CosineKernel",
    "DiffusionKernel",
    "DistanceKernel",
    "DotProduct",
    "EditSimilarity",
    "EmpiricalKernel",
    "ExpSineSquared",
    "ExplicitKernel",
    "Exponentiation",
    "FisherKernel",
    "FourierFeatures",
    "FunctionKernel",
    "GramReport",
    "GramRows",
    "Graph",
    "Harmonic",
    "Kernel",
    "KernelDistance",
    "KernelRows",
    "Laplacian",
    "Linear",
    "LocalMahalanobisKernel",
    "MahalanobisKernel",
    "Matern",
    "MatrixRows",
    "Mismatch",
    "MixedKernel",
    "Normalized",
    "Nystroem",
    "OnColumns",
    "PivotedCholesky",
    "Polynomial",
    "PolynomialCountSketch",
    "PrecomputedKernel",
    "ProbabilityProduct",
    "Product",
    "RBFSampler",
    "RationalQuadratic",
    "RegularizedLaplacian",
    "RepairedGram",
    "SharedWalks",
    "ShortestPaths",
    "Sigmoid",
    "SkewedChi2Sampler",
    "Spectrum",
    "SquaresPlusLinear",
    "Subsequences",
    "SubsetTrees",
    "Subtrees",
    "Sum",
    "WeisfeilerLehman",
    "WhiteKernel",
    "additive_chi2_kernel",
    "align",
    "center_gram",
    "check_gram",
    "chi2_kernel",
    "choose_templates",
    "cosine_similarity",
    "edit_distance",
    "edit_distances",
    "kernel_alignment",
    "kernel_of",
    "laplacian_kernel",
    "linear_kernel",
    "normalize_gram",
    "pairwise_kernels",
    "pivoted_cholesky",
    "polynomial_kernel",
    "rbf_kernel",
    "repair_gram",
    "sigmoid_kernel",
]
