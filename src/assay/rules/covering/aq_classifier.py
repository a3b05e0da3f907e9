"""AQ: the most general rules that cover a seed example and no negative ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Seed
from assay.core.progress import progress
from assay.core.seeds import random_state_of
from assay.core.stored import CodeArray
from assay.rulebase.conditions import Condition
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.covering import weighing
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.types import RandomState

__all__ = ["AQClassifier"]


class AQClassifier(RuleClassifier):
    """Classify by the rules of Michalski's AQ: for each class, rules that cover its rows and no others.

    A row of the class that no rule covers yet is the seed. Its star begins with the conjunction that covers
    everything; then the rows of other classes are kept out, one after the other, the one most like the seed first:
    each conjunction that still covers it is narrowed by each condition that the seed meets and that row does not.
    Of the results, those that a more general one contains are dropped, and the ``max_star`` that cover most of the
    uncovered rows of the class, with the fewest columns, stay. The best of the star becomes a rule; only the rows of
    the class that it covers are done.

    The conditions are the most general ones: every category but that of the row kept out, and up to the middle
    between its number and the next one on the side of the seed. A row that no condition tells from the seed (its
    equal under another label) cannot be kept out and is passed over. Missing values meet no condition. Where rules
    of several classes fire, their class counts add up. On noisy data it makes very many rules: CN2 does not.

    Cost: fit O(r s n d) for r rules and stars of s conjunctions, each kept clear of up to n rows; predict O(c) a row
    for c conditions in all; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    max_star : int, default 10
        How many conjunctions are kept.
    seeds : "first" or "random", default "first"
        Which of the uncovered rows of a class is the next seed.
    random_state : int, RandomState or None, default None

    Attributes
    ----------
    rules_ : RuleBase
    seeds_ : (R,) int
        The training row that each rule was made around.

    Examples
    --------
    >>> from assay.rules import AQClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> print(AQClassifier().fit(charity.X, charity.y))
    R1: IF Salary <= 55500 AND Age <= 62 THEN N
    R2: IF Age > 40.5 AND Salary > 33500 THEN Y
    ELSE Y

    See Also
    --------
    CN2Classifier, PrismClassifier, SequentialCoveringClassifier

    References
    ----------
    - Michalski, R. S. (1969). On the quasi-minimal solution of the general covering problem. International
      Symposium on Information Processing, 125-128.
    - Michalski, R. S., Mozetic, I., Hong, J. and Lavrac, N. (1986). The multi-purpose incremental learning system
      AQ15 and its testing application to three medical domains. AAAI Conference on Artificial Intelligence,
      1041-1045.
    """

    card = Card(
        "aq",
        "rules around single rows, none wrong where rows do not contradict",
        learns=(
            "a list or set of rules",
            "impurity or precision of each rule",
            "one rule after the other, by beam or greedy search",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {"max_star": Count(1), "seeds": Choice("first", "random"), "random_state": Seed()}
    stored = {"seeds_": CodeArray("*")}

    def __init__(self, max_star: int = 10, seeds: str = "first", random_state: RandomState = None):
        self.max_star = max_star
        self.seeds = seeds
        self.random_state = random_state

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        weighted = np.arange(len(y)) if w is None else np.flatnonzero(w)
        rows, codes, weights = weighing(X, y, w)
        table = CandidateTable(rows, self.schema_, codes, weights, len(self.classes_))
        draw = random_state_of(self.random_state)
        rules, seeds = [], []
        with progress(table.total, "rules") as bar:
            for k in range(len(self.classes_)):
                left, others = np.flatnonzero(codes == k), np.flatnonzero(codes != k)
                while len(left):
                    seed = left[0] if self.seeds == "first" else left[draw.randint(len(left))]
                    best = _star(table, int(seed), left, others, self.max_star)
                    rules.append((best.conditions(table), k))
                    seeds.append(int(weighted[seed]))
                    covered = best.positive > 0
                    bar.advance(float(covered.sum()))
                    left = left[~covered]
        self.seeds_ = np.array(seeds, np.int64)
        self.rules_ = class_rules(self, rules, X, y, w, policy="counts")


@dataclass(eq=False)
class _Complex:
    """A conjunction around a seed, and which rows it covers.

    ``bounds`` holds the lowest and highest rank of a column of numbers, or the categories kept out of a nominal one.
    """

    bounds: dict[int, Any]
    positive: np.ndarray  # (u,) 1.0 for uncovered rows of the class that it covers
    others: np.ndarray  # (v,) bool, rows of other classes

    def within(self, other: _Complex) -> bool:
        """Whether the other conjunction is at least as general."""
        for j, wide in other.bounds.items():
            if j not in self.bounds:
                return False
            mine = self.bounds[j]
            if not (
                wide <= mine if isinstance(wide, frozenset) else wide[0] <= mine[0] and mine[1] <= wide[1]
            ):
                return False
        return True

    def conditions(self, table: CandidateTable) -> tuple[Condition, ...]:
        made = []
        for j, bound in self.bounds.items():
            if isinstance(bound, frozenset):
                kept = tuple(c for c in range(int(table.width[j])) if c not in bound)
                made.append(Condition(j, codes=kept))
                continue
            low, high = bound
            low = table.cut(j, low - 1, low) if low > 0 else -np.inf
            high = table.cut(j, high, high + 1) if high + 1 < table.width[j] else np.inf
            made.append(Condition(j, low, high))
        return tuple(made)


def _star(table: CandidateTable, seed: int, left: np.ndarray, others: np.ndarray, most: int) -> _Complex:
    """The best conjunction around the seed that keeps out all other rows that can be kept out."""
    ranks, width = table.ranks, table.width
    known = np.flatnonzero(ranks[:, seed] < width)
    w = table.w[left] if len(table.w) else np.ones(len(left))
    others = others[np.argsort(_unlikeness(table, seed, others), kind="stable")]
    of_left, of_others = ranks[known[:, None], left], ranks[known[:, None], others]
    star = [_Complex({}, np.ones(len(left)), np.ones(len(others), bool))]
    passed = np.zeros(len(others), bool)
    while True:
        still = np.any([part.others for part in star], axis=0) & ~passed
        if not still.any():
            return star[0]
        at = int(np.argmax(still))
        apart = np.flatnonzero(of_others[:, at] != ranks[known, seed])
        if not len(apart):
            passed[at] = True
            continue
        selectors = _selectors(table, known[apart], seed, int(others[at]))
        meets = _met(selectors, of_left[apart])
        narrow = [part for part in star if part.others[at]]
        wide = [part for part in star if not part.others[at]]
        star = []
        for part, t in _offers(wide, narrow, known[apart], meets, w):
            new = part
            if t >= 0:
                j = int(known[apart[t]])
                low, high, out = (int(side[t, 0]) for side in selectors)
                bound = frozenset([out] if out < width[j] else []) if table.nominal[j] else (low, high)
                new = _Complex(
                    {**part.bounds, j: _tighter(part.bounds.get(j), bound)}, part.positive, part.others
                )
            if any(new.within(other) for other in star):
                continue
            star = [other for other in star if not other.within(new)]
            if t >= 0:
                new.positive = part.positive * meets[t]
                new.others = part.others & _met([side[t] for side in selectors], of_others[apart[t]])
            star.append(new)
            if len(star) == most:
                break


def _offers(
    wide: list[_Complex], narrow: list[_Complex], columns: np.ndarray, meets: np.ndarray, w: np.ndarray
) -> Iterator[tuple[_Complex, int]]:
    """Conjunctions with the condition to add, -1 for none: those that cover most of the class, then the shortest."""
    J = len(columns)
    place = {j: t for t, j in enumerate(columns.tolist())}
    size = np.array(
        [len(part.bounds) for part in wide] + [len(part.bounds) + 1 for part in narrow for _ in place]
    )
    for s, part in enumerate(narrow):
        size[[len(wide) + s * J + place[j] for j in part.bounds if j in place]] -= 1
    positive = np.array([part.positive for part in [*wide, *narrow]])
    covered = np.concatenate([positive[: len(wide)] @ w, (positive[len(wide) :] @ (meets * w).T).ravel()])
    share = np.round(covered / w.sum(), 12)  # rounding errors make no difference
    for at in np.lexsort((size, -share)).tolist():
        if at < len(wide):
            yield wide[at], -1
        else:
            s, t = divmod(at - len(wide), J)
            yield narrow[s], t


def _selectors(
    table: CandidateTable, columns: np.ndarray, seed: int, other: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(J, 1) each: lowest rank, highest rank and category kept out, of the most general condition on each column that
    the seed meets and the other row does not."""
    mine, its, width = table.ranks[columns, seed], table.ranks[columns, other], table.width[columns]
    ordered = table.nominal[columns] == 0
    low = np.where(ordered & (its < mine), its + 1, 0)
    # of a row without a value nothing is known but that: the seed has one
    high = np.where(ordered & (its > mine) & (its < width), its, width) - 1
    return low[:, None], high[:, None], np.where(ordered, -1, its)[:, None]


def _met(selectors: Sequence[np.ndarray], ranks: np.ndarray) -> np.ndarray:
    """(J, m) bool: which rows meet the condition on each column, given their ranks there."""
    low, high, out = selectors
    return (ranks >= low) & (ranks <= high) & (ranks != out)


def _tighter(old: Any, new: Any) -> Any:
    if old is None:
        return new
    return old | new if isinstance(new, frozenset) else (max(old[0], new[0]), min(old[1], new[1]))


def _unlikeness(table: CandidateTable, seed: int, rows: np.ndarray) -> np.ndarray:
    """(m,) in how much rows differ from the seed: ranks by their share, categories and missing values by 1."""
    total = np.zeros(len(rows))
    for j, width in enumerate(table.width):
        mine, theirs = int(table.ranks[j, seed]), table.ranks[j, rows]
        apart = np.abs(theirs - mine) / max(int(width) - 1, 1)
        whole = (theirs != mine).astype(float)
        total += whole if table.nominal[j] or mine >= width else np.where(theirs < width, apart, 1.0)
    return total
