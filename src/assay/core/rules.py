"""Rules: conditions, an answer, and what the training rows say about it; and a base of such rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.core.conditions import Condition, LinearCondition, RowTest, canonical_test
from assay.core.firing import Firing
from assay.core.linear_answer import LinearAnswer
from assay.core.rule_editing import RuleEditing
from assay.core.rule_posterior import (
    ballots,
    distribution,
    numbers_of,
    rules_numbers,
    rules_posterior,
)
from assay.core.targets import check_weights
from assay.core.words import column_word, label_word, number, one_line, shorter
from assay.errors import DataError
from assay.tables import Schema, Table
from assay.tables.table import UNSEEN

if TYPE_CHECKING:
    from assay.core.rule_checks import Verdict

__all__ = ["POLICIES", "Policy", "Rule", "RuleBase"]

Policy = Literal["first", "votes", "confidence", "support", "product", "counts", "best"]
POLICIES = ("first", "votes", "confidence", "support", "product", "counts", "best")
NUMBER_POLICIES = ("first", "votes", "support")


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

    @classmethod
    def parse(cls, text: str, schema: Schema, classes: Sequence[Any] | None = None) -> Rule:
        """The one rule that a text describes; see :meth:`RuleBase.parse`.

        >>> from assay.core.rules import Rule
        >>> from assay.tables import Schema
        >>> Rule.parse("IF x0 > 2 THEN yes", Schema.numeric(1), ["no", "yes"]).answer
        'yes'
        """
        from assay.core.rule_text import parse_rule

        return parse_rule(text, schema, classes)

    def premise(self, schema: Schema, missing: bool = False) -> str:
        """The conditions in words, joined by AND."""
        said = [c.words(schema, missing) for c in self.conditions]
        if len(said) > 1:
            said = [f"({part})" if part.endswith(" or missing") else part for part in said]
        return " AND ".join(said) or "anything"


@dataclass(frozen=True)
class RuleBase(RuleEditing):
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
    policy : "first", "votes", "confidence", "support", "product", "counts" or "best"
        Who decides where several rules cover a row: the first one; one vote each; votes weighted by confidence, by
        support (the share of rows covered rightly), or by the product of both; the sum of their class counts; the
        one of highest confidence. For numbers: the first one, or the mean of all ("votes"), weighted by their rows
        ("support").
    totals : tuple of float
        The weight of all training rows per class; empty if it is not known.
    default_counts : tuple of float
        The weight per class of the training rows that no rule covers.
    smoothing : float
        What is added to each class count before it becomes a probability.
    top : int or None
        Where rules vote: only so many of those that cover a row, the first ones; None hears all.

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
    top: int | None = None

    def __post_init__(self) -> None:
        known = POLICIES if self.classes is not None else NUMBER_POLICIES
        if self.policy not in known:
            raise ValueError(f"RuleBase: policy must be one of {', '.join(known)}, got {self.policy!r}.")
        if self.top is not None and not (isinstance(self.top, (int, np.integer)) and self.top >= 1):
            raise ValueError(f"RuleBase: top must be None or a whole number from 1, got {self.top!r}.")

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

    def covers_block(self, values: Any) -> np.ndarray:
        """(n, R) bool: the same for a float block, categories as codes."""
        return self._firing.covers(values)

    def firing(self, X: Any) -> np.ndarray:
        """(n,) the number of the first rule that covers each row; -1 if none does."""
        return self.firing_block(self.block(X))

    def firing_block(self, values: Any) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        return self._firing.first(values)

    def posterior(self, X: Any) -> np.ndarray:
        """(n, K) the probability of each class, by the policy."""
        return rules_posterior(self, self.block(X))

    def predict(self, X: Any) -> np.ndarray:
        """(n,) the answers, by the policy; a row that no rule covers needs a default."""
        return self.predict_block(self.block(X))

    def predict_block(self, values: Any) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        first = self.firing_block(values)
        if self.default is None and (first < 0).any():
            raise DataError(
                f"RuleBase: no rule covers row {int(np.argmax(first < 0))}, and there is no default answer. "
                "Missing values may be the reason; give the rules a default: base.with_default(X, y), or "
                "dataclasses.replace(base, default=...)."
            )
        told = [*(rule.answer for rule in self.rules), *([] if self.default is None else [self.default])]
        if self.classes is None and (
            self.policy != "first" or any(isinstance(a, LinearAnswer) for a in told)
        ):
            return rules_numbers(self, values)
        answers = np.array([*(rule.answer for rule in self.rules), self.default], dtype=object)[first]
        if self.policy != "first":
            voted = np.array(self.classes, dtype=object)[rules_posterior(self, values).argmax(axis=1)]
            answers = np.where(first < 0, self.default, voted)
        return np.array(answers.tolist(), dtype=np.array(told).dtype if told else None)

    @cached_property
    def _firing(self) -> Firing:
        """The conditions made ready to be applied."""
        return Firing(self.rules)

    @cached_property
    def _given(self) -> np.ndarray:
        """(R + 1, K) the class probabilities where one rule decides, the default last."""
        return np.array([distribution(self, r) for r in [*range(len(self.rules)), -1]])

    @cached_property
    def _ballots(self) -> np.ndarray:
        """(R, K) what each rule adds to the classes when it fires."""
        return ballots(self)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

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
        name = column_word(self.target) if self.target else ""
        if self.classes is None:
            said = answer.words(self.schema) if isinstance(answer, LinearAnswer) else number(answer)
            return f"{name or 'y'} = {said}"
        return f"{name} = {label_word(answer)}" if name else answer_word(answer, self.classes)

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
        words stand between double quotes. ``#`` begins a comment. An OR makes two rules.

        Parameters
        ----------
        text : str
        schema : Schema
            The columns that it speaks of.
        classes : sequence or None
            The class labels. None: the answers are numbers, or else the words that are there are the classes.
        target : str or None
            What the answers are called; None takes it from ``THEN target = ...``.
        policy : as of a RuleBase

        Examples
        --------
        >>> from assay.core.rules import RuleBase
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
        assay.core.rule_text.RuleSyntaxError: ... line 1, column 4: there is no column agee. Did you mean age?
        """
        from assay.core.rule_text import parse_rules

        return parse_rules(text, schema, classes, target=target, policy=policy)

    def canonical(self) -> RuleBase:
        """The same rules, each condition in the one form that its words have; texts that are equal give equal rules."""
        return replace(
            self,
            rules=tuple(
                replace(rule, conditions=tuple(canonical_test(c, self.schema) for c in rule.conditions))
                for rule in self.rules
            ),
        )

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
        from assay.core.rule_data import rules_data

        return rules_data(self)

    def to_json(self, indent: int | None = 2) -> str:
        """The rules as JSON text."""
        import json

        return json.dumps(self.to_dict(), indent=indent, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RuleBase:
        """The rules of what :meth:`to_dict` makes."""
        from assay.core.rule_data import rules_from_data

        return rules_from_data(data)

    @classmethod
    def from_json(cls, text: str) -> RuleBase:
        """The rules of what :meth:`to_json` makes.

        >>> from assay.core.rules import RuleBase
        >>> from assay.tables import Schema
        >>> base = RuleBase.parse("IF x0 > 2 THEN yes", Schema.numeric(1), ["no", "yes"])
        >>> RuleBase.from_json(base.to_json()) == base
        True
        """
        import json

        return cls.from_dict(json.loads(text))

    def _check_stored(self) -> None:
        """Raise if the rules, which may come from a file, do not fit together."""
        d, classes = len(self.schema), self.classes
        self.__post_init__()
        if classes is not None and (not classes or len(set(classes)) < len(classes)):
            raise ValueError("RuleBase: the classes must be distinct labels.")
        K = 0 if classes is None else len(classes)
        if {len(self.totals), len(self.default_counts)} - {0, K}:
            raise ValueError("RuleBase: there must be one count for each class.")
        if not all(0 <= c < np.inf for c in (*self.totals, *self.default_counts, self.smoothing)):
            raise ValueError("RuleBase: counts and smoothing must be numbers from 0.")
        for r, rule in enumerate(self.rules, 1):
            if not isinstance(rule, Rule):
                raise TypeError(f"RuleBase: R{r} is no rule.")
            if len(rule.counts) not in (0, K):
                raise ValueError(f"RuleBase: R{r} has {len(rule.counts)} counts for {K} classes.")
            if not all(0 <= c < np.inf for c in (*rule.counts, rule.n, rule.total, rule.correct or 0.0)):
                raise ValueError(f"RuleBase: R{r} has counts that no rows can have.")
            for condition in rule.conditions:
                if not isinstance(condition, (Condition, LinearCondition)):
                    raise TypeError(f"RuleBase: R{r} has a condition that is none.")
                if not all(0 <= j < d for j in condition.columns()):
                    raise IndexError(f"RuleBase: R{r} speaks of a column that is not there.")
        for answer in [
            *(rule.answer for rule in self.rules),
            *([] if self.default is None else [self.default]),
        ]:
            _check_answer(answer, classes, d)

    def to_html(self, title: str = "", *, missing: bool = False) -> str:
        """The rules as an HTML table: conditions, answers, and the rows behind them as bars."""
        from assay.core.rule_html import rules_html

        return rules_html(self, title, missing)

    def _repr_html_(self) -> str:
        return self.to_html()

    # ------------------------------------------------------------------ checked

    def exclusive(self, X: Any = None, *, missing: bool = True) -> Verdict:
        """Whether no row is covered by two rules; then the order of the rules does not matter.

        Parameters
        ----------
        X : table or None
            None asks about all rows that there could be, by arithmetic with intervals (for weighted sums by linear
            programmes); a table asks about its rows.
        missing : bool, default True
            Whether rows with missing values count, too.

        Returns
        -------
        Verdict
            True or false as a truth value; ``row`` is a row that two rules cover, ``rules`` are these rules.

        Examples
        --------
        >>> from assay.core.rules import RuleBase
        >>> from assay.tables import Column, Schema
        >>> two = ["Age > 40 => donor", "Age <= 50 => other"]
        >>> base = RuleBase.parse(chr(10).join(two), Schema([Column("Age")]))
        >>> base.exclusive().row, bool(base.exhaustive())
        ({'Age': 45.0}, True)
        >>> print(base.exclusive())
        R1 and R2 both cover the row Age = 45.0
        """
        from assay.core.rule_checks import exclusive

        return exclusive(self, X, missing=missing)

    def exhaustive(self, X: Any = None, *, missing: bool = False) -> Verdict:
        """Whether every row is covered by some rule; then no default is needed.

        Parameters
        ----------
        X : table or None
            None asks about all rows that there could be; a table asks about its rows.
        missing : bool, default False
            Whether rows with missing values must be covered, too.

        Returns
        -------
        Verdict
            ``row`` is a row that no rule covers. ``holds`` is None, and the truth value false, if the search for such a
            row was given up.
        """
        from assay.core.rule_checks import exhaustive

        return exhaustive(self, X, missing=missing)

    def unreached(self) -> tuple[int, ...]:
        """The numbers of the rules that never decide in a list: earlier ones cover all that they cover."""
        from assay.core.rule_checks import unreached

        return unreached(self)

    def subsumed(self) -> tuple[tuple[int, int], ...]:
        """Pairs of rule numbers (r, by): rule ``by`` covers all that rule r covers."""
        from assay.core.rule_checks import subsumed

        return subsumed(self)

    # ------------------------------------------------------------------ measured

    def measures(self, *, m: float = 2.0, possible: int | None = None) -> dict[str, list[Any]]:
        """What each rule is worth on the rows that it was counted on: a table as a dict of columns.

        conditions, coverage (rows), support (their share), correct, confidence, lift, laplace, m_estimate,
        likelihood_ratio with its p_value, foil_gain over the rule without conditions, and bits (description length);
        for numbers the error instead of what asks for classes. A frame is one step away: ``pandas.DataFrame(...)``.

        Parameters
        ----------
        m : float, default 2
            The weight of the prior in the m-estimate.
        possible : int or None
            How many conditions there are to choose from, for the description length; None counts those in use.

        Examples
        --------
        DC figure 10.5: among 6 donors of 11 people, 5 of the 6 above fifty give.

        >>> from assay.core.conditions import Condition
        >>> from assay.core.rules import Rule, RuleBase
        >>> from assay.tables import Column, Schema
        >>> rule = Rule((Condition(0, low=50.0),), "Y", n=6, total=11, counts=(1, 5), correct=5)
        >>> base = RuleBase((rule,), Schema([Column("Age")]), ("N", "Y"), totals=(5, 6))
        >>> worth = base.measures()
        >>> [round(worth[name][0], 6) for name in ("laplace", "likelihood_ratio", "foil_gain")]
        [0.75, 2.231538, 3.057174]
        """
        from assay.core.rule_worth import rules_measures

        return rules_measures(self, m, possible)

    def measured(self, X: Any, y: Any, sample_weight: Any = None) -> RuleBase:
        """The same rules with rows, accuracy (or error) counted on other data.

        Parameters
        ----------
        X : table      y : (n,) labels or numbers      sample_weight : (n,) or None
        """
        values, y = self.block(X), np.asarray(y)
        if len(y) != len(values):
            raise DataError(f"RuleBase: X has {len(values)} rows, y has {len(y)}.")
        w = check_weights(sample_weight, values)
        target = y.astype(np.float64) if self.classes is None else _codes(self.classes, y)
        return counted(self, values, target, w)


def _check_answer(answer: Any, classes: tuple[Any, ...] | None, d: int) -> None:
    if classes is not None:
        if answer not in classes:
            raise ValueError(f"RuleBase: the answer {str(answer)[:80]!r} is none of the classes.")
    elif isinstance(answer, LinearAnswer):
        if not all(0 <= j < d for j in answer.columns()):
            raise IndexError("RuleBase: an answer speaks of a column that is not there.")
    elif isinstance(answer, bool) or not isinstance(answer, (int, float, np.number)):
        raise TypeError(f"RuleBase: the answer {str(answer)[:80]!r} is no number.")


def answer_word(answer: Any, classes: tuple[Any, ...]) -> str:
    """A class as rules print it: between quotes only if it could be mistaken for something else.

    >>> from assay.core.rules import answer_word
    >>> answer_word("not donor", ("donor", "not donor")), answer_word("<=50K", ()), answer_word("1", (1, "1"))
    ('not donor', "'<=50K'", "'1'")
    """
    if not isinstance(answer, str):
        return one_line(answer)
    plain = answer and answer == answer.strip() and answer.isprintable() and not _MISTAKEN.search(answer)
    alike = any(not isinstance(c, str) and one_line(c) == answer for c in classes)
    return answer if plain and not alike else label_word(answer)


_MISTAKEN = re.compile(r"[\\'\"#=]|  |\(support |^(?::|->|→|⇒|then\b|if\b)", re.IGNORECASE)


def counted(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray | None = None) -> RuleBase:
    """The rules with what the rows of a block say about them.

    In an ordered list a rule's counts are those of the rows that reach it; in a set, of all rows that it covers.

    Parameters
    ----------
    values : (n, d) float block      y : (n,) places among the classes, or numbers      w : (n,) weights or None
    """
    w = np.ones(len(y)) if w is None else w
    total, R = float(w.sum()), len(base.rules)
    if base.classes is None:
        return replace(base, rules=tuple(_deviations(base, values, y, w, total)))
    counts = _class_counts(base, values, y, w).tolist()
    place = {c: k for k, c in enumerate(base.classes)}
    rules = tuple(
        replace(rule, n=sum(own), total=total, counts=tuple(own), correct=own[place[rule.answer]])
        for rule, own in zip(base.rules, counts)
    )
    totals = tuple(np.bincount(y, w, len(base.classes)).tolist())
    return replace(base, rules=rules, totals=totals, default_counts=tuple(counts[R]))


def _class_counts(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray) -> np.ndarray:
    """(R + 1, K) the weight of each class under each rule, and last of the rows that no rule covers."""
    R, K, first = len(base.rules), len(base.classes or ()), base.firing_block(values)
    place = np.where(first < 0, R, first)
    if base.policy == "first":
        return np.bincount(place * K + y, w, (R + 1) * K).reshape(R + 1, K)
    counts = np.zeros((R + 1, K))
    counts[R] = np.bincount(y[first < 0], w[first < 0], K)
    step = max(1, (1 << 22) // max(R, K))
    for a in range(0, len(y), step):  # some rows at a time: rows times rules would take much memory
        rows = slice(a, a + step)
        marks = np.zeros((len(y[rows]), K))
        marks[np.arange(len(marks)), y[rows]] = w[rows]
        counts[:R] += base.covers_block(values[rows]).T.astype(np.float64) @ marks
    return counts


def _deviations(base: RuleBase, values: Any, y: np.ndarray, w: np.ndarray, total: float) -> Iterator[Rule]:
    """Rules of numbers with their rows, and how far those are from the rule's answer."""
    first = base._firing.first(values)
    for r, rule in enumerate(base.rules):
        seen = first == r if base.policy == "first" else rule.covers(values)
        n = float(w[seen].sum())
        square = w[seen] * (y[seen] - numbers_of(rule.answer, values[seen])) ** 2
        yield replace(rule, n=n, total=total, error=float(np.sqrt(square.sum() / n)) if n else None)


def _codes(classes: tuple[Any, ...], y: np.ndarray) -> np.ndarray:
    """(n,) the place of each label among the classes."""
    place = {c: k for k, c in enumerate(classes)}
    try:
        return np.array([place[label] for label in y.tolist()], np.int64)
    except KeyError as error:
        raise DataError(
            f"RuleBase: y has the label {error.args[0]!r}, which is none of the classes "
            f"{', '.join(map(repr, classes[:8]))}{', ...' if len(classes) > 8 else ''}."
        ) from None


def _evidence(rule: Rule) -> str:
    said = f"  (support {rule.support:.3f}"
    if rule.accuracy is not None:
        said += f", accuracy {rule.accuracy:.3f}"
    elif rule.error is not None:
        said += f", error {shorter(rule.error, 4)}"
    return said + ")"
