"""Plots: one Display per picture, drawn with matplotlib."""

from assay.plots.association_display import AssociationDisplay
from assay.plots.automaton_display import AutomatonDisplay
from assay.plots.belief_display import BeliefDisplay
from assay.plots.belief_value_display import BeliefValueDisplay
from assay.plots.biplot_display import BiplotDisplay
from assay.plots.bound_display import BoundDisplay
from assay.plots.boundary_display import BoundaryDisplay
from assay.plots.calibration_display import CalibrationDisplay
from assay.plots.chain_graph_display import ChainGraphDisplay
from assay.plots.cluster_path_display import ClusterPathDisplay, MixtureDisplay
from assay.plots.comparison_display import ComparisonDisplay
from assay.plots.component_pictures_display import ComponentPicturesDisplay
from assay.plots.confusion_matrix_display import ConfusionMatrixDisplay
from assay.plots.correspondence_display import CorrespondenceDisplay
from assay.plots.cost_curve_display import CostCurveDisplay
from assay.plots.critical_difference_display import CriticalDifferenceDisplay
from assay.plots.dendrogram_display import DendrogramDisplay
from assay.plots.density_display import DensityDisplay
from assay.plots.det_curve_display import DetCurveDisplay
from assay.plots.directions_display import DirectionsDisplay
from assay.plots.discriminant_display import DiscriminantDisplay
from assay.plots.effects_display import EffectsDisplay
from assay.plots.embedding_display import EmbeddingDisplay
from assay.plots.feature_strips_display import FeaturePairsDisplay, FeatureStripsDisplay
from assay.plots.forecast_display import ForecastDisplay
from assay.plots.gain_display import GainDisplay
from assay.plots.graph_display import GraphDisplay
from assay.plots.grid_world_display import GridWorldDisplay
from assay.plots.hidden_units_display import HiddenUnitsDisplay, WeightsDisplay
from assay.plots.importance_display import ImportanceDisplay
from assay.plots.impurity_curves_display import ImpurityCurvesDisplay
from assay.plots.interval_coverage_display import IntervalCoverageDisplay
from assay.plots.kappa_error_display import KappaErrorDisplay
from assay.plots.learning_curve_display import LearningCurveDisplay
from assay.plots.lift_display import LiftDisplay
from assay.plots.loss_curves_display import LossCurvesDisplay
from assay.plots.margin_display import MarginDisplay
from assay.plots.network_display import NetworkDisplay
from assay.plots.optimization_display import OptimizationDisplay
from assay.plots.paired_difference_display import PairedDifferenceDisplay
from assay.plots.partial_dependence_display import PartialDependenceDisplay
from assay.plots.partition_display import PartitionDisplay
from assay.plots.posterior_display import PosteriorDisplay
from assay.plots.power_display import PowerDisplay
from assay.plots.precision_recall_display import PrecisionRecallDisplay
from assay.plots.prediction_error_display import PredictionErrorDisplay
from assay.plots.rank_strip_display import RankStripDisplay
from assay.plots.residuals_display import ResidualsDisplay
from assay.plots.response_surface_display import ResponseSurfaceDisplay
from assay.plots.returns_display import ReturnsDisplay
from assay.plots.risk_coverage_display import RiskCoverageDisplay
from assay.plots.roc_curve_display import RocCurveDisplay
from assay.plots.rule_growth import RuleGrowthDisplay
from assay.plots.saliency_display import SaliencyDisplay
from assay.plots.scatter_matrix_display import ScatterMatrixDisplay
from assay.plots.scree_display import ScreeDisplay
from assay.plots.selection_frequency_display import SelectionFrequencyDisplay
from assay.plots.selection_trace_display import SelectionTraceDisplay
from assay.plots.self_organizing_map_display import SelfOrganizingMapDisplay
from assay.plots.shattering_display import ShatteringDisplay
from assay.plots.silhouette_display import SilhouetteDisplay
from assay.plots.smoother_display import SmootherDisplay
from assay.plots.staged_error_display import StagedErrorDisplay
from assay.plots.state_ribbon_display import StateRibbonDisplay
from assay.plots.support_vector_display import SupportVectorDisplay
from assay.plots.threshold_display import ThresholdDisplay
from assay.plots.training_display import TrainingDisplay
from assay.plots.tree_display import TreeDisplay
from assay.plots.trellis_display import TrellisDisplay
from assay.plots.tube_display import TubeDisplay
from assay.plots.validation_curve_display import ValidationCurveDisplay

__all__ = [
    "AssociationDisplay",
    "AutomatonDisplay",
    "BeliefDisplay",
    "BeliefValueDisplay",
    "BiplotDisplay",
    "BoundDisplay",
    "BoundaryDisplay",
    "CalibrationDisplay",
    "ChainGraphDisplay",
    "ClusterPathDisplay",
    "ComparisonDisplay",
    "ComponentPicturesDisplay",
    "ConfusionMatrixDisplay",
    "CorrespondenceDisplay",
    "CostCurveDisplay",
    "CriticalDifferenceDisplay",
    "DendrogramDisplay",
    "DensityDisplay",
    "DetCurveDisplay",
    "DirectionsDisplay",
    "DiscriminantDisplay",
    "EffectsDisplay",
    "EmbeddingDisplay",
    "FeaturePairsDisplay",
    "FeatureStripsDisplay",
    "ForecastDisplay",
    "GainDisplay",
    "GraphDisplay",
    "GridWorldDisplay",
    "HiddenUnitsDisplay",
    "ImportanceDisplay",
    "ImpurityCurvesDisplay",
    "IntervalCoverageDisplay",
    "KappaErrorDisplay",
    "LearningCurveDisplay",
    "LiftDisplay",
    "LossCurvesDisplay",
    "MarginDisplay",
    "MixtureDisplay",
    "NetworkDisplay",
    "OptimizationDisplay",
    "PairedDifferenceDisplay",
    "PartialDependenceDisplay",
    "PartitionDisplay",
    "PosteriorDisplay",
    "PowerDisplay",
    "PrecisionRecallDisplay",
    "PredictionErrorDisplay",
    "RankStripDisplay",
    "ResidualsDisplay",
    "ResponseSurfaceDisplay",
    "ReturnsDisplay",
    "RiskCoverageDisplay",
    "RocCurveDisplay",
    "RuleGrowthDisplay",
    "SaliencyDisplay",
    "ScatterMatrixDisplay",
    "ScreeDisplay",
    "SelectionFrequencyDisplay",
    "SelectionTraceDisplay",
    "SelfOrganizingMapDisplay",
    "ShatteringDisplay",
    "SilhouetteDisplay",
    "SmootherDisplay",
    "StagedErrorDisplay",
    "StateRibbonDisplay",
    "SupportVectorDisplay",
    "ThresholdDisplay",
    "TrainingDisplay",
    "TreeDisplay",
    "TrellisDisplay",
    "TubeDisplay",
    "ValidationCurveDisplay",
    "WeightsDisplay",
]
