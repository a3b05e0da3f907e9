"""What a scaled model says, in the units of the table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from assay.bayes import GaussianNB, LinearDiscriminantAnalysis, NaiveBayes, NearestMean
from assay.core.explanation import Section
from assay.ensembles import RandomForestClassifier
from assay.linear import LogisticRegression
from assay.neighbors import KNeighborsClassifier
from assay.prepare import MinMaxScaler, Prepared, StandardScaler
from assay.prepare.original_units import in_original_units
from assay.rules import RipperClassifier
from assay.tables import Table
from assay.tables.data import load_german_credit
from assay.trees import C45Classifier, DecisionTreeClassifier, OC1Classifier


def test_the_terms_of_a_credit_are_told_in_years_and_marks():
    """Products, sum, odds and answer are those of the scaled model; values and places are the table's own."""
    credit = load_german_credit()
    model = Prepared(LogisticRegression(), scale=True).fit(credit.X, credit.y)
    frame = credit.frame("pandas", target=False)
    for i in (0, 17, 500):
        told = model.explain(credit.X[i : i + 1])
        terms, nearest = told.sections
        inside = model.estimator_.explain(model._prepared(credit.X[i : i + 1]))
        assert [row[2:] for row in terms.rows] == [row[2:] for row in inside.sections[0].rows]
        for name, value, *_ in terms.rows:
            if name in frame.columns:
                assert value == frame.iloc[i][name]
        for name, here, there, change in nearest.rows:
            assert here == frame.iloc[i][name]
            assert_allclose(there - here, change, rtol=1e-9, atol=1e-9)
        assert "standard deviations" in nearest.note and "own units" not in nearest.note
        assert terms.note.endswith("Each number counts as (value - mean) / standard deviation of its column.")


def test_the_place_that_is_named_lies_on_the_boundary():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"income": rng.normal(3e4, 8e3, 300), "age": rng.normal(40, 12, 300)})
    y = np.where(X["income"] / 8e3 + X["age"] / 12 + rng.normal(0, 1, 300) > 7.1, "yes", "no")
    model = Prepared(LogisticRegression(), scale=True).fit(X, y)
    nearest = model.explain(X.iloc[[5]]).sections[1]
    there = pd.DataFrame({name: [value] for name, _, value, _ in nearest.rows})[["income", "age"]]
    assert_allclose(model.predict_proba(there), [[0.5, 0.5]], atol=1e-9)


@pytest.mark.parametrize("learner", [NearestMean(), LogisticRegression()])
def test_without_scaling_nothing_is_retold(learner):
    credit = load_german_credit()
    model = Prepared(learner).fit(credit.X, credit.y)
    told = model.explain(credit.X[:1]).sections
    assert told == model.estimator_.explain(model._prepared(credit.X[:1])).sections


def test_what_is_no_number_of_a_scaled_column_stays():
    scaler = StandardScaler().fit({"age": [30.0, 50.0], "same": [2.0, 2.0]})
    rows = [["age", None], ["age", -1.0], ["same", 0.0], ["constant", 1.5], ["other", 1.5]]
    told = in_original_units(Section("t", ["term", "value"], rows, "Note."), scaler, scaler.schema_)
    assert told.rows == [["age", None], ["age", 30.0], ["same", 2.0], ["constant", 1.5], ["other", 1.5]]
    plain = Section("t", ["class", "prior"], [["age", 0.25]])
    assert in_original_units(plain, scaler, scaler.schema_) is plain


# Dates stay dates


rng = np.random.default_rng(0)
DAYS = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, 60), unit="D")
DATED = pd.DataFrame({"when": DAYS, "size": rng.normal(size=60)})
LATE = np.where(pd.Timestamp("2024-06-01") < DAYS, "late", "early")
SEVERAL = [
    LogisticRegression(),
    GaussianNB(),
    NaiveBayes(),
    LinearDiscriminantAnalysis(),
    C45Classifier(),
    DecisionTreeClassifier(max_depth=2),
    KNeighborsClassifier(3),
    RipperClassifier(random_state=0),
    OC1Classifier(random_state=0),
    RandomForestClassifier(n_estimators=3, random_state=0),
]


@pytest.mark.parametrize("scale", [None, False, True])
@pytest.mark.parametrize("learner", SEVERAL, ids=lambda learner: type(learner).__name__)
def test_dates_stay_dates_in_explanations(learner, scale):
    learner = clone(learner) if scale is None else Prepared(clone(learner), scale=scale)
    told = learner.fit(DATED, LATE).explain(DATED.iloc[[0]])
    day = str(DAYS[0].date())
    assert told.row["when"] == day
    assert "1970" not in str(told) and "1969" not in str(told)
    assert str(float((DAYS[0] - pd.Timestamp(0)).days))[:5] not in str(told)  # days since 1970
    for section in told.sections:
        places = [
            t for t, head in enumerate(section.columns) if head in ("value", "here", "this row", "index 0")
        ]
        for row in section.rows:
            if row[0] == "when" and places:
                assert [row[t] for t in places] == [day] * len(places)


@pytest.mark.parametrize("scale", [False, True])
@pytest.mark.parametrize("learner", [C45Classifier(), DecisionTreeClassifier(max_depth=1)])
def test_thresholds_of_trees_are_dates_that_divide_the_rows(learner, scale):
    model = Prepared(learner, scale=scale).fit(DATED, LATE)
    text = model.explain(DATED.iloc[[0]]).sections[0].rows[0][1]
    name, sign, threshold = text.split(" ")
    assert (name, sign) == ("when", ">")
    assert_array_equal(pd.Timestamp(threshold) < DAYS, LATE == "late")


def test_conditions_come_back_in_the_units_of_the_table():
    scaler = StandardScaler().fit({"age": [30.0, 50.0], "age of car": [1.0, 3.0]})
    rows = [["age > 1.5 and age of car <= -2", 7], ["mileage > 1.5", 7]]
    told = in_original_units(Section("Rules", ["if", "rows"], rows), scaler, scaler.schema_)
    assert told.rows == [["age > 55 and age of car <= 0", 7], ["mileage > 1.5", 7]]
    other = Section("Another answer if", ["answer", "change", "now"], [["no", "age <= -1.0", "0.5"]])
    assert in_original_units(other, scaler, scaler.schema_).rows == [["no", "age <= 30", "45"]]


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas, Table.of])
@pytest.mark.parametrize("scaler", [StandardScaler(), MinMaxScaler()])
def test_scaled_dates_are_numbers_and_come_back_as_dates(scaler, make):
    """They came out as dates of January 1970."""
    X = make(DATED)
    fitted = clone(scaler).fit(X)
    scaled = fitted.transform(X)
    days = Table.of(DATED).values
    expected = clone(scaler).fit(days).transform(days)
    assert_allclose(Table.of(scaled).values, expected, rtol=1e-9)
    assert not Table.of(scaled).schema["when"].date
    again = Table.of(fitted.inverse_transform(scaled))
    assert again.schema["when"].date
    assert_allclose(again.values, days, rtol=1e-9)
