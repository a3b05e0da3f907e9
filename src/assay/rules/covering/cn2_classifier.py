"""CN2: beam search for significant rules, as an ordered list or as a set that votes."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from assay.core import Card
from assay.core.parameters import Choice, Count, Flag, Range
from assay.core.progress import Progress, progress
from assay.rulebase.conditions import RowTest
from assay.rulebase.rules import Policy
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.covering import weighing
from assay.rules.covering.measure import RuleMeasure
from assay.rules.covering.rule_growth import Growth, Partial, grow_rule, growth_of, merged
from assay.rules.rule_learner import RuleClassifier, class_rules

__all__ = ["CN2Classifier"]

Found: TypeAlias = tuple[tuple[RowTest, ...], int]


class CN2Classifier(RuleClassifier):
    r"""Classify by the rules of Clark and Niblett's CN2.

    The star starts with the empty conjunction. Every member is narrowed by every condition, and the ``beam`` best of
    the new ones are the next star, until it is empty; a member of which no offspring can become the best rule (it is
    pure, or covers too few rows) is not narrowed, and leaves its place to others. The best rule is
    the significant one of lowest class entropy, or of highest Laplace estimate; ties go to the larger coverage, then
    to the first found. Significant means that the likelihood ratio of the covered classes is above a quantile,

    .. math:: R = 2\sum_j n_j \ln \frac{n_j}{p_j \sum_i n_i} > \chi^2_{K-1,\,1-\alpha} \quad (1)

    with the class shares :math:`p_j` of all training rows.

    Ordered: a rule's class is the most frequent one of the rows that it covers; these are taken away, and so on until
    no rule is significant or no row is left; the default is the most frequent class of the rest. Unordered: for each
    class in turn, rules for it are learned until none is significant or all of its rows are covered; only the covered
    rows of that class are taken away; in prediction the class counts of all rules that fire add up.

    A rule for a class must cover it more often than expected, since (1) does not look at the direction. Conjunctions
    that cover the same rows count as one. A missing value meets no condition.

    Cost: fit O(r l b d n) for r rules of up to l conditions and a beam of b; predict O(c) a row for c conditions in
    all; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    ordered : bool, default True
    measure : "entropy", "laplace" or None, default None
        None is entropy for the ordered list, as first published, and Laplace for the unordered set.
    beam : int, default 5
        The size of the star.
    alpha : float, default 0.05
        The significance level of (1); 1 takes every rule.
    min_coverage : float, default 1
        The least weight of rows that a rule covers. With many numeric columns and little noise raise it: rules that
        cover a row or two are pure by chance, fill the star, and are not significant.
    max_conditions : int or None, default None
    residual_priors : bool, default False
        Take :math:`p_j` from the rows that are left instead of all rows.

    Attributes
    ----------
    rules_ : RuleBase
    history_ : list of Growth
        How each rule grew.

    Examples
    --------
    >>> from assay.rules import CN2Classifier
    >>> from assay.tables.data import load_charity_donors
    >>> charity = load_charity_donors()
    >>> print(CN2Classifier().fit(charity.X, charity.y))
    R1: IF Salary > 55500 THEN Y
    R2: IF Age <= 61 THEN N
    ELSE Y

    See Also
    --------
    AQClassifier, RipperClassifier, SequentialCoveringClassifier

    References
    ----------
    - Clark, P. and Niblett, T. (1989). The CN2 induction algorithm. Machine Learning 3, 261-283.
      doi:10.1007/BF00116835
    - Clark, P. and Boswell, R. (1991). Rule induction with CN2: some recent improvements. European Working Session
      on Learning, 151-163.
    """

    card = Card(
        "cn2",
        "rules found by beam search that pass a test of significance",
        learns=(
            "a list or set of rules",
            "impurity or precision of each rule",
            "one rule after the other, by beam or greedy search",
            "greedy",
        ),
    )
    accepts = {
        "ordered": Flag(),
        "measure": Choice("entropy", "laplace") | None,
        "beam": Count(1),
        "alpha": Range(0, 1, open="low"),
        "min_coverage": Range(0),
        "max_conditions": Count(1) | None,
        "residual_priors": Flag(),
    }

    def __init__(
        self,
        ordered: bool = True,
        measure: str | None = None,
        beam: int = 5,
        alpha: float = 0.05,
        min_coverage: float = 1,
        max_conditions: int | None = None,
        residual_priors: bool = False,
    ):
        self.ordered = ordered
        self.measure = measure
        self.beam = beam
        self.alpha = alpha
        self.min_coverage = min_coverage
        self.max_conditions = max_conditions
        self.residual_priors = residual_priors

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self.history_: list[Growth] = []
        rows, codes, weights = weighing(X, y, w)
        table = CandidateTable(rows, self.schema_, codes, weights, len(self.classes_))
        everybody = table.counts(table.rows)
        with progress(table.total, "rules") as bar:
            rules = self._list(table, bar) if self.ordered else self._set(table, bar)
        default = None if self.ordered else int(np.argmax(everybody))
        policy: Policy = "first" if self.ordered else "counts"
        self.rules_ = class_rules(self, rules, X, y, w, default=default, policy=policy)

    def _list(self, table: CandidateTable, bar: Progress) -> list[Found]:
        """The ordered list: whatever class a rule is about, it takes away all that it covers."""
        rules, prior, everybody = [], table.shares(), table.counts(table.rows)
        while len(table.rows) and (part := self._best(table, None, prior)) is not None:
            k = int(np.lexsort((-everybody, -part.counts))[0])
            rules.append(self._kept(part, table, k))
            table.without(part.rows)
            bar.advance(part.counts.sum())
        return rules

    def _set(self, table: CandidateTable, bar: Progress) -> list[Found]:
        """The unordered set: a rule takes away only the rows that it answers rightly."""
        rules, prior, all_rows = [], table.shares(), table.rows
        for k in range(len(self.classes_)):
            while table.counts(table.rows)[k] > 0 and (part := self._best(table, k, prior)) is not None:
                rules.append(self._kept(part, table, k))
                table.without(part.rows[table.y[part.rows] == k])
                bar.advance(part.counts[k])
            table.again(all_rows)
        return rules

    def _best(self, table: CandidateTable, target: int | None, prior: np.ndarray) -> Partial | None:
        """The best significant rule for the rows that are left."""
        from scipy.special import chdtri

        name = self.measure or ("entropy" if self.ordered else "laplace")
        freedom = max(int(np.count_nonzero(prior)) - 1, 1)
        return grow_rule(
            table,
            RuleMeasure(name),
            target,
            table.shares() if self.residual_priors else prior,
            beam=self.beam,
            improve=False,
            threshold=float(chdtri(freedom, self.alpha)),  # (1)
            least=self.min_coverage,
            max_conditions=self.max_conditions,
        )

    def _kept(self, part: Partial, table: CandidateTable, k: int) -> Found:
        self.history_.append(growth_of(part, table, self.classes_[k]))
        return merged(part.conditions), k
