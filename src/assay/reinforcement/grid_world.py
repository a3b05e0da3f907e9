"""Grid worlds drawn as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import ParameterError
from assay.reinforcement.mdp import MDP
from assay.reinforcement.outcomes import numbers_of
from assay.stats.checks import is_number

__all__ = ["GridWorld"]

MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
ARROWS = {"up": "^", "right": ">", "down": "v", "left": "<"}
LEGEND = "'.' a free cell, '#' a wall, 'S' a start, 'G' a goal, 'X' a pit"


class GridWorld(MDP):
    """A decision process on a grid that is drawn as text: four moves, walls, goals and pits.

    A move against a wall or the rim stays in place. Goals and pits are terminal; their rewards are earned on entering.
    With ``slip`` a move goes astray to either side.

    Parameters
    ----------
    text : str
        One line for each row of cells: '.' a free cell, '#' a wall, 'S' a start, 'G' a goal, 'X' a pit.
    goal_reward, pit_reward, step_reward : float, default 1.0, -1.0, 0.0
        Earned by entering a goal, by entering a pit, and by every step.
    slip : float from 0 to 0.5, default 0.0
        Probability of going to the left, and of going to the right, of the intended direction.
    discount : float, default 0.9
    rewards : dict of cell (row, column) to what entering it earns besides, default None

    Attributes
    ----------
    cells : list of (row, column), the states; they are also their names
    shape : (rows, columns)

    Examples
    --------
    >>> from assay.reinforcement import GridWorld
    >>> world = GridWorld("...G\\n....\\n.#..\\nS...", goal_reward=100)
    >>> best = world.solve()
    >>> world.draw(best).splitlines()
    ['>>>G', '^^^^', '^#^^', '^>^^']

    See Also
    --------
    MDP, QLearning

    References
    ----------
    - Sutton, R. S. and Barto, A. G. (2018). Reinforcement Learning: An Introduction, second edition. MIT Press.
    """

    def __init__(
        self,
        text: str,
        *,
        goal_reward: float = 1.0,
        pit_reward: float = -1.0,
        step_reward: float = 0.0,
        slip: float = 0.0,
        discount: float = 0.9,
        rewards: Mapping[tuple[int, int], float] | None = None,
    ):
        lines = _lines(text)
        for name, reward in (
            ("goal_reward", goal_reward),
            ("pit_reward", pit_reward),
            ("step_reward", step_reward),
        ):
            if not is_number(reward):
                raise ParameterError(f"GridWorld: {name} must be a finite number, got {reward!r}.")
        if not (is_number(slip) and 0 <= slip <= 0.5):
            raise ParameterError(f"GridWorld: slip must be from 0 to 0.5, got {slip!r}.")
        self.text, self.shape = "\n".join(lines), (len(lines), len(lines[0]))
        self.cells = [(i, j) for i, line in enumerate(lines) for j, mark in enumerate(line) if mark != "#"]
        number = {cell: s for s, cell in enumerate(self.cells)}
        marks = np.array([lines[i][j] for i, j in self.cells])
        entering = np.where(marks == "G", goal_reward, np.where(marks == "X", pit_reward, 0.0)) + step_reward
        if rewards is not None and not isinstance(rewards, Mapping):
            raise ParameterError(
                f"GridWorld: rewards must be a dict of cell (row, column) to number, got {rewards!r:.80}."
            )
        for cell, worth in (rewards or {}).items():
            if cell not in number:
                raise ParameterError(f"GridWorld: there is no cell {cell!r} to earn a reward in.")
            if not is_number(worth):
                raise ParameterError(
                    f"GridWorld: the reward of cell {cell!r} must be a finite number, got {worth!r}."
                )
            entering[number[cell]] += worth
        reached = {
            name: np.array([number.get((i + di, j + dj), s) for s, (i, j) in enumerate(self.cells)])
            for name, (di, dj) in MOVES.items()
        }
        names, S = list(MOVES), len(self.cells)
        transitions, earned = [], []
        for a in range(4):
            matrix = sparse.coo_array((S, S))
            for turn, chance in ((0, 1 - 2 * slip), (1, slip), (-1, slip)):
                if chance > 0:
                    to = reached[names[(a + turn) % 4]]
                    matrix = matrix + sparse.coo_array((np.full(S, chance), (np.arange(S), to)), shape=(S, S))
            transitions.append(matrix.tocsr())
            outcomes = transitions[-1].tocoo()
            earned.append(
                sparse.coo_array((entering[outcomes.col], (outcomes.row, outcomes.col)), shape=(S, S))
            )
        ends = [cell for cell, mark in zip(self.cells, marks) if mark in "GX"]
        begins = (marks == "S") / max(int((marks == "S").sum()), 1)
        super().__init__(
            transitions,
            earned,
            discount,
            terminal=ends,
            start=begins if begins.any() else None,
            states=self.cells,
            actions=names,
        )

    def draw(self, policy: Any) -> str:
        """The map with an arrow for the best move of each cell.

        Parameters
        ----------
        policy : Solution, or (S,) actions
        """
        best = np.argmax(self.policy_probabilities(policy), axis=1)
        lines = [list(line) for line in self.text.split("\n")]
        for s, (i, j) in enumerate(self.cells):
            if not self.terminal[s]:
                lines[i][j] = ARROWS[self.actions[best[s]]]
        return "\n".join("".join(line) for line in lines)

    def on_grid(self, values: Sequence[float] | np.ndarray) -> np.ndarray:
        """(rows, columns) one number for each cell; NaN where walls are."""
        try:
            numbers = numbers_of(values)
        except (TypeError, ValueError):
            numbers = np.zeros(0)
        if numbers.shape != (len(self.cells),):
            raise ParameterError(f"GridWorld: expected a number for each of the {len(self.cells)} cells.")
        grid = np.full(self.shape, np.nan)
        grid[tuple(np.array(self.cells).T)] = numbers
        return grid


def _lines(text: Any) -> list[str]:
    if not isinstance(text, str):
        raise ParameterError(f"GridWorld: the map must be text, one line for each row of cells: {LEGEND}.")
    lines = [line.strip() for line in text.strip().splitlines()]
    if not lines or len({len(line) for line in lines}) != 1 or not lines[0]:
        raise ParameterError(
            "GridWorld: all lines of the map must be of the same length, and there must be one."
        )
    wrong = sorted(set("".join(lines)) - set(".#SGX"))
    if wrong:
        raise ParameterError(f"GridWorld: {wrong[0]!r} is no mark of a map: {LEGEND}.")
    if not set("".join(lines)) - {"#"}:
        raise ParameterError("GridWorld: the map has walls alone.")
    return lines
