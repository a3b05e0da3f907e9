"""Sequential search: add the best column, or remove the least useful one, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import ClassVar

import numpy as np

from assay.core.stored import Integer
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.space import Space, State, best_of
from assay.select.search.stop import StopRule

__all__ = ["Backward", "Forward", "best_move", "joint_moves"]

MOST_JOINT_MOVES = 2_000_000  # subsets of candidates that one round may try together


@dataclass(frozen=True)
class Forward(Search):
    """Sequential forward selection: begin with no column, add the best one (or ``step`` of them jointly) each round.

    Two columns that say nothing alone and all together (exclusive or) are missed with ``step=1`` and found with 2.

    Cost: d + (d - 1) + ... subsets, O(d k) for k columns; with ``step`` l, binomials of order d^l a round.

    Parameters
    ----------
    step : int, default 1
        Columns added at a time; all their combinations are tried.

    Examples
    --------
    >>> from assay.select import Forward, FunctionScores, search_subsets
    >>> xor = FunctionScores(lambda s: 1.0 if {0, 1} <= set(s) else 0.5, d=3, baseline=0.5)
    >>> [search_subsets(xor, Forward(step), "improves", allow_none=True).selected for step in (1, 2)]
    [(), (0, 1)]
    """

    step: int = 1
    name: ClassVar[str] = "forward"
    stored = {"step": Integer(low=1)}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        return _greedy(space, stop, "add", self.step, ())


@dataclass(frozen=True)
class Backward(Search):
    """Sequential backward selection: begin with all columns, remove the least useful one (or ``step``) each round.

    Keeps columns that are of use together, and fits larger models than forward search.

    Parameters
    ----------
    step : int, default 1
        Columns removed at a time; all their combinations are tried.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Backward, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Backward(), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal length (cm)', 'petal length (cm)']
    """

    step: int = 1
    name: ClassVar[str] = "backward"
    stored = {"step": Integer(low=1)}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        return _greedy(space, stop, "remove", self.step, space.full)


def _greedy(space: Space, stop: StopRule, kind: str, step: int, start: State) -> State:
    """Best moves of one kind until the rule refuses as often as it has patience; then the last accepted state."""
    low, high = stop.sizes(space)
    state = accepted = start
    if stop.compares:
        scores = space.scores([state])
        if space.columns(state):
            space.record("start", state, [state], scores, 0, True)
    misses = 0
    while True:
        left = high - space.size(state) if kind == "add" else space.size(state) - low
        moves = joint_moves(space, kind, state, min(step, left))
        if not moves:
            return accepted if stop.compares else stop.choose(space)
        target, scores, chosen = best_move(space, kind, state, moves)
        why = "" if not stop.compares else stop.refuses(space, kind, accepted, target, len(moves))
        if space.size(accepted) < low:  # too few columns are no answer
            why = ""
        misses = misses + 1 if why else 0
        going = misses < stop.patience
        space.record(kind, state, moves, scores, chosen, not why or going, why)
        if not why:
            accepted = target
        if not going:
            return accepted
        state = target


def joint_moves(space: Space, kind: str, state: State, step: int) -> list[State]:
    """All ``step``-subsets of the units that can be added or removed."""
    free = [u for u in space.full if u not in state] if kind == "add" else list(state)
    step = min(step, len(free))
    if step < 1:
        return []
    if comb(len(free), step) > MOST_JOINT_MOVES:
        raise ParameterError(
            f"{comb(len(free), step):,} combinations of {step} of {len(free)} columns are too many for a round. Take a "
            "smaller step.",
            who=space.who,
        )
    return list(combinations(free, step))


def best_move(space: Space, kind: str, state: State, moves: Sequence[State]) -> tuple[State, np.ndarray, int]:
    """The state after the best move, the scores of all moves, and its place among them; of equals the first."""
    states, scores, means = space.best_of_moves(kind, state, moves)
    chosen = best_of(means)
    return states[chosen], scores, chosen
