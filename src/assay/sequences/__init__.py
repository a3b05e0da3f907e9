"""Sequences: Markov chains, hidden Markov models, linear dynamical systems, classifiers of whole sequences."""

from assay.sequences.arc_emission_hmm import ArcEmissionHMM
from assay.sequences.autoregressive_hmm import AutoregressiveHMM
from assay.sequences.categorical_hmm import CategoricalHMM
from assay.sequences.conditional_random_field import ConditionalRandomField
from assay.sequences.coupled_hmm import CoupledHMM
from assay.sequences.dynamic_network import DynamicNetwork
from assay.sequences.factorial_hmm import FactorialHMM
from assay.sequences.gaussian_hmm import GaussianHMM
from assay.sequences.gmm_hmm import GMMHMM
from assay.sequences.hidden_semi_markov_model import HiddenSemiMarkovModel
from assay.sequences.hybrid_hmm import HybridHMM
from assay.sequences.input_output_hmm import InputOutputHMM
from assay.sequences.linear_dynamical_system import LinearDynamicalSystem
from assay.sequences.markov_chain import MarkovChain
from assay.sequences.markov_mixture_of_experts import MarkovMixtureOfExperts
from assay.sequences.mixed_hmm import MixedHMM
from assay.sequences.multinomial_hmm import MultinomialHMM
from assay.sequences.n_states import choose_n_states, grow_states
from assay.sequences.poisson_hmm import PoissonHMM
from assay.sequences.sequence_classifier import SequenceClassifier
from assay.sequences.sequences import Sequences
from assay.sequences.switching_hmm import SwitchingHMM
from assay.sequences.topology import left_to_right
from assay.sequences.vector_quantizer import VectorQuantizer

__all__ = [
    "GMMHMM",
    "ArcEmissionHMM",
    "AutoregressiveHMM",
    "CategoricalHMM",
    "ConditionalRandomField",
    "CoupledHMM",
    "DynamicNetwork",
    "FactorialHMM",
    "GaussianHMM",
    "HiddenSemiMarkovModel",
    "HybridHMM",
    "InputOutputHMM",
    "LinearDynamicalSystem",
    "MarkovChain",
    "MarkovMixtureOfExperts",
    "MixedHMM",
    "MultinomialHMM",
    "PoissonHMM",
    "SequenceClassifier",
    "Sequences",
    "SwitchingHMM",
    "VectorQuantizer",
    "choose_n_states",
    "grow_states",
    "left_to_right",
]
