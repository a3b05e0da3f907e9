"""Learning from instances: distances that know the classes."""

from assay.neighbors.redundant_instances import RedundantInstances, redundant_instances
from assay.neighbors.triplet_metric import TripletMetric

__all__ = [
    "RedundantInstances",
    "TripletMetric",
    "redundant_instances",
]
