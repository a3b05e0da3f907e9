"""Rules: conditions, an answer, and what the training rows say about it; and a base of such rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from assay.core.conditions import RowTest
from assay.core.linear_answer import LinearAnswer
from assay.core.words import number, one_line, quoted, shorter
from assay.errors import DataError
from assay.tables import Schema, Table
from assay.tables.table import UNSEEN

__all__ = ["POLICIES", "Policy", "Rule", "RuleBase"]

Policy = Literal["first", "votes", "confidence", "counts", "best"]
POLICIES = ("first", "votes", "confidence", "counts", "best")


@dataclass(frozen=True)
class Rule:
    """IF all conditions hold THEN the answer.

    Parameters
    ----------
    conditions : tuple of conditions
        An empty tuple holds for every row.
    answer : class label, number or LinearAnswer
    n : float
        The weight of the training rows that it covers.
    total : float
        The weight of all training rows.
    counts : tuple of float
        The weight of the covered rows per class; empty for numbers.
    correct : float or None
        The weight of the covered rows whose class is the answer; None for numbers.
    error : float or None
        For numbers: the root mean squared deviation of the covered rows from the answer, if that is known.

    Examples
    --------
    >>> from assay.core.conditions import Condition
    >>> from assay.core.rules import Rule
    >>> rule = Rule((Condition(0, high=2.5),), "yes", n=6, total=10, counts=(1, 5), correct=5)
    >>> rule.support, round(rule.accuracy, 3)
    (0.6, 0.833)
    """

    conditions: tuple[RowTest, ...]
    answer: Any
    n: float = 0.0
    total: float = 0.0
    counts: tuple[float, ...] = ()
    correct: float | None = None
    error: float | None = None

    @property
    def support(self) -> float:
        """The share of the training rows that it covers."""
        return self.n / self.total if self.total else 0.0

    @property
    def accuracy(self) -> float | None:
        """The share of the covered training rows whose class is the answer; None for numbers and empty rules."""
        return None if self.correct is None or not self.n else self.correct / self.n

    def covers(self, X: Any) -> np.ndarray:
        """(n,) bool: which rows of a float block meet all conditions."""
        covered = np.ones(X.shape[0], bool)
        for condition in self.conditions:
            covered &= condition.covers(X)
        return covered

    def premise(self, schema: Schema, missing: bool = False) -> str:
        """The conditions in words, joined by AND."""
        said = [c.words(schema, missing) for c in self.conditions]
        if len(said) > 1:
            said = [f"({part})" if part.endswith(" or missing") else part for part in said]
        return " AND ".join(said) or "anything"


@dataclass(frozen=True)
class RuleBase:
    """Rules in order: the first one that covers a row answers it, else the default.

    The rules of a tree exclude each other and cover every row whose values are there, so that their order does not
    matter; simplified or learned rules may overlap.

    Parameters
    ----------
    rules : tuple of Rule
    schema : Schema
        The columns that the conditions speak of.
    classes : tuple or None
        The class labels; None for numbers.
    default : label or number
        The answer for rows that no rule covers; None if there is no such answer.
    target : str
        What the answers are called; empty if that is not known.
    policy : "first", "votes", "confidence", "counts" or "best"
        Who decides where several rules cover a row: the first one; one vote each; votes weighted by confidence; the
        sum of their class counts; the one of highest confidence.
    totals : tuple of float
        The weight of all training rows per class; empty if it is not known.
    default_counts : tuple of float
        The weight per class of the training rows that no rule covers.
    smoothing : float
        What is added to each class count before it becomes a probability.

    Examples
    --------
    >>> from assay.core.conditions import Condition
    >>> from assay.core.rules import Rule, RuleBase
    >>> from assay.tables import Column, Schema
    >>> schema = Schema([Column("age")])
    >>> base = RuleBase((Rule((Condition(0, high=38.5),), 0.4), Rule((Condition(0, low=38.5),), 0.8)), schema)
    >>> print(base)
    R1: IF age <= 38.5 THEN y = 0.4
    R2: IF age > 38.5 THEN y = 0.8
    >>> base.predict([[38.5], [39.0]])
    array([0.4, 0.8])
    """

    rules: tuple[Rule, ...]
    schema: Schema
    classes: tuple[Any, ...] | None = None
    default: Any = None
    target: str = ""
    policy: Policy = "first"
    totals: tuple[float, ...] = ()
    default_counts: tuple[float, ...] = ()
    smoothing: float = 1.0

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __getitem__(self, which: int) -> Rule:
        return self.rules[which]

    # ------------------------------------------------------------------ applied

    def block(self, X: Any) -> np.ndarray:
        """The rows of any table as the float block that conditions see."""
        table = Table.like(X, self.schema, "RuleBase")
        values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
        if table.unseen:
            values = np.where((values == UNSEEN) & self.schema.coded, np.nan, values)
        return values

    def covers(self, X: Any) -> np.ndarray:
        """(n, R) bool: which rules cover each row of a table."""
        return self.covers_block(self.block(X))

    def covers_block(self, values: np.ndarray) -> np.ndarray:
        """(n, R) bool: the same for a float block, categories as codes."""
        seen: dict[RowTest, np.ndarray] = {}  # rules share conditions: each is applied once
        covered = np.ones((values.shape[0], len(self.rules)), bool)
        for r, rule in enumerate(self.rules):
            for condition in rule.conditions:
                if condition not in seen:
                    seen[condition] = condition.covers(values)
                covered[:, r] &= seen[condition]
        return covered

    def firing(self, X: Any) -> np.ndarray:
        """(n,) the number of the first rule that covers each row; -1 if none does."""
        return self.firing_block(self.block(X))

    def firing_block(self, values: np.ndarray) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        first, left = np.full(len(values), -1), np.arange(len(values))
        for r, rule in enumerate(self.rules):
            covered = rule.covers(values[left])
            first[left[covered]] = r
            left = left[~covered]
            if not len(left):
                break
        return first

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the answers; a row that no rule covers needs a default."""
        return self.predict_block(self.block(X))

    def predict_block(self, values: np.ndarray) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        first = self.firing_block(values)
        if (first < 0).any() and self.default is None:
            raise DataError(
                f"RuleBase: no rule covers row {int(np.argmax(first < 0))}, and there is no default answer. "
                "Missing values may be the reason; give the rules a default: dataclasses.replace(base, default=...)."
            )
        kinds = [*(rule.answer for rule in self.rules), *([] if self.default is None else [self.default])]
        if any(isinstance(answer, LinearAnswer) for answer in kinds):
            numbers = np.empty(len(values))
            for r in np.unique(first):
                rows = first == r
                numbers[rows] = _numbers(self.default if r < 0 else self.rules[r].answer, values[rows])
            return numbers
        answers = np.array([*(rule.answer for rule in self.rules), self.default], dtype=object)[first]
        return np.array(answers.tolist(), dtype=np.array(kinds).dtype if kinds else None)

    def ordered(self, by: str = "support") -> RuleBase:
        """The same rules in another order, for rules that exclude each other.

        Parameters
        ----------
        by : "support", "accuracy" or "answer"
            The largest first; among equals the order stays as it is. Classes stand in the order of ``classes``.
        """
        keys: dict[str, Callable[[Rule], float]] = {
            "support": lambda rule: -rule.n,
            "accuracy": lambda rule: -(rule.accuracy or 0.0),
            "answer": lambda rule: (
                -getattr(rule.answer, "otherwise", rule.answer)
                if self.classes is None
                else self.classes.index(rule.answer)
            ),
        }
        if by not in keys:
            raise ValueError(f"RuleBase.ordered: by must be one of {', '.join(keys)}, got {by!r}.")
        return replace(self, rules=tuple(sorted(self.rules, key=keys[by])))

    # ------------------------------------------------------------------ told

    def text(self, *, counts: bool = False, missing: bool = False) -> str:
        """One line per rule; numbers read back as exactly those that are applied.

        Parameters
        ----------
        counts : bool, default False
            Add each rule's support and, for classes, its accuracy on the training rows.
        missing : bool, default False
            Say where missing values meet a condition as well.
        """
        lines = [
            f"R{r}: IF {rule.premise(self.schema, missing)} THEN {self._said(rule.answer)}"
            + (_evidence(rule) if counts else "")
            for r, rule in enumerate(self.rules, 1)
        ]
        if self.default is not None:
            lines.append(f"ELSE {self._said(self.default)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()

    def _said(self, answer: Any) -> str:
        if self.classes is None:
            said = answer.words(self.schema) if isinstance(answer, LinearAnswer) else number(answer)
            return f"{one_line(self.target or 'y')} = {said}"
        return f"{one_line(self.target)} = {quoted(answer)}" if self.target else one_line(answer)

    def by_class(self) -> dict[Any, tuple[Rule, ...]]:
        """The rules of each answer; together they are its description."""
        groups: dict[Any, list[Rule]] = {}
        for rule in self.rules:
            groups.setdefault(rule.answer, []).append(rule)
        order = [c for c in self.classes or () if c in groups] or list(groups)
        return {answer: tuple(groups[answer]) for answer in order}

    def disjunctions(self, missing: bool = False) -> str:
        """One line per answer: its rules joined by OR.

        >>> from assay.core.conditions import Condition
        >>> from assay.core.rules import Rule, RuleBase
        >>> from assay.tables import Schema
        >>> ways = [(Condition(0, high=0.5),), (Condition(0, low=0.5), Condition(1, high=0.2))]
        >>> base = RuleBase(tuple(Rule(way, "C1") for way in ways), Schema.numeric(2), ("C1", "C2"))
        >>> print(base.disjunctions())
        IF (x0 <= 0.5) OR (x0 > 0.5 AND x1 <= 0.2) THEN C1
        """
        lines = []
        for answer, rules in self.by_class().items():
            ways = [rule.premise(self.schema, missing) for rule in rules]
            said = ways[0] if len(ways) == 1 else " OR ".join(f"({way})" for way in ways)
            lines.append(f"IF {said} THEN {self._said(answer)}")
        if self.default is not None:
            lines.append(f"ELSE {self._said(self.default)}")
        return "\n".join(lines)

    def to_sql(self) -> str:
        """One SQL CASE expression; see :func:`assay.core.rule_code.rules_sql`."""
        from assay.core.rule_code import rules_sql

        return rules_sql(self)

    def to_python(self, name: str = "predict") -> str:
        """The source of a Python function of one row; see :func:`assay.core.rule_code.rules_python`."""
        from assay.core.rule_code import rules_python

        return rules_python(self, name)

    def to_dict(self) -> dict[str, Any]:
        """Plain data (text, numbers, lists, dicts) that JSON can hold."""
        from assay.core.rule_code import rules_data

        return rules_data(self)

    def to_json(self, indent: int | None = 2) -> str:
        """The rules as JSON text."""
        import json

        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    # ------------------------------------------------------------------ measured

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> RuleBase:
        """The same rules with rows, accuracy (or error) counted on other data.

        Parameters
        ----------
        X : table      y : (n,) labels or numbers      sample_weight : (n,) or None
        """
        values, y = self.block(X), np.asarray(y)
        if len(y) != len(values):
            raise DataError(f"RuleBase: X has {len(values)} rows, y has {len(y)}.")
        w = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
        return self._with(lambda rule: _measured(rule, rule.covers(values), values, y, w, self.classes))

    def _with(self, change: Callable[[Rule], Rule]) -> RuleBase:
        return replace(self, rules=tuple(change(rule) for rule in self.rules))


def _numbers(answer: Any, values: np.ndarray) -> Any:
    """What a rule of numbers answers for these rows: one number, or one for each."""
    return answer.values(values) if isinstance(answer, LinearAnswer) else float(answer)


def _measured(
    rule: Rule, covered: np.ndarray, values: np.ndarray, y: np.ndarray, w: np.ndarray, classes: Any
) -> Rule:
    n, total = float(w[covered].sum()), float(w.sum())
    if classes is None:
        square = (y[covered] - _numbers(rule.answer, values[covered])) ** 2
        error = float(np.sqrt((w[covered] * square).sum() / n)) if n else None
        return replace(rule, n=n, total=total, error=error)
    counts = tuple(float(w[covered & (y == c)].sum()) for c in classes)
    return replace(
        rule, n=n, total=total, counts=counts, correct=float(w[covered & (y == rule.answer)].sum())
    )


def _evidence(rule: Rule) -> str:
    said = f"  (support {rule.support:.3f}"
    if rule.accuracy is not None:
        said += f", accuracy {rule.accuracy:.3f}"
    elif rule.error is not None:
        said += f", error {shorter(rule.error, 4)}"
    return said + ")"
