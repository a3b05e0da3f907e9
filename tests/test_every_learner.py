"""Promises that all learners keep: one short test and one sentence each, for every learner of every room.

Learners are found by themselves; one that needs other settings or other data than most has a line in ``MADE`` or
``DATA``, and one that cannot keep a promise has a line with the reason in ``EXCEPT``.
"""

import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

import assay
from assay.associations import ItemNeighbors, RatingAssociations, RatingFactors, UserNeighbors
from assay.baselines import MeanRegressor
from assay.bayes import GaussianNB
from assay.core import Classifier, Explanation, Learner, PassLearner, Regressor, sums
from assay.core.lazy_answers import ANSWERS
from assay.core.persistence.registry import name_of
from assay.ensembles import RandomForestRegressor
from assay.errors import AssayError, DataError, ParameterError, SchemaWarning
from assay.linear import LinearRegression, Ridge
from assay.prepare import Prepared, PreparedRegressor, SimpleImputer
from assay.rules import FOIL
from assay.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer


def by_path(path):
    """A module that is no part of a package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fuzz_models = by_path(pathlib.Path(__file__).parents[1] / "benchmarks" / "fuzz_models.py")


def found():
    """Every estimator class that a room lists, except the bases of core, and those that read documents or sequences."""
    for room in assay._ROOMS:
        module = getattr(assay, room)
        for name in getattr(module, "__all__", ()):
            cls = getattr(module, name)
            if (
                room not in ("core", "text", "sequences")
                and isinstance(cls, type)
                and issubclass(cls, BaseEstimator)
            ):
                yield cls


@pytest.fixture(autouse=True)
def no_waiting_for_the_disk(monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda file: None)


LEARNERS = {cls.__name__: cls for cls in found()}

# Settings that make a learner quick or possible; most do with their defaults.
MADE = {
    **{
        name: {"random_state": 0}
        for name in (
            "LVQClassifier",
            "RBFFeatures",
            "RBFNetworkClassifier",
            "RBFNetworkRegressor",
            "SelfOrganizingMap",
        )
    },
    "AdaBoostClassifier": {"n_estimators": 5, "random_state": 0},
    "AdaBoostM2Classifier": {"n_estimators": 5, "random_state": 0},
    "AdaBoostRegressor": {"n_estimators": 5, "random_state": 0},
    "CommonPrincipalComponents": {"shrinkage": 0.1},  # classes of few rows
    "CondensedNearestNeighbor": {"random_state": 0},
    **{
        name: {"n_components": 1}
        for name in ("CCA", "PLSCanonical", "PLSRegression", "PLSSVD", "ProbabilisticCCA")
    },  # one target
    "HardMarginSVC": {"overlap": "soft"},  # random labels overlap
    "SequentialFeatureSelector": {"estimator": LinearRegression(), "cv": 3},
    "SubgradientSVC": {"max_iter": 200},
    "SubsampledClassifier": {"random_state": 0},
    "SubsampledRegressor": {"random_state": 0},
    "SubsetSelector": {"estimator": LinearRegression(), "cv": "3-fold", "stop": "improves"},
    "EnsembleSelectionRegressor": {
        "estimators": [("a", Ridge()), ("b", Ridge(100))]
    },  # all refuse missing values
    "GaussianOutliers": {"random_state": 0, "n_starts": 20},
    "BernoulliMixture": {"binarize": 1.0, "random_state": 0},
    "FactorAnalyzerMixture": {"n_components": 1, "noise": "spherical"},
    "MixedMixture": {"random_state": 0},
    "MixtureClassifier": {"reg_covar": 0.1},
    **{
        f"{kind}MixtureOfExperts{task}": {"n_init": 1, "tol": 1e-3, "alpha": 1.0, "random_state": 0}
        for kind in ("", "Hierarchical")
        for task in ("Classifier", "Regressor")
    },
    "GenerativeTopographicMapping": {"shape": (4, 4), "basis": (2, 2)},
    "HebbianFeatures": {"random_state": 0},
    "OnlineKMeans": {"n_clusters": 3, "random_state": 0},
    "GrowingSelfOrganizingMap": {"max_units": 9, "random_state": 0},
    "FuzzyRuleRegressor": {"n_rules": 3, "alpha": 1.0},
    **{f"LocalModel{task}": {"n_neighbors": 200, "alpha": 0.1} for task in ("Classifier", "Regressor")},
    "MixtureOfEstimatorsClassifier": {"n_experts": 2, "max_iter": 5, "tol": 0.1, "random_state": 0},
    "MixtureOfEstimatorsRegressor": {"estimator": Ridge(), "n_experts": 2, "tol": 0.1, "random_state": 0},
    "BayesianMixtureOfExperts": {"n_init": 1, "max_iter": 2000, "random_state": 0},
    "DirichletProcessMixture": {"n_sweeps": 10, "burn_in": 10, "random_state": 0},
    "NearestClusterClassifier": {"random_state": 0},
    "PrototypeSearch": {"random_state": 0},
    "BaggingClassifier": {"n_estimators": 3, "random_state": 0},
    "BilingualLDA": {"n_components": 3, "n_sweeps": 10, "random_state": 0},
    "BaggingRegressor": {"n_estimators": 3, "random_state": 0},
    "ExtraTreesClassifier": {"n_estimators": 5, "random_state": 0},
    "ExtraTreesRegressor": {"n_estimators": 5, "random_state": 0},
    "FlexibleDiscriminantAnalysis": {"estimator": Ridge()},  # least squares repeats few rows of many columns
    "FourierFeatures": {"n_components": 10, "random_state": 0},
    "FrequentItems": {"max_size": 2},  # where all is positive all sets are frequent
    "GentleBoostClassifier": {"n_estimators": 5},
    "GradientBoostingClassifier": {"n_estimators": 5, "random_state": 0},
    "GradientBoostingRegressor": {"n_estimators": 20, "random_state": 0},
    "HierarchicalDirichletProcess": {"n_sweeps": 10, "random_state": 0},
    "HistGradientBoostingClassifier": {"max_iter": 5, "min_samples_leaf": 5, "random_state": 0},
    "HistGradientBoostingRegressor": {"max_iter": 5, "min_samples_leaf": 5, "random_state": 0},
    "HistRandomForestClassifier": {"n_estimators": 7, "random_state": 0},
    "HistRandomForestRegressor": {"n_estimators": 7, "random_state": 0},
    "IndianBuffetModel": {"n_sweeps": 10, "random_state": 0},
    "IndependentSigmoids": {"rate": 0.0005, "tol": 5.0},  # stops after a few steps
    "IsolationForest": {"n_estimators": 10, "random_state": 0},
    "KMeans": {"n_clusters": 3, "init": "component", "tol": 0},
    "MiniBatchKMeans": {"n_clusters": 3, "random_state": 0},
    "BisectingKMeans": {"n_clusters": 3, "init": "component", "tol": 0},
    "DynamicKMeans": {"init": "component", "split": 0.9},
    "FuzzyKMeans": {"n_clusters": 3, "init": "component", "max_iter": 2000},
    "TrimmedKMeans": {"n_clusters": 3, "init": "component"},
    "KernelKMeans": {"n_clusters": 3, "random_state": 0},
    "KMedoids": {"n_clusters": 3, "init": "build"},
    "ConsensusClustering": {"n_estimators": 5, "random_state": 0},
    "ConstrainedKMeans": {"n_clusters": 3, "init": "component"},
    "KModes": {"n_clusters": 3, "random_state": 0},
    "KPrototypes": {"n_clusters": 3, "random_state": 0},
    "SpectralClustering": {"n_clusters": 3, "random_state": 0},
    "LandmarkSVC": {"n_landmarks": 30, "gamma": 0.5, "tol": 1e-10, "random_state": 0},
    "GaussianProcessRegressor": {
        "alpha": 1e-3
    },  # without noise the coefficients are too large for eight digits
    "SparseGaussianProcessRegressor": {"n_inducing": 20, "optimizer": None, "alpha": 1e-2},
    "LandmarkSVR": {"n_landmarks": 100, "gamma": 0.1, "C": 10, "tol": 1e-10, "random_state": 0},
    "LocalOutlierFactor": {"novelty": True},  # else it only speaks of the rows it was fitted on
    "KernelFisherDiscriminant": {"gamma": 0.1},  # "scale" sees rows, not weights
    "KernelLogisticRegression": {"gamma": 0.1, "tol": 1e-12},
    "SNE": {"perplexity": 2, "max_iter": 20},
    "TSNE": {"perplexity": 2, "max_iter": 250, "method": "exact"},  # all pairs: the graph is in one piece
    "NMF": {"n_components": 2, "max_iter": 20, "tol": 0},
    "MiniBatchNMF": {"n_components": 2, "max_iter": 5, "tol": 0, "fresh_restarts": True},
    "Isomap": {"n_neighbors": 8, "disconnected": "separate"},
    "LandmarkIsomap": {"n_neighbors": None, "radius": 4.0},
    "LocallyLinearEmbedding": {"n_neighbors": 8, "disconnected": "separate"},
    "MDS": {"init": "classical_mds"},
    "ClassInformedEmbedding": {"alpha": 0.3},
    "SammonMapping": {"solver": "majorize", "max_iter": 20},
    "ParametricSammon": {"max_iter": 20},
    "SpectralEmbedding": {"affinity": "rbf"},
    "LatentDirichletAllocation": {"n_components": 3, "max_iter": 3, "start": "uniform", "random_state": 0},
    "LMCA": {"tol": 0.1},
    **{
        name: {"tol": 1e-12, "gamma": 0.5}
        for name in ("LocalizedMultipleKernelSVC", "MultipleKernelSVC", "MultipleKernelSVR")
    },
    "LMNN": {"tol": 0.1},
    "LogisticDiscriminant": {"rate": 0.002, "tol": 5.0},
    "LogitBoostClassifier": {"n_estimators": 5},
    "NeuralTreeClassifier": {"random_state": 0},
    "Nystroem": {"n_components": 5, "random_state": 0},
    "OC1Classifier": {"random_state": 0},
    "OmnivariateTreeClassifier": {"random_state": 0},
    "OrdinalLogisticRegression": {"alpha": 0.01},  # one class of the flowers is separated from the others
    "OutputCodeClassifier": {"random_state": 0},
    "PairwiseRanker": {"random_state": 0},
    "PartitionBaggingClassifier": {"n_estimators": 3, "random_state": 0},
    "PartitionBaggingRegressor": {"n_estimators": 3, "random_state": 0},
    "PolynomialCountSketch": {"n_components": 10, "random_state": 0},
    "RandomForestClassifier": {"n_estimators": 5, "random_state": 0},
    "RBFSampler": {"gamma": "scale", "n_components": 10, "random_state": 0},
    "SkewedChi2Sampler": {"n_components": 10, "random_state": 0},
    "RandomForestRegressor": {"n_estimators": 5, "random_state": 0},
    "IrepClassifier": {"random_state": 0},
    "RipperClassifier": {"random_state": 0},
    "RFE": {"estimator": Ridge(), "n_features_to_select": 2},
    "RFECV": {"estimator": Ridge(), "cv": 3},
    "AllRelevantSelection": {"estimator": RandomForestRegressor(10), "n_rounds": 20, "random_state": 0},
    "SelectByPermutation": {"estimator": "ridge", "task": "regression"},
    "SelectBySignificance": {"estimator": Ridge(), "task": "regression"},
    "SelectFromModel": {"estimator": Ridge()},
    "StabilitySelection": {"n_pairs": 10, "random_state": 0},
    "MLPClassifier": {
        "hidden_layer_sizes": 20,
        "learning_rate": "cosine",  # ends with the last pass
        "learning_rate_init": 0.02,
        "max_iter": 60,
        "random_state": 0,
    },
    "MLPRegressor": {
        "hidden_layer_sizes": 20,
        "learning_rate": "cosine",  # ends with the last pass
        "learning_rate_init": 0.02,
        "max_iter": 60,
        "random_state": 0,
    },
    "TabularNetClassifier": {"hidden_layer_sizes": (16,), "members": 3, "max_iter": 40, "random_state": 0},
    "TabularNetRegressor": {
        "hidden_layer_sizes": (16,),
        "members": 3,
        "max_iter": 40,
        "learning_rate_init": 0.02,
        "random_state": 0,
    },
    "Autoencoder": {"n_components": 1, "max_iter": 20, "random_state": 0},
    "NetworkClassifier": {"max_iter": 20, "batch_size": 8, "learning_rate_init": 0.02, "random_state": 0},
    "NetworkRegressor": {"max_iter": 20, "batch_size": 8, "learning_rate_init": 0.02, "random_state": 0},
    "ProjectionPursuitRegressor": {"n_terms": 1, "starts": 2, "max_iter": 5, "random_state": 0},
    "SammonNetwork": {"max_iter": 20, "hidden": 4, "random_state": 0},
    "SGDClassifier": {"random_state": 0},
    "SGDRegressor": {"random_state": 0},
    "SphereTreeClassifier": {"random_state": 0},
    **{  # alike up to tol; gamma="scale" is of the rows whatever their weights, as in scikit-learn
        name: {"tol": 1e-12, "gamma": 0.5}
        for name in ("NuSVR", "OneClassClassifier", "OneClassSVM", "SVDD", "SVR")
    },
    "SVCCV": {"Cs": [1.0, 10.0], "gammas": [0.1]},
    "NuSVC": {"nu": 0.17},  # some checks have a class of few rows
    "ThreeLearnerBoosting": {"random_state": 0},
    "ConformalClassifier": {"random_state": 0},
    "ConformalRegressor": {"random_state": 0},
    "QuadraticDiscriminantAnalysis": {"reg_param": 0.1},  # indicators of two categories are collinear
    **{name: {"alpha": 1} for name in ("SelectFdr", "SelectFpr", "SelectFwe")},  # noise keeps some columns
    "CFSSelector": {"measure": "correlation"},  # by information noise keeps no column
    "MRMRSelector": {"n_features": 1},
    "SeparabilitySelector": {"n_features": 1},
    "SelectKBest": {"k": 1},
    "SelectPercentile": {"percentile": 100},
    "GenericUnivariateSelect": {"param": 100},
    "TripletMetric": {"tol": 0.1},
    "VotingClassifier": {"voting": "soft"},
    "VotingRegressor": {
        "estimators": [("ridge", Ridge()), ("mean", MeanRegressor())]
    },  # without bins, which count rows
    "Tuned": {  # a choice that no order of the rows and no name of the classes changes
        "estimator": GaussianNB(),
        "grid": {"var_smoothing": [1e-9, 1e3]},
        "inner": "3-fold",
        "metric": "log-loss",
    },
    "TunedRegressor": {"estimator": Ridge(), "grid": {"alpha": [0.1, 1e6]}, "inner": "3-fold"},
    "TunedThresholdClassifierCV": {"cv": 3, "thresholds": 20},
}

# Learners of counts and categories; all others get measurements.
DATA = dict.fromkeys(("BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"), "counts")
DATA |= dict.fromkeys(("BilingualLDA", "HierarchicalDirichletProcess", "LatentDirichletAllocation"), "counts")
DATA["CorrespondenceAnalysis"] = "counts"
DATA["SmoothingSpline"] = (
    "column"  # takes one; its own tests run scikit-learn's checks on the first of theirs
)

# Learners that draw rows: a row of weight 2 is not two rows to them.
DRAWN = (
    "AdaBoostRegressor",
    "AllRelevantSelection",
    "BaggingClassifier",
    "BaggingRegressor",
    "BernoulliMixture",
    "HistRandomForestClassifier",
    "HistRandomForestRegressor",
    "IrepClassifier",
    "IsolationForest",
    "KPrototypes",
    "KernelKMeans",
    "MiniBatchKMeans",
    "MixedMixture",
    "PartitionBaggingClassifier",
    "PartitionBaggingRegressor",
    "RBFFeatures",
    "RBFNetworkClassifier",
    "RBFNetworkRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RipperClassifier",
    "SelfOrganizingMap",
    "StabilitySelection",
    "TabularNetClassifier",
    "TabularNetRegressor",
    "ThreeLearnerBoosting",
)

# Learners that visit the rows one after the other: what they learn depends on the order, and a row of weight 2 is
# one large step, not two steps.
VISITING = (
    "GrowingSelfOrganizingMap",
    "HebbianFeatures",
    "LVQClassifier",
    "OnlineKMeans",
    "Perceptron",
    "PerceptronRule",
    "PocketClassifier",
    "ResourceAllocatingNetwork",
    "SGDClassifier",
    "SGDRegressor",
)

# Committees that are put together by answers for folds of the rows.
COMMITTEES = (
    "EnsembleSelectionClassifier",
    "EnsembleSelectionRegressor",
    "DynamicSelectionClassifier",
    "DynamicSelectionRegressor",
    "StackingClassifier",
    "StackingRegressor",
)

ON_THE_BOUNDARY = (
    "decision values agree, but free support vectors lie on the boundary, on which side is rounding"
)

# Promises that a learner cannot keep, and why.
EXCEPT: dict[str, dict[str, str]] = {
    "the_order_of_the_rows_does_not_matter": {
        "IncrementalRunningMean": "rows are kept or not as they come",
        "TSNE": "sums in another order round otherwise, and descent leads such maps into other valleys",
        "CondensedNearestNeighbor": "rows are stored one after the other",
        "Nystroem": "which rows are landmarks is drawn by their places",
        "PrototypeSearch": "the search starts from rows stored one after the other",
        "GaussianOutliers": "which rows the search starts from follows their order",
        "SimilarityFeatures": "one column for each row of the training table, in their order",
        "KNeighborsTransformer": "one column for each row of the training table, in their order",
        "RadiusNeighborsTransformer": "one column for each row of the training table, in their order",
        "CalibratedClassifierCV": "the folds follow the order of the rows",
        "ConformalClassifier": "which rows are set aside follows their order",
        **dict.fromkeys(
            ("SequentialFeatureSelector", "SubsetSelector", "TunedThresholdClassifierCV", *COMMITTEES),
            "the folds follow the order of the rows",
        ),
        **dict.fromkeys(DRAWN, "which rows are drawn follows their order"),
        **dict.fromkeys(
            ("BilingualLDA", "HierarchicalDirichletProcess", "IndianBuffetModel"),
            "the draws follow the order of the tokens or rows",
        ),
        **dict.fromkeys(VISITING, "rows are visited one after the other, and each changes the weights"),
        **dict.fromkeys(
            ("NetworkClassifier", "NetworkRegressor"),
            "batches of rows come one after the other, and each changes the weights",
        ),
        **dict.fromkeys(
            ("ElasticNetCV", "LassoCV", "LogisticRegressionCV"), "the folds follow the order of the rows"
        ),
        **dict.fromkeys(
            (
                "AgglomerativeClustering",
                "ConsensusClustering",
                "DBSCAN",
                "DivisiveClustering",
                "FuzzyART",
                "Genie",
                "HDBSCAN",
                "KMedoids",
                "KModes",
                "LeaderClustering",
                "SpectralClustering",
            ),
            "groups are numbered, found or begun in the order of the rows",
        ),
        "DirichletProcessMixture": "rows are seated one after the other, by draws that follow their order",
        "PairwiseRanker": "pairs are visited one after the other, and each changes the weights",
        **dict.fromkeys(
            ("CrammerSingerSVC", "KernelRankSVM", "WestonWatkinsSVC"),
            "rows or pairs are visited one after the other, until the minimum is near by tol",
        ),
        **dict.fromkeys(("OneClassSVM", "SVDD"), ON_THE_BOUNDARY),
        **dict.fromkeys(
            ("LandmarkSVC", "LandmarkSVR"), "landmarks are drawn, which follows the order of the rows"
        ),
    },
    "a_fit_that_fails_leaves_no_model_behind": {
        "AdditiveChi2Sampler": "learns nothing and answers without a fit, as scikit-learn's does",
        "GaussianProcessRegressor": "without a fit the prior answers, as scikit-learn's does",
    },
    "a_fitted_model_can_be_looked_at": {
        "AdditiveChi2Sampler": "there is nothing to look at, before fit or after"
    },
    "renamed_classes_give_renamed_answers": {
        "LVQClassifier": "the first prototypes are drawn in the order of the labels",
        "ConformalClassifier": "which rows are set aside is drawn class by class, in the order of the labels",
        **dict.fromkeys(
            ("MLPClassifier", "NetworkClassifier", "TabularNetClassifier"),
            "the first weights of the outputs are drawn in the order of the labels",
        ),
        "OrdinalLogisticRegression": "the order of the labels is that of the classes",
        "OutputCodeClassifier": "the code word of a class is drawn, in the order of the labels",
        **dict.fromkeys(
            ("Perceptron", "SGDClassifier"),
            "each class, in the order of the labels, draws its own order of the rows",
        ),
        "ThreeLearnerBoosting": "a stump cannot tell three classes apart, and equal leaves answer the first label",
    },
}

# Checks of scikit-learn that a learner cannot pass, and why.
CHECKS: dict[str, dict[str, str]] = {
    **{
        name: {
            "check_non_transformer_estimators_n_iter": "solved in one go, so n_iter_ is None, as in scikit-learn, "
            "which checks its own with a solver that iterates"
        }
        for name in ("Ridge", "RidgeClassifier")
    },
    **{
        name: {
            **dict.fromkeys(
                (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
                'gamma="scale" counts rows, as in scikit-learn, and leave-one-out, of which probabilities are made, '
                "leaves out a row of weight 2 but one of two copies; the scores are equal, see tests/svm/test_svc.py",
            ),
            **more,
        }
        for name, more in (
            ("SVC", {}),
            ("MultipleKernelSVC", {}),
            ("LocalizedMultipleKernelSVC", {}),
            ("SVCCV", {}),
            (
                "NuSVC",
                {
                    "check_class_weight_classifiers": "with weights of 1000 and 0.0001 no nu above 4e-7 is possible; "
                    "scikit-learn's own takes no notice of them"
                },
            ),
        )
    },
    "KModes": dict.fromkeys(
        ("check_clustering", "check_sample_weight_equivalence_on_dense_data"),
        "rows are drawn to begin with; measurements are all different, and every number is a category here",
    ),
    "CommonPrincipalComponents": {
        "check_sample_weight_equivalence_on_dense_data": "a class of one row has no covariance, not even to blend",
    },
    "KarhunenLoeve": {
        "check_pipeline_consistency": "the check's rows are rounded to whole numbers until all rows of a class are "
        "equal, and classes without any covariance have no density to score",
    },
    "TSNE": dict.fromkeys(
        (
            "check_transformer_general",
            "check_transformer_general(readonly_memmap=True)",
            "check_transformer_data_not_an_array",
        ),
        "the check's rows are rounded to whole numbers, so that many are equal; equal rows have places of their own, "
        "side by side, and a row that equals several is placed at their mean",
    ),
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": "batches are dealt by rows, so that copies of a row are "
            "in other batches than one of weight 2"
        }
        for name in ("NetworkClassifier", "NetworkRegressor", "TabularNetClassifier", "TabularNetRegressor")
    },
    "ProjectionPursuitRegressor": {
        "check_sample_weight_equivalence_on_dense_data": "knots of the curves are quantiles of the rows",
    },
    "SelectBySignificance": {
        "check_sample_weight_equivalence_on_dense_data": "a weight of least squares says how precise a row is, so that "
        "weight 2 is not two rows to the standard errors; of classes it is, see tests/select/embedded",
    },
    "CandidateElimination": {
        "check_sample_weight_equivalence_on_dense_data": "ten columns of random numbers have more than 300 000 most "
        "general boxes; the limit says so",
    },
    **{
        name: dict.fromkeys(
            (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
            "repeated rows are solved by other steps, which stop within tol of the same optimum",
        )
        for name in ("CrammerSingerSVC", "ProjectedGradientSVC", "WestonWatkinsSVC")
    },
    "SubsetSelector": dict.fromkeys(
        (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
        "folds are dealt by rows: a row of weight 2 is in one fold, two copies may be in two; on the same folds they "
        "are equal, see tests/select/subsets/test_refit.py",
    ),
    **{
        name: dict.fromkeys(
            (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
            "folds are dealt by rows: a row of weight 2 is in one fold, two copies may be in two; scikit-learn's own "
            "fail alike",
        )
        for name in (*COMMITTEES, "Tuned", "TunedRegressor")
    },
    "TunedThresholdClassifierCV": {
        "check_classifiers_train": "the decision follows the tuned thresholds, not the largest probability",
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": "a weight says how much a row's neighbourhood counts; "
            "of two equal rows each would be the other's target"
        }
        for name in ("LMCA", "LMNN")
    },
    **{
        name: dict.fromkeys(
            (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
            "rows are drawn, so a row of weight 2 is not two rows; those of scikit-learn that draw fail alike",
        )
        for name in DRAWN
    },
    **{
        name: dict.fromkeys(
            (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")),
            "a row of weight 2 is one large step, not two steps; scikit-learn's own fail alike",
        )
        for name in VISITING
    },
    **{
        name: {
            "check_sample_weight_equivalence_on_dense_data": "min_samples_leaf and the bins count rows, not weights; "
            "scikit-learn's own fails alike with these settings"
        }
        for name in ("HistGradientBoostingClassifier", "HistGradientBoostingRegressor")
    },
}

TAMPERED_FILES = 4000  # in all, shared out among the learners; make attack and make fuzz try others

IRIS, KINDS = load_iris(return_X_y=True)
IRIS = IRIS + np.random.default_rng(4).uniform(-0.05, 0.05, IRIS.shape)  # no two rows alike, so no ties
ROWS = np.random.default_rng(3).permutation(150)[:90]


def make(name):
    return LEARNERS[name](**MADE.get(name, {}))


def data(name):
    """(90, 4) numbers, and three classes, or two if the learner takes no more, or numbers to predict."""
    X, y, model = IRIS[ROWS], KINDS[ROWS], make(name)
    if DATA.get(name) == "counts":
        X = np.round(X)
    if DATA.get(name) == "column":
        X = X[:, :1]
    if is_classifier(model) and not get_tags(model).classifier_tags.multi_class:
        return X, np.minimum(y, 1)
    return (X, X @ [1.0, 2.0, -1.0, 0.5][: X.shape[1]]) if is_regressor(model) else (X, y)


def frame(name):
    """The same with names, one column of text instead of a number."""
    X, y = data(name)
    columns = {f"c{j}": X[:, j] for j in range(min(3, X.shape[1]))}
    if X.shape[1] == 1:
        return pd.DataFrame({"c1": X[:, 0]}), y  # the column that gets gaps below
    return pd.DataFrame({**columns, "kind": np.where(X[:, 3] > 1.2, "wide", "thin")}), y


def answers(model, X):
    """All that a model says about rows."""
    said = {}
    for way in (
        "predict_proba",
        "decision_function",
        "predict_log_proba",
        "predict",
        "transform",
        "score_samples",
        "kneighbors",
    ):
        if hasattr(model, way):
            answer = getattr(model, way)(X)
            answer = (
                answer[0] if way == "kneighbors" else answer
            )  # distances; numbers of rows follow their order
            said[way] = answer.toarray() if hasattr(answer, "toarray") else np.asarray(answer)
    assert said, "a learner must say something"
    return said


def assert_same_answers(a, b, tolerance=0.0, but=()):
    assert a.keys() == b.keys()
    for way in a:
        if way in but:
            continue
        if tolerance and a[way].dtype.kind == "f":
            assert_allclose(a[way], b[way], rtol=tolerance, atol=tolerance, err_msg=way)
        elif tolerance and a[way].ndim == 2:  # numbers beside text
            frames = [pd.DataFrame(both[way]).infer_objects() for both in (a, b)]
            pd.testing.assert_frame_equal(*frames, rtol=tolerance, atol=tolerance)
        else:
            assert_array_equal(a[way], b[way], err_msg=way)


def promise(test, names=LEARNERS):
    """A test for every learner; those in EXCEPT are skipped with their reason."""
    reasons = EXCEPT.get(test.__name__.removeprefix("test_"), {})
    cases = [
        pytest.param(name, marks=pytest.mark.skip(reason=reasons[name]) if name in reasons else ())
        for name in names
    ]
    return pytest.mark.parametrize("name", cases)(test)


@pytest.mark.filterwarnings("ignore::assay.errors.AssayWarning")  # the checks make degenerate data on purpose
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [make(name) for name in LEARNERS if DATA.get(name) != "column"],
    expected_failed_checks=lambda learner: CHECKS.get(type(learner).__name__, {}),
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@promise
def test_a_clone_is_unfitted_and_has_the_same_parameters(name):
    X, y = data(name)
    model = make(name).fit(X, y)
    again = clone(model)
    assert repr(again.get_params()) == repr(make(name).get_params())
    assert not [attribute for attribute in vars(again) if attribute.endswith("_")]


@promise
def test_a_pickled_model_gives_the_same_answers(name):
    X, y = frame(name)
    model = make(name).fit(X, y)
    assert_same_answers(answers(pickle.loads(pickle.dumps(model)), X), answers(model, X))


@promise
def test_a_saved_model_gives_the_same_answers(name, tmp_path):
    for X, y in (data(name), frame(name)):
        model = make(name).fit(X, y)
        assay.save(model, tmp_path / "model.assay")
        back = assay.load(tmp_path / "model.assay")
        assert type(back) is type(model) and repr(back.get_params()) == repr(model.get_params())
        assert vars(back).keys() == vars(model).keys()
        assert_same_answers(answers(back, X), answers(model, X))
        if hasattr(model, "partial_fit"):
            assert_same_answers(answers(back.partial_fit(X, y), X), answers(model.partial_fit(X, y), X))


@promise
def test_an_unfitted_model_can_be_saved(name, tmp_path):
    assay.save(make(name), tmp_path / "model.assay")
    assert repr(assay.load(tmp_path / "model.assay").get_params()) == repr(make(name).get_params())


@pytest.mark.parametrize("part", range(8))
def test_tampered_model_files_do_no_harm(part):
    """Files with other shapes, values, indices and manifests are refused or answer; none crashes, hangs or takes a lot.

    They are tried in a child process under a memory limit, with SciPy's full checks on; ``make fuzz`` tries many more.
    """
    names = fuzz_models.all_names()
    findings, outcomes = fuzz_models.attack(
        count=max(8, TAMPERED_FILES // len(names)), seed=1, learners=names[part::8]
    )
    assert not findings, "\n".join(map(str, findings))
    assert outcomes["refused"] > 100 and outcomes["loaded"] > 10


@promise
def test_a_fit_that_fails_leaves_no_model_behind(name):
    X, y = data(name)
    model = make(name).fit(X, y)
    spoiled, word = X.copy(), "inf"
    spoiled[3, -1] = np.inf
    if "infinite" in getattr(model, "takes", ()):
        spoiled, word = X[:, :0], "0 feature"
    with pytest.raises(ValueError, match=word):
        model.fit(spoiled, y)
    with pytest.raises(NotFittedError):
        answers(model, X)


@promise
def test_the_order_of_the_rows_does_not_matter(name):
    X, y = data(name)
    mixed = np.random.default_rng(0).permutation(len(X))
    other = make(name).fit(X[mixed], y[mixed])
    assert_same_answers(answers(make(name).fit(X, y), X), answers(other, X), 1e-9)


@promise
def test_renamed_classes_give_renamed_answers(name):
    if not is_classifier(make(name)):
        return
    X, y = data(name)
    names = np.array(["zebra", "lion", "ant"])[: len(np.unique(y))]  # another order than 0, 1, 2
    plain, renamed = make(name).fit(X, y), make(name).fit(X, names[y])
    assert_array_equal(renamed.classes_, np.sort(names))
    place = [list(renamed.classes_).index(label) for label in names]
    for way in ("predict_proba", "decision_function"):
        if hasattr(plain, way):
            a, b = getattr(plain, way)(X), getattr(renamed, way)(X)
            assert_allclose(b[:, place] if b.ndim == 2 else -b, a, rtol=1e-9, atol=1e-9)
    assert_array_equal(renamed.predict(X), names[plain.predict(X)])


@promise
def test_a_frame_and_an_array_give_the_same_answers(name):
    X, y = data(name)
    named = pd.DataFrame(X, columns=list("abcd")[: X.shape[1]])
    a, b = make(name).fit(X, y), make(name).fit(named, y)
    assert_same_answers(answers(a, X), answers(b, named))


@promise
def test_columns_are_matched_by_name(name):
    X, y = frame(name)
    model = make(name).fit(X, y)
    assert_same_answers(answers(model, X[X.columns[::-1]]), answers(model, X))


@promise
def test_one_row_gets_the_answer_it_gets_among_others(name):
    X, y = frame(name)
    model = make(name).fit(X, y)
    everything = answers(model, X)
    for i in (0, 17, 89):
        one = answers(model, X.iloc[[i]])
        assert_same_answers(one, {way: answer[[i]] for way, answer in everything.items()}, 1e-9)


@promise
def test_answers_for_a_dask_frame_are_those_for_its_rows_with_the_types_they_announce(name):
    dd = pytest.importorskip("dask.dataframe", reason="needs the extra assay[dask]")
    import dask

    X, y = frame(name)
    model = make(name).fit(X, y)
    parts = [X.iloc[a:b] for a, b in ((0, 37), (37, 37), (37, 90))]  # the second partition is empty
    lazy = dd.from_delayed([dask.delayed(part) for part in parts], meta=X.iloc[:0])
    for way in ANSWERS:
        if way == "inverse_transform" or not hasattr(model, way):
            continue
        try:
            inside = getattr(model, way)(X)
        except ParameterError:  # bounds of calibrated probabilities are for one method of calibration
            continue
        with dask.config.set(scheduler="synchronous"):
            announced = getattr(model, way)(lazy)
            if isinstance(inside, (list, tuple)):
                assert len(announced) == len(inside)
                announced, inside = announced[0], inside[0]
            answer = announced.compute()
        if hasattr(inside, "toarray") or inside.ndim > 2:
            assert announced.dtype == answer.dtype
            if hasattr(inside, "toarray"):
                inside, answer = inside.toarray(), answer.toarray()
        else:
            assert answer.index.equals(X.index), way
            dtypes = [announced.dtype] if answer.ndim == 1 else announced.dtypes.tolist()
            assert dtypes == ([answer.dtype] if answer.ndim == 1 else answer.dtypes.tolist()), way
            answer = answer.to_numpy()
        inside = np.asarray(inside)
        if inside.dtype.kind == "f":
            assert_allclose(answer, inside, rtol=1e-9, atol=1e-9, err_msg=way)
        else:
            assert_array_equal(answer, inside, err_msg=way)


@promise
def test_an_unseen_category_is_used_as_missing_or_refused(name):
    X, y = frame(name)
    model = make(name).fit(X, y)
    strange = X.iloc[:3].assign(kind="unheard of")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SchemaWarning)
        try:
            said = answers(model, strange)
        except AssayError as error:
            assert "kind" in str(error)
            return
    assert all(len(answer) == 3 for answer in said.values())
    if "predict_proba" in said:
        assert_allclose(said["predict_proba"].sum(axis=1), 1.0)


@promise
def test_a_missing_value_is_used_or_refused_by_name(name):
    X, y = frame(name)
    with_missing = X.copy()
    with_missing.loc[[0, 5], "c1"] = np.nan
    model = make(name).fit(X, y)
    for act in (lambda: answers(model, with_missing), lambda: answers(make(name).fit(with_missing, y), X)):
        try:
            said = act()
        except AssayError as error:
            assert "c1" in str(error) and "missing" in str(error)
            continue
        if "predict_proba" in said:
            assert_allclose(said["predict_proba"].sum(axis=1), 1.0)


@promise
def test_a_fitted_model_can_be_looked_at(name, tmp_path):
    X, y = frame(name)
    model = make(name)
    with pytest.raises(NotFittedError):
        model.show()
    model.fit(X, y)
    view = model.show()
    assert view.parts and all(line.strip() for line in view.facts)
    assert json.loads(json.dumps(view.to_dict())) == view.to_dict()
    assert view.to_html() in model._repr_html_()
    assay.save(model, tmp_path / "model.assay")
    assert str(assay.load(tmp_path / "model.assay").show()) == str(view)


@pytest.mark.parametrize("name", [name for name, cls in LEARNERS.items() if hasattr(cls, "explain")])
def test_the_explanations_of_a_table_are_those_of_its_rows(name):
    X, y = frame(name)
    model = make(name).fit(X, y)
    some = X.iloc[[0, 40, 70]]
    block = model.explain(some)
    each = [model.explain(some.iloc[[i]]) for i in range(3)]
    known = block.contributions()
    for i, (one, inside) in enumerate(zip(each, block, strict=True)):
        assert_same_cells(one.to_dict(), inside.to_dict())
        assert isinstance(one, Explanation)
        if known is not None:
            alone = one.block.contributions()
            assert_allclose(alone.of_answers()[0][0], known.of_answers()[0][i], rtol=1e-9, atol=1e-9)
    assert len(block.to_frame()) == 3 and block.to_html()


def assert_same_cells(a, b):
    """Equal, numbers up to rounding: products with matrices of one and of many rows differ in the last digits."""
    if isinstance(a, float) and isinstance(b, float):
        assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    elif isinstance(a, dict):
        assert list(a) == list(b)
        assert_same_cells(list(a.values()), list(b.values()))
    elif isinstance(a, list):
        assert len(a) == len(b)
        for left, right in zip(a, b):
            assert_same_cells(left, right)
    else:
        assert a == b


@promise
def test_the_docstring_has_an_example(name):
    assert ">>> " in (LEARNERS[name].__doc__ or "")


@promise
def test_every_parameter_is_checked_and_documented_and_every_documented_one_exists(name):
    cls = LEARNERS[name]
    parameters = set(inspect.signature(cls).parameters)
    assert set(cls.accepts) == parameters
    assert documented(cls.__doc__) == parameters


def documented(doc):
    """The names in the section Parameters of a docstring."""
    lines = inspect.cleandoc(doc).splitlines()
    if "Parameters" not in lines:
        return set()
    start = lines.index("Parameters") + 2
    names = set()
    for line, following in zip(lines[start:], [*lines[start + 1 :], ""]):
        if re.fullmatch(r"-{4,}", following):  # the next heading
            break
        head = re.match(r"(\w+(?:, \w+)*) : ", line)
        names |= set(head[1].split(", ")) if head else set()
    return names


@promise
def test_a_wrong_parameter_is_named(name):
    X, y = data(name)
    for parameter in inspect.signature(LEARNERS[name]).parameters:
        model = make(name).set_params(**{parameter: object()})
        if LEARNERS[name].accepts[parameter] is None or LEARNERS[name].accepts[parameter].holds(object()):
            continue
        with pytest.raises(AssayError, match=f"{name}.*{parameter}"):
            model.fit(X, y)


@promise
def test_the_class_is_in_the_registry_under_its_public_name(name):
    room = LEARNERS[name].__module__.split(".")[1]
    assert name_of(LEARNERS[name]) == f"{room}.{name}"


# Learners that are sums


def sum_promise(test):
    """A test for every learner that adds up over the rows."""
    return promise(test, [name for name in LEARNERS if issubclass(LEARNERS[name], PassLearner)])


def big(name):
    X, y = data(name)
    return np.tile(X, (12, 1)), np.tile(y, 12)


@sum_promise
def test_the_number_of_threads_does_not_change_a_bit(name, monkeypatch):
    X, y = big(name)
    monkeypatch.setattr(sums, "ONE_BLOCK_BYTES", 1)
    monkeypatch.setattr(sums, "BLOCK_BYTES", 1)  # blocks of 256 rows
    said = []
    for threads in ("1", "2"):
        monkeypatch.setenv("ASSAY_NUM_THREADS", threads)
        said.append(answers(make(name).fit(X, y), X))
    assert_same_answers(*said)


def with_a_missing_value():
    draw = np.random.default_rng(0)
    X = draw.integers(0, 3, size=(60, 3)).astype(float)
    X[:30] += 4
    X[3, 1] = np.nan
    return X, np.repeat(["a", "b"], 30), draw.normal(size=60)


def uses_a_table_itself(cls):
    """A learner whose own mathematics sees the table, or one that Prepared can be put around."""
    if (
        not issubclass(cls, Learner) or cls.__name__ == "ConformalRegressor"
    ):  # the learner inside speaks for itself
        return False
    return issubclass(cls, Classifier) or not issubclass(cls, ClassifierMixin)


@pytest.mark.parametrize("name", [n for n, cls in LEARNERS.items() if uses_a_table_itself(cls)])
def test_missing_values_are_used_or_the_error_names_what_works(name):
    """A learner that cannot use missing values says so, and what it names instead does work."""
    X, y, numbers = with_a_missing_value()
    cls = LEARNERS[name]
    learner = cls(**MADE.get(name, {}))
    of_classes = (
        "ClassInformedEmbedding",
        "FisherDirections",
        "KarhunenLoeve",
        "PatternFeatures",
        "TripletMetric",
        "LMCA",
        "LMNN",
        "GenericUnivariateSelect",
        "SeparabilitySelector",
        "SelectFdr",
        "SelectFpr",
        "SelectFwe",
        "SelectKBest",
        "SelectPercentile",
    )  # no classifiers, but learn from classes
    target = (
        y if issubclass(cls, Classifier) or name in of_classes else np.exp(numbers)
    )  # some take no negative ones
    try:
        learner.fit(X, target)
    except DataError as error:
        message = str(error)
    else:
        return
    inner = re.search(
        r"(Prepared|PreparedRegressor|make_pipeline)\((SimpleImputer\((.*?)\), )?(\w+)\(\)\)", message
    )
    assert inner and "column x1 has 1 missing value" in message
    if issubclass(cls, Classifier):
        assert inner[1] == "Prepared" and "compare" in message
        assert len(Prepared(learner).fit(X, y).predict(X)) == 60
        return
    rows = X[:, :1] if DATA.get(name) == "column" else X
    if issubclass(cls, Regressor):
        assert inner[1] == "PreparedRegressor" and "compare" in message
        assert len(PreparedRegressor(learner).fit(rows, target).predict(rows)) == 60
    else:
        assert inner[1] == "make_pipeline" and inner[4] == name
        zeros = {"strategy": "constant", "fill_value": 0}  # of learners of whole counts
        settings = zeros if inner[3] == ", ".join(f"{key}={value!r}" for key, value in zeros.items()) else {}
        make_pipeline(SimpleImputer(**settings), learner).fit(rows, target)


# They learn from facts, ratings and documents, so that the promises about tables are not theirs.
VECTORIZERS = (CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer)
OF_NO_TABLE = (FOIL, ItemNeighbors, RatingAssociations, RatingFactors, UserNeighbors, *VECTORIZERS)


@pytest.mark.parametrize("cls", [*LEARNERS.values(), *OF_NO_TABLE], ids=lambda cls: cls.__name__)
def test_it_says_what_it_costs(cls):
    """Time to fit, time for a row, and memory, as formulas, in one sentence of the docstring."""
    text = " ".join((inspect.getdoc(cls) or "").split())
    assert text.count("Cost: ") == 1, "one sentence that begins with Cost:"
    cost = text[text.index("Cost: ") :].split(". ")[0]
    times, _, memory = cost.partition("; memory ")
    fit, _, answer = times.partition("; ")
    assert "fit " in fit and re.match(r"(predict|transform|score|a query)", answer) and memory, cost
    told = re.compile(r"O\(.+\)|times|that of|one model tree|the k nearest")
    assert told.search(fit) and told.search(answer) and re.search(r"O\(.+\)", memory), cost


CLASSIFIERS = [name for name in LEARNERS if is_classifier(make(name))]
SCHEMES = ("native", "one-vs-rest", "one-vs-one", "output code", "two classes only", "as the estimator")


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_it_says_how_it_tells_many_classes_apart(name):
    assert LEARNERS[name].multiclass in SCHEMES
    two = LEARNERS[name].multiclass == "two classes only"
    assert two == (not get_tags(make(name)).classifier_tags.multi_class)


def test_the_page_of_learners_lists_every_classifier_as_it_is():
    """Each line of docs/classes.md must be so, and none may be missing."""
    page = (pathlib.Path(__file__).parents[1] / "docs" / "classes.md").read_text()
    listed = dict(re.findall(r"^\| `(\w+)` \| ([\w -]+?) \|", page, re.M))
    of_sequences = {
        name: cls.multiclass
        for name, cls in vars(assay.sequences).items()
        if isinstance(cls, type) and getattr(cls, "multiclass", "")
    }
    assert listed == {name: LEARNERS[name].multiclass for name in CLASSIFIERS} | of_sequences
