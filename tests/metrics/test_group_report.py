"""Measures by group: each line is the measure of its rows alone."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.metrics import GroupReport, Measure, OfRows, Outcome, measures, with_interval
from assay.stats.distributions.predictive import Normal

RNG = np.random.default_rng(0)
Y = RNG.gamma(2, 3, size=120)
Z = Y + RNG.normal(size=120)
REGION = np.array(["north", "south", "west"])[RNG.integers(0, 3, 120)]


def test_each_line_is_the_measure_of_its_rows():
    w = RNG.uniform(0.5, 2, 120)
    report = GroupReport.of(
        Y, Z, by=REGION, measures=["rmse", "r2", "median absolute error"], sample_weight=w
    )
    assert list(report.groups) == ["north", "south", "west"] and sum(report.rows.values()) == 120
    for region, estimates in report.groups.items():
        rows = region == REGION
        for name, estimate in estimates.items():
            alone = with_interval(name, Y[rows], Z[rows], sample_weight=w[rows])
            assert_allclose(
                [estimate.value, estimate.low, estimate.high], [alone.value, alone.low, alone.high]
            )
    assert_allclose(report.whole["rmse"].value, with_interval("rmse", Y, Z, sample_weight=w).value)
    assert len(str(report).splitlines()) == 5 and "<table>" in report._repr_html_()


def test_bins_of_the_target_hold_as_many_rows_each():
    report = GroupReport.of(Y, Z, bins=4)
    assert list(report.rows.values()) == [30] * 4
    low, high = np.sort(Y)[[0, 29]]
    assert next(iter(report.groups)) == f"{low:.4g} to {high:.4g}"
    first = high >= Y
    assert_allclose(report.groups[f"{low:.4g} to {high:.4g}"]["mae"].value, np.abs(Y - Z)[first].mean())
    assert len(GroupReport.of(Y, Z).groups) == 5
    few = GroupReport.of([1, 1, 1, 1, 2, 2], [1, 1, 2, 2, 2, 1], bins=5, measures="mae")
    assert few.rows == {"1": 4, "2": 2}
    alike = GroupReport.of(np.repeat([1.00001, 1.00002], 3), np.ones(6), bins=2, measures="mae")
    assert len(alike.rows) == 2


def test_another_column_of_numbers_is_cut_too():
    age = RNG.uniform(20, 60, 120)
    report = GroupReport.of(Y, Z, by=age, bins=3, measures="bias")
    assert list(report.rows.values()) == [40, 40, 40]


def test_missing_labels_are_a_group_of_their_own():
    by = pd.Series(["a", None, "b", "a", np.nan, "b"])
    report = GroupReport.of(np.arange(6.0), np.arange(6.0) + 1, by=by, measures="mae")
    assert report.rows == {"a": 2, "b": 2, "missing": 2}
    mixed = GroupReport.of([1, 2, 3], [1, 2, 3], by=[1, "a", None], measures="mae")
    assert list(mixed.rows) == [1, "a", "missing"]


def test_intervals_and_distributions_go_with_their_rows():
    report = GroupReport.of(
        Y, Z, by=REGION, measures=["crps", "coverage"], distribution=Normal(Z, 1.0), coverage=0.5
    )
    rows = REGION == "west"
    low, high = Normal(Z, 1.0).interval(0.5)
    inside = ((low <= Y) & (high >= Y))[rows].mean()
    assert report.groups["west"]["coverage"].value == inside


def test_what_is_not_defined_is_said_in_its_cell():
    report = GroupReport.of(
        [1, 1, 2, 3], [1, 2, 2, 3], by=list("aabb"), measures=["r2"], sample_weight=[1, 1, 0, 0]
    )
    assert (
        report.groups["a"]["r2"].short == "- (all true values are equal, so there is no variance to explain)"
    )
    assert report.groups["b"]["r2"].why == "its rows weigh 0"


def test_classes_and_own_measures():
    outcome = Outcome(np.array([0, 1, 0, 1]), np.array([0, 1, 1, 1]), None, 2)
    report = GroupReport.of_outcome(outcome, list("aabb"), measures=["accuracy", measures()["error"]])
    assert report.groups["b"]["error"].value == 0.5 and report.groups["b"]["error"].method == "Wilson"
    with pytest.raises(ParameterError, match="rmse is of regression, the outcome of classification"):
        GroupReport.of_outcome(outcome, list("aabb"))
    own = Measure(
        "over", OfRows(_too_high, share=True), "lower", "too high", "numbers", "regression", (0.0, 1.0)
    )
    assert_allclose(GroupReport.of(Y, Z, REGION, measures=own).whole["over"].value, np.mean(Z > Y))


def _too_high(outcome):
    return outcome.answer > outcome.truth


def test_what_makes_no_groups_is_refused():
    with pytest.raises(ParameterError, match="by has 300 distinct values"):
        GroupReport.of(np.ones(300), np.ones(300), by=np.arange(300))
    with pytest.raises(DataError, match="120 rows and 3 labels"):
        GroupReport.of(Y, Z, by=["a", "b", "c"])
    with pytest.raises(DataError, match="120 rows and 3 numbers"):
        GroupReport.of(Y, Z, by=[1, 2, 3], bins=2)
    with pytest.raises(ParameterError, match="bins must be a whole number from 1 to 200, got 0"):
        GroupReport.of(Y, Z, bins=0)
    with pytest.raises(ParameterError, match="is of classification, the outcome of regression"):
        GroupReport.of(Y, Z, measures="accuracy")
