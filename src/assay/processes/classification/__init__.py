"""Gaussian processes behind classes."""

from assay.processes.classification.gaussian_process_classifier import GaussianProcessClassifier

__all__ = ["GaussianProcessClassifier"]
