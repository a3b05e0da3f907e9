"""Outcomes: tables with a column for answers that are no class, weights, parts."""

import numpy as np
import pytest
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


class Certain:
    """The simplest predictive distribution: every row is known to be its mean."""

    def __init__(self, mean):
        self.mean = np.asarray(mean, dtype=np.float64)

    def take(self, rows):
        return Certain(self.mean[rows])


def test_numbers_with_intervals_and_a_distribution_are_taken_together():
    whole = Outcome.of_numbers(
        [1, 2, 3], None, weight=[1, 0, 2], lower=[0, 1, -np.inf], upper=[2, 2, 4], coverage=0.8,
        distribution=Certain([1, 2, 4]), columns=5,
    )  # fmt: skip
    assert_array_equal(whole.answer, [1, 2, 4])
    part = whole.take(np.array([2, 0]))
    assert_array_equal(part.truth, [3, 1])
    assert_array_equal(part.lower, [-np.inf, 0])
    assert_array_equal(part.upper, [4, 2])
    assert_array_equal(part.distribution.mean, [4, 1])
    assert (part.K, part.coverage, part.columns) == (0, 0.8, 5)


def test_an_interval_without_a_prediction_answers_with_its_middle():
    seen = Outcome.of_numbers([1, 2, 3], None, lower=[0, 1, -np.inf], upper=[2, np.inf, np.inf])
    assert_array_equal(seen.answer, [1, 1, 0])
    wide = Outcome.of_numbers([1.0], None, lower=[-1.5e308], upper=[1.7e308])
    assert_allclose(wide.answer, 1e307)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"answer": [1, 2]}, "inconsistent numbers of samples: 3 true values, 2 predictions"),
        ({"answer": [1, np.nan, 2]}, "the prediction of row 2 is NaN or infinite"),
        ({"answer": None}, "there is no prediction"),
        ({"lower": [0, 0, 0]}, "two ends: give lower and upper"),
        ({"lower": [0, 0, 0], "upper": [1, -1, 1]}, "row 2 ends before it begins: lower 0, upper -1"),
        ({"lower": [0, 0], "upper": [1, 1, 1]}, "3 true values and 2 of lower"),
        ({"lower": [0, 0, 0], "upper": [1, np.nan, 1]}, "upper of row 2 is NaN"),
        ({"coverage": 90}, "coverage must be between 0 and 1, got 90"),
        ({"weight": [1, -1, 1]}, "Negative values in data passed to `sample_weight`"),
    ],
)
def test_what_is_no_outcome_of_numbers_is_refused_with_a_sentence(wrong, said):
    with pytest.raises(ValueError, match=said):
        Outcome.of_numbers(**{"truth": [1, 2, 3], "answer": [1, 2, 3], **wrong})
