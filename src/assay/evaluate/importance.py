"""Permutation importance: what a learner loses on held-out rows when a column no longer belongs to its row."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import is_regressor

from assay.core.explanation import text_table
from assay.core.progress import progress
from assay.core.seeds import as_seed
from assay.errors import DataError, ParameterError, spoken_as
from assay.evaluate.candidates import as_candidates, task_of_learners
from assay.evaluate.digits import shown_metric
from assay.evaluate.fold import Data, answer_codes, outcome_of_numbers, posterior_of
from assay.evaluate.metrics import as_measures, task_of_metrics
from assay.evaluate.prepared import Candidate
from assay.evaluate.rows import gather
from assay.evaluate.run import NEEDED_OF_NUMBERS
from assay.evaluate.target import as_target
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure, measures
from assay.metrics.outcome import Outcome
from assay.sentence import in_notebook
from assay.stats.checks import is_whole
from assay.stats.intervals.repeated_estimate import corrected_interval
from assay.stats.significance.multiple_tests import holm
from assay.stats.significance.paired_t import paired_t_all
from assay.stats.significance.test_result import check_alpha, shown_confidence, shown_p
from assay.tables import Table
from assay.tables.rows import take_rows, with_column
from assay.types import Axes, Codes, Estimator, RowLabels, Scoring, Weights

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["PermutationImportance", "importance_of", "permutation_importance"]

DRAWS = 200  # of rows, for the interval where there is one split
FEWEST_DRAWS = 40
MEASURED = 6000  # times that the metric is computed for these intervals
REPEATS_DRAWN = 5  # repeats whose spread over rows is looked at
MOST_DRAWN = 2000  # rows of one draw
MOST_SHOWN = 20  # columns in the text


@dataclass(frozen=True, eq=False, repr=False)
class PermutationImportance:
    """How much worse a metric gets on test rows when a column's values are exchanged among them.

    Fields can also be read by name, ``found["importances_mean"]``, as of scikit-learn's result.

    Attributes
    ----------
    importances_mean : (d,) the mean worsening of the metric; about 0 or below: the column is not missed
    importances_std : (d,) its standard deviation over the repeats
    importances : (d, n_repeats) each repeat, mean over the splits
    low, high : (d,) interval of the mean
    p : (d,) of the test that it is above 0, adjusted (Holm) over the columns
    names : list of the d columns
    learner, metric, alpha : what was measured, of whom, at which level
    baseline : the metric with all columns in place, on the same rows; of a comparison the number of its table, over all
        splits
    how : what was computed, in a sentence

    Examples
    --------
    >>> from assay.evaluate import permutation_importance
    >>> from assay.tables.data import load_iris
    >>> found = permutation_importance("lda", load_iris(), design="10-fold")
    >>> found.names[int(found.order[0])], bool(found.low[found.order[0]] > 0)
    ('petal length (cm)', True)
    """

    importances_mean: np.ndarray
    importances_std: np.ndarray
    importances: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p: np.ndarray
    names: list[str]
    learner: str
    metric: str
    baseline: float
    alpha: float = 0.05
    how: str = ""
    by_split: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    measure: Measure | None = None  # that metric itself; None if it was made by hand

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def keys(self) -> list[str]:
        """The fields that scikit-learn's result has."""
        return ["importances_mean", "importances_std", "importances"]

    def shown(self, value: float, sign: bool = False) -> str:
        """A value of the metric, or a loss, as the texts print it: with the decimals of the metric itself."""
        m = self.measure or Measure(self.metric, OfOutcome(lambda _: np.nan))
        return shown_metric(m, value, self.baseline, sign)

    @property
    def order(self) -> np.ndarray:
        """(d,) the columns, the most important first."""
        return np.argsort(-self.importances_mean, kind="stable")

    @property
    def matters(self) -> list[str]:
        """The columns that are significantly above 0, the most important first."""
        return [self.names[j] for j in self.order if self.p[j] <= self.alpha]

    def table(self, most: int | None = None) -> list[dict[str, Any]]:
        """One record per column, the most important first: importance, interval, adjusted p."""
        return [
            {
                "column": self.names[j],
                "importance": float(self.importances_mean[j]),
                "low": float(self.low[j]),
                "high": float(self.high[j]),
                "p": float(self.p[j]),
            }
            for j in self.order[:most]
        ]

    def to_frame(self) -> Any:
        """The table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.table())

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON can hold; what is not a number is None."""
        rows = [{k: None if v != v else v for k, v in row.items()} for row in self.table()]
        return {"learner": self.learner, "metric": self.metric, "baseline": self.baseline, "alpha": self.alpha,
                "how": self.how, "columns": rows}  # fmt: skip

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Bars with their intervals: see ``assay.plots.ImportanceDisplay.from_permutation``."""
        from importlib import import_module

        return import_module("assay.plots").ImportanceDisplay.from_permutation(self, ax=ax, **options)

    def __str__(self) -> str:
        lines = [self._cells(row) for row in self.table(MOST_SHOWN)]
        heads = ["column", "importance", f"{shown_confidence(self.alpha)} interval", "p"]
        hidden = len(self.names) - len(lines)
        more = f"\n  ... and {hidden} more columns" if hidden > 0 else ""
        return f"{self.headline}\n{text_table(heads, lines)}{more}\n{self.how}"

    __repr__ = __str__

    @property
    def headline(self) -> str:
        """What the numbers are, in a line."""
        value = self.shown(self.baseline)
        return (
            f"What {self.learner} loses in {self.metric} ({value} with all columns) when a column's values are "
            "exchanged among the test rows"
        )

    def _cells(self, row: dict[str, Any]) -> list[Any]:
        low, high = (self.shown(row[end], sign=True) for end in ("low", "high"))
        interval = f"{low} to {high}" if low else ""
        p = "" if np.isnan(row["p"]) else shown_p(row["p"]).removeprefix("p = ").removeprefix("p ")
        return [row["column"], self.shown(row["importance"], sign=True), interval, p]

    def _repr_html_(self) -> str:
        heads = ("column", "importance", f"{shown_confidence(self.alpha)} interval", "p")
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(str(c))}</td>" for c in self._cells(row)) + "</tr>"
            for row in self.table(MOST_SHOWN)
        )
        head = "".join(f"<th>{escape(h)}</th>" for h in heads)
        return in_notebook(
            f'<div class="assay-importance"><p>{escape(self.headline)}</p><table><thead><tr>{head}</tr></thead>'
            f"<tbody>{body}</tbody></table><p>{escape(self.how)}</p></div>"
        )


@spoken_as("permutation_importance")
def permutation_importance(
    estimator: Estimator | str,
    X: Any,
    y: Any = None,
    *,
    scoring: Scoring | None = None,
    n_repeats: int = 5,
    design: Any = None,
    alpha: float = 0.05,
    random_state: int | None = 0,
    sample_weight: Weights | None = None,
    max_samples: float | int = 1.0,
    groups: RowLabels | None = None,
    times: RowLabels | None = None,
    n_jobs: int | None = None,
) -> PermutationImportance:
    r"""How much each column matters to a classifier: what it loses when the column is torn from its row.

    .. math:: I_j = \pm\Big(\tfrac1R\sum_r m(\hat y^{(j,r)}, y) - m(\hat y, y)\Big)                    \quad (1)

    for a metric m, its sign such that a loss is positive, on rows that did not teach; in repeat r every row gets the
    value that column j has in another row, a different one in each repeat (cyclic shifts of a random order), so that
    also few rows are used fully. Nominal columns are exchanged as they are, before they become indicators.

    With a ``design``, or for a learner that is not fitted, the learner is fitted on the training rows of each split and
    judged on its test rows; the interval is Student's t over the splits, corrected for splits that share rows, as for
    the difference of two learners. A fitted classifier is judged on the rows given, which should not be its training
    rows; then the interval comes from resampling these rows. Columns that tell the same cover for each
    other, and neither is missed. Cost: d times ``n_repeats`` predictions of every test row.

    Parameters
    ----------
    estimator : a fitted learner, or with a design a learner or its short name, prepared as in ``compare``
    X, y : rows and their classes or numbers, as in ``compare``
    scoring : a metric, by name or as in ``compare``; default the error of classes, the RMSE of numbers
    n_repeats : int, default 5
    design : how rows are split, as in ``compare``; default None: "10-fold" for a learner that is not fitted
    alpha : 1 - confidence of the intervals, and the level of the tests
    random_state : whole number; None stands for 0
    sample_weight : (n,) how much each row counts
    max_samples : float or int
        Of a fitted classifier, how many of the rows are used: a share up to 1, or a number.
    groups, times : as in ``compare``, for a design
    n_jobs : accepted for scikit-learn's sake; one process does the work

    Returns
    -------
    PermutationImportance

    Examples
    --------
    >>> from assay.evaluate import permutation_importance
    >>> from assay.bayes import GaussianNB
    >>> X, y = [[i, i % 3] for i in range(40)], [i >= 20 for i in range(40)]
    >>> found = permutation_importance(GaussianNB().fit(X[::2], y[::2]), X[1::2], y[1::2], n_repeats=3)
    >>> found.importances.shape, found.matters
    ((2, 3), ['x0'])
    """
    who = "permutation_importance"
    check_alpha(alpha, who)
    seed = as_seed(0 if random_state is None else random_state, who)
    if not is_whole(n_repeats, 1):
        raise ParameterError(f"n_repeats must be a whole number from 1 up, got {n_repeats!r}.", who=who)
    if y is None and hasattr(X, "target_name"):
        X, y = X
    implied = task_of_learners([estimator]) or task_of_metrics(scoring)
    if design is None and not isinstance(estimator, str) and _is_fitted(estimator):
        m = _measure_of(scoring, implied or "classification", who)
        return _of_fitted(estimator, X, y, m, n_repeats, alpha, seed, sample_weight, max_samples)
    rows = gather(X, y, design or "10-fold", groups=groups, times=times, weights=sample_weight, of_learners=implied,
                  who=who)  # fmt: skip
    data = rows.data
    m = _measure_of(scoring, data.target.task, who)
    plan, _ = rows.design.fitted_to(data.codes, data.labels, data.groups, data.times)
    (candidate,) = as_candidates([estimator], data.table, data.target.task)
    splits = list(plan.splits(data.codes, seed, data.groups, data.times))
    return _over_splits(candidate, data, splits, m, n_repeats, alpha, seed, plan.name)


def _measure_of(scoring: Any, task: str, who: str) -> Measure:
    m = as_measures(None if scoring is None else [scoring], who, task)[0]
    if m.needs == "costs":
        raise ParameterError(f"{m.name} would need costs; ask for error, brier, log-loss or auc.", who=who)
    return m


def importance_of(
    result: Comparison,
    learner: str | None = None,
    metric: str | None = None,
    *,
    n_repeats: int = 5,
    splits: int | None = None,
) -> PermutationImportance:
    """The permutation importance of a learner of a comparison, on the comparison's own splits.

    Parameters
    ----------
    learner : its name; default the best
    metric : its name or a Measure; default the one that ranks, or the error where that one needs costs
    n_repeats : int
    splits : how many of the splits are used; default those of the first repetition

    Examples
    --------
    >>> from assay import compare
    >>> from assay.evaluate.importance import importance_of
    >>> from assay.tables.data import load_iris
    >>> result = compare(["lda", "majority"], load_iris(), design="10-fold")
    >>> found = importance_of(result)
    >>> found.learner, found.baseline == result.ranking()[0].mean
    ('lda', True)
    """
    if result.source is None:
        raise ParameterError(
            "importance: this comparison was saved without its rows, so nothing can be fitted again."
        )
    name = result._learner(learner or result.best)
    m = result.metrics[0] if metric is None else as_measures([metric], task=result.task)[0]
    if m.needs == "costs":
        m = measures()["error"]
    first = [s for s in result.splits if s.repetition == result.places[0][0]]
    chosen = first if splits is None else list(islice(result.splits, splits))
    seed = result.settings["seed"]
    importance = _over_splits(
        result.candidates[name], result.source, chosen, m, n_repeats, result.alpha, seed, result.design.name
    )
    known = [s.mean for s in result.ranking(m.name) if s.learner == name] if m in result.metrics else []
    return replace(importance, baseline=known[0]) if known else importance


def _is_fitted(estimator: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(estimator)
    except (NotFittedError, TypeError):
        return False
    return hasattr(estimator, "classes_") or is_regressor(estimator)


def _over_splits(
    candidate: Candidate,
    data: Data,
    splits: list[Any],
    m: Measure,
    n_repeats: int,
    alpha: float,
    seed: int,
    design: str,
) -> PermutationImportance:
    from sklearn.base import clone

    names = data.table.schema.names
    base, losses, sizes = [], [], []
    with progress(total=len(splits) * len(names), description="permutation importance") as bar:
        for j, split in enumerate(splits):
            fold = data.fold(split)
            X_train, X_test = fold.tables(candidate)
            model = clone(candidate.seeded(seed))
            fold.fit(model, X_train)
            judged = _Judged(model, X_test, fold.truth, fold.labels, fold.w_test, m)
            if np.isnan(judged.value):
                bar.advance(len(names))
                continue
            base.append(judged.value)
            rng = np.random.default_rng([seed, j])
            losses.append(_losses(judged, len(names), n_repeats, rng, bar, keep=len(splits) == 1))
            sizes.append((len(split.train), len(split.test)))
    if not base:
        raise DataError(f"permutation_importance: {m.name} of {candidate.name} is defined on no split.")
    each = np.array([loss.values for loss in losses])  # (J, d, R)
    how = _words(
        candidate.name, n_repeats, f"{len(base)} split{'s' if len(base) > 1 else ''} of {design}", splits
    )
    if len(splits) == 1:
        return _from_rows(losses[0], float(base[0]), names, candidate.name, m, alpha, how)
    by_split = each.mean(axis=2)  # (J, d)
    ratio = float(np.mean([test / train for train, test in sizes]))
    tests = paired_t_all(by_split, ratio, alpha=alpha, alternative="greater")
    ends = np.array([corrected_interval(v, ratio, alpha) for v in by_split.T])
    still = np.ptp(by_split, axis=0) == 0  # no spread: equal on every split
    ends[still] = by_split[0, still, None]
    return PermutationImportance(
        by_split.mean(axis=0), each.mean(axis=0).std(axis=1), each.mean(axis=0), ends[:, 0], ends[:, 1],
        holm(np.array([t.p for t in tests])), list(names), candidate.name, m.name, float(np.mean(base)), alpha, how,
        by_split.T, m,
    )  # fmt: skip


def _words(name: str, n_repeats: int, where: str, splits: list[Any]) -> str:
    tested = int(np.sum([len(s.test) for s in splits]))
    times = "once" if n_repeats == 1 else f"{n_repeats} times"
    return (
        f"{name} fitted again on the training rows of {where}; each column of the {tested:,} test rows exchanged "
        f"{times}. Columns that tell the same cover for each other."
    )


class _Judged:
    """A fitted model and test rows: the metric with all columns in place, and with one exchanged."""

    def __init__(
        self, model: Any, X: Any, truth: np.ndarray, labels: np.ndarray, weight: np.ndarray | None, m: Measure
    ):
        self.model, self.X, self.truth, self.labels, self.weight, self.m = model, X, truth, labels, weight, m
        self.outcome = self._outcome(X, 1)[0]
        self.value = float(m.of(self.outcome))

    def _outcome(self, X: Any, copies: int) -> list[Outcome]:
        """What the model predicts for copies of the rows that stand one below the other."""
        if self.m.task == "regression":
            return self._numbers(X, copies)
        answer = answer_codes(np.asarray(self.model.predict(X)), self.labels)
        posterior = None
        if self.m.needs_probabilities:
            posterior = posterior_of(self.model, X, self.labels)
        n, K = len(self.truth), len(self.labels)
        return [
            Outcome(
                self.truth,
                answer[r * n : (r + 1) * n],
                None if posterior is None else posterior[r * n : (r + 1) * n],
                K,
                weight=self.weight,
                labels=self.labels,
            )
            for r in range(copies)
        ]

    def _numbers(self, X: Any, copies: int) -> list[Outcome]:
        predicted, n = np.asarray(self.model.predict(X), dtype=np.float64), len(self.truth)
        distribution = None
        if self.m.needs in NEEDED_OF_NUMBERS:
            if not hasattr(self.model, "predict_distribution"):
                raise ParameterError(
                    f"{self.m.name} needs {NEEDED_OF_NUMBERS[self.m.needs]}, which {type(self.model).__name__} does "
                    "not give. assay.decide.ConformalRegressor(learner) does, around any regressor.",
                    who="permutation_importance",
                )
            distribution = self.model.predict_distribution(X)
        parts = [slice(r * n, (r + 1) * n) for r in range(copies)]
        return [
            outcome_of_numbers(
                self.truth, predicted[part], self.weight,
                None if distribution is None else distribution.take(np.arange(n * copies)[part]), np.shape(self.X)[1],
            )
            for part in parts
        ]  # fmt: skip

    def exchanged(self, j: int, orders: np.ndarray) -> list[Outcome]:
        """The outcomes with column j taken from other rows, one for each of the (R, n) orders."""
        if isinstance(self.X, Table) and isinstance(self.X.values, np.ndarray):
            values = np.tile(self.X.values, (len(orders), 1))
            values[:, j] = self.X.values[orders.ravel(), j]
            table = Table(values, self.X.schema, self.X.complete, dict(self.X.unseen))
            return self._outcome(table, len(orders))
        return [self._outcome(with_column(self.X, j, order), 1)[0] for order in orders]


@dataclass
class _Losses:
    values: np.ndarray  # (d, R)
    base: Outcome
    outcomes: list[list[Outcome]]  # of each column, of each repeat; empty if not kept
    m: Measure


def _losses(
    judged: _Judged, d: int, n_repeats: int, rng: np.random.Generator, bar: Any = None, keep: bool = True
) -> _Losses:
    values: np.ndarray = np.zeros((d, n_repeats))
    kept = []
    n = len(judged.truth)
    for j in range(d):
        outcomes = (
            judged.exchanged(j, _other_rows(n, n_repeats, rng)) if n > 1 else [judged.outcome] * n_repeats
        )
        measured = np.array([judged.m.of(outcome) for outcome in outcomes])
        values[j] = judged.m.sign * (measured - judged.value)  # (1)
        if keep:
            kept.append(outcomes)
        if bar is not None:
            bar.advance()
    return _Losses(values, judged.outcome, kept, judged.m)


def _other_rows(n: int, n_repeats: int, rng: np.random.Generator) -> np.ndarray:
    """(R, n) for each repeat, the row whose value each row gets: another one, and while there are enough, a new one."""
    order = rng.permutation(n)
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    shifts = 1 + np.concatenate([rng.permutation(n - 1) for _ in range(-(-n_repeats // (n - 1)))])[:n_repeats]
    rows: Codes = order[(place + shifts[:, None]) % n]
    return rows


def _of_fitted(
    model: Any,
    X: Any,
    y: Any,
    m: Measure,
    n_repeats: int,
    alpha: float,
    seed: int,
    sample_weight: Any,
    max_samples: float | int,
) -> PermutationImportance:
    who = "permutation_importance"
    table = Table.of(X, who=who)
    target = as_target(y, len(table), who, task=m.task)
    rng, rows = np.random.default_rng(seed), np.flatnonzero(target.labelled)
    rows = _some(rows, max_samples, rng)
    if target.numbers is not None:
        labels, truth = np.empty(0), target.numbers[rows]
    else:
        labels = np.asarray(model.classes_)
        truth = answer_codes(target.labels[target.codes[rows]], labels)
        if (truth < 0).any():
            strange = target.labels[target.codes[rows[int(np.argmax(truth < 0))]]]
            raise DataError(
                f"the class {str(strange)!r} is none of those that the classifier knows.", who=who
            )
    weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)[rows]
    judged = _Judged(model, take_rows(X, rows), truth, labels, weight, m)
    if np.isnan(judged.value):
        raise DataError(f"{m.name} is not defined on these rows.", who=who)
    losses = _losses(judged, table.shape[1], n_repeats, rng)
    name = type(model).__name__
    how = f"{name} as it was fitted, on {len(rows):,} rows; each column exchanged {n_repeats} times."
    return _from_rows(losses, judged.value, table.schema.names, name, m, alpha, how)


def _some(rows: np.ndarray, max_samples: float | int, rng: np.random.Generator) -> np.ndarray:
    whole = isinstance(max_samples, (int, np.integer)) and not isinstance(max_samples, bool)
    if not (max_samples >= 1 if whole else isinstance(max_samples, float) and 0 < max_samples <= 1):
        raise ParameterError(
            f"permutation_importance: max_samples must be a share up to 1.0 or a number of rows, got {max_samples!r}."
        )
    size = min(int(max_samples), len(rows)) if whole else max(1, round(max_samples * len(rows)))
    return rows if size >= len(rows) else np.sort(rng.choice(rows, size, replace=False))


def _from_rows(
    losses: _Losses, base: float, names: Any, learner: str, m: Measure, alpha: float, how: str
) -> PermutationImportance:
    """One split: its rows are the sample. Rows are drawn again; the spread of the losses on the draws tells theirs."""
    from scipy.special import ndtr, ndtri

    mean = losses.values.mean(axis=1)
    repeats = min(losses.values.shape[1], REPEATS_DRAWN)
    draws = int(np.clip(MEASURED / (len(mean) * repeats), FEWEST_DRAWS, DRAWS))
    n, drawn = len(losses.base.truth), np.full((draws, len(mean)), np.nan)
    rng = np.random.default_rng(0)
    size = min(n, MOST_DRAWN)
    for b in range(draws):
        rows = rng.integers(n, size=size)
        intact = m.of(losses.base.take(rows))
        for j, outcomes in enumerate(losses.outcomes):
            torn = np.mean([m.of(outcome.take(rows)) for outcome in outcomes[:repeats]])
            drawn[b, j] = m.sign * (torn - intact)
    spread = np.nanstd(drawn, axis=0, ddof=1) * np.sqrt(size / n)
    half = float(-ndtri(alpha / 2)) * spread
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(
            spread > 0, ndtr(-mean / np.where(spread > 0, spread, 1.0)), np.where(mean > 0, np.nan, 1.0)
        )
    known = np.isfinite(p)
    p[known] = holm(p[known])
    return PermutationImportance(
        mean, losses.values.std(axis=1), losses.values, mean - half, mean + half, p, list(names), learner, m.name, base,
        alpha, how + " Intervals by resampling the rows.", measure=m,
    )  # fmt: skip
