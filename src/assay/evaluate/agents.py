"""Agents compared by what they earn over the same seeds, with tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.core.progress import progress
from assay.errors import ParameterError
from assay.evaluate.matched_runs import MatchedRuns, compare_runs
from assay.sentence import Sentence

__all__ = ["AgentRuns", "compare_agents"]


@dataclass(frozen=True)
class AgentRuns(Sentence):
    """What agents earned, run by run, and how they compare.

    Attributes
    ----------
    returns : dict of name to (R, E), the return of each episode of each run
    comparison : MatchedRuns, by the mean return of the last episodes of each run
    last : int, how many episodes that is
    """

    returns: dict[str, np.ndarray]
    comparison: MatchedRuns
    last: int

    def __str__(self) -> str:
        return f"Mean return of the last {self.last} episodes\n{self.comparison}"

    def test(self, first: str, second: str) -> Any:
        """The paired test of two agents."""
        return self.comparison.test(first, second)

    @property
    def best(self) -> str:
        """The agent with the highest mean."""
        return self.comparison.best

    def plot(self, ax: Any = None, *, window: int = 1) -> Any:
        """The learning curves with their intervals: see ``assay.plots.ReturnsDisplay``."""
        from importlib import import_module

        return import_module("assay.plots").ReturnsDisplay(self.returns, window=window).plot(ax)


def compare_agents(
    agents: Mapping[str, Any],
    environment: Any,
    n_episodes: int = 100,
    *,
    n_runs: int = 10,
    last: int | None = None,
    alpha: float = 0.05,
    max_steps: int = 10_000,
) -> AgentRuns:
    """Let agents learn from the start, each with the same seeds, and test what they earn at the end.

    Run j of every agent has the seed j, so that runs are blocks: differences are tested in pairs, adjusted over all
    pairs of agents (Holm).

    Parameters
    ----------
    agents : dict of name to agent (with ``fresh`` and ``fit``), of which fresh ones are made
    environment : MDP, or an environment as Gymnasium has them
    n_episodes : int, of each run
    n_runs : int from 2 up
    last : int, default None
        How many of the last episodes are judged; None takes a tenth of them, one at least.
    alpha : 1 - confidence of intervals, and the level of tests
    max_steps : int, after which an episode is cut off

    Returns
    -------
    AgentRuns

    Examples
    --------
    >>> from assay.evaluate import compare_agents
    >>> from assay.reinforcement import EpsilonGreedy, GridWorld, QLearning
    >>> world = GridWorld("...G\\n....\\nS...", goal_reward=100)
    >>> agents = {"Q": QLearning(0.5), "at random": QLearning(0.5, exploration=EpsilonGreedy(1.0))}
    >>> result = compare_agents(agents, world, 50, n_runs=5)
    >>> result.best, result.test("Q", "at random").significant
    ('Q', True)

    See Also
    --------
    compare_runs, assay.reinforcement.QLearning

    References
    ----------
    - Colas, C., Sigaud, O. and Oudeyer, P.-Y. (2019). A hitchhiker's guide to statistical comparisons of reinforcement
      learning algorithms. arXiv:1904.06979.
    """
    who = "compare_agents"
    if not isinstance(agents, Mapping) or len(agents) < 2:
        raise ParameterError(
            f"agents must be a dict of at least two names to agents, got {agents!r}.", who=who
        )
    lacking = [
        name for name, agent in agents.items() if not (hasattr(agent, "fresh") and hasattr(agent, "fit"))
    ]
    if lacking:
        raise ParameterError(f"{lacking[0]!r} is no agent with fresh() and fit().", who=who)
    discounts = {name: agent.discount for name, agent in agents.items() if hasattr(agent, "discount")}
    if len(set(discounts.values())) > 1:
        listed = ", ".join(f"{name} {discount}" for name, discount in discounts.items())
        raise ParameterError(
            f"returns that are discounted differently cannot be compared ({listed}). Give all the same discount.",
            who=who,
        )
    last = max(1, n_episodes // 10) if last is None else last
    for name, number, least in (("n_episodes", n_episodes, 1), ("n_runs", n_runs, 2), ("last", last, 1)):
        check_count(who, name, number, low=least)
    if last > n_episodes:
        raise ParameterError(f"last must be at most n_episodes, {n_episodes}, got {last}.", who=who)
    returns: dict[str, np.ndarray] = {}
    with progress(len(agents) * n_runs, "runs") as bar:
        for name, agent in agents.items():
            runs = []
            for seed in range(n_runs):
                fresh = agent.fresh(seed).fit(environment, n_episodes, max_steps=max_steps)
                runs.append(fresh.returns_[-n_episodes:])
                bar.advance(1)
            returns[str(name)] = np.array(runs)
    ends = {name: runs[:, -last:].mean(axis=1) for name, runs in returns.items()}
    return AgentRuns(returns, compare_runs(ends, name="return", alpha=alpha), int(last))
