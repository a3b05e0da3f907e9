"""Local models: radial basis functions, prototypes and self-organising maps."""

from assay.local.lvq_classifier import LVQClassifier
from assay.local.rbf_features import RBFFeatures
from assay.local.rbf_network_classifier import RBFNetworkClassifier
from assay.local.rbf_network_regressor import RBFNetworkRegressor
from assay.local.self_organizing_map import SelfOrganizingMap
from assay.local.units import Units

__all__ = [
    "LVQClassifier",
    "RBFFeatures",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "SelfOrganizingMap",
    "Units",
]
