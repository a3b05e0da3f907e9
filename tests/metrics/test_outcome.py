"""Outcomes: tables with a column for answers that are no class, weights, parts."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from assay.metrics import Outcome, measure_named, measures


def test_tables_of_answers_that_are_no_class():
    seen = Outcome(np.array([0, 0, 1, 1]), np.array([0, -1, 1, 0]), None, 2, weight=np.array([1, 2, 3, 4.0]))
    assert_array_equal(seen.confusion, [[1, 0, 2], [4, 3, 0]])
    assert_array_equal(seen.square, [[1, 0, 2], [4, 3, 0], [0, 0, 0]])
    assert_allclose(seen.mean(np.array([1, 0, 0, 1])), 0.5)


def test_an_answer_that_is_no_class_is_wrong_for_every_metric():
    """Of two right answers and one rejected row, the recalls are 1/2 and 1; the rest follows by hand."""
    seen = Outcome(np.array([0, 0, 1]), np.array([0, -1, 1]), None, 2)
    told = {
        "error": 1 / 3,
        "balanced accuracy": 0.75,
        "recall": 1,
        "recall of 0": 0.5,
        "macro precision": 1,
        "macro f1": (2 / 3 + 1) / 2,
        "g-mean": np.sqrt(0.5),
        "youden": 0.5,
    }
    for name, number in told.items():
        assert_allclose(measure_named(name).of(seen), number, err_msg=name)
    # kappa: agreement 2/3; by chance (2 * 1 + 1 * 1) / 9 = 1/3, the rejected column never being true
    assert_allclose(measures()["kappa"].of(seen), 0.5)


def test_some_of_the_rows():
    seen = Outcome(
        np.array([0, 1, 1]),
        np.array([0, 0, 1]),
        np.eye(2)[[0, 0, 1]],
        2,
        np.arange(3.0),
        None,
        np.arange(3.0),
    )
    part = seen.take(np.array([2, 2, 0]))
    assert_array_equal(part.truth, [1, 1, 0])
    assert_array_equal(part.posterior, [[0, 1], [0, 1], [1, 0]])
    assert_array_equal(part.weight, [2, 2, 0])
    assert_array_equal(part.price, [2, 2, 0])
    assert part.rejected is None


def test_a_class_whose_rows_weigh_nothing_has_no_part():
    truth, P = np.array([2, 1, 0, 2, 2, 1]), np.random.default_rng(0).dirichlet(np.ones(3), 6)
    weight = np.array([0.0, 0, 2, 2, 1, 0])  # class 1 weighs nothing
    whole = Outcome(truth, truth, P, 3, weight=weight)
    part = whole.take(np.flatnonzero(weight))
    for name in ("auc", "average precision", "lift", "gini"):
        found = measures()[name].of(whole)
        assert found == measures()[name].of(part) and np.isfinite(found)
        assert_allclose(measures()[name].estimate(whole, resamples=20).value, found)


def test_one_row_has_a_value_and_a_sentence():
    one = Outcome(np.array([0]), np.array([0]), np.array([[0.7, 0.3]]), 2)
    for name in ("specificity", "ece", "brier", "kappa"):
        found = measures()[name].estimate(one)
        assert found.why and np.isnan(found.low)
    assert measures()["error"].estimate(one).method == measures()["top-2"].estimate(one).method == "Wilson"
