"""CBA: classification based on associations."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.parameters import Flag
from assay.rules.associative.car_learner import CarClassifier
from assay.rules.associative.class_association_rules import MINING, MinedTable, not_worse_when_shorter
from assay.rules.associative.set_rules import SetRules

__all__ = ["CBAClassifier"]

SLACK = 1e-9  # weights of errors that differ by less are equal


class CBAClassifier(CarClassifier):
    r"""Mine all class association rules, then select a decision list by coverage of the training rows.

    All rules "items => class" with enough support and confidence are mined; a rule of confidence 1 is not made
    longer. They are sorted by confidence, support and length. The builder M1 goes through them: a rule is kept if it
    is right on at least one row that is still there, and the rows that it covers leave. With each kept rule r the
    list could end, the default being the most frequent class of the rows left, with the training error

    .. math:: E_r = \sum_{s \le r} \text{errors of } s \text{ on the rows it removed}
                    + \text{errors of the default on the rest} \qquad (1)

    The list is cut after the first rule with the smallest error. Use it for tables of categories, where a tree's
    greedy choice of columns misses combinations: the search for rules is complete.

    Cost: fit O(s n / 64) for s frequent item sets, then O(r n) to choose among r rules; predict O(r) a row; memory O(n
    d) bits to fit, O(r) kept.

    Parameters
    ----------
    min_support : float or int, default 0.01
        The least share of rows, or number of rows, that hold a rule's items and its class.
    min_confidence : float, default 0.5
        The least share of a rule's class among the rows that hold its items.
    max_length : int or None, default 4
        The most items of a rule.
    pessimistic : bool, default False
        Drop rules whose pessimistic error is higher than that of the same rule with one item less, before M1.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals; "mdl" cuts where the classes change.
    limit : int, default 5000000
        How many item sets may be counted; an error says beforehand if that would not do.

    Attributes
    ----------
    rules_ : RuleBase       cuts_ : dict       n_mined_ : int, the rules that M1 chose from

    Examples
    --------
    >>> from assay.rules import CBAClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cba = CBAClassifier(min_support=2, min_confidence=0.6, cuts={"Age": [50], "Salary": [50000]})
    >>> print(cba.fit(data.X, data.y))
    R1: IF Age > 50 AND Salary > 50000 THEN Y
    ELSE N
    >>> cba.n_mined_, round(11 * (1 - cba.score(data.X, data.y)))
    (5, 1)

    See Also
    --------
    CMARClassifier, CPARClassifier, AssociativeClassifier

    References
    ----------
    - Liu, B., Hsu, W. and Ma, Y. (1998). Integrating classification and association rule mining. Knowledge
      Discovery and Data Mining, 80-86.
    """

    card = Card(
        "cba",
        "the most confident rules among frequent sets of values",
        learns=(
            "class association rules",
            "none of the whole; confidence and support of each rule",
            "all frequent item sets, then a choice among rules",
            "greedy",
        ),
    )
    accepts = {**MINING, "pessimistic": Flag()}

    def __init__(
        self,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        max_length: int | None = 4,
        pessimistic: bool = False,
        cuts: ArrayLike = "mdl",
        limit: int = 5_000_000,
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.pessimistic = pessimistic
        self.cuts = cuts
        self.limit = limit

    def _select(self, mined: MinedTable, candidates: SetRules) -> None:
        sets = mined.sets
        if self.pessimistic:
            candidates = candidates.take(not_worse_when_shorter(candidates, sets))
        kept, counts, _ = sets.cover(candidates)
        remaining = sets.totals - np.cumsum(counts, axis=0)  # the rows left after each kept rule
        remaining[np.abs(remaining) < SLACK * sets.total] = 0.0
        default = sets.majority(remaining)
        wrong = counts.sum(axis=1) - counts[np.arange(len(kept)), candidates.answer[kept]]
        missed = remaining.sum(axis=1) - remaining[np.arange(len(kept)), default]
        error = np.cumsum(wrong) + missed  # (1)
        if len(kept):
            last = int(np.argmax(error <= error.min() + SLACK * sets.total))
            rules = mined.rules(candidates.take(kept[: last + 1]), counts[: last + 1])
            self.rules_ = mined.base(rules, int(default[last]), remaining[last])
        else:
            self.rules_ = mined.base((), int(sets.majority(sets.totals)[0]), sets.totals)
