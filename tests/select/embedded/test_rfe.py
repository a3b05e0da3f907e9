"""Recursive elimination: parity with scikit-learn, quick ways that change nothing, one feature a nominal column."""

import numpy as np
import pandas as pd
import pytest
import sklearn.feature_selection as peer
import sklearn.linear_model
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import scale

from assay.errors import DataError, ParameterError
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.prepare import Prepared, StandardScaler
from assay.select import RFE, RFECV, SelectFromModel
from assay.select.embedded.column_fits import ColumnFits
from assay.svm import LinearSVC
from assay.tables import Table
from assay.trees import DecisionTreeClassifier

CANCER, ILL = scale(load_breast_cancer().data), load_breast_cancer().target
WINE, KIND = scale(load_wine().data), load_wine().target
DIABETES, PROGRESS = load_diabetes(return_X_y=True)


@pytest.mark.parametrize(
    ("ours", "theirs", "X", "y"),
    [
        (Ridge(2.0), sklearn.linear_model.Ridge(2.0), DIABETES, PROGRESS),
        (LinearRegression(), sklearn.linear_model.LinearRegression(), DIABETES, PROGRESS),
        (LinearSVC(tol=1e-8), sklearn.svm.LinearSVC(tol=1e-8, max_iter=100_000), WINE, KIND),
        (LogisticRegression(tol=1e-9), sklearn.linear_model.LogisticRegression(tol=1e-9, max_iter=5000), WINE, KIND),
    ],
    ids=["ridge", "least squares", "linear svm", "logistic"],
)  # fmt: skip
@pytest.mark.parametrize("settings", [{}, {"n_features_to_select": 0.3, "step": 2}, {"step": 0.2}])
def test_the_same_ranking_as_scikit_learn(ours, theirs, X, y, settings):
    """Peer: RFE of scikit-learn 1.9. Nothing is left out: all columns of all three tables, tied ones there are none."""
    mine = RFE(ours, **settings).fit(X, y)
    other = peer.RFE(theirs, **settings).fit(X, y)
    assert_array_equal(mine.ranking_, other.ranking_)
    assert mine.n_features_ == other.n_features_
    assert_allclose(mine.estimator_.coef_, other.estimator_.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("ours", "theirs", "X", "y"),
    [
        (Ridge(2.0), sklearn.linear_model.Ridge(2.0), DIABETES, PROGRESS),
        (LogisticRegression(tol=1e-9), sklearn.linear_model.LogisticRegression(tol=1e-9, max_iter=5000), WINE, KIND),
    ],
    ids=["ridge", "logistic"],
)  # fmt: skip
def test_the_same_folds_scores_and_columns_as_scikit_learn(ours, theirs, X, y):
    """Peer: RFECV of scikit-learn 1.9, with a step that does not divide the number of columns, and fewer folds."""
    for settings in ({}, {"step": 3, "min_features_to_select": 2, "cv": 3}):
        mine = RFECV(ours, **settings).fit(X, y)
        other = peer.RFECV(theirs, **settings).fit(X, y)
        assert mine.cv_results_.keys() == other.cv_results_.keys()
        for name, values in other.cv_results_.items():
            assert_allclose(mine.cv_results_[name], values, atol=1e-9, err_msg=name)
        assert_array_equal(mine.ranking_, other.ranking_)


def test_least_squares_from_sums_is_least_squares_from_rows():
    """One pass of sums serves every subset: the coefficients of refitting, also with weights, to all digits."""
    w = np.random.default_rng(0).uniform(0.5, 2.0, len(PROGRESS))
    for model in (LinearRegression(), Ridge(0.5)):
        fits = ColumnFits(model, Table.of(DIABETES), PROGRESS, w, who="RFE")
        columns = np.array([1, 4, 7])
        quick, plain = (
            fits.fit(columns),
            type(model)(**model.get_params()).fit(DIABETES[:, columns], PROGRESS, w),
        )
        assert fits._sums is not None
        assert_allclose(quick.coef_, plain.coef_, rtol=1e-12)
        assert_allclose(quick.intercept_, plain.intercept_, rtol=1e-12)
        assert quick.schema_.names == ["x1", "x4", "x7"]


def test_sums_that_lose_digits_are_made_up_for_by_a_look_at_the_rows():
    """Two columns that differ by 1e-7 of their size: the products of all columns alone would lose the difference."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    X = np.column_stack([X, X[:, 0] + 1e-7 * rng.normal(size=60)])
    y = X @ [1.0, 2.0, 3.0, 4.0]
    columns = np.array([0, 1, 3])
    quick = ColumnFits(LinearRegression(), Table.of(X), y, who="RFE").fit(columns)
    assert_allclose(quick.coef_, LinearRegression().fit(X[:, columns], y).coef_, rtol=1e-6)


def test_a_warm_start_changes_nothing_but_the_time():
    cold = RFE(LogisticRegression(tol=1e-10), n_features_to_select=3).fit(CANCER, ILL)
    fits = ColumnFits(LogisticRegression(tol=1e-10), Table.of(CANCER), ILL, who="RFE")
    everything = fits.fit(np.arange(30))
    columns = np.arange(0, 30, 2)
    warm = fits.fit(columns, (everything, np.arange(30)))
    assert not warm.warm_start
    assert_allclose(warm.coef_, fits.fit(columns).coef_, rtol=1e-6, atol=1e-8)
    assert cold.n_features_ == 3


MIXED = pd.DataFrame(
    {
        "noise": np.random.default_rng(2).normal(size=120),
        "town": np.array(["Bern", "Rome", "Oslo"])[np.arange(120) % 3],
        "size": np.random.default_rng(3).normal(size=120),
    }
)
COLD = np.where(MIXED["town"] == "Oslo", "yes", "no")


def test_a_nominal_column_is_one_feature_and_a_frame_stays_a_frame():
    selector = RFE(LogisticRegression(), n_features_to_select=1).fit(MIXED, COLD)
    assert selector.selected_ == ["town"]
    assert list(selector.transform(MIXED).columns) == ["town"]
    assert_array_equal(selector.predict(MIXED), COLD)
    assert [r["column"] for r in selector.reasons() if r["kept"]] == ["town"]


def test_a_category_that_only_test_rows_have_does_no_harm():
    rare = MIXED.assign(town=np.where(np.arange(120) < 4, "Lima", MIXED["town"]))
    selector = RFECV(LogisticRegression(), cv=4).fit(rare, COLD)
    assert "town" in selector.selected_


def test_weights_are_repeats():
    w = np.random.default_rng(4).integers(1, 4, len(PROGRESS))
    weighted = RFE(Ridge(), n_features_to_select=3).fit(DIABETES, PROGRESS, sample_weight=w)
    repeated = RFE(Ridge(), n_features_to_select=3).fit(
        np.repeat(DIABETES, w, axis=0), np.repeat(PROGRESS, w)
    )
    assert_array_equal(weighted.ranking_, repeated.ranking_)
    assert_allclose(weighted.estimator_.coef_, repeated.estimator_.coef_, rtol=1e-8)


def test_one_thread_or_two_give_the_same_numbers():
    one, two = (RFECV(LogisticRegression(), n_jobs=jobs).fit(WINE, KIND) for jobs in (1, 2))
    for name in one.cv_results_:
        assert_array_equal(one.cv_results_[name], two.cv_results_[name])


def test_more_columns_than_rows_and_trees():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(25, 60))
    y = 3 * X[:, 7] + 0.1 * rng.normal(size=25)
    assert 7 in RFE(Ridge(), n_features_to_select=5, step=5).fit(X, y).get_support(indices=True)
    tree = RFE(DecisionTreeClassifier(random_state=0), n_features_to_select=1).fit(X, y > 0)
    assert tree.selected_ == ["x7"]


def test_the_score_may_be_a_measure_of_ours():
    by_error = RFECV(LogisticRegression(), scoring="error", cv=3).fit(WINE, KIND)
    by_accuracy = RFECV(LogisticRegression(), cv=3).fit(WINE, KIND)
    assert_allclose(
        by_error.cv_results_["mean_test_score"], by_accuracy.cv_results_["mean_test_score"] - 1, atol=1e-12
    )


def test_what_is_wrong_is_said():
    with pytest.raises(ParameterError, match="estimator must be an object with fit"):
        RFE(None).fit(DIABETES, PROGRESS)
    with pytest.raises(ParameterError, match="step must be"):
        RFE(Ridge(), step=0).fit(DIABETES, PROGRESS)
    with pytest.raises(DataError, match="should have `coef_` or `feature_importances_`"):
        from assay.neighbors import KNeighborsClassifier

        RFE(KNeighborsClassifier()).fit(WINE, KIND)
    with pytest.raises(DataError, match="make_pipeline"):
        RFE(Ridge()).fit([[1.0, np.nan], [2.0, 3.0]], [1.0, 2.0])


@pytest.mark.parametrize("selector", [RFE, RFECV, SelectFromModel])
@pytest.mark.parametrize("answer", [1.0, np.ones(2), np.ones((2, 3, 10))], ids=np.shape)
def test_importances_that_belong_to_no_columns_are_refused(selector, answer):
    with pytest.raises(
        DataError, match=r"importance_getter gave an array of shape .* for each of 10 columns"
    ):
        selector(Ridge(), importance_getter=lambda model: answer).fit(DIABETES, PROGRESS).get_support()
    with pytest.raises(DataError, match="the importances of Ridge hold NaN"):
        selector(Ridge(), importance_getter=lambda model: model.coef_ * np.nan).fit(
            DIABETES, PROGRESS
        ).get_support()
    with pytest.raises(AttributeError, match=r"importance_getter='weights_' is no attribute of the fitted"):
        selector(Ridge(), importance_getter="weights_").fit(DIABETES, PROGRESS).get_support()


@pytest.mark.parametrize("selector", [RFE, RFECV, SelectFromModel])
def test_a_learner_behind_its_preparation_is_asked_for_its_weights(selector):
    """The imputer and the scaler leave columns one for one; a nominal column is one feature behind them, too."""
    plain = selector(LogisticRegression(max_iter=1000)).fit(WINE, KIND)
    prepared = selector(Prepared(LogisticRegression(max_iter=1000))).fit(WINE, KIND)
    assert_array_equal(prepared.get_support(), plain.get_support())
    frame = pd.DataFrame(WINE[:, :4]).add_prefix("x")
    frame.loc[::5, "x1"] = np.nan
    frame["nominal"] = np.where(KIND == 0, "u", np.where(KIND == 1, "v", "w"))
    mixed = selector(Prepared(LogisticRegression(max_iter=1000), scale=True)).fit(frame, KIND)
    assert "nominal" in mixed.selected_ and len(mixed.get_support()) == 5


def test_a_pipeline_is_told_where_its_weights_are():
    around = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(DataError, match=r"importance_getter='named_steps.logisticregression.coef_'"):
        RFE(around).fit(WINE, KIND)
    getter = "named_steps.logisticregression.coef_"
    assert RFE(around, importance_getter=getter).fit(WINE, KIND).get_support().sum() == 6
