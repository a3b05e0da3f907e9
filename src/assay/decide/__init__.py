"""From belief to action: losses, risk, rejection, priors, thresholds, calibration, prediction sets."""

from assay.decide.bayes_optimal import BayesOptimal
from assay.decide.calibrated_classifier import CalibratedClassifierCV
from assay.decide.conformal import ConformalClassifier
from assay.decide.conformal_regressor import ConformalRegressor
from assay.decide.conformity import SetCoverage, aps_score, lac_score, set_coverage
from assay.decide.curves import RejectCurve, RiskCoverage, error_reject_curve, risk_coverage_curve
from assay.decide.decision import Decision, decide, ties
from assay.decide.decision_rule import DecisionRule
from assay.decide.fixed_threshold import FixedThresholdClassifier
from assay.decide.interval_calibration import IntervalCalibration, IntervalLine, interval_calibration
from assay.decide.isotonic import IsotonicCalibrator, pool_adjacent_violators
from assay.decide.losses import LossMatrix, as_loss
from assay.decide.newsvendor import Newsvendor, newsvendor
from assay.decide.priors import PriorShift, adjust_priors, effective_priors, estimate_priors
from assay.decide.regions import Region, decision_regions
from assay.decide.reject_cascade import CascadeAccount, CascadeLevel, RejectCascade
from assay.decide.scores import class_scores, decide_sign, rank, weighted_maximum
from assay.decide.sigmoid import SigmoidCalibrator
from assay.decide.softmax import SoftmaxCalibrator
from assay.decide.temperature import TemperatureCalibrator
from assay.decide.threshold import ThresholdChoice, tune_threshold, tune_weights
from assay.decide.tuned_threshold import TunedThresholdClassifierCV
from assay.decide.utility import certainty_equivalent, expected_utility
from assay.decide.venn_abers import VennAbersCalibrator

__all__ = [
    "BayesOptimal",
    "CalibratedClassifierCV",
    "CascadeAccount",
    "CascadeLevel",
    "ConformalClassifier",
    "ConformalRegressor",
    "Decision",
    "DecisionRule",
    "FixedThresholdClassifier",
    "IntervalCalibration",
    "IntervalLine",
    "IsotonicCalibrator",
    "LossMatrix",
    "Newsvendor",
    "PriorShift",
    "Region",
    "RejectCascade",
    "RejectCurve",
    "RiskCoverage",
    "SetCoverage",
    "SigmoidCalibrator",
    "SoftmaxCalibrator",
    "TemperatureCalibrator",
    "ThresholdChoice",
    "TunedThresholdClassifierCV",
    "VennAbersCalibrator",
    "adjust_priors",
    "aps_score",
    "as_loss",
    "certainty_equivalent",
    "class_scores",
    "decide",
    "decide_sign",
    "decision_regions",
    "effective_priors",
    "error_reject_curve",
    "estimate_priors",
    "expected_utility",
    "interval_calibration",
    "lac_score",
    "newsvendor",
    "pool_adjacent_violators",
    "rank",
    "risk_coverage_curve",
    "set_coverage",
    "ties",
    "tune_threshold",
    "tune_weights",
    "weighted_maximum",
]
