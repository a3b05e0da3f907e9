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
