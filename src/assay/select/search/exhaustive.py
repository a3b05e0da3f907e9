"""Exhaustive search: every subset."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from math import comb
from typing import ClassVar

import numpy as np

from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.space import Space, State, best_of
from assay.select.search.stop import StopRule

__all__ = ["Exhaustive"]

MOST_SUBSETS = 2_000_000  # more would take longer than anybody waits, and their scores more memory
BLOCK = 4096  # subsets that are asked for at a time


@dataclass(frozen=True)
class Exhaustive(Search):
    """Every subset of the allowed sizes: 2^d - 1 of d columns; the best one, the smaller one of equals.

    With a test as stop rule, the smallest subset that is not significantly worse than the best. For more than some
    twenty columns ask for a size: ``stop=3`` or ``stop=AtMost(3)``.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Exhaustive, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Exhaustive(), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']
    """

    name: ClassVar[str] = "exhaustive"

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        low, high = (size - len(space.fixed) for size in stop.sizes(space))
        total = sum(comb(len(space.units), k) for k in range(low, high + 1))
        if total > MOST_SUBSETS:
            raise ParameterError(
                f"exhaustive search would score {total:,} subsets; at most {MOST_SUBSETS:,} are tried. Limit their "
                "size (stop=AtMost(3)), or search by floating, beam or genetic search.",
                who=space.who,
            )
        best: State | None = None
        for k in range(low, high + 1):
            states, subsets = list[State](), combinations(space.full, k)
            while block := list(islice(subsets, BLOCK)):
                space.scores(block)
                states += block
            means = np.array([space.mean(s) for s in states])
            chosen = best_of(means)
            better = best is None or space.mean(states[chosen]) > space.mean(best)
            scores = np.array([space.seen[s] for s in states])
            space.record("try", best or (), states, scores, chosen, better)
            best = states[chosen] if better else best
            space.forget_worst(states)
        return stop.choose(space)
