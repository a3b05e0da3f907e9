"""What an agent thinks of a state, by the experience it has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["LearnedValues"]


@dataclass(frozen=True)
class LearnedValues:
    """What a state is worth by what an agent has learned, action by action.

    Attributes
    ----------
    state : its name      value : float      visits : int, how often something was done there
    actions : for each action that can be taken: name, what it is worth, how often it was taken, the probability with
        which it is taken next; of an agent that learns values of states the middle two are None
    best : names of the best actions; of an agent that follows a given policy none

    Examples
    --------
    >>> from assay.reinforcement import GridWorld, QLearning
    >>> agent = QLearning(1.0, random_state=0).fit(GridWorld("S.G", goal_reward=10), 50)
    >>> print(agent.explain((0, 1)))
    (0, 1) is worth 10 by what was learned in 58 steps from there:
      up: 9, taken 4 times, next with probability 0.025
      right: 10, taken 50 times, next with probability 0.925  <- best
      down: 9, taken 2 times, next with probability 0.025
      left: 8.1, taken 2 times, next with probability 0.025

    See Also
    --------
    Backup : the same of a process that is known
    """

    state: Any
    value: float
    visits: int
    actions: list[tuple[Any, float | None, int | None, float]]
    best: list[Any]

    def __str__(self) -> str:
        steps = f"{self.visits} step{'' if self.visits == 1 else 's'} from there"
        if not self.actions:
            return f"{self.state} is terminal: nothing follows, so it is worth 0."
        if not self.visits:
            head = f"{self.state}: nothing was learned, it was never left. It is taken to be worth {self.value:.6g}:"
        else:
            head = f"{self.state} is worth {self.value:.6g} by what was learned in {steps}:"
        return "\n".join([head, *(self._line(*action) for action in self.actions)])

    def _line(self, name: Any, worth: float | None, visits: int | None, chance: float) -> str:
        learned = "" if worth is None else f"{worth:.6g}, taken {visits} time{'' if visits == 1 else 's'}, "
        return (
            f"  {name}: {learned}next with probability {chance:.4g}{'  <- best' if name in self.best else ''}"
        )
