"""Subsets for naive Bayes learners on raw tables: the scores of refitting, without refitting."""

import numpy as np
import pytest
import sklearn.naive_bayes as peer
from numpy.testing import assert_allclose
from sklearn.datasets import load_digits
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores, both

from assay.bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB, NaiveBayes
from assay.select.subsets.naive_bayes import without_each
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.stats import Laplace
from assay.tables import Table
from assay.tables.data import load_breast_cancer_ljubljana, load_german_credit, load_wine


def credit(rows=240):
    data = load_german_credit()
    return Table.of(data.X)[np.arange(rows)], np.asarray(data.y)[:rows]


def digits():
    X, y = load_digits(n_class=4, return_X_y=True)
    return X[:160, 2::6], y[:160]


@pytest.mark.parametrize("scoring", [None, "log loss", "auc"])
@pytest.mark.parametrize("learner", [NaiveBayes(), NaiveBayes(alpha=0.0, var_smoothing=0.01)], ids=repr)
def test_mixed_tables_as_by_refitting(learner, scoring):
    assert_same_scores(learner, *credit(), scoring)


def test_categories_missing_values_and_weights():
    data = load_breast_cancer_ljubljana()
    X, y = Table.of(data.X), np.asarray(data.y)
    assert not X.complete
    assert_same_scores(NaiveBayes(), X, y, "log loss", np.random.default_rng(0).uniform(0.1, 3, len(y)))
    assert_same_scores(NaiveBayes(), X, y, "auc")


@pytest.mark.parametrize("var_smoothing", [1e-9, 0.1])
def test_numbers_with_missing_values_and_blank_columns(var_smoothing):
    X, y = digits()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    X[:, 1], X[:, 2], X[y == 2, 3] = np.nan, 7.0, np.nan
    assert_same_scores(NaiveBayes(families="gaussian", var_smoothing=var_smoothing), X, y, "log loss")


@pytest.mark.parametrize(
    "learner",
    [
        CategoricalNB(),
        CategoricalNB(alpha=0.5, min_categories=17),
        BernoulliNB(binarize=7.0),
        MultinomialNB(fit_prior=False),
        peer.CategoricalNB(min_categories=17),
        peer.CategoricalNB(),
        peer.BernoulliNB(binarize=7.0),
        peer.MultinomialNB(alpha=0.5),
    ],
    ids=repr,
)
def test_counts_as_by_refitting(learner):
    assert_same_scores(learner, *digits())


def test_densities_of_ones_own():
    wine = load_wine()
    X = np.asarray(wine.X, dtype=float)[:, :5]
    assert_same_scores(NaiveBayes(families=Laplace), X, np.asarray(wine.y), "log loss")


@pytest.mark.parametrize("learner", [GaussianNB(var_smoothing=0.0), GaussianNB(var_smoothing=0.05)], ids=repr)
def test_the_smoothing_follows_the_largest_variance_of_the_subset(learner):
    wine = load_wine()
    assert_same_scores(learner, np.asarray(wine.X, dtype=float), np.asarray(wine.y), "log loss", trials=4)


def test_the_same_columns_are_chosen():
    assert_same_choice(NaiveBayes(), *credit())


def test_columns_that_cannot_be_fitted_have_no_score():
    """A variance of 0 is an error of GaussianNB without smoothing, by either way."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[:, 1], y = 1.0, np.arange(30) % 2
    quick, slow = both(GaussianNB(var_smoothing=0.0), X, y)
    with pytest.warns(UserWarning, match="cannot be fitted"):
        values = quick.additions((0,), (1, 2))
    assert np.isnan(values[0]).all() and np.isfinite(values[1]).all()
    with pytest.warns(UserWarning, match="cannot be fitted"):
        assert_allclose(slow.additions((0,), (1, 2)), values)


def test_what_is_not_reproduced_is_refitted():
    X, y = digits()
    for learner in (
        NaiveBayes(families={0: "gaussian"}),
        BernoulliNB(alpha=np.ones(X.shape[1])),
        MultinomialNB(alpha=np.ones(X.shape[1])),
    ):
        assert isinstance(subset_scores(learner, Table.of(X), y, cv=2), Refit)


def test_sums_of_all_but_one_need_no_difference():
    terms = np.array([[1.0, 2.0], [4.0, -np.inf], [16.0, 32.0]])
    assert_allclose(without_each(terms), [[20.0, -np.inf], [17.0, 34.0], [5.0, -np.inf]])
