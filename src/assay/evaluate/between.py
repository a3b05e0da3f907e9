"""Two learners on the same repeated splits: is what lies between them more than what lies within each?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.digits import shown_metric
from assay.sentence import Sentence
from assay.stats.significance.test_result import TestResult
from assay.types import Estimator, MeasureLike, TableLike, Target

__all__ = ["BetweenAndWithin", "between_and_within"]


@dataclass(frozen=True)
class BetweenAndWithin(Sentence):
    """A difference between two learners beside the spread within each.

    Attributes
    ----------
    between : mean of the first minus mean of the second
    within : (2,) standard deviation of each over the splits
    paired : standard deviation of the differences, which the common splits make smaller
    result : TestResult of the difference, on the paired differences
    """

    names: tuple[str, str]
    means: tuple[float, float]
    between: float
    within: tuple[float, float]
    paired: float
    result: TestResult
    comparison: Comparison = field(repr=False)

    def __str__(self) -> str:
        a, b = self.names
        m, like = self.comparison.metrics[0], min(self.means)
        first, second, spread, other, paired = (
            shown_metric(m, v, like) for v in (*self.means, *self.within, self.paired)
        )
        gap = shown_metric(m, self.between, like, sign=True)
        return (
            f"{m.name}: {a} {first} (spread {spread}), {b} {second} (spread {other}); between them {gap}, paired "
            f"spread {paired}. "
            f"{str(self.result)[0].upper()}{str(self.result)[1:]}"
        )


def between_and_within(
    first: Estimator | str,
    second: Estimator | str,
    X: TableLike,
    y: Target | None = None,
    design: Any = "20xholdout",
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    **options: Any,
) -> BetweenAndWithin:
    r"""Compare two learners over repeated splits: the gap between their means against the spread within each.

    A single split cannot tell a difference of learners from the luck of the split. Over J splits the gap
    :math:`\bar v_1 - \bar v_2` stands beside the standard deviations of :math:`v_1` and :math:`v_2`, and is judged by
    the test that fits the design (see ``compare``).

    Parameters
    ----------
    first, second : learners or their short names
    X, y, design, alpha, options : as in ``compare``
    metric : as in ``compare``; default the error of classes, the RMSE of numbers

    Examples
    --------
    >>> from assay.evaluate import between_and_within
    >>> from assay.tables.data import load_iris
    >>> found = between_and_within("lda", "majority", load_iris())
    >>> found.result.rejected, abs(found.between) > max(found.within)
    (True, True)
    """
    metrics = None if metric is None else [metric]
    result = compare([first, second], X, y, design=design, metrics=metrics, alpha=alpha, **options)
    for name, why in result.failures.items():
        raise DataError(f"between_and_within: {name} {why}")
    a, b = result.learners
    v, w = result.values(a), result.values(b)
    defined = np.isfinite(v) & np.isfinite(w)
    if defined.sum() < 2:
        raise DataError(
            f"between_and_within: {int(defined.sum())} split of {result.design.name} shows no spread; repeat more."
        )
    v, w = v[defined], w[defined]
    return BetweenAndWithin(
        (a, b),
        (float(v.mean()), float(w.mean())),
        float(v.mean() - w.mean()),
        (float(v.std(ddof=1)), float(w.std(ddof=1))),
        float((v - w).std(ddof=1)),
        result.test(a, b).result,
        result,
    )
