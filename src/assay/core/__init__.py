"""What a learner is: base classes, sums, parameters, threads, progress, persistence."""

from assay.core.discriminant import Discriminant
from assay.core.explanation import Explanation
from assay.core.learner import Classifier, Clusterer, Generative, Learner, Regressor, SumLearner, Transformer

__all__ = [
    "Classifier",
    "Clusterer",
    "Discriminant",
    "Explanation",
    "Generative",
    "Learner",
    "Regressor",
    "SumLearner",
    "Transformer",
]
