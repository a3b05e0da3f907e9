"""Rules from text: what a rule base prints, and what people write."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from assay.core.words import column_word, label_word, number, one_line
from assay.errors import did_you_mean
from assay.rulebase.condition_text import NUMBER, SIZE, ConditionReader
from assay.rulebase.conditions import RowTest
from assay.rulebase.forms import answer_word
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.rules import Policy, Rule, RuleBase
from assay.rulebase.scanner import RuleSyntaxError
from assay.tables import Schema

__all__ = ["RuleSyntaxError", "parse_rule", "parse_rules"]

_OTHERWISE = re.compile(rf"or\s+(?:{NUMBER.pattern})\s+if\s+missing\b", re.IGNORECASE)
_Premise = tuple[RowTest, ...]
MOST_DEEP = 50  # parentheses inside of each other
MOST_WAYS = 10_000  # rules that the ORs inside of ANDs make


def parse_rules(
    text: str,
    schema: Schema,
    classes: Sequence[Any] | None = None,
    *,
    target: str | None = None,
    policy: Policy = "first",
) -> RuleBase:
    """The rule base that a text describes; see :meth:`assay.rulebase.rules.RuleBase.parse`."""
    reader = _Reader(text, schema, classes)
    parsed, default = reader.rules()
    answers = [answer for _, answer in parsed] + ([] if default is None else [default])
    if classes is None and not all(isinstance(a, (float, LinearAnswer)) for a in answers):
        if any(isinstance(a, LinearAnswer) for a in answers):
            reader.fail("some answers are sums of columns and some are words", 0)
        labels = {
            a if isinstance(a, str) else number(a) for a in answers
        }  # words without a list of classes: they are the classes
        reader = _Reader(text, schema, sorted(labels))
        parsed, default = reader.rules()
    known = None if reader.classes is None else tuple(reader.classes)
    name = reader.target if target is None else target
    if known is None and name == "y":
        name = ""  # what a base without a name for its numbers prints
    rules = tuple(Rule(premise, answer) for premise, answer in parsed)
    return RuleBase(rules, schema, known, default, name, policy)


def parse_rule(text: str, schema: Schema, classes: Sequence[Any] | None = None) -> Rule:
    """The one rule that a text describes."""
    base = parse_rules(text, schema, classes)
    if len(base.rules) != 1 or base.default is not None:
        raise RuleSyntaxError(f"Rule.parse: expected one rule, got {len(base.rules)}: {text[:80]!r}.")
    return base.rules[0]


class _Reader(ConditionReader):
    """Reads rules about the columns of a schema."""

    def __init__(self, text: str, schema: Schema, classes: Sequence[Any] | None):
        super().__init__(text, schema)
        self.classes, self.target, self.depth = classes, "", 0
        self.labels = {}
        for c in classes or ():  # where two classes print alike, what a base prints is meant
            self.labels.setdefault(one_line(c), c)
            self.labels[label_word(c)] = c
        for c in classes or ():
            self.labels[answer_word(c, tuple(classes or ()))] = c

    # ------------------------------------------------------------------ rules

    def rules(self) -> tuple[list[tuple[_Premise, Any]], Any]:
        """Premises with their answers, and the default."""
        rules: list[tuple[_Premise, Any]] = []
        default: Any = None
        while not self.ended():
            if default is not None:
                self.fail("nothing can follow the default answer; put this rule before it")
            self.match(re.compile(r"(?:[Rr]?\d+\s*[:.)]|[-*•])(?=\s)"))
            otherwise = self.word("else", "otherwise", "default")
            if otherwise and not self.ahead("if"):
                self.match(re.compile(r":|=>|->|→|then\b", re.IGNORECASE))
                default = self.answer()
                continue
            self.word("if")
            ways = self.premise()
            if not self.word("then") and not self.match(re.compile(r"=>|->|→|⇒")):
                self.fail("expected AND, OR, THEN or an arrow")
            answer = self.answer()
            rules += [(way, answer) for way in ways]
        return rules, default

    def premise(self) -> list[_Premise]:
        """Conditions joined by AND and OR, as the list of ways to meet them; AND binds first."""
        ways = self.conjunction()
        while self.word("or"):
            ways += self.conjunction()
        return ways

    def conjunction(self) -> list[_Premise]:
        ways: list[list[RowTest]] = [[]]
        while True:
            more = self.unit()
            if len(ways) * len(more) > max(MOST_WAYS, len(more)):
                self.fail(f"these ORs make more than {MOST_WAYS:,} rules; write fewer of them inside of ANDs")
            if len(more) == 1:
                for way in ways:
                    way.extend(more[0])
            else:
                ways = [[*a, *b] for a in ways for b in more]
            if not self.word("and", "&&", "&", "∧"):
                return [tuple(way) for way in ways]

    def unit(self) -> list[_Premise]:
        if self.ahead("then") or self.looking(r"=>|->|→|⇒") or self.word("anything", "true"):
            return [()]
        if self.match(re.compile(r"\(")):
            self.depth += 1
            if self.depth > MOST_DEEP:
                self.fail("there are too many parentheses inside of each other")
            ways = self.premise()
            self.depth -= 1
            if not self.match(re.compile(r"\)")):
                self.fail("expected a closing parenthesis")
            return ways
        return [(self.condition(),)]

    # ------------------------------------------------------------------ answers

    def answer(self) -> Any:
        """The rest of the line: a class, a number, either of them after the target's name and an equals sign."""
        self.space()
        start, line = self.at, self.peek_line()
        if line in self.labels:
            self.remaining()
            return self.labels[line]
        if not line or self.looking(r"(?:if|else|otherwise)\b", re.IGNORECASE):
            self.fail("expected an answer")
        if (linear := self.linear()) is not None:
            return linear
        if self.looking(r"['\"]"):
            word = self.quoted()
            if not self.match(re.compile(r"=(?!=)"), lines=False):
                return self.quoted_label(word, start)
            return self.valued(word, start)
        name, sign, _ = line.partition("=")
        if sign and self.text[start : start + len(name) + 2][-1:] != "=":
            self.at = start + len(name) + 1
            return self.valued(name.strip(), start)
        self.remaining()
        return self.label(line, start)

    def valued(self, target: str, start: int) -> Any:
        """What stands after ``target =``."""
        if self.target not in ("", target):
            self.fail(f"the answers were called {one_line(self.target, 80)} before", start)
        self.target = target
        self.space(lines=False)
        start = self.at
        if (linear := self.linear()) is not None:
            return linear
        if self.text[start : start + 1] in ("'", '"'):
            return self.quoted_label(self.quoted(), start)
        return self.label(self.remaining(), start)

    def quoted_label(self, word: str, start: int) -> Any:
        """A class between quotes, with which its line ends."""
        end = self.at
        if self.remaining():
            self.fail("expected the end of the line after this answer", end)
        if self.classes is None:
            return word
        return self.label(label_word(word), start)

    def label(self, word: str, start: int) -> Any:
        if self.classes is None:
            try:
                number = float(word)
            except ValueError:
                return word
            if not math.isfinite(number):
                self.fail("an answer must be a finite number", start)
            return number
        if word not in self.labels:
            known = [answer_word(c, tuple(self.classes)) for c in self.classes]
            self.fail(f"there is no class {word}." + did_you_mean(word, known), start)
        return self.labels[word]

    # ------------------------------------------------------------------ sums

    def linear(self) -> LinearAnswer | None:
        """A sum of columns with which the line ends, as in ``60 - 2 a + 5 [b = 'x'] or 40 if missing``."""
        if self.classes is not None:
            return None
        start, intercept = self.at, 0.0
        terms: list[tuple[int, int | None, float]] = []
        while True:
            sign = self.match(re.compile(r"[-+]"), lines=False)
            if sign is None and (terms or self.at > start):
                break
            size = self.match(SIZE, lines=False)
            self.match(re.compile(r"\*"), lines=False)
            weight = (-1.0 if sign == "-" else 1.0) * (1.0 if size is None else float(size))
            at = self.at
            place = self.linear_place()
            if place is not None:
                terms.append((*place, self.finite(weight, at)))
            elif size is not None and not terms and not intercept:
                intercept, self.at = weight, at
            else:
                break
        many = len(terms) > 1 or self.text[start : start + 1] in tuple("+-[.0123456789")
        otherwise = self.match(_OTHERWISE, lines=False)
        if terms and otherwise is not None and not self.peek_line():
            self.remaining()
            value = self.finite(float(otherwise.split()[1]), start)
            return LinearAnswer(self.finite(intercept, start), tuple(terms), value)
        if terms and many:
            self.fail("expected the end of a sum of columns: or 40 if missing (for rows with missing values)")
        self.at = start
        return None

    def linear_place(self) -> tuple[int, int | None] | None:
        """``a`` or ``[b = 'x']`` in this line: a column, and the code of its category."""
        if self.match(re.compile(r"\["), lines=False) is None:
            j = None if self.text[self.at : self.at + 1] in ("", "\n", "#") else self.name()
            return None if j is None else (j, None)
        j = self.name()
        if j is None:
            self.unknown()
        column = column_word(self.schema[j].name)
        if not self.schema[j].coded:
            self.fail(f"{column} holds numbers and has no categories")
        if self.sign() not in ("=", "=="):
            self.fail(f"expected [{column} = category]")
        code = self.code(j, None)
        if self.match(re.compile(r"\]")) is None:
            self.fail("expected a closing bracket")
        return j, code
