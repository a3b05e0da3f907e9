"""Values as weighted sums of features: steps by hand, tables as a special case, a hill that a car must climb."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError

from assay.errors import DataError, DegenerateError, DegenerateWarning, ParameterError
from assay.reinforcement import (
    EpsilonGreedy,
    LinearQLearning,
    LinearSarsa,
    QLearning,
    RadialFeatures,
    Sarsa,
    TileCoding,
    semi_gradient_step,
)


@pytest.mark.capability("IML-18-09")
def test_one_step_by_hand():
    """IML 18.6: theta (.5, -.2), phi (1, 2), phi' (1, 3), reward 1, discount .9, rate .1."""
    theta, error = semi_gradient_step([0.5, -0.2], [1, 2], 1.0, 0.1, -0.1, 0.9, 0.1)
    assert_allclose(error, 0.81)
    assert_allclose(theta, [0.581, -0.038])
    agent = LinearSarsa(lambda s: np.array(s, dtype=float), 1, learning_rate=0.1, discount=0.9)
    agent.action_values([1, 2])
    agent.theta_[:] = [[0.5, -0.2]]
    agent.observe([1, 2], 0, 1.0, [1, 3], 0)
    assert_allclose(agent.weights_, [[0.581, -0.038]])


@pytest.mark.capability("IML-18-09")
@pytest.mark.parametrize("fade", [0.0, 0.7])
@pytest.mark.parametrize(("linear", "table"), [(LinearSarsa, Sarsa), (LinearQLearning, QLearning)])
def test_with_a_feature_for_each_state_it_is_the_table(linear, table, fade):
    rng = np.random.default_rng(0)
    one = linear(lambda s: np.eye(4)[s], 2, learning_rate=0.3, discount=0.9, fade=fade)
    two = table(0.3, fade=fade, trace="accumulating").begin(4, 2, discount=0.9)
    for t in range(200):
        s, a, after, b = (int(rng.integers(m)) for m in (4, 2, 4, 2))
        if linear is LinearQLearning and fade:
            b = int(np.argmax(two.q_[after]))  # Watkins cuts traces where this one does not
        ended, reward = t % 7 == 6, float(rng.normal())
        one.observe(s, a, reward, after, b, terminated=ended)
        two.observe(s, a, reward, after, b, terminated=ended)
    assert_allclose(one.weights_.T, two.q_, atol=1e-10)


class Hill:
    """A car that is too weak for the hill and has to swing (Sutton 1996); as Gymnasium has environments."""

    low, high = (-1.2, -0.07), (0.6, 0.07)

    def reset(self, seed=None):
        if seed is not None:
            self.random = np.random.default_rng(seed)
        self.state = np.array([self.random.uniform(-0.6, -0.4), 0.0])
        return self.state, {}

    def step(self, action):
        x, v = self.state
        v = np.clip(v + 0.001 * (action - 1) - 0.0025 * np.cos(3 * x), -0.07, 0.07)
        x = np.clip(x + v, -1.2, 0.6)
        self.state = np.array([x, 0.0 if x == -1.2 else v])
        return self.state, -1.0, bool(x >= 0.5), False, {}


@pytest.mark.capability("IML-18-09")
def test_the_car_learns_to_swing():
    tiles = TileCoding(Hill.low, Hill.high)
    agent = LinearSarsa(
        tiles, 3, learning_rate=0.05, discount=1.0, fade=0.9, exploration=EpsilonGreedy(0.0), random_state=0
    )
    agent.fit(Hill(), 60, max_steps=3000)
    assert agent.lengths_[0] > 400
    assert agent.lengths_[-10:].mean() < 200


@pytest.mark.capability("IML-18-09")
def test_radial_features_learn_a_value_function():
    """A walk to the right of 20 steps, 1 at the end: values are powers of the discount."""
    features = RadialFeatures([0.0], [20.0], bins=11)
    agent = LinearSarsa(features, 1, learning_rate=0.5, discount=0.9)
    for _ in range(600):
        for s in range(20):
            agent.observe([s], 0, float(s == 19), [s + 1], 0, terminated=s == 19)
    values = [float(agent.action_values([s])[0]) for s in range(20)]
    assert_allclose(values, 0.9 ** np.arange(19, -1, -1), atol=0.05)


def test_tiles_are_shared_by_neighbours():
    tiles = TileCoding([0, 0], [1, 1], bins=5, tilings=4)
    here, near, far = (set(tiles.active(s).tolist()) for s in ([0.5, 0.5], [0.52, 0.5], [0.9, 0.1]))
    assert len(here) == 4 == tiles([0.5, 0.5]).sum()
    assert len(here & near) >= 3 > len(here & far) == 0
    for corner in ([0, 0], [1, 1], [5, -3]):
        assert max(tiles.active(corner)) < tiles.n_features
        assert min(tiles.active(corner)) >= 0


def test_radial_features_sum_to_one():
    features = RadialFeatures([0, -1], [1, 1], bins=4, width=0.5)
    for state in ([0.1, 0.3], [1, 1], [7, 7]):
        row = features(state)
        assert row[0] == 1 and len(row) == features.n_features == 17
        assert_allclose(row[1:].sum(), 1)


def test_values_that_run_away_are_told():
    """Baird's kind of trouble: only one state is learned of, and the next one has the same weight, twice."""
    agent = LinearQLearning(lambda s: np.array([float(s)]), 1, learning_rate=0.5, discount=0.99)
    with pytest.warns(DegenerateWarning, match="weights run away"):
        for _ in range(200):
            agent.observe(1, 0, 1.0, 2)
    with pytest.raises(DegenerateError, match="run away to numbers that are too large"):
        for _ in range(2000):
            agent.observe(1, 0, 1.0, 2)


def test_fresh_agents_have_learned_nothing():
    agent = LinearSarsa(TileCoding([0], [1]), 2, fade=0.3, random_state=0).observe([0.1], 0, 1.0, [0.2], 1)
    again = agent.fresh(1)
    assert again.fade == 0.3 and not again.action_values([0.1]).any()


def uneven():
    return LinearSarsa(lambda s: s, 2).observe([0.5, 0.1], 0, 1.0, [0.6, 0.2], 1)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: TileCoding([1], [0]), "low must be numbers below high"),
        (lambda: TileCoding([0], [1], bins=0), "bins must be"),
        (lambda: RadialFeatures([0], [1], bins=1), "bins must be"),
        (lambda: RadialFeatures([0], [1], width=0), "width must be"),
        (lambda: TileCoding([0], [1])([np.nan]), "1 finite numbers"),
        (lambda: RadialFeatures([], []), "one for each number of a state"),
        (lambda: LinearSarsa(lambda s: [np.nan], 2).act(3), "gave .nan. for the state 3"),
        (lambda: LinearSarsa(lambda s: ["a"], 2).act(3), "features must give finite numbers"),
        (lambda: uneven().act([1.0]), "features gave 1 numbers for the state .1.0., and 2 before"),
        (lambda: LinearSarsa("tiles", 2), "features must be a function"),
        (lambda: LinearSarsa(TileCoding([0], [1]), 0), "n_actions must be"),
        (lambda: LinearSarsa(TileCoding([0], [1]), 2, fade=2), "from 0 to 1"),
        (lambda: LinearSarsa(TileCoding([0], [1]), 2, exploration=1), "exploration must be"),
        (lambda: LinearSarsa(TileCoding([0], [1]), 2).observe([0.5], 0, 1.0, [0.6]), "needs next_action"),
    ],
)
def test_wrong_input_ends_in_a_sentence(call, words):
    with pytest.raises((ParameterError, DataError), match=words):
        call()


def test_an_agent_that_has_not_learned_says_so():
    with pytest.raises(NotFittedError):
        _ = LinearSarsa(TileCoding([0], [1]), 2).weights_


@pytest.mark.parametrize("fade", [0.0, 0.8])
@pytest.mark.parametrize("learner", [LinearSarsa, LinearQLearning])
def test_tiles_by_their_numbers_are_tiles_as_features(learner, fade):
    """Only the tiles that hold the state are touched; as a function of the state all features are."""
    tiles = TileCoding([0.0, -1.0], [1.0, 1.0], bins=3, tilings=4)
    rng = np.random.default_rng(0)
    states, actions = rng.uniform([0, -1], [1, 1], (200, 2)), rng.integers(0, 3, 200)
    rewards, ends = rng.normal(size=200), rng.random(200) < 0.1
    agents = [learner(features, 3, learning_rate=0.05, fade=fade) for features in (tiles, lambda s: tiles(s))]
    for agent in agents:
        for i in range(199):
            agent.observe(
                states[i], actions[i], rewards[i], states[i + 1], actions[i + 1], terminated=bool(ends[i])
            )
    assert_allclose(agents[0].weights_, agents[1].weights_, atol=1e-12)
    assert np.abs(agents[0].weights_).max() > 0.1


def test_a_state_that_is_changed_in_place_is_another_state():
    agent = LinearSarsa(TileCoding([0.0], [1.0]), 2, learning_rate=0.1)
    state = np.array([0.1])
    first = agent.observe(state, 0, 1.0, np.array([0.9]), terminated=True).action_values(state).copy()
    state[0] = 0.9
    assert first[0] > 0
    assert agent.action_values(state)[0] == 0
