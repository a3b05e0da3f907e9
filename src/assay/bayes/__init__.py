"""Bayes classifiers: priors times likelihoods, from counts to Gaussians."""

from assay.bayes.gaussian_nb import GaussianNB

__all__ = ["GaussianNB"]
