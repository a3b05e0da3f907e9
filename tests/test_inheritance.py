"""Few classes stand behind an estimator: itself, its kind, what a learner is, and one base of its family.

Whoever reads an estimator has its bases open as well. A base beyond these four is listed here with its reason.
"""

import importlib
import pkgutil

import pytest
from sklearn.base import BaseEstimator

import assay

MOST = 4

# Bases that stand behind an estimator besides the four, and why they are classes of their own.
REASONS = {
    "adding up over rows is a second axis beside the family: the same code for memory, blocks, partial_fit and Dask": {
        "PassLearner",
        "SumLearner",
        "WithoutTarget",
    },
    "transforms of Dask collections, of learners that are no transformers first": {"LazyTransforms"},
    "what an estimator around another one does with tables, labels and metadata": {"MetaEstimator"},
    "a kind of classifier, with predictions of its own form: from joint densities, from scores, of several targets": {
        "Discriminant",
        "Generative",
        "MultiTargetClassifier",
    },
    "a model that classifiers, regressors or transformers share, below the base for each of them": {
        "_RuleLearner",
        "ExpertLearner",
        "Forest",
        "KernelMachine",
        "LinearClassifier",
        "LinearRegressor",
        "MultivariateTree",
        "NeighborLearner",
        "Preparation",
        "Smoother",
        "TreeLearner",
        "TwoViews",
    },
    "what a smaller group within a family has in common": {
        "AdditiveClassifier",
        "CarClassifier",
        "ColumnEmissions",
        "Committee",
        "DevianceRegressor",
        "FrequencyBayes",
        "GaussianClassifier",
        "GaussianComponents",
        "KNeighbors",
        "LeastSquaresLearner",
        "PolynomialTerms",
        "RadiusNeighbors",
        "DrawnFeatures",
        "ExactMachine",
        "MarginMachine",
        "ModelSelector",
        "OfBlocks",
        "RidgeSearch",
        "SeveralKernels",
        "StochasticDescent",
        "Thresholded",
    },
    "what every learner of a room shares of one kind: a kernel, a belief, new columns, columns to keep, topics": {
        "KernelLearner",
        "NumberedColumns",
        "PosteriorRegressor",
        "Selector",
        "TopicModel",
    },
    "a check of rows for learners of several families: numbers that are to be squared": {"SquaredRows"},
    "an ability that some members have and others have not": {
        "AutomaticKernel",
        "ClassesJoin",
        "ExplainedMoves",
        "ExplainedSums",
        "Inference",
        "LazyTransforms",
        "LeastSquaresIntervals",
        "PassesDistributionsOn",
        "PassesOn",
        "PrecisionGrid",
        "ScoresClasses",
        "SelectingRegressor",
    },
    "the estimator is a special case of this one, as in scikit-learn, and takes its place": {
        "DecisionTreeClassifier",
        "DecisionTreeRegressor",
        "TruncatedSVD",
    },
    "the same method by some of the rows, which becomes this one when all are taken": {"Isomap"},
    "the same stress, by a function of the columns instead of free points": {"SammonMapping"},
    "the machine whose kernel, price or width these choose": {"SVC", "SVR"},
}
LISTED = set().union(*REASONS.values())


def estimators() -> list[type]:
    """The estimators that rooms list."""
    found = {}
    for room in pkgutil.iter_modules(assay.__path__, "assay."):
        module = importlib.import_module(room.name)
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, BaseEstimator):
                found[name] = value
    return [found[name] for name in sorted(found)]


def bases(estimator: type) -> list[str]:
    """The classes of ours behind an estimator, itself included."""
    return [base.__name__ for base in estimator.__mro__ if base.__module__.split(".")[0] == "assay"]


@pytest.mark.parametrize("estimator", estimators(), ids=lambda estimator: estimator.__name__)
def test_few_classes_stand_behind_an_estimator(estimator):
    counted = [base for base in bases(estimator) if base not in LISTED or base == estimator.__name__]
    assert len(counted) <= MOST, f"{counted}: fold a base into another, or list it with its reason"


@pytest.mark.parametrize("listed", sorted(LISTED))
def test_no_base_is_listed_without_need(listed):
    others = LISTED - {listed}
    behind = [[b for b in bases(e) if b not in others or b == e.__name__] for e in estimators()]
    assert any(listed in one and len(one) > MOST for one in behind)
