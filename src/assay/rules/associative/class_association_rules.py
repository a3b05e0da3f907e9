"""Class association rules: frequent and confident item sets of a table, as rules for a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.learner import python_label
from assay.core.parameters import Accepted, Choice, Count, Flag, Range, check
from assay.core.targets import check_weights, encode_labels
from assay.rulebase.measures import pessimistic_error
from assay.rulebase.rules import Rule, RuleBase
from assay.rules.associative.class_sets import ClassSets
from assay.rules.associative.items_of_columns import CUTS, Items, items_of_columns
from assay.rules.associative.set_rules import SetRules
from assay.tables import Schema, Table
from assay.tables.table import UNSEEN
from assay.types import TableLike, Target, Weights

__all__ = ["MINING", "MinedTable", "class_association_rules", "least_count", "not_worse_when_shorter"]

SLACK = 1e-12  # two error rates that differ by less are equal
AT_ONCE = 1 << 21  # counts of shorter sets that are held at a time

# What every learner that mines accepts.
MINING: dict[str, Accepted | None] = {
    "min_support": Count(1) | Range(0, 1, open="low"),
    "min_confidence": Range(0, 1),
    "max_length": Count(1) | None,
    "cuts": CUTS,
    "limit": Count(1),
}


@dataclass(frozen=True, eq=False)
class MinedTable:
    """Training rows as items, ready to be mined, and the way back from item sets to rules.

    Rows of weight zero are left out.
    """

    schema: Schema
    classes: tuple[Any, ...]
    items: Items
    sets: ClassSets
    codes: np.ndarray

    @classmethod
    def of(
        cls,
        X: np.ndarray,
        y: np.ndarray,
        w: np.ndarray | None,
        schema: Schema,
        classes: Any,
        cuts: ArrayLike,
        who: str,
    ) -> MinedTable:
        """Cut the columns and set the bits."""
        if w is not None and not (w > 0).all():
            X, y, w = X[w > 0], y[w > 0], w[w > 0]
        items = items_of_columns(X, y, w, schema, cuts, who)
        codes = items.codes(X)
        labels = tuple(python_label(label) for label in classes)
        return cls(schema, labels, items, ClassSets(codes, items.column, y, len(labels), w), codes)

    def rules(self, rules: SetRules, counts: np.ndarray | None = None) -> tuple[Rule, ...]:
        """The sets as rules, with their counts: given ones, or those of all rows that hold them."""
        counts = self.sets.counts(rules.start, rules.items) if counts is None else counts
        parts, answers = self.items.conditions, rules.answer.tolist()
        return tuple(
            Rule(
                tuple(parts[i] for i in rules[r]),
                self.classes[answers[r]],
                sum(c),
                self.sets.total,
                tuple(c),
                c[answers[r]],
            )
            for r, c in enumerate(counts.tolist())
        )

    def base(
        self, rules: Sequence[Rule], default: int | None, default_counts: np.ndarray, **settings: Any
    ) -> RuleBase:
        """Rules with a default class."""
        return RuleBase(
            tuple(rules),
            self.schema,
            self.classes,
            None if default is None else self.classes[default],
            totals=tuple(self.sets.totals.tolist()),
            default_counts=tuple(default_counts.tolist()),
            **settings,
        )


def class_association_rules(
    X: TableLike,
    y: Target,
    *,
    min_support: float = 0.01,
    min_confidence: float = 0.5,
    max_length: int | None = 4,
    support: Literal["rule", "antecedent"] = "rule",
    extend_sure: bool = False,
    pessimistic: bool = False,
    cuts: ArrayLike = "mdl",
    sample_weight: Weights | None = None,
    limit: int = 5_000_000,
) -> RuleBase:
    r"""All rules "items => class" of a table that are frequent and sure enough, the best first.

    Items are the categories of nominal columns and the intervals of numbers. Each set of items predicts its most
    frequent class (among equals that with the larger prior, then the first):

    .. math:: \text{support} = \frac{n(\text{items and class})}{n}, \qquad
              \text{confidence} = \frac{n(\text{items and class})}{n(\text{items})}

    Both thresholds are met by what equals them. Rules stand by confidence, then support, then fewer items, then
    their place in the table.

    Parameters
    ----------
    X : table      y : (n,) classes
    min_support : float or int, default 0.01
        A share of all rows, or, if it is a whole number, a number of rows.
    min_confidence : float, default 0.5
    max_length : int or None, default 4
        The most items of a rule.
    support : "rule" or "antecedent", default "rule"
        What must be frequent: the items together with the class, or the items alone.
    extend_sure : bool, default False
        Also give rules that contain a rule of confidence 1, and so say nothing new.
    pessimistic : bool, default False
        Leave out rules whose pessimistic error (:func:`assay.rulebase.measures.pessimistic_error`) is higher than
        that of the same rule with one item less.
    cuts : "mdl" or dict, default "mdl"
        Where numbers are cut; see :func:`assay.rules.associative.items_of_columns.items_of_columns`.
    sample_weight : (n,) or None
        A row of weight 2 counts as two rows.
    limit : int, default 5000000
        How many item sets may be counted; if that would not do, an error says so before the work begins.

    Examples
    --------
    >>> from assay.rules import class_association_rules
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cuts = {"Age": [50], "Salary": [50000]}
    >>> result = class_association_rules(data.X, data.y, min_support=2, min_confidence=0.6, cuts=cuts)
    >>> print(result.text(counts=True))
    R1: IF Age > 50 AND Salary > 50000 THEN Y  (support 0.455, accuracy 1.000)
    R2: IF Salary <= 50000 THEN N  (support 0.364, accuracy 1.000)
    R3: IF Salary > 50000 THEN Y  (support 0.636, accuracy 0.857)
    R4: IF Age > 50 THEN Y  (support 0.545, accuracy 0.833)
    R5: IF Age <= 50 THEN N  (support 0.455, accuracy 0.800)

    See Also
    --------
    CBAClassifier, assay.associations.association_rules

    References
    ----------
    - Liu, B., Hsu, W. and Ma, Y. (1998). Integrating classification and association rule mining. Knowledge
      Discovery and Data Mining, 80-86.
    """
    who = "class_association_rules"
    check(who, {**MINING, "support": Choice("rule", "antecedent")}, locals())
    check(who, {"extend_sure": Flag(), "pessimistic": Flag()}, locals())
    table = Table.of(X, who=who)
    values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
    if table.unseen:
        values = np.where((values == UNSEEN) & table.schema.coded, np.nan, values)
    classes, codes = encode_labels(y, len(values), who)
    w = check_weights(sample_weight, values)
    mined = MinedTable.of(values, codes, w, table.schema, classes, cuts, who)
    rules = mined.sets.mine(
        least_count(min_support, mined.sets.total),
        min_confidence,
        max_length=max_length,
        by_antecedent=support == "antecedent",
        stop_at_sure=not extend_sure,
        limit=limit,
        who=who,
    ).ranked()
    if pessimistic:
        rules = rules.take(not_worse_when_shorter(rules, mined.sets))
    nothing = np.zeros(len(mined.classes))
    return mined.base(mined.rules(rules), None, nothing, policy="confidence")


def least_count(min_support: float, total: float) -> float:
    """The least weight that is frequent: a whole number as it is, a share of the total weight.

    >>> from assay.rules.associative.class_association_rules import least_count
    >>> least_count(2, 40.0), least_count(0.25, 40.0)
    (2.0, 10.0)
    """
    return float(min_support) if isinstance(min_support, Integral) else min_support * total


def not_worse_when_shorter(rules: SetRules, sets: ClassSets, confidence: float = 0.25) -> np.ndarray:
    """(R,) bool: which rules have no higher pessimistic error than the same rule without one of its items."""
    error = pessimistic_error(rules.n - rules.correct, rules.n, confidence)
    keep = np.ones(len(rules), bool)
    step = max(1, AT_ONCE // (sets.K * max(1, int(rules.size.max(initial=1)))))
    for length in np.unique(rules.size[rules.size > 1]):
        of_length = np.flatnonzero(rules.size == length)
        for which in np.split(of_length, range(step, len(of_length), step)):
            items = rules.items[rules.start[which][:, None] + np.arange(length)]
            for left_out in range(length):
                shorter = np.ascontiguousarray(np.delete(items, left_out, axis=1)).ravel()
                counts = sets.counts(np.arange(0, len(shorter) + 1, length - 1), shorter)
                n, correct = counts.sum(axis=1), counts[np.arange(len(which)), rules.answer[which]]
                keep[which] &= error[which] <= pessimistic_error(n - correct, n, confidence) + SLACK
    return keep
