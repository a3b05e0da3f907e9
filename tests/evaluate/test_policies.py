"""Policies judged by a log, and agents by their runs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.evaluate import compare_agents, compare_policies
from assay.reinforcement import EpsilonGreedy, GridWorld, QLearning, Sarsa


def log(n, seed, known=True):
    """Old people buy when called, young ones when mailed; who is old was called more often."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(20, 60, n)
    p_call = np.where(age > 40, 0.7, 0.4)
    call = rng.random(n) < p_call
    chance = np.where((age > 40) == call, 0.6, 0.2)
    reward = (rng.random(n) < chance).astype(float)
    propensity = np.where(call, p_call, 1 - p_call) if known else None
    return {"age": age}, np.where(call, "call", "mail"), reward, propensity


def test_without_contexts_values_are_the_means_of_the_arms():
    """Shares of actions as propensities, self-normalised: the mean reward of each action, by hand."""
    result = compare_policies(None, ["a", "b", "a", "b", "a"], [1.0, 5.0, 2.0, 7.0, 3.0])
    values = {name: value.estimate for name, value in result.values.items()}
    assert_allclose(
        [values["always a"], values["always b"], values["at random"], values["as logged"]], [2, 6, 4, 3.6]
    )
    assert result.best == "always b" and result.choices is None
    assert "shares of the actions" in result.notes[0]


@pytest.mark.parametrize("known", [True, False])
def test_intervals_hold_the_truth(known):
    """True values: 0.6 by age, 0.4 for each action always; the 95 % intervals of 20 logs hold them 15 times or more."""
    held = {"by age": 0, "always call": 0}
    for seed in range(20):
        X, action, reward, p = log(600, seed, known)
        plan = np.where(X["age"] > 40, "call", "mail")
        result = compare_policies(X, action, reward, propensity=p, learner="tree", policies={"by age": plan})
        for name, truth in (("by age", 0.6), ("always call", 0.4)):
            low, high = result.values[name].interval
            held[name] += low <= truth <= high
    assert min(held.values()) >= 15


def test_the_learned_policy_is_found_and_its_choices_are_given():
    X, action, reward, p = log(1500, 0)
    result = compare_policies(X, action, reward, propensity=p, learner="tree", random_state=1)
    assert result.best == "by model" and result.differences["by model"][1] > 0.05
    right = np.where(X["age"] > 40, "call", "mail") == result.choices
    assert right.mean() > 0.85
    records = result.to_records()
    assert records[0]["policy"] == "by model" and records[0]["low"] < records[0]["value"] < records[0]["high"]
    again = compare_policies(X, action, reward, propensity=p, learner="tree", random_state=1)
    assert again.to_records() == records
    assert "against the log" in str(result)


def test_pure_noise_earns_nothing_more():
    rng = np.random.default_rng(0)
    X = {"x": rng.normal(size=800)}
    action, reward = rng.choice(["a", "b"], 800), rng.normal(size=800)
    result = compare_policies(X, action, reward, propensity=np.full(800, 0.5), learner="tree")
    _, low, high = result.differences["by model"]
    assert low < 0 < high


def test_contexts_that_give_the_action_away_are_told():
    rng = np.random.default_rng(0)
    action = rng.choice(["a", "b", "c"], 600)
    code = np.unique(action, return_inverse=True)[1]
    X = {"x": rng.normal(size=600), "code": code + 0.01 * rng.normal(size=600)}
    result = compare_policies(X, action, rng.normal(size=600), learner="tree")
    assert any("gives away what was done" in note and "Leave out columns" in note for note in result.notes)
    fair = compare_policies({"x": X["x"]}, action, rng.normal(size=600), learner="tree")
    assert not any("gives away" in note for note in fair.notes)


def test_contexts_that_hold_the_reward_are_told_and_actions_of_other_worth_are_not():
    """What the action explains by itself is no leakage: prices of 1, 100 and 10,000, or fixed fees."""
    rng = np.random.default_rng(0)
    action, x = rng.integers(0, 3, 300), rng.normal(size=300)
    levels = np.array([1.0, 100.0, 10_000.0])[action] + rng.normal(size=300)
    fees = np.array([0.1, 0.3, 0.7])[action]

    def told(X, reward):
        return any("foretold" in note for note in compare_policies(X, action, reward, learner="ridge").notes)

    assert not told({"x": x}, levels)
    assert not told({"x": x}, fees)
    assert told({"x": x, "leak": levels}, levels)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"action": np.array(["a"] * 4)}, "all rows have the action 'a', so"),
        ({"action": [None, "a", "b", "a"]}, "row 1 is missing"),
        ({"reward": [1, 2, np.nan, 3]}, "row 3 is not"), ({"propensity": [1, 0, 1, 1]}, "row 2 has 0"),
        ({"propensity": [1, 1, np.nan, 1]}, "row 3 has nan"), ({"propensity": ["sure"] * 4}, "must be numbers"),
        ({"X": {"x": [1.0]}, "action": ["a"], "reward": [1.0]}, "two decisions or more, got 1"),
        ({"X": {"x": np.arange(20.0)}, "action": np.arange(20) / 7, "reward": np.ones(20)}, "are of 20 actions"),
        ({"reward": [1, 2]}, "same length"), ({"X": {"x": [1.0, 2.0]}}, "same length"),
        ({"reward": [[1], [1, 2]]}, "rewards must be numbers"), ({"action": [[1], [1, 2]]}, "actions must be"),
        ({"X": {"x": []}, "action": [], "reward": []}, "two decisions or more, got 0"),
        ({"reward": 1.0}, "same length"),
        ({"folds": 1}, "folds must be"),
        ({"policies": {"p": ["a", "b", "c", "a"]}}, "takes 'c'"),
        ({"policies": {"p": ["a"]}}, "an action for each"), ({"X": None, "learner": "tree"}, "give X"),
        ({"learner": "naive bayes"}, "is NaiveBayes, a classifier"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_named(change, message):
    given = {
        "X": {"x": [1.0, 2, 3, 4]},
        "action": ["a", "b", "a", "b"],
        "reward": [1.0, 2.0, 3.0, 4.0],
        "folds": 2,
    }
    given.update(change)
    with pytest.raises((DataError, ParameterError), match=message):
        compare_policies(given.pop("X"), given.pop("action"), given.pop("reward"), **given)


@pytest.mark.capability("IML-18-12")
def test_agents_are_compared_on_the_same_seeds():
    world = GridWorld("...G\n....\nS...", goal_reward=100)
    agents = {"Q": QLearning(0.5), "at random": Sarsa(0.5, exploration=EpsilonGreedy(1.0))}
    result = compare_agents(agents, world, 60, n_runs=12, last=10)
    assert result.returns["Q"].shape == (12, 60)
    by_hand = QLearning(0.5, random_state=3).fit(world, 60).returns_
    assert_array_equal(result.returns["Q"][3], by_hand)
    assert_allclose(result.comparison.values["Q"][3], by_hand[-10:].mean())
    assert result.best == "Q" and result.test("Q", "at random").significant
    assert "last 10 episodes" in str(result)
    same = compare_agents({"a": QLearning(0.5), "b": QLearning(0.5)}, world, 20, n_runs=3)
    assert_array_equal(same.returns["a"], same.returns["b"])


@pytest.mark.parametrize(
    ("agents", "settings", "message"),
    [
        ({"a": QLearning()}, {}, "at least two"), ({"a": 3, "b": QLearning()}, {}, "no agent"),
        ({"a": QLearning(), "b": Sarsa()}, {"n_runs": 1}, "n_runs must be"),
        ({"a": QLearning(), "b": Sarsa()}, {"last": 11, "n_episodes": 10}, "at most n_episodes"),
    ],
)  # fmt: skip
def test_agents_that_cannot_be_compared(agents, settings, message):
    with pytest.raises(ParameterError, match=message):
        compare_agents(agents, GridWorld("SG"), **settings)
