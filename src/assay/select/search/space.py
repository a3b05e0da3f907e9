"""The space of a search: subsets of columns, their scores, what was seen so far, and the rounds of the trace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from assay.core.progress import Progress
from assay.errors import ParameterError
from assay.select.search.race import raced
from assay.select.subsets.subset_scores import SubsetScores
from assay.select.trace import Round

__all__ = ["Space", "State", "best_of"]

State = tuple[int, ...]  # ascending numbers of the units that are in
TIED = 1e-12  # scores that differ by less than this share of them are equal: the first one wins
TRACED_CANDIDATES = 500  # the most candidates of a round that the trace keeps, the best ones


class Space:
    """Subsets of columns as a search sees them: sets of units, each a column or a group that moves as one.

    Fixed columns are always in, and no unit. Each subset is scored once; with costs, what its columns cost is taken off
    the score of every fold.

    Parameters
    ----------
    criterion : SubsetScores
    fixed : numbers of columns that are always kept, with those of their groups
    groups : lists of columns that come and go together; any other column is a unit by itself
    costs : (d,) what each column costs, in the units of the measure; None for nothing
    allow_none : bool
        Whether the search may end without any column; if not, no column is worse than any subset.
    race : float or None
        Level of the test by which candidates of a move are given up after some of the folds; None scores them on all.

    Attributes
    ----------
    units : list of tuples of columns      seen : dict from each state to its (J,) scores
    rounds : list of Round
    """

    def __init__(
        self,
        criterion: SubsetScores,
        fixed: Iterable[int] = (),
        groups: Sequence[Sequence[int]] | None = None,
        costs: np.ndarray | None = None,
        allow_none: bool = False,
        who: str = "search_subsets",
        race: float | None = None,
    ):
        self.criterion, self.costs, self.who, self.race = criterion, costs, who, race
        self.fixed, self.units = _units(criterion.d, {int(j) for j in fixed}, groups or (), who)
        self.allow_none = allow_none
        self.smallest = 0 if self.fixed or allow_none else 1  # units that must be in
        self.seen: dict[State, np.ndarray] = {}
        self._mean: dict[State, float] = {}
        self._given_up: set[State] = set()
        self._leader: State | None = None  # the best one so far, whatever its size
        self.rounds: list[Round] = []
        self.models = 0
        self.progress: Progress | None = None
        self._singles = all(len(unit) == 1 for unit in self.units)

    @property
    def full(self) -> State:
        """All units."""
        return tuple(range(len(self.units)))

    def size(self, state: State) -> int:
        """How many columns count: each fixed one, and each unit once."""
        return len(self.fixed) + len(state)

    def columns(self, state: Iterable[int]) -> tuple[int, ...]:
        """The numbers of the columns of a state, fixed ones included."""
        return tuple(sorted({*self.fixed, *(j for unit in state for j in self.units[unit])}))

    def mean(self, state: State) -> float:
        """The mean score of a state that was seen; -inf where the learner failed."""
        return self._mean[state]

    # ------------------------------------------------------------------ scores

    def scores(self, states: Sequence[State]) -> np.ndarray:
        """(len(states), J) the scores of states, each asked for once."""
        unknown = list(dict.fromkeys(s for s in states if s not in self.seen))
        self._keep(unknown, lambda part: self.criterion.scores([self.columns(s) for s in part]))
        return np.array([self.seen[s] for s in states])

    def moves(self, kind: str, base: State, moves: Sequence[State]) -> tuple[list[State], np.ndarray]:
        """The states after each move, "add" or "remove" of some units, and their scores."""
        states = [moved(kind, base, move) for move in moves]
        if self._singles and all(len(move) == 1 for move in moves):
            self._one_column_moves(kind, base, states, moves)
        return states, self.scores(states)

    def best_of_moves(
        self, kind: str, base: State, moves: Sequence[State]
    ) -> tuple[list[State], np.ndarray, np.ndarray]:
        """As ``moves``, and the mean of each; a criterion that is asked fold by fold need not score the hopeless."""
        if self.race is None or self.criterion.by_fold is None:
            states, scores = self.moves(kind, base, moves)
            return states, scores, np.array([self.mean(s) for s in states])
        states = [moved(kind, base, move) for move in moves]
        unknown = [s for s in dict.fromkeys(states) if s not in self.seen and self.columns(s)]
        rivals = [s for s in dict.fromkeys(states) if s in self.seen]
        scores_of = {s: np.full(self.criterion.n_folds, np.nan) for s in unknown}
        self._race(self.race, unknown, rivals, scores_of)
        known = self.scores([s for s in states if s not in scores_of])
        scores_of.update(zip([s for s in states if s not in scores_of], known))
        means = np.array([self._mean.get(s, -np.inf) for s in states])
        return states, np.array([scores_of[s] for s in states]), means

    def _race(
        self, level: float, unknown: list[State], rivals: list[State], scores_of: dict[State, np.ndarray]
    ) -> None:
        """Score the unknown states fold by fold and remember those that came to the end."""
        ask, J = self.criterion.by_fold, self.criterion.n_folds
        assert ask is not None
        columns, costs = [self.columns(s) for s in unknown], np.array([self._cost(s) for s in unknown])

        def on_fold(some: list[int], fold: int) -> np.ndarray:
            return ask([columns[i] for i in some], fold) - costs[some]

        known = np.array([self.seen[s] for s in rivals]).reshape(len(rivals), J)
        scores, given_up = raced(on_fold, len(unknown), J, level, self.criterion.ratio, known)
        for i, state in enumerate(unknown):
            scores_of[state] = scores[i]
            if given_up[i]:
                self._given_up.add(state)
            else:
                self._note_scores(state, scores[i])
        self.models += len(unknown)
        if self.progress is not None:
            self.progress.advance(len(unknown), self._note())

    def _one_column_moves(self, kind: str, base: State, states: list[State], moves: Sequence[State]) -> None:
        """Scores by the criterion's own way of adding or removing one column."""
        ask = self.criterion.additions if kind == "add" else self.criterion.removals
        column = {s: self.units[m[0]][0] for s, m in zip(states, moves) if s not in self.seen}
        self._keep(list(column), lambda part: ask(self.columns(base), [column[s] for s in part]))

    def _keep(self, states: list[State], ask: Any) -> None:
        empty = [s for s in states if not self.columns(s)]
        for s in empty:
            baseline = np.asarray(self.criterion.baseline, dtype=np.float64)
            self._note_scores(s, baseline if self.allow_none else np.full_like(baseline, -np.inf))
        states = [s for s in states if s not in empty]
        batch = self.criterion.batch or max(len(states), 1)
        for start in range(0, len(states), batch):
            part = states[start : start + batch]
            values = np.asarray(ask(part), dtype=np.float64)
            for s, scores in zip(part, values):
                self._note_scores(s, scores - self._cost(s))
            self.models += len(part)
            if self.progress is not None:
                self.progress.advance(len(part), self._note())

    def _note_scores(self, state: State, scores: np.ndarray) -> None:
        mean = float(scores.sum()) / len(scores)
        self.seen[state], self._mean[state] = scores, -np.inf if np.isnan(mean) else mean
        if self._leader is None or self._mean[state] > self._mean[self._leader]:
            self._leader = state

    def _cost(self, state: State) -> float:
        return 0.0 if self.costs is None else float(self.costs[list(self.columns(state))].sum())

    def _note(self) -> str:
        if self._leader is None:
            return ""
        value = self.criterion.sign * self._mean[self._leader]
        return f"best {self.criterion.measure} {value:.4g} with {len(self.columns(self._leader))} columns"

    def best(self, lowest: int = 0, highest: int | None = None) -> State | None:
        """The best state seen among those of allowed sizes, the smaller one of equals, then the first in order."""
        highest = len(self.units) + len(self.fixed) if highest is None else highest
        lowest = max(lowest, self.smallest + len(self.fixed))
        allowed = [s for s in self.seen if lowest <= self.size(s) <= highest]
        allowed.sort(key=lambda s: (len(s), s))
        return allowed[best_of(np.array([self._mean[s] for s in allowed]))] if allowed else None

    def forget_worst(self, states: Sequence[State]) -> None:
        """Free the memory of all but the best of very many states."""
        if len(states) > TRACED_CANDIDATES:
            for i in np.argsort([-self._mean[s] for s in states], kind="stable")[TRACED_CANDIDATES:]:
                del self.seen[states[i]], self._mean[states[i]]

    # ------------------------------------------------------------------ the trace

    def record(
        self,
        kind: str,
        base: State,
        candidates: Sequence[State],
        scores: np.ndarray,
        chosen: int,
        accepted: bool,
        note: str = "",
    ) -> None:
        """Write down a round; of very many candidates, the best ones."""
        if len(candidates) > TRACED_CANDIDATES:
            order = np.argsort(-_means(scores), kind="stable")[:TRACED_CANDIDATES]
            order = np.sort(np.union1d(order, [chosen]))
            candidates, scores = [candidates[i] for i in order], scores[order]
            chosen = int(np.flatnonzero(order == chosen)[0])
        named = tuple(self._moved_columns(kind, c) for c in candidates)
        spared = tuple(
            i
            for i in np.flatnonzero(np.isnan(scores).any(axis=1)).tolist()
            if moved(kind, base, candidates[i]) in self._given_up
        )
        self.rounds.append(
            Round(
                kind,
                self.columns(base),
                named,
                np.array(scores),
                chosen,
                bool(accepted),
                self.models,
                note,
                spared,
            )
        )

    def _moved_columns(self, kind: str, units: State) -> tuple[int, ...]:
        if kind in ("add", "remove"):
            return tuple(sorted(j for unit in units for j in self.units[unit]))
        return self.columns(units)


def moved(kind: str, base: State, move: State) -> State:
    """The state after some units were added or removed."""
    return tuple(sorted({*base, *move})) if kind == "add" else tuple(u for u in base if u not in move)


def best_of(means: np.ndarray) -> int:
    """The place of the highest score; of equals (up to rounding) the first.

    >>> import numpy as np
    >>> from assay.select.search.space import best_of
    >>> best_of(np.array([0.2, 0.3, 0.1 + 0.2]))
    1
    """
    top = means.max()
    return int(np.argmax(means >= top - TIED * abs(top))) if np.isfinite(top) else int(np.argmax(means))


def _means(scores: np.ndarray) -> np.ndarray:
    means = scores.mean(axis=1)
    return np.where(np.isnan(means), -np.inf, means)


def _units(
    d: int, fixed: set[int], groups: Sequence[Sequence[int]], who: str
) -> tuple[State, list[tuple[int, ...]]]:
    """The fixed columns, with those that come along with them, and the units in the order of their first columns."""
    for j in {*fixed, *(j for group in groups for j in group)}:
        if not 0 <= j < d:
            raise ParameterError(f"there is no column {j}: the table has {d}, counted from 0.", who=who)
    taken: set[int] = set()
    units, stay = [], set(fixed)
    for group in groups:
        members = {int(j) for j in group}
        if clash := taken & members:
            raise ParameterError(f"column {min(clash)} is in two groups; a column can be in one.", who=who)
        taken |= members
        if members & fixed:
            stay |= members
        elif members:
            units.append(tuple(sorted(members)))
    units += [(j,) for j in range(d) if j not in taken | stay]
    return tuple(sorted(stay)), sorted(units)
