"""Rules changed by hand: a base with other rules, in another order, or with another default."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.types import TableLike, Target, Weights

if TYPE_CHECKING:
    from assay.rulebase.rules import Rule, RuleBase

__all__ = ["RuleEditing"]


class RuleEditing:
    """Edits of a rule base; each returns a new one. Rules are numbered from 0.

    A rule from text was not counted on any rows: ``measured(X, y)`` counts all of them anew.

    Examples
    --------
    >>> from assay.rulebase.rules import RuleBase
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("age"), Column("job", "nominal", ("A", "B"))])
    >>> base = RuleBase.parse("IF age > 40 THEN yes", schema, ["no", "yes"])
    >>> print(base.inserted("job = 'B' => no", at=0).replaced(1, "age >= 50 => yes"))
    R1: IF job = 'B' THEN no
    R2: IF age >= 50 THEN yes
    """

    def without(self: Any, *which: int) -> RuleBase:
        """The base without these rules."""
        gone = {_place(self, r, "without") for r in which}
        return replace(self, rules=tuple(rule for r, rule in enumerate(self.rules) if r not in gone))

    def inserted(self: Any, rule: Rule | str, at: int | None = None) -> RuleBase:
        """The base with one more rule, given as a Rule or as text, before rule ``at``; None puts it last."""
        at = len(self.rules) if at is None else _place(self, at, "inserted", end=True)
        return replace(self, rules=(*self.rules[:at], *_rules(self, rule), *self.rules[at:]))

    def replaced(self: Any, which: int, rule: Rule | str) -> RuleBase:
        """The base with another rule in place of one."""
        at = _place(self, which, "replaced")
        return replace(self, rules=(*self.rules[:at], *_rules(self, rule), *self.rules[at + 1 :]))

    def moved(self: Any, which: int, to: int) -> RuleBase:
        """The base with one rule at another place of the list."""
        at, to = _place(self, which, "moved"), _place(self, to, "moved")
        others = [*self.rules[:at], *self.rules[at + 1 :]]
        return replace(self, rules=(*others[:to], self.rules[at], *others[to:]))

    def edited(self: Any, text: str) -> RuleBase:
        """The base that a changed text describes; unchanged rules keep their counts.

        Parameters
        ----------
        text : str
            All rules, as ``text(missing=True)`` prints them, with changes.
        """
        from assay.rulebase.text import parse_rules

        new = parse_rules(text, self.schema, self.classes, target=self.target)
        _check_answers(self, new, "edited")
        known = {_saying(rule, self): rule for rule in reversed(self.rules)}
        rules = tuple(known.get(_saying(rule, self), rule) for rule in new.rules)
        counts = self.default_counts if new.default == self.default else ()
        return replace(self, rules=rules, default=new.default, default_counts=counts)

    def distinct(self: Any) -> RuleBase:
        """The base without duplicate rules, whatever the order of their conditions."""
        from assay.rulebase.checks import same_rules

        return self.without(*same_rules(self))

    def with_default(self: Any, X: TableLike, y: Target, sample_weight: Weights | None = None) -> RuleBase:
        """The base with a catch-all: the most frequent class, or the mean, of the rows that no rule covers.

        Where no row is left, of all rows. The rules are counted on these rows, too.

        >>> from assay.rulebase.rules import RuleBase
        >>> from assay.tables import Schema
        >>> base = RuleBase.parse("x0 > 2 => yes", Schema.numeric(1), ["no", "yes"])
        >>> base.with_default([[1.0], [3.0], [4.0]], ["no", "yes", "yes"]).default
        'no'
        """
        base = self.measured(X, y, sample_weight)
        if self.classes is not None:
            uncovered, totals = np.array(base.default_counts), np.array(base.totals)
            return replace(base, default=self.classes[int(np.lexsort((-totals, -uncovered))[0])])
        y = np.asarray(y, np.float64)
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        left = (self.firing(X) < 0) & (w > 0)
        left = left if left.any() else w > 0
        return replace(base, default=float(np.average(y[left], weights=w[left])))

    def ordered(
        self: Any,
        by: str | Callable[[Rule], float] = "support",
        *,
        classes: str | Sequence[Any] | None = None,
        weight: float = 0.5,
        possible: int | None = None,
    ) -> RuleBase:
        """The same rules in another order, the best first; among equals the order stays as it is.

        Parameters
        ----------
        by : "support", "accuracy", "confidence", "laplace", "weighted", "answer" or a function of a rule
            "confidence" looks at the confidence, among equals at the support, then at fewer conditions; "weighted" at
            weight times support plus (1 - weight) times confidence. Answers stand in the order of ``classes``, numbers
            from the greatest. A function's largest value comes first.
        classes : None, "rare", "accuracy", "mdl" or the classes in order
            Keep the rules of a class together: the rarest class first; the class whose rules err least first; the one
            with the shortest description of its rules and false positives first.
        weight : float, default 0.5
        possible : int or None
            For "mdl": how many conditions there are to choose from; None counts those in use.

        Examples
        --------
        >>> from assay.rulebase.rules import RuleBase
        >>> from assay.tables import Schema
        >>> base = RuleBase.parse("x0 > 2 => b" + chr(10) + "x0 <= 1 => a" + chr(10) + "x0 > 9 => b", Schema.numeric(1))
        >>> [rule.answer for rule in base.ordered("answer")]
        ['a', 'b', 'b']
        """
        keys: dict[str, Callable[[Rule], Any]] = {
            "support": lambda rule: -rule.n,
            "accuracy": lambda rule: -(rule.accuracy or 0.0),
            "confidence": lambda rule: (
                -(rule.accuracy or 0.0),
                -(rule.correct or 0.0),
                len(rule.conditions),
            ),
            "laplace": lambda rule: -(rule.laplace or 0.0),
            "weighted": lambda rule: -(weight * rule.support + (1 - weight) * (rule.accuracy or 0.0)),
            "answer": lambda rule: (
                -getattr(rule.answer, "otherwise", rule.answer)
                if self.classes is None
                else self.classes.index(rule.answer)
            ),
        }
        if not callable(by) and by not in keys:
            raise ValueError(f"RuleBase.ordered: by must be one of {', '.join(keys)}, got {by!r}.")
        rules = sorted(self.rules, key=(lambda rule: -by(rule)) if callable(by) else keys[by])
        if classes is not None:
            turn = {c: k for k, c in enumerate(_class_order(self, classes, possible))}
            rules.sort(key=lambda rule: turn[rule.answer])
        return replace(self, rules=tuple(rules))


def _class_order(base: RuleBase, how: str | Sequence[Any], possible: int | None) -> list[Any]:
    """The classes in the order in which their rules stand."""
    if base.classes is None:
        raise ValueError("RuleBase.ordered: rules of numbers have no classes to keep together.")
    if not isinstance(how, str):
        if set(how) != set(base.classes):
            raise ValueError(
                f"RuleBase.ordered: classes must list each of {', '.join(map(repr, base.classes))}."
            )
        return list(how)
    groups = base.by_class()
    of = {c: groups.get(c, ()) for c in base.classes}
    n = {c: sum(rule.n for rule in rules) for c, rules in of.items()}
    right = {c: sum(rule.correct or 0.0 for rule in rules) for c, rules in of.items()}
    totals = dict(zip(base.classes, base.totals or [right[c] for c in base.classes]))
    if how == "rare":
        return sorted(base.classes, key=lambda c: totals[c])
    if how == "accuracy":
        return sorted(base.classes, key=lambda c: -(right[c] / n[c] if n[c] else 0.0))
    if how == "mdl":
        from assay.rulebase.worth import description_bits

        bits = dict.fromkeys(
            base.classes, 0.0
        )  # half the bits of the rules, as the factor in a rule's length
        for rule, length in zip(base.rules, description_bits(base, possible).tolist()):
            bits[rule.answer] += length
        return sorted(base.classes, key=lambda c: (bits[c] + n[c] - right[c], totals[c]))
    raise ValueError(f"RuleBase.ordered: classes must be rare, accuracy, mdl or a list, got {how!r}.")


def _saying(rule: Rule, base: RuleBase) -> Any:
    """The canonical conditions and answer of a rule, without its counts."""
    from assay.rulebase.conditions import canonical_test

    answer = rule.answer
    value = float(answer) if base.classes is None and isinstance(answer, (int, float)) else answer
    return tuple(canonical_test(c, base.schema) for c in rule.conditions), repr(value)


def _check_answers(base: RuleBase, new: RuleBase, who: str) -> None:
    if base.classes is None and new.classes is not None:
        labels = ", ".join(map(repr, new.classes[:3]))
        raise ValueError(f"RuleBase.{who}: these rules answer with numbers, got {labels}.")


def _rules(base: RuleBase, rule: Rule | str) -> tuple[Rule, ...]:
    """One rule, or those of a text, about the columns and classes of the base."""
    from assay.rulebase.text import parse_rules

    if isinstance(rule, str):
        new = parse_rules(rule, base.schema, base.classes)
        _check_answers(base, new, "inserted")
        if not new.rules or new.default is not None:
            raise ValueError(f"RuleBase: expected a rule and no default, got {rule[:80]!r}.")
        return new.rules
    replace(base, rules=(rule,))._check_stored()
    return (rule,)


def _place(base: RuleBase, which: int, who: str, end: bool = False) -> int:
    R = len(base.rules)
    if not -R <= which < R + end:
        raise IndexError(f"RuleBase.{who}: there is no rule {which}; the rules are 0 to {R - 1}.")
    return which + R if which < 0 else which
