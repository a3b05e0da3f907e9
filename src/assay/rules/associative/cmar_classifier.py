"""CMAR: classification based on multiple association rules."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from assay.core import Card
from assay.core.explanations import Reasons, RowValues
from assay.core.parameters import Count, Range
from assay.rulebase.measures import chi_square
from assay.rules.associative.car_learner import CarClassifier
from assay.rules.associative.class_association_rules import MINING, MinedTable
from assay.rules.associative.scored_rules import rule_score_sections
from assay.rules.associative.set_rules import SetRules, most_general

__all__ = ["CMARClassifier"]


class CMARClassifier(CarClassifier):
    r"""Mine class association rules, keep the significant ones, and combine all that fire by weighted chi-square.

    Rules stand by confidence, support and length. A rule is dropped if a more general one ranks higher, and unless
    its items and its class go together more often than by chance, with a :math:`\chi^2` of the fourfold table that is
    significant. Then rules are kept in order if they are right on a row that is still there; a row leaves when
    ``coverage`` kept rules have covered it. A row is given to the class whose firing rules have the largest sum of

    .. math:: \frac{(\chi^2)^2}{\max\chi^2}, \qquad \max\chi^2 = \left(\min(s_P, s_c) - \frac{s_P s_c}{n}\right)^2 n
              \left(\tfrac{1}{s_P s_c} + \tfrac{1}{s_P (n - s_c)} + \tfrac{1}{(n - s_P) s_c}
              + \tfrac{1}{(n - s_P)(n - s_c)}\right)                                              \qquad (1)

    where :math:`s_P` rows hold the items and :math:`s_c` are of the class: strong rules count, but not because their
    class is rare. Equal sums go to the class with the larger prior. If no rule fires, the answer is the most frequent
    class of the training rows that no rule covered, or of all. The posterior is the share of the sums. A rule that is
    added by hand and has no counts adds as much as the strongest of the others.

    Cost: fit O(s n / 64) for s frequent item sets, then O(r n) to choose among r rules; predict O(r) a row; memory O(n
    d) bits to fit, O(r) kept.

    Parameters
    ----------
    min_support : float or int, default 0.01
        The least share of rows, or number of rows, that hold a rule's items and its class.
    min_confidence : float, default 0.5
    max_length : int or None, default 4
        The most items of a rule.
    coverage : int, default 4
        How many rules cover a training row before it leaves.
    significance : float, default 0.05
        The level of the chi-square test of each rule.
    cuts : "mdl" or dict of column name and cuts, default "mdl"
        Where numbers and ordered categories become intervals.
    limit : int, default 5000000
        How many item sets may be counted; an error says beforehand if that would not do.

    Attributes
    ----------
    rules_ : RuleBase       cuts_ : dict       n_mined_ : int, the rules to choose from

    Examples
    --------
    >>> from assay.rules import CMARClassifier
    >>> from assay.tables.data import load_charity_donors
    >>> data = load_charity_donors()
    >>> cuts = {"Age": [50], "Salary": [50000]}
    >>> cmar = CMARClassifier(min_support=2, min_confidence=0.6, cuts=cuts).fit(data.X, data.y)
    >>> print(cmar)
    R1: IF Age > 50 AND Salary > 50000 THEN Y
    R2: IF Salary <= 50000 THEN N
    R3: IF Salary > 50000 THEN Y
    R4: IF Age > 50 THEN Y
    R5: IF Age <= 50 THEN N
    ELSE Y
    >>> from assay.rules.associative.scored_rules import rule_weights
    >>> rule_weights(cmar.rules_).round(4)
    array([7.6389, 7.5429, 7.5429, 1.7698, 1.7698])

    See Also
    --------
    CBAClassifier, CPARClassifier, AssociativeClassifier

    References
    ----------
    - Li, W., Han, J. and Pei, J. (2001). CMAR: accurate and efficient classification based on multiple
      class-association rules. IEEE International Conference on Data Mining, 369-376.
    """

    card = Card(
        "cmar",
        "rules among frequent sets of values, several vote",
        learns=(
            "class association rules",
            "none of the whole; confidence and support of each rule",
            "all frequent item sets, then a choice among rules",
            "greedy",
        ),
    )
    accepts = {**MINING, "coverage": Count(1), "significance": Range(0, 1, open="both")}

    def __init__(
        self,
        min_support: float = 0.01,
        min_confidence: float = 0.5,
        max_length: int | None = 4,
        coverage: int = 4,
        significance: float = 0.05,
        cuts: ArrayLike = "mdl",
        limit: int = 5_000_000,
    ):
        self.min_support = min_support
        self.min_confidence = min_confidence
        self.max_length = max_length
        self.coverage = coverage
        self.significance = significance
        self.cuts = cuts
        self.limit = limit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = (
            True  # 81 % right on the check's two rounded columns: weak rules outvote
        )
        return tags

    def _select(self, mined: MinedTable, candidates: SetRules) -> None:
        from scipy.special import chdtri

        sets = mined.sets
        candidates = candidates.take(most_general(candidates))
        of_class = sets.totals[candidates.answer]
        more = candidates.confidence > of_class / sets.total * (
            1 + 1e-12
        )  # more often together than by chance
        chi = chi_square(
            candidates.correct, candidates.n - candidates.correct, of_class, sets.total - of_class
        )
        candidates = candidates.take(more & (chi > float(chdtri(1, self.significance))))
        kept, _, never = sets.cover(candidates, self.coverage)
        uncovered = never if never.any() else sets.totals
        rules = mined.rules(candidates.take(kept))
        self.rules_ = mined.base(rules, int(sets.majority(uncovered)[0]), never, policy="chi_square")

    def _reasons(self, X: Any, rows: RowValues) -> Reasons:
        return super()._reasons(X, rows).then(rule_score_sections(self.rules_, X, "weighted chi-square"))
