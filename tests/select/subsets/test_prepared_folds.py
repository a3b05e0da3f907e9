"""Learners behind scalers and imputers: prepared once for each fold, with the scores of preparing every subset anew."""

import numpy as np
import pandas as pd
import pytest
import sklearn.impute
import sklearn.linear_model
import sklearn.neighbors
import sklearn.pipeline
import sklearn.preprocessing
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.pipeline import make_pipeline
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores

from assay.bayes import GaussianNB, NearestMean
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.neighbors import KNeighborsClassifier, KNeighborsRegressor
from assay.prepare import MinMaxScaler, Prepared, PreparedRegressor, SimpleImputer, StandardScaler
from assay.select import SequentialFeatureSelector, SubsetSelector
from assay.select.subsets.folds import Folds
from assay.select.subsets.prepared_folds import prepared_beforehand
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.svm import SVC
from assay.tables import Table
from assay.tables.data import load_iris

rng = np.random.default_rng(3)
N = 90
X = rng.normal(size=(N, 6)) * [1, 10, 0.1, 5, 1, 100] + [0, 30, 0, -5, 0, 1000]
HOLES = np.where(rng.random((N, 6)) < 0.1, np.nan, X)
LABELS = np.where(X[:, 0] - X[:, 3] / 5 + rng.normal(size=N) > 1, "yes", "no")
NUMBERS = X[:, 0] - X[:, 3] / 5 + rng.normal(size=N)
WEIGHTS = rng.integers(0, 3, N).astype(float)


@pytest.mark.parametrize("table", [X, HOLES], ids=["complete", "missing"])
@pytest.mark.parametrize(
    ("learner", "weights"),
    [
        (KNeighborsClassifier(3), None),
        (LogisticRegression(), WEIGHTS),
        (NearestMean(), WEIGHTS),
        (GaussianNB(), WEIGHTS),
    ],
    ids=["knn", "logistic", "mean", "nb"],
)
def test_prepared_classifiers(learner, weights, table):
    assert_same_scores(Prepared(learner, scale=True), table, LABELS, "error", weights, cv=3, rtol=1e-7)


@pytest.mark.parametrize("table", [X, HOLES], ids=["complete", "missing"])
@pytest.mark.parametrize(
    ("learner", "weights"),
    [(LinearRegression(), None), (Ridge(), WEIGHTS), (KNeighborsRegressor(3), None)],
    ids=["ols", "ridge", "knn"],
)
def test_prepared_regressors(learner, weights, table):
    assert_same_scores(PreparedRegressor(learner, scale=True), table, NUMBERS, "rmse", weights, cv=3)


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (make_pipeline(StandardScaler(), KNeighborsClassifier(3)), LABELS),
        (make_pipeline(SimpleImputer(), MinMaxScaler(), Ridge()), NUMBERS),
        (make_pipeline("passthrough", LinearRegression()), NUMBERS),
        (
            make_pipeline(sklearn.preprocessing.StandardScaler(), sklearn.neighbors.KNeighborsClassifier(3)),
            LABELS,
        ),
        (make_pipeline(sklearn.preprocessing.RobustScaler(), sklearn.linear_model.Ridge()), NUMBERS),
    ],
    ids=["ours", "ours, three steps", "passthrough", "theirs", "theirs, numbers"],
)
def test_pipelines(model, target):
    """Without a word on what to measure: that of the last step."""
    assert_same_scores(model, X, target, cv=3)
    assert_same_choice(model, X, target, cv=3)


def test_pipelines_impute_first():
    theirs = make_pipeline(
        sklearn.impute.SimpleImputer(strategy="median"),
        sklearn.preprocessing.MinMaxScaler(),
        sklearn.neighbors.KNeighborsClassifier(3),
    )
    assert_same_scores(theirs, HOLES, LABELS, "accuracy", cv=3)
    assert_same_scores(make_pipeline(SimpleImputer(), Ridge()), HOLES, NUMBERS, "mse", cv=3)


def test_what_is_left_alone():
    """Steps that mix columns, leave some out, or remember: the pipeline itself is fitted for every subset."""
    empty = np.column_stack([HOLES, np.full(N, np.nan)])
    drops = make_pipeline(sklearn.impute.SimpleImputer(), sklearn.neighbors.KNeighborsClassifier(3))
    mixes = make_pipeline(sklearn.preprocessing.PolynomialFeatures(), sklearn.linear_model.Ridge())
    memory = make_pipeline(StandardScaler(), KNeighborsClassifier(3), memory="never-written")
    for model, table, target in ((drops, empty, LABELS), (mixes, X, NUMBERS), (memory, X, LABELS)):
        assert prepared_beforehand(model, Folds.of(model, table, target, 3)) is None
    model = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    assert prepared_beforehand(model, Folds.of(model, X, LABELS, 3, weights=WEIGHTS)) is None
    assert prepared_beforehand(GaussianNB(), Folds.of(GaussianNB(), X, LABELS, 3)) is None
    text = np.column_stack([X[:, :2].astype(str), LABELS]).astype(object)
    assert prepared_beforehand(model, Folds.of(model, text, LABELS, 3)) is None


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weights"])
def test_mixed_tables_are_prepared_once(weights):
    """Categories, some of them in test rows alone, and missing values, around a learner that is fitted every time."""
    frame = pd.DataFrame(HOLES, columns=list("abcdef"))
    frame["kind"] = np.where(X[:, 1] > 30, "u", "v")
    frame.loc[3, "kind"], frame.loc[8, "kind"] = "rare", None
    table, model = Table.of(frame), Prepared(SVC(), scale=True)
    once = subset_scores(model, table, LABELS, 3, "error", weights)
    anew = subset_scores(model, table, LABELS, 3, "error", weights, fast=False)
    assert type(once) is Refit and type(once.estimator) is SVC
    subsets = [(0,), (6,), (0, 3, 6), tuple(range(7))]
    assert_allclose(once.scores(subsets), anew.scores(subsets), rtol=1e-12)


@pytest.mark.parametrize("name", ["knn", "logistic", "nearest mean"])
def test_short_names_are_not_fitted_anew(name, monkeypatch):
    """A learner by its short name, with the preparation that it has in `compare`, is scored without refitting."""
    iris = load_iris()
    model = {
        "knn": KNeighborsClassifier(),
        "logistic": LogisticRegression(max_iter=1000),
        "nearest mean": NearestMean(),
    }
    binary = np.asarray(iris.y) != "setosa"
    table, y = np.asarray(iris.X)[binary], np.asarray(iris.y)[binary]
    plain = subset_scores(Prepared(model[name], scale=True), Table.of(table), y, 5, "error")
    assert not isinstance(plain, Refit)
    selector = SubsetSelector(name, stop=2).fit(table, y)
    expected = SubsetSelector(Prepared(model[name], scale=True), stop=2).fit(table, y)
    assert_array_equal(selector.support_, expected.support_)
    assert_array_equal(selector.fold_scores_, expected.fold_scores_)


def test_sequential_feature_selector_of_a_pipeline_chooses_as_theirs():
    from sklearn.feature_selection import SequentialFeatureSelector as Theirs

    pipe = make_pipeline(sklearn.preprocessing.StandardScaler(), sklearn.neighbors.KNeighborsClassifier(3))
    ours = SequentialFeatureSelector(pipe, n_features_to_select=3, cv=4).fit(X, LABELS)
    theirs = Theirs(pipe, n_features_to_select=3, cv=4).fit(X, LABELS)
    assert_array_equal(ours.get_support(), theirs.get_support())
