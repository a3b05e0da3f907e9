"""Local models: radial basis functions, prototypes, maps, experts and their gates."""

from assay.local.fuzzy_rule import About, FuzzyRule, fuzzy_rules
from assay.local.fuzzy_rule_regressor import FuzzyRuleRegressor
from assay.local.generative_topographic_mapping import GenerativeTopographicMapping
from assay.local.growing_self_organizing_map import GrowingSelfOrganizingMap
from assay.local.hebbian_features import HebbianFeatures
from assay.local.hierarchical_mixture_of_experts_classifier import HierarchicalMixtureOfExpertsClassifier
from assay.local.hierarchical_mixture_of_experts_regressor import HierarchicalMixtureOfExpertsRegressor
from assay.local.local_model_classifier import LocalModelClassifier
from assay.local.local_model_regressor import LocalModelRegressor
from assay.local.lvq_classifier import LVQClassifier
from assay.local.mixture_of_estimators_classifier import MixtureOfEstimatorsClassifier
from assay.local.mixture_of_estimators_regressor import MixtureOfEstimatorsRegressor
from assay.local.mixture_of_experts_classifier import MixtureOfExpertsClassifier
from assay.local.mixture_of_experts_regressor import MixtureOfExpertsRegressor
from assay.local.rbf_features import RBFFeatures
from assay.local.rbf_network_classifier import RBFNetworkClassifier
from assay.local.rbf_network_regressor import RBFNetworkRegressor
from assay.local.resource_allocating_network import ResourceAllocatingNetwork
from assay.local.self_organizing_map import SelfOrganizingMap
from assay.local.units import Units
from assay.local.winner_take_all import winner_take_all

__all__ = [
    "About",
    "FuzzyRule",
    "FuzzyRuleRegressor",
    "GenerativeTopographicMapping",
    "GrowingSelfOrganizingMap",
    "HebbianFeatures",
    "HierarchicalMixtureOfExpertsClassifier",
    "HierarchicalMixtureOfExpertsRegressor",
    "LVQClassifier",
    "LocalModelClassifier",
    "LocalModelRegressor",
    "MixtureOfEstimatorsClassifier",
    "MixtureOfEstimatorsRegressor",
    "MixtureOfExpertsClassifier",
    "MixtureOfExpertsRegressor",
    "RBFFeatures",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "ResourceAllocatingNetwork",
    "SelfOrganizingMap",
    "Units",
    "fuzzy_rules",
    "winner_take_all",
]
