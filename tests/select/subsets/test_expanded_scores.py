"""Subsets of mixed tables: a nominal column is the set of its indicators, with the scores of refitting."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.select.subsets.agreement import assert_same_choice, assert_same_scores

from assay.bayes import LinearDiscriminantAnalysis
from assay.linear import LinearRegression, LogisticRegression, Ridge
from assay.prepare import Prepared, PreparedRegressor
from assay.select import SubsetSelector
from assay.select.subsets.expanded_scores import ExpandedScores
from assay.select.subsets.refit import Refit
from assay.select.subsets.subset_scores import subset_scores
from assay.tables import Table

N = 120
rng = np.random.default_rng(2)
FRAME = pd.DataFrame(
    {
        "a": rng.normal(size=N),
        "kind": rng.choice(list("uvw"), N),
        "b": rng.normal(size=N) * 30 + 5,
        "side": rng.choice(["left", "right"], N),
        "size": pd.Categorical(rng.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True),
        "c": rng.normal(size=N),
    }
)
NUMBERS = FRAME["a"] + 2.0 * (FRAME["kind"] == "v") + FRAME["b"] / 60 + rng.normal(size=N)
LABELS = np.where(NUMBERS + rng.normal(size=N) > 0.7, "yes", "no")
WEIGHTS = rng.integers(0, 3, N).astype(float)
HOLES = FRAME.mask(pd.DataFrame(rng.random(FRAME.shape) < 0.05, columns=FRAME.columns))


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weights"])
@pytest.mark.parametrize("scoring", ["rmse", "r2", "mae"])
@pytest.mark.parametrize("learner", [LinearRegression(), Ridge(2.0)], ids=["ols", "ridge"])
def test_least_squares(learner, scoring, weights):
    scores = assert_same_scores(learner, Table.of(FRAME), NUMBERS, scoring, weights, cv=3)
    assert isinstance(scores, ExpandedScores)
    assert [len(columns) for columns in scores.columns] == (
        [1, 2, 1, 1, 1, 1] if isinstance(learner, LinearRegression) else [1, 3, 1, 2, 1, 1]
    )


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weights"])
def test_logistic_regression(weights):
    model = LogisticRegression(tol=1e-9)
    scores = assert_same_scores(model, Table.of(FRAME), LABELS, "error", weights, cv=3)
    assert isinstance(scores, ExpandedScores)


def test_missing_values_and_scales():
    """As learners by short names see a mixed table: imputed and scaled, categories by the most frequent one."""
    ridge = PreparedRegressor(Ridge(), scale=True)
    assert isinstance(assert_same_scores(ridge, Table.of(HOLES), NUMBERS, "rmse", cv=3), ExpandedScores)
    logistic = Prepared(LogisticRegression(tol=1e-9), scale=True)
    assert isinstance(assert_same_scores(logistic, Table.of(HOLES), LABELS, "error", cv=3), ExpandedScores)


def test_the_same_columns_are_chosen():
    assert_same_choice(LinearRegression(), Table.of(FRAME), NUMBERS, "rmse", cv=3)
    assert_same_choice(LogisticRegression(tol=1e-9), Table.of(FRAME), LABELS, "error", cv=3)
    for search in ("forward", "backward", "floating", "exhaustive"):
        selector = SubsetSelector(LinearRegression(), search=search, stop=2).fit(FRAME, NUMBERS)
        assert selector.selected_ == ["a", "kind"]


def test_what_is_fitted_again():
    """A category that some folds lack, a column of one category, discriminants, and a measure that counts columns."""
    rare, constant = FRAME.copy(), FRAME.copy()
    rare.loc[3, "kind"], constant["side"] = "rare", "left"
    for frame in (rare, constant):
        assert type(subset_scores(LinearRegression(), Table.of(frame), NUMBERS, 3, "rmse")) is Refit
    table = Table.of(FRAME)
    assert type(subset_scores(LinearDiscriminantAnalysis(), table, LABELS, 3, "error")) is Refit
    assert type(subset_scores(LinearRegression(), table, NUMBERS, 3, "adjusted r2")) is Refit


def test_costs_groups_and_the_trace_speak_of_the_columns_of_the_table():
    selector = SubsetSelector(
        Ridge(), stop=3, costs={"b": 0.5}, column_groups=[["kind", "side"]], random_state=0
    ).fit(FRAME, NUMBERS)
    assert set(selector.selected_) >= {"a", "kind", "side"} and "b" not in selector.selected_
    slow = SubsetSelector(
        Slow(), stop=3, costs={"b": 0.5}, column_groups=[["kind", "side"]], random_state=0
    ).fit(FRAME, NUMBERS)
    assert_array_equal(selector.support_, slow.support_)
    for a, b in zip(selector.trace_.table(), slow.trace_.table()):
        assert a["columns"] == b["columns"]
        assert_allclose(a["folds"], b["folds"], rtol=1e-9)


class Slow(Ridge):
    """The same learner, which no quick scores claim."""
