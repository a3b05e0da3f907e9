"""What a hidden state emits: one protocol for all distributions."""

from assay.sequences.families.categorical import Categorical
from assay.sequences.families.counts import Multinomial, Poisson
from assay.sequences.families.family import Family, Sums
from assay.sequences.families.gaussian import Gaussian
from assay.sequences.families.mixture import GaussianMixtures
from assay.sequences.families.product import Product
from assay.sequences.families.regression import LinearGaussian, SoftmaxSymbols
from assay.sequences.families.tied import Tied

__all__ = [
    "Categorical",
    "Family",
    "Gaussian",
    "GaussianMixtures",
    "LinearGaussian",
    "Multinomial",
    "Poisson",
    "Product",
    "SoftmaxSymbols",
    "Sums",
    "Tied",
]
