"""Gaussian processes: regression with its uncertainty, and what chooses the parameters of their kernels."""

from assay.processes.classification import GaussianProcessClassifier
from assay.processes.gaussian_process_regressor import GaussianProcessRegressor
from assay.processes.selection import Choice, KernelPrior, choose_theta

__all__ = ["Choice", "GaussianProcessClassifier", "GaussianProcessRegressor", "KernelPrior", "choose_theta"]
