"""The best policy of a decision process, and why it is the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.reinforcement.outcomes import some_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from assay.reinforcement.mdp import MDP

__all__ = ["Backup", "Solution"]

SAME = 1e-9  # of the largest value, by which actions count as equally good


@dataclass(frozen=True)
class Backup:
    """What a state is worth, written out: reward, discount, and the value of each next state with its probability.

    Attributes
    ----------
    state : its name      discount : float
    actions : for each action that can be taken: name, expected reward, [(next state, probability, its value)], worth
    best : names of the best actions
    reached : bool, whether an episode can come there from where it starts
    """

    state: Any
    discount: float
    actions: list[tuple[Any, float, list[tuple[Any, float, float]], float]]
    best: list[Any]
    reached: bool = True

    def __str__(self) -> str:
        never = "" if self.reached else "\nNo episode comes here from where the process starts."
        if not self.actions:
            return f"{self.state} is terminal: nothing follows, so it is worth 0.{never}"
        lines = [f"{self.state} is worth {max(worth for *_, worth in self.actions):.6g}, the most of:"]
        for name, reward, outcomes, worth in self.actions:
            following = " + ".join(f"{p:.4g} x {value:.6g} [{s}]" for s, p, value in outcomes)
            chosen = "  <- best" if name in self.best else ""
            lines.append(f"  {name}: {reward:.6g} + {self.discount:g} ({following}) = {worth:.6g}{chosen}")
        return "\n".join(lines) + never


@dataclass(frozen=True)
class Solution:
    """The best values and the best policy of an `MDP`.

    Attributes
    ----------
    process : the MDP      method : how it was solved
    values : (S,) what each state is worth      q : (S, A) each action; -inf if it cannot be taken
    policy : (S,) the best action by number, the first of equally good ones; -1 in terminal states
    iterations : int, sweeps or improvements      converged : bool
    error_bound : float, by how much a value may be wrong at most; inf with a discount of 1
    history : values of every step, and of policy iteration (policy, values), if they were asked for
    """

    process: MDP
    method: str
    values: np.ndarray
    q: np.ndarray
    policy: np.ndarray
    iterations: int
    converged: bool
    error_bound: float
    history: list[Any] = field(default_factory=list)

    @property
    def actions(self) -> list[Any]:
        """The best action of each state by name; None in terminal states."""
        return [None if a < 0 else self.process.actions[a] for a in self.policy]

    @cached_property
    def unreachable(self) -> list[Any]:
        """The states that no episode reaches from where it starts; what they are worth never matters."""
        return self.process.unreachable()

    def value(self, state: Hashable) -> float:
        """What a state is worth, by its name."""
        return float(self.values[self.process.state_number(state)])

    def explain(self, state: Hashable) -> Backup:
        """Why a state is worth what it is: the backup of each action, written out.

        Examples
        --------
        >>> from assay.reinforcement import MDP
        >>> process = MDP([[[1, 0], [0, 1]], [[0, 1], [1, 0]]], [[1, 0], [2, 0]], states=["left", "right"],
        ...               actions=["stay", "go"])
        >>> print(process.solve().explain("left"))
        left is worth 18, the most of:
          stay: 1 + 0.9 (1 x 18 [left]) = 17.2
          go: 0 + 0.9 (1 x 20 [right]) = 18  <- best
        """
        s = self.process.state_number(state)
        actions = [
            (
                name,
                float(self.process.rewards[s, a]),
                [(t, p, self.value(t)) for t, p, _ in self.process.outcomes(state, name)],
                float(self.q[s, a]),
            )
            for a, name in enumerate(self.process.actions)
            if self.process.available[s, a]
        ]
        best = [self.process.actions[a] for a in np.flatnonzero(best_actions(self.q[s]))] if actions else []
        return Backup(state, self.process.discount, actions, best, state not in self.unreachable)

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        never = self.unreachable
        beside = f", never reached from the start: {some_of(never)}" if never else ""
        return f"Solution({self.method}, {self.iterations} iterations, {state}, {len(self.values)} states{beside})"


def best_actions(q: np.ndarray) -> np.ndarray:
    """Which actions, along the last axis, are the best but for rounding."""
    most = q.max(axis=-1, keepdims=True)
    return np.isfinite(q) & (q >= most - SAME * np.maximum(abs(most), 1e-300))
