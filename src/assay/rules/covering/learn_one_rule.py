"""Learn-One-Rule: from the empty rule down, one condition at a time, with one partial rule in hand or several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.targets import check_weights, encode_labels
from assay.errors import ParameterError
from assay.rulebase.conditions import Condition
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.measure import MEASURES, RuleMeasure, judge
from assay.rules.covering.rule_growth import (
    ALTERNATIVES,
    Growth,
    GrowthStep,
    Tried,
    grow_rule,
    growth_of,
    share_of,
)
from assay.tables import Schema, Table
from assay.types import TableLike, Target, Weights

__all__ = ["Growth", "growth_along", "learn_one_rule"]


def learn_one_rule(
    X: TableLike,
    y: Target,
    answer: Target,
    *,
    measure: str | RuleMeasure = "foil",
    beam: int = 1,
    min_coverage: float = 1,
    max_conditions: int | None = None,
    sample_weight: Weights | None = None,
) -> Growth | None:
    r"""The best single rule for one class, and how it grew.

    It starts from the rule without conditions and adds the condition that raises the measure most: ``=`` on nominal
    columns, ``<=`` and ``>`` at the midpoints between the values of the rows still covered. It ends where nothing
    raises the measure, or where the rule is always right. With a beam, the M best partial rules are followed.

    Parameters
    ----------
    X : table      y : (n,) labels
    answer : label
        The class that the rule is for.
    measure : str or RuleMeasure, default "foil"
        One of "foil", "laplace", "accuracy", "m-estimate", "likelihood-ratio", "entropy", "gini", "wracc".
    beam : int, default 1
    min_coverage : float, default 1
        The least weight of rows that the rule covers.
    max_conditions : int or None, default None
    sample_weight : (n,) or None

    Returns
    -------
    Growth, or None if no condition makes the empty rule better

    Examples
    --------
    >>> from assay.rules import learn_one_rule
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> rule = learn_one_rule(charity.X, charity.y, "Y")
    >>> [c.words(charity.X.schema) for c in rule.conditions], rule.counts, round(rule.value, 6)
    (['Salary > 55500'], (0.0, 5.0), 4.372346)

    See Also
    --------
    growth_along, SequentialCoveringClassifier

    References
    ----------
    - Fürnkranz, J., Gamberger, D. and Lavrač, N. (2012). Foundations of Rule Learning. Springer.
    """
    table, target, measure = _prepared("learn_one_rule", X, y, answer, measure, sample_weight)
    rule = grow_rule(
        table,
        measure,
        target,
        table.shares(),
        beam=beam,
        least=min_coverage,
        max_conditions=max_conditions,
    )
    return None if rule is None else growth_of(rule, table, answer)


def growth_along(
    X: TableLike,
    y: Target,
    answer: Target,
    conditions: Sequence[Condition],
    *,
    measure: str | RuleMeasure = "foil",
    sample_weight: Weights | None = None,
) -> Growth:
    """How a given rule grows, condition by condition, and what else could have been taken at each step.

    Parameters
    ----------
    X : table      y : (n,) labels      answer : label
    conditions : of the rule, in order
    measure : str or RuleMeasure, default "foil"
        What conditions are compared by.
    sample_weight : (n,) or None

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rules import growth_along
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> path = [Condition(0, low=50), Condition(1, low=50000)]
    >>> growth = growth_along(charity.X, charity.y, "Y", path)
    >>> [(step.counts, [round(one.value, 6) for one in step.tried if one.taken]) for step in growth.steps]
    [((5.0, 6.0), [3.057174]), ((1.0, 5.0), [4.372346])]
    """
    table, target, measure = _prepared("growth_along", X, y, answer, measure, sample_weight)
    values, prior = _block(X, "growth_along")[0], table.shares()
    if sample_weight is not None:
        values = values[np.asarray(sample_weight) > 0]
    rows, value, steps = table.rows, 0.0, []
    if measure.name != "foil":
        value = float(judge(measure, table.counts(rows)[None], target, prior, table.total)[0, 1])
    for i, taken in enumerate(conditions):
        counts = table.counts(rows)
        offers = table.best(rows, measure, target, prior, counts=counts, before=value)
        left = rows[taken.covers(values[rows])]
        mine = table.counts(left)
        tried = [
            Tried(table.condition(offer), tuple(offer.counts.tolist()), offer.value, False)
            for offer in offers.of_columns()
            if not np.array_equal(table.narrowed(rows, offer), left)
        ][:ALTERNATIVES]
        new = judge(measure, mine[None], target, prior, table.total, value, share_of(counts, target))[0, 1]
        tried.append(Tried(taken, tuple(mine.tolist()), float(new), True))
        tried.sort(key=lambda trial: -trial.value)
        steps.append(GrowthStep(tuple(conditions[:i]), tuple(counts.tolist()), value, tuple(tried)))
        rows, value = left, float(new)
    return Growth(answer, tuple(conditions), tuple(table.counts(rows).tolist()), value, tuple(steps))


def _block(X: Any, who: str) -> tuple[np.ndarray, Schema]:
    table = Table.of(X, who=who)
    return table.values if isinstance(table.values, np.ndarray) else table.values.toarray(), table.schema


def _prepared(
    who: str, X: Any, y: Any, answer: Any, measure: str | RuleMeasure, sample_weight: Any
) -> tuple[CandidateTable, int, RuleMeasure]:
    """The rows as the search sees them, the code of the answer, and the measure."""
    measure = RuleMeasure(measure) if isinstance(measure, str) else measure
    if measure.name not in MEASURES:
        raise ParameterError(f"{who}: measure must be one of {', '.join(MEASURES)}, got {measure.name!r}.")
    values, schema = _block(X, who)
    classes, codes = encode_labels(y, len(values), who)
    if answer not in classes.tolist():
        raise ParameterError(f"{who}: {answer!r} is none of the classes {classes.tolist()}.")
    w = check_weights(sample_weight, values)
    if w is not None:
        values, codes, w = values[w > 0], codes[w > 0], w[w > 0]
    return CandidateTable(values, schema, codes, w, len(classes)), classes.tolist().index(answer), measure
