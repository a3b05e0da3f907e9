"""Learning networks: parameters, missing values, structure."""

from assay.graphs.learning.arc_strength import ArcStrength, arc_strength
from assay.graphs.learning.chow_liu import chow_liu_arcs
from assay.graphs.learning.equivalence import PartialGraph, equivalence_class
from assay.graphs.learning.parameters import EMResult, expectation_maximization, fit_parameters
from assay.graphs.learning.scores import network_score
from assay.graphs.learning.structure import LearnedStructure, learn_network, learn_structure

__all__ = [
    "ArcStrength",
    "EMResult",
    "LearnedStructure",
    "PartialGraph",
    "arc_strength",
    "chow_liu_arcs",
    "equivalence_class",
    "expectation_maximization",
    "fit_parameters",
    "learn_network",
    "learn_structure",
    "network_score",
]
