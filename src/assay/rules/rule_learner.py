"""Base classes of rule learners: predictions from rules, their display, and editing by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from assay.core import Classifier, Regressor
from assay.core.explanations import Reasons, RowValues
from assay.core.stored import Each, Kind, Object, Plain
from assay.rulebase.conditions import RowTest
from assay.rulebase.posterior import rules_posterior
from assay.rulebase.rules import Policy, Rule, RuleBase, counted
from assay.rules.covering.rule_growth import Growth

__all__ = ["RuleClassifier", "RuleRegressor", "class_rules"]


class _RuleLearner:
    """A learner whose model is ``rules_``: its display and its editing."""

    stored: ClassVar[Mapping[str, Kind]] = {
        "rules_": Object(RuleBase),
        "history_": Each(Object(Growth) | Plain()),
    }

    rules_: RuleBase
    takes: ClassVar[frozenset[str]] = frozenset({"nominal", "missing"})

    @property
    def n_rules_(self) -> int:
        """How many rules there are, the default not counted."""
        self._ready()  # type: ignore[attr-defined]
        return len(self.rules_)

    def with_rules(
        self,
        rules: RuleBase | str,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """The same fitted model with other rules: edited ones, or rules of one's own.

        Parameters
        ----------
        rules : RuleBase or str
            About the same columns and the same classes; or their text, where rules that are left as they were keep
            their counts.
        X, y, sample_weight : rows on which all rules are counted anew, or None
            Without them, new rules have no counts: each is sure of its answer.

        Examples
        --------
        >>> from assay.rules import OneRClassifier
        >>> from assay.tables.data import load_weather
        >>> data = load_weather(numeric=False)
        >>> model = OneRClassifier().fit(data.X, data.y)
        >>> print(model.with_rules("IF outlook = 'sunny' THEN no" + chr(10) + "ELSE yes", data.X, data.y))
        R1: IF outlook = 'sunny' THEN no
        ELSE yes
        """
        self._ready()  # type: ignore[attr-defined]
        who = f"{type(self).__name__}.with_rules"
        rules = self.rules_.edited(rules) if isinstance(rules, str) else rules
        if not isinstance(rules, RuleBase):
            raise TypeError(f"{who}: expected a RuleBase or the text of rules, got a {type(rules).__name__}.")
        if rules.schema != self.rules_.schema or rules.classes != self.rules_.classes:
            raise ValueError(f"{who}: the rules speak of other columns or other classes.")
        if rules.default is None:  # rows without a rule keep their prediction
            rules = replace(rules, default=self.rules_.default)
        if (X is None) != (y is None):
            raise ValueError(f"{who}: to count the rules anew, give both X and y.")
        other = copy(self)
        other.rules_ = rules if X is None else rules.measured(X, y, sample_weight)
        other._rules_changed()
        return other

    def _rules_changed(self) -> None:
        """What a learner with more than its rules has to bring into line with new ones."""

    def __str__(self) -> str:
        return str(self.rules_) if "rules_" in vars(self) else repr(self)

    def _model_html(self) -> str:
        return self.rules_.to_html()


class RuleClassifier(_RuleLearner, Classifier):
    """A classifier whose model is a base of rules.

    Subclasses define ``_learn(X, y, w)``, which ends in ``self.rules_ = class_rules(...)``.

    Attributes
    ----------
    rules_ : RuleBase
        The rules in order, their counts on the training rows, the default.
    """

    def _posterior(self, X: Any) -> np.ndarray:
        return rules_posterior(self.rules_, X)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        from assay.rules.reasons import rule_reasons

        return rule_reasons(self.rules_, X, lambda block: self.classes_[self._choose(block)])


class RuleRegressor(_RuleLearner, Regressor):
    """A regressor whose model is a base of rules with numbers as answers.

    Attributes
    ----------
    rules_ : RuleBase
    """

    def _predict(self, X: Any) -> np.ndarray:
        return np.asarray(self.rules_.predict_block(X), np.float64)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        from assay.rules.reasons import rule_reasons

        return rule_reasons(self.rules_, X)


def class_rules(
    learner: Classifier,
    pairs: Iterable[tuple[Sequence[RowTest], int]],
    X: np.ndarray,
    y: np.ndarray,
    w: np.ndarray | None,
    *,
    default: int | None = None,
    policy: Policy = "first",
    smoothing: float = 1.0,
    top: int | None = None,
) -> RuleBase:
    """The rule base of conditions and classes, with their counts on the training rows.

    In an ordered list a rule's counts are those of the rows that reach it; in a set, of all rows that it covers.

    Parameters
    ----------
    result : (conditions, class code) in order
    default : class code or None
        None takes the most frequent class of the rows that no rule covers, or of all rows if there are none.
    policy, smoothing, top : as of a RuleBase
    """
    classes, K = tuple(learner.classes_.tolist()), len(learner.classes_)
    rules = tuple(Rule(tuple(conditions), classes[k]) for conditions, k in pairs)
    base = RuleBase(rules, learner.schema_, classes, policy=policy, smoothing=smoothing, top=top)
    base = counted(base, X, y, w)
    if default is None:
        totals, uncovered = np.array(base.totals), np.array(base.default_counts)
        default = int(np.lexsort((np.arange(K), -totals, -uncovered))[0])
    return replace(base, default=classes[default])
