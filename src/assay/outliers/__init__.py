"""Outlier and novelty detection."""

from assay.outliers.density_outliers import DensityOutliers
from assay.outliers.gaussian_outliers import GaussianOutliers
from assay.outliers.isolation_forest import IsolationForest
from assay.outliers.late_merges import LateMerges, late_merges
from assay.outliers.local_outlier_factor import LocalOutlierFactor
from assay.outliers.neighbor_distance import NeighborDistanceOutliers

__all__ = [
    "DensityOutliers",
    "GaussianOutliers",
    "IsolationForest",
    "LateMerges",
    "LocalOutlierFactor",
    "NeighborDistanceOutliers",
    "late_merges",
]
