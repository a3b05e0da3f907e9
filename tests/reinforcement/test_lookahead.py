"""Learning from several rewards at once."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import ParameterError
from assay.reinforcement import MDP, ExpectedSarsa, GridWorld, QLearning, Sarsa, TemporalDifference

WORLD = GridWorld("...G\n.#..\nS..X", goal_reward=10, pit_reward=-10, slip=0.1)


@pytest.mark.capability("IML-18-07")
def test_three_rewards_reach_the_first_state():
    """By hand: rewards 1, 2, 4, discount 0.5, rate 0.5; the return of three steps is 1 + 0.5 2 + 0.25 4 = 3."""
    chain = np.eye(4, k=1)
    process = MDP([chain], [[1], [2], [4], [0]], 0.5, terminal=[3], start=0)
    learned = TemporalDifference(learning_rate=0.5, lookahead=3).fit(process, 1)
    assert_allclose(learned.values_, [1.5, 2.0, 2.0, 0.0])  # half of 3, 2 + 0.5 4 and 4
    one = TemporalDifference(learning_rate=0.5).fit(process, 1)
    assert_allclose(one.values_, [0.5, 1.0, 2.0, 0.0])


@pytest.mark.parametrize("agent", [Sarsa, ExpectedSarsa])
@pytest.mark.parametrize("lookahead", [2, 5])
def test_the_native_course_is_the_course_step_by_step(agent, lookahead):
    native = agent(0.2, lookahead=lookahead, random_state=0).fit(WORLD, 60, record=True, max_steps=12)
    twin = agent(0.2, lookahead=lookahead, random_state=0)
    twin.begin(*WORLD.rewards.shape, discount=WORLD.discount, available=WORLD.available)
    log = native.episodes_
    assert log.truncated.any() and log.terminated.any()
    exact = agent is ExpectedSarsa
    for i in range(len(log.state)):
        over = bool(log.terminated[i] or log.truncated[i])
        if log.truncated[i] and not exact:
            return  # the action that would have followed is not in the log
        following = None if over else int(log.action[i + 1])
        twin.observe(int(log.state[i]), int(log.action[i]), float(log.reward[i]), int(log.next_state[i]), following,
                     terminated=bool(log.terminated[i]), truncated=bool(log.truncated[i]))  # fmt: skip
    assert_allclose(native.q_, twin.q_, atol=1e-12)
    assert_array_equal(native.visits_, twin.visits_)


def test_sarsa_of_whole_episodes_step_by_step():
    world = GridWorld("..G\n...\nS..", goal_reward=100)
    native = Sarsa(0.2, lookahead=4, random_state=0).fit(world, 100, record=True)
    twin = Sarsa(0.2, lookahead=4).begin(
        *world.rewards.shape, discount=world.discount, available=world.available
    )
    log = native.episodes_
    assert log.terminated.sum() == 100
    for i in range(len(log.state)):
        following = None if log.terminated[i] else int(log.action[i + 1])
        twin.observe(int(log.state[i]), int(log.action[i]), float(log.reward[i]), int(log.next_state[i]), following,
                     terminated=bool(log.terminated[i]))  # fmt: skip
    assert_array_equal(native.q_, twin.q_)


def test_what_does_not_go_together_is_refused():
    for agent, message in (
        (QLearning(lookahead=2), "Take Sarsa"),
        (Sarsa(lookahead=2, fade=0.5), "neither with traces"),
        (Sarsa(lookahead=2, planning_steps=1), "nor with planning"),
        (Sarsa(lookahead=0), "from 1 up"),
        (Sarsa(lookahead=True), "from 1 up"),
    ):
        with pytest.raises(ParameterError, match=message):
            agent.fit(WORLD, 1)
