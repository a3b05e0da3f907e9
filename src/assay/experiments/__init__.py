"""Experiments from design to conclusion: factors, runs that can be resumed, many data sets."""

from assay.experiments.checklist import Checklist
from assay.experiments.conclusion import Conclusion
from assay.experiments.experiment import Experiment
from assay.experiments.factors import FactorEffects, factorial_anova
from assay.experiments.journal import Journal
from assay.experiments.plan import Plan
from assay.experiments.spec import read_experiment
from assay.experiments.study import Study

__all__ = [
    "Checklist",
    "Conclusion",
    "Experiment",
    "FactorEffects",
    "Journal",
    "Plan",
    "Study",
    "factorial_anova",
    "read_experiment",
]
