"""Experiments from design to conclusion: factors, runs that can be resumed, many data sets."""

from assay.experiments.checklist import Checklist
from assay.experiments.experiment import Experiment
from assay.experiments.journal import Journal
from assay.experiments.plan import Plan
from assay.experiments.study import Study

__all__ = [
    "Checklist",
    "Experiment",
    "Journal",
    "Plan",
    "Study",
]
