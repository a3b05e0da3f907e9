"""Rules (conditions, an answer, counts on the training rows), and rule bases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from assay.core.stored import Each, Integer, Object, Plain, Scalar, Unchecked
from assay.core.targets import check_weights
from assay.errors import DataError
from assay.rulebase.checks import RuleChecks
from assay.rulebase.conditions import Condition, LinearCondition, RowTest
from assay.rulebase.counts import class_codes, counted
from assay.rulebase.editing import RuleEditing
from assay.rulebase.firing import Firing
from assay.rulebase.forms import RuleForms
from assay.rulebase.linear_answer import LinearAnswer
from assay.rulebase.measures import laplace
from assay.rulebase.posterior import (
    ballots,
    distribution,
    rules_numbers,
    rules_posterior,
)
from assay.rulebase.space import Space
from assay.tables import Schema, Table
from assay.tables.row_names import row_name
from assay.tables.table import UNSEEN
from assay.types import TableLike, Target, Weights

__all__ = ["POLICIES", "Policy", "Rule", "RuleBase", "counted"]

Policy = Literal[
    "first", "votes", "confidence", "support", "product", "chi_square", "laplace", "counts", "best"
]
POLICIES: tuple[Policy, ...] = get_args(Policy)
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
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.rules import Rule
    >>> rule = Rule((Condition(0, high=2.5),), "yes", n=6, total=10, counts=(1, 5), correct=5)
    >>> rule.support, round(rule.confidence, 3), rule.laplace, rule.coverage, rule.size
    (0.6, 0.833, 0.75, 6, 1)
    """

    conditions: tuple[RowTest, ...]
    answer: Any
    n: float = 0.0
    total: float = 0.0
    counts: tuple[float, ...] = ()
    correct: float | None = None
    error: float | None = None
    stored = {
        "conditions": Each(Object(Condition, LinearCondition)),
        "answer": Unchecked("RuleBase compares it with its classes"),
        "counts": Each(Scalar(low=0)),
    }

    @property
    def support(self) -> float:
        """The share of the training rows that it covers."""
        return self.n / self.total if self.total else 0.0

    @property
    def accuracy(self) -> float | None:
        """The share of the covered training rows whose class is the answer; None for numbers and empty rules."""
        return None if self.correct is None or not self.n else self.correct / self.n

    @property
    def coverage(self) -> float:
        """The weight of the training rows that it covers."""
        return self.n

    @property
    def confidence(self) -> float | None:
        """Another name of the accuracy."""
        return self.accuracy

    @property
    def laplace(self) -> float | None:
        """Laplace's estimate of the accuracy: as if one more row of each class were covered; None for numbers."""
        if self.correct is None:
            return None
        return float(laplace(self.correct, self.n - self.correct, len(self.counts) or 2))

    @property
    def size(self) -> int:
        """The number of conditions."""
        return len(self.conditions)

    def covers(self, X: np.ndarray) -> np.ndarray:
        """(n,) bool: which rows of a float block meet all conditions."""
        covered = np.ones(X.shape[0], bool)
        for condition in self.conditions:
            covered &= condition.covers(X)
        return covered

    @classmethod
    def parse(cls, text: str, schema: Schema, classes: Sequence[Any] | None = None) -> Rule:
        """The one rule that a text describes; see :meth:`RuleBase.parse`.

        >>> from assay.rulebase.rules import Rule
        >>> from assay.tables import Schema
        >>> Rule.parse("IF x0 > 2 THEN yes", Schema.numeric(1), ["no", "yes"]).answer
        'yes'
        """
        from assay.rulebase.text import parse_rule

        return parse_rule(text, schema, classes)

    def premise(self, schema: Schema, missing: bool = False) -> str:
        """The conditions in words, joined by AND."""
        parts = [c.words(schema, missing) for c in self.conditions]
        if len(parts) > 1:
            parts = [f"({part})" if part.endswith(" or missing") else part for part in parts]
        return " AND ".join(parts) or "anything"


@dataclass(frozen=True)
class RuleBase(RuleForms, RuleChecks, RuleEditing):
    """Rules in order: the first one that covers a row answers it, else the default.

    The rules of a tree exclude each other and cover every row whose values are there, so that their order does not
    matter; simplified or learned rules may overlap.

    Parameters
    ----------
    rules : tuple of Rule
    schema : Schema
        The columns that the conditions refer to.
    classes : tuple or None
        The class labels; None for numbers.
    default : label or number
        The answer for rows that no rule covers; None if there is no such answer.
    target : str
        The name of the target; empty if it is not known.
    policy : "first", "votes", "confidence", "support", "product", "chi_square", "laplace", "counts" or "best"
        How to resolve conflicts where several rules cover a row: the first one; one vote each; votes weighted by
        confidence, by support (the share of rows covered rightly), by the product of both, or by how much the rule
        and its class go together (:func:`assay.rulebase.measures.weighted_chi_square`); the class whose rules have
        the largest mean Laplace accuracy; the sum of their class counts; the one of highest confidence. For numbers:
        the first one, or the mean of all ("votes"), weighted by their rows ("support"). Equal votes go to the first
        class, with "chi_square" and "laplace" to the one with the larger total.
    totals : tuple of float
        The weight of all training rows per class; empty if it is not known.
    default_counts : tuple of float
        The weight per class of the training rows that no rule covers.
    smoothing : float
        What is added to each class count before it becomes a probability.
    top : int or None
        Where rules vote: only so many of those that cover a row, the first ones; with "laplace" so many of each class,
        the most confident. None lets all vote.

    Examples
    --------
    >>> from assay.rulebase.conditions import Condition
    >>> from assay.rulebase.rules import Rule, RuleBase
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
    stored = {
        "rules": Each(Object(Rule)),
        "classes": Each(Plain(), "K") | None,
        "default": Unchecked("compared with the classes"),
        "totals": Each(Scalar(low=0)),
        "default_counts": Each(Scalar(low=0)),
        "top": Integer(low=1) | None,
    }

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

    def block(self, X: TableLike) -> np.ndarray:
        """The rows of any table as the float block that conditions see."""
        table = Table.like(X, self.schema, "RuleBase")
        values = table.values if isinstance(table.values, np.ndarray) else table.values.toarray()
        if table.unseen:
            values = np.where((values == UNSEEN) & self.schema.coded, np.nan, values)
        return values

    def covers(self, X: TableLike) -> np.ndarray:
        """(n, R) bool: which rules cover each row of a table."""
        return self.covers_block(self.block(X))

    def covers_block(self, values: ArrayLike) -> np.ndarray:
        """(n, R) bool: the same for a float block, categories as codes."""
        return self._firing.covers(values)

    def firing(self, X: TableLike) -> np.ndarray:
        """(n,) the number of the first rule that covers each row; -1 if none does."""
        return self.firing_block(self.block(X))

    def firing_block(self, values: ArrayLike) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        return self._firing.first(values)

    def posterior(self, X: TableLike) -> np.ndarray:
        """(n, K) the probability of each class, by the policy."""
        return rules_posterior(self, self.block(X))

    def predict(self, X: TableLike) -> np.ndarray:
        """(n,) the answers, by the policy; a row that no rule covers needs a default."""
        return self.predict_block(self.block(X))

    def predict_block(self, values: ArrayLike) -> np.ndarray:
        """(n,) the same for a float block, categories as codes."""
        first = self.firing_block(values)
        if self.default is None and (first < 0).any():
            raise DataError(
                f"RuleBase: no rule covers {row_name(int(np.argmax(first < 0)))}, and there is no default answer. "
                "Missing values may be the reason; give the rules a default: base.with_default(X, y), or "
                "dataclasses.replace(base, default=...)."
            )
        possible = [*(rule.answer for rule in self.rules), *([] if self.default is None else [self.default])]
        if self.classes is None and (
            self.policy != "first" or any(isinstance(a, LinearAnswer) for a in possible)
        ):
            return rules_numbers(self, values)
        answers = np.array([*(rule.answer for rule in self.rules), self.default], dtype=object)[first]
        if self.policy != "first":
            voted = np.array(self.classes, dtype=object)[rules_posterior(self, values).argmax(axis=1)]
            answers = np.where(first < 0, self.default, voted)
        labels = [*possible, *(self.classes or ())]  # rules that vote can answer what none of them names
        kind = np.array(labels).dtype if labels else None
        mixed = self.classes is not None and len({isinstance(c, str) for c in labels}) > 1
        return np.array(answers.tolist(), dtype=object if mixed else kind)

    @cached_property
    def _firing(self) -> Firing:
        """The conditions made ready to be applied."""
        return Firing(self.rules)

    @cached_property
    def _space(self) -> Space:
        """The space of all rows, cut at the ends of the conditions; a value may be missing."""
        return Space(self, True)

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

    # ------------------------------------------------------------------ measured

    def measures(self, *, m: float = 2.0, possible: int | None = None) -> dict[str, list[Any]]:
        """What each rule is worth on the rows that it was counted on: a table as a dict of columns.

        conditions, coverage (rows), support (their share), correct, confidence, lift, laplace, m_estimate,
        likelihood_ratio with its p_value, foil_gain over the rule without conditions, and bits (description length);
        for numbers the error instead of class measures. A frame is one step away: ``pandas.DataFrame(...)``.

        Parameters
        ----------
        m : float, default 2
            The weight of the prior in the m-estimate.
        possible : int or None
            How many conditions there are to choose from, for the description length; None counts those in use.

        Examples
        --------
        After Aggarwal's Data Mining (2015), figure 10.5: among 6 donors of 11 people, 5 of the 6 above fifty give.

        >>> from assay.rulebase.conditions import Condition
        >>> from assay.rulebase.rules import Rule, RuleBase
        >>> from assay.tables import Column, Schema
        >>> rule = Rule((Condition(0, low=50.0),), "Y", n=6, total=11, counts=(1, 5), correct=5)
        >>> base = RuleBase((rule,), Schema([Column("Age")]), ("N", "Y"), totals=(5, 6))
        >>> worth = base.measures()
        >>> [round(worth[name][0], 6) for name in ("laplace", "likelihood_ratio", "foil_gain")]
        [0.75, 2.231538, 3.057174]
        """
        from assay.rulebase.worth import rules_measures

        return rules_measures(self, m, possible)

    def measured(self, X: TableLike, y: Target, sample_weight: Weights | None = None) -> RuleBase:
        """The same rules with rows, accuracy (or error) counted on other data.

        Parameters
        ----------
        X : table      y : (n,) labels or numbers      sample_weight : (n,) or None
        """
        values, y = self.block(X), np.asarray(y)
        if len(y) != len(values):
            raise DataError(f"RuleBase: X has {len(values)} rows, y has {len(y)}.")
        w = check_weights(sample_weight, values)
        target = y.astype(np.float64) if self.classes is None else class_codes(self.classes, y)
        return counted(self, values, target, w)

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
                condition.check()
        for answer in [
            *(rule.answer for rule in self.rules),
            *([] if self.default is None else [self.default]),
        ]:
            _check_answer(answer, classes, self.schema)


def _check_answer(answer: Any, classes: tuple[Any, ...] | None, schema: Schema) -> None:
    if classes is not None:
        if answer not in classes:
            raise ValueError(f"RuleBase: the answer {str(answer)[:80]!r} is none of the classes.")
    elif isinstance(answer, LinearAnswer):
        if not all(0 <= j < len(schema) for j in answer.columns()):
            raise IndexError("RuleBase: an answer speaks of a column that is not there.")
        if not all(k is None or 0 <= k < len(schema[j].categories) for j, k, _ in answer.terms):
            raise IndexError("RuleBase: an answer speaks of a category that is not there.")
        if not np.isfinite([answer.intercept, answer.otherwise, *(w for _, _, w in answer.terms)]).all():
            raise ValueError("RuleBase: an answer has numbers that are not finite.")
    elif isinstance(answer, bool) or not isinstance(answer, (int, float, np.number)):
        raise TypeError(f"RuleBase: the answer {str(answer)[:80]!r} is no number.")
    elif not np.isfinite(answer):
        raise ValueError(f"RuleBase: the answer {answer!r} is not finite.")
