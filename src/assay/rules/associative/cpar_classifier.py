"""CPAR: classification based on predictive association rules."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Count, Range
from assay.core.progress import track
from assay.core.stored import FloatArray, Mapped
from assay.rulebase.measures import laplace
from assay.rules.associative.class_association_rules import MinedTable
from assay.rules.associative.cpar_growth import ClassGrowth, GrowthSettings
from assay.rules.associative.items_of_columns import CUTS
from assay.rules.associative.scored_rules import rule_score_sections, voted_posterior
from assay.rules.associative.set_rules import SetRules
from assay.rules.rule_learner import RuleClassifier

__all__ = ["CPARClassifier"]


class CPARClassifier(RuleClassifier):
    r"""Grow rules item by item as FOIL does, with covered rows downweighted instead of removed.

    For each class, rows of the class begin with weight 1. A rule grows by the item with the largest gain, in sums of
    weights p of rows of the class and n of others before (0) and after (1),

    .. math:: p_1 \left(\log \frac{p_1}{p_1 + n_1} - \log \frac{p_0}{p_0 + n_0}\right) \qquad (1)

    until no other row is left or no item gains ``min_gain``. Items whose gain is nearly the best each begin a branch
    of the rule. Each finished rule multiplies the weights of the rows of its class that it covers by ``decay``. The
    class is done when its weights have fallen to ``min_weight`` of their sum, or when no first item gains enough. A
    row goes to the class with the largest mean Laplace accuracy of its ``best`` best rules that fire,

    .. math:: \frac{n_c + 1}{n + K} \qquad (2)

    Equal means go to the class with the larger prior; if no rule fires, the most frequent class is the answer. The
    posterior is the share of the means. Quicker than mining where there are many columns, and with more rules per
    row than a decision list.

    Cost: fit O(c n d) for c conditions of all rules; predict O(c) a row; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    decay : float, default 2/3
    min_weight : float, default 0.05
        The share of its weight at which a class is done.
    min_gain : float, default 0.7
        The least gain (1) of an item. It is a sum over rows: on a large table raise it with the number of rows, or
        rules become as many and as long as the noise in the table allows.
    similarity : float, default 0.99
        Items whose gain is at least this part of the best one's begin their own branch.
    best : int, default 5
        How many rules of each class are heard.
    base : float, default e
        The base of the logarithm in (1), on which ``min_gain`` depends.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals.

    Attributes
    ----------
    rules_ : RuleBase       cuts_ : dict

    Examples
    --------
    >>> from assay.rules import CPARClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cpar = CPARClassifier(cuts={"Age": [50], "Salary": [50000]}).fit(data.X, data.y)
    >>> print(cpar)
    R1: IF Age > 50 AND Salary > 50000 THEN Y
    R2: IF Salary <= 50000 THEN N
    R3: IF Salary > 50000 THEN Y
    R4: IF Age <= 50 THEN N
    ELSE Y
    >>> from assay.rules.associative.scored_rules import rule_weights
    >>> [round(7 * 9 * a) for a in rule_weights(cpar.rules_)], round(11 * cpar.score(data.X, data.y))
    ([54, 52, 49, 45], 10)

    See Also
    --------
    CBAClassifier, CMARClassifier, FOIL

    References
    ----------
    - Yin, X. and Han, J. (2003). CPAR: classification based on predictive association rules. SIAM International
      Conference on Data Mining, 331-335.
    """

    card = Card(
        "cpar",
        "rules grown together, the best five of each class vote",
        learns=(
            "class association rules",
            "none of the whole; confidence and support of each rule",
            "all frequent item sets, then a choice among rules",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "decay": Range(0, 1, open="both"),
        "min_weight": Range(0, 1, open="low"),
        "min_gain": Range(0, open="low"),
        "similarity": Range(0, 1, open="low"),
        "best": Count(1),
        "base": Range(1, open="low"),
        "cuts": CUTS,
    }
    stored = {"cuts_": Mapped(FloatArray("*"))}

    def __init__(
        self,
        decay: float = 2 / 3,
        min_weight: float = 0.05,
        min_gain: float = 0.7,
        similarity: float = 0.99,
        best: int = 5,
        base: float = math.e,
        cuts: ArrayLike = "mdl",
    ):
        self.decay = decay
        self.min_weight = min_weight
        self.min_gain = min_gain
        self.similarity = similarity
        self.best = best
        self.base = base
        self.cuts = cuts

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        mined = MinedTable.of(X, y, w, self.schema_, self.classes_, self.cuts, type(self).__name__)
        sets, names = mined.sets, self.schema_.names
        candidates: dict[tuple[tuple[int, ...], int], None] = {}
        for k in track(range(sets.K), "classes"):
            candidates.update(dict.fromkeys((rule, k) for rule in self._rules_of(k, mined)))
        sizes = [len(rule) for rule, _ in candidates]
        rules = SetRules(
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.array([i for rule, _ in candidates for i in rule], np.int32),
            np.array([k for _, k in candidates], np.int32),
            np.zeros(len(candidates)),
            np.zeros(len(candidates)),
        )
        counts = sets.counts(rules.start, rules.items)
        correct = counts[np.arange(len(candidates)), rules.answer]
        accuracy = laplace(correct, counts.sum(axis=1) - correct, sets.K).round(12)
        order = np.lexsort((rules.size, -correct, -accuracy))
        base = mined.rules(rules.take(order), counts[order])
        never = sets.left_over(rules)
        default = int(sets.majority(sets.totals)[0])
        self.rules_ = mined.base(base, default, never, policy="laplace", top=self.best)  # (2)
        self.cuts_ = {names[j]: cuts for j, cuts in mined.items.cuts.items()}

    def _rules_of(self, k: int, mined: MinedTable) -> list[tuple[int, ...]]:
        """The rules of one class, as sets of items."""
        positive = mined.sets.y == k
        weight = np.ones(len(positive)) if mined.sets.w is None else mined.sets.w.copy()
        settings = GrowthSettings(self.decay, self.min_weight, self.min_gain, self.similarity, self.base)
        return ClassGrowth(mined.codes, mined.items.column, positive, weight, settings).rules()  # (1)

    def _posterior(self, X: Any) -> np.ndarray:
        return voted_posterior(self.rules_, X)

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        return super()._reasons(X, rows).then(rule_score_sections(self.rules_, X, "Laplace accuracy"))
