"""Graphs: Bayesian networks, Markov fields, belief propagation, decisions."""

from assay.graphs.classic import load_network
from assay.graphs.classifiers import (
    AODEClassifier,
    BayesianNetworkClassifier,
    KDBClassifier,
    TANClassifier,
)
from assay.graphs.conditionals import (
    LinearGaussianConditional,
    LogisticConditional,
    NoisyOrConditional,
    SoftmaxConditional,
    TableConditional,
)
from assay.graphs.diagram import Diagram
from assay.graphs.dynamic import DynamicNetwork
from assay.graphs.factor_graph import FactorGraph
from assay.graphs.field import MarkovField, read_field
from assay.graphs.formats import read_network, write_network
from assay.graphs.grid_field import denoise
from assay.graphs.influence import Decision, InfluenceDiagram, Utility
from assay.graphs.junction_tree import JunctionTree
from assay.graphs.learning import (
    arc_strength,
    chow_liu_arcs,
    equivalence_class,
    expectation_maximization,
    fit_parameters,
    learn_network,
    learn_structure,
    network_score,
)
from assay.graphs.necker import necker_cube
from assay.graphs.network import BayesianNetwork
from assay.graphs.node import Node
from assay.graphs.phylogeny import PhylogeneticTree
from assay.graphs.reasons import explaining_away
from assay.graphs.separation import d_separation, independent_in

__all__ = [
    "AODEClassifier",
    "BayesianNetwork",
    "BayesianNetworkClassifier",
    "Decision",
    "Diagram",
    "DynamicNetwork",
    "FactorGraph",
    "InfluenceDiagram",
    "JunctionTree",
    "KDBClassifier",
    "LinearGaussianConditional",
    "LogisticConditional",
    "MarkovField",
    "Node",
    "NoisyOrConditional",
    "PhylogeneticTree",
    "SoftmaxConditional",
    "TANClassifier",
    "TableConditional",
    "Utility",
    "arc_strength",
    "chow_liu_arcs",
    "d_separation",
    "denoise",
    "equivalence_class",
    "expectation_maximization",
    "explaining_away",
    "fit_parameters",
    "independent_in",
    "learn_network",
    "learn_structure",
    "load_network",
    "necker_cube",
    "network_score",
    "read_field",
    "read_network",
    "write_network",
]
