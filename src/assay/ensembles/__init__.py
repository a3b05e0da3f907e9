"""Ensembles: many learners that answer together."""

from assay.ensembles.bagging_classifier import BaggingClassifier
from assay.ensembles.bagging_regressor import BaggingRegressor
from assay.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.ensembles.importances import impurity_importances, permutation_importances, unbiased_importances
from assay.ensembles.out_of_bag import expected_distinct_share
from assay.ensembles.proximity import outlier_scores, proximity
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor

__all__ = [
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "expected_distinct_share",
    "impurity_importances",
    "outlier_scores",
    "permutation_importances",
    "proximity",
    "unbiased_importances",
]
