"""Densities without a formula for their shape: histograms, kernels, neighbours."""

from assay.densities.adaptive_density import AdaptiveKernelDensity
from assay.densities.ecdf import ECDF
from assay.densities.histogram_density import HistogramDensity
from assay.densities.k_neighbors_density import KNeighborsDensity
from assay.densities.kernel_density import KernelDensity
from assay.densities.kernels import Kernel, kernel_of
from assay.densities.naive_density import NaiveDensity

__all__ = [
    "ECDF",
    "AdaptiveKernelDensity",
    "HistogramDensity",
    "KNeighborsDensity",
    "Kernel",
    "KernelDensity",
    "NaiveDensity",
    "kernel_of",
]
