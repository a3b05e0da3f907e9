"""Mixtures: of Gaussians by EM, with priors, variational, of as many groups as the rows ask for; of experts."""

from assay.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from assay.mixture.bayesian_mixture_of_experts import BayesianMixtureOfExperts
from assay.mixture.chinese_restaurant import ChineseRestaurant, stick_breaking
from assay.mixture.dirichlet_process_mixture import DirichletProcessMixture
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.mixture.partitions import partition_estimate, posterior_similarity
from assay.mixture.prior import MixturePrior

__all__ = [
    "BayesianGaussianMixture",
    "BayesianMixtureOfExperts",
    "ChineseRestaurant",
    "DirichletProcessMixture",
    "GaussianMixture",
    "MixturePrior",
    "partition_estimate",
    "posterior_similarity",
    "stick_breaking",
]
