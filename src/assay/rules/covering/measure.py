"""Measures of rule quality."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay.rules.covering._candidates as _candidates

__all__ = ["BOTH_WAYS", "MEASURES", "RuleMeasure", "judge"]

MEASURES = ("accuracy", "laplace", "m-estimate", "foil", "likelihood-ratio", "entropy", "gini", "wracc")
BOTH_WAYS = ("likelihood-ratio", "entropy", "gini")  # they do not see which class became more frequent


@dataclass(frozen=True)
class RuleMeasure:
    r"""A measure of rule quality; larger is better.

    With p covered rows of the rule's class, t covered rows, K classes and the class's expected share :math:`\pi`:

    ===================  =====================================================================================
    accuracy             :math:`p/t`; prefers rules that cover few rows
    laplace              :math:`(p + \beta)/(t + K\beta)`
    m-estimate           :math:`(p + m\pi)/(t + m)`
    foil                 the sum of FOIL's gains of the rule's conditions, in the order in which they were added
    likelihood-ratio     :math:`2 \sum_j n_j \ln(n_j/n_j^e)` of all classes
    entropy, gini        the negative impurity of the covered rows
    wracc                weighted relative accuracy :math:`\frac tN (\frac pt - \pi)`
    ===================  =====================================================================================

    Parameters
    ----------
    name : str
    beta : float, default 1
    m : float, default 2
    over_represented : bool, default True
        For the measures that do not look at the direction (likelihood ratio, entropy, Gini): a rule for a class must
        cover it more often than expected, and if it is to be pure, it must be pure of that class.

    Examples
    --------
    >>> from assay.rules import RuleMeasure
    >>> RuleMeasure("laplace").of([[6, 5], [5, 1], [5, 0]], target=0).round(6)
    array([0.538462, 0.75    , 0.857143])
    """

    name: str = "foil"
    beta: float = 1.0
    m: float = 2.0
    over_represented: bool = True

    def of(self, counts: Any, target: int | None, prior: Any = None) -> np.ndarray:
        """(r,) the value of rules with class weights counts (r, K); target None means each rule's largest class."""
        counts = np.atleast_2d(np.asarray(counts, np.float64))
        prior = np.full(counts.shape[1], 1 / counts.shape[1]) if prior is None else np.asarray(prior, float)
        return judge(self, counts, target, prior, float(counts.sum()))[:, 1]

    def quality(
        self, prior: np.ndarray, target: int | None, total: float, before: float = 0.0
    ) -> _candidates.Quality:
        """How native code judges: expected class shares, the class (None: the largest), all weight, value so far."""
        strength = {"laplace": self.beta, "m-estimate": self.m, "wracc": total}.get(self.name, 0.0)
        return _candidates.Quality(
            prior=prior,
            measure=MEASURES.index(self.name),
            target=-1 if target is None else int(target),
            strength=float(strength),
            before=float(before),
            over=self.over_represented and target is not None and self.name in BOTH_WAYS,
        )


def judge(
    measure: RuleMeasure,
    counts: np.ndarray,
    target: int | None,
    prior: np.ndarray,
    total: float,
    before: float = 0.0,
    share: float = 1.0,
) -> np.ndarray:
    """(r, 3) key to order by, value, and likelihood ratio of class weights (r, K)."""
    out = np.empty((len(counts), 3))
    bits = float(np.log2(share)) if share > 0 else 0.0
    counts = np.ascontiguousarray(counts, np.float64)
    _candidates.judged(counts, measure.quality(prior, target, total, before), bits, out)
    return out
