"""Processes without a discount: rounds that lose nothing, rounds that earn, and the best of all policies that end."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DegenerateError
from assay.reinforcement import MDP
from assay.reinforcement.endless import staying
from assay.reinforcement.solving import METHODS

# Two states lead to each other for nothing; to end costs 1 from the first and 3 from the second.
CIRCLE = MDP(
    [[[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1], [0, 0, 1]]],
    [[0, -1], [0, -3], [0, 0]],
    1.0,
    terminal=[2],
    actions=["on", "end"],
)


@pytest.mark.parametrize("method", METHODS)
def test_a_free_circle_does_not_hide_the_best_way_to_end(method):
    """By hand: whoever must end some day ends in the first state, for 1."""
    solution = CIRCLE.solve(method)
    assert_allclose(solution.values, [-1, -1, 0], atol=1e-6)
    assert solution.actions == ["end", "on", None]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("rewards", [[[1, 0], [0, 0], [0, 0]], [[3, 0], [-2, 0], [0, 0]]])
def test_rounds_that_earn_are_refused_by_every_method(method, rewards):
    process = MDP(
        [[[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1], [0, 0, 1]]], rewards, 1.0, terminal=[2]
    )
    with pytest.raises(DegenerateError, match="rewards grow without limit"):
        process.solve(method)


@pytest.mark.parametrize("method", METHODS)
def test_rounds_that_lose_on_average_are_left_in_time(method):
    """By hand: 2 is earned on the way out of the first state and 3 lost on the way back; to end there is worth 2."""
    process = MDP(
        [[[0, 1, 0], [1, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1], [0, 0, 1]]],
        [[2, 0], [-3, 0], [0, 0]],
        1.0,
        terminal=[2],
    )
    assert_allclose(process.solve(method).values, [2, 0, 0], atol=1e-6)


@given(seed=st.integers(0, 10_000))
def test_all_methods_find_the_best_policy_that_ends(seed):
    """Against the best of all deterministic policies that end from everywhere, tried one by one."""
    rng = np.random.default_rng(seed)
    S, A = 4, 2
    ahead = np.zeros((A, S, S))
    for a, s in itertools.product(range(A), range(S)):
        places = rng.choice(S, size=rng.integers(1, 3), replace=False)
        ahead[a, s, places] = rng.dirichlet(np.ones(len(places)))
    ahead[1, :, 3] += 0.2  # every state can end
    ahead[1] /= ahead[1].sum(axis=1, keepdims=True)
    rewards = rng.integers(-2, 1, size=(S, A)).astype(float)
    process = MDP(list(ahead), rewards, 1.0, terminal=[3])
    tried = []
    for choice in itertools.product(range(A), repeat=3):
        try:
            tried.append(process.evaluate([*choice, 0]))
        except DegenerateError:
            continue  # goes round for ever
    best = np.max(tried, axis=0)
    for method in METHODS:
        assert_allclose(process.solve(method, epsilon=1e-9).values, best, atol=1e-6)


def test_where_a_process_can_stay_for_ever():
    actions, component = staying(CIRCLE, CIRCLE.available)
    assert actions.tolist() == [[True, False], [True, False], [False, False]]
    assert component[0] == component[1] >= 0 > component[2]


def test_states_that_are_never_reached_are_named():
    stay = np.eye(3)
    process = MDP([stay], [1.0, 2.0, 3.0], 0.5, start="a", states=["a", "b", "c"])
    solution = process.solve()
    assert solution.unreachable == ["b", "c"]
    assert "never reached from the start: 'b', 'c'" in repr(solution)
    assert str(solution.explain("b")).endswith("No episode comes here from where the process starts.")
    assert "No episode" not in str(solution.explain("a"))
