"""Evaluation of prediction sets: coverage and size with intervals, for all rows and for each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.decide.conformity import set_coverage
from assay.errors import ParameterError
from assay.metrics.estimate import Estimate
from assay.stats.checks import is_number
from assay.stats.intervals.proportion_interval import proportion_interval
from assay.stats.significance.test_result import check_alpha
from assay.types import Labels, Target

__all__ = ["SetReport"]


@dataclass(frozen=True)
class SetReport:
    """Coverage and size of prediction sets.

    Attributes
    ----------
    coverage : share of sets that hold the truth, with Clopper and Pearson's interval
    size : mean number of classes in a set, with a t interval
    empty, single : share of sets with no class, with one; Clopper and Pearson's intervals
    by_class : {class: coverage among its rows}, with intervals; classes without rows are left out
    target : the nominal coverage, or None

    Examples
    --------
    >>> from assay.metrics import SetReport
    >>> report = SetReport.of([[True, False], [True, True], [False, True], [True, False]], [0, 0, 1, 1], target=0.9)
    >>> print(report.coverage)
    0.7500 (0.1941 to 0.9937, Clopper-Pearson)
    >>> report.keeps_promise
    True
    """

    coverage: Estimate
    size: Estimate
    empty: Estimate
    single: Estimate
    by_class: dict[Any, Estimate]
    target: float | None = None

    @classmethod
    def of(
        cls,
        sets: ArrayLike,
        truth: Target,
        *,
        classes: Labels | None = None,
        target: float | None = None,
        alpha: float = 0.05,
    ) -> SetReport:
        """Evaluate (n, K) bool sets against (n,) true labels; ``classes`` names the columns, default 0 to K - 1."""
        alpha = check_alpha(alpha, "SetReport")
        if target is not None and not (is_number(target) and 0 <= target <= 1):
            raise ParameterError(f"SetReport: target must be a number from 0 to 1 or None, got {target!r}.")
        coverage = set_coverage(sets, truth, classes, 1 - alpha)
        S = np.asarray(sets)
        size = S.sum(axis=1)
        names = list(range(S.shape[1])) if classes is None else np.asarray(classes).tolist()
        y = np.asarray(truth, dtype=object)
        each = {}
        for k, name in enumerate(names):
            members = y == name
            if members.any():
                each[name] = _share(S[members.astype(bool), k], alpha)
        return cls(
            Estimate(coverage.coverage, coverage.low, coverage.high, "Clopper-Pearson", alpha),
            _mean(size, alpha),
            _share(size == 0, alpha),
            _share(size == 1, alpha),
            each,
            target,
        )

    @property
    def keeps_promise(self) -> bool:
        """Whether the interval of the coverage reaches the target."""
        return self.target is None or bool(self.coverage.high >= self.target)


def _share(hit: np.ndarray, alpha: float) -> Estimate:
    low, high = proportion_interval(int(hit.sum()), len(hit), method="clopper-pearson", alpha=alpha)
    return Estimate(float(hit.mean()), low, high, "Clopper-Pearson", alpha)


def _mean(values: np.ndarray, alpha: float) -> Estimate:
    from scipy.special import stdtrit

    n, mean = len(values), float(values.mean())
    if n < 2:
        return Estimate(mean, alpha=alpha, why="one row shows no spread")
    half = float(stdtrit(n - 1, 1 - alpha / 2)) * float(values.std(ddof=1)) / np.sqrt(n)
    return Estimate(mean, mean - half, mean + half, "t", alpha)
