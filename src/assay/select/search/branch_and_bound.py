"""Branch and bound: the best subset of a size by a monotone criterion, without scoring all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from assay.errors import DataError, ParameterError
from assay.select.search.search import Search
from assay.select.search.space import TIED, Space, State
from assay.select.search.stop import StopRule

__all__ = ["BranchAndBound"]

NOT_MONOTONE = 1e-9  # by which share of itself a score may rise when a column is removed, for rounding


@dataclass(frozen=True)
class BranchAndBound(Search):
    """The best subset of exactly k columns by a criterion that no column can lower, found with certainty.

    Columns are removed one by one from the full set. As removing never raises the score, a set that scores no more than
    the best set of size k so far needs not be looked into: none of its subsets can be better. The removal that
    loses most heads the largest branch, and the promising small branches are looked into first, so that large parts
    fall away early.

    The criterion says that it is monotone (``FunctionScores(..., monotone=True)``); a score that rises as a column is
    removed is an error. The size is asked for: ``stop=k``.

    Cost: in the worst case all binomial(d, k) subsets and what leads to them; usually a small share.

    Examples
    --------
    >>> from assay.select import BranchAndBound, FunctionScores, search_subsets
    >>> weights = [3.0, 1.0, 2.0, 5.0]
    >>> spread = FunctionScores(lambda s: sum(weights[j] for j in s), d=4, monotone=True)
    >>> search_subsets(spread, BranchAndBound(), 2).selected
    (0, 3)

    References
    ----------
    - Narendra, P. M. and Fukunaga, K. (1977). A branch and bound algorithm for feature subset selection. IEEE
      Transactions on Computers C-26, 917-922. doi:10.1109/TC.1977.1674939
    """

    name: ClassVar[str] = "branch and bound"

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        low, high = stop.sizes(space)
        if not space.criterion.monotone:
            raise ParameterError(
                "branch and bound needs a criterion that no column can lower, which scores on test rows are not. Use "
                "FunctionScores(..., monotone=True), or exhaustive search.",
                who=space.who,
            )
        if low != high:
            raise ParameterError(
                "branch and bound needs the number of columns: stop=AtSize(k). By a monotone criterion all columns are "
                "always best.",
                who=space.who,
            )
        space.record("start", space.full, [space.full], space.scores([space.full]), 0, True)
        descent = _Descent(space, low - len(space.fixed))
        descent.into(space.full, space.full)
        assert descent.best is not None  # the first descent reaches a set of size k
        return descent.best


@dataclass
class _Descent:
    """The best set of size k so far, and the way down into sets that may hold a better one."""

    space: Space
    k: int
    best: State | None = None
    cheapest: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.cheapest = np.array([self.space._cost((u,)) - self.space._cost(()) for u in self.space.full])

    def into(self, state: State, removable: State) -> None:
        """Look into the subsets of ``state`` that lack only units of ``removable``."""
        space = self.space
        if len(state) == self.k:
            if self.best is None or self._exceeds(space.mean(state), space.mean(self.best)):
                self._record(state)
            return
        moves = [(u,) for u in removable]
        states, _ = space.moves("remove", state, moves)
        bounds = np.array([self._bound(s) for s in states])
        self._refuse_rise(state, states, bounds)
        order = np.argsort(bounds, kind="stable")  # the removal that loses most may be followed by all others
        needed = len(state) - 1 - self.k  # removals below a child
        for place in range(len(order) - 1 - needed, -1, -1):  # the small promising branches first
            i = int(order[place])
            others = tuple(sorted(moves[int(j)][0] for j in order[place + 1 :]))
            if self.best is None or self._exceeds(bounds[i], space.mean(self.best)):
                self.into(states[i], others)

    def _bound(self, state: State) -> float:
        """No set of k units within the state scores more: its own score, with the costs of its k cheapest alone."""
        space = self.space
        score = space.mean(state) + space._cost(state)
        return score - space._cost(()) - float(np.sort(self.cheapest[list(state)])[: self.k].sum())

    def _exceeds(self, value: float, best: float) -> bool:
        return value > best + TIED * abs(best)

    def _record(self, state: State) -> None:
        space = self.space
        base = () if self.best is None else self.best
        space.record("try", base, [state], space.scores([state]), 0, True)
        self.best = state

    def _refuse_rise(self, state: State, smaller: list[State], bounds: np.ndarray) -> None:
        limit = self._bound(state) if self.space.costs is None else np.inf
        worst = int(np.argmax(bounds))
        if bounds[worst] > limit + NOT_MONOTONE * abs(limit):
            space = self.space
            kept, removed = space.columns(smaller[worst]), set(space.columns(state))
            raise DataError(
                f"the criterion is not monotone: without column {min(removed.difference(kept))} it rises from "
                f"{limit:.6g} to {bounds[worst]:.6g}. Use floating or exhaustive search.",
                who=space.who,
            )
