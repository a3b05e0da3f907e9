"""Subsets for Gaussian classifiers: the scores of refitting, without refitting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as PeerLDA
from sklearn.naive_bayes import GaussianNB as PeerNB
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NearestMean, QuadraticDiscriminantAnalysis
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table
from assay.tables.data import load_iris as load_uci_iris

OURS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(solver="lsqr"),
    QuadraticDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(reg_param=0.2),
    NearestMean(priors="empirical"),
    NearestMean("mahalanobis"),
    GaussianNB(),
]
DATA = {"iris": load_iris, "cancer": load_breast_cancer, "wine": load_wine}


def read(name):
    X, y = DATA[name](return_X_y=True)
    return X[:, ::3] if name == "cancer" else X, y


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("learner", [*OURS, PeerLDA(), PeerNB()], ids=repr)
def test_accuracy_as_by_refitting(learner, name):
    assert_same_scores(learner, *read(name))


@pytest.mark.parametrize("scoring", ["log loss", "auc", "balanced error"])
@pytest.mark.parametrize("learner", OURS, ids=repr)
def test_other_measures_and_weights_as_by_refitting(learner, scoring):
    X, y = read("wine")
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y))
    assert_same_scores(learner, X, y, scoring, weights)


@pytest.mark.parametrize("learner", [*OURS, PeerLDA(), PeerNB()], ids=repr)
def test_the_same_columns_are_chosen(learner):
    assert_same_choice(learner, *read("wine"))


@pytest.mark.parametrize("learner", OURS, ids=repr)
def test_degenerate_columns_are_judged_as_by_refitting(learner):
    """Constant, copied, nearly copied columns, and one that is constant in a class."""
    X, y = read("iris")
    noise = np.random.default_rng(0).normal(size=len(y))
    X = np.column_stack(
        [X, np.ones(len(y)), X[:, 0] * 3, X[:, 1] + 1e-9 * noise, np.where(y == 0, 0.0, X[:, 2])]
    )
    assert_same_scores(learner, X, y, trials=4)


@pytest.mark.parametrize("learner", OURS[:1] + OURS[4:], ids=repr)
def test_fewer_rows_than_columns(learner):
    X, y = read("cancer")
    rows = np.r_[0:6, 19:25]
    assert_same_scores(learner, X[rows], y[rows], trials=4, largest=10)


@pytest.mark.parametrize("power", [-150, 0, 150])
def test_columns_of_any_scale(power):
    X, y = read("iris")
    scale = 10.0 ** np.array([power, 0.0, -power / 2, 3.0])
    for learner in (LinearDiscriminantAnalysis(), GaussianNB(), NearestMean("mahalanobis")):
        assert_same_scores(learner, X * scale, y)


def test_far_from_zero():
    X, y = read("iris")
    assert_same_scores(LinearDiscriminantAnalysis(), X + 1e7, y, "log loss", rtol=1e-6)


@pytest.mark.capability("IML-6-01")
def test_all_subsets_of_iris_by_the_nearest_mean():
    """Oracle: numbers of correct answers on the last 30 rows of each class of 50, trained on the first 20 (UCI)."""
    iris = load_uci_iris()
    rows = np.arange(150)
    pairs = [(rows[rows % 50 < 20], rows[rows % 50 >= 20])]
    scores = subset_scores(NearestMean(), Table.of(np.asarray(iris.X, dtype=float)), iris.y, cv=pairs)
    assert not isinstance(scores, Refit)
    subsets = [
        (2,),
        (3,),
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (2, 3),
        (0, 1, 2),
        (0, 1, 3),
        (0, 2, 3),
        (1, 2, 3),
    ]
    correct = [83, 85, 75, 80, 78, 83, 83, 86, 81, 80, 85, 85]
    assert_allclose(scores.scores([*subsets, (0, 1, 2, 3)])[:, 0] * 90, [*correct, 85], atol=1e-9)
    assert_allclose(scores.additions((2,), (0, 1, 3))[:, 0] * 90, [80, 83, 86], atol=1e-9)
    # eight rows lie midway between two means in this column: rounding decides, so it is fitted again
    alone = scores.scores([(1,)])
    assert scores.refitted == 1
    assert_allclose(
        alone, subset_scores(NearestMean(), scores.folds.X, iris.y, pairs, fast=False).scores([(1,)])
    )


class MyNB(GaussianNB):
    """A subclass may do anything."""


@pytest.mark.parametrize(
    "learner",
    [
        MyNB(),
        LinearDiscriminantAnalysis(solver="eigen"),
        LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5),
        QuadraticDiscriminantAnalysis(solver="eigen", shrinkage=0.5),
    ],
    ids=repr,
)
def test_what_is_not_reproduced_is_refitted(learner):
    X, y = read("iris")
    assert isinstance(subset_scores(learner, Table.of(X), y, cv=3), Refit)


def test_missing_values_categories_and_absent_classes_are_refitted():
    X, y = read("iris")
    pairs = [(np.arange(100), np.arange(100, 150))]
    assert isinstance(subset_scores(GaussianNB(), Table.of(X), y, cv=pairs), Refit)
    assert isinstance(subset_scores(GaussianNB(), Table.of(X), y, 3, lambda model, X, y: 0.0), Refit)
