"""Errors of a hypothesis against a known concept: on rows and as areas."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import confusion_matrix

from assay.errors import DataError
from assay.rulebase.conditions import Condition
from assay.rulebase.rules import Rule
from assay.rules.version_spaces.box import Box
from assay.rules.version_spaces.hypothesis_errors import hypothesis_areas, hypothesis_errors


def box(low, high):
    return Box(tuple(Condition(j, a, b, "both") for j, (a, b) in enumerate(zip(low, high))))


@pytest.mark.capability("IML-2-06")
def test_regions_of_the_figure_on_a_grid():
    """IML figure 2-3: C = [2, 6] x [2, 6], h = [4, 7] x [3, 8]; a fine grid counts the areas."""
    C, h = box([2, 2], [6, 6]), box([4, 3], [7, 8])
    middle = np.arange(0.05, 10, 0.1)
    grid = np.array(np.meshgrid(middle, middle)).reshape(2, -1).T
    counted = hypothesis_errors(h, C, grid)
    areas = hypothesis_areas(h, C, [[0, 10], [0, 10]])
    assert (areas.tp, areas.fp, areas.fn, areas.tn) == (6, 9, 10, 75)
    assert_allclose([counted.tp, counted.fp, counted.fn, counted.tn], [600, 900, 1000, 7500])
    assert counted.count == 1900 and counted.rate == 0.19
    assert areas.count == 19 and areas.rate == pytest.approx(0.19)


@pytest.mark.capability("IML-2-06")
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_counts_are_those_of_the_confusion_matrix(seed):
    rng = np.random.default_rng(seed)
    text, truth, w = rng.integers(0, 2, 30), rng.integers(0, 2, 30), rng.integers(0, 3, 30)
    result = hypothesis_errors(text, truth, np.zeros((30, 1)), w)
    tn, fp, fn, tp = confusion_matrix(truth, text, sample_weight=w, labels=[0, 1]).ravel()
    assert (result.tp, result.fp, result.fn, result.tn) == (tp, fp, fn, tn)
    assert result.count == w[text != truth].sum()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_areas_add_up_and_swap_with_the_boxes(seed):
    rng = np.random.default_rng(seed)
    a, b = (np.sort(rng.uniform(-1, 11, (2, 3)), axis=0) for _ in range(2))
    domain = [[0, 10]] * 3
    one, other = hypothesis_areas(box(*a), box(*b), domain), hypothesis_areas(box(*b), box(*a), domain)
    assert_allclose([one.tp, one.fp, one.fn, one.tn], [other.tp, other.fn, other.fp, other.tn], atol=1e-9)
    assert_allclose(one.tp + one.fp + one.fn + one.tn, 1000)
    assert min(one.tp, one.fp, one.fn) >= -1e-9


def test_hypotheses_of_any_kind():
    X = np.arange(6.0)[:, None]
    expected = hypothesis_errors([0, 0, 1, 1, 0, 0], [0, 1, 1, 0, 0, 0], X)
    assert (expected.tp, expected.fp, expected.fn, expected.tn) == (1, 1, 1, 3)
    h = Condition(0, 2, 3, "both")
    for kind in (h, [h], Rule((h,), "yes"), Box((h,)), lambda rows: (rows[:, 0] >= 2) & (rows[:, 0] <= 3)):
        assert hypothesis_errors(kind, [0, 1, 1, 0, 0, 0], X) == expected
    assert hypothesis_errors([], [], np.zeros((0, 1))).rate == 0
    empty = hypothesis_areas(Box(empty=True), Box(), [[0, 2]])
    assert (empty.tp, empty.fp, empty.fn, empty.tn) == (0, 0, 2, 0)


def test_what_has_no_error_is_refused():
    with pytest.raises(DataError, match="X has 2 rows"):
        hypothesis_errors([1], [1, 0], np.zeros((2, 1)))
    with pytest.raises(DataError, match=r"sample_weight.shape == \(3,\), expected \(2,\)"):
        hypothesis_errors([1, 0], [1, 0], np.zeros((2, 1)), [1, 1, 1])
    with pytest.raises(DataError, match="no area"):
        hypothesis_areas([Condition(0, codes=(1,))], Box(), [[0, 1]])
    with pytest.raises(DataError, match="lowest and a highest"):
        hypothesis_areas(Box(), Box(), [[1, 0]])
