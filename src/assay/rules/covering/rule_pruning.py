"""Pruning a learned rule: conditions go while its error, seen pessimistically or on other rows, does not rise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from assay.core.targets import check_weights
from assay.errors import DataError, ParameterError
from assay.rulebase.conditions import RowTest
from assay.rulebase.measures import penalised_error, pessimistic_error
from assay.rulebase.rules import Rule, RuleBase
from assay.rulebase.shortening import ORDERS, Order, single_conditions, without_needless
from assay.rules.covering.rule_growth import merged
from assay.types import TableLike, Target, Weights

__all__ = ["RulePruning", "prune_rules"]

Error = Literal["penalised", "upper-limit", "plain"]
ERRORS = ("penalised", "upper-limit", "plain")


@dataclass(frozen=True)
class RulePruning:
    r"""How a rule is pruned: by which error, and in which order its conditions are tried.

    Parameters
    ----------
    error : "penalised", "upper-limit" or "plain"
        For a rule of m conditions that errs on E of the N rows that it covers: :math:`(E + \delta m)/N`; C4.5's upper
        limit of the error rate; or E/N, which is for rows that the rule was not grown on. Without rows it is 1.
    order : "reverse", "any" or "greedy"
        Each condition once, the one added last first; any that can go, the first one first, over and over; or always
        the one whose loss lowers the error most.
    delta : float, default 0.5
        What a condition costs, in errors.
    confidence : float, default 0.25
        Of the upper limit; smaller prunes more.
    equal : bool, default False
        Drop a condition also where the error stays as it is.

    Examples
    --------
    The colour matters, the size does not:

    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rules.covering.rule_pruning import RulePruning
    >>> X = np.array([[1.0, 1], [2, 1], [3, 1], [4, 0], [5, 0], [6, 0]])
    >>> right = np.array([True, True, True, False, False, False])
    >>> rule = Condition(1, codes=(1,)), Condition(0, high=2.5)
    >>> [condition.column for condition in RulePruning().pruned(rule, X, right, np.ones(6))]
    [1]
    """

    error: Error = "penalised"
    order: Order = "reverse"
    delta: float = 0.5
    confidence: float = 0.25
    equal: bool = False

    def pruned(
        self, conditions: Sequence[RowTest], X: np.ndarray, right: np.ndarray, w: np.ndarray, least: int = 1
    ) -> tuple[RowTest, ...]:
        """The conditions that stay, those on one column joined.

        Parameters
        ----------
        conditions : in the order in which they were added
        X : (n, d) block      right : (n,) bool, whether the rule's answer is right for a row      w : (n,) weights
        least : int
            How many must stay.
        """
        parts = [part for condition in conditions for part in single_conditions(condition)]
        kept, _ = without_needless(
            [~part.covers(X) for part in parts],
            len(X),
            lambda rows, m: self.estimate(float(w[rows & ~right].sum()), float(w[rows].sum()), m),
            order=self.order,
            equal=self.equal,
            least=least,
        )
        return merged([parts[i] for i in kept])

    def estimate(self, errors: float, n: float, m: int) -> float:
        """The error of a rule of m conditions that errs on so many of the n rows that it covers."""
        if self.error == "upper-limit":
            return float(pessimistic_error(errors, n, self.confidence))
        return float(penalised_error(errors, n, m, self.delta if self.error == "penalised" else 0.0))


def prune_rules(
    base: RuleBase,
    X: TableLike,
    y: Target,
    *,
    error: Error = "penalised",
    order: Order = "reverse",
    delta: float = 0.5,
    confidence: float = 0.25,
    equal: bool = False,
    sample_weight: Weights | None = None,
) -> RuleBase:
    """Prune each rule of a base for itself; rules that became equal are kept once.

    The order of the rules stays. Each keeps at least one of its conditions. Counts are those of the given rows.

    Parameters
    ----------
    base : RuleBase of classes
    X : table      y : (n,) labels
        The rows that errors are counted on: the training rows for the pessimistic errors, others for ``"plain"``.
    error, order, delta, confidence, equal : see :class:`RulePruning`
    sample_weight : (n,) or None

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.rules import Rule, RuleBase
    >>> from assay.rules import prune_rules
    >>> from assay.tables import Table
    >>> table = Table.of({"size": [1.0, 2, 3, 4, 5, 6], "colour": list("rrrbbb")})
    >>> rule = Rule((Condition(1, codes=(1,)), Condition(0, high=2.5)), "yes")
    >>> base = RuleBase((rule,), table.schema, ("no", "yes"), "no")
    >>> print(prune_rules(base, table, ["yes"] * 3 + ["no"] * 3))
    R1: IF colour = 'r' THEN yes
    ELSE no

    See Also
    --------
    RipperClassifier, C45RulesClassifier

    References
    ----------
    - Fürnkranz, J. and Widmer, G. (1994). Incremental reduced error pruning. International Conference on Machine
      Learning, 70-77.
    - Quinlan, J. R. (1993). C4.5: Programs for Machine Learning. Morgan Kaufmann.
    """
    who = "prune_rules"
    if base.classes is None:
        raise ParameterError(
            f"{who}: the rules answer with numbers; for those there is assay.trees.simplify."
        )
    for name, value, among in (("error", error, ERRORS), ("order", order, ORDERS)):
        if value not in among:
            raise ParameterError(f"{who}: {name} must be one of {', '.join(among)}, got {value!r}.")
    if not 0 < confidence < 1 or not delta >= 0:
        raise ParameterError(
            f"{who}: confidence must lie between 0 and 1 and delta must not be negative, got {confidence} and {delta}."
        )
    values, y = base.block(X), np.asarray(y)
    if len(y) != len(values):
        raise DataError(f"{who}: X has {len(values)} rows, y has {len(y)}.")
    w = check_weights(sample_weight, values)
    w = np.ones(len(y)) if w is None else w
    pruning = RulePruning(error, order, delta, confidence, equal)
    pruned: dict[tuple[frozenset[RowTest], Any], Rule] = {}
    for rule in base.rules:
        short = pruning.pruned(rule.conditions, values, y == rule.answer, w)
        pruned.setdefault((frozenset(short), rule.answer), Rule(short, rule.answer))
    from dataclasses import replace

    return replace(base, rules=tuple(pruned.values())).measured(X, y, w)
