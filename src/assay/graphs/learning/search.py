"""Search for the structure with the best score: hill climbing, tabu search, restarts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.graphs.learning.constraints import Constraints
from assay.graphs.learning.scores import FamilyScorer

__all__ = ["Climb", "Climber"]

LEAST_GAIN = 1e-9  # below this a move gains nothing
SHAKEN = 0.5  # share of the arcs that a restart turns round or drops
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
            gain, kind, z, x = self._best_move(until > step if tabu else None)
            if kind == "" or (gain <= LEAST_GAIN and waited >= patience):
                break
            step += 1
            self._apply(kind, z, x)
            until[z, x] = until[x, z] = step + tabu
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
            self._reach()
            turned = self._legal()[2][z, x]
            self.arcs[z, x] = False
            if turned:
                self.arcs[x, z] = True
        return self.arcs.copy()

    def _best_move(self, frozen: np.ndarray | None) -> tuple[float, str, int, int]:
        """The move that gains most: add before delete before reverse among equals, then the lowest columns."""
        best: tuple[float, str, int, int] = (-np.inf, "", -1, -1)
        reverse_gain = self.gains + self.gains.T
        for kind, legal, gains in zip(
            ("add", "delete", "reverse"), self._legal(), (self.gains, self.gains, reverse_gain)
        ):
            if frozen is not None:
                legal = legal & ~frozen
            if not legal.any():
                continue
            values = np.where(legal, gains, -np.inf)
            at = int(np.argmax(values))
            value = float(values.flat[at])
            if value > best[0] + (LEAST_GAIN if best[1] else 0.0):
                best = (value, kind, at // self.d, at % self.d)
        return best

    def _legal(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(d, d) which arcs may be added, deleted, reversed."""
        allowed, required, arcs = self.constraints.allowed, self.constraints.required, self.arcs
        few = arcs.sum(axis=0) < self.max_parents
        add = allowed & ~arcs & ~arcs.T & ~self.reach.T & few[None, :]
        delete = arcs & ~required
        around = (arcs.astype(np.float32) @ self.reach.astype(np.float32)) > 0  # a path of two arcs or more
        return add, delete, delete & allowed.T & ~around & few[:, None]

    def _apply(self, kind: str, z: int, x: int) -> None:
        self.arcs[z, x] = kind == "add"
        self._refresh(x)
        if kind == "reverse":
            self.arcs[x, z] = True
            self._refresh(z)
        if kind == "add":  # whatever leads to z now leads to x and on
            above, below = self.reach[:, z].copy(), self.reach[x].copy()
            above[z] = below[x] = True
            self.reach |= np.outer(above, below)
        else:
            self._reach()

    def _reach(self) -> None:
        """(d, d) whether a directed path leads from one column to another."""
        reach = self.arcs.copy()
        for k in np.flatnonzero(self.arcs.any(axis=1) & self.arcs.any(axis=0)):
            reach |= np.outer(reach[:, k], reach[k])
        self.reach = reach

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
        scorer, allowed = self.scorer, self.constraints.allowed
        gains = np.full(self.d, -np.inf)
        candidates = np.array([z for z in np.flatnonzero(allowed[:, x]) if z not in parents], np.int64)
        scores = scorer.with_each(x, parents, np.concatenate([[-1], candidates]).astype(np.int64))
        current = float(scores[0])
        if len(candidates):
            gains[candidates] = scores[1:] - current if np.isfinite(current) else -np.inf
        for z in parents:
            gains[z] = scorer.family(x, parents - {z}) - current
        return current, gains
