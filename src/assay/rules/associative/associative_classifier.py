"""Classification by all class association rules, with voting."""

from __future__ import annotations

from typing import Literal

from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Choice, Count
from assay.rulebase.rules import Policy, RuleBase
from assay.rules.associative.car_learner import CarClassifier
from assay.rules.associative.class_association_rules import MINING, MinedTable
from assay.rules.associative.set_rules import SetRules

__all__ = ["AssociativeClassifier", "all_rules"]


class AssociativeClassifier(CarClassifier):
    r"""Classify by all class association rules of the training rows, without rule selection.

    The rules stand by confidence, then support, then fewer items. The first ``top`` of those that fire vote: one
    vote each, or weighted by their quality,

    .. math:: \hat k = \arg\max_k \sum_{r \text{ fires},\ r \Rightarrow k} v_r, \qquad
              v_r \in \{1,\ \text{confidence},\ \text{support},\ \text{confidence} \cdot \text{support}\}

    With ``top=1`` the best rule decides, as in a decision list. If no rule fires, the answer is the most frequent
    class of the training rows that no rule covers, or of all. Use it to see what all rules together know;
    :class:`CBAClassifier` keeps a list that people can read.

    Cost: fit O(s n / 64) for s frequent item sets, of which there can be exponentially many; predict O(r) a row for r
    rules; memory O(n d) bits to fit, O(r) kept.

    Parameters
    ----------
    min_support : float or int, default 0.01
        The least share of rows, or number of rows, that hold a rule's items and its class.
    min_confidence : float, default 0.5
    max_length : int or None, default 3
        The most items of a rule.
    top : int or None, default 5
        How many of the rules that fire are heard, the best first; None hears all.
    vote : "votes", "confidence", "support" or "product", default "confidence"
        What a rule's vote weighs: 1, or its confidence (Laplace-smoothed), its support, or both multiplied.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals.
    limit : int, default 5000000
        How many item sets may be counted; an error says beforehand if that would not do.

    Attributes
    ----------
    rules_ : RuleBase       cuts_ : dict       n_mined_ : int

    Examples
    --------
    >>> from assay.rules import AssociativeClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cuts = {"Age": [50], "Salary": [50000]}
    >>> model = AssociativeClassifier(min_support=2, min_confidence=0.6, top=1, cuts=cuts).fit(data.X, data.y)
    >>> print(model)
    R1: IF Age > 50 AND Salary > 50000 THEN Y
    R2: IF Salary <= 50000 THEN N
    R3: IF Salary > 50000 THEN Y
    R4: IF Age > 50 THEN Y
    R5: IF Age <= 50 THEN N
    ELSE Y
    >>> round(11 * model.score(data.X, data.y))
    10

    See Also
    --------
    CBAClassifier, CMARClassifier, class_association_rules

    References
    ----------
    - Liu, B., Hsu, W. and Ma, Y. (1998). Integrating classification and association rule mining. Knowledge
      Discovery and Data Mining, 80-86.
    - Li, W., Han, J. and Pei, J. (2001). CMAR: accurate and efficient classification based on multiple
      class-association rules. IEEE International Conference on Data Mining, 369-376.
    """

    card = Card(
        "associative",
        "all class association rules, none left out",
        learns=(
            "class association rules",
            "none of the whole; confidence and support of each rule",
            "all frequent item sets, then a choice among rules",
            "greedy",
        ),
    )
    accepts = {
        **MINING,
        "top": Count(1) | None,
        "vote": Choice("votes", "confidence", "support", "product"),
    }

    def __init__(
        self,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        max_length: int | None = 3,
        top: int | None = 5,
        vote: Literal["votes", "confidence", "support", "product"] = "confidence",
        cuts: ArrayLike = "mdl",
        limit: int = 5_000_000,
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.top = top
        self.vote = vote
        self.cuts = cuts
        self.limit = limit

    def _select(self, mined: MinedTable, candidates: SetRules) -> None:
        self.rules_ = all_rules(mined, candidates, self.top, self.vote)


def all_rules(mined: MinedTable, rules: SetRules, top: int | None, vote: Policy) -> RuleBase:
    """The rules as they are, voting; the default is the majority of the rows that none of them covers."""
    never = mined.sets.left_over(rules)
    default = int(mined.sets.majority(never if never.any() else mined.sets.totals)[0])
    policy, heard = ("first", None) if top == 1 else (vote, top)
    return mined.base(mined.rules(rules), default, never, policy=policy, top=heard)
