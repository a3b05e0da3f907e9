"""Costs of answers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.decide.losses import as_loss
from assay.errors import DataError, ParameterError
from assay.metrics.costs import cost_per_row, cost_sensitive_accuracy, expected_cost


@pytest.mark.capability("DC-112")
@pytest.mark.parametrize(("cost", "told"), [((1, 1), 0.9465), ((1, 10), 0.917890), ((1, 99), 0.775)])
def test_cost_sensitive_accuracy_of_the_book(cost, told):
    """Oracle: DC 10.9.2.1, 990 and 10 rows with accuracies .95 and .6."""
    truth = np.repeat([0, 1], [990, 10])
    answer = truth.copy()
    answer[: round(990 * 0.05)] = 1  # 49.5 rows are wrong; the weights below put the half right
    answer[-4:] = 0
    w = np.ones(1000)
    w[:50], w[50:990] = 49.5 / 50, 940.5 / 940
    assert (answer[:990] != 0).sum() == 50
    assert_allclose(cost_sensitive_accuracy(truth, answer, cost, sample_weight=w), told, atol=5e-7)
    named = {0: cost[0], 1: cost[1]}
    assert_allclose(cost_sensitive_accuracy(truth, answer, named, sample_weight=w), told, atol=5e-7)


def test_expected_cost_is_the_mean_of_the_rows_and_error_under_no_loss():
    truth, answer = np.array(list("aabbc")), np.array(list("abbcc"))
    loss = {("a", "b"): 3, ("b", "a"): 5}
    assert_array_equal(cost_per_row(truth, answer, loss), [0, 5, 0, 1, 0])
    assert expected_cost(truth, answer, loss) == 1.2
    assert expected_cost(truth, answer) == 0.4
    assert_allclose(expected_cost(truth, answer, loss, sample_weight=[1, 2, 1, 0, 0]), 10 / 4)
    table = as_loss(loss, ["a", "b", "c"])
    assert expected_cost(truth, answer, table) == 1.2
    assert expected_cost(truth, answer, table.costs) == 1.2


def test_answers_that_are_no_class_cost_what_the_loss_says():
    truth, answer = np.array(["no", "yes", "no"]), np.array(["no", "ask", "reject"])
    loss = {("ask", "yes"): 2, ("ask", "no"): 2, ("no", "yes"): 10}
    assert_array_equal(cost_per_row(truth, answer, loss, reject=0.5), [0, 2, 0.5])
    assert_array_equal(cost_per_row(truth[:2], ["reject", "reject"], reject=[0.1, 0.2]), [0.1, 0.2])


def test_bad_input_is_told_plainly():
    with pytest.raises(DataError, match="the answer 'maybe' of row 2 is not in the loss"):
        cost_per_row(["a", "b"], ["a", "maybe"], {("a", "b"): 2}, classes=["a", "b"])
    with pytest.raises(DataError, match="labels of different types"):
        cost_per_row([0, 1], ["a", "b"])
    with pytest.raises(DataError, match="2 true labels and 1 predictions"):
        cost_per_row(["a", "b"], ["a"])
    with pytest.raises(ParameterError, match="no entry for class 1"):
        cost_sensitive_accuracy([0, 1], [0, 1], {0: 2})
    with pytest.raises(ParameterError, match="2 numbers from 0 up"):
        cost_sensitive_accuracy([0, 1], [0, 1], [1, 2, 3])
    with pytest.raises(ParameterError, match="cost nothing"):
        cost_sensitive_accuracy([0, 1], [0, 1], [0, 0])


@pytest.mark.parametrize("reject", ["dear", np.nan, [1, 2, 3]])
def test_the_cost_of_rejecting_is_a_number_or_one_per_row(reject):
    with pytest.raises(DataError, match="reject"):
        cost_per_row(["a", "b"], ["a", "reject"], reject=reject)
    with pytest.raises(DataError, match="cost must be numbers"):
        cost_sensitive_accuracy([0, 1], [0, 1], cost=["a", "b"])
