"""Base class of classifiers of class association rules: from a table to its mined rules."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from assay.core.stored import FloatArray, Integer, Mapped
from assay.rules.associative.class_association_rules import MINING, MinedTable, least_count
from assay.rules.associative.scored_rules import voted_posterior
from assay.rules.associative.set_rules import SetRules
from assay.rules.rule_learner import RuleClassifier

__all__ = ["CarClassifier"]


class CarClassifier(RuleClassifier):
    """A classifier that chooses among the class association rules of its training rows.

    Subclasses define ``_select(mined, candidates)``, which ends in ``self.rules_ = mined.base(...)``.

    Attributes
    ----------
    rules_ : RuleBase
    cuts_ : dict
        Where each column of numbers was cut; an interval holds its upper end.
    n_mined_ : int
        How many rules there were to choose from.
    """

    accepts = MINING
    stored = {
        "cuts_": Mapped(FloatArray("*")),
        "n_mined_": Integer(),
    }
    mining: ClassVar[dict[str, Any]] = {}  # how the sets are mined: see ClassSets.mine

    min_support: float
    min_confidence: float
    max_length: int | None
    cuts: Any
    limit: int

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        who = type(self).__name__
        mined = MinedTable.of(X, y, w, self.schema_, self.classes_, self.cuts, who)
        how = {"sure": self.min_confidence, "max_length": self.max_length, "limit": self.limit, **self.mining}
        candidates = mined.sets.mine(least_count(self.min_support, mined.sets.total), who=who, **how).ranked()
        names = self.schema_.names
        self.cuts_ = {names[j]: cuts for j, cuts in mined.items.cuts.items()}
        self.n_mined_ = len(candidates)
        self._select(mined, candidates)

    def _posterior(self, X: Any) -> np.ndarray:
        return voted_posterior(self.rules_, X)

    def _select(self, mined: MinedTable, candidates: SetRules) -> None:
        """Choose among the rules, best first, and set ``rules_``."""
        raise TypeError(f"{type(self).__name__} must define _select")
