"""Learning from instances: distances that know the classes."""

from assay.neighbors.k_neighbors_classifier import KNeighborsClassifier
from assay.neighbors.k_neighbors_classifier_cv import KNeighborsClassifierCV
from assay.neighbors.k_neighbors_regressor import KNeighborsRegressor
from assay.neighbors.nearest_neighbors import NearestNeighbors, kneighbors_graph, radius_neighbors_graph
from assay.neighbors.radius_neighbors_classifier import RadiusNeighborsClassifier
from assay.neighbors.radius_neighbors_regressor import RadiusNeighborsRegressor
from assay.neighbors.redundant_instances import RedundantInstances, redundant_instances
from assay.neighbors.triplet_metric import TripletMetric

__all__ = [
    "KNeighborsClassifier",
    "KNeighborsClassifierCV",
    "KNeighborsRegressor",
    "NearestNeighbors",
    "RadiusNeighborsClassifier",
    "RadiusNeighborsRegressor",
    "RedundantInstances",
    "TripletMetric",
    "kneighbors_graph",
    "radius_neighbors_graph",
    "redundant_instances",
]
