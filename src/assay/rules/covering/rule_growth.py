"""The search for one rule: greedy growth, beams, CN2's star and PRISM's growth differ only in when they stop."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import merge
from itertools import chain
from typing import Any

import numpy as np

from assay.core.stored import Each, Object, Plain, Scalar
from assay.rulebase.conditions import Condition, RowTest
from assay.rules.covering.candidates import Candidate, CandidateTable, Offers
from assay.rules.covering.measure import RuleMeasure, judge
from assay.trees.rules import joined
from assay.types import Target

__all__ = ["ALTERNATIVES", "Growth", "GrowthStep", "Partial", "Tried", "grow_rule", "growth_of", "merged"]

ALTERNATIVES = 4  # how many conditions that were not taken a step remembers


@dataclass(frozen=True)
class Tried:
    """One condition that a step of the growth looked at.

    Parameters
    ----------
    condition : Condition      counts : tuple of float, the class weights that it leaves
    value : float, the measure of the rule with it      taken : bool
    """

    condition: Condition
    counts: tuple[float, ...]
    value: float
    taken: bool
    stored = {
        "condition": Object(Condition),
        "counts": Each(Scalar()),
    }


@dataclass(frozen=True)
class GrowthStep:
    """The rule so far, and what was tried next: the best condition of each column, and the one that was taken.

    Parameters
    ----------
    conditions : tuple of Condition      counts : tuple of float      value : float
    tried : tuple of Tried, the best first
    """

    conditions: tuple[Condition, ...]
    counts: tuple[float, ...]
    value: float
    tried: tuple[Tried, ...]
    stored = {
        "conditions": Each(Object(Condition)),
        "counts": Each(Scalar()),
        "tried": Each(Object(Tried)),
    }


@dataclass(frozen=True)
class Growth:
    """How one rule grew, from the empty one.

    Parameters
    ----------
    answer : class label or code
    conditions : tuple of Condition
        In the order in which they were added.
    counts : tuple of float
        The weight of the covered rows per class, when the rule was grown.
    value : float
        Its measure.
    steps : tuple of GrowthStep
        The first is that of the empty rule.
    """

    answer: Any
    conditions: tuple[Condition, ...]
    counts: tuple[float, ...]
    value: float
    steps: tuple[GrowthStep, ...]
    stored = {
        "answer": Plain(),
        "conditions": Each(Object(Condition)),
        "counts": Each(Scalar()),
        "steps": Each(Object(GrowthStep)),
    }


@dataclass(eq=False)
class Partial:
    """A rule under way."""

    conditions: tuple[Condition, ...]
    rows: np.ndarray
    counts: np.ndarray
    value: float
    rank: tuple[float, float]
    parent: Partial | None = None
    taken: Candidate | None = None
    offers: Offers | None = field(default=None, repr=False)


def grow_rule(
    table: CandidateTable,
    measure: RuleMeasure,
    target: int | None,
    prior: np.ndarray,
    *,
    beam: int = 1,
    improve: bool = True,
    threshold: float | None = None,
    least: float = 0.0,
    max_conditions: int | None = None,
    to_the_end: bool = False,
) -> Partial | None:
    """The best rule for the rows that ``table`` has left; None if there is none.

    Every partial rule in hand is narrowed by every condition; the ``beam`` best results are the next ones in hand.
    Two that cover the same rows count once, the first found. Ties go to the larger coverage, then to the first found.

    Parameters
    ----------
    target : class code, or None for rules of whatever class is the most frequent
    prior : (K,) expected class shares
    beam : int
        1 is greedy growth.
    improve : bool
        A condition must make its rule better, and a rule without errors is complete; else conditions are added as
        long as any of their offspring can still become the best rule.
    threshold : float or None
        The best rule must have a larger likelihood ratio than this.
    least : float
        The least weight that a rule covers.
    to_the_end : bool
        PRISM's way: conditions are added until the rule is always right or nothing is left to ask, also conditions
        that change nothing; the last rule in hand is the best.
    """
    counts = table.counts(table.rows)
    start = judge(measure, counts[None], target, prior, table.total, share=share_of(counts, target))[0]
    floor = 0.0 if measure.name == "foil" else start[0]
    first = Partial(
        (), table.rows, counts, 0.0 if measure.name == "foil" else start[1], (floor, counts.sum())
    )
    best: Partial | None = None
    star, size = [first], 0
    while star and (max_conditions is None or size < max_conditions):
        size += 1
        coverages = {part.rows.tobytes() for part in star}
        offers = []
        for part in star:
            if not _worth_more(part, best, table, measure, target, prior, improve, threshold, to_the_end):
                continue
            part.offers = table.best(
                part.rows,
                measure,
                target,
                prior,
                most=2 * beam if beam > 1 else 1,  # some of them may cover what is in hand already
                counts=part.counts,
                before=part.value if measure.name == "foil" else 0.0,
                improve=improve,
                least=least,
                threshold=threshold,
                unchanged=to_the_end,
                skip=[c.column for c in part.conditions if c.codes is not None],
            )
            significant = part.offers.significant if threshold is not None else None
            if significant is not None and (best is None or significant.rank > best.rank):
                best = _narrowed(part, significant, table)
            offers.append(_pairs(part))
        star = []
        in_order = (
            merge(*offers, key=lambda pair: (-pair[1].key, -pair[1].coverage)) if beam > 1 else chain(*offers)
        )
        for part, candidate in in_order:
            new = _narrowed(part, candidate, table)
            covered = new.rows.tobytes()
            if covered in coverages and not to_the_end:
                continue
            coverages.add(covered)
            star.append(new)
            if len(star) == beam:
                break
        if threshold is None and star and (to_the_end or best is None or star[0].rank > best.rank):
            best = star[0]
    return best


def _pairs(part: Partial) -> Any:
    return ((part, candidate) for candidate in part.offers or ())


def _narrowed(part: Partial, taken: Candidate, table: CandidateTable) -> Partial:
    conditions = (*part.conditions, table.condition(taken))
    rows = table.narrowed(part.rows, taken)
    return Partial(conditions, rows, taken.counts, taken.value, taken.rank, part, taken)


def share_of(counts: np.ndarray, target: int | None) -> float:
    """The share of the target class among counts; 1 without a target, or without rows."""
    return 1.0 if target is None or not counts.sum() else float(counts[target] / counts.sum())


def _worth_more(
    part: Partial,
    best: Partial | None,
    table: CandidateTable,
    measure: RuleMeasure,
    target: int | None,
    prior: np.ndarray,
    improve: bool,
    threshold: float | None,
    to_the_end: bool,
) -> bool:
    """Whether a rule that comes of this one by more conditions may still become the best."""
    covered = part.counts.max() if target is None else part.counts[target]
    pure = len(np.flatnonzero(part.counts)) <= 1
    if covered <= 0 or ((improve or to_the_end) and pure):
        return False
    bits = 2 * float(
        part.counts @ -np.log(np.where(prior > 0, prior, 1.0))
    )  # no offspring has a larger ratio
    if threshold is not None and bits <= threshold:
        return False
    if best is None or to_the_end:
        return True
    if measure.name == "likelihood-ratio":
        return bits > best.rank[0]
    pure_rows = np.diag(part.counts) if target is None else np.eye(len(prior))[[target]] * covered
    some = pure_rows.sum(axis=1) > 0
    keys = judge(
        measure, pure_rows[some], target, prior, table.total, part.value, share_of(part.counts, target)
    )[:, 0]
    return max(zip(keys, pure_rows[some].sum(axis=1))) > best.rank


def growth_of(part: Partial, table: CandidateTable, answer: Target) -> Growth:
    """How a rule grew, in words that stay when the table is gone."""
    steps: list[GrowthStep] = []
    at: Partial | None = part
    taken: Candidate | None = None
    while at is not None:
        if at.offers is not None:
            tried = [] if taken is None else [taken]
            for other in at.offers.of_columns():
                if len(tried) > ALTERNATIVES:
                    break
                if taken is None or other.place != taken.place:
                    tried.append(other)
            tried.sort(key=lambda offer: (-offer.key, -offer.coverage))
            shown = tuple(
                Tried(table.condition(offer), tuple(offer.counts.tolist()), offer.value, offer is taken)
                for offer in tried
            )
            steps.append(GrowthStep(at.conditions, tuple(at.counts.tolist()), at.value, shown))
        taken, at = at.taken, at.parent
    steps.reverse()
    return Growth(answer, part.conditions, tuple(part.counts.tolist()), part.value, tuple(steps))


def merged(conditions: Sequence[RowTest]) -> tuple[RowTest, ...]:
    """The conditions of a rule, those on one column joined into one, in the order in which columns came."""
    premise: tuple[RowTest, ...] = ()
    for condition in conditions:
        premise = joined(premise, condition)
    return premise
