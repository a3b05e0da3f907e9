"""What a learner is: base classes, sums, parameters, threads, progress, persistence."""

from assay.core.card import Card
from assay.core.discriminant import Discriminant
from assay.core.explanation import Explanation
from assay.core.explanations import Explanations
from assay.core.learner import (
    Classifier,
    Clusterer,
    Generative,
    Learner,
    PassLearner,
    Regressor,
    SumLearner,
    Transformer,
)

__all__ = [
    "Card",
    "Classifier",
    "Clusterer",
    "Discriminant",
    "Explanation",
    "Explanations",
    "Generative",
    "Learner",
    "PassLearner",
    "Regressor",
    "SumLearner",
    "Transformer",
]
