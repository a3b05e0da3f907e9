"""Beam search: forward selection that keeps several sets of each size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.parameters import check_count
from assay.core.stored import Integer
from assay.select.search.search import Search
from assay.select.search.space import Space, State, best_of
from assay.select.search.stop import StopRule

__all__ = ["Beam"]


@dataclass(frozen=True)
class Beam(Search):
    """Beam search: the ``width`` best sets of each size are extended by every column; width 1 is forward selection.

    Cost: at most width times d subsets for each size.

    Parameters
    ----------
    width : int, default 5

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Beam, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Beam(width=2), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']
    """

    width: int = 5
    name: ClassVar[str] = "beam"
    stored = {"width": Integer(low=1)}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        check_count(space.who, "width", self.width)
        low, high = stop.sizes(space)
        beam: list[State] = [()]
        accepted: State = ()
        space.scores(beam)
        misses = 0
        while space.size(beam[0]) < high:
            level = self._extended(space, beam)
            scores = np.array([space.seen[s] for s in level])
            means = np.array([space.mean(s) for s in level])
            chosen = best_of(means)
            why = stop.refuses(space, "add", accepted, level[chosen], len(level)) if stop.compares else ""
            why = "" if space.size(accepted) < low else why
            misses = misses + 1 if why else 0
            space.record("try", accepted, level, scores, chosen, not why, why)
            accepted = accepted if why else level[chosen]
            if misses >= stop.patience:
                break
            beam = [level[i] for i in np.argsort(-means, kind="stable")[: self.width]]
        return accepted if stop.compares else stop.choose(space)

    def _extended(self, space: Space, beam: list[State]) -> list[State]:
        """All sets one unit larger than those of the beam, each once, in order."""
        level = set[State]()
        for state in beam:
            free = [(u,) for u in space.full if u not in state]
            level.update(space.moves("add", state, free)[0])
        return sorted(level)
