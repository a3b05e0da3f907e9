"""Floating search: after each step forward, steps back as long as they lead to better sets than any of that size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import Text
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.sequential import best_move, joint_moves
from assay.select.search.space import Space, State
from assay.select.search.stop import StopRule

__all__ = ["Floating"]


@dataclass(frozen=True)
class Floating(Search):
    """Sequential floating search (SFFS; backward SBFS): the number of columns taken back varies from step to step.

    Forward: the best column is added whatever its score; then the least useful column, never the one just added, is
    removed as long as the smaller set is strictly better than the best set of that size so far. Backward: the same
    with adding and removing exchanged. It ends with the largest (smallest) size that the stop rule allows. Chosen is
    the best set seen over all sizes that are allowed, the smaller one of equals.

    Cost: at least d (d + 1) / 2 subsets; each set of a size replaces a worse one, so that it ends.

    Parameters
    ----------
    direction : "forward" or "backward"

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Floating, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Floating("backward"), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal length (cm)', 'petal length (cm)']

    References
    ----------
    - Pudil, P., Novovicova, J. and Kittler, J. (1994). Floating search methods in feature selection. Pattern
      Recognition Letters 15, 1119-1125. doi:10.1016/0167-8655(94)90127-9
    """

    direction: str = "forward"
    name: ClassVar[str] = "floating"
    stored = {"direction": Text("forward", "backward")}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        if self.direction not in ("forward", "backward"):
            raise ParameterError(
                f'Floating: direction must be "forward" or "backward", got {self.direction!r}.', who=space.who
            )
        low, high = stop.sizes(space)
        forward, backward = ("add", "remove") if self.direction == "forward" else ("remove", "add")
        state: State = () if forward == "add" else space.full
        best_of_size: dict[int, float] = {}
        if forward == "remove":
            scores = space.scores([state])
            space.record("start", state, [state], scores, 0, True)
            best_of_size[len(state)] = space.mean(state)
        while space.size(state) < high if forward == "add" else space.size(state) > low:
            moves = joint_moves(space, forward, state, 1)
            target, scores, chosen = best_move(space, forward, state, moves)
            space.record(forward, state, moves, scores, chosen, True)
            state, just = target, moves[chosen][0]
            best_of_size[len(state)] = max(best_of_size.get(len(state), -np.inf), space.mean(state))
            state = _backtrack(space, backward, state, just, best_of_size)
        return stop.choose(space)


def _backtrack(space: Space, kind: str, state: State, just: int, best_of_size: dict[int, float]) -> State:
    """Steps back while each leads to a set better than the best of its size."""
    while True:
        step = -1 if kind == "remove" else 1
        moves = [move for move in joint_moves(space, kind, state, 1) if move[0] != just]
        if not moves or len(state) + step not in best_of_size:
            return state
        target, scores, chosen = best_move(space, kind, state, moves)
        better = space.mean(target) > best_of_size[len(target)]
        space.record(kind, state, moves, scores, chosen, better)
        if not better:
            return state
        state = target
        best_of_size[len(state)] = space.mean(state)
