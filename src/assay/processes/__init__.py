"""Gaussian processes: regression with its uncertainty, and what chooses the parameters of their kernels."""

from assay.processes.active_learning import Queries, next_queries
from assay.processes.classification import GaussianProcessClassifier
from assay.processes.gaussian_process_regressor import GaussianProcessRegressor, Variances
from assay.processes.pruning import Pruning, prune
from assay.processes.selection import Choice, KernelPrior, choose_theta
from assay.processes.sparse_gaussian_process_regressor import SparseGaussianProcessRegressor

__all__ = [
    "Choice",
    "GaussianProcessClassifier",
    "GaussianProcessRegressor",
    "KernelPrior",
    "Pruning",
    "Queries",
    "SparseGaussianProcessRegressor",
    "Variances",
    "choose_theta",
    "next_queries",
    "prune",
]
