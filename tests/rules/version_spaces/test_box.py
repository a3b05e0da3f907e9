"""Boxes: which holds which, the tightest one, those between two, and limits."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.errors import ParameterError
from assay.rulebase.conditions import Condition
from assay.rules.version_spaces.box import Box, box_between, hull, in_order, joined, limited
from assay.tables import Column, Schema


def test_a_box_holds_another_only_if_every_end_does():
    a, b = Box((Condition(0, 1, 2, "both"),)), Box((Condition(0, 1, 2, "neither"),))
    assert a.contains(b) and not b.contains(a) and a.contains(a)
    assert Box().contains(a) and not a.contains(Box()) and a.contains(Box(empty=True))
    assert not Box(empty=True).contains(a) and not Box(empty=True).covers(np.zeros((2, 1))).any()
    red, any_of = Box((Condition(0, codes=(1,)),)), Box((Condition(0, codes=(0, 1)),))
    assert any_of.contains(red) and not red.contains(any_of)
    gaps = Box((Condition(0, 0, 3, "both", None, True),))
    assert gaps.contains(a) and not a.contains(gaps)


def test_ends_between_neighbouring_numbers_stay_inside_g():
    low = 1.0
    S, G = Box((Condition(0, np.nextafter(low, 2), 3, "both"),)), Box((Condition(0, low, 4, "neither"),))
    for tau in (0.1, 0.5, 0.9999):
        assert not box_between(S, G, tau).covers(np.array([[low]]))[0]
    huge = Box((Condition(0, -1e308, 1e308, "both"),)), Box((Condition(0, -1.7e308, 1.7e308, "neither"),))
    assert np.isfinite(box_between(*huge, 0.5).conditions[0].high)


def test_the_tightest_box_holds_its_rows_and_nothing_beyond_them():
    schema = Schema([Column("a"), Column("c", "nominal", ("u", "v", "w"))])
    rows = np.array([[1.0, 0], [3.0, 2], [np.nan, 0]])
    box = hull(rows, schema)
    assert box.words(schema) == "1 <= a <= 3 AND c in {'u', 'w'}"
    assert_array_equal(
        box.covers(np.array([[2.0, 0], [2.0, 1], [3.1, 0], [np.nan, 2]])), [True, False, False, True]
    )
    assert hull(rows, schema, "value").words(schema) == "1 <= a <= 3"
    assert hull(rows[:0], schema).empty


def test_limits_are_for_ordered_columns():
    schema = Schema([Column("a"), Column("c", "nominal", ("u", "v"))])
    assert limited(Box((Condition(0, low=2),)), {"a": (0, 9)}, schema, "x").words(schema) == "2 < a <= 9"
    with pytest.raises(ParameterError, match="x: domain is for ordered columns; 'c' is nominal"):
        limited(Box(), {"c": (0, 1)}, schema, "x")


def test_conditions_on_one_column_are_joined_and_boxes_sorted():
    box = joined([Condition(1, low=2), Condition(0, high=1), Condition(1, high=5)])
    assert box.conditions == (Condition(0, high=1), Condition(1, 2, 5))
    boxes = [Box((Condition(1, low=1),)), Box((Condition(0, low=1),)), Box((Condition(0, low=-1),))]
    assert in_order(boxes, 2) == (boxes[0], boxes[2], boxes[1])
