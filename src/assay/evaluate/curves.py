"""Learning curves and complexity curves: a measure over the number of training rows, and over a parameter."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.candidates import as_candidates, task_of_learners, varied
from assay.evaluate.design import Resampling, Split
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import Data, Task, outcome_of_numbers, run_cell
from assay.evaluate.metrics import as_measures, task_of_metrics
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import gather
from assay.evaluate.verdict import Standing
from assay.evaluate.work import each
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.sentence import Sentence
from assay.stats.information.elbow import elbow
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.stats.significance.test_result import check_alpha
from assay.types import Estimator, Floats, MeasureLike, RowLabels, TableLike, Target

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = [
    "SHARES",
    "Curve",
    "complexity_curve",
    "complexity_curve_of",
    "complexity_grid",
    "learning_curve",
    "learning_curve_of",
]

SHARES = (0.1, 0.2, 0.35, 0.6, 1.0)  # of the training rows of a comparison's splits
# What makes a learner more or less flexible, and values worth trying, from stiff to flexible.
COMPLEXITY: dict[str, tuple[Any, ...]] = {
    "n_neighbors": (101, 51, 25, 15, 9, 5, 3, 1),
    "C": (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0),
    "max_depth": (1, 2, 3, 4, 6, 9, 14),
}


@dataclass(frozen=True)
class Curve(Sentence):
    """A metric on training and on test rows, at each tick of a learning or complexity curve.

    Unpacks as scikit-learn's functions return it: ``sizes, train, test = learning_curve(...)`` and
    ``train, test = complexity_curve(...)``. The values are the metric's own: of an error, less is better.

    Attributes
    ----------
    learner, metric, along : what was measured, of whom, against what
    ticks : (m,) numbers of training rows, or values of the parameter
    train_scores, test_scores : (m, J) the metric on each split; NaN where the learner failed
    train_rows, test_rows : (m,) mean number of training and of test rows
    partial : "Interrupted after 3 of 5 splits" where Ctrl-C ended the work; "" for a whole curve
    compared : (J,) the metric on these splits in the comparison that they belong to; None for a curve of its own
    standing : the learner's place in that comparison. The curve then goes through the mean of its ranking: that mean
        plus the mean difference from the learner as it was compared, on the same splits
    used : the value of the parameter in that comparison, None if it is no number
    """

    learner: str
    metric: Measure
    along: str
    ticks: np.ndarray
    train_scores: np.ndarray
    test_scores: np.ndarray
    train_rows: np.ndarray
    test_rows: np.ndarray
    alpha: float = 0.05
    splits: list[Split] = field(default_factory=list, repr=False)
    partial: str = ""
    compared: np.ndarray | None = field(default=None, repr=False)
    standing: Standing | None = field(default=None, repr=False)
    used: float | None = None

    @property
    def train_sizes(self) -> np.ndarray:
        """(m,) the ticks of a learning curve, as scikit-learn calls them."""
        return self.train_rows.astype(np.int64)

    def __iter__(self) -> Iterator[np.ndarray]:
        if self.along == "rows":
            yield self.train_sizes
        yield self.train_scores
        yield self.test_scores

    @property
    def train_mean(self) -> np.ndarray:
        return _mean_of_splits(self.train_scores)

    @property
    def test_mean(self) -> np.ndarray:
        if self.compared is None or self.standing is None:
            return _mean_of_splits(self.test_scores)
        mean = self.standing.mean + _mean_of_splits(self.test_scores - self.compared)
        return np.clip(mean, *self.metric.bounds)

    @property
    def band(self) -> np.ndarray:
        """(m, 2) interval of the mean on test rows at each tick, corrected for splits that share rows;
        within the metric's bounds.

        On splits of a comparison, the interval of the ranking with the smallest and the largest difference from it.
        """
        if self.compared is None or self.standing is None:
            ends = self._intervals(self.test_scores)
            return np.clip(ends, *self.metric.bounds)
        gaps = self.test_scores - self.compared
        low, high = np.nan_to_num([self.standing.low, self.standing.high], nan=self.standing.mean)
        ends = np.column_stack([low + np.nanmin(gaps, axis=1), high + np.nanmax(gaps, axis=1)])
        return np.clip(ends, *self.metric.bounds)

    def difference(self, other: Curve) -> tuple[np.ndarray, np.ndarray]:
        """(m,) mean and (m, 2) interval of this curve minus another one on the same splits: paired, so narrower."""
        alike = len(self.splits) == len(other.splits) and all(
            np.array_equal(a.test, b.test) and np.array_equal(a.train, b.train)
            for a, b in zip(self.splits, other.splits)
        )
        if (
            not alike
            or self.test_scores.shape != other.test_scores.shape
            or self.metric.name != other.metric.name
        ):
            raise ParameterError(
                "difference: the two curves need the same ticks, the same metric and the same splits. Draw both from "
                "the same rows with the same design and random_state."
            )
        gaps = self.test_scores - other.test_scores
        return gaps.mean(axis=1), self._intervals(gaps)

    @property
    def chosen(self) -> int:
        """The tick of the simplest setting within one standard error of the best; ticks go from simple to complex."""
        error = self.metric.sign * self.test_scores
        spread = error.std(axis=1, ddof=1) / np.sqrt(error.shape[1])
        return int(elbow(error.mean(axis=1), spread).chosen)

    @property
    def best(self) -> int:
        """The tick with the best mean on test rows."""
        return int(np.argmin(self.metric.sign * self.test_mean))

    def _intervals(self, values: np.ndarray) -> Floats:
        ratios = self.test_rows / self.train_rows
        known = [v[np.isfinite(v)] for v in values]
        return np.array([corrected_interval(v, r, self.alpha) for v, r in zip(known, ratios, strict=True)])

    def __str__(self) -> str:
        lines = [f"PARTIAL RESULT. {self.partial}."] if self.partial else []
        lines.append(f"{self.metric.name} of {self.learner} by {self.along}:")
        for tick, train, test, (low, high) in zip(self.ticks, self.train_mean, self.test_mean, self.band):
            shown = [shown_metric(self.metric, v, test) for v in (train, test, low, high)]
            lines.append("  {:>8}  training {}  test {} ({} to {})".format(str(tick), *shown))
        return "\n".join(lines)


@spoken_as("learning_curve")
def learning_curve(
    learner: Estimator,
    X: TableLike,
    y: Target | None = None,
    *,
    train_sizes: ArrayLike = (0.1, 0.33, 0.55, 0.78, 1.0),
    design: Any = "5-fold",
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
) -> Curve:
    """How a learner's error falls with the number of training rows.

    In each split the training sets are nested: the rows of a small one are in every larger one, with the classes in
    proportion, so the curve is not rough by the luck of draws. By time, they are the latest rows.

    Parameters
    ----------
    learner : a learner or its short name, prepared as in ``compare``
    X, y : rows and their classes or numbers, as in ``compare``
    train_sizes : numbers of rows, or shares up to 1 of the smallest training set
    design : as in ``compare``
    metric : its name or a Measure; default the error of classes, the RMSE of numbers
    alpha : 1 - confidence of ``band``
    groups, times, random_state, n_jobs, task : as in ``compare``

    Returns
    -------
    Curve

    Examples
    --------
    >>> from assay.evaluate import learning_curve
    >>> from assay.tables.data import load_iris
    >>> sizes, train, test = learning_curve("lda", load_iris(), train_sizes=[15, 60, 120])
    >>> sizes.tolist(), bool(test.mean(axis=1)[2] < test.mean(axis=1)[0])
    ([15, 60, 120], True)
    """
    data, plan, splits, m = _prepared(
        X, y, design, metric, groups, times, random_state, alpha, "learning_curve", learner, task
    )
    sizes = _sizes(train_sizes, min(len(s.train) for s in splits))
    (candidate,) = as_candidates([learner], data.table, data.target.task)
    work = []
    for j, split in enumerate(splits):
        order = nested_order(split, data, plan, np.random.default_rng([random_state, j]))
        for size in sizes:
            rows = order[:size]
            if len(data.labels) and len(np.unique(data.codes[rows])) < 2:
                raise DataError(
                    f"{size} rows hold one class alone. Begin with more: train_sizes=...",
                    who="learning_curve",
                )
            work.append((candidate, Split(split.repetition, split.fold, np.sort(rows), split.test)))
    train, test, splits, partial = _measured(work, data, m, random_state, n_jobs, "learning curve", splits)
    test_rows = np.full(len(sizes), np.mean([len(s.test) for s in splits]))
    train_rows = sizes.astype(float)
    return Curve(candidate.name, m, "rows", sizes, train, test, train_rows, test_rows, alpha, splits, partial)


@spoken_as("complexity_curve")
def complexity_curve(
    learner: Estimator,
    X: TableLike,
    y: Target | None = None,
    *,
    param_name: str,
    param_range: Sequence[Any],
    design: Any = "5-fold",
    metric: MeasureLike | None = None,
    alpha: float = 0.05,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    task: str | None = None,
) -> Curve:
    """How training and test error move with a parameter that makes the learner more complex.

    The training error keeps falling, the test error falls and then rises. ``chosen`` is the first tick within one
    standard error of the best, ``best`` the smallest error, which is partly luck.

    Parameters
    ----------
    learner : a learner or its short name, prepared as in ``compare``
    X, y : rows and their classes or numbers, as in ``compare``
    param_name, param_range : which parameter, and its values from simple to complex
    design, metric, alpha, groups, times, random_state, n_jobs, task : as in ``learning_curve``

    Returns
    -------
    Curve

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from assay.evaluate import complexity_curve
    >>> from assay.tables.data import load_iris
    >>> curve = complexity_curve(DecisionTreeClassifier(), load_iris(), param_name="max_depth", param_range=[1, 2, 4])
    >>> curve.train_mean.round(3).tolist()
    [0.333, 0.037, 0.015]
    """
    data, _, splits, m = _prepared(
        X, y, design, metric, groups, times, random_state, alpha, "complexity_curve", learner, task
    )
    if (
        isinstance(param_range, str)
        or not hasattr(param_range, "__iter__")
        or not (values := list(param_range))
    ):
        raise ParameterError(
            f"param_range must be values from simple to complex, got {param_range!r}.", who="complexity_curve"
        )
    settings = [{param_name: v} for v in values]
    candidates = varied(learner, settings, data.table, "complexity_curve", data.target.task)
    work = [(c, split) for split in splits for c in candidates]
    train, test, splits, partial = _measured(work, data, m, random_state, n_jobs, "complexity curve", splits)
    train_rows, test_rows = (np.full(len(values), np.mean([len(r) for r in rows]))
                      for rows in ([s.train for s in splits], [s.test for s in splits]))  # fmt: skip
    ticks = np.empty(len(values), dtype=object) if not _numbers(values) else np.asarray(values)
    if ticks.dtype == object:
        ticks[:] = values
    name = candidates[0].name
    return Curve(name, m, param_name, ticks, train, test, train_rows, test_rows, alpha, splits, partial)


def _prepared(
    X: Any,
    y: Any,
    design: Any,
    metric: Any,
    groups: Any,
    times: Any,
    seed: int,
    alpha: float,
    who: str,
    learner: Any,
    task: str | None,
) -> tuple[Data, Resampling, list[Split], Measure]:
    check_alpha(alpha, who)
    as_seed(seed, who)
    if y is None and hasattr(X, "target_name"):
        X, y = X
    implied = task_of_learners([learner]) or task_of_metrics(metric)
    rows = gather(X, y, design, groups=groups, times=times, task=task, of_learners=implied, who=who)
    data = rows.data
    plan, _ = rows.design.fitted_to(data.codes, data.labels, data.groups, data.times)
    splits = list(plan.splits(data.codes, seed, data.groups, data.times))
    if len(splits) < 2:
        raise ParameterError(
            f"a curve needs at least two splits to show how far it can be trusted; {plan.name} has {len(splits)}.",
            who=who,
        )
    m = as_measures(None if metric is None else [metric], who, data.target.task)[0]
    if m.needs == "costs":
        raise ParameterError(
            f"a curve of {m.name} would need costs; draw one of error, brier or log-loss.", who=who
        )
    return data, plan, splits, m


def _mean_of_splits(scores: np.ndarray) -> Floats:
    mean: Floats = np.nanmean(scores, axis=1)
    return mean


def _numbers(values: list[Any]) -> bool:
    return all(isinstance(v, (int, float, np.number)) and not isinstance(v, bool) for v in values)


def _sizes(train_sizes: Any, most: int) -> np.ndarray:
    sizes = np.asarray(train_sizes)
    if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iuf" or not np.isfinite(sizes).all():
        raise ParameterError(
            f"train_sizes must be numbers of rows or shares, got {train_sizes!r}.", who="learning_curve"
        )
    if sizes.dtype.kind == "f":
        if (sizes <= 0).any() or (sizes > 1).any():
            raise ParameterError(
                f"shares in train_sizes must be above 0 and at most 1, got {train_sizes!r}.",
                who="learning_curve",
            )
        sizes = np.maximum((sizes * most).astype(np.int64), 2)
    if (sizes < 2).any() or (sizes > most).any():
        raise ParameterError(
            f"train_sizes must be from 2 to {most} rows, the smallest training set; "
            f"got {sizes.min()} to {sizes.max()}.",
            who="learning_curve",
        )
    return np.unique(sizes)


def nested_order(split: Split, data: Data, plan: Resampling, rng: np.random.Generator) -> np.ndarray:
    """The training rows in an order every beginning of which has the classes in proportion; by time, latest first."""
    if plan.kind == "time":
        return split.train[::-1]
    rows = rng.permutation(split.train)
    y = data.codes[rows]
    place = np.empty(len(rows))
    for k in np.unique(y):
        of_class = y == k
        place[of_class] = (np.arange(of_class.sum()) + 0.5) / of_class.sum()
    return rows[np.argsort(place, kind="stable")]


def _measured(
    work: list[tuple[Candidate, Split]],
    data: Data,
    m: Measure,
    seed: int,
    n_jobs: int | None,
    what: str,
    splits: list[Split],
) -> tuple[np.ndarray, np.ndarray, list[Split], str]:
    """(m, J) the metric on training rows and on test rows, of work that goes split by split; these splits; and why
    they are not all. An interruption after two whole splits keeps these."""
    ticks, pairs_of_sides, partial = len(work) // len(splits), [], ""
    with progress(total=len(work), description=what) as bar:
        pairs = each(both_sides, ((c, data, split, m, seed) for c, split in work), n_jobs)
        try:
            for pair in pairs:
                pairs_of_sides.append(pair)
                bar.advance()
        except KeyboardInterrupt:
            whole = len(pairs_of_sides) // ticks
            if whole < 2:
                raise
            pairs_of_sides, partial = (
                pairs_of_sides[: whole * ticks],
                f"Interrupted after {whole} of {len(splits)} splits",
            )
        finally:
            pairs.close()
    values = np.array(pairs_of_sides).reshape(-1, ticks, 2)
    return values[:, :, 0].T, values[:, :, 1].T, splits[: len(values)], partial


def both_sides(candidate: Candidate, data: Data, split: Split, m: Measure, seed: int) -> tuple[float, float]:
    """One fit, measured on the training rows and on the test rows."""
    cut = len(split.train)
    fold = data.fold(Split(0, split.fold, split.train, np.concatenate([split.train, split.test])))
    cell = run_cell(candidate, fold, Task([m], None, None, seed))
    if cell.answer is None:
        raise DataError(f"{candidate.name} failed. {cell.failure}")
    sides = []
    for part in (slice(0, cut), slice(cut, None)):
        weight = None if fold.w_test is None else fold.w_test[part]
        if data.target.task == "regression":
            rows = np.arange(len(fold.truth))[part]
            distribution = None if cell.distribution is None else cell.distribution.take(rows)
            outcome = outcome_of_numbers(
                fold.truth[part], cell.answer[part], weight, distribution, fold.train.shape[1]
            )
        else:
            posterior = None if cell.posterior is None else cell.posterior[part]
            answer = cell.answer[part].astype(np.int64)
            outcome = Outcome(
                fold.truth[part], answer, posterior, len(data.labels), weight=weight, labels=fold.labels
            )
        sides.append(float(m.of(outcome)))
    return sides[0], sides[1]


def learning_curve_of(result: Comparison, learner: str, metric: Measure, splits: list[Split]) -> Curve | None:
    """The learning curve on some splits of a comparison; None where there are too few rows for two points."""
    assert result.source is not None
    data, seed, candidate = result.source, result.settings["seed"], result.candidates[learner]
    orders = [
        nested_order(s, data, result.design, np.random.default_rng([seed, j])) for j, s in enumerate(splits)
    ]
    sizes = np.array([[round(share * len(order)) for order in orders] for share in SHARES])
    sizes = sizes[sizes[:, 0] >= max(2 * len(result.classes), 4)]
    work = [
        (candidate, split._replace(train=np.sort(order[:size])))
        for j, (split, order) in enumerate(zip(splits, orders))
        for size in sizes[:, j]
    ]
    return _of_comparison(result, learner, metric, "rows", sizes.mean(axis=1), work, splits)


def complexity_grid(result: Comparison, learner: str) -> tuple[str, list[Any]]:
    """The parameter that makes a learner flexible, and the values to try; ("", []) where there is none."""
    estimator = result.candidates[learner].estimator
    known = estimator.get_params() if hasattr(estimator, "get_params") else {}
    for word, values in COMPLEXITY.items():
        for key in sorted(known, key=len):
            if key.split("__")[-1] == word:
                n = min((p[2] for p in result.places), default=0)
                return key, [v for v in values if word != "n_neighbors" or v <= n // 2]
    return "", []


def complexity_curve_of(
    result: Comparison, learner: str, metric: Measure, splits: list[Split]
) -> Curve | None:
    """The complexity curve on some splits of a comparison; None for a learner without such a parameter."""
    from sklearn.base import clone

    key, values = complexity_grid(result, learner)
    candidate = result.candidates[learner]
    changed = [
        replace(candidate, estimator=clone(candidate.estimator).set_params(**{key: value}))
        for value in values
    ]
    work = [(c, split) for split in splits for c in changed]
    curve = _of_comparison(
        result, learner, metric, key.split("__")[-1], np.array(values, float), work, splits
    )
    if curve is None:
        return None
    used = candidate.estimator.get_params()[key]
    return replace(curve, used=float(used)) if _numbers([used]) else curve


def _of_comparison(
    result: Comparison,
    learner: str,
    m: Measure,
    along: str,
    ticks: np.ndarray,
    work: list[tuple[Candidate, Split]],
    splits: list[Split],
) -> Curve | None:
    """A curve of work that goes split by split; None if fewer than two ticks have a value on some split."""
    if len(ticks) < 2:
        return None
    assert result.source is not None
    sides = [_sides_or_nan(c, result.source, split, m, result.settings["seed"]) for c, split in work]
    train, test = np.moveaxis(np.reshape(sides, (len(splits), len(ticks), 2)), 2, 0).swapaxes(1, 2)
    standing = compared = None
    if m.name in {measured.name for measured in result.metrics}:  # so there is a number to go through
        standing = next(s for s in result.ranking(m.name) if s.learner == learner)
        by_place = {place[:2]: value for place, value in zip(result.places, result.values(learner, m.name))}
        compared = np.array([by_place.get((s.repetition, s.fold), np.nan) for s in splits])
        test = np.where(np.isfinite(compared), test, np.nan)
    train = np.where(np.isfinite(test), train, np.nan)
    kept = np.isfinite(test).any(axis=1)
    if kept.sum() < 2:
        return None
    train_rows = ticks if along == "rows" else np.full(len(ticks), np.mean([len(s.train) for s in splits]))
    test_rows = np.full(len(ticks), np.mean([len(s.test) for s in splits]))
    return Curve(
        learner, m, along, ticks[kept], train[kept], test[kept], train_rows[kept], test_rows[kept], result.alpha,
        splits,        compared=compared, standing=standing,
    )  # fmt: skip


def _sides_or_nan(
    candidate: Candidate, data: Data, split: Split, m: Measure, seed: int
) -> tuple[float, float]:
    try:
        return both_sides(candidate, data, split, m, seed)
    except DataError:  # the learner fails on this split
        return np.nan, np.nan
