"""The order of the classes, and what the rules of one class leave to the next."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.errors import ParameterError
from assay.rules.covering.class_by_class import class_by_class, class_sequence
from assay.rules.covering.growing import RankedTable
from assay.tables import Schema

CLASSES = np.array(["a", "b", "c"])


@pytest.mark.capability("DC-39")
def test_rare_classes_come_first_and_equal_ones_as_the_rows_show_them():
    y = np.repeat([0, 1, 2], [9, 2, 5])
    sequence, totals = class_sequence("rarest first", CLASSES, y, None, "Learner")
    assert_array_equal(sequence, [1, 2, 0])
    assert_array_equal(totals, [9, 2, 5])
    even = np.array([2, 0, 1] * 3)
    assert_array_equal(class_sequence("rarest first", CLASSES, even, None, "Learner")[0], [2, 0, 1])
    w = np.array([0.0, 1, 1, 1, 1, 1, 2, 1, 1])  # the first row is not there
    assert_array_equal(class_sequence("rarest first", CLASSES, even, w, "Learner")[0], [0, 1, 2])


def test_an_order_of_ones_own():
    y = np.array([0, 1, 2])
    assert_array_equal(class_sequence(["c", "a", "b"], CLASSES, y, None, "Learner")[0], [2, 0, 1])
    assert_array_equal(class_sequence(np.array([2, 1]), np.array([1, 2]), y[:2], None, "Learner")[0], [1, 0])


@pytest.mark.parametrize("order", [["a", "b"], ["a", "b", "b"], ["a", "b", "d"], [], 5])
def test_an_order_that_is_not_one_of_all_classes_is_refused(order):
    with pytest.raises(ParameterError, match="Learner: class_order must list each class once: 'a', 'b', 'c'"):
        class_sequence(order, CLASSES, np.array([0, 1, 2]), None, "Learner")


def test_a_class_learns_from_the_rows_that_earlier_rules_leave():
    X, y = np.arange(9.0)[:, None], np.repeat([0, 1, 2], 3)
    table = RankedTable(X, Schema.numeric(1))
    seen = []

    def learn(k, rows):
        seen.append((k, rows.rows.tolist(), rows.positive.sum()))
        return [rows.grow(rows.state(np.arange(len(rows))))]

    result = class_by_class(table, y, np.array([2, 0, 1]), learn)
    assert seen == [(2, list(range(9)), 3), (0, list(range(6)), 3)]
    assert [(c[0].words(table.schema), k) for c, k in result] == [("x0 > 5.5", 2), ("x0 <= 2.5", 0)]


def test_a_class_without_rows_left_gets_no_rules():
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2])
    table = RankedTable(X, Schema.numeric(1))
    asked = []

    def learn(k, rows):
        asked.append(k)
        return [rows.grow(rows.state(np.arange(len(rows)))).first(0)]  # a rule for all rows

    assert class_by_class(table, y, np.array([0, 1, 2]), learn) == [((), 0)]
    assert asked == [0]
