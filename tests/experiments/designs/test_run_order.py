"""Run order: every run once, blocks together, Latin squares, blocks of a factorial; randomness that is fair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import DataError, ParameterError
from assay.experiments.designs.effects import effects
from assay.experiments.designs.factorial import full_factorial, three_level
from assay.experiments.designs.fractional import fractional_factorial
from assay.experiments.designs.run_order import (
    blocked_runs,
    confounded_blocks,
    latin_square,
    randomised_order,
)


@pytest.mark.capability("IML-19-03")
@given(st.integers(1, 30), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_every_run_once_and_the_same_for_a_seed(n, seed):
    order = randomised_order(n, random_state=seed)
    assert sorted(order.tolist()) == list(range(n))
    assert order.tolist() == randomised_order(n, random_state=seed).tolist()
    blocks = np.arange(n) % 3
    within = randomised_order(n, blocks=blocks, random_state=seed)
    assert sorted(within.tolist()) == list(range(n))
    changes = np.sum(np.diff(blocks[within]) != 0)
    assert changes == min(n, 3) - 1  # blocks stay together


def test_every_place_is_equally_likely():
    places = np.array([randomised_order(5, random_state=s) for s in range(4000)])
    share = (places[:, :, None] == np.arange(5)).mean(axis=0)
    assert np.abs(share - 0.2).max() < 4.5 * np.sqrt(0.2 * 0.8 / 4000)


@pytest.mark.capability("IML-19-03")
def test_all_learners_see_the_same_folds():
    learners = ["tree", "bayes", "rules"]
    plan = blocked_runs(learners, 10, random_state=0)
    assert len(plan) == 30
    for fold in range(1, 11):
        own = [r for r in plan if r["block"] == fold]
        assert sorted(r["treatment"] for r in own) == sorted(learners)
        assert [r["place"] for r in own] == [1, 2, 3]
    orders = {tuple(r["treatment"] for r in plan[3 * i : 3 * i + 3]) for i in range(10)}
    assert len(orders) > 1  # each fold has an order of its own


@pytest.mark.capability("IML-19-03")
@given(st.integers(2, 9), st.integers(0, 200))
@settings(max_examples=40, deadline=None)
def test_latin_squares(k, seed):
    square = latin_square(k, random_state=seed)
    for line in [*square, *zip(*square)]:
        assert sorted(line) == list(range(1, k + 1))
    assert square == latin_square(k, random_state=seed)


def test_latin_squares_vary():
    squares = {tuple(map(tuple, latin_square(["a", "b", "c"], random_state=s))) for s in range(200)}
    assert len(squares) == 12  # all Latin squares of order three


def test_a_factorial_in_blocks_gives_up_the_chosen_interaction_only():
    design = full_factorial(3)
    blocks = confounded_blocks(design, ["ABC"])
    assert np.bincount(blocks).tolist() == [4, 4]
    y = 10 * design.coded[:, 0] + 100 * blocks  # a large block effect
    found = effects(design, y)
    assert found["A"] == 20 and found["ABC"] == 100
    assert all(found[e] == 0 for e in ("B", "C", "AB", "AC", "BC"))
    four = confounded_blocks(full_factorial(4), ["ABC", "BCD"])
    assert np.bincount(four).tolist() == [4, 4, 4, 4]
    order = randomised_order(design, blocks=blocks, random_state=0)
    assert len(set(blocks[order[:4]])) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: randomised_order(0), "at least one run"),
        (lambda: randomised_order(1.5), "runs or their number"),
        (lambda: randomised_order(3, blocks=[1, 2]), "3 block labels"),
        (lambda: blocked_runs(["a"], 3), "2 or more different"),
        (lambda: blocked_runs(["a", "a"], 3), "2 or more different"),
        (lambda: blocked_runs("ab", 3), "expected a list"),
        (lambda: blocked_runs(["a", "b"], 0), "1 or more"),
        (lambda: latin_square(1), "2 or more"),
        (lambda: confounded_blocks(full_factorial(3), ["A"]), "mix A with the blocks"),
        (lambda: confounded_blocks(full_factorial(3), ["AB", "ABC"]), "mix C with the blocks"),
        (lambda: confounded_blocks(full_factorial(3), ["AB", "AB"]), "given twice"),
        (lambda: confounded_blocks(full_factorial(3), "AB"), "must be a list"),
        (lambda: confounded_blocks(full_factorial(3), ["AX"]), "different factors out of"),
        (lambda: confounded_blocks(three_level(2), ["AB"]), "two levels"),
        (lambda: confounded_blocks([[1, -1]], ["AB"]), "a design such as"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises((DataError, ParameterError), match=message):
        call()


def test_blocks_of_a_fraction_take_no_factor_with_them():
    """With D = ABC the word ABC is D itself, and ABCD is the same on all runs."""
    half = fractional_factorial(4, ["D=ABC"])
    assert confounded_blocks(half, ["AB"]).tolist() == [1, 0, 0, 1, 1, 0, 0, 1]
    with pytest.raises(ParameterError, match="ABC is the same as D"):
        confounded_blocks(half, ["ABC"])
    with pytest.raises(ParameterError, match="ABCD is constant"):
        confounded_blocks(half, ["ABCD"])
