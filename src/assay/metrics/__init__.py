"""Measures of predictions, each with an interval, and the curves behind them."""

from assay.metrics.absolute_errors import (
    asymmetric_cost,
    max_error,
    mean_absolute_error,
    mean_error,
    mean_pinball_loss,
    median_absolute_error,
)
from assay.metrics.agreement import cohen_kappa_score, matthews_corrcoef
from assay.metrics.areas import auc, average_precision_score, roc_auc_score
from assay.metrics.bands import RocBand, roc_band
from assay.metrics.calibration import ReliabilityCurve, calibration_error
from assay.metrics.calibration_tests import hosmer_lemeshow, spiegelhalter
from assay.metrics.class_report import ClassReport
from assay.metrics.confusion import Confusion, confusion_matrix
from assay.metrics.cost_curves import BrierCurve, CostCurve, h_measure
from assay.metrics.costs import cost_per_row, cost_sensitive_accuracy, expected_cost
from assay.metrics.curves import det_curve, precision_recall_curve, roc_curve
from assay.metrics.delong import auc_interval, delong
from assay.metrics.deviances import (
    d2_tweedie_score,
    mean_gamma_deviance,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from assay.metrics.estimate import Estimate
from assay.metrics.explained import (
    adjusted_r2_score,
    correlation_score,
    d2_absolute_error_score,
    d2_pinball_score,
    explained_variance_score,
    mean_absolute_scaled_error,
    r2_score,
    relative_absolute_error,
    relative_squared_error,
    root_relative_squared_error,
    weighted_absolute_percentage_error,
)
from assay.metrics.forms import OfOutcome, OfRows, OfScores, OfTable
from assay.metrics.gains import GainCurve, lift_score
from assay.metrics.group_report import GroupReport
from assay.metrics.intervals import with_interval
from assay.metrics.measure import Measure, measure_named, measures
from assay.metrics.number_forms import OfDistance, OfMaximum, OfMeans, OfMedian
from assay.metrics.outcome import Outcome
from assay.metrics.percentage_errors import (
    mean_absolute_percentage_error,
    mean_log_accuracy_ratio,
    symmetric_mean_absolute_percentage_error,
)
from assay.metrics.precision_recall import PrecisionRecallCurve
from assay.metrics.predictive_scores import (
    interval_coverage,
    mean_crps,
    mean_interval_score,
    mean_interval_width,
    mean_log_likelihood,
    mean_quantile_loss,
)
from assay.metrics.proper import BrierParts, brier_score_loss, log_loss
from assay.metrics.ranks import Concordance, Ranked, concordance, gini_score, ks_statistic, ranked
from assay.metrics.rates import (
    accuracy_score,
    balanced_accuracy_score,
    f1_score,
    fbeta_score,
    geometric_mean_score,
    jaccard_score,
    macro_f1_score,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    specificity_score,
    youden_score,
    zero_one_loss,
)
from assay.metrics.roc import Dominance, OperatingPoint, RocCurve
from assay.metrics.sets import SetReport
from assay.metrics.squared_errors import (
    mean_squared_error,
    mean_squared_log_error,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from assay.metrics.top_k import top_k_accuracy_score

__all__ = [
    "BrierCurve",
    "BrierParts",
    "ClassReport",
    "Concordance",
    "Confusion",
    "CostCurve",
    "Dominance",
    "Estimate",
    "GainCurve",
    "GroupReport",
    "Measure",
    "OfDistance",
    "OfMaximum",
    "OfMeans",
    "OfMedian",
    "OfOutcome",
    "OfRows",
    "OfScores",
    "OfTable",
    "OperatingPoint",
    "Outcome",
    "PrecisionRecallCurve",
    "Ranked",
    "ReliabilityCurve",
    "RocBand",
    "RocCurve",
    "SetReport",
    "accuracy_score",
    "adjusted_r2_score",
    "asymmetric_cost",
    "auc",
    "auc_interval",
    "average_precision_score",
    "balanced_accuracy_score",
    "brier_score_loss",
    "calibration_error",
    "cohen_kappa_score",
    "concordance",
    "confusion_matrix",
    "correlation_score",
    "cost_per_row",
    "cost_sensitive_accuracy",
    "d2_absolute_error_score",
    "d2_pinball_score",
    "d2_tweedie_score",
    "delong",
    "det_curve",
    "expected_cost",
    "explained_variance_score",
    "f1_score",
    "fbeta_score",
    "geometric_mean_score",
    "gini_score",
    "h_measure",
    "hosmer_lemeshow",
    "interval_coverage",
    "jaccard_score",
    "ks_statistic",
    "lift_score",
    "log_loss",
    "macro_f1_score",
    "matthews_corrcoef",
    "max_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_absolute_scaled_error",
    "mean_crps",
    "mean_error",
    "mean_gamma_deviance",
    "mean_interval_score",
    "mean_interval_width",
    "mean_log_accuracy_ratio",
    "mean_log_likelihood",
    "mean_pinball_loss",
    "mean_poisson_deviance",
    "mean_quantile_loss",
    "mean_squared_error",
    "mean_squared_log_error",
    "mean_tweedie_deviance",
    "measure_named",
    "measures",
    "median_absolute_error",
    "precision_recall_curve",
    "precision_recall_fscore_support",
    "precision_score",
    "r2_score",
    "ranked",
    "recall_score",
    "relative_absolute_error",
    "relative_squared_error",
    "roc_auc_score",
    "roc_band",
    "roc_curve",
    "root_mean_squared_error",
    "root_mean_squared_log_error",
    "root_relative_squared_error",
    "specificity_score",
    "spiegelhalter",
    "symmetric_mean_absolute_percentage_error",
    "top_k_accuracy_score",
    "weighted_absolute_percentage_error",
    "with_interval",
    "youden_score",
    "zero_one_loss",
]
