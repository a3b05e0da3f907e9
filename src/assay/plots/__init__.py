"""Plots: one Display per picture, drawn with matplotlib."""

from assay.plots.association_display import AssociationDisplay
from assay.plots.boundary_display import BoundaryDisplay
from assay.plots.density_display import DensityDisplay
from assay.plots.importance_display import ImportanceDisplay
from assay.plots.impurity_curves_display import ImpurityCurvesDisplay
from assay.plots.loss_curves_display import LossCurvesDisplay
from assay.plots.margin_display import MarginDisplay
from assay.plots.partition_display import PartitionDisplay
from assay.plots.rule_growth import RuleGrowthDisplay
from assay.plots.smoother_display import SmootherDisplay
from assay.plots.staged_error_display import StagedErrorDisplay
from assay.plots.tree_display import TreeDisplay

__all__ = [
    "AssociationDisplay",
    "BoundaryDisplay",
    "DensityDisplay",
    "ImportanceDisplay",
    "ImpurityCurvesDisplay",
    "LossCurvesDisplay",
    "MarginDisplay",
    "PartitionDisplay",
    "RuleGrowthDisplay",
    "SmootherDisplay",
    "StagedErrorDisplay",
    "TreeDisplay",
]
