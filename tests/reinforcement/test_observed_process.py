"""Processes from tables of outcomes and of observed transitions."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.reinforcement import MDP, GridWorld, ObservedProcess

STATE = ["a"] * 6 + ["b"] * 2
ACTION = ["x", "x", "x", "y", "y", "y", "x", "x"]
NEXT = ["a", "b", "b", "b", "a", "a", "a", "end"]
REWARD = [1.0, 2.0, 3.0, 0.0, 4.0, 2.0, 5.0, 7.0]


class Lake:
    """Four cells in a row: the last is the goal; the second also ends at random, though it can be walked through."""

    P = {
        s: {
            0: [(0.5, 2, 0.0, False), (0.5, 2, -1.0, True)]
            if s == 1
            else [(0.75, s + 1, float(s == 2), s == 2), (0.25, s, 0.0, False)],
            1: [(1.0, s, 0.0, False)],
        }
        for s in range(3)
    } | {3: {a: [(1.0, 3, 0.0, True)] for a in (0, 1)}}  # fmt: skip
    initial_state_distrib = np.array([1.0, 0, 0, 0])


def test_a_table_of_outcomes_becomes_a_process():
    """Worked by hand: cell 3 is terminal; what ends on the way to cell 2, which is passed through, leads to "end"."""
    process = MDP.from_gymnasium(Lake(), discount=0.5)
    assert process.states == [0, 1, 2, 3, "end"]
    assert_array_equal(process.terminal, [False, False, False, True, True])
    assert process.outcomes(1, 0) == [(2, 0.5, 0.0), ("end", 0.5, -1.0)]
    assert_array_equal(process.start, [1, 0, 0, 0, 0])
    v2 = 0.75 / (1 - 0.125)  # 0.75 (1) + 0.25 (0.5 v2)
    v1 = max(0.5 * 0.5 * v2 - 0.5, 0.0)  # or stay for ever
    assert_allclose(
        process.solve(epsilon=1e-10).values, [0.75 * 0.5 * v1 / (1 - 0.125), v1, v2, 0, 0], atol=1e-9
    )
    with pytest.raises(DataError, match="no table P of outcomes"):
        MDP.from_gymnasium(object())

    class Torn:
        P = {0: {0: [(1.0, 7, 0.0, False)]}}

    with pytest.raises(DataError, match="from 0 to 0"):
        MDP.from_gymnasium(Torn())


def test_expected_probabilities_are_shares_and_pseudo_counts():
    process = ObservedProcess(STATE, ACTION, REWARD, NEXT, terminal=["end"])
    expected = process.expected()
    assert_allclose([p for _, p, _ in expected.outcomes("a", "x")], [1 / 3, 2 / 3])
    assert_allclose(expected.rewards[0], [2.0, 2.0])  # means of 1, 2, 3 and of 0, 4, 2
    assert_array_equal(process.counts, [[3, 3], [2, 0], [0, 0]])
    assert not expected.available[1, 1]
    smooth = ObservedProcess(STATE, ACTION, REWARD, NEXT, terminal=["end"], prior=3, support="all").expected()
    assert_allclose([p for _, p, _ in smooth.outcomes("a", "x")], [2 / 6, 3 / 6, 1 / 6])


def test_drawn_probabilities_have_the_moments_of_the_dirichlet():
    process = ObservedProcess(STATE, ACTION, REWARD, NEXT, terminal=["end"], prior=1.0)
    random = np.random.default_rng(0)
    draws = np.array([[p for _, p, _ in process.sample(random).outcomes("a", "x")] for _ in range(1500)])
    alpha = np.array([1.5, 2.5])
    mean = alpha / 4
    assert_allclose(draws.mean(axis=0), mean, atol=4 * np.sqrt(mean[0] * mean[1] / 5 / 1500))
    assert_allclose(draws.var(axis=0), mean[0] * mean[1] / 5, rtol=0.15)


def test_more_observations_make_the_choice_surer():
    world = GridWorld("..G\n...\nS..", goal_reward=1, slip=0.2)
    at_random = np.full((9, 4), 0.25)
    shares, widths = [], []
    for episodes in (10, 200):
        log = pd.DataFrame(world.simulate(at_random, episodes, random_state=0).to_dict())
        result = ObservedProcess.from_table(log, terminated="terminated").solve(n_draws=60, random_state=0)
        first = result.solution.process.state_number(1)  # left of the goal
        low, high = result.intervals[first]
        shares.append(result.best_share[first])
        widths.append(high - low)
        assert low <= result.solution.values[first] <= high
    assert shares[1] > 0.95 and shares[1] >= shares[0] and widths[1] < 0.5 * widths[0]
    assert abs(result.solution.values[first] - world.solve().values[1]) < 0.05
    assert "best in" in str(result)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"terminal": None}, "no action was observed in state 'end'"),
        ({"terminal": ["nowhere"]}, "'nowhere'"),
        ({"prior": -1.0}, "prior must be"),
        ({"support": "some"}, "support must be"),
        ({"reward": [np.nan] * 8}, "row 1 is not"),
        ({"reward": ["much"] * 8}, "rewards must be numbers"),
        ({"state": [None] * 8}, "missing value in row 1"),
        ({"action": ["x"]}, "one length"),
        ({"terminated": [2] * 8}, "true or false"),
    ],
)
def test_what_cannot_be_read_is_named(change, message):
    given = {
        "state": STATE,
        "action": ACTION,
        "reward": REWARD,
        "next_state": NEXT,
        "terminal": ["end"],
        **change,
    }
    with pytest.raises((DataError, ParameterError), match=message):
        ObservedProcess(**given)
    with pytest.raises(DataError, match="no column 'reward'"):
        ObservedProcess.from_table({"state": ["a"], "action": ["x"], "next_state": ["a"]})
