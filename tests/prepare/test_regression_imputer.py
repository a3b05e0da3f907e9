"""RegressionImputer: missing values predicted from the other columns."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from assay.errors import DataError, DegenerateWarning, SchemaWarning
from assay.prepare import RegressionImputer, SimpleImputer
from assay.tables.data import load_wine

WORKED = [[1, 2.1], [2, 3.9], [3, 6.1], [4, 8.2], [5, None]]  # IML 5.3
DOUBLED = [[1, 2], [2, 4], [3, 6], [4, None], [None, 10]]


@pytest.mark.capability("IML-5-04")
def test_regression_of_the_worked_example():
    """z = 2.05 x - 0.05 from the four known rows, so 10.2 at x = 5; one cycle is enough."""
    for max_iter in (1, 100):
        imputer = RegressionImputer(max_iter=max_iter).fit(WORKED)
        assert_allclose(imputer.transform(WORKED)[-1], [5, 10.2], rtol=1e-12)
    assert_allclose(imputer.initial_, [3, 5.075], rtol=1e-12)
    line = imputer.transform([[0, None], [1, None]])[:, 1]
    assert_allclose(line, [-0.05, 2.0], atol=1e-12)


@pytest.mark.capability("IML-5-04")
def test_iterated_regression_converges_to_eight_and_five():
    """Start 5.5 and 2.5; the largest change of a cycle falls below 1e-10 in the 42nd."""
    imputer = RegressionImputer(tol=1e-12).fit(DOUBLED)
    assert_allclose(imputer.initial_, [2.5, 5.5])
    changes = [cycle["change"] for cycle in imputer.history_]
    assert next(t for t, change in enumerate(changes, 1) if change < 1e-10) == 42
    filled = imputer.transform(DOUBLED)
    assert_allclose([filled[3, 1], filled[4, 0]], [8, 5], atol=1e-9)


@pytest.mark.capability("IML-5-04")
def test_categories_are_classified():
    """The middle one of three categories on a line, which least squares alone would never choose."""
    rng = np.random.default_rng(0)
    c = rng.choice(list("abc"), 300)
    v = np.array([{"a": 0.0, "b": 5.0, "c": 10.0}[k] for k in c]) + rng.normal(size=300)
    frame = pd.DataFrame({"v": v, "c": c, "u": rng.normal(size=300)})
    hidden = rng.random(300) < 0.2
    frame.loc[hidden, "c"] = None
    frame.loc[rng.random(300) < 0.1, "u"] = np.nan
    filled = RegressionImputer().fit_transform(frame)
    peer = LinearDiscriminantAnalysis().fit(v[~hidden, None], c[~hidden])
    assert_array_equal(filled["c"][hidden], peer.predict(v[hidden, None]))
    assert (filled["c"] == c)[hidden].mean() > 0.95
    knn = RegressionImputer(KNeighborsRegressor(5), KNeighborsClassifier(5)).fit_transform(frame)
    assert (knn["c"] == c)[hidden].mean() > 0.9


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_one_column_with_missing_values_is_filled_by_least_squares(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 4))
    missing_one = rng.random(40) < 0.3
    missing_one[0], missing_one[1:7] = True, False
    H = X.copy()
    H[missing_one, 2] = np.nan
    others = [0, 1, 3]
    peer = LinearRegression().fit(X[~missing_one][:, others], X[~missing_one, 2])
    filled = RegressionImputer().fit_transform(H)
    assert_allclose(filled[missing_one, 2], peer.predict(X[missing_one][:, others]), rtol=1e-8, atol=1e-10)
    assert_allclose(filled[~missing_one], X[~missing_one])


def test_a_given_regressor_does_the_same_as_ours():
    rng = np.random.default_rng(2)
    X = load_wine().X.values
    X[rng.random(X.shape) < 0.1] = np.nan
    w = rng.integers(0, 3, len(X)).astype(float)
    for weights in (None, w):
        ours = RegressionImputer(tol=1e-6).fit(X, sample_weight=weights).transform(X)
        given_one = RegressionImputer(LinearRegression(), tol=1e-6).fit(X, sample_weight=weights).transform(X)
        assert_allclose(ours, given_one, rtol=1e-4)


def test_unrelated_columns_give_the_mean():
    X = np.array([[1.0, 1], [1, 2], [2, 1], [2, 2], [1.0, np.nan]])
    X = np.vstack([X, [[2.0, np.nan]]])
    assert_allclose(RegressionImputer().fit_transform(X), SimpleImputer().fit_transform(X), atol=1e-12)


def test_collinear_and_constant_columns_do_no_harm():
    x = np.arange(10.0)
    X = np.column_stack([x, 2 * x, np.full(10, 3.0), 1 - x])
    H = X.copy()
    H[4, 1] = H[7, 3] = H[2, 2] = np.nan
    assert_allclose(RegressionImputer(tol=1e-9).fit_transform(H), X, atol=1e-6)


def test_new_rows_use_the_fitted_models():
    imputer = RegressionImputer().fit(WORKED)
    assert_allclose(imputer.transform([[10, None]]), [[10, 20.45]], rtol=1e-12)
    x_of_z = imputer.transform([[None, 6.1]])[0, 0]  # x was complete in fit, and is modelled all the same
    assert abs(x_of_z - 3) < 0.05


def test_it_says_when_it_has_not_settled():
    with pytest.warns(ConvergenceWarning, match="stopped after 2 cycles while guesses still move by"):
        RegressionImputer(max_iter=2, tol=1e-9).fit(DOUBLED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RegressionImputer(max_iter=1).fit(DOUBLED)  # asked for no iteration


def test_an_empty_column_is_dropped_with_a_warning():
    imputer = RegressionImputer().fit([[1.0, None, 2.0], [2.0, None, 4.0], [3.0, None, None]])
    with pytest.warns(DegenerateWarning, match="dropped without any value in fit: x1"):
        filled = imputer.transform([[3.0, 1.0, None]])
    assert_allclose(filled, [[3, 6]])
    assert imputer.get_feature_names_out().tolist() == ["x0", "x2"]
    with pytest.raises(DataError, match="no column has a value"):
        RegressionImputer().fit([[np.nan], [np.nan]])


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_frame_comes_back_with_indicators(make):
    frame = make({"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "a", "b", None], "k": [1, 2, 3, 4]})
    filled = RegressionImputer(add_indicator=True).fit_transform(frame)
    assert type(filled) is type(frame)
    assert list(filled.columns) == ["x", "c", "k", "missingindicator_c"]
    assert filled["c"].to_list() == ["a", "a", "b", "b"]
    assert filled["missingindicator_c"].to_list() == [0, 0, 0, 1]


def test_an_unseen_category_is_a_missing_value():
    frame = pd.DataFrame({"x": [1.0, 2.0, 10.0, 11.0], "c": ["a", "a", "b", "b"]})
    imputer = RegressionImputer().fit(frame)
    with pytest.warns(SchemaWarning, match="unseen category .* filled like missing values"):
        filled = imputer.transform(pd.DataFrame({"x": [10.5], "c": ["z"]}))
    assert filled["c"].tolist() == ["b"]
