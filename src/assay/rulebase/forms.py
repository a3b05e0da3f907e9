"""Output formats of rules (text, code, data, tables), and rules from text and data."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.core.words import column_word, label_word, number, one_line, shorter
from assay.errors import DataError
from assay.rulebase.conditions import canonical_test
from assay.rulebase.linear_answer import LinearAnswer
from assay.sentence import in_notebook
from assay.tables import Schema

if TYPE_CHECKING:
    from assay.rulebase.rules import Policy, Rule, RuleBase

__all__ = ["RuleForms", "answer_word"]


class RuleForms:
    """Writing and reading of a rule base."""

    def text(self: Any, *, counts: bool = False, missing: bool = False) -> str:
        """One line per rule; numbers read back as exactly those that are applied.

        Parameters
        ----------
        counts : bool, default False
            Add each rule's support and, for classes, its accuracy on the training rows.
        missing : bool, default False
            Show where missing values meet a condition as well, and the answer of linear rules for them.
        """
        lines = [
            f"R{r}: IF {rule.premise(self.schema, missing)} THEN {self._answer_text(rule.answer, missing)}"
            + (_evidence(rule) if counts else "")
            for r, rule in enumerate(self.rules, 1)
        ]
        if self.default is not None:
            lines.append(f"ELSE {self._answer_text(self.default, missing)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _answer_text(self: Any, answer: Any, missing: bool = False) -> str:
        name = column_word(self.target) if self.target else ""
        if self.classes is None:
            linear = isinstance(answer, LinearAnswer)
            text = answer.words(self.schema, missing=missing) if linear else number(answer)
            return f"{name or 'y'} = {text}"
        return f"{name} = {label_word(answer)}" if name else answer_word(answer, self.classes)

    def by_class(self: Any) -> dict[Any, tuple[Rule, ...]]:
        """The rules of each answer; together they are its description."""
        groups: dict[Any, list[Rule]] = {}
        for rule in self.rules:
            groups.setdefault(rule.answer, []).append(rule)
        order = [c for c in self.classes or () if c in groups] or list(groups)
        return {answer: tuple(groups[answer]) for answer in order}

    def disjunctions(self: Any, missing: bool = False) -> str:
        """One line per answer: its rules joined by OR.

        >>> from assay.rulebase.conditions import Condition
        >>> from assay.rulebase.rules import Rule, RuleBase
        >>> from assay.tables import Schema
        >>> ways = [(Condition(0, high=0.5),), (Condition(0, low=0.5), Condition(1, high=0.2))]
        >>> base = RuleBase(tuple(Rule(way, "C1") for way in ways), Schema.numeric(2), ("C1", "C2"))
        >>> print(base.disjunctions())
        IF (x0 <= 0.5) OR (x0 > 0.5 AND x1 <= 0.2) THEN C1
        """
        lines = []
        for answer, rules in self.by_class().items():
            ways = [rule.premise(self.schema, missing) for rule in rules]
            premise = ways[0] if len(ways) == 1 else " OR ".join(f"({way})" for way in ways)
            lines.append(f"IF {premise} THEN {self._answer_text(answer, missing)}")
        if self.default is not None:
            lines.append(f"ELSE {self._answer_text(self.default, missing)}")
        return "\n".join(lines)

    @classmethod
    def parse(
        cls,
        text: str,
        schema: Schema,
        classes: Sequence[Any] | None = None,
        *,
        target: str | None = None,
        policy: Policy = "first",
    ) -> RuleBase:
        """The rules that a text describes: what ``text(missing=True)`` prints, or what a person writes.

        One rule after the other, each ``IF conditions THEN answer`` or ``conditions => answer``, and at the end
        ``ELSE answer``. Conditions are joined by AND and OR: ``a > 3``, ``1 < c <= 2``, ``c between 1 and 2`` (both
        ends belong to it), ``b = 'x'``, ``b != 'x'``, ``b in {'x', 'y'}``, ``b not in {'x'}``, ``b is missing``,
        ``b is known``, ``a > 3 or missing``, ``day <= 2020-01-31``, ``2 a - 0.5 c <= 7``. Names that are no plain
        words stand between double quotes. ``#`` begins a comment. An OR makes two rules. An answer is a class, a
        number, or a sum and what rows with missing values get: ``60 - 2 a + 5 [b = 'x'] or 40 if missing``.

        Parameters
        ----------
        text : str
        schema : Schema
            The columns that the text refers to.
        classes : sequence or None
            The class labels. None: the answers are numbers, or else the words that are there are the classes.
        target : str or None
            The name of the target; None takes it from ``THEN target = ...``.
        policy : as of a RuleBase

        Examples
        --------
        >>> from assay.rulebase.rules import RuleBase
        >>> from assay.tables import Column, Schema
        >>> schema = Schema([Column("age"), Column("job", "nominal", ("A", "B", "C"))])
        >>> base = RuleBase.parse('''
        ...     age > 38.5 and job in {'A', 'C'} => yes   # the old ones
        ...     if job is missing then no
        ...     else yes''', schema, ["no", "yes"])
        >>> print(base)
        R1: IF age > 38.5 AND job in {'A', 'C'} THEN yes
        R2: IF job is missing THEN no
        ELSE yes
        >>> RuleBase.parse("IF agee > 3 THEN 1", schema)
        Traceback (most recent call last):
        ...
        assay.rulebase.scanner.RuleSyntaxError: ... line 1, column 4: there is no column agee. Did you mean age?
        """
        from assay.rulebase.text import parse_rules

        return parse_rules(text, schema, classes, target=target, policy=policy)

    def canonical(self: Any) -> RuleBase:
        """The same rules, each condition in the one form that its words have; texts that are equal give equal rules."""
        return replace(
            self,
            rules=tuple(
                replace(rule, conditions=tuple(canonical_test(c, self.schema) for c in rule.conditions))
                for rule in self.rules
            ),
        )

    def to_sql(self: Any) -> str:
        """One SQL CASE expression; see :func:`assay.rulebase.code.rules_sql`."""
        from assay.rulebase.code import rules_sql

        return rules_sql(self)

    def to_python(self: Any, name: str = "predict") -> str:
        """The source of a Python function of one row; see :func:`assay.rulebase.code.rules_python`."""
        from assay.rulebase.code import rules_python

        return rules_python(self, name)

    def to_dict(self: Any) -> dict[str, Any]:
        """Plain data (text, numbers, lists, dicts) that JSON can hold."""
        from assay.rulebase.data import rules_data

        return rules_data(self)

    def to_json(self: Any, indent: int | None = 2) -> str:
        """The rules as JSON text."""
        import json

        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuleBase:
        """The rules of what :meth:`to_dict` makes."""
        from assay.rulebase.data import rules_from_data

        return rules_from_data(data)

    @classmethod
    def from_json(cls, text: str) -> RuleBase:
        """The rules of what :meth:`to_json` makes.

        >>> from assay.rulebase.rules import RuleBase
        >>> from assay.tables import Schema
        >>> base = RuleBase.parse("IF x0 > 2 THEN yes", Schema.numeric(1), ["no", "yes"])
        >>> RuleBase.from_json(base.to_json()) == base
        True
        """
        import json

        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DataError(f"RuleBase.from_json: this is no JSON: {error}.") from error
        return cls.from_dict(data)

    def to_html(self: Any, title: str = "", *, missing: bool = False) -> str:
        """The rules as an HTML table: conditions, answers, and the rows behind them as bars."""
        from assay.rulebase.html import rules_html

        return rules_html(self, title, missing)

    def _repr_html_(self: Any) -> str:
        return in_notebook(self.to_html())


def answer_word(answer: Any, classes: tuple[Any, ...]) -> str:
    """A class as rules print it: between quotes only if it could be mistaken for something else.

    >>> from assay.rulebase.forms import answer_word
    >>> answer_word("not donor", ("donor", "not donor")), answer_word("<=50K", ()), answer_word("1", (1, "1"))
    ('not donor', "'<=50K'", "'1'")
    """
    if not isinstance(answer, str):
        return one_line(answer)
    plain = answer and answer == answer.strip() and answer.isprintable() and not _MISTAKEN.search(answer)
    alike = any(not isinstance(c, str) and one_line(c) == answer for c in classes)
    return answer if plain and not alike else label_word(answer)


_MISTAKEN = re.compile(r"[\\'\"#=]|  |\(support |^(?::|->|→|⇒|then\b|if\b)", re.IGNORECASE)


def _evidence(rule: Rule) -> str:
    text = f"  (support {rule.support:.3f}"
    if rule.accuracy is not None:
        text += f", accuracy {rule.accuracy:.3f}"
    elif rule.error is not None:
        text += f", error {shorter(rule.error, 4)}"
    return text + ")"
