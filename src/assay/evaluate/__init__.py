"""Evidence: resampling designs, metrics, intervals, tests, and ``compare`` on top of them."""

from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.describe import Description, describe
from assay.evaluate.design import Resampling, Split
from assay.evaluate.diagnose import Finding, diagnose
from assay.evaluate.learners import LEARNERS, Entry, find_learner, make_learner, register
from assay.evaluate.majority import MajorityClassifier
from assay.evaluate.metrics import METRICS, Metric, Outcome
from assay.evaluate.mislabelled import Mislabelled, mislabelled
from assay.evaluate.multiple import holm, letters
from assay.evaluate.out_of_fold import OutOfFold
from assay.evaluate.verdict import Standing, Verdict
from assay.stats.mcnemar import mcnemar
from assay.stats.paired_t import paired_t
from assay.stats.proportion_interval import wilson_interval
from assay.stats.repeated_estimate import corrected_interval

__all__ = [
    "LEARNERS",
    "METRICS",
    "Comparison",
    "Description",
    "Entry",
    "Finding",
    "MajorityClassifier",
    "Metric",
    "Mislabelled",
    "OutOfFold",
    "Outcome",
    "Resampling",
    "Split",
    "Standing",
    "Verdict",
    "compare",
    "corrected_interval",
    "describe",
    "diagnose",
    "find_learner",
    "holm",
    "letters",
    "make_learner",
    "mcnemar",
    "mislabelled",
    "paired_t",
    "register",
    "wilson_interval",
]
