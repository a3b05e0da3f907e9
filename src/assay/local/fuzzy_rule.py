"""Fuzzy rules as radial units: IF x is about a AND z is about b THEN y = c."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import DataError, ParameterError
from assay.local.units import Units

__all__ = ["About", "FuzzyRule", "fuzzy_rules", "units_of_rules"]


@dataclass(frozen=True)
class About:
    """A column is about a number: a bell around it with this spread."""

    column: str
    value: float
    spread: float

    def __str__(self) -> str:
        return f"{self.column} ~ {self.value:.10g} ± {self.spread:.10g}"


@dataclass(frozen=True)
class FuzzyRule:
    """IF any of several products of bells is large THEN the answer is a number.

    Parameters
    ----------
    cases : alternatives (OR), each a tuple of About (AND)
    answer : float
    target : str, what the answer is called

    Examples
    --------
    >>> from assay.local import FuzzyRule
    >>> rule = FuzzyRule.parse("IF (x1 ~ 2 ± 0.5) AND (x2 ~ 1 ± 0.2) OR (x3 ~ 4 ± 1) THEN y = 0.1")
    >>> len(rule.cases), rule.answer
    (2, 0.1)
    >>> print(rule)
    IF (x1 ~ 2 ± 0.5) AND (x2 ~ 1 ± 0.2) OR (x3 ~ 4 ± 1) THEN y = 0.1

    See Also
    --------
    FuzzyRuleRegressor, fuzzy_rules

    References
    ----------
    - Tresp, V., Hollatz, J. and Ahmad, S. (1997). Representing probabilistic rules with networks of Gaussian basis
      functions. Machine Learning 27(2), 173-200. doi:10.1023/A:1007381408604
    """

    cases: tuple[tuple[About, ...], ...]
    answer: float
    target: str = "y"

    @classmethod
    def parse(cls, text: str) -> FuzzyRule:
        """A rule from its text; "+-" may stand for "±". Names of columns with AND, OR or THEN in them need the
        parentheses around a condition."""
        parts = _split(text.strip(), "THEN")
        target, _, number = parts[-1].strip().rpartition("=")
        answer = _number(number) if len(parts) == 2 and "=" in parts[1] else None
        if answer is None or not re.match(r"IF\b", parts[0], re.IGNORECASE):
            raise ParameterError(f"FuzzyRule: expected IF ... THEN y = number, got {text!r}.")
        cases = []
        for case in _split(parts[0].strip()[2:], "OR"):
            cases.append(tuple(_about(term.strip()) for term in _split(case, "AND")))
        rule = cls(tuple(cases), answer, target.strip() or "y")
        rule._check()
        return rule

    def _check(self) -> None:
        for case in self.cases:
            names = [term.column for term in case]
            if len(set(names)) < len(names):
                raise ParameterError(f"FuzzyRule: a column stands twice in one case: {self}.")
            if not all(term.spread > 0 for term in case):
                raise ParameterError(f"FuzzyRule: spreads must be above 0: {self}.")

    def __str__(self) -> str:
        cases = " OR ".join(" AND ".join(f"({term})" for term in case) for case in self.cases)
        return f"IF {cases} THEN {self.target} = {self.answer:.10g}"


def _split(text: str, word: str) -> list[str]:
    """The text cut at a word, except within parentheses.

    >>> from assay.local.fuzzy_rule import _split
    >>> _split("(salt and pepper ~ 1 ± 2) AND (x (cm) ~ 3 ± 4)", "AND")
    ['(salt and pepper ~ 1 ± 2) ', ' (x (cm) ~ 3 ± 4)']
    """
    parts, begin = list[str](), 0
    for match in re.finditer(rf"\b{word}\b", text, re.IGNORECASE):
        if text.count("(", 0, match.start()) == text.count(")", 0, match.start()):
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [*parts, text[begin:]]


def _about(term: str) -> About:
    """A condition from its text."""
    inner = term[1:-1] if term.startswith("(") and term.endswith(")") else term
    column, _, bell = inner.replace("+/-", "±").replace("+-", "±").rpartition("~")
    value, spread = map(_number, bell.split("±")) if bell.count("±") == 1 else (None, None)
    if not column.strip() or value is None or spread is None:
        raise ParameterError(f"FuzzyRule: expected a condition such as (x1 ~ 2 ± 0.5), got {term!r}.")
    return About(column.strip(), value, spread)


def _number(text: str) -> float | None:
    """A finite number, or None."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def units_of_rules(rules: Sequence[FuzzyRule], columns: Sequence[str]) -> tuple[Units, np.ndarray]:
    """One unit for each case of each rule, and the rule's answer; a column that a case does not name has no limit."""
    place = {name: j for j, name in enumerate(columns)}
    centers, spreads, answers = [], [], []
    for rule in rules:
        for case in rule.cases:
            center, spread = np.zeros(len(columns)), np.full(len(columns), np.inf)
            for term in case:
                if term.column not in place:
                    raise DataError(
                        f"FuzzyRule: there is no column {term.column!r}; the columns are {', '.join(columns)}."
                    )
                center[place[term.column]], spread[place[term.column]] = term.value, term.spread
            centers.append(center)
            spreads.append(spread)
            answers.append(rule.answer)
    return Units(np.array(centers), np.array(spreads)), np.array(answers)


def fuzzy_rules(
    units: Units, weights: np.ndarray, columns: Sequence[str], target: str = "y", merge: bool = True
) -> list[FuzzyRule]:
    """Rules from units with spreads of their own or of each column, and a weight each.

    Units whose weights are equal and follow each other become the alternatives of one rule if ``merge``.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.local import Units, fuzzy_rules
    >>> for rule in fuzzy_rules(Units.of([[1.0, 2.0]], [[0.5, np.inf]]), np.array([3.0]), ["size", "age"]):
    ...     print(rule)
    IF (size ~ 1 ± 0.5) THEN y = 3
    """
    if units.spreads.ndim == 3:
        raise ParameterError("fuzzy_rules: units of full covariances have no rule about single columns.")
    spreads = (
        units.spreads if units.spreads.ndim == 2 else np.repeat(units.spreads[:, None], len(columns), axis=1)
    )
    rules = list[FuzzyRule]()
    for center, spread, weight in zip(units.centers, spreads, np.asarray(weights, dtype=np.float64)):
        case = tuple(
            About(n, float(c), float(s)) for n, c, s in zip(columns, center, spread) if np.isfinite(s)
        )
        if merge and rules and rules[-1].answer == weight:
            rules[-1] = FuzzyRule((*rules[-1].cases, case), float(weight), target)
        else:
            rules.append(FuzzyRule((case,), float(weight), target))
    return rules
