"""Mixtures: of Gaussians, of mixed columns, of ones and zeros, of classes, of experts; by EM, with priors, variational.

Dirichlet processes and variational mixtures find the number of groups themselves.
"""

from assay.mixture.bayesian_gaussian_mixture import BayesianGaussianMixture
from assay.mixture.bayesian_mixture_of_experts import BayesianMixtureOfExperts
from assay.mixture.bernoulli_mixture import BernoulliMixture
from assay.mixture.chinese_restaurant import ChineseRestaurant, stick_breaking
from assay.mixture.choose_mixture import MixtureChoice, choose_mixture
from assay.mixture.dirichlet_process_mixture import DirichletProcessMixture
from assay.mixture.em_driver import EMRun, expectation_maximization
from assay.mixture.factor_analyzer_mixture import FactorAnalyzerMixture
from assay.mixture.gaussian_mixture import GaussianMixture
from assay.mixture.mixed_mixture import MixedMixture
from assay.mixture.mixture_classifier import MixtureClassifier
from assay.mixture.partitions import partition_estimate, posterior_similarity
from assay.mixture.prior import MixturePrior
from assay.mixture.semi_supervised_mixture import SemiSupervisedMixture

__all__ = [
    "BayesianGaussianMixture",
    "BayesianMixtureOfExperts",
    "BernoulliMixture",
    "ChineseRestaurant",
    "DirichletProcessMixture",
    "EMRun",
    "FactorAnalyzerMixture",
    "GaussianMixture",
    "MixedMixture",
    "MixtureChoice",
    "MixtureClassifier",
    "MixturePrior",
    "SemiSupervisedMixture",
    "choose_mixture",
    "expectation_maximization",
    "partition_estimate",
    "posterior_similarity",
    "stick_breaking",
]
