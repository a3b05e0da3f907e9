"""One fold of a comparison: its tables, what a learner needs before it can use them, and one run."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core import Learner
from assay.decide import Loss, decide
from assay.evaluate.design import Split
from assay.evaluate.metrics import Metric, Outcome
from assay.tables import Column, Design, Schema, Table
from assay.tables.table import UNSEEN

__all__ = ["Candidate", "Cell", "Data", "Fold", "Task", "run_cell"]


@dataclass(frozen=True)
class Candidate:
    """A learner that takes part: its name, itself (not fitted), and how its tables are prepared."""

    name: str
    estimator: Any
    preparation: Preparation


@dataclass(frozen=True)
class Preparation:
    """What is done to the tables of a fold before a learner sees them, learned from its training rows.

    Parameters
    ----------
    raw : bool
        The learner is a pipeline that prepares for itself; it gets the rows as they came.
    impute : bool
        Missing numbers become the column's mean, missing categories its most frequent one.
    scale : bool
        Numbers become z-scores.
    numbers : bool
        Categories become indicator columns, and the learner gets a plain array.
    """

    raw: bool = False
    impute: bool = False
    scale: bool = False
    numbers: bool = False

    @classmethod
    def for_(cls, estimator: Any, table: Table, scale: bool = False) -> Preparation:
        """What this learner needs to be able to use this table."""
        if _prepares_itself(estimator):
            return cls(raw=True)
        takes_missing, takes_text, ours = _takes(estimator)
        coded = bool(table.schema.coded.any())
        holes = not table.complete or (coded and ours)  # a category unseen in training is missing, too
        return cls(
            impute=holes and not takes_missing,
            scale=scale and not table.schema.coded.all(),
            numbers=not ours and (coded or not takes_text),
        )

    def words(self, table: Table) -> str:
        """What the result says was done: "imputed, scaled, indicators"; "" for nothing."""
        if self.raw:
            return "own pipeline"
        coded = bool(table.schema.coded.any())
        said = [
            ("imputed", self.impute and not table.complete),
            ("scaled", self.scale),
            ("indicators", self.numbers and coded),
        ]
        return ", ".join(word for word, done in said if done)

    def of(self, train: Table, test: Table) -> tuple[Any, Any]:
        """Both tables, as prepared by what the training rows say."""
        if self.impute:
            train, test = _impute(train, train), _impute(test, train)
        if self.scale:
            train, test = _scale(train, train), _scale(test, train)
        if not self.numbers:
            return train, test
        design = Design(train.schema)
        return _expanded(design, train), _expanded(design, test)


def _prepares_itself(estimator: Any) -> bool:
    """A pipeline, or a search over one, is handed the rows as they came."""
    inner = getattr(estimator, "estimator", None)
    return hasattr(estimator, "steps") or (inner is not None and _prepares_itself(inner))


def _takes(estimator: Any) -> tuple[bool, bool, bool]:
    """Whether it takes missing values, text, and tables of ours."""
    ours = isinstance(estimator, Learner) or type(estimator).__module__.startswith("assay.")
    try:
        from sklearn.utils import get_tags

        tags = get_tags(estimator).input_tags
        return bool(tags.allow_nan), bool(tags.string or tags.categorical), ours
    except Exception:  # a stranger without tags takes plain numbers
        return False, False, ours


def _impute(table: Table, train: Table) -> Table:
    """Holes filled with the training rows' mean or most frequent category; a column of holes with zeros."""
    values, known = table.values, train.values
    if not isinstance(values, np.ndarray):
        return table
    filled = values.copy()
    for j, column in enumerate(table.schema):
        hole = np.isnan(filled[:, j]) | (column.coded & (filled[:, j] == UNSEEN))
        if not hole.any():
            continue
        there = known[:, j][~np.isnan(known[:, j])]
        if not len(there):
            filled[hole, j] = 0.0
        elif column.coded:
            filled[hole, j] = np.argmax(np.bincount(there.astype(np.intp)))
        else:
            filled[hole, j] = there.mean()
    return Table(filled, table.schema, True)


def _scale(table: Table, train: Table) -> Table:
    """Numeric columns as z-scores of the training rows; a constant column becomes zeros."""
    values = table.values.copy()
    for j in np.flatnonzero(~table.schema.coded):
        known = train.values[:, j][~np.isnan(train.values[:, j])]
        centre, spread = (known.mean(), known.std()) if len(known) else (0.0, 0.0)
        values[:, j] = (values[:, j] - centre) / (spread if spread > 0 else 1.0)
    return Table(values, table.schema, table.complete, table.unseen)


def _expanded(design: Design, table: Table) -> Any:
    return design.expand(table.values) if isinstance(table.values, np.ndarray) else table.values


class Data:
    """The rows of a comparison: as they came, as a table, and their classes.

    The categories of a column are part of what is learned: in a fold, a nominal column has the categories of
    the training rows alone, and another one in a test row is unseen, as it would be in use.
    """

    def __init__(self, raw: Any, table: Table, labels: np.ndarray, codes: np.ndarray):
        self.raw, self.table, self.labels, self.codes = raw, table, labels, codes
        self._nominal = [j for j, column in enumerate(table.schema) if column.kind == "nominal"]

    def fold(self, split: Split) -> Fold:
        train, test = self.table.values[split.train], self.table.values[split.test]
        columns, unseen = list(self.table.schema.columns), {}
        for j in self._nominal:
            column = columns[j]
            seen = np.unique(train[:, j][~np.isnan(train[:, j])]).astype(np.intp)
            if len(seen) == len(column.categories):
                continue
            code = np.full(len(column.categories), UNSEEN)
            code[seen] = np.arange(len(seen))
            strange = np.setdiff1d(test[:, j][~np.isnan(test[:, j])].astype(np.intp), seen)
            if len(strange):
                unseen[column.name] = [column.categories[c] for c in strange]
            for values in (train, test):
                there = ~np.isnan(values[:, j])
                values[there, j] = code[values[there, j].astype(np.intp)]
            columns[j] = Column(column.name, "nominal", tuple(column.categories[c] for c in seen))
        schema = Schema(columns, self.table.schema.named)
        return Fold(
            Table(train, schema, self.table.complete or _whole(train)),
            Table(test, schema, self.table.complete or _whole(test), unseen),
            self.labels[self.codes[split.train]],
            self.codes[split.test],
            self.labels,
            self,
            split,
        )


@dataclass
class Fold:
    """Training and test rows of one split."""

    train: Table
    test: Table
    y_train: np.ndarray
    truth: np.ndarray
    labels: np.ndarray
    data: Data
    split: Split

    def tables(self, preparation: Preparation) -> tuple[Any, Any]:
        """What the learner sees: (X of the training rows, X of the test rows)."""
        if preparation.raw and not isinstance(self.data.raw, Table):
            return take(self.data.raw, self.split.train), take(self.data.raw, self.split.test)
        return preparation.of(self.train, self.test)


@dataclass(frozen=True)
class Task:
    """What is asked of every cell: metrics, decisions, seed."""

    metrics: list[Metric]
    loss: Loss | None
    reject: Any
    seed: int


@dataclass
class Cell:
    """One learner on one fold: numbers, or the sentence that says why there are none."""

    values: dict[str, float] = field(default_factory=dict)
    answer: np.ndarray | None = None
    fit_seconds: float = np.nan
    predict_seconds: float = np.nan
    failure: str = ""
    warnings: list[str] = field(default_factory=list)


def run_cell(candidate: Candidate, fold: Fold, task: Task) -> Cell:
    """Prepare, fit, predict, measure. Whatever a learner raises becomes its cell's failure."""
    cell = Cell()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            _measure(candidate, fold, task, cell)
        except Exception as error:  # a learner must not end the others' run
            said = " ".join(str(error).split())
            cell = Cell(failure=f"{type(error).__name__}: {said[:300]}" if said else type(error).__name__)
    cell.warnings = list(dict.fromkeys(" ".join(str(w.message).split())[:300] for w in heard))
    return cell


def _measure(candidate: Candidate, fold: Fold, task: Task, cell: Cell) -> None:
    X_train, X_test = fold.tables(candidate.preparation)
    learner = _seeded(candidate.estimator, task.seed)
    start = time.perf_counter()
    learner.fit(X_train, fold.y_train)
    cell.fit_seconds = time.perf_counter() - start
    start = time.perf_counter()
    said = learner.predict(X_test)
    cell.predict_seconds = time.perf_counter() - start
    K = len(fold.labels)
    cell.answer = _codes(np.asarray(said), fold.labels).astype(np.min_scalar_type(-K))
    posterior = None
    if hasattr(learner, "predict_proba") and any(m.needs for m in task.metrics):
        posterior = _posterior(learner, X_test, fold.labels)
    seen = Outcome(
        fold.truth, cell.answer.astype(np.int64), posterior, K, *_prices(fold, task, cell, posterior)
    )
    cell.values = {m.name: float(m.of(seen)) for m in task.metrics}


def _seeded(estimator: Any, seed: int) -> Any:
    """A fresh clone in which every open random_state is the comparison's seed."""
    from sklearn.base import clone

    fresh = clone(estimator)
    parameters = fresh.get_params() if hasattr(fresh, "get_params") else {}
    open_ones = {k: seed for k, v in parameters.items() if k.split("__")[-1] == "random_state" and v is None}
    return fresh.set_params(**open_ones) if open_ones else fresh


def _codes(said: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """(n,) the number of each answer among the labels; -1 for an answer that is none of them."""
    position = {label: k for k, label in enumerate(labels.tolist())}
    values, inverse = np.unique(said.ravel(), return_inverse=True) if said.dtype != object else (said, None)
    codes = np.array([position.get(v, -1) for v in values.tolist()], dtype=np.int64)
    return codes if inverse is None else codes[inverse]


def _posterior(learner: Any, X: Any, labels: np.ndarray) -> np.ndarray:
    """(n, K) the learner's posterior with a column for every class, zero for those it never saw."""
    found = np.asarray(learner.predict_proba(X), dtype=np.float64)
    if not np.isfinite(found).all():
        raise ValueError("predict_proba gave numbers that are not finite")
    whole = np.zeros((len(found), len(labels)))
    whole[:, _codes(np.asarray(learner.classes_), labels)] = found
    return whole


def _prices(fold: Fold, task: Task, cell: Cell, posterior: np.ndarray | None) -> tuple[Any, Any]:
    """What each row's decision costs and which rows stay undecided; None without a loss or a reject cost."""
    if task.loss is None:
        return None, None
    loss = task.loss
    if loss.per_row:
        loss = Loss(loss.actions, loss.classes, loss.costs[fold.split.test])
    answer = np.asarray(cell.answer, dtype=np.int64)
    if posterior is None or (answer < 0).any():  # no probabilities, or a learner that decides by itself
        chosen = answer
    else:
        chosen = decide(posterior, loss, task.reject, classes=loss.classes).chosen
    open_rows = chosen < 0
    price = np.empty(len(chosen))
    price[~open_rows] = loss.of(np.maximum(chosen, 0), fold.truth)[~open_rows]
    if open_rows.any() and task.reject is None:
        raise ValueError("rows were rejected, but compare was not told what that costs: reject=...")
    price[open_rows] = np.broadcast_to(task.reject, price.shape)[open_rows] if open_rows.any() else 0.0
    return price, open_rows


def take(X: Any, rows: np.ndarray) -> Any:
    """Some rows of whatever X is."""
    if isinstance(X, np.ndarray) or hasattr(X, "tocsr"):
        return (X if isinstance(X, np.ndarray) else X.tocsr())[rows]
    if isinstance(X, Table):
        unseen = dict(X.unseen)
        return Table(X.values[rows], X.schema, X.complete or _whole(X.values[rows]), unseen)
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if isinstance(X, dict):
        return {name: take(column, rows) for name, column in X.items()}
    if isinstance(X, (list, tuple)):
        return [X[i] for i in rows]
    import narwhals.stable.v2 as nw

    frame = nw.from_native(X, eager_only=True, allow_series=True)
    return frame[rows.tolist()].to_native()


def _whole(values: Any) -> bool:
    return not np.isnan(values if isinstance(values, np.ndarray) else values.data).any()
