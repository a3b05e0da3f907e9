"""Classification by maximal frequent item sets."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card
from assay.rules.associative.associative_classifier import all_rules
from assay.rules.associative.car_learner import CarClassifier
from assay.rules.associative.class_association_rules import MinedTable
from assay.rules.associative.class_sets import EXACT
from assay.rules.associative.set_rules import SetRules

__all__ = ["MaximalPatternClassifier", "maximal"]


class MaximalPatternClassifier(CarClassifier):
    """Answer by the majority of the maximal frequent item sets that a row holds.

    An item set is frequent if enough rows hold it, and maximal if no frequent set contains it. Each maximal set
    predicts the most frequent class of its rows, if its confidence is high enough; the sets that a row holds have one
    vote each. Maximal sets are few where all frequent ones are many, and they say all that the rows of a group have
    in common. If none fires, the answer is the most frequent class of the training rows that none covers, or of all.

    Cost: fit O(p n d) for p maximal patterns, of which there can be many; predict O(p d) a row; memory O(n d) to fit,
    O(p d) kept.

    Parameters
    ----------
    min_support : float or int, default 0.05
        The least share of rows, or number of rows, that hold the items.
    min_confidence : float, default 0.5
        The least share of a rule's class among the rows that hold its items.
    max_length : int or None, default 4
        The most items of a set; a frequent set of that length counts as maximal.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals.
    limit : int, default 5000000
        How many item sets may be counted; an error says beforehand if that would not do.

    Attributes
    ----------
    rules_ : RuleBase       cuts_ : dict
    n_mined_ : int
        How many frequent sets there are, maximal or not.

    Examples
    --------
    >>> from assay.rules import MaximalPatternClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cuts = {"Age": [50], "Salary": [50000]}
    >>> print(MaximalPatternClassifier(min_support=2, min_confidence=0.6, cuts=cuts).fit(data.X, data.y))
    R1: IF Age > 50 AND Salary > 50000 THEN Y
    R2: IF Age <= 50 AND Salary <= 50000 THEN N
    ELSE N

    See Also
    --------
    AssociativeClassifier, PatternFeatures

    References
    ----------
    - Bayardo, R. J. (1998). Efficiently mining long patterns from databases. ACM SIGMOD Conference, 85-93.
    - Han, J., Kamber, M. and Pei, J. (2011). Data Mining: Concepts and Techniques, third edition. Morgan Kaufmann.
    """

    card = Card(
        "maximal patterns",
        "the largest frequent sets of values that a row holds vote",
        learns=(
            "class association rules",
            "none of the whole; confidence and support of each rule",
            "all frequent item sets, then a choice among rules",
            "greedy",
        ),
    )
    mining: ClassVar[dict[str, Any]] = {"by_antecedent": True, "stop_at_sure": False, "sure": 0.0}

    def __init__(
        self,
        min_support: float = 0.05,
        min_confidence: float = 0.5,
        max_length: int | None = 4,
        cuts: ArrayLike = "mdl",
        limit: int = 5_000_000,
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.cuts = cuts
        self.limit = limit

    def _select(self, mined: MinedTable, candidates: SetRules) -> None:
        sure = candidates.correct >= self.min_confidence * EXACT * candidates.n
        self.rules_ = all_rules(mined, candidates.take(maximal(candidates) & sure), None, "votes")


def maximal(rules: SetRules) -> np.ndarray:
    """(R,) bool: which of all frequent sets are contained in no other.

    What a frequent set contains is frequent, so it is enough to strike out the sets that lack one item of another.

    >>> from assay.rules.associative.set_rules import SetRules
    >>> from assay.rules.associative.maximal_pattern_classifier import maximal
    >>> none = np.zeros(4)
    >>> maximal(SetRules(np.array([0, 1, 2, 3, 5]), np.array([0, 1, 2, 0, 2]), none, none, none))
    array([False,  True, False,  True])
    """
    keep = np.ones(len(rules), bool)
    for length in np.unique(rules.size)[1:]:
        longer, shorter = (_sets(rules, size) for size in (length, length - 1))
        contained = np.unique(np.concatenate([_keys(np.delete(longer[1], i, axis=1)) for i in range(length)]))
        keep[shorter[0]] = ~np.isin(_keys(shorter[1]), contained)
    return keep


def _sets(rules: SetRules, length: int) -> tuple[np.ndarray, np.ndarray]:
    """Which sets have that many items, and the items."""
    which = np.flatnonzero(rules.size == length)
    return which, rules.items[rules.start[which][:, None] + np.arange(length)]


def _keys(items: np.ndarray) -> np.ndarray:
    """Each row as one value that can be compared."""
    items = np.ascontiguousarray(items, np.int32)
    return items.view(np.dtype((np.void, items.itemsize * items.shape[1]))).ravel()
