"""Conditionals: how a node of a network depends on its parents."""

from assay.graphs.conditionals.conditional import Conditional
from assay.graphs.conditionals.linear_gaussian import LinearGaussianConditional
from assay.graphs.conditionals.logistic import LogisticConditional
from assay.graphs.conditionals.noisy_or import NoisyOrConditional
from assay.graphs.conditionals.softmax import SoftmaxConditional
from assay.graphs.conditionals.table import TableConditional

__all__ = [
    "Conditional",
    "LinearGaussianConditional",
    "LogisticConditional",
    "NoisyOrConditional",
    "SoftmaxConditional",
    "TableConditional",
]
