"""The error to expect of a learner whose columns were chosen: by resampling around the choice."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import make_pipeline

from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import as_candidates
from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.digits import shown_metric
from assay.evaluate.metrics import DEFAULT
from assay.evaluate.target import as_target
from assay.select.or_baseline import OrBaseline
from assay.select.selector import Selector
from assay.sentence import Sentence
from assay.stats.significance.test_result import shown_confidence
from assay.tables import Table
from assay.tables.data import Dataset
from assay.types import MeasureLike, RowLabels, TableLike, Target

__all__ = ["NestedSelection", "nested_selection"]

SELECTED, ALL_COLUMNS = "selected columns", "all columns"  # names of the two in the comparison


@dataclass(frozen=True)
class NestedSelection(Sentence):
    """The error of a learner on selected columns, on rows that took no part in the selection.

    Attributes
    ----------
    mean, low, high : the metric on the outer test rows
    inner : (J,) what the chosen subsets had on the folds that chose them, NaN for selectors without; too good
    chosen : list of the names of the chosen columns, one list for each outer split
    comparison : Comparison of the learner on selected columns with the same on all columns
    """

    mean: float
    low: float
    high: float
    inner: np.ndarray
    chosen: list[list[str]]
    comparison: Comparison = field(repr=False)

    @property
    def optimism(self) -> float:
        """How much better the folds that chose look than rows that took no part; positive where they flatter."""
        return float(self.comparison.metrics[0].sign * (self.mean - np.mean(self.inner)))

    @property
    def votes(self) -> list[tuple[str, int]]:
        """Each column that was ever chosen, and on how many outer splits, the most frequent first."""
        return Counter(name for names in self.chosen for name in names).most_common()

    def __str__(self) -> str:
        result, J = self.comparison, len(self.chosen)
        m = result.metrics[0]
        mean, low, high = (shown_metric(m, v, self.mean) for v in (self.mean, self.low, self.high))
        lines = [
            f"{m.name} on selected columns {mean}, {shown_confidence(result.alpha)} interval {low} to {high} "
            f"({result.design})."
        ]
        if np.isfinite(self.inner).all():
            looked = shown_metric(m, float(np.mean(self.inner)), self.mean)
            lines.append(
                f"On the inner folds, where the {J} choices were made, it looked like {looked} (their mean): too good."
            )
        if ALL_COLUMNS in result.finished:
            lines.append(str(result.test(SELECTED, ALL_COLUMNS)))
        empty = sum(not names for names in self.chosen)
        if empty:
            lines.append(f"No column was chosen on {empty} of the {J} splits; the baseline predicts there.")
        votes = ", ".join(f"{name} {count}" for name, count in self.votes[:20])
        lines.append(f"Columns by the number of the {J} splits that chose them: {votes or 'none'}.")
        return "\n".join(lines)


def nested_selection(
    selector: Any,
    X: TableLike,
    y: Target | None = None,
    learner: Any = None,
    design: Any = "5-fold",
    *,
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
) -> NestedSelection:
    """The error to expect of a learner on columns that a selector chooses, by nested resampling.

    In every split the selector sees the training rows alone, and the learner is fitted to the columns that it chose
    there; the test rows judge both. Where no column was chosen, the baseline predicts: the most frequent class, or the
    mean. On pure noise the answer is chance, however good the chosen subset looked on the
    folds that chose it.

    Parameters
    ----------
    selector : SubsetSelector, or any other selector, not fitted
    X, y, alpha, random_state, n_jobs, task : as in ``compare``
    learner : a learner or its name; None takes the selector's own
    design : of the outer splits, as in ``compare``
    metric : name of a metric, or a Measure; None is the selector's scoring, or that of the task
    groups : (n,) rows of one group stay together in the outer splits

    Returns
    -------
    NestedSelection

    Examples
    --------
    >>> import numpy as np
    >>> from assay.select import SubsetSelector, nested_selection
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 20)), np.repeat([0, 1], 30)
    >>> result = nested_selection(SubsetSelector("lda", stop="improves", cv=3), X, y)
    >>> result.low < 0.5 < result.high, result.optimism > 0.1
    (True, True)

    See Also
    --------
    SubsetSelector, nested

    References
    ----------
    - Ambroise, C. and McLachlan, G. J. (2002). Selection bias in gene extraction on the basis of microarray
      gene-expression data. Proceedings of the National Academy of Sciences 99, 6562-6566. doi:10.1073/pnas.102102699
    """
    who = "nested_selection"
    if isinstance(X, Dataset) and y is None:
        X, y = X
    if not isinstance(selector, Selector) and not (
        isinstance(selector, BaseEstimator) and hasattr(selector, "get_support")
    ):
        raise ParameterError(
            f"selector must choose columns, such as SubsetSelector('lda'); got {selector!r}.", who=who
        )
    learner = getattr(selector, "estimator", None) if learner is None else learner
    if learner is None:
        raise ParameterError("learner must be given: this selector has none of its own.", who=who)
    table = Table.of(X, who=who)
    aim = as_target(y, len(table), who, lenient=True, task=task)
    (candidate,) = as_candidates([learner], table, aim.task)
    metric = getattr(selector, "scoring", None) or DEFAULT[aim.task][0] if metric is None else metric
    result = compare(
        {SELECTED: make_pipeline(clone(selector), OrBaseline(clone(candidate.estimator))), ALL_COLUMNS: learner},
        X, y, design=design, metrics=[metric], alpha=alpha, groups=groups, random_state=random_state, n_jobs=n_jobs,
        task=aim.task,
    )  # fmt: skip
    if SELECTED in result.failures:
        raise DataError(f"{who}: {result.failures[SELECTED]}")
    standing = next(s for s in result.ranking() if s.learner == SELECTED)
    cells = result.cells[SELECTED]
    return NestedSelection(
        standing.mean,
        standing.low,
        standing.high,
        np.array([cell.chosen_score for cell in cells]),
        [list((cell.chosen or {}).get("columns", [])) for cell in cells],
        result,
    )
