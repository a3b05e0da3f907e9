"""Residuals: their numbers are those of the definitions, whatever the unit."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

from assay import compare
from assay.errors import DataError, ParameterError
from assay.evaluate import Residuals
from assay.evaluate.residuals import IntervalCoverage, error_measure, smooth_line
from assay.metrics import GroupReport, interval_coverage, mean_interval_width, measures
from assay.smoothers import Loess
from assay.stats.distributions.predictive import Normal

RNG = np.random.default_rng(0)
P = RNG.gamma(3, 10, 300)
Y = P + RNG.normal(size=300) * P * 0.2
W = RNG.integers(0, 3, 300).astype(float)


@pytest.mark.parametrize("unit", [1.0, 1e150, 1e-150])
def test_centre_and_spread_are_mean_and_standard_deviation_in_any_unit(unit):
    residuals = Residuals(Y * unit, P * unit, W)
    e = Y - P
    centre = np.average(e, weights=W)
    spread = np.sqrt(np.average((e - centre) ** 2, weights=W))
    assert_allclose([residuals.centre / unit, residuals.spread / unit], [centre, spread], rtol=1e-12)
    assert_allclose(residuals.scale(), np.sqrt(np.abs(e - centre) / spread), rtol=1e-9)


def test_normal_quantiles_are_scipys_at_the_same_shares():
    expected, observed = Residuals(Y, P).normal_quantiles()
    assert_allclose(expected, stats.norm.ppf((np.arange(300) + 0.5) / 300), atol=1e-12)
    assert (np.diff(observed) >= 0).all() and abs(observed.std() - 1) < 1e-12
    counted = Residuals(np.repeat(Y, W.astype(int)), np.repeat(P, W.astype(int)))
    assert_allclose(Residuals(Y, P, W).spread, counted.spread)
    assert len(Residuals(Y, P, W).normal_quantiles()[0]) == (W > 0).sum()


def test_parts_are_those_of_the_group_report():
    residuals = Residuals(Y, P, W)
    report = residuals.by_size(measures()["mae"])
    same = GroupReport.of(Y, P, bins=10, measures=["mae"], sample_weight=W)
    assert report.rows == same.rows
    for label, estimates in same.groups.items():
        assert report.groups[label]["mae"] == estimates["mae"]
    start = 0
    for label, n in report.rows.items():  # bins follow one another in the order of the target
        rows, start = np.argsort(Y)[start : start + n], start + n
        mean = np.average((Y - P)[rows], weights=W[rows])
        assert_allclose(report.groups[label]["mean residual"].value, mean, rtol=1e-9)


def test_of_many_groups_the_largest_are_reported():
    groups = [f"g{i // 2}" for i in range(298)] + ["big", None]
    groups[:5] = ["big"] * 5
    report = Residuals(Y, P).by_group(groups, most=2)
    assert report.rows["big"] == 6 and len(report.rows) == 2
    assert "missing" in Residuals(Y, P).by_group([None] * 10 + ["a"] * 290).rows
    with pytest.raises(DataError, match="300 rows and 2 groups"):
        Residuals(Y, P).by_group(["a", "b"])


def test_no_spread_is_zero_and_not_rounding():
    exact = Residuals([0.1 + 0.2, 7.0], [0.3, 7.0])
    assert exact.spread == 0 and (exact.standardised == 0).all()
    with pytest.raises(DataError, match="there are no rows"):
        Residuals([], [])


def test_the_smooth_line_is_the_robust_loess_line():
    places, line = smooth_line(P, Y)
    peer = Loess(span=2 / 3, robust_iterations=3).fit(P[:, None], Y).predict(places[:, None])
    assert_allclose(line, peer, rtol=1e-9)
    huge = smooth_line(P * 1e150, Y * 1e150)
    assert_allclose(huge[1] / 1e150, line, rtol=1e-9)
    assert smooth_line(P[:9], Y[:9]) is None and smooth_line(np.ones(50), Y[:50]) is None
    many = smooth_line(np.arange(100_000.0), np.arange(100_000.0))
    assert_allclose(*many, rtol=1e-6, atol=1.0)


def test_coverage_and_width_are_those_of_the_measures():
    distribution, levels = Normal(P, P * 0.2), [0.5, 0.9]
    lower, upper = (np.column_stack(side) for side in zip(*(distribution.interval(v) for v in levels)))
    curve = IntervalCoverage.of(Y, lower, upper, levels, W)
    for j in range(2):
        inside = interval_coverage(Y, lower[:, j], upper[:, j], sample_weight=W)
        assert curve.observed[j].value == inside and curve.observed[j].low < inside < curve.observed[j].high
        assert curve.width[j].value == mean_interval_width(lower[:, j], upper[:, j], sample_weight=W)
    with pytest.raises(DataError, match=r"need ends of shape \(300, 1\)"):
        IntervalCoverage.of(Y, lower, upper, [0.5])


def test_residuals_of_a_comparison_are_those_of_its_predictions():
    X = RNG.normal(size=(60, 2))
    result = compare(["ols"], X, X[:, 0] + RNG.normal(size=60), design="2x5", sample_weight=W[:60] + 1)
    name = result.learners[0]
    residuals, seen = Residuals.of_comparison(result, name), result.out_of_fold(name)
    assert_allclose(residuals.residual, seen.truth - seen.answer)
    assert_allclose(residuals.weight, W[:60] + 1)
    classes = compare(["majority"], X, ["a", "b"] * 30, design="2-fold")
    with pytest.raises(ParameterError, match="residuals are of numbers"):
        Residuals.of_comparison(classes, "majority")


def test_the_error_of_parts_is_the_first_metric_that_parts_have():
    names = lambda *metrics: error_measure([measures()[m] for m in metrics]).name  # noqa: E731
    assert names("r2", "crps", "mae", "rmse") == "mae" and names("r2", "coverage") == "rmse"
