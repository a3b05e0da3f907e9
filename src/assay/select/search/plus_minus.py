"""Plus l, take away r: add l columns, remove r, and so on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import Boolean, Integer
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.sequential import best_move, joint_moves
from assay.select.search.space import Space, State
from assay.select.search.stop import StopRule

__all__ = ["PlusMinus"]


@dataclass(frozen=True)
class PlusMinus(Search):
    """Plus-l take-away-r search: each round adds the best l columns and removes the least useful r.

    With l > r it begins with no column and grows, with l < r it begins with all and shrinks. It ends at the size that
    the stop rule allows; chosen is the best set seen.

    Parameters
    ----------
    plus, minus : int, l and r, default 2 and 1
    joint : bool, default True
        Whether the l (r) columns are chosen together, by trying all their combinations, or one after the other.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import PlusMinus, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=PlusMinus(2, 1), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']

    References
    ----------
    - Stearns, S. D. (1976). On selecting features for pattern classifiers. Proceedings of the 3rd International
      Conference on Pattern Recognition, 71-75.
    """

    plus: int = 2
    minus: int = 1
    joint: bool = True
    name: ClassVar[str] = "plus-l take-away-r"
    stored = {"plus": Integer(low=0), "minus": Integer(low=0), "joint": Boolean()}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        if min(self.plus, self.minus) < 0 or self.plus == self.minus:
            raise ParameterError(
                f"PlusMinus: plus and minus must be different numbers from 0, got {self.plus} and {self.minus}.",
                who=space.who,
            )
        low, high = stop.sizes(space)
        grows = self.plus > self.minus
        steps = (
            [("add", self.plus), ("remove", self.minus)]
            if grows
            else [("remove", self.minus), ("add", self.plus)]
        )
        state: State = () if grows else space.full
        if not grows:
            space.record("start", state, [state], space.scores([state]), 0, True)
        while True:
            ahead, back = steps
            left = high - space.size(state) if grows else space.size(state) - low
            state = self._moved(space, ahead[0], state, min(ahead[1], left))
            if left <= ahead[1]:
                return stop.choose(space)
            state = self._moved(space, back[0], state, back[1])

    def _moved(self, space: Space, kind: str, state: State, count: int) -> State:
        """The state after the best ``count`` units were added or removed."""
        for step in [count] if self.joint else [1] * count:
            moves = joint_moves(space, kind, state, step)
            if not moves:
                break
            target, scores, chosen = best_move(space, kind, state, moves)
            space.record(kind, state, moves, scores, chosen, True)
            state = target
        return state
