"""Nearest neighbours: the training rows near a row answer for it."""

from assay.neighbors.adaptive_neighbors import AdaptiveNeighborsClassifier
from assay.neighbors.condensed import CondensedNearestNeighbor
from assay.neighbors.edited import EditedNearestNeighbors
from assay.neighbors.graph_transformers import KNeighborsTransformer, RadiusNeighborsTransformer
from assay.neighbors.k_neighbors_classifier import KNeighborsClassifier
from assay.neighbors.k_neighbors_classifier_cv import KNeighborsClassifierCV
from assay.neighbors.k_neighbors_regressor import KNeighborsRegressor
from assay.neighbors.lmca import LMCA
from assay.neighbors.lmnn import LMNN
from assay.neighbors.nearest_centroid import NearestCentroid
from assay.neighbors.nearest_cluster_classifier import NearestClusterClassifier
from assay.neighbors.nearest_neighbors import NearestNeighbors, kneighbors_graph, radius_neighbors_graph
from assay.neighbors.nearest_risk import (
    RiskBounds,
    bayes_risk_bounds,
    nearest_neighbor_risk,
    nearest_risk_bounds,
)
from assay.neighbors.parzen_classifier import ParzenClassifier
from assay.neighbors.prototype_search import PrototypeSearch
from assay.neighbors.prototypes import inconsistent_rows
from assay.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from assay.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
from assay.neighbors.redundant_instances import RedundantInstances, redundant_instances
from assay.neighbors.similarity_features import SimilarityFeatures
from assay.neighbors.triplet_metric import TripletMetric

__all__ = [
    "LMCA",
    "LMNN",
    "AdaptiveNeighborsClassifier",
    "CondensedNearestNeighbor",
    "EditedNearestNeighbors",
    "KNeighborsClassifier",
    "KNeighborsClassifierCV",
    "KNeighborsRegressor",
    "KNeighborsTransformer",
    "NearestCentroid",
    "NearestClusterClassifier",
    "NearestNeighbors",
    "ParzenClassifier",
    "PrototypeSearch",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RadiusNeighborsTransformer",
    "RedundantInstances",
    "RiskBounds",
    "SimilarityFeatures",
    "TripletMetric",
    "bayes_risk_bounds",
    "inconsistent_rows",
    "kneighbors_graph",
    "nearest_neighbor_risk",
    "nearest_risk_bounds",
    "radius_neighbors_graph",
    "redundant_instances",
]
