"""Agents over several environments."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import ParameterError
from assay.evaluate import compare_agents
from assay.experiments import study_agents
from assay.reinforcement import EpsilonGreedy, GridWorld, QLearning, Sarsa
from assay.stats import friedman, nemenyi, sign_test

WORLDS = {
    text: GridWorld(text, goal_reward=10.0 ** (k + 1))
    for k, text in enumerate(("S..G", "S...G", "G..S", "S..G.", "S.G.", "G....S"))
}
AGENTS = {
    "Q": QLearning(0.5),
    "sometimes": Sarsa(0.5, exploration=EpsilonGreedy(0.6)),
    "at random": QLearning(0.5, exploration=EpsilonGreedy(1.0)),
}


def test_ranks_over_environments_of_any_scale():
    study = study_agents(AGENTS, WORLDS, 80, n_runs=4, last=20)
    means = [
        [
            compare_agents(AGENTS, world, 80, n_runs=4, last=20).returns[name][:, -20:].mean()
            for name in AGENTS
        ]
        for world in WORLDS.values()
    ]
    assert_allclose(study.table(), means)
    expected = friedman(np.array(means), names=list(AGENTS))
    assert_allclose(study.ranks, expected.average_ranks)
    assert study.test.p == expected.test.p and study.test.rejected
    assert study.letters == list(nemenyi(expected).letters)
    assert study.best == "Q" and study.environments == list(WORLDS)
    assert study.runs["S..G"].test("Q", "at random").significant
    assert "mean rank" in str(study) and "environments are few" not in str(study)
    records = study.to_records()
    assert len(records) == 6 * 3 * 4 * 80 and records[0]["environment"] == "S..G"


def test_two_agents_are_compared_by_signs():
    two = {name: AGENTS[name] for name in ("Q", "at random")}
    places = dict(list(WORLDS.items())[:4])
    study = study_agents(two, places, 60, n_runs=3)
    assert study.test.p == sign_test(*study.table().T).p and not study.test.rejected
    assert study.letters == ["a", "a"] and study.ranks.tolist() == [1.0, 2.0]
    assert "4 environments are few" in str(study)
    same = study_agents({"a": QLearning(), "b": QLearning()}, places, 20, n_runs=2)
    assert same.ranks.tolist() == [1.5, 1.5]


def test_one_environment_is_no_study():
    with pytest.raises(ParameterError, match="study_agents: environments must be a dict of at least two"):
        study_agents(AGENTS, {"one": GridWorld("S.G")})
    with pytest.raises(ParameterError, match="study_agents: environments"):
        study_agents(AGENTS, GridWorld("S.G"))
