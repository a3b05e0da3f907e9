"""Signs and sizes of coefficients on one scale, and leaving out what is near zero (IML 5.8)."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn import linear_model
from sklearn.datasets import load_diabetes, load_iris

from assay.errors import DataError, ParameterError
from assay.linear.coefficient_report import coefficient_report, pruned
from assay.linear.gradient.sgd_classifier import SGDClassifier
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.regression.linear_regression import LinearRegression
from assay.linear.regression.polynomial_regressor import PolynomialRegressor


def planted(seed, n=300):
    """r rises with a, falls with b a thousandth as fast in units a thousand times as large, and knows nothing of c."""
    random = np.random.default_rng(seed)
    a, b, c = random.normal(size=n), 2000 * random.normal(size=n), 1e-3 * random.normal(size=n)
    return pd.DataFrame({"a": a, "b": b, "c": c}), 3 * a - 0.003 * b + 0.1 * random.normal(size=n)


@pytest.mark.capability("IML-5-28")
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1000), scale=st.sampled_from(["standard", "range"]))
def test_the_irrelevant_column_is_last(seed, scale):
    X, r = planted(seed)
    report = coefficient_report(LinearRegression().fit(X, r), X, scale=scale)
    assert report.names == ["b", "a", "c"]
    assert report.kept == ["b", "a"]
    assert np.sign(report.scaled[:2, 0]).tolist() == [-1, 1]
    if scale == "standard":
        assert_allclose(report.size[:2], [6, 3], rtol=0.15)


@pytest.mark.capability("IML-5-28")
def test_scaled_coefficients_are_those_of_scaled_columns():
    data = load_diabetes()
    X, y = data.data * np.logspace(-3, 3, 10), data.target
    report = coefficient_report(LinearRegression().fit(X, y), X)
    again = linear_model.LinearRegression().fit((X - X.mean(axis=0)) / X.std(axis=0), y)
    order = np.argsort(-np.abs(again.coef_))
    assert report.names == [f"x{j}" for j in order]
    assert_allclose(report.scaled[:, 0], again.coef_[order], rtol=1e-7)


@pytest.mark.capability("IML-5-28")
@pytest.mark.parametrize(
    "form", [lambda X: X, pl.from_pandas, lambda X: X.to_numpy()], ids=["pandas", "polars", "array"]
)
def test_pruning_fits_again_without_the_weak(form):
    frame, r = planted(0)
    X = form(frame)
    smaller, kept = pruned(LinearRegression().fit(X, r), X, r)
    assert kept == (["x0", "x1"] if isinstance(X, np.ndarray) else ["a", "b"])
    expected = linear_model.LinearRegression().fit(frame[["a", "b"]], r)
    assert_allclose(smaller.coef_, expected.coef_, rtol=1e-8)


def test_a_category_that_matters_keeps_its_column():
    random = np.random.default_rng(0)
    X = pd.DataFrame({"kind": random.choice(["a", "b", "c"], 200), "noise": random.normal(size=200)})
    r = 5.0 * (X["kind"] == "c") + 0.01 * random.normal(size=200)
    _, kept = pruned(LinearRegression().fit(X, r), X, r)
    assert kept == ["kind"]


def test_several_classes_have_a_column_each():
    data = load_iris(as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[data.target]
    report = coefficient_report(LogisticRegression(max_iter=500).fit(data.data, names), data.data)
    assert report.heads == ["setosa", "versicolor", "virginica"]
    assert report.names[0].startswith("petal")
    assert_allclose(report.size, np.linalg.norm(report.scaled, axis=1), rtol=1e-12)
    assert "versicolor" in str(report) and "<th>versicolor</th>" in report.to_html()


def test_the_report_prints_and_exports():
    X, r = planted(1)
    report = coefficient_report(LinearRegression().fit(X, r), X)
    lines = str(report).splitlines()
    assert lines[0] == "Effect of each column, per standard deviation"
    assert lines[2].split()[:2] == ["b", "lowers"] and lines[3].split()[:2] == ["a", "raises"]
    assert "near zero" in lines[4] and lines[5].endswith("leave out: c.")
    data = json.loads(json.dumps(report.to_dict()))
    assert [c["name"] for c in data["columns"]] == ["b", "a", "c"]
    assert [c["near_zero"] for c in data["columns"]] == [False, False, True]
    assert "<td>near zero</td>" in report._repr_html_()
    assert "No column" in str(
        coefficient_report(LinearRegression().fit(X, r), X, scale="none", tolerance=0.0)
    )


def test_what_cannot_be_reported_is_said():
    X, r = planted(0, 20)
    model = LinearRegression().fit(X, r)
    with pytest.raises(ParameterError, match="scale must be one of standard, range, none"):
        coefficient_report(model, X, scale="units")
    with pytest.raises(ParameterError, match="tolerance"):
        coefficient_report(model, X, tolerance=1.0)
    with pytest.raises(DataError, match="linear in its columns"):
        coefficient_report(PolynomialRegressor(2).fit(X, r), X)
    with pytest.raises(DataError, match="every coefficient is zero"):
        pruned(linear_model.Lasso(1e9).fit(X.to_numpy(), r), X.to_numpy(), r)


def test_sparse_tables_and_sparse_weights_are_reported_and_pruned_alike():
    X, y = load_diabetes(return_X_y=True)
    label = y > 140
    plain, sparse = (SGDClassifier(max_iter=3, tol=None, random_state=0).fit(X, label) for _ in range(2))
    result, expected = coefficient_report(sparse.sparsify(), sp.csr_matrix(X)), coefficient_report(plain, X)
    assert result.names == expected.names
    assert_allclose(result.scaled, expected.scaled, rtol=1e-12)
    smaller, kept = pruned(LinearRegression().fit(sp.csc_matrix(X), y), sp.csc_matrix(X), y)
    other, names = pruned(LinearRegression().fit(X, y), X, y)
    assert kept == names and 0 < len(kept) < 10
    assert_allclose(smaller.coef_, other.coef_, rtol=1e-6)


def test_what_has_no_coefficients_is_reported():
    with pytest.raises(DataError, match="LinearRegression has no coef_"):
        coefficient_report(LinearRegression(), [[1.0]])
