"""What a scaled model says, in the units of the table."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.bayes import NearestMean
from assay.core.explanation import Section
from assay.linear import LogisticRegression
from assay.prepare import Prepared, StandardScaler
from assay.prepare.own_units import in_own_units
from assay.tables.data import load_german_credit


def test_the_terms_of_a_credit_are_told_in_years_and_marks():
    """Products, sum, odds and answer are those of the scaled model; values and places are the table's own."""
    credit = load_german_credit()
    model = Prepared(LogisticRegression(), scale=True).fit(credit.X, credit.y)
    frame = credit.frame("pandas", target=False)
    for i in (0, 17, 500):
        told = model.explain(credit.X[i : i + 1])
        terms, nearest = told.sections
        inside = model.learner_.explain(model._prepare(credit.X[i : i + 1].values))
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
    assert told == model.learner_.explain(model._prepare(credit.X[:1].values)).sections


def test_what_is_no_number_of_a_scaled_column_stays():
    scaler = StandardScaler().fit({"age": [30.0, 50.0], "same": [2.0, 2.0]})
    rows = [["age", None], ["age", -1.0], ["same", 0.0], ["constant", 1.5], ["other", 1.5]]
    told = in_own_units(Section("t", ["term", "value"], rows, "Note."), scaler, scaler.schema_)
    assert told.rows == [["age", None], ["age", 30.0], ["same", 2.0], ["constant", 1.5], ["other", 1.5]]
    plain = Section("t", ["class", "prior"], [["age", 0.25]])
    assert in_own_units(plain, scaler, scaler.schema_) is plain
