"""The unbiased error of a tuned learner, by a search inside every training set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError, ParameterError
from assay.evaluate.candidates import task_of_learners
from assay.evaluate.compare import compare
from assay.evaluate.comparison import Comparison
from assay.evaluate.design import Resampling
from assay.evaluate.digits import shown_metric
from assay.evaluate.metrics import task_of_metrics
from assay.evaluate.target import as_target, check_task
from assay.sentence import Sentence
from assay.stats.significance.test_result import shown_confidence
from assay.tables.data import Dataset
from assay.tuning.space import Space
from assay.tuning.tuned import Tuned, TunedRegressor
from assay.types import Losses, MeasureLike, RowLabels, TableLike, Weights

__all__ = ["Nested", "nested"]


@dataclass(frozen=True)
class Nested(Sentence):
    """The error of a tuned learner by nested resampling.

    Attributes
    ----------
    mean, low, high : the metric on outer test rows, which took no part in the selection
    inner : (J,) the chosen setting's metric on the inner splits; optimistically biased
    chosen : list of the settings, one per outer split
    comparison : Comparison of the tuned learner with itself at its own defaults
    """

    mean: float
    low: float
    high: float
    inner: np.ndarray
    chosen: list[dict[str, Any]]
    comparison: Comparison = field(repr=False)

    @property
    def optimism(self) -> float:
        """How much better the inner mean looks than the outer one; positive where it is optimistic."""
        sign = self.comparison.metrics[0].sign
        return float(sign * (self.mean - np.mean(self.inner)))

    @property
    def votes(self) -> list[tuple[dict[str, Any], int]]:
        """Settings and how often they were chosen, the most frequent first."""
        counts = Counter(repr(c) for c in self.chosen)
        first = {repr(c): c for c in reversed(self.chosen)}
        return [(first[key], count) for key, count in counts.most_common()]

    def __str__(self) -> str:
        result, J = self.comparison, len(self.chosen)
        m, inner = result.metrics[0], float(np.mean(self.inner))
        mean, low, high, looked = (
            shown_metric(m, v, self.mean) for v in (self.mean, self.low, self.high, inner)
        )
        lines = [
            f"{m.name} of the tuned learner {mean}, {shown_confidence(result.alpha)} interval {low} to {high} "
            f"({result.design}).",
            f"On the inner splits of these searches, which chose their settings, it looked like {looked}.",
        ]
        if "defaults" in result.finished:
            lines.append(str(result.test("tuned", "defaults")))
        lines += [f"chosen on {count} of {J} splits: {setting}" for setting, count in self.votes]
        return "\n".join(lines)


def nested(
    learner: Any,
    grid: Mapping[str, Any] | Sequence[Mapping[str, Any]] | Space | None,
    X: TableLike,
    y: Any = None,
    outer: Any = None,
    inner: Any = None,
    *,
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
    n_iter: int = 30,
    search: str | None = None,
    sample_weight: Weights | None = None,
    loss: Losses | None = None,
    reject: float | None = None,
    budget: float | None = None,
    folder: str | Path | None = None,
) -> Nested:
    """The error to expect of a learner whose parameters are tuned, by nested resampling.

    The inner splits choose a setting from the training rows of an outer split; its test rows, which had no part in
    the choice, judge it. The error of the winner on the splits that chose it is too good, the more so the more
    settings compete.

    Parameters
    ----------
    learner, grid, metric, n_iter, search, loss, reject, folder : as for ``Tuned`` and ``TunedRegressor``; a grid of
        lists, a space of ranges, or None for the ranges by default
    X, y, alpha, random_state, n_jobs, task, sample_weight : as in ``compare``
    budget : seconds for all searches together, an equal share for each
    outer : design of the outer splits, as in ``compare``; default "5-fold", with times "5-time"
    inner : design of the inner splits; default "5-fold", with times "3-time", in time order, too
    groups, times : (n,) as in ``compare``; the inner splits keep groups together as well

    Returns
    -------
    Nested

    Examples
    --------
    >>> from assay.tuning import nested
    >>> from assay.tables.data import load_wine
    >>> result = nested("knn", {"n_neighbors": [1, 5, 60]}, load_wine())
    >>> len(result.chosen), result.low < result.mean < result.high
    (5, True)
    """
    if grid is not None and not isinstance(grid, (Mapping, list, tuple, Space)):
        raise ParameterError(f"nested: grid must be a dict of parameter to list of values, got {grid!r}.")
    usual = ("5-fold", "5-fold") if times is None else ("5-time", "3-time")
    outer, inner = (design or default for design, default in zip((outer, inner), usual))
    if isinstance(X, Dataset) and y is None:
        X, y = X
    task = check_task(task, "nested") or task_of_learners([learner]) or task_of_metrics(metric)
    if y is not None:
        task = as_target(y, len(y), "nested", lenient=True, of_learners=task).task if task is None else task
    each = budget if budget is None else budget / max(1, Resampling.of(outer).count(len(y)))
    of_classes: dict[str, Any] = {} if task == "regression" else {"loss": loss, "reject": reject}
    tuned = (TunedRegressor if task == "regression" else Tuned)(
        learner, grid, inner, metric, n_iter=n_iter, search=search, budget=each, folder=folder, **of_classes
    )
    tuned._check_parameters()
    tuned._settings()  # a wrong grid is refused before the work
    result = compare(
        {"tuned": tuned, "defaults": learner},
        X,
        y,
        design=outer,
        metrics=[tuned._metric_name()],
        alpha=alpha,
        loss=loss,
        reject=reject,
        groups=groups,
        times=times,
        sample_weight=sample_weight,
        random_state=random_state,
        n_jobs=n_jobs,
        task=task,
    )
    if "tuned" in result.failures:
        raise DataError(f"nested: {result.failures['tuned']}")
    standing = next(s for s in result.ranking() if s.learner == "tuned")
    cells = result.cells["tuned"]
    return Nested(
        standing.mean,
        standing.low,
        standing.high,
        np.array([cell.chosen_score for cell in cells]),
        [dict(cell.chosen or {}) for cell in cells],
        result,
    )
