"""Baselines: predictions from the training target alone, which every other learner has to beat."""

from assay.baselines.majority import MajorityClassifier
from assay.baselines.mean_regressor import MeanRegressor

__all__ = ["MajorityClassifier", "MeanRegressor"]
