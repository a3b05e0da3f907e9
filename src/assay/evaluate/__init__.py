"""Evidence: resampling designs, metrics, intervals, tests, and ``compare`` on top of them."""

from assay.evaluate.agents import AgentRuns, compare_agents
from assay.evaluate.between import BetweenAndWithin, between_and_within
from assay.evaluate.bootstrap import (
    BootstrapError,
    bootstrap_error,
    error_632,
    error_632_plus,
    no_information_rate,
)
from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.curves import Curve, complexity_curve, learning_curve
from assay.evaluate.dependence import PartialDependence, partial_dependence
from assay.evaluate.describe import Description, describe
from assay.evaluate.design import Resampling, Split
from assay.evaluate.diagnose import Finding, diagnose
from assay.evaluate.doubts import doubts
from assay.evaluate.drift import ColumnDrift, Drift, drift
from assay.evaluate.importance import PermutationImportance, permutation_importance
from assay.evaluate.matched_runs import MatchedRuns, compare_runs
from assay.evaluate.mislabelled import Mislabelled, mislabelled
from assay.evaluate.near_misses import CloseCalls, NearMisses, close_calls, near_misses
from assay.evaluate.out_of_fold import OutOfFold
from assay.evaluate.policies import PolicyValues, compare_policies
from assay.evaluate.residuals import Residuals
from assay.evaluate.scorers import scorer_of
from assay.evaluate.three_way import Choice, FinalReport, ThreeWay, three_way
from assay.evaluate.verdict import Standing, Verdict
from assay.stats.intervals.proportion_interval import wilson_interval
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.stats.significance.letters import letters
from assay.stats.significance.mcnemar import mcnemar
from assay.stats.significance.multiple_tests import holm
from assay.stats.significance.paired_t import paired_t

__all__ = [
    "AgentRuns",
    "BetweenAndWithin",
    "BootstrapError",
    "Choice",
    "CloseCalls",
    "ColumnDrift",
    "Comparison",
    "Curve",
    "Description",
    "Drift",
    "FinalReport",
    "Finding",
    "MatchedRuns",
    "Mislabelled",
    "NearMisses",
    "OutOfFold",
    "PartialDependence",
    "PermutationImportance",
    "PolicyValues",
    "Resampling",
    "Residuals",
    "Split",
    "Standing",
    "ThreeWay",
    "Verdict",
    "between_and_within",
    "bootstrap_error",
    "close_calls",
    "compare",
    "compare_agents",
    "compare_policies",
    "compare_runs",
    "complexity_curve",
    "corrected_interval",
    "describe",
    "diagnose",
    "doubts",
    "drift",
    "error_632",
    "error_632_plus",
    "holm",
    "learning_curve",
    "letters",
    "mcnemar",
    "mislabelled",
    "near_misses",
    "no_information_rate",
    "paired_t",
    "partial_dependence",
    "permutation_importance",
    "scorer_of",
    "three_way",
    "wilson_interval",
]
