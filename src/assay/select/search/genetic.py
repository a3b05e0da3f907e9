"""Genetic search: a population of subsets, crossed and mutated, of which the better ones have children."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import Integer, Scalar
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.space import Space, State, best_of
from assay.select.search.stop import StopRule

__all__ = ["Genetic"]

STALLED_GENERATIONS = 10  # without a better subset, after which nothing more is expected


@dataclass(frozen=True)
class Genetic(Search):
    """A genetic algorithm: each subset is a string of bits, one for each column.

    Parents win tournaments of three; a child has each bit from either parent, and each bit is flipped with the
    probability ``mutation``; the best two live on. It ends after ``generations``, or when ten bring nothing better.
    Chosen is the best set seen. The subsets of a generation are scored together, so that threads have work.

    Parameters
    ----------
    population : int, default 40
    generations : int, default 50
    mutation : float or None
        None is 1 / d: one bit a child on average.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Genetic, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Genetic(population=10, generations=5), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']

    References
    ----------
    - Siedlecki, W. and Sklansky, J. (1989). A note on genetic algorithms for large-scale feature selection. Pattern
      Recognition Letters 10, 335-347. doi:10.1016/0167-8655(89)90037-8
    """

    population: int = 40
    generations: int = 50
    mutation: float | None = None
    name: ClassVar[str] = "genetic"
    stored = {
        "population": Integer(low=4),
        "generations": Integer(low=1),
        "mutation": Scalar(low=0, high=1) | None,
    }

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        if self.population < 4 or self.generations < 1 or not 0 <= (self.mutation or 0.0) <= 1:
            raise ParameterError(
                "Genetic: population must be from 4, generations from 1, mutation from 0 to 1; got "
                f"{self.population}, {self.generations}, {self.mutation}.",
                who=space.who,
            )
        sizes = tuple(size - len(space.fixed) for size in stop.sizes(space))
        U = len(space.units)
        bits = _within(rng.random((self.population, U)) < rng.random((self.population, 1)), sizes, rng)
        best: State | None = None
        stalled = 0
        for _ in range(self.generations):
            states = [tuple(np.flatnonzero(b).tolist()) for b in bits]
            scores = space.scores(states)
            means = np.array([space.mean(s) for s in states])
            chosen = best_of(means)
            better = best is None or space.mean(states[chosen]) > space.mean(best)
            space.record("try", best or (), states, scores, chosen, better)
            best, stalled = (states[chosen], 0) if better else (best, stalled + 1)
            if stalled >= STALLED_GENERATIONS:
                break
            bits = _within(self._children(bits, means, rng), sizes, rng)
        return stop.choose(space)

    def _children(self, bits: np.ndarray, means: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """The next generation: the two best, and children of winners of tournaments."""
        n, U = bits.shape
        entrants = rng.integers(n, size=(2, n - 2, 3))
        parents = np.take_along_axis(entrants, means[entrants].argmax(axis=2)[..., None], axis=2)[..., 0]
        children = np.where(rng.random((n - 2, U)) < 0.5, bits[parents[0]], bits[parents[1]])
        rate = 1 / U if self.mutation is None else self.mutation
        children ^= rng.random((n - 2, U)) < rate
        elite = np.argsort(-means, kind="stable")[:2]
        return np.concatenate([bits[elite], children])


def _within(bits: np.ndarray, sizes: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
    """Strings of bits with an allowed number of ones: random ones are added or taken away."""
    low, high = sizes
    for b in bits:
        ones = int(b.sum())
        if ones > high:
            b[rng.choice(np.flatnonzero(b), size=ones - high, replace=False)] = False
        elif ones < low:
            b[rng.choice(np.flatnonzero(~b), size=low - ones, replace=False)] = True
    return bits
