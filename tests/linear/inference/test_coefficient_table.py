"""The table of coefficients: text, data and frames that say the same."""

import json

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DegenerateError, ParameterError
from assay.linear.logistic.logistic_regression import LogisticRegression
from assay.linear.regression.linear_regression import LinearRegression


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.normal(50, 10, 300), "job": rng.choice(["clerk", "nurse", "smith"], 300)}
    )
    odds = (frame["age"] - 50) / 10 + (frame["job"] == "nurse") * 1.5 + rng.logistic(size=300)
    frame["ill"] = np.where(odds > 0, "yes", "no")
    return frame


@pytest.fixture(scope="module")
def table(frame):
    X, y = frame[["age", "job"]], frame["ill"]
    return LogisticRegression(C=float("inf"), tol=1e-9).fit(X, y).summary(X, y)


def test_text_uses_the_names_of_the_table(table):
    text = str(table)
    assert text.startswith("LogisticRegression: coefficients, with intervals of 95 %")
    assert "Coefficients: log odds of yes against no" in text
    lines = [line.split() for line in text.splitlines()]
    head = next(line for line in lines if line[:1] == ["term"])
    assert head == ["term", "estimate", "std.", "error", "z", "p", "2.5", "%", "97.5", "%", "VIF"]
    age = next(line for line in lines if line[:1] == ["age"])
    assert float(age[1]) == pytest.approx(table["age"]["estimate"], rel=1e-3)
    assert table.terms == ["constant", "age", "job=nurse", "job=smith"]
    assert "Categories without a row are the reference: job=clerk." in text
    assert "Odds ratios" in text and "McFadden R2" in text and repr(table) == text


def test_html_holds_every_term_and_escapes(frame):
    X, y = frame[["age"]].rename(columns={"age": "<age>"}), frame["ill"]
    html = LogisticRegression(C=float("inf")).fit(X, y).summary(X, y).to_html()
    assert "&lt;age&gt;" in html and "<age>" not in html
    assert html.count("<table>") == html.count("</table>") == 3


def test_data_can_be_written_as_json(table):
    data = json.loads(json.dumps(table.to_dict()))
    assert data["coefficients"]["term"] == table.terms
    assert_allclose(data["coefficients"]["estimate"], table.estimate)
    assert data["coefficients"]["vif"][0] is None  # the constant has none
    assert_allclose(data["covariance"], table.covariance)
    assert data["measures"]["rows"] == 300


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_frames(table, library):
    result = table.to_frame(library)
    columns = result.column_names if library == "pyarrow" else list(result.columns)
    assert columns[:5] == ["term", "estimate", "standard_error", "z", "p_value"]
    assert_allclose(np.asarray(result["odds_ratio"]), table.odds_ratio)
    with pytest.raises(ParameterError, match="library must be one of"):
        table.to_frame("excel")


def test_several_classes_have_several_equations(frame):
    X, y = frame[["age"]], frame["job"]
    table = LogisticRegression(C=float("inf"), tol=1e-9).fit(X, y).summary(X, y)
    assert table.to_frame()["equation"].tolist() == table.equations
    assert str(table).count("Coefficients: log odds of") == 2
    with pytest.raises(ParameterError, match="in several equations"):
        table["age"]
    one = table["log odds of smith against clerk", "age"]
    assert one["estimate"] == table.estimate[3]
    assert table.wald_test("age").df == 2


def test_tests_by_name_and_by_matrix(table):
    by_column, by_terms = table.wald_test("job"), table.wald_test(["job=nurse", "job=smith"])
    by_matrix = table.wald_test([[0, 0, 1, 0], [0, 0, 0, 1]])
    assert by_column.statistic == by_terms.statistic == by_matrix.statistic
    assert str(by_column).startswith("job = 0: chi2(2) = ")
    single = table.wald_test("age")
    assert_allclose(single.statistic, table["age"]["z"] ** 2, rtol=1e-10)
    assert_allclose(single.p_value, table["age"]["p_value"], rtol=1e-8)
    same = table.wald_test([[0, 0, 1, -1]], 0.5)
    gap = table.estimate[2] - table.estimate[3] - 0.5
    V = table.covariance
    assert_allclose(same.statistic, gap**2 / (V[2, 2] + V[3, 3] - 2 * V[2, 3]), rtol=1e-10)
    assert str(same).startswith("1 combination = 0.5: chi2(1)")


def test_what_is_refused(table):
    with pytest.raises(ParameterError, match=r"no term 'wage'\. Terms: constant, age"):
        table.wald_test(["wage"])
    with pytest.raises(ParameterError, match="numbers with 4 columns"):
        table.wald_test([[1, 0]])
    with pytest.raises(DegenerateError, match="rank 1 of 2"):
        table.wald_test([[0, 1, 0, 0], [0, 2, 0, 0]])
    with pytest.raises(ParameterError, match="'wage' is not here"):
        table["wage"]


def test_numbers_are_judged_by_t():
    X = np.arange(8.0)[:, None]
    y = np.array([1.0, 3, 2, 5, 4, 6, 8, 7])
    table = LinearRegression().fit(X, y).summary(X, y, level=0.8)
    assert "t" in table.to_frame().columns and "10 %" in str(table) and "Residuals" in str(table)
    assert "odds_ratio" not in table.to_frame().columns


def test_values_belong_to_the_terms_as_they_are_named(table):
    names, wanted = ["job=smith", "age"], [0.3, 0.1]
    test = table.wald_test(names, wanted)
    again = table.wald_test(names[::-1], wanted[::-1])
    assert_allclose(test.statistic, again.statistic, rtol=1e-12)
    at = [table.terms.index(name) for name in names]
    gap = table.estimate[at] - wanted
    by_hand = gap @ np.linalg.solve(table.covariance[np.ix_(at, at)], gap)
    assert_allclose(test.statistic, by_hand, rtol=1e-9)
    assert test.hypothesis == "job=smith = 0.3, age = 0.1"
    assert table.wald_test(["age", "age"]) == table.wald_test("age")


@pytest.mark.parametrize("terms,value", [("age", [1.0, 2.0]), ("age", np.nan), ("age", "one")])
def test_values_are_numbers_one_a_term(table, terms, value):
    with pytest.raises(ParameterError, match="value must be a number, got"):
        table.wald_test(terms, value)


@pytest.mark.parametrize("terms", [3, [], [[1.0]], [["age"]]])
def test_terms_are_names_or_contrasts(table, terms):
    with pytest.raises(ParameterError, match="terms must be names, or numbers with 4 columns"):
        table.wald_test(terms)


def test_a_column_may_be_called_constant(frame):
    X = frame[["age"]].rename(columns={"age": "constant"})
    table = LogisticRegression(C=float("inf"), tol=1e-9).fit(X, frame["ill"]).summary(X, frame["ill"])
    assert table.terms == ["(constant)", "constant"] and table.constant == "(constant)"
    assert table.wald_test("constant").df == 1
    assert_allclose(table["constant"]["estimate"], table.estimate[1])
    assert "constant" in str(table).partition("Odds ratios")[2].partition("Fit")[0]
    without = LogisticRegression(C=float("inf"), tol=1e-9, fit_intercept=False).fit(X, frame["ill"])
    assert without.summary(X, frame["ill"]).constant == ""
