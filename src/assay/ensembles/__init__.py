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
from assay.ensembles.codes import (
    code_distance,
    exhaustive_code,
    one_vs_one_code,
    one_vs_rest_code,
    random_code,
)
from assay.ensembles.committees.combining import combine
from assay.ensembles.committees.diversity import EnsembleDiversity, PairDiversity, diversity, pair_diversity
from assay.ensembles.committees.dynamic_selection_classifier import DynamicSelectionClassifier
from assay.ensembles.committees.dynamic_selection_regressor import DynamicSelectionRegressor
from assay.ensembles.committees.stacking_classifier import StackingClassifier
from assay.ensembles.committees.stacking_regressor import StackingRegressor
from assay.ensembles.committees.view_tables import view_tables
from assay.ensembles.committees.voting_classifier import VotingClassifier
from assay.ensembles.committees.voting_regressor import VotingRegressor
from assay.ensembles.committees.voting_theory import (
    Ambiguity,
    Jury,
    ambiguity_decomposition,
    committee_variance,
    jury,
    jury_accuracy,
    minimum_variance_weights,
)
from assay.ensembles.extra_trees import ExtraTreesClassifier, ExtraTreesRegressor
from assay.ensembles.gentle_boost import GentleBoostClassifier
from assay.ensembles.gradient_boosting_classifier import GradientBoostingClassifier
from assay.ensembles.gradient_boosting_regressor import GradientBoostingRegressor
from assay.ensembles.hist_gradient_boosting import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from assay.ensembles.hist_random_forest import HistRandomForestClassifier, HistRandomForestRegressor
from assay.ensembles.importances import impurity_importances, permutation_importances, unbiased_importances
from assay.ensembles.logit_boost import LogitBoostClassifier
from assay.ensembles.one_vs_one import OneVsOneClassifier
from assay.ensembles.one_vs_rest import OneVsRestClassifier
from assay.ensembles.out_of_bag import expected_distinct_share
from assay.ensembles.output_code import OutputCodeClassifier
from assay.ensembles.partition_bagging import PartitionBaggingClassifier, PartitionBaggingRegressor
from assay.ensembles.proximity import outlier_scores, proximity
from assay.ensembles.random_forest import RandomForestClassifier, RandomForestRegressor
from assay.ensembles.subsampled import SubsampledClassifier, SubsampledRegressor
from assay.ensembles.three_learner_boosting import ThreeLearnerBoosting

__all__ = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostRegressor",
    "Ambiguity",
    "BaggingClassifier",
    "BaggingRegressor",
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "EnsembleDiversity",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "HistGradientBoostingClassifier",
    "HistGradientBoostingRegressor",
    "HistRandomForestClassifier",
    "HistRandomForestRegressor",
    "Jury",
    "LogitBoostClassifier",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
    "PairDiversity",
    "PartitionBaggingClassifier",
    "PartitionBaggingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "SubsampledClassifier",
    "SubsampledRegressor",
    "ThreeLearnerBoosting",
    "VotingClassifier",
    "VotingRegressor",
    "ambiguity_decomposition",
    "code_distance",
    "combine",
    "committee_variance",
    "diversity",
    "exhaustive_code",
    "expected_distinct_share",
    "impurity_importances",
    "jury",
    "jury_accuracy",
    "margin_distribution",
    "margins",
    "minimum_variance_weights",
    "one_vs_one_code",
    "one_vs_rest_code",
    "outlier_scores",
    "pair_diversity",
    "permutation_importances",
    "proximity",
    "random_code",
    "three_learner_error",
    "training_error_bound",
    "unbiased_importances",
    "view_tables",
]
