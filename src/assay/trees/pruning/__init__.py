"""Making a grown tree smaller: functions from one tree to another, and :func:`prune` for fitted learners."""

from assay.trees.pruning.bottom_up import collapse
from assay.trees.pruning.cost_complexity import (
    PruningPath,
    cost_complexity,
    cost_complexity_path,
    critical_alphas,
)
from assay.trees.pruning.cross_validated import AlphaChoice, choose_alpha
from assay.trees.pruning.error_based import error_based, upper_errors
from assay.trees.pruning.mdl import mdl, tree_description_length
from assay.trees.pruning.pessimistic import pessimistic
from assay.trees.pruning.prune import prune
from assay.trees.pruning.reduced_error import reduced_error

__all__ = [
    "AlphaChoice",
    "PruningPath",
    "choose_alpha",
    "collapse",
    "cost_complexity",
    "cost_complexity_path",
    "critical_alphas",
    "error_based",
    "mdl",
    "pessimistic",
    "prune",
    "reduced_error",
    "tree_description_length",
    "upper_errors",
]
