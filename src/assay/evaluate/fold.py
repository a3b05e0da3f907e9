"""One fold of a comparison: its tables, and one learner's run on them."""

from __future__ import annotations

import threading
import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.meta_estimator import takes_tables
from assay.core.parallel import one_blas_thread
from assay.core.pipelines import pipeline_steps
from assay.core.targets import EncodedLabels
from assay.decide import LossMatrix, decide
from assay.errors import AssayError, SchemaWarning, warn_user
from assay.evaluate.design import Split
from assay.evaluate.prepared import Candidate
from assay.evaluate.target import Target
from assay.evaluate.weights import group_keyword, time_keyword, weight_keyword
from assay.metrics.measure import Measure
from assay.metrics.outcome import Outcome
from assay.tables import Column, RowNames, Schema, Table, row_name
from assay.tables.rows import take_rows
from assay.tables.table import UNSEEN
from assay.types import Estimator, TableLike

__all__ = [
    "Cell",
    "Data",
    "Fold",
    "Task",
    "answer_codes",
    "forget_folds",
    "posterior_of",
    "run_cell",
    "run_in_turn",
    "timed_cell",
]


_NEAR = 1e-3  # how far probabilities, also of single precision, may be from adding up to 1
INTERVAL_COVERAGE = 0.9  # of the prediction intervals that metrics judge
_ROUNDING = 1e-9  # from where on they are made to


class Data:
    """The rows of a comparison: as they came, as a table, and their classes or numbers.

    The categories of a column are part of what is learned: in a fold, a nominal column has the categories of
    the training rows alone, and another one in a test row is unseen, as it would be in use.
    """

    def __init__(
        self,
        raw: Any,
        table: Table,
        target: Target,
        groups: np.ndarray | None = None,
        times: np.ndarray | None = None,
        weight: np.ndarray | None = None,
    ):
        self.raw, self.table, self.target = raw, table, target
        self.groups, self.times, self.weight = groups, times, weight
        self._nominal = [j for j, column in enumerate(table.schema) if column.kind == "nominal"]

    @property
    def labels(self) -> np.ndarray:
        """(K,) the classes; none for numbers."""
        return self.target.labels

    @property
    def codes(self) -> np.ndarray:
        """(n,) the number of each row's class, by which splits are stratified; 0 for numbers."""
        return self.target.codes

    @property
    def truth(self) -> np.ndarray:
        """(n,) what measures compare predictions with: class codes, or numbers."""
        return self.codes if self.target.numbers is None else self.target.numbers

    @property
    def values_of_target(self) -> np.ndarray:
        """(n,) labels, or numbers."""
        return self.labels[self.codes] if self.target.numbers is None else self.target.numbers

    @property
    def row_names(self) -> RowNames:
        """What the rows are called, also after those without a class were left out."""
        return RowNames.of(self.table)

    def fold(self, split: Split) -> Fold:
        train, test = self.table.values[split.train], self.table.values[split.test]
        schema, unseen, columns = self.table.schema, {}, {}
        for j in self._nominal:
            column = schema[j]
            used = np.unique(train[:, j][~np.isnan(train[:, j])]).astype(np.intp)
            if len(used) == len(column.categories):
                continue
            code = np.full(len(column.categories), UNSEEN)
            code[used] = np.arange(len(used))
            strange = np.setdiff1d(test[:, j][~np.isnan(test[:, j])].astype(np.intp), used)
            if len(strange):
                unseen[column.name] = [column.categories[c] for c in strange]
            for values in (train, test):
                known = ~np.isnan(values[:, j])
                values[known, j] = code[values[known, j].astype(np.intp)]
            columns[j] = Column(column.name, "nominal", tuple(column.categories[c] for c in used))
        if columns:
            schema = Schema([columns.get(j, column) for j, column in enumerate(schema)], schema.named)
        names = self.row_names
        return Fold(
            Table(train, schema, self.table.complete or None, row_names=names.take(split.train)),
            Table(test, schema, self.table.complete or None, unseen, names.take(split.test)),
            self._training_target(split.train),
            self.truth[split.test],
            self.labels,
            self,
            split,
            None if self.weight is None else self.weight[split.train],
            None if self.weight is None else self.weight[split.test],
        )

    def _training_target(self, rows: np.ndarray) -> EncodedLabels | np.ndarray:
        if self.target.numbers is None:
            return EncodedLabels(self.codes[rows], self.labels)
        numbers: np.ndarray = self.target.numbers[rows]
        return numbers


@dataclass
class Fold:
    """Training and test rows of one split."""

    train: Table
    test: Table
    y_train: EncodedLabels | np.ndarray
    truth: np.ndarray
    labels: np.ndarray
    data: Data
    split: Split
    w_train: np.ndarray | None = None
    w_test: np.ndarray | None = None

    def tables(self, candidate: Candidate) -> tuple[Any, Any]:
        """What the learner sees: (X of the training rows, X of the test rows)."""
        if candidate.raw and not isinstance(self.data.raw, Table):
            return take_rows(self.data.raw, self.split.train), take_rows(self.data.raw, self.split.test)
        return self.train, self.test

    def fit(self, learner: Estimator, X: TableLike) -> Any:
        """The learner, fitted to the training rows X (of ``tables``) with the weights, groups and times it takes."""
        y = self.y_train if takes_tables(learner) else np.asarray(self.y_train)
        learner.fit(X, y, **self.beside(learner))
        return learner

    def beside(self, learner: Estimator) -> dict[str, np.ndarray]:
        """What ``fit`` takes beside the rows and their classes: weights, and groups or times for its own splits."""
        rows = self.split.train
        groups, times = (None if v is None else v[rows] for v in (self.data.groups, self.data.times))
        named = ((weight_keyword, self.w_train), (group_keyword, groups), (time_keyword, times))
        columns = ((keyword(learner), column) for keyword, column in named if column is not None)
        return {name: column for name, column in columns if name}


@dataclass(frozen=True)
class Task:
    """What is asked of every cell: metrics, decisions, seed, and whether to keep probabilities."""

    metrics: list[Measure]
    loss: LossMatrix | None
    reject: Any
    seed: int
    probabilities: bool = True


@dataclass
class Cell:
    """One learner on one fold: numbers, or the sentence that says why there are none."""

    values: dict[str, float] = field(default_factory=dict)
    answer: np.ndarray | None = None  # (n,) class codes, -1 for an answer that is no class; or numbers
    posterior: np.ndarray | None = None  # (n, K), kept in the first repetition, where each row is tested once
    price: np.ndarray | None = None  # (n,) what each decision cost, and which rows were left open, kept alike
    rejected: np.ndarray | None = None
    distribution: Any = None  # of numbers, where a metric asks for it, kept alike
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
    failure: str = ""
    chosen: dict[str, Any] | None = (
        None  # the setting that a learner has chosen, or the columns of a selector
    )
    chosen_score: float = np.nan  # what these had on the inner splits
    warnings: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)  # columns with categories that only the test rows have


def run_cell(candidate: Candidate, fold: Fold, task: Task) -> Cell:
    """Prepare, fit, predict, measure. Whatever a learner raises becomes its cell's failure."""
    cell = Cell()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            _measure(candidate, fold, task, cell)
        except Exception as error:  # a learner must not end the others' run
            message = _shortened(" ".join(str(error).split()), 300)
            who = (
                "" if isinstance(error, AssayError) else type(error).__name__
            )  # ours say themselves who speaks
            cell = Cell(failure=": ".join(filter(None, (who, message))) or type(error).__name__)
    strange = list(fold.test.unseen)
    others = [
        w for w in heard if not (strange and issubclass(w.category, SchemaWarning))
    ]  # said once, for all learners
    cell.warnings = list(dict.fromkeys(_shortened(" ".join(str(w.message).split())) for w in others))
    cell.unseen = strange
    return cell


_turn = threading.Lock()  # warnings and times belong to a cell only if a process runs one at a time
_recent: dict[str, Fold] = {}  # the tables of the latest block: its learners come one after the other


def run_in_turn(candidate: Candidate, data: Data, split: Split, block: str, task: Task) -> tuple[Cell, float]:
    """One cell of a worker that may run several, and its seconds; ``block`` names the split of these rows.

    One at a time, with one BLAS thread: its numbers do not depend on the number of workers.
    """
    with _turn, one_blas_thread():
        return timed_cell(candidate, data, split, block, task)


def timed_cell(candidate: Candidate, data: Data, split: Split, block: str, task: Task) -> tuple[Cell, float]:
    """A cell and its seconds; the tables of the latest block are kept for the learners that come next."""
    start = time.perf_counter()
    fold = _recent.get(block)
    if fold is None:
        fold = data.fold(split)
        forget_folds()
        _recent[block] = fold
    return run_cell(candidate, fold, task), time.perf_counter() - start


def forget_folds() -> None:
    """Free the tables of the latest block."""
    _recent.clear()


def _shortened(text: str, most: int = 240) -> str:
    """A long message up to a sentence's end, or cut."""
    if len(text) <= most:
        return text
    end = text.rfind(". ", 60, most)
    return text[: end + 1] if end > 0 else text[:most] + " ..."


def _measure(candidate: Candidate, fold: Fold, task: Task, cell: Cell) -> None:
    X_train, X_test = fold.tables(candidate)
    learner = _seeded(candidate, task.seed)
    start = time.perf_counter()
    fold.fit(learner, X_train)
    cell.fit_seconds = time.perf_counter() - start
    steps = pipeline_steps(learner)
    last = steps[-1][1] if steps else learner
    if hasattr(last, "best_params_"):
        cell.chosen, cell.chosen_score = last.best_params_, float(getattr(last, "best_score_", np.nan))
    elif selectors := [step for _, step in steps[:-1] if hasattr(step, "get_support")]:
        columns = [str(name) for name in selectors[-1].get_feature_names_out()]
        cell.chosen, cell.chosen_score = {"columns": columns}, float(getattr(selectors[-1], "score_", np.nan))
    start = time.perf_counter()
    predictions = learner.predict(X_test)
    cell.predict_seconds = time.perf_counter() - start
    if np.size(predictions) != len(fold.truth):
        raise ValueError(f"predict gave {np.size(predictions)} answers for {len(fold.truth)} rows")
    if fold.data.target.numbers is not None:
        _measure_numbers(learner, fold, task, cell, np.asarray(predictions, dtype=np.float64).ravel(), X_test)
        return
    K = len(fold.labels)
    cell.answer = answer_codes(np.asarray(predictions), fold.labels).astype(np.min_scalar_type(-K))
    keep = task.probabilities and fold.split.repetition == 0
    posterior = None
    needed = any(m.needs != "labels" for m in task.metrics)
    if hasattr(learner, "predict_proba") and (keep or needed):
        try:
            posterior = posterior_of(learner, X_test, fold.labels)
        except Exception as error:
            if needed:
                raise  # a metric rests on them; otherwise the answers stand without
            warn_user(f"{error}; its answers stand without probabilities")
    cell.posterior = posterior if keep else None
    price, left_open = _prices(fold, task, cell, posterior)
    if keep:
        cell.price, cell.rejected = price, left_open
    answer = cell.answer.astype(np.int64)
    outcome = Outcome(fold.truth, answer, posterior, K, price, left_open, fold.w_test, fold.labels)
    cell.values = {m.name: float(m.of(outcome)) for m in task.metrics}


def _measure_numbers(
    learner: Any, fold: Fold, task: Task, cell: Cell, predicted: np.ndarray, X_test: Any
) -> None:
    """The metrics of predicted numbers."""
    if not np.isfinite(predicted).all():
        i = int(np.argmax(~np.isfinite(predicted)))
        raise ValueError(f"predict gave {predicted[i]} for {row_name(i, fold.test)}, expected a number")
    cell.answer = predicted
    cell.values, cell.distribution = measure_numbers(
        learner, X_test, fold.truth, predicted, fold.w_test, task.metrics, fold.train.shape[1]
    )
    if not (task.probabilities and fold.split.repetition == 0):
        cell.distribution = None


def measure_numbers(
    learner: Any,
    X: Any,
    truth: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray | None,
    metrics: list[Measure],
    columns: int,
) -> tuple[dict[str, float], Any]:
    """The metrics of predicted numbers, and the predictive distribution if one of them needs it."""
    needed = any(m.needs in ("quantiles", "distribution") for m in metrics)
    distribution = lower = upper = None
    if needed and (
        steps := pipeline_steps(learner)
    ):  # scikit-learn's pipelines do not pass these questions on
        learner, X = steps[-1][1], learner[:-1].transform(X)
    if needed and hasattr(learner, "predict_distribution"):
        distribution = learner.predict_distribution(X)
    elif needed and hasattr(learner, "predict_interval"):
        lower, upper = np.asarray(learner.predict_interval(X, coverage=INTERVAL_COVERAGE)).T
    outcome = outcome_of_numbers(truth, predicted, weight, distribution, columns, lower, upper)
    return {m.name: float(m.of(outcome)) for m in metrics}, distribution


def outcome_of_numbers(
    truth: np.ndarray,
    predicted: np.ndarray,
    weight: np.ndarray | None,
    distribution: Any,
    columns: int,
    lower: np.ndarray | None = None,
    upper: np.ndarray | None = None,
) -> Outcome:
    """Predicted numbers that were checked, as measures see them."""
    return Outcome(truth, predicted, None, 0, weight=weight, distribution=distribution, lower=lower, upper=upper,
                   coverage=INTERVAL_COVERAGE, columns=columns)  # fmt: skip


def _seeded(candidate: Candidate, seed: int) -> Any:
    """A fresh clone in which every open random_state is the comparison's seed."""
    from sklearn.base import clone

    return clone(candidate.seeded(seed))


def answer_codes(answers: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(n,) the number of each answer among the sorted labels; -1 for an answer that is none of them."""
    answers = answers.ravel()
    if answers.dtype.kind == labels.dtype.kind and answers.dtype.kind in "biufU":
        at = np.minimum(np.searchsorted(labels, answers), len(labels) - 1)
        return np.where(labels[at] == answers, at, -1)
    position = {label: k for k, label in enumerate(labels.tolist())}
    values, inverse = np.unique(answers, return_inverse=True) if answers.dtype != object else (answers, None)
    codes = np.array([position.get(v, -1) for v in values.tolist()], dtype=np.int64)
    return codes if inverse is None else codes[inverse]


def posterior_of(learner: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    """(n, K) the learner's posterior with a column for every class, zero for those it never saw."""
    posterior = np.array(learner.predict_proba(X), dtype=np.float64)
    if posterior.shape != (wanted := (X.shape[0] if hasattr(X, "shape") else len(X), len(learner.classes_))):
        raise ValueError(f"predict_proba gave an array of shape {posterior.shape}, expected {wanted}")
    if not np.isfinite(posterior).all():
        raise ValueError("predict_proba gave numbers that are not finite")
    below, off = posterior.min(axis=1), np.abs(posterior.sum(axis=1) - 1)
    if (bad := (below < -_NEAR) | (off > _NEAR)).any():
        i = int(np.argmax(bad))
        raise ValueError(
            f"predict_proba gave no probabilities: {row_name(i, X)} has {posterior[i].round(4).tolist()}"
        )
    if (rough := (below < 0) | (off > _ROUNDING)).any():
        posterior[rough] = np.maximum(posterior[rough], 0)
        posterior[rough] /= posterior[rough].sum(axis=1, keepdims=True)
    whole = np.zeros((len(posterior), len(labels)))
    whole[:, answer_codes(np.asarray(learner.classes_), labels)] = posterior
    return whole


def _prices(fold: Fold, task: Task, cell: Cell, posterior: np.ndarray | None) -> tuple[Any, Any]:
    """What each row's decision costs and which rows stay undecided; None without a loss or a reject cost."""
    if task.loss is None:
        return None, None
    loss = task.loss
    if loss.per_row:
        loss = LossMatrix(loss.actions, loss.classes, loss.costs[fold.split.test])
    answer = np.asarray(cell.answer, dtype=np.int64)
    if posterior is None or (answer < 0).any():  # no probabilities, or a learner that decides by itself
        chosen = answer
    else:
        chosen = decide(posterior, loss, task.reject, classes=loss.classes).chosen
    open_rows = chosen < 0
    price = np.empty(len(chosen))
    price[~open_rows] = loss.of(np.maximum(chosen, 0), fold.truth)[~open_rows]
    if open_rows.any() and task.reject is None:
        raise ValueError("rows were rejected, but compare does not know what that costs: reject=...")
    price[open_rows] = np.broadcast_to(task.reject, price.shape)[open_rows] if open_rows.any() else 0.0
    return price, open_rows
