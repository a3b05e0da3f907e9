"""Simulated annealing over subsets: random changes, worse ones accepted ever more rarely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from assay.core.stored import Integer, Scalar
from assay.errors import ParameterError
from assay.select.search.search import Search
from assay.select.search.space import Space, State
from assay.select.search.stop import StopRule

__all__ = ["Annealing", "random_state_of_size"]

FEWEST_STEPS, MOST_STEPS = 200, 2000  # by default, 40 for each column within these
STEPS_PER_UNIT = 40
FIRST_SAMPLES = 10  # random subsets whose spread sets the first temperature
COOLED_TO = 1e-3  # share of the first temperature at the end


@dataclass(frozen=True)
class Annealing(Search):
    r"""Simulated annealing: change one column at random; accept a loss :math:`\Delta` with probability
    :math:`e^{-\Delta/T}`, where the temperature T falls geometrically.

    A change adds a column, removes one, or exchanges two; with a fixed size it exchanges two. Chosen is the best set
    seen. Subsets that come up again are not scored again.

    Parameters
    ----------
    steps : int or None
        Changes that are tried; None is 40 for each column, from 200 to 2,000.
    temperature : float or None
        The first temperature, in the units of the score; None is the standard deviation of ten random subsets' scores.

    Examples
    --------
    >>> from assay.bayes import LinearDiscriminantAnalysis
    >>> from assay.select import Annealing, SubsetSelector
    >>> from assay.tables.data import load_iris
    >>> lda = LinearDiscriminantAnalysis()
    >>> selector = SubsetSelector(lda, search=Annealing(steps=50), stop=2, random_state=0)
    >>> selector.fit(*load_iris()).selected_
    ['sepal width (cm)', 'petal width (cm)']

    References
    ----------
    - Kirkpatrick, S., Gelatt, C. D. and Vecchi, M. P. (1983). Optimization by simulated annealing. Science 220,
      671-680. doi:10.1126/science.220.4598.671
    """

    steps: int | None = None
    temperature: float | None = None
    name: ClassVar[str] = "annealing"
    stored = {"steps": Integer(low=1) | None, "temperature": Scalar(low=0) | None}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        low, high = (size - len(space.fixed) for size in stop.sizes(space))
        steps = self.steps
        if steps is None:
            steps = int(np.clip(STEPS_PER_UNIT * len(space.units), FEWEST_STEPS, MOST_STEPS))
        if steps < 1 or (self.temperature is not None and not self.temperature > 0):
            raise ParameterError(
                f"Annealing: steps must be from 1 and temperature above 0, got {self.steps} and {self.temperature}.",
                who=space.who,
            )
        sizes = rng.integers(low, high + 1, size=FIRST_SAMPLES)
        samples = list(dict.fromkeys(random_state_of_size(space, int(k), rng) for k in sizes))
        scores = space.scores(samples)
        means = np.array([space.mean(s) for s in samples])
        finite = means[np.isfinite(means)]
        spread = float(finite.std()) if len(finite) else 0.0
        heat = self.temperature or spread or float(np.abs(finite).max(initial=0.0)) or 1.0
        first = int(np.argmax(means))
        space.record("try", (), samples, scores, first, True)
        state = samples[first]
        for i in range(steps):
            temperature = heat * COOLED_TO ** (i / max(steps - 1, 1))
            neighbour = _changed(space, state, low, high, rng)
            if neighbour == state:
                continue
            scores = space.scores([neighbour])
            gain = space.mean(neighbour) - space.mean(state)
            accepted = bool(gain >= 0 or rng.random() < np.exp(gain / temperature))
            space.record("try", state, [neighbour], scores, 0, accepted)
            state = neighbour if accepted else state
        return stop.choose(space)


def random_state_of_size(space: Space, k: int, rng: np.random.Generator) -> State:
    """k units at random."""
    return tuple(sorted(rng.choice(len(space.units), size=k, replace=False).tolist()))


def _changed(space: Space, state: State, low: int, high: int, rng: np.random.Generator) -> State:
    """The state with a unit added, removed or exchanged for another, within the allowed sizes."""
    inside, outside = list(state), [u for u in space.full if u not in state]
    kinds = []
    if outside and len(state) < high:
        kinds.append("add")
    if inside and len(state) > low:
        kinds.append("remove")
    if inside and outside:
        kinds.append("exchange")
    if not kinds:
        return state
    kind = kinds[int(rng.integers(len(kinds)))]
    units = set(state)
    if kind != "add":
        units.remove(inside[int(rng.integers(len(inside)))])
    if kind != "remove":
        units.add(outside[int(rng.integers(len(outside)))])
    return tuple(sorted(units))
