"""Flat splits: thresholds, hyperplanes, discriminants."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.tables import Column, Schema
from assay.trees.multivariate.splits import Discriminants, Hyperplane, Threshold

NAMES = ["a", "b", "c"]
SCHEMA = Schema([Column(name) for name in NAMES])
X = np.random.default_rng(0).normal(size=(50, 3))
PLANE = Hyperplane(np.array([2.0, 0.0, -0.5]), 0.25, np.array([1.0, 2.0, 4.0]))
MACHINE = Discriminants(
    np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, -1.0, 0.0]]),
    np.array([0.1, 0.0, -0.2]),
    np.array([0.5, 0.0, 0.0]),
    np.ones(3),
    np.array([0, 2, 1]),
)


@pytest.mark.parametrize("split", [Threshold(1, 0.3), PLANE])
def test_the_conditions_of_a_split_say_what_it_does(split):
    """What is printed and exported covers exactly the rows that the branch takes."""
    branch = split.branch(X)
    for b, condition in enumerate(split.conditions()):
        assert_array_equal(condition.covers(X), branch == b)


def test_a_hyperplane_in_words_and_terms():
    assert PLANE.words(NAMES) == "2 a - 0.5 c"
    assert PLANE.labels([]) == ["≤ 0.25", "> 0.25"]
    terms = PLANE.terms(X[0], NAMES)
    assert_allclose(sum(part for _, _, part in terms), PLANE.value(X[:1])[0])
    assert [abs(part) for _, _, part in terms] == sorted((abs(part) for _, _, part in terms), reverse=True)
    assert_allclose(PLANE.shares(3), [0.5, 0.0, 0.5])
    assert PLANE.n_parameters == 3


def test_a_row_goes_to_the_largest_score():
    scores = (X - MACHINE.centre) @ MACHINE.weights.T + MACHINE.constants
    assert_array_equal(MACHINE.branch(X), scores.argmax(axis=1))
    assert MACHINE.labels(["x", "y", "z"]) == ["of x", "of z", "of y"]


def test_the_terms_of_discriminants_add_up_to_the_lead():
    for x in X[:10]:
        scores = np.sort(MACHINE.value(x[None])[0])
        terms = MACHINE.terms(x, NAMES)
        assert_allclose(sum(part for _, _, part in terms), scores[-1] - scores[-2])


def test_discriminants_without_a_branch_choose_among_the_others():
    less = MACHINE.without(np.array([1]))
    assert_array_equal(less.classes, [0, 1])
    scores = MACHINE.value(X)[:, [0, 2]]
    assert_array_equal(less.branch(X), scores.argmax(axis=1))


@pytest.mark.parametrize(
    "split",
    [
        Threshold(3, 0.0),
        Threshold(-1, 0.0),
        Threshold(0, np.nan),
        Hyperplane(np.ones(2), 0.0, np.ones(3)),
        Hyperplane(np.ones(3), np.inf, np.ones(3)),
        Hyperplane(np.array([1.0, np.nan, 0.0]), 0.0, np.ones(3)),
        Discriminants(np.ones((2, 3)), np.ones(3), np.zeros(3), np.ones(3), np.arange(3)),
        Discriminants(np.ones((1, 3)), np.ones(1), np.zeros(3), np.ones(3), np.arange(1)),
        Discriminants(np.ones((2, 3)), np.ones(2), np.zeros(3), np.ones(3), np.array([0.0, 1.0])),
    ],
)
def test_a_split_that_rows_cannot_be_given_is_refused(split):
    with pytest.raises(ValueError, match="BranchTree"):
        split.check(3)


@pytest.mark.parametrize("split", [Threshold(1, 0.3), PLANE, MACHINE])
def test_shares_sum_to_one(split):
    split.check(3)
    assert_allclose(split.shares(3).sum(), 1)
