"""Ensembles: many learners that answer together."""

from assay.ensembles.adaboost_classifier import AdaBoostClassifier
from assay.ensembles.adaboost_m2 import AdaBoostM2Classifier
from assay.ensembles.adaboost_regressor import AdaBoostRegressor
from assay.ensembles.bagging_classifier import BaggingClassifier
from assay.ensembles.bagging_regressor import BaggingRegressor
from assay.ensembles.boosting_theory import (
    margin_distribution,
    margins,
    three_learner_error,
    training_error_bound,
)
from assay.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from assay.ensembles.gentle_boost import GentleBoostClassifier
from assay.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from assay.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.ensembles.importances import impurity_importances, permutation_importances, unbiased_importances
from assay.ensembles.logit_boost import LogitBoostClassifier
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.ensembles.out_of_bag import expected_distinct_share
from assay.ensembles.output_code import OutputCodeClassifier
from assay.ensembles.proximity import outlier_scores, proximity
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.ensembles.three_learner_boosting import ThreeLearnerBoosting

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostRegressor",
    "BaggingClassifier",
    "BaggingRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "LogitBoostClassifier",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ThreeLearnerBoosting",
    "expected_distinct_share",
    "impurity_importances",
    "margin_distribution",
    "margins",
    "outlier_scores",
    "permutation_importances",
    "proximity",
    "three_learner_error",
    "training_error_bound",
    "unbiased_importances",
]
