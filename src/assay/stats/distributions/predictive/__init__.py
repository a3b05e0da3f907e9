"""Predictive distributions: what a regressor believes about the number of each row, not its mean alone."""

from assay.stats.distributions.predictive.amounts import Gamma, InverseGaussian, Tweedie
from assay.stats.distributions.predictive.counts import BinomialShare, NegativeBinomial, Poisson
from assay.stats.distributions.predictive.empirical import Empirical, ShiftedSample
from assay.stats.distributions.predictive.mixture import Mixture
from assay.stats.distributions.predictive.normal import Normal, Student
from assay.stats.distributions.predictive.predictive import Predictive
from assay.stats.distributions.predictive.transformed import TransformedDistribution, change_of_variables

__all__ = [
    "BinomialShare",
    "Empirical",
    "Gamma",
    "InverseGaussian",
    "Mixture",
    "NegativeBinomial",
    "Normal",
    "Poisson",
    "Predictive",
    "ShiftedSample",
    "Student",
    "TransformedDistribution",
    "Tweedie",
    "change_of_variables",
]
