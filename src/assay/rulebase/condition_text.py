"""Conditions from text: columns, signs, values and sums, as a rule base prints them and as people write them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import NoReturn

import numpy as np

from assay.core.words import DAY, column_word, label_word, one_line
from assay.errors import did_you_mean
from assay.rulebase.conditions import Condition, LinearCondition, RowTest
from assay.rulebase.scanner import Scanner
from assay.tables import Column, Schema

__all__ = ["NUMBER", "SIZE", "ConditionReader"]

# Matched in linear time: no two repeats that follow each other can share a character.
NUMBER = re.compile(r"[-+]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?(?!\w))")
SIZE = re.compile(NUMBER.pattern.replace("[-+]?", "", 1))  # without a sign
LAST_YEAR = 290_000  # that can be held to the microsecond
_DATE = re.compile(r"-?\d{4,6}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?(?![\w-])")
_SIGN = re.compile(r"<=|>=|<>|!=|==|<|>|=|≤|≥|≠")
_LAST_NUMBER = rf"(?:{NUMBER.pattern})\s*(?:\)|and\b|or\b|then\b|=>|->|→|⇒)"  # 0 <= 2: the sum of no columns
_FLIPPED = {"<": ">", "<=": ">="}


class ConditionReader(Scanner):
    """Reads conditions on the columns of a schema.

    Examples
    --------
    >>> from assay.rulebase.condition_text import ConditionReader
    >>> from assay.tables import Schema
    >>> ConditionReader("1 < x0 <= 2", Schema.numeric(1)).condition()
    Condition(column=0, low=1.0, high=2.0, closed='right', codes=None, missing=False)
    """

    def __init__(self, text: str, schema: Schema):
        super().__init__(text)
        self.schema = schema
        self.forms: dict[int, dict[str, int]] = {}
        spelled = [(column_word(c.name), j) for j, c in enumerate(schema)]
        self.plain = {word: j for word, j in spelled if word[:1] != '"'}
        self.lengths = sorted({len(word) for word in self.plain}, reverse=True)

    def condition(self) -> RowTest:
        left = self.left_end()
        start = self.at
        terms = self.terms()
        if len(terms) == 1 and terms[0][1] == 1.0:
            j = terms[0][0]
            condition: Condition = self.of_column(j, left, start)
            if self.looking(r"or\s+missing\b", re.IGNORECASE):
                self.word("or")
                self.word("missing")
                condition = Condition(
                    j, condition.low, condition.high, condition.closed, condition.codes, True
                )
            return condition
        return self.of_sum(terms, left)

    def left_end(self) -> tuple[str, str] | None:
        """A value and a sign before the column, as in ``20 < age <= 38.5``."""
        start = self.at
        if self.name() is not None:
            self.at = start
            return None
        value = self.value(None)
        sign = self.sign() if value is not None else None
        if value is None or sign not in _FLIPPED or self.looking(_LAST_NUMBER, re.IGNORECASE):
            self.at = start
            return None
        return value, sign

    def of_column(self, j: int, left: tuple[str, str] | None, start: int) -> Condition:
        column = self.schema[j]
        if left is not None:
            condition = self.compared(j, _FLIPPED[left[1]], left[0], start)
            self.space()
            if (sign := self.sign()) is None:
                return condition
            if sign not in _FLIPPED:
                self.fail("expected < or <= after the column")
            return (condition & self.compared(j, sign, None)).canonical(column)
        if self.word("is"):
            return self.state(j)
        negated = self.word("not")
        if self.word("in"):
            return self.listed(j, negated)
        if negated:
            self.fail("expected IN after NOT")
        if self.word("between"):
            low = self.compared(j, ">=", None)
            if not self.word("and"):
                self.fail("expected AND: a between 1 and 2")
            return (low & self.compared(j, "<=", None)).canonical(column)
        if (sign := self.sign()) is None:
            self.fail(
                f"expected a comparison after {column_word(column.name)}: =, !=, <, <=, >, >=, in, between, is"
            )
        return self.compared(j, sign, None)

    def state(self, j: int) -> Condition:
        """What stands after IS."""
        if self.looking(r"none\s+of\s+its\s+categories\b", re.IGNORECASE):
            self.match(re.compile(r"none\s+of\s+its\s+categories\b", re.IGNORECASE))
            return Condition(j, codes=())
        negated = self.word("not")
        if self.word("missing", "null"):
            return Condition(j) if negated else Condition(j, codes=(), missing=True)
        if not self.word("known"):
            self.fail("expected missing or known after IS")
        return Condition(j, codes=(), missing=True) if negated else Condition(j)

    def listed(self, j: int, negated: bool) -> Condition:
        column = self.schema[j]
        if not column.coded:
            self.fail(
                f"{column_word(column.name)} holds numbers, and IN asks for categories; use between or ="
            )
        opened = self.match(re.compile(r"[{(\[]"))
        if opened is None:
            self.fail("expected a list in braces after IN: {'a', 'b'}")
        codes: set[int] = set()
        while self.match(re.compile(r"[})\]]")) is None:
            codes.add(self.code(j, None))
            if self.match(re.compile(r",")) is None and not self.looking(r"[})\]]"):
                self.fail("expected a comma or the end of the list")
        if negated:
            codes = set(range(len(column.categories))) - codes
        return Condition(j, codes=tuple(sorted(codes)))

    def compared(self, j: int, sign: str, word: str | None, start: int | None = None) -> Condition:
        """A column, a sign and a value; the value is read here unless it is given."""
        column = self.schema[j]
        sign = {"≤": "<=", "≥": ">=", "≠": "!=", "<>": "!=", "==": "="}.get(sign, sign)
        if not column.coded:
            x = self.number(column, word, start)
            if sign == "!=":
                self.fail(
                    f"!= is for categories; write {column_word(column.name)} < ... and > ... as two rules"
                )
            ends = {
                "<": (-math.inf, x, "neither"),
                "<=": (-math.inf, x, "right"),
                ">": (x, math.inf, "right"),
            }
            ends |= {">=": (x, math.inf, "both"), "=": (x, x, "both")}
            low, high, closed = ends[sign]
            return Condition(j, low, high, closed)  # type: ignore[arg-type]
        code, last = self.code(j, word, start), len(column.categories) - 1
        if sign in ("=", "!="):
            codes = (code,) if sign == "=" else tuple(c for c in range(last + 1) if c != code)
            return Condition(j, codes=codes)
        if column.kind != "ordinal":
            self.fail(f"the categories of {column_word(column.name)} have no order; use = or in")
        low, high = -math.inf, math.inf
        if sign[0] == "<":
            high = code if sign == "<=" else code - 1
        else:
            low = code if sign == ">" else code - 1
        return Condition(j, max(low, -1.0) if low >= 0 else -math.inf, float(high)).canonical(column)

    def of_sum(self, terms: list[tuple[int, float]], left: tuple[str, str] | None) -> LinearCondition:
        for j, _ in terms:
            if self.schema[j].coded:
                self.fail(f"{column_word(self.schema[j].name)} holds categories, which cannot be added")
        low, high = -math.inf, math.inf
        if left is not None:
            low = _above(self.number(Column("sum"), left[0]), left[1] == "<=")
        sign = self.sign()
        if sign is None and left is None:
            self.fail("expected <=, <, > or >= after the sum")
        if sign is not None:
            x = self.number(Column("sum"), None)
            if sign in ("<=", "<", "≤"):
                high = x if sign != "<" else math.nextafter(x, -math.inf)
            elif sign in (">", ">=", "≥") and left is None:
                low = _above(x, sign != ">")
            else:
                self.fail("expected <=, <, > or >= after the sum")
        return LinearCondition(tuple(terms), low, high)

    def sign(self) -> str | None:
        return self.match(_SIGN)

    def terms(self) -> list[tuple[int, float]]:
        """``2 a - 0.5 b`` as columns and weights; one column alone has the weight 1."""
        terms: list[tuple[int, float]] = []
        while True:
            self.space()
            sign = self.match(re.compile(r"[-+]"))
            if terms and sign is None:
                return terms
            size = self.match(SIZE)
            self.match(re.compile(r"\*"))
            j = self.name()
            if j is None and not terms and size is not None and float(size) == 0:
                return []  # the empty sum
            if j is None:
                self.unknown()
            weight = 1.0 if size is None else self.finite(float(size), self.at)
            terms.append((j, -weight if sign == "-" else weight))

    # ------------------------------------------------------------------ values

    def number(self, column: Column, word: str | None, start: int | None = None) -> float:
        """A number, or the days of a date."""
        if word is None:
            self.space()
            start = self.at
            word = self.value(None)
        if word is None:
            self.fail(f"expected a {'date' if column.date else 'number'}")
        text = word.strip("'\"") if column.date else word
        if column.date and _DATE.fullmatch(text):
            try:
                if abs(int(text[: text.index("-", 1)])) > LAST_YEAR:
                    raise ValueError("such years overflow")
                return int(np.datetime64(text.replace(" ", "T"), "us").astype(np.int64)) / DAY
            except ValueError:
                self.fail(f"{one_line(text, 80)} is no date", start)
        try:
            x = float(text.removeprefix("day "))
        except ValueError:
            x = math.nan
        if math.isnan(x):
            self.fail(f"expected a {'date' if column.date else 'number'}, got {one_line(word, 80)}", start)
        return x

    def code(self, j: int, word: str | None, start: int | None = None) -> int:
        """The code of a category."""
        column, forms = self.schema[j], self.forms_of(j)
        if word is None:
            self.space()
            start = self.at
            word = self.value(forms)
        if word is None:
            self.fail(f"expected a category of {column_word(column.name)}")
        if word not in forms:
            labels = [label_word(c) for c in column.categories]
            self.fail(
                f"{column_word(column.name)} has no category {one_line(word, 80)}."
                + did_you_mean(word, labels),
                start,
            )
        return forms[word]

    def forms_of(self, j: int) -> dict[str, int]:
        """The ways to write the categories of a column, the longest first, and their codes."""
        if j not in self.forms:
            categories = self.schema[j].categories
            forms = {label_word(c): k for k, c in enumerate(categories)}
            for k, c in enumerate(categories):
                if one_line(c).strip():
                    forms.setdefault(one_line(c), k)
                    forms.setdefault(label_word(str(c)), k)
            self.forms[j] = {form: forms[form] for form in sorted(forms, key=len, reverse=True)}
        return self.forms[j]

    def value(self, forms: Iterable[str] | None) -> str | None:
        """The text of a value: quoted text as it is printed, a date, a number, or one of the forms."""
        self.space()
        if self.looking(r"['\"]"):
            return label_word(self.quoted())
        for form in forms or ():
            if self.text.startswith(form, self.at) and self.bounded(self.at + len(form), form):
                self.at += len(form)
                return form
        day = self.match(re.compile(r"day\s+[-+\d.einf]+"))
        if day is not None:
            return " ".join(day.split())
        for pattern in (_DATE, NUMBER):
            if (match := pattern.match(self.text, self.at)) and self.bounded(match.end(), match[0]):
                self.at = match.end()
                return match[0]
        if forms is not None and (match := re.compile(r"[^\s,{}()<>=!#]+").match(self.text, self.at)):
            self.at = match.end()
            return match[0]
        return None

    # ------------------------------------------------------------------ columns, words, places

    def name(self) -> int | None:
        """A column's name, quoted or the longest plain one that stands here."""
        self.space()
        start = self.at
        if self.looking('"'):
            name = self.quoted()
            for j, column in enumerate(self.schema):
                if column.name == name:
                    return j
            self.at = start
            return None
        for length in self.lengths:  # the longest name first
            word = self.text[start : start + length]
            if word in self.plain and self.bounded(start + length, word):
                self.at = start + length
                return self.plain[word]
        return None

    def unknown(self) -> NoReturn:
        """Raise an error: this is no column."""
        end = re.compile(r"[<>=!≤≥≠\n]|\s(?:in|is|not|between)\b|$", re.IGNORECASE).search(self.text, self.at)
        name = self.text[self.at : end.start() if end else None].strip()
        if not name:
            self.fail("expected a condition")
        quoted = [column_word(c.name) for c in self.schema]
        self.fail(f"there is no column {one_line(name, 80)}." + did_you_mean(name, quoted))

    def finite(self, x: float, at: int) -> float:
        return x if math.isfinite(x) else self.fail("expected a finite number", at)


def _above(x: float, itself: bool) -> float:
    """The end of x < ... that says x <= ..."""
    return math.nextafter(x, -math.inf) if itself else x
