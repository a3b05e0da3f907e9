"""Bandits with any learner as their model."""

import numpy as np
import pytest

from assay.bayes import NaiveBayes
from assay.errors import DataError, ParameterError
from assay.linear import Ridge
from assay.reinforcement import EpsilonGreedy, LinUCB, ModelBandit
from assay.trees import DecisionTreeRegressor


def course(bandit, contexts, earn):
    total = 0.0
    for x in contexts:
        arm = bandit.choose(x)
        reward = earn(x, arm)
        bandit.learn(x, arm, reward)
        total += reward
    return total / len(contexts)


@pytest.mark.parametrize("n_models", [1, 5])
def test_it_learns_what_no_line_can_say(n_models):
    """The reward is 1 for the arm that the sign of a product names: a tree learns it, a line earns half."""
    contexts = np.random.default_rng(0).uniform(-1, 1, (400, 2))

    def earn(x, arm):
        return float((x[0] * x[1] > 0) == arm)

    tree = ModelBandit(
        DecisionTreeRegressor(max_depth=4, random_state=0), 2, n_models=n_models, growth=1.5, random_state=0
    )
    line = LinUCB(2, 2, random_state=0)
    assert course(tree, contexts, earn) > 0.68 > 0.65 > course(line, contexts, earn)
    assert tree.counts.sum() == 400


def test_raw_contexts_and_classifiers():
    rng = np.random.default_rng(1)
    contexts = [
        {"colour": str(c), "size": float(s)}
        for c, s in zip(rng.choice(["red", "blue"], 200), rng.normal(size=200))
    ]
    bandit = ModelBandit(NaiveBayes(), 2, exploration=EpsilonGreedy(0.2), random_state=0)
    course(bandit, contexts, lambda x, arm: float((x["colour"] == "red") == arm))
    assert bandit.predict({"colour": "red", "size": 0.0}).argmax() == 1
    assert bandit.predict({"colour": "blue", "size": 0.0}).argmax() == 0
    with pytest.raises(DataError, match="0 or 1"):
        bandit.learn(contexts[0], 0, 0.5)
    with pytest.raises(DataError, match="same columns"):
        bandit.learn({"colour": "red"}, 0, 1.0)
        for _ in range(200):
            bandit.learn({"colour": "red"}, 0, 1.0)


def test_every_arm_is_tried_once_first_and_seeds_decide():
    first, second = (ModelBandit(Ridge(), 4, random_state=3) for _ in range(2))
    arms = []
    for x in np.random.default_rng(0).normal(size=(30, 1)):
        a, b = first.choose(x), second.choose(x)
        assert a == b
        arms.append(a)
        for bandit in (first, second):
            bandit.learn(x, a, float(a))
    assert sorted(arms[:4]) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_arms": 0}, "n_arms must be"), ({"n_models": 1.5}, "n_models must be"), ({"growth": 1.0}, "growth must be"),
        ({"exploration": 0.1}, "exploration must be"), ({"initial": np.nan}, "initial must be"),
        ({"estimator": 3}, "must be a learner"),
    ],
)  # fmt: skip
def test_wrong_parameters(settings, message):
    with pytest.raises(ParameterError, match=message):
        ModelBandit(**{"estimator": Ridge(), "n_arms": 2, **settings})


def test_wrong_rows():
    bandit = ModelBandit(Ridge(), 2)
    for x, arm, reward, message in (
        ([1.0], 5, 1.0, "arms are 0 to 1"), ([1.0], 0, np.nan, "finite"), ([], 0, 1.0, "must be numbers"),
    ):  # fmt: skip
        with pytest.raises(DataError, match=message):
            bandit.learn(x, arm, reward)
    for x in ("text", None, [["a"]]):
        with pytest.raises(DataError, match="a context must be numbers, or a dict"):
            bandit.choose(x)


def test_a_context_that_is_refused_is_not_learned_from_later():
    bandit = ModelBandit(Ridge(), 2, random_state=0)
    for i in range(6):
        bandit.learn([float(i), 1.0], i % 2, float(i))
    before = bandit.predict([2.0, 1.0])
    for x, message in (([1.0, 2.0, 3.0], "same length"), ({"x": 1.0}, "all numbers, or all dicts")):
        with pytest.raises(DataError, match=message):
            bandit.learn(x, 0, 1.0)
        with pytest.raises(DataError, match=message):
            bandit.choose(x)
    with pytest.raises(DataError, match="missing"):  # by Ridge
        for _ in range(6):
            bandit.learn([np.nan, 1.0], 0, 1.0)
    assert repr(bandit).endswith(f"2 arms, {bandit.counts.sum()} pulls)")
    assert bandit.counts.tolist() == [3, 3] and (bandit.predict([2.0, 1.0]) == before).all()
