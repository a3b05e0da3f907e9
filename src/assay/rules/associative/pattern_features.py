"""Discriminative frequent patterns as binary features for any learner."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core import Card, Transformer
from assay.core.parameters import Choice, Count
from assay.core.progress import progress
from assay.core.stored import FloatArray, Mapped, Object
from assay.core.targets import encode_labels
from assay.errors import DataError
from assay.rulebase.rules import RuleBase
from assay.rules.associative.class_association_rules import MINING, MinedTable, least_count
from assay.rules.associative.class_sets import ClassSets
from assay.rules.associative.set_rules import SetRules
from assay.stats.information.entropy import entropy

__all__ = ["PatternFeatures", "pattern_relevance"]


class PatternFeatures(Transformer):
    r"""Binary features: whether a row holds each of some discriminative item sets.

    Frequent item sets are mined and ranked by their relevance S, which is the information gain about the class, or
    :math:`\chi^2/n`, or :math:`g/(1 + g)` for a growth rate g: how many times more frequent the set is in its class
    than in the others. Then sets are taken one by one, each time the one that is relevant and says something new,

    .. math:: \arg\max_a \Big(S(a) - \max_{b \text{ taken}} \frac{P(a, b)}{P(a) + P(b) - P(a, b)} \min(S(a), S(b))
              \Big)                                                                                     \qquad (1)

    A set is taken only if it covers a row of its class that fewer than ``coverage`` taken sets cover; its class is
    the one whose rows hold it most often. So linear and Bayesian learners get to see combinations of columns, each
    of which can be read.

    Cost: fit that of the rules; transform O(r) a row for r patterns; memory O(n d) to fit, O(r) kept.

    Parameters
    ----------
    min_support : float or int, default 0.05
        The least share of rows, or number of rows, that hold a set.
    max_length : int or None, default 3
        The most items of a set.
    min_length : int, default 1
        The least items of a set; 2 leaves out what is a column of the table by itself.
    relevance : "information_gain", "chi_square" or "growth_rate", default "information_gain"
    coverage : int, default 3
        How many sets shall cover each row rightly.
    n_features : int or None, default None
        The most sets; None takes as many as the coverage asks for.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals.
    limit : int, default 5000000
        How many item sets may be counted; an error says beforehand if that would not do.

    Attributes
    ----------
    patterns_ : RuleBase
        The sets in the order in which they were taken, as rules for their class, with their counts.
    relevance_ : (F,) the relevance of each set      classes_ : (K,)      cuts_ : dict

    Examples
    --------
    >>> from assay.rules import PatternFeatures
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> features = PatternFeatures(min_support=2, cuts={"Age": [50], "Salary": [50000]}).fit(data.X, data.y)
    >>> features.get_feature_names_out()[:2]
    array(['Age > 50 AND Salary > 50000', 'Salary <= 50000'], dtype=object)
    >>> features.relevance_[:2].round(4), features.transform(data.X)[:3, :2]
    (array([0.6395, 0.6175]), array([[0., 1.],
           [0., 1.],
           [0., 0.]]))

    See Also
    --------
    MaximalPatternClassifier, assay.associations.FrequentItems

    References
    ----------
    - Cheng, H., Yan, X., Han, J. and Hsu, C.-W. (2007). Discriminative frequent pattern analysis for effective
      classification. IEEE International Conference on Data Engineering, 716-725.
    """

    card = Card("pattern features", "frequent sets of values that separate the classes, as columns")
    takes = frozenset({"nominal", "missing"})
    accepts = {
        **{name: MINING[name] for name in ("min_support", "max_length", "cuts", "limit")},
        "min_length": Count(1),
        "relevance": Choice("information_gain", "chi_square", "growth_rate"),
        "coverage": Count(1),
        "n_features": Count(1) | None,
    }
    stored = {
        "cuts_": Mapped(FloatArray("*")),
        "patterns_": Object(RuleBase),
        "relevance_": FloatArray("*"),
    }

    def __init__(
        self,
        min_support: float = 0.05,
        max_length: int | None = 3,
        min_length: int = 1,
        relevance: Literal["information_gain", "chi_square", "growth_rate"] = "information_gain",
        coverage: int = 3,
        n_features: int | None = None,
        cuts: ArrayLike = "mdl",
        limit: int = 5_000_000,
    ):
        self.min_support = min_support
        self.max_length = max_length
        self.min_length = min_length
        self.relevance = relevance
        self.coverage = coverage
        self.n_features = n_features
        self.cuts = cuts
        self.limit = limit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def _learn(self, X: np.ndarray, y: Any, w: np.ndarray | None) -> None:
        who = type(self).__name__
        if y is None:
            raise DataError(f"{who} requires y to be passed, but the target y is None.")
        self.classes_, codes = encode_labels(y, len(X), who)
        mined = MinedTable.of(X, codes, w, self.schema_, self.classes_, self.cuts, who)
        sets, names = mined.sets, self.schema_.names
        patterns = sets.mine(
            least_count(self.min_support, sets.total),
            0.0,
            max_length=self.max_length,
            by_antecedent=True,
            limit=self.limit,
            who=who,
        )
        patterns = patterns.take(patterns.size >= self.min_length)
        counts = sets.counts(patterns.start, patterns.items)
        score = pattern_relevance(counts, sets.totals, self.relevance)
        patterns = SetRules(
            patterns.start, patterns.items, _home(counts, sets), score, np.ones(len(patterns))
        )
        patterns = patterns.ranked()  # by relevance here: the most relevant first, then the shortest
        taken = _Selection(patterns, sets, self.coverage).take(self.n_features)
        self.patterns_: RuleBase = mined.base(
            mined.rules(patterns.take(taken)), None, sets.totals, policy="votes"
        )
        self.relevance_ = patterns.correct[taken]
        self.cuts_ = {names[j]: cuts for j, cuts in mined.items.cuts.items()}

    def _transform(self, X: np.ndarray) -> np.ndarray:
        return self.patterns_._firing.covers(X).astype(np.float64)

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> np.ndarray:
        """The item sets in words."""
        super().get_feature_names_out(input_features)
        return np.array([rule.premise(self.schema_) for rule in self.patterns_], dtype=object)

    def __str__(self) -> str:
        return self.patterns_.text(counts=True) if "patterns_" in vars(self) else repr(self)


def pattern_relevance(counts: Any, totals: Any, measure: str = "information_gain") -> np.ndarray:
    r"""Relevance of item sets for the class.

    "information_gain" is the entropy of the class less its entropy given the answer, in bits; "chi_square" is
    :math:`\chi^2/n` of the table of answers and classes; "growth_rate" is :math:`g/(1 + g)` for the largest ratio g of
    the set's share in one class and in all others.

    Parameters
    ----------
    counts : (R, K) the rows of each class that hold each set      totals : (K,) all rows of each class

    Examples
    --------
    >>> from assay.rules.associative.pattern_features import pattern_relevance
    >>> [pattern_relevance([[6, 1]], [6, 5], how).round(4) for how in ("information_gain", "chi_square", "growth_rate")]
    [array([0.6175]), array([0.6857]), array([0.8333])]
    """
    counts, totals = np.asarray(counts, np.float64).reshape(-1, len(totals)), np.asarray(totals, np.float64)
    n, total = counts.sum(axis=1), totals.sum()
    without = np.maximum(totals - counts, 0.0)
    if measure == "information_gain":
        within = (n * entropy(counts, base=2) + (total - n) * entropy(without, base=2)) / total
        return np.maximum(entropy(totals, base=2) - within, 0.0)
    if measure == "chi_square":
        yes, no = n[:, None] * totals / total, (total - n)[:, None] * totals / total
        parts = [
            np.divide((observed - expected) ** 2, expected, out=np.zeros_like(counts), where=expected > 0)
            for observed, expected in ((counts, yes), (without, no))
        ]
        return (parts[0] + parts[1]).sum(axis=1) / total
    others = n[:, None] - counts
    inside = np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
    outside = np.divide(
        others, total - totals, out=np.zeros_like(counts), where=np.broadcast_to(total > totals, counts.shape)
    )
    both = inside + np.maximum(outside, 0.0)
    return np.divide(inside, both, out=np.zeros_like(counts), where=both > 0).max(axis=1)


def _home(counts: np.ndarray, sets: ClassSets) -> np.ndarray:
    """The class whose rows hold each set most often."""
    share = np.divide(counts, sets.totals, out=np.zeros_like(counts), where=sets.totals > 0)
    return sets.majority(share).astype(np.int32) if len(share) else np.zeros(0, np.int32)


class _Selection:
    """Sets taken one by one by (1).

    What a set is worth only falls while others are taken. So it need not be known anew for each set in each step:
    the set on top of the heap is brought up to date, and if it stays on top, it is the best of all.
    """

    def __init__(self, patterns: SetRules, sets: ClassSets, coverage: int):
        self.found, self.sets, self.coverage = patterns, sets, coverage
        self.relevance = patterns.correct
        self.covered = np.zeros(len(sets.y), np.int64)
        self.weight = sets.counts(patterns.start, patterns.items).sum(axis=1)
        self.taken: list[int] = []

    def take(self, most: int | None) -> np.ndarray:
        """The sets in the order in which they are taken."""
        heap = [(-float(s), r, 0, 0.0) for r, s in enumerate(self.relevance) if s > 0]
        heapq.heapify(heap)
        most = len(heap) if most is None else most
        with progress(len(heap), "patterns") as bar:
            while heap and len(self.taken) < most and (self.covered < self.coverage).any():
                value, r, n_compared, repeated = heapq.heappop(heap)
                rows = self._rightly(r)
                if not (self.covered[rows] < self.coverage).any():
                    bar.advance()
                    continue  # others cover them already, and that does not change any more
                if self.taken and value >= 0:
                    break  # all other sets are redundant
                if n_compared == len(self.taken):
                    self.taken.append(r)
                    self.covered[rows] += 1
                    bar.advance()
                else:
                    repeated = max(repeated, self._repeats(r, self.taken[n_compared:]))
                    worth = round(float(self.relevance[r]) - repeated, 12)
                    heapq.heappush(heap, (-worth, r, len(self.taken), repeated))
        return np.array(self.taken, np.int64)

    def _rightly(self, r: int) -> np.ndarray:
        """The rows of its class that hold a set."""
        held = np.bitwise_and.reduce(self.sets.bits[list(self.found[r])])
        return np.flatnonzero(self.sets.rows(held) & (self.sets.y == self.found.answer[r]))

    def _repeats(self, r: int, others: list[int]) -> float:
        """How much of a set's relevance the most similar of others has already."""
        both = [tuple(sorted({*self.found[r], *self.found[b]})) for b in others]
        start = np.concatenate([[0], np.cumsum([len(s) for s in both])]).astype(np.int64)
        shared = self.sets.counts(start, np.array([i for s in both for i in s], np.int32)).sum(axis=1)
        alike = shared / (self.weight[r] + self.weight[others] - shared)
        return float((alike * np.minimum(self.relevance[r], self.relevance[others])).max())
