"""Agents on several environments: each compared on its own, and a test over all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.explanation import text_table
from assay.errors import ParameterError
from assay.evaluate import AgentRuns, compare_agents
from assay.sentence import Sentence
from assay.stats.significance.friedman import friedman
from assay.stats.significance.rank_post_hoc import nemenyi
from assay.stats.significance.sign_test import sign_test
from assay.stats.significance.test_result import TestResult

__all__ = ["AgentStudy", "study_agents"]

FEW_ENVIRONMENTS = 5  # with fewer a test over environments can hardly reject


@dataclass(frozen=True)
class AgentStudy(Sentence):
    """What agents earned on several environments.

    Attributes
    ----------
    runs : dict of environment to AgentRuns, the comparison on it
    agents : names      alpha : level of the tests
    ranks : (A,) average rank of each agent over the environments, 1 for the best
    test : TestResult over the environments: Friedman's, or for two agents the sign test
    letters : (A,) agents that share a letter do not differ significantly over the environments
    """

    runs: dict[str, AgentRuns]
    agents: list[str]
    alpha: float
    ranks: np.ndarray
    test: TestResult
    letters: list[str]

    @property
    def environments(self) -> list[str]:
        """Their names."""
        return list(self.runs)

    @property
    def best(self) -> str:
        """The agent with the best average rank."""
        return self.agents[int(np.argmin(self.ranks))]

    def table(self) -> np.ndarray:
        """(E, A) the mean return of each agent on each environment, at the end of its runs."""
        return _means(self.runs, self.agents)

    def to_records(self) -> list[dict[str, Any]]:
        """A dict for each environment, agent, run and episode."""
        return [
            {"environment": place, "agent": agent, "run": run, "episode": episode, "return": float(value)}
            for place, result in self.runs.items()
            for agent, returns in result.returns.items()
            for run, line in enumerate(returns)
            for episode, value in enumerate(line)
        ]

    def __str__(self) -> str:
        means = self.table()
        order = np.argsort(self.ranks, kind="stable").tolist()
        lines = [
            [self.agents[j], f"{self.ranks[j]:.2f}", *(f"{m:.4g}" for m in means[:, j]), self.letters[j]]
            for j in order
        ]
        head = ["agent", "mean rank", *self.environments, "groups"]
        notes = [str(self.test)]
        if len(self.runs) < FEW_ENVIRONMENTS:
            notes.append(
                f"{len(self.runs)} environments are few: only large differences could be shown. Read the comparison on "
                "each, runs[name], too."
            )
        return "\n".join([text_table(head, lines), *notes])


def study_agents(
    agents: Mapping[str, Any],
    environments: Mapping[str, Any],
    n_episodes: int = 100,
    *,
    n_runs: int = 10,
    last: int | None = None,
    alpha: float = 0.05,
    max_steps: int = 10_000,
) -> AgentStudy:
    """Let agents learn on several environments, and test which are better over all of them.

    On each environment agents are compared by runs of the same seeds (`compare_agents`). Over the environments, whose
    returns have scales of their own, ranks are compared: by Friedman's test and Nemenyi's of all pairs; two agents by
    the sign test.

    Parameters
    ----------
    agents : dict of name to agent, of which fresh ones are made
    environments : dict of at least two names to MDP, or environment as Gymnasium has them
    n_episodes, n_runs, last, alpha, max_steps : as in ``compare_agents``

    Returns
    -------
    AgentStudy

    Examples
    --------
    >>> from assay.experiments import study_agents
    >>> from assay.reinforcement import EpsilonGreedy, GridWorld, QLearning
    >>> worlds = {text: GridWorld(text, goal_reward=10) for text in ("S..G", "S...G", "S.G.", "G..S", "G...S", "S..G.")}
    >>> agents = {"Q": QLearning(0.5), "at random": QLearning(0.5, exploration=EpsilonGreedy(1.0))}
    >>> study = study_agents(agents, worlds, 60, n_runs=3)
    >>> study.best, study.ranks.tolist(), study.test.rejected
    ('Q', [1.0, 2.0], True)

    See Also
    --------
    assay.evaluate.compare_agents, Experiment

    References
    ----------
    - Demšar, J. (2006). Statistical comparisons of classifiers over multiple data sets. Journal of Machine Learning
      Research 7, 1-30.
    """
    who = "study_agents"
    if not isinstance(environments, Mapping) or len(environments) < 2:
        raise ParameterError(
            f"environments must be a dict of at least two names to environments, got {environments!r:.80}.",
            who=who,
        )
    options: dict[str, Any] = {"n_runs": n_runs, "last": last, "alpha": alpha, "max_steps": max_steps}
    runs = {
        str(name): compare_agents(agents, environment, n_episodes, **options)
        for name, environment in environments.items()
    }
    names = [str(name) for name in agents]
    means = _means(runs, names)
    if len(names) == 2:
        first, second = means.T
        wins, losses = (first > second) + (first == second) / 2, (first < second) + (first == second) / 2
        ranks = np.array([1 + losses.mean(), 1 + wins.mean()])
        test: TestResult = sign_test(first, second, alpha=alpha)
        return AgentStudy(runs, names, alpha, ranks, test, ["a", "b"] if test.rejected else ["a", "a"])
    ranking = friedman(means, better="higher", names=names, alpha=alpha)
    letters = list(nemenyi(ranking).letters) if ranking.test.rejected else ["a"] * len(names)
    return AgentStudy(runs, names, alpha, np.asarray(ranking.average_ranks), ranking.test, letters)


def _means(runs: Mapping[str, AgentRuns], names: list[str]) -> np.ndarray:
    """(E, A) mean returns."""
    return np.array(
        [[float(result.comparison.values[name].mean()) for name in names] for result in runs.values()]
    )
