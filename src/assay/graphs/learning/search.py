"""Search for the structure with the best score: hill climbing, tabu search, restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.graphs.learning import _structure_moves
from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.scores import FamilyScorer

__all__ = ["Climb", "Climber"]

LEAST_GAIN = 1e-6  # below this a move gains nothing, and moves are equally good
SHAKEN = 0.2  # share of the arcs that a restart turns round or drops; the best on samples of child, win95pts, water
MOVES = ("add", "delete", "reverse")
KEPT_COLUMNS = 20_000  # gains of a child with given parents that are kept


@dataclass
class Climb:
    """Where a search ended: the arcs as a matrix, the score, and the moves that led there."""

    arcs: np.ndarray
    score: float
    history: list[dict[str, Any]] = field(default_factory=list)


class Climber:
    """Moves in the space of structures: add, delete or reverse one arc, always the best that is legal.

    The gains of all moves stand in a matrix of which a move changes one column or two.

    Parameters
    ----------
    scorer : FamilyScorer      constraints : Constraints      max_parents : int or None
    """

    def __init__(self, scorer: FamilyScorer, constraints: Constraints, max_parents: int | None = None):
        self.scorer, self.constraints = scorer, constraints
        self.d = len(scorer.data.names)
        self.names = scorer.data.names
        self.max_parents = self.d if max_parents is None else max_parents
        self._allowed, self._required = (
            np.ascontiguousarray(a, np.uint8) for a in (constraints.allowed, constraints.required)
        )
        self._kept: dict[tuple[int, frozenset[int]], tuple[float, np.ndarray]] = {}

    def climb(self, start: np.ndarray | None = None, tabu: int = 0, patience: int = 0) -> Climb:
        """From a structure (default: the required arcs alone) to a local optimum; with ``tabu`` on beyond it.

        ``tabu`` is for how many moves an arc that was changed stays as it is, ``patience`` how many moves may pass
        without a new best.
        """
        self.arcs = (self.constraints.required if start is None else start).copy()
        self.gains = np.full((self.d, self.d), -np.inf)
        self.scores = np.zeros(self.d)
        for x in range(self.d):
            self._refresh(x)
        self._reach()
        best = Climb(self.arcs.copy(), float(self.scores.sum()))
        history: list[dict[str, Any]] = []
        until = np.zeros((self.d, self.d), np.int64)  # the move from which an arc may change again
        step = waited = 0
        while True:
            gain, kind, z, x = self._best_move(until, step)
            if kind == "" or (gain <= LEAST_GAIN and waited >= patience):
                break
            step += 1
            self._apply(kind, z, x)
            until[z, x] = until[x, z] = step + tabu  # without tabu: this move, which is over
            score = float(self.scores.sum())
            history.append({"move": kind, "from": self.names[z], "to": self.names[x], "score": score})
            if score > best.score + LEAST_GAIN:
                best = Climb(self.arcs.copy(), score)
                waited = 0
            else:
                waited += 1
                if waited > patience:
                    break
        best.history = history
        return best

    def perturbed(self, arcs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """A structure on the other side of a hill: some arcs are turned round where that is legal, or dropped."""
        self.arcs = arcs.copy()
        free = np.argwhere(arcs & ~self.constraints.required)
        for z, x in free[rng.random(len(free)) < SHAKEN]:
            self.arcs[z, x] = False
            self._reach()
            full = self.arcs[:, z].sum() >= self.max_parents
            self.arcs[x, z] = self.constraints.allowed[x, z] and not self.reach[z, x] and not full
        return self.arcs.copy()

    def _best_move(self, until: np.ndarray, step: int) -> tuple[float, str, int, int]:
        """The move that gains most: add before delete before reverse among equals, then the lowest columns."""
        move = np.empty(3, np.int64)
        gain = _structure_moves.best_move(
            arcs=self.arcs.view(np.uint8),
            reach=self.reach,
            gains=self.gains,
            allowed=self._allowed,
            required=self._required,
            until=until,
            step=step,
            max_parents=self.max_parents,
            least_gain=LEAST_GAIN,
            move=move,
        )
        kind, z, x = move.tolist()
        return gain, MOVES[kind] if kind >= 0 else "", z, x

    def _apply(self, kind: str, z: int, x: int) -> None:
        self.arcs[z, x] = kind == "add"
        self._refresh(x)
        if kind == "reverse":
            self.arcs[x, z] = True
            self._refresh(z)
        self._reach()

    def _reach(self) -> None:
        """(d, d) whether a directed path leads from one column to another."""
        self.reach = np.empty((self.d, self.d), np.uint8)
        _structure_moves.paths(self.arcs.view(np.uint8), self.reach)

    def _refresh(self, x: int) -> None:
        """The score of a child and what each change of its parents would gain."""
        parents = frozenset(np.flatnonzero(self.arcs[:, x]).tolist())
        key = (x, parents)
        if key not in self._kept:
            if len(self._kept) > KEPT_COLUMNS:
                self._kept.clear()
            self._kept[key] = self._column(x, parents)
        self.scores[x], self.gains[:, x] = self._kept[key]

    def _column(self, x: int, parents: frozenset[int]) -> tuple[float, np.ndarray]:
        gains = np.full(self.d, -np.inf)
        open_to = self.constraints.allowed[:, x].copy()
        open_to[list(parents)] = False
        candidates = np.concatenate([[-1], np.flatnonzero(open_to)])
        scores = self.scorer.with_each(x, parents, candidates)
        current = float(scores[0])
        gains[candidates[1:]] = scores[1:] - current
        for z in parents:
            gains[z] = self.scorer.family(x, parents - {z}) - current
        return current, gains
