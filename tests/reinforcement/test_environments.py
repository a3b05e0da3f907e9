"""Environments of others, right and wrong ones."""

from types import SimpleNamespace as Space

import numpy as np
import pytest

from assay.errors import DataError
from assay.reinforcement import LinearSarsa, QLearning, RadialFeatures
from assay.reinforcement.environments import NumberedEnvironment


class Corridor:
    """Three cells numbered from ``first``; to the right is an end that is worth 1."""

    def __init__(self, first=0):
        self.first = first
        self.observation_space, self.action_space = Space(n=3, start=first), Space(n=2, start=first)

    def reset(self):
        self.cell = 0
        return self.first, {}

    def step(self, action):
        assert action - self.first in (0, 1)
        self.cell = max(0, self.cell + (1 if action - self.first else -1))
        return self.cell + self.first, float(self.cell == 2), self.cell == 2, False, {}


@pytest.mark.parametrize("first", [0, 1, 7])
def test_states_and_actions_may_be_numbered_from_anywhere(first):
    agent = QLearning(0.5, discount=0.9, random_state=0).fit(Corridor(first), 200)
    np.testing.assert_allclose(agent.q_[:2, 1], [0.9, 1.0], atol=1e-3)
    assert agent.policy_[:2].tolist() == [1, 1]


def test_a_reset_without_a_seed_is_enough():
    seen = []

    class Seeded(Corridor):
        def reset(self, *, seed=None):
            seen.append(seed)
            return super().reset()

    QLearning(random_state=0).fit(Seeded(), 3)
    assert isinstance(seen[0], int) and seen[1:] == [None, None]
    QLearning(random_state=0).fit(Corridor(), 3)


class FourValues(Corridor):
    def step(self, action):
        state, reward, ended, _, infos = super().step(action)
        return state, reward, ended, infos


class StateAlone(Corridor):
    def reset(self):
        return super().reset()[0]


class TextStates(Corridor):
    def reset(self):
        return str(super().reset()[0]), {}


class TextReward(Corridor):
    def step(self, action):
        state, _, *rest = super().step(action)
        return state, "1.5", *rest


class WrongNumbers(Corridor):
    def step(self, action):
        state, *rest = super().step(action)
        return state + 1, *rest


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (FourValues, r"must return \(state, reward, terminated, truncated, info\), got 4 values"),
        (StateAlone, r"reset\(\) must return \(state, info\)"),
        (TextStates, "whole numbers from 0 to 2, got '0'"),
        (TextReward, "a reward must be a finite number, got '1.5'"),
        (WrongNumbers, "whole numbers from 0 to 2, got 3"),
    ],
)
def test_environments_that_speak_otherwise_get_a_sentence(kind, words):
    with pytest.raises(DataError, match="QLearning: .*" + words):
        QLearning(random_state=0).fit(kind(), 5)


def test_agents_with_features_get_the_same_sentences():
    agent = LinearSarsa(RadialFeatures(0.0, 2.0), 2, random_state=0)
    with pytest.raises(DataError, match=r"LinearSarsa: .*got 4 values"):
        agent.fit(FourValues(), 2)
    with pytest.raises(DataError, match="LinearSarsa: expected an environment with reset"):
        agent.fit([1, 2, 3], 2)


def test_spaces_that_number_nothing_are_told():
    env = Corridor()
    env.observation_space = Space(n=0)
    with pytest.raises(DataError, match=r"observation_space\.n"):
        NumberedEnvironment(env, "QLearning")


class Cards:
    """A state is two numbers, 5 to 7 and 0 to 1; to take a card in the second state of all earns 1 and ends."""

    observation_space, action_space = Space(spaces=(Space(n=3, start=5), Space(n=2))), Space(n=2)

    def reset(self):
        self.at = 5
        return (self.at, 1), {}

    def step(self, action):
        self.at += 1 if action else 0
        return (self.at, 0), float(self.at == 7), self.at == 7, False, {}


def test_states_of_several_numbers_are_counted_through():
    agent = QLearning(0.5, discount=0.9, random_state=0).fit(Cards(), 300, max_steps=50)
    assert agent.q_.shape == (6, 2)
    np.testing.assert_allclose(agent.q_[[1, 2], 1], [0.9, 1.0], atol=1e-3)  # (5, 1) is 1, (6, 0) is 2
    env = NumberedEnvironment(Cards(), "QLearning")
    assert [env.state(pair) for pair in ((5, 0), (5, 1), (6, 0), (7, 1))] == [0, 1, 2, 5]
    vector = Cards()
    vector.observation_space = Space(nvec=np.array([3, 2]), start=np.array([5, 0]))
    assert NumberedEnvironment(vector, "QLearning").state(np.array([7, 1])) == 5
    for wrong in ((8, 0), (5,), (5, 0, 1), 5, ("5", 0), (5.5, 0)):
        with pytest.raises(DataError, match=r"tuple of 2 whole numbers \(5 to 7, 0 to 1\)"):
            env.state(wrong)
    vector.observation_space = Space(nvec=np.array([3]))  # one part: a state is still an array
    assert NumberedEnvironment(vector, "QLearning").state(np.array([2])) == 2
    vector.observation_space = Space(nvec=np.array([10**5, 10**5]))
    with pytest.raises(DataError, match="more than a table holds"):
        NumberedEnvironment(vector, "QLearning")


def test_spaces_without_numbers_are_shown():
    env = Corridor()
    env.observation_space = "Box(-1.0, 1.0, (4,))"
    with pytest.raises(DataError, match=r"got Corridor with states Box\(-1.0, 1.0, \(4,\)\).*LinearSarsa"):
        NumberedEnvironment(env, "QLearning")
