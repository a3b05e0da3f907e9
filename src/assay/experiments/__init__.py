"""Experiments from design to conclusion: factors, runs that can be resumed, many data sets."""

from assay.experiments.agent_study import AgentStudy, study_agents
from assay.experiments.checklist import Checklist
from assay.experiments.conclusion import Conclusion
from assay.experiments.designs.effects import Effects, effects
from assay.experiments.designs.factorial import full_factorial, plackett_burman, three_level
from assay.experiments.designs.fractional import FractionalFactorial, fractional_factorial
from assay.experiments.designs.response_surface import ResponseSurface
from assay.experiments.designs.run_order import (
    blocked_runs,
    confounded_blocks,
    latin_square,
    randomised_order,
)
from assay.experiments.designs.run_table import RunTable
from assay.experiments.designs.surface_designs import box_behnken, central_composite
from assay.experiments.designs.surface_search import SurfaceSearch, optimize_response
from assay.experiments.experiment import Experiment
from assay.experiments.factors import FactorEffects, factorial_anova
from assay.experiments.journal import Journal
from assay.experiments.plan import Plan
from assay.experiments.spec import read_experiment
from assay.experiments.study import Study

__all__ = [
    "AgentStudy",
    "Checklist",
    "Conclusion",
    "Effects",
    "Experiment",
    "FactorEffects",
    "FractionalFactorial",
    "Journal",
    "Plan",
    "ResponseSurface",
    "RunTable",
    "Study",
    "SurfaceSearch",
    "blocked_runs",
    "box_behnken",
    "central_composite",
    "confounded_blocks",
    "effects",
    "factorial_anova",
    "fractional_factorial",
    "full_factorial",
    "latin_square",
    "optimize_response",
    "plackett_burman",
    "randomised_order",
    "read_experiment",
    "study_agents",
    "three_level",
]
