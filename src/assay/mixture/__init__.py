"""Mixtures of Gaussians."""

from assay.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.mixture.prior import MixturePrior

__all__ = ["BayesianGaussianMixture", "GaussianMixture", "MixturePrior"]
