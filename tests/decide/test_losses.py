"""Losses: rows are actions, columns are truths."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.decide import as_loss
from assay.errors import ParameterError

CLASSES = ["no", "yes"]


def test_no_loss_is_the_zero_one_loss():
    assert_array_equal(as_loss(None, range(3)).costs, 1 - np.eye(3))


def test_the_key_of_a_pair_is_said_then_truth():
    table = as_loss({("yes", "no"): 10}, CLASSES)
    assert table.costs[CLASSES.index("yes"), CLASSES.index("no")] == 10
    assert table.costs[CLASSES.index("no"), CLASSES.index("yes")] == 1  # not named: as in the 0/1 loss
    assert_array_equal(np.diag(table.costs), 0)


def test_an_action_that_is_no_class_stands_after_the_classes():
    table = as_loss({("ask", "no"): 2, ("ask", "yes"): 3, ("yes", "yes"): -4}, CLASSES)
    assert table.actions == ("no", "yes", "ask")
    assert_array_equal(table.costs, [[0, 1], [1, -4], [2, 3]])


def test_names_of_array_rows():
    assert as_loss([[0, 1], [1, 0]], CLASSES).actions == ("no", "yes")
    assert as_loss([[0, 1], [1, 0], [2, 2]], CLASSES).actions == (0, 1, 2)
    assert as_loss([[0, 1]], CLASSES, ["wait"]).actions == ("wait",)


def test_what_decisions_cost_with_one_table_and_with_one_per_row():
    chosen, truth = np.array([0, 1, 1]), np.array([1, 0, 1])
    assert_array_equal(as_loss([[0, 10], [5, 0]], CLASSES).of(chosen, truth), [10, 5, 0])
    costs = np.arange(12.0).reshape(3, 2, 2)
    assert_array_equal(as_loss(costs, CLASSES).of(chosen, truth), [1, 6, 11])


def test_a_loss_is_kept_but_only_for_its_own_classes():
    table = as_loss({("yes", "no"): 3}, np.array(CLASSES))
    assert as_loss(table, CLASSES) is table
    with pytest.raises(ParameterError, match="the loss is for classes"):
        as_loss(table, ["a", "b"])


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ({("yes", "maybe"): 1}, "names the truth 'maybe', which is not among classes"),
        ({("yse", "no"): 1}, "'yse' is not a class .*missing: \\['yes'\\].*misspelt"),
        ({"yes": 1}, "pairs \\(predicted, true\\), got 'yes'"),
        ({("yes", "no"): "dear"}, "must be a number, got 'dear'"),
        ({("yes", "no"): np.nan}, "is nan, expected finite"),
        ([[0, 1, 2], [1, 0, 2]], "shape \\(actions, 2\\).*got shape \\(2, 3\\)"),
        ([0, 1], "got shape \\(2,\\)"),
        ([[0, np.inf], [1, 0]], "loss\\[0, 1\\] is inf"),
        ("cheap", "a dict .* or an array of numbers, got str"),
    ],
)
def test_a_wrong_loss_is_told(loss, words):
    with pytest.raises(ParameterError, match=words):
        as_loss(loss, CLASSES)


def test_names_must_fit_the_rows():
    with pytest.raises(ParameterError, match="2 actions, so 2 different names"):
        as_loss([[0, 1], [1, 0]], CLASSES, ["a", "a"])
    with pytest.raises(ParameterError, match="names its actions itself"):
        as_loss({("yes", "no"): 1}, CLASSES, ["a", "b"])
