"""Scores of subsets by refitting: the same as cross_val_score, for our learners and for others."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from assay.bayes import GaussianNB, NaiveBayes
from assay.errors import DataError, ParameterError
from assay.evaluate.scorers import scorer_of
from assay.linear import LinearRegression
from assay.select import SequentialFeatureSelector
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import FunctionScores, SubsetScores, subset_scores
from assay.tables import Table
from assay.tables.data import load_iris, load_wine

SUBSETS = [(0,), (2, 3), (0, 1, 2, 3)]


def refit(*args, **kwargs):
    return subset_scores(*args, fast=False, **kwargs)


@pytest.mark.parametrize("scoring", [None, "accuracy", "error", "neg_log_loss", "roc_auc_ovr"])
@pytest.mark.parametrize("model", [GaussianNB(), make_pipeline(StandardScaler(), LogisticRegression())])
def test_same_numbers_as_cross_val_score(model, scoring):
    """Peer: scikit-learn's cross_val_score with the same folds."""
    iris = load_iris()
    X, y = np.asarray(iris.X), np.asarray(iris.y)
    scores = refit(model, Table.of(X) if isinstance(model, GaussianNB) else X, y, cv=3, scoring=scoring)
    assert isinstance(scores, Refit)
    peer = scorer_of("error") if scoring == "error" else scoring
    expected = [cross_val_score(model, X[:, list(s)], y, cv=3, scoring=peer) for s in SUBSETS]
    assert_allclose(scores.scores(SUBSETS), expected, atol=1e-9)
    assert scores.sign == (-1 if scoring == "error" else 1)


def test_numbers_weights_and_a_scorer_of_ones_own():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    scorer = make_scorer(mean_absolute_error, greater_is_better=False)
    scores = refit(LinearRegression(), Table.of(X), y, cv=4, scoring=scorer)
    expected = cross_val_score(LinearRegression(), X[:, [0, 2]], y, cv=4, scoring=scorer)
    assert_allclose(scores.scores([(0, 2)])[0], expected, atol=1e-9)
    pairs = [(np.arange(30), np.arange(30, 40))]
    weights = rng.integers(1, 4, size=40).astype(float)
    weighted = refit(LinearRegression(), Table.of(X), y, cv=pairs, scoring="mse", weights=weights)
    rows = np.repeat(np.arange(40), weights.astype(int))
    pairs = [(np.flatnonzero(rows < 30), np.flatnonzero(rows >= 30))]
    repeated = refit(LinearRegression(), Table.of(X[rows]), y[rows], cv=pairs, scoring="mse")
    assert_allclose(weighted.scores([(0,), (1, 2)]), repeated.scores([(0,), (1, 2)]), rtol=1e-10)


def test_additions_and_removals_are_scores_of_subsets():
    wine = load_wine()
    scores = refit(GaussianNB(), Table.of(wine.X), wine.y, cv=3)
    assert_array_equal(scores.additions((3,), [0, 5]), scores.scores([(0, 3), (3, 5)]))
    assert_array_equal(scores.removals((1, 3, 5), [1, 5]), scores.scores([(3, 5), (1, 3)]))


def test_without_a_column_the_majority_or_the_mean_answers():
    y = np.array(["a"] * 6 + ["b"] * 3)
    scores = refit(GaussianNB(), Table.of(np.arange(9.0)[:, None]), y, cv=StratifiedKFold(3), scoring="error")
    assert_allclose(scores.baseline, [-1 / 3] * 3)
    numbers = refit(LinearRegression(), Table.of([[0.0], [1.0]]), [0.0, 2.0], cv=[([0], [1])], scoring="rmse")
    assert_allclose(numbers.baseline, [-2.0])


def test_a_nominal_column_has_the_categories_of_the_training_rows():
    """Rows 0..5 have no "z": naive Bayes must not count it among the categories that it smooths."""
    frame = pd.DataFrame({"letter": list("xyxyxyzz"), "n": np.arange(8.0)})
    y = np.array(["a", "b"] * 4)
    pairs = [(np.arange(6), np.array([6, 7]))]
    scores = refit(NaiveBayes(), Table.of(frame), y, cv=pairs, scoring="log-loss")
    alone = NaiveBayes().fit(frame.iloc[:6][["letter"]], y[:6])
    with pytest.warns(UserWarning, match="letter"):
        expected = scorer_of("log-loss")(alone, frame.iloc[6:][["letter"]], y[6:])
    assert_allclose(scores.scores([(0,)]), [[expected]])


def test_no_target_and_threads_change_nothing():
    X = np.random.default_rng(1).normal(size=(30, 3))
    scores = refit(KMeans(2, n_init=1, random_state=0), X, None, cv=3)
    expected = cross_val_score(KMeans(2, n_init=1, random_state=0), X[:, [0, 1]], cv=3)
    assert_allclose(scores.scores([(0, 1)])[0], expected)
    assert np.isneginf(scores.baseline).all()
    wine = load_wine()
    one, two = (refit(GaussianNB(), Table.of(wine.X), wine.y, n_jobs=n).scores(SUBSETS) for n in (1, 2))
    assert_array_equal(one, two)


class FailsOnColumnOne(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        if np.asarray(X)[0, -1] == 1.0:
            raise ValueError("no such column")
        return super().fit(X, y, sample_weight)


def test_a_subset_that_cannot_be_fitted_is_passed_over_with_the_reason():
    X = np.column_stack([np.arange(8.0), np.ones(8), np.arange(8.0) ** 2])
    y = np.array([0, 1] * 4)
    scores = refit(FailsOnColumnOne(), X, y, cv=2)
    with pytest.warns(UserWarning, match="no such column"):
        values = scores.scores([(0,), (1,)])
    assert np.isfinite(values[0]).all() and np.isnan(values[1]).all()
    with pytest.raises(ValueError, match="no such column"):
        refit(FailsOnColumnOne(), X, y, cv=2).scores([(1,)])


def test_designs_by_name_are_shuffled_and_repeated():
    iris = load_iris()
    scores = refit(GaussianNB(), Table.of(iris.X), iris.y, cv="2x5", scoring="error")
    assert scores.n_folds == 10
    assert not np.array_equal(scores.scores([(0,)])[0, :5], scores.scores([(0,)])[0, 5:])


def test_a_function_of_a_subset_is_a_criterion():
    worse = FunctionScores(lambda s: len(s), 4, better="lower", measure="size", baseline=0.0)
    assert_array_equal(worse.scores([(0, 1), (2,)]), [[-2.0], [-1.0]])
    assert worse.sign == -1 and worse.baseline.tolist() == [0.0]


def test_folds_on_which_a_measure_is_undefined_are_left_out():
    """The area under the curve needs test rows of both classes; the second fold has one."""
    X, y = np.arange(12.0)[:, None], np.array([0, 1] * 6)
    pairs = [
        (np.arange(8), np.array([8, 9, 11])),
        (np.arange(8), np.array([8, 10])),
        (np.arange(4, 12), np.arange(4)),
    ]
    with pytest.warns(UserWarning, match="auc is not defined on 1 of 3 folds"):
        scores = refit(GaussianNB(), Table.of(X), y, cv=pairs, scoring="auc")
    assert scores.n_folds == 2 and np.isfinite(scores.scores([(0,)])).all()
    with pytest.raises(DataError, match="auc is defined on none of the 1 folds"):
        refit(GaussianNB(), Table.of(X), y, cv=pairs[1:2], scoring="auc")


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(ParameterError, match="accuracy"):
        refit(GaussianNB(), Table.of([[1.0], [2.0]]), [0, 1], scoring="acuracy")
    with pytest.raises(ParameterError, match="cv must be"):
        refit(GaussianNB(), Table.of([[1.0], [2.0]]), [0, 1], cv=3.5)
    with pytest.raises(DataError, match="no fold"):
        refit(GaussianNB(), Table.of([[1.0], [2.0]]), [0, 1], cv=[])
    with pytest.raises(TypeError, match="must define scores"):
        SubsetScores().scores([(0,)])


def test_a_target_of_another_length_is_said_by_its_shape():
    with pytest.raises(DataError, match=r"X has 20 rows, so y must have 20 entries; its shape is \(19,\)\.$"):
        SequentialFeatureSelector(GaussianNB()).fit(np.zeros((20, 3)), np.repeat("a", 19))
