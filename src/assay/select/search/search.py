"""What a search is: a small object with its settings, and one way to run any of them over any criterion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core.progress import progress
from assay.core.seeds import as_generator
from assay.errors import ParameterError, did_you_mean
from assay.select.search.space import Space, State
from assay.select.search.stop import StopRule, as_stop
from assay.select.subsets.subset_scores import SubsetScores
from assay.select.trace import Trace
from assay.types import RandomState

__all__ = ["SEARCHES", "Search", "SearchResult", "as_search", "search_subsets"]

SEARCHES: Mapping[str, str] = {  # short name: module and class
    "forward": "sequential.Forward",
    "backward": "sequential.Backward",
    "floating": "floating.Floating",
    "backward floating": "floating.Floating",
    "plus-l take-away-r": "plus_minus.PlusMinus",
    "beam": "beam.Beam",
    "branch and bound": "branch_and_bound.BranchAndBound",
    "exhaustive": "exhaustive.Exhaustive",
    "annealing": "annealing.Annealing",
    "genetic": "genetic.Genetic",
    "wrapper": "proposals.Proposals",
}


@dataclass(frozen=True)
class Search:
    """A way to go through the subsets of the columns; its fields are its settings.

    The author writes ``run(space, stop, rng)``, which scores states by ``space``, records rounds there, and returns the
    state that it has chosen.
    """

    name: ClassVar[str] = ""
    stored = {}

    def run(self, space: Space, stop: StopRule, rng: np.random.Generator) -> State:
        """Search; the state that is chosen."""
        raise TypeError(f"{type(self).__name__} must define run")


@dataclass(frozen=True)
class SearchResult:
    """What a search found.

    Attributes
    ----------
    selected : numbers of the chosen columns      score : their mean score, higher is better, costs taken off
    value : the same in the units of the measure      fold_scores : (J,) their scores      trace : Trace
    """

    selected: tuple[int, ...]
    score: float
    value: float
    fold_scores: np.ndarray
    trace: Trace


def search_subsets(
    criterion: SubsetScores,
    search: Any = "forward",
    stop: Any = None,
    *,
    fixed: Iterable[int] = (),
    groups: Sequence[Sequence[int]] | None = None,
    costs: ArrayLike | None = None,
    cost_weight: float = 1.0,
    allow_none: bool = False,
    names: Sequence[str] | None = None,
    random_state: RandomState = None,
    race: float | None = None,
    who: str = "search_subsets",
) -> SearchResult:
    """Search for a good subset of columns by any criterion: scores of a learner, or a function of a subset.

    With costs, the score of a subset F is replaced throughout by :math:`s(F) - \\mu \\sum_{i \\in F} c_i`.

    Parameters
    ----------
    criterion : SubsetScores, such as ``subset_scores(...)`` gives for a learner or ``FunctionScores`` for a function
    search : a Search, or its name: "forward", "backward", "floating", "backward floating", "plus-l take-away-r",
        "beam", "branch and bound", "exhaustive", "annealing", "genetic", "wrapper"
    stop : a number of columns, a rule or several rules; None tests the improvement over the folds
    fixed : columns that are always kept, with those of their groups
    groups : lists of columns that come and go together
    costs : (d,) what each column costs      cost_weight : the factor of the costs, mu
    allow_none : whether no column at all is a possible answer, with the score of the most frequent class or the mean
    names : of the columns, for the trace
    random_state : for searches that draw at random
    race : level of the test by which candidates are given up after some of the folds, of criteria that are asked fold
        by fold, such as learners that are fitted anew; None scores all on all folds

    Returns
    -------
    SearchResult
        At Ctrl-C, the attribute ``partial`` of the exception has the best so far.

    Examples
    --------
    The trace of a sum of squares, less the cost of each column:

    >>> from assay.select import FunctionScores, search_subsets
    >>> squares = FunctionScores(lambda s: sum((j - 1.5) ** 2 for j in s), d=4, baseline=0.0)
    >>> search_subsets(squares, "forward", "improves", costs=[1.0] * 4).selected
    (0, 3)

    See Also
    --------
    SubsetSelector, SequentialFeatureSelector
    """
    search = as_search(search, who)
    costs = _weighted(costs, cost_weight, criterion.d, who)
    space = Space(criterion, fixed, groups, costs, allow_none, who, race)
    rule = as_stop(stop, criterion.n_folds, who)
    rng = as_generator(random_state, who)
    rule.sizes(space)  # refuses sizes that cannot be
    named = [f"x{j}" for j in range(criterion.d)] if names is None else list(names)
    with progress(description=f"{search.name} search") as bar:
        space.progress = bar
        try:
            if not space.units:
                space.scores([()])
            return _result(space, search.run(space, rule, rng) if space.units else (), named)
        except KeyboardInterrupt as stopped:
            best = space.best(*rule.sizes(space))
            if best is not None:
                stopped.partial = _result(space, best, named)  # type: ignore[attr-defined]
                stopped.add_note(
                    f"{who}: interrupted after {space.models} subsets; the attribute partial of this exception has the "
                    "best one so far."
                )
            raise


def _result(space: Space, state: State, names: list[str]) -> SearchResult:
    criterion, selected = space.criterion, space.columns(state)
    fold_scores = space.scores([state])[0] if state in space.seen or selected else criterion.baseline
    trace = Trace(space.rounds, names, criterion.measure, criterion.sign, selected)
    score = float(np.mean(fold_scores))
    return SearchResult(selected, score, criterion.sign * score, fold_scores, trace)


def _weighted(costs: Any, weight: float, d: int, who: str) -> np.ndarray | None:
    if costs is None:
        return None
    values = np.asarray(costs, dtype=np.float64)
    if values.shape != (d,) or not np.isfinite(values).all() or (values < 0).any():
        raise ParameterError(
            f"costs must have a number from 0 for each of the {d} columns, got {np.asarray(costs).tolist()!r}.",
            who=who,
        )
    return weight * values


def as_search(search: Any, who: str) -> Search:
    """A search by its name, or itself.

    >>> from assay.select.search.search import as_search
    >>> as_search("backward floating", "SubsetSelector")
    Floating(direction='backward')
    """
    if isinstance(search, Search):
        return search
    if isinstance(search, str):
        key = search.strip().lower().replace("_", " ")
        if key in SEARCHES:
            module, name = SEARCHES[key].split(".")
            cls = getattr(import_module(f"assay.select.search.{module}"), name)
            return cls(direction="backward") if key == "backward floating" else cls()
        raise ParameterError(f"there is no search {search!r}.{did_you_mean(key, list(SEARCHES))}", who=who)
    raise ParameterError(
        f"search must be a name such as 'forward' or a search such as Beam(width=5), got {search!r}.", who=who
    )
