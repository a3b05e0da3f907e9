"""Distance metrics and nearest-neighbour search."""

from assay.distances.cosine import Cosine
from assay.distances.discriminant import DiscriminantMetric
from assay.distances.function import Function, Pairwise
from assay.distances.mahalanobis import Mahalanobis
from assay.distances.metric import Metric, metric_of
from assay.distances.minkowski import Minkowski, SquaredEuclidean, Standardized
from assay.distances.mixed import HEOM, Gower, ValueDifference
from assay.distances.named import Named
from assay.distances.precomputed import Precomputed
from assay.distances.search import Searcher, searcher

__all__ = [
    "HEOM",
    "Cosine",
    "DiscriminantMetric",
    "Function",
    "Gower",
    "Mahalanobis",
    "Metric",
    "Minkowski",
    "Named",
    "Pairwise",
    "Precomputed",
    "Searcher",
    "SquaredEuclidean",
    "Standardized",
    "ValueDifference",
    "metric_of",
    "searcher",
]
