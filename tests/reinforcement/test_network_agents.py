"""Agents with networks: what one layer makes of them, and that they learn."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.neural import Dense, Network
from assay.reinforcement import EpsilonGreedy, LinearSarsa, NetworkQLearning, NetworkSarsa


class Corridor:
    """A place from 0 to 1; the second action goes right, where 1 is earned."""

    def reset(self, seed=None):
        self.place = 0.0
        return [self.place], {}

    def step(self, action):
        self.place = min(max(self.place + (0.25 if action else -0.25), 0.0), 1.0)
        end = self.place >= 1.0
        return [self.place], float(end) - 0.05, end, False, {}


@pytest.mark.capability("IML-18-09")
@pytest.mark.parametrize("fade", [0.0, 0.8])
def test_one_layer_is_the_linear_agent(fade):
    """A layer without hidden units on (1, x) learns the weights of linear Sarsa, trace by trace."""
    network = Network([Dense(2)], input_shape=1, random_state=0)
    network.theta[:] = 0.0
    agent = NetworkSarsa(network, learning_rate=0.1, discount=0.9, fade=fade)
    peer = LinearSarsa(lambda s: np.array([1.0, float(s[0])]), 2, learning_rate=0.1, discount=0.9, fade=fade)
    rng = np.random.default_rng(0)
    for t in range(40):
        s, a, r, after, b = rng.normal(size=1), t % 2, float(rng.normal()), rng.normal(size=1), (t // 2) % 2
        for one in (agent, peer):
            one.observe(s, a, r, after, b, terminated=t % 7 == 6)
    for x in ([0.3], [-2.0]):
        assert_allclose(agent.action_values(x), peer.action_values(x), rtol=1e-10)
    assert_array_equal(network.theta, 0.0)  # the network that was given stays as it is


@pytest.mark.parametrize("cls", [NetworkSarsa, NetworkQLearning])
def test_they_learn_to_walk_right(cls):
    network = Network([Dense(16, "tanh"), Dense(2)], input_shape=1, random_state=0)
    agent = cls(network, learning_rate=0.05, exploration=EpsilonGreedy(0.2), random_state=0)
    agent.fit(Corridor(), 200, max_steps=100)
    assert [agent.act([x], explore=False) for x in (0.0, 0.25, 0.5, 0.75)] == [1, 1, 1, 1]
    again = agent.fresh(0).fit(Corridor(), 200, max_steps=100)
    assert_array_equal(again.network.theta, agent.network.theta)
    with pytest.raises(ParameterError, match="network must be a Network"):
        cls(3)


def test_states_that_are_no_rows_of_numbers_are_refused():
    agent = NetworkSarsa(Network([Dense(2)], input_shape=1, random_state=0))
    with pytest.raises(DataError, match="a state must be a row of numbers, got 'here'"):
        agent.act("here")
