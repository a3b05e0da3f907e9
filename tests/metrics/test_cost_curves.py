"""Cost curves, Brier curves and Hand's H, against their definitions on a fine grid."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import beta as beta_function
from sklearn.metrics import brier_score_loss

from assay.errors import DataError, ParameterError
from assay.metrics.cost_curves import BrierCurve, CostCurve, h_measure
from assay.metrics.roc import RocCurve
from assay.tables.data import load_breast_cancer

HSCORES = [0.653864324715, 0.665227123057, 0.667745235865, 0.267874253415, 0.264787557349, 0.221378949791]
DRAWN = (st.integers(0, 10_000), st.integers(2, 40), st.sampled_from([4, 1000]))


def drawn(seed, n, levels):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(2, size=n))
    return y, (rng.integers(levels, size=n + 2) + y * levels / 4) / (2 * levels)


@given(*DRAWN)
@settings(deadline=None, max_examples=40)
def test_cost_curve_is_the_lowest_of_all_lines(seed, n, levels):
    y, s = drawn(seed, n, levels)
    roc, curve = RocCurve.of(y, s), CostCurve.of(y, s)
    q = np.linspace(0, 1, 301)
    lines = q[:, None] * (1 - roc.tpr) + (1 - q[:, None]) * roc.fpr
    assert_allclose(curve.at(q), lines.min(axis=1), atol=1e-12)
    assert (curve.at(q) <= CostCurve.trivial(q) + 1e-12).all()
    assert_allclose(curve.area, np.trapezoid(curve.at(np.linspace(0, 1, 20001)), dx=5e-5), atol=1e-6)
    for i in range(len(curve.thresholds)):  # the threshold of each piece has that piece's cost
        middle = curve.probability_cost[i : i + 2].mean()
        said = s >= curve.thresholds[i]
        cost = middle * np.mean(~said[y == 1]) + (1 - middle) * np.mean(said[y == 0])
        assert_allclose(cost, curve.at(middle), atol=1e-12)


@given(*DRAWN)
@settings(deadline=None, max_examples=40)
def test_area_of_the_brier_curve_is_the_brier_score(seed, n, levels):
    y, p = drawn(seed, n, levels)
    curve = BrierCurve.of(y, p)
    assert_allclose(curve.area, brier_score_loss(y, p), atol=1e-12)
    c = 0.313131
    i = np.searchsorted(curve.cost, c) - 1
    said = p >= c
    loss = 2 * np.mean(np.where(y == 1, (1 - c) * ~said, c * said))
    part = (c - curve.cost[i]) / (curve.cost[i + 1] - curve.cost[i])
    assert_allclose(curve.start[i] + part * (curve.end[i] - curve.start[i]), loss, atol=1e-12)


@given(*DRAWN, st.sampled_from([None, (2.0, 2.0), (1.0, 3.0)]))
@settings(deadline=None, max_examples=25)
def test_h_is_the_ratio_of_two_integrals(seed, n, levels, severity):
    """The definition, by the midpoint rule over 20,000 costs."""
    y, s = drawn(seed, n, levels)
    roc, p1 = RocCurve.of(y, s), y.mean()
    a, b = severity or (1 + p1, 2 - p1)
    c = (np.arange(20_000) + 0.5) / 20_000
    weight = c ** (a - 1) * (1 - c) ** (b - 1) / beta_function(a, b)
    least = (c[:, None] * (1 - p1) * roc.fpr + (1 - c[:, None]) * p1 * (1 - roc.tpr)).min(axis=1)
    none = np.minimum(c * (1 - p1), (1 - c) * p1)
    assert_allclose(h_measure(y, s, severity=severity), 1 - (least @ weight) / (none @ weight), atol=2e-6)


def test_perfect_useless_and_reversed_scores():
    y = [0, 0, 1, 1]
    assert h_measure(y, [1, 2, 3, 4]) == 1 and h_measure(y, [1, 1, 1, 1]) == 0
    assert_allclose(h_measure(y, [4, 3, 2, 1]), 0, atol=1e-12)
    assert CostCurve.of(y, [1, 2, 3, 4]).area == 0 and CostCurve.of(y, [1, 1, 1, 1]).area == pytest.approx(
        0.25
    )


def test_bad_input_is_told_plainly():
    with pytest.raises(ParameterError, match="severity must be two numbers above 0"):
        h_measure([0, 1], [1, 2], severity=(0, 1))
    with pytest.raises(DataError, match="between 0 and 1"):
        BrierCurve.of([0, 1], [1, 2])


def test_same_h_as_the_package_hmeasure():
    """Peer: hmeasure 0.1.6 (Python) on the breast cancer table: first and second column, squashed.

    Its severity ratio of -1 is the density taken here by default, 1 is Beta(2, 2) and 0.5 is Beta(2, 3).
    """
    data = load_breast_cancer()
    X, y = data.X.values, data.codes
    told = {0: HSCORES[:3], 1: HSCORES[3:]}
    for column, centre, width in ((0, 14, 1), (1, 19, 4)):
        s = 1 / (1 + np.exp((X[:, column] - centre) / width))
        found = [h_measure(y, s), h_measure(y, s, severity=(2, 2)), h_measure(y, s, severity=(2, 3))]
        assert_allclose(found, told[column], rtol=1e-9)


@pytest.mark.parametrize("severity", [3, (1, "a"), (1, 2, 3), (0, 1)])
def test_severity_is_two_numbers_above_zero(severity):
    with pytest.raises(ParameterError, match="severity"):
        h_measure([0, 1], [0, 1], severity=severity)
