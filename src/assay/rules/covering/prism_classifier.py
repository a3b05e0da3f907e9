"""PRISM: for each class, rules that are never wrong, grown by the share of the class alone."""

from __future__ import annotations

import numpy as np

from assay.core import Card
from assay.core.parameters import Any_, Count, Range
from assay.core.progress import progress
from assay.rules.covering.candidates import CandidateTable
from assay.rules.covering.covering import class_order, is_order, weighing
from assay.rules.covering.measure import RuleMeasure
from assay.rules.covering.rule_growth import Growth, grow_rule, growth_of, merged
from assay.rules.rule_learner import RuleClassifier, class_rules
from assay.types import Labels

__all__ = ["PrismClassifier"]


class PrismClassifier(RuleClassifier):
    r"""Classify by the rules of Cendrowska's PRISM, class by class.

    A rule for a class starts empty and takes the condition with the largest share :math:`p/t` of the class among the
    rows that it leaves (ties: the larger p, then the first column), until it is never wrong or all columns are used
    up; a condition that all its rows meet may be among them. The rows that it covers are taken away and the next rule
    is grown, until all rows of the class are covered. Each class begins with all rows again, so the rules of one class
    do not depend on those of another. Where several fire, the most confident one answers (Weka takes the first,
    and so follows the rules that noise made).

    It fits clean data exactly and follows noise just as exactly. Numeric columns, which the original does not have,
    compete with thresholds half way between two neighbouring values of the rows that a rule still covers, and may be
    asked more than once. A missing value meets no condition.

    Cost: fit O(c n d) for c conditions of all rules; predict O(c) a row; memory O(n d) to fit, O(c) kept.

    Parameters
    ----------
    order : list of labels or None, default None
        In which order the classes come; None is the order of ``classes_``. Classes that a list leaves out follow it,
        the rarest first.
    min_coverage : float, default 0
        The least weight of rows that a rule covers.
    max_conditions : int or None, default None

    Attributes
    ----------
    rules_ : RuleBase
    history_ : list of Growth
        How each rule grew.

    Examples
    --------
    >>> from assay.rules import PrismClassifier
    >>> from assay.tables.data import load_contact_lenses
    >>> lenses = load_contact_lenses()
    >>> model = PrismClassifier().fit(lenses.X, lenses.y)
    >>> model.n_rules_, model.score(lenses.X, lenses.y)
    (9, 1.0)
    >>> print(str(model).splitlines()[2])
    R3: IF tear-prod-rate = 'reduced' THEN none

    See Also
    --------
    CN2Classifier, OneRClassifier

    References
    ----------
    - Cendrowska, J. (1987). PRISM: an algorithm for inducing modular rules. International Journal of Man-Machine
      Studies 27(4), 349-370. doi:10.1016/S0020-7373(87)80003-2
    """

    card = Card(
        "prism",
        "rules that are always right, class by class",
        learns=(
            "a list or set of rules",
            "impurity or precision of each rule",
            "one rule after the other, by beam or greedy search",
            "greedy",
        ),
    )
    multiclass = "one-vs-rest"
    accepts = {
        "order": Any_("a list of labels", is_order) | None,
        "min_coverage": Range(0),
        "max_conditions": Count(1) | None,
    }

    def __init__(
        self, order: Labels | None = None, min_coverage: float = 0, max_conditions: int | None = None
    ):
        self.order = order
        self.min_coverage = min_coverage
        self.max_conditions = max_conditions

    def _learn(self, X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
        self.history_: list[Growth] = []
        rows, codes, weights = weighing(X, y, w)
        K = len(self.classes_)
        table = CandidateTable(rows, self.schema_, codes, weights, K)
        everybody, all_rows, rules = table.counts(table.rows), table.rows, []
        with progress(table.total, "rules") as bar:
            for k in range(K) if self.order is None else class_order(self, everybody, codes):
                while table.counts(table.rows)[k] > 0:
                    part = grow_rule(
                        table,
                        RuleMeasure("accuracy"),
                        k,
                        table.shares(),
                        improve=False,
                        least=self.min_coverage,
                        max_conditions=self.max_conditions,
                        to_the_end=True,
                    )
                    if part is None or not part.counts[k]:
                        break
                    self.history_.append(growth_of(part, table, self.classes_[k]))
                    rules.append((merged(part.conditions), k))
                    table.without(part.rows)
                    bar.advance(part.counts[k])
                table.again(all_rows)
        self.rules_ = class_rules(self, rules, X, y, w, policy="best")
