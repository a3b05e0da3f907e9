"""Networks: multilayer perceptrons, layers, and ways of learning by backpropagation."""

from assay.neural.mlp_classifier import MLPClassifier
from assay.neural.mlp_regressor import MLPRegressor

__all__ = ["MLPClassifier", "MLPRegressor"]
