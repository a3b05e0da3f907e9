"""How the returns of agents grow while they learn, over several seeds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.stats import t as student_t

from assay.core.palette import class_colour
from assay.core.parameters import check_count
from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.types import Axes

__all__ = ["ReturnsDisplay"]


class ReturnsDisplay:
    """Mean return of an episode, by how many were learned from, with an interval over runs with different seeds.

    Parameters
    ----------
    returns : dict of name to (runs, episodes)
    window : int, default 1
        Episodes that are averaged.
    level : float, default 0.95
        Of the intervals, by the t distribution over runs.

    Attributes
    ----------
    lines_ : drawn means      bands_ : drawn intervals
    ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ReturnsDisplay
    >>> from assay.reinforcement import GridWorld, QLearning, Sarsa
    >>> world = GridWorld("..G\\n.#.\\nS..", goal_reward=10, step_reward=-1)
    >>> display = ReturnsDisplay.from_agents({"Q": QLearning(), "Sarsa": Sarsa()}, world, 30, n_runs=5)
    >>> len(display.lines_), bool(display.lines_[0].get_ydata()[-1] > display.lines_[0].get_ydata()[0])
    (2, True)
    """

    def __init__(self, returns: Mapping[str, Any], *, window: int = 1, level: float = 0.95):
        self.returns = {
            str(name): np.atleast_2d(np.asarray(r, dtype=np.float64)) for name, r in returns.items()
        }
        if not self.returns or any(not r.size for r in self.returns.values()):
            raise DataError("ReturnsDisplay: there are no returns to draw.")
        check_count("ReturnsDisplay", "window", window)
        if not 0 < level < 1:
            raise ParameterError(f"ReturnsDisplay: level must be between 0 and 1, got {level!r}.")
        self.window, self.level = int(window), level

    @classmethod
    def from_agents(
        cls,
        agents: Mapping[str, Any],
        environment: Any,
        n_episodes: int,
        *,
        n_runs: int = 10,
        window: int = 1,
        ax: Axes | None = None,
    ) -> ReturnsDisplay:
        """Let each agent learn from the start, with seeds 0, 1, ... that all agents share, and draw the returns.

        Parameters
        ----------
        agents : dict of name to agent, of which fresh ones are made
        environment : MDP or environment
        n_episodes : int        n_runs : int, seeds
        """
        returns = {
            name: [agent.fresh(seed).fit(environment, n_episodes).returns_ for seed in range(n_runs)]
            for name, agent in agents.items()
        }
        return cls(returns, window=window).plot(ax)

    def plot(self, ax: Axes | None = None) -> ReturnsDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        self.ax_ = ax = axes_for(ax, (6.4, 4.0))
        self.figure_ = ax.figure
        self.lines_, self.bands_ = list[Any](), list[Any]()
        for i, (name, runs) in enumerate(self.returns.items()):
            smooth = _averaged(runs, self.window)
            at = np.arange(smooth.shape[1]) + min(self.window, runs.shape[1])
            mean = smooth.mean(axis=0)
            self.lines_ += ax.plot(at, mean, color=class_colour(i), label=name)
            if len(runs) > 1:
                half = student_t.ppf((1 + self.level) / 2, len(runs) - 1) * smooth.std(axis=0, ddof=1)
                half = half / np.sqrt(len(runs))
                band = ax.fill_between(
                    at, mean - half, mean + half, color=class_colour(i), alpha=0.2, linewidth=0
                )
                self.bands_.append(band)
        averaged = f", mean of {self.window}" if self.window > 1 else ""
        ax.set_xlabel("episodes")
        ax.set_ylabel(f"return of an episode{averaged}")
        ax.legend(frameon=False)
        return self


def _averaged(runs: np.ndarray, window: int) -> np.ndarray:
    """(runs, episodes - window + 1) means of as many episodes in a row."""
    w = min(window, runs.shape[1])
    sums = np.cumsum(np.pad(runs, ((0, 0), (1, 0))), axis=1)
    return (sums[:, w:] - sums[:, :-w]) / w
