"""The ROC curve as an object."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from assay.decide.threshold import tune_threshold
from assay.errors import DataError, ParameterError
from assay.metrics.areas import roc_auc_score
from assay.metrics.roc import RocCurve
from assay.tables.data import load_ranks


def ranks(name):
    data = load_ranks()
    return RocCurve.of(data.y, -data.X.values[:, data.feature_names.index(name)], pos_label="positive")


@pytest.mark.capability("DC-115")
def test_equal_areas_of_the_book_cross_and_the_oracle_dominates():
    """Oracle: DC 10.9.2.2: A and B both have 441/475; A leads early, B late."""
    A, B, oracle, chance = (ranks(name) for name in ("A", "B", "oracle", "random"))
    assert_allclose(
        [A.area, B.area, chance.area, oracle.area], [441 / 475, 441 / 475, 267 / 475, 1], rtol=1e-12
    )
    found = A.against(B)
    assert found.verdict == "crossing" and found.at_above < found.at_below
    assert "neither dominates" in str(found)
    assert not A.dominates(B) and not B.dominates(A)
    assert oracle.dominates(A) and oracle.dominates(B) and oracle.dominates(chance)
    assert A.against(oracle).verdict == "second" and "second curve dominates" in str(A.against(oracle))
    assert A.against(A).verdict == "equal" and A.dominates(chance) == (A.against(chance).below == 0)


def drawn(seed, n, levels):
    rng = np.random.default_rng(seed)
    y = np.append([0, 1], rng.integers(2, size=n))
    return y, rng.integers(levels, size=n + 2) + y


DRAWN = (st.integers(0, 10_000), st.integers(2, 60), st.sampled_from([4, 1000]))


@given(*DRAWN)
@settings(deadline=None, max_examples=50)
def test_hull_is_concave_above_and_made_of_points_of_the_curve(seed, n, levels):
    y, s = drawn(seed, n, levels)
    curve = RocCurve.of(y, s)
    hull = curve.hull
    slopes = np.diff(hull.tpr) / np.maximum(np.diff(hull.fpr), 1e-300)
    assert (np.diff(slopes) < 0).all()
    assert (hull.at(curve.fpr) >= curve.at(curve.fpr) - 1e-12).all()
    points = set(zip(curve.fpr, curve.tpr))
    assert set(zip(hull.fpr, hull.tpr)) <= points
    assert hull.area >= curve.area - 1e-12
    assert (hull.fpr[0], hull.tpr[0], hull.fpr[-1], hull.tpr[-1]) == (0, 0, 1, 1)
    assert hull.against(curve).verdict in ("first", "equal")


@given(*DRAWN)
@settings(deadline=None, max_examples=40)
def test_areas_whole_and_partial_are_scikit_learn_s(seed, n, levels):
    y, s = drawn(seed, n, levels)
    curve = RocCurve.of(y, s)
    assert_allclose(curve.area, roc_auc_score(y, s), atol=1e-12)
    assert_allclose(curve.partial_area(0.3, standardised=True), roc_auc_score(y, s, max_fpr=0.3), atol=1e-12)
    assert_allclose(curve.partial_area(1), curve.area, atol=1e-12)
    assert_allclose(
        np.trapezoid(curve.at(np.linspace(0, 0.4, 20001)), dx=2e-5), curve.partial_area(0.4), atol=1e-4
    )
    w = np.random.default_rng(seed).integers(1, 5, size=len(y))
    heavy = RocCurve.of(y, s, sample_weight=w)
    many = RocCurve.of(np.repeat(y, w), np.repeat(s, w))
    assert_allclose(heavy.area, many.area, atol=1e-12)
    assert_array_equal(heavy.thresholds, many.thresholds)
    assert "weigh" in heavy.interval().why and many.interval().low <= many.area


@given(*DRAWN, st.floats(0.1, 10))
@settings(deadline=None, max_examples=40)
def test_best_threshold_costs_as_little_as_the_best_of_all(seed, n, levels, miss):
    """Peer: decide's tune_threshold, on the same costs with the sample's own share of positives."""
    y, s = drawn(seed, n, levels)
    point = RocCurve.of(y, s).best(miss=miss, prior=y.mean())
    said = s >= point.threshold
    cost = np.mean(np.where(y == 1, miss * ~said, said))
    assert_allclose(cost, point.value, atol=1e-12)
    assert_allclose(cost, tune_threshold(y, s, loss={(0, 1): miss}).value, atol=1e-9)


def test_youden_is_the_default_and_an_upright_piece_has_its_upper_end():
    curve = RocCurve.of([1, 1, 0, 1, 1, 0, 1, 0, 0, 0], [0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.1])
    assert curve.best().threshold == 0.6 and curve.best().tpr - curve.best().fpr == pytest.approx(0.6)
    assert_allclose(curve.at([0, 0.1, 0.2, 1]), [0.4, 0.4, 0.8, 1])
    assert curve.at(0.2) == 0.8
    assert_allclose(RocCurve.of([1, 0, 1, 0], [1, 1, 1, 1]).at([0, 0.25, 1]), [0, 0.25, 1])


def test_bad_input_is_told_plainly():
    with pytest.raises(DataError, match="no negative row"):
        RocCurve.of([1, 1], [1, 2])
    with pytest.raises(DataError, match="no positive row"):
        RocCurve.of([0, 0], [1, 2])
    curve = RocCurve.of([0, 1], [1, 2])
    with pytest.raises(ParameterError, match="max_fpr must lie"):
        curve.partial_area(0)
    with pytest.raises(ParameterError, match="prior"):
        curve.best(prior=2)


def test_numbers_that_are_none_are_refused():
    curve = RocCurve.of([0, 1], [0, 1])
    for call in (lambda: curve.best(miss="a"), lambda: curve.best(prior=None), lambda: curve.partial_area("a"),
                 lambda: roc_auc_score([0, 1], [0, 1], max_fpr="a")):  # fmt: skip
        with pytest.raises(ParameterError):
            call()
