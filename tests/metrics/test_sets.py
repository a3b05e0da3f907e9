"""Prediction sets judged."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.proportion import proportion_confint

from assay.errors import DataError, ParameterError
from assay.metrics.sets import SetReport


def test_coverage_and_size_with_intervals_of_statsmodels():
    """Peer: statsmodels 0.15, proportion_confint(method='beta')."""
    rng = np.random.default_rng(0)
    sets = rng.random((80, 3)) < 0.6
    y = np.array(list("abc"))[rng.integers(3, size=80)]
    report = SetReport.of(sets, y, classes=["a", "b", "c"], target=0.9)
    hit = sets[np.arange(80), np.searchsorted(["a", "b", "c"], y)]
    assert_allclose(
        (report.coverage.low, report.coverage.high), proportion_confint(hit.sum(), 80, method="beta")
    )
    for k, name in enumerate("abc"):
        own = y == name
        told = report.by_class[name]
        assert told.value == sets[own, k].mean()
        assert_allclose(
            (told.low, told.high), proportion_confint(sets[own, k].sum(), own.sum(), method="beta")
        )
    size = sets.sum(axis=1)
    half = 1.990450 * size.std(ddof=1) / np.sqrt(80)  # t with 79 degrees of freedom
    assert_allclose((report.size.low, report.size.high), (size.mean() - half, size.mean() + half), atol=1e-6)
    assert report.keeps_promise == (report.coverage.high >= 0.9)
    assert_allclose(report.single.value, (size == 1).mean())


def test_edges():
    report = SetReport.of([[True, False]], [0])
    assert np.isnan(report.size.low) and "one row" in report.size.why and list(report.by_class) == [0]
    assert report.coverage.high == 1 and report.keeps_promise
    with pytest.raises(DataError, match="True and False"):
        SetReport.of([[1, 0]], [0])


def test_a_target_that_is_no_share_is_refused():
    with pytest.raises(ParameterError, match="target"):
        SetReport.of([[True, False]], [0], target="x")
