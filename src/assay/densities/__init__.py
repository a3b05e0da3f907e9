"""Nonparametric density estimation: histograms, kernels, nearest neighbours."""

from assay.densities.adaptive_density import AdaptiveKernelDensity
from assay.densities.bandwidth import improved_sheather_jones, normal_reference, scott, silverman
from assay.densities.ecdf import ECDF
from assay.densities.histogram_density import HistogramDensity
from assay.densities.k_neighbors_density import KNeighborsDensity
from assay.densities.kernel_density import KernelDensity
from assay.densities.kernels import Kernel, kernel_of
from assay.densities.leave_one_out import (
    least_squares_bandwidth,
    least_squares_scores,
    leave_one_out_log_likelihood,
    likelihood_bandwidth,
)
from assay.densities.naive_density import NaiveDensity

__all__ = [
    "ECDF",
    "AdaptiveKernelDensity",
    "HistogramDensity",
    "KNeighborsDensity",
    "Kernel",
    "KernelDensity",
    "NaiveDensity",
    "improved_sheather_jones",
    "kernel_of",
    "least_squares_bandwidth",
    "least_squares_scores",
    "leave_one_out_log_likelihood",
    "likelihood_bandwidth",
    "normal_reference",
    "scott",
    "silverman",
]
