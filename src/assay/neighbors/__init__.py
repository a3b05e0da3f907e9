"""Learning from instances: distances that know the classes."""

from assay.neighbors.triplet_metric import TripletMetric

__all__ = ["TripletMetric"]
