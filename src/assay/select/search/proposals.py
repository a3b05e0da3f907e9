"""The wrapper by proposals: a set is augmented, kept if that is better, and given up after some failures."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, Integer, Text
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.sequential import best_move, joint_moves
from assay.select.search.space import Space, State
from assay.select.search.stop import StopRule

__all__ = ["Proposals"]


@dataclass(frozen=True)
class Proposals(Search):
    """Propose a few more columns, keep them if the learner gets better, stop after ``patience`` failures in a row.

    Proposals are the next columns by a filter score ("filter"), those with which the learner is best ("greedy"), or
    columns drawn at random ("random"). Better means what the stop rule says; a failed proposal is not made again from
    the same set.

    Parameters
    ----------
    proposal : "filter", "greedy" or "random"
    n_add : int, default 1
        Columns of a proposal; two find columns that are of use only together.
    patience : int, default 5
        Proposals in a row that fail before the search ends; of "greedy" the first failure is final, since it was the
        best there is.
    ranking : (d,) filter scores, higher is better; None takes the score of each column alone

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Proposals, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Proposals("greedy"), random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['petal width (cm)']

    References
    ----------
    - Kohavi, R. and John, G. H. (1997). Wrappers for feature subset selection. Artificial Intelligence 97, 273-324.
      doi:10.1016/S0004-3702(97)00043-X
    """

    proposal: str = "greedy"
    n_add: int = 1
    patience: int = 5
    ranking: Any = None
    name: ClassVar[str] = "wrapper"
    stored = {
        "proposal": Text("filter", "greedy", "random"),
        "n_add": Integer(low=1),
        "patience": Integer(low=1),
        "ranking": FloatArray("d") | None,
    }

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        if self.proposal not in ("filter", "greedy", "random") or self.n_add < 1 or self.patience < 1:
            raise ParameterError(
                'Proposals: proposal must be "filter", "greedy" or "random", n_add and patience whole numbers from 1; '
                f"got {self.proposal!r}, {self.n_add!r}, {self.patience!r}.",
                who=space.who,
            )
        low, high = stop.sizes(space)
        state: State = ()
        space.scores([state])
        ranked = self._ranked(space) if self.proposal == "filter" else []
        failed, failures = set[State](), 0
        while space.size(state) < high and failures < self.patience:
            moves = self._moves(space, state, high - space.size(state), ranked, failed, rng)
            if not moves:
                break
            target, scores, chosen = best_move(space, "add", state, moves)
            why = stop.refuses(space, "add", state, target, len(moves)) if stop.compares else ""
            why = "" if space.size(state) < low else why
            space.record("add", state, moves, scores, chosen, not why, why)
            if why:
                failures += 1
                failed.add(moves[chosen])
                if self.proposal == "greedy":
                    break
            else:
                state, failures, failed = target, 0, set()
        return state

    def _moves(
        self,
        space: Space,
        state: State,
        left: int,
        ranked: list[int],
        failed: set[State],
        rng: np.random.Generator,
    ) -> list[State]:
        """All proposals of a greedy round, else one; none if all have failed."""
        count = min(self.n_add, left, len(space.units) - len(state))
        if self.proposal == "greedy":
            return joint_moves(space, "add", state, count)
        free = [u for u in ranked if u not in state] if ranked else [u for u in space.full if u not in state]
        if self.proposal == "random":
            free = rng.permutation(free).tolist()
        proposals = (tuple(sorted(move)) for move in combinations(free, count))
        return next(([move] for move in proposals if move not in failed), [])

    def _ranked(self, space: Space) -> list[int]:
        """The units by their filter scores, the best first; a group by its best column."""
        if self.ranking is None:
            states = [(u,) for u in space.full]
            scores = space.scores(states)
            values = np.array([space.mean(s) for s in states])
            space.record("try", (), states, scores, int(np.argmax(values)), False, "Each column alone.")
        else:
            ranking = np.asarray(self.ranking, dtype=np.float64)
            if ranking.shape != (space.criterion.d,):
                raise ParameterError(
                    f"Proposals: ranking must have a number for each of the {space.criterion.d} columns, its shape is "
                    f"{ranking.shape}.",
                    who=space.who,
                )
            values = np.array([np.max(ranking[list(unit)]) for unit in space.units])
        return np.argsort(-values, kind="stable").tolist()
