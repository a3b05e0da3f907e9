"""Running a comparison: split by split, in this process or in several, and what there is to say about it."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Generator, Iterator
from concurrent.futures import BrokenExecutor
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.progress import Progress, progress
from assay.errors import DegenerateError
from assay.evaluate.cluster import DIED, Cluster, Shared
from assay.evaluate.design import Resampling, Split
from assay.evaluate.fold import Cell, Data, Task, run_cell, run_in_turn
from assay.evaluate.prepared import Candidate
from assay.evaluate.work import alone, each
from assay.metrics.measure import Measure
from assay.tables import Table

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison

__all__ = ["remarks_on", "run"]

INTERRUPTED = "Interrupted"  # why a run ended that the user stopped

Done = tuple[
    tuple[int, int, int], np.ndarray
]  # repetition, fold, training rows; the numbers of the test rows

NEEDED_OF_NUMBERS = {"quantiles": "intervals", "distribution": "a predictive distribution"}
MOST_WARNINGS = 3  # kinds of warnings that are shown of one learner


def run(
    candidates: list[Candidate],
    data: Data,
    design: Resampling,
    task: Task,
    n_jobs: int | None,
    deadline: float | None,
    cluster: Cluster | None = None,
) -> tuple[list[list[Cell]], list[Done], str]:
    """The cells of the finished splits, these splits, and why it ended early, or "".

    Splits are the blocks: an interruption or a used-up budget ends the run after a whole split, so that every
    learner has been tested on the same rows. Splits are dealt as they are needed.
    """
    finished: list[list[Cell]] = []
    dealt: list[Done] = []
    ended = ""
    total = design.count(len(data.codes), data.groups)
    splits = _noted(design.splits(data.codes, task.seed, data.groups, data.times), dealt)
    with progress(total=total * len(candidates), description="comparing learners") as bar:
        rows = _rows(candidates, data, splits, task, n_jobs, bar, cluster)
        try:
            for row in rows:
                finished.append(row)
                if deadline is not None and time.perf_counter() > deadline and len(finished) < total:
                    ended = "The time budget was used up"
                    break
        except KeyboardInterrupt:
            if not finished:
                raise
            ended = INTERRUPTED
        except BrokenExecutor as error:
            if not finished:
                raise DegenerateError(
                    "a process died before any split was finished, often for want of memory. Use fewer "
                    "processes (n_jobs=1), or leave out the learner that needs so much.",
                    who="compare",
                ) from error
            ended = "A process died, often for want of memory,"
        finally:
            rows.close()
    return finished, dealt[: len(finished)], ended


def _noted(splits: Iterator[Split], dealt: list[Done]) -> Iterator[Split]:
    """The splits, each noted down when it is dealt; its training rows are not kept."""
    for split in splits:
        dealt.append(((split.repetition, split.fold, len(split.train)), split.test))
        yield split


def _rows(
    candidates: list[Candidate],
    data: Data,
    splits: Iterator[Split],
    task: Task,
    n_jobs: int | None,
    bar: Progress,
    cluster: Cluster | None,
) -> Generator[list[Cell]]:
    """The cells of each split in order; here, in as many processes as joblib's settings or n_jobs say, or far away."""
    if cluster is None and alone(n_jobs):
        return _one_by_one(candidates, data, splits, task, bar)
    if not any(c.raw for c in candidates) and not isinstance(data.raw, Table):
        sent = copy(data)  # nobody needs the rows as they came, so no process has to be sent them
        sent.raw = None
    else:
        sent = data
    if cluster is not None:
        return _on_cluster(candidates, sent, splits, task, cluster, bar)
    return _in_processes(candidates, sent, splits, task, n_jobs, bar)


def _one_by_one(
    candidates: list[Candidate], data: Data, splits: Iterator[Split], task: Task, bar: Progress
) -> Generator[list[Cell]]:
    for split in splits:
        fold, row = data.fold(split), []
        for c in candidates:
            row.append(run_cell(c, fold, task))
            bar.advance(note=c.name)
        yield row


def _in_processes(
    candidates: list[Candidate],
    data: Data,
    splits: Iterator[Split],
    task: Task,
    n_jobs: int | None,
    bar: Progress,
) -> Generator[list[Cell]]:
    rows = each(_one_split, ((candidates, data, split, task) for split in splits), n_jobs)
    try:
        for row in rows:
            bar.advance(len(candidates))
            yield row
    finally:
        rows.close()


def _on_cluster(
    candidates: list[Candidate],
    data: Data,
    splits: Iterator[Split],
    task: Task,
    cluster: Cluster,
    bar: Progress,
) -> Generator[list[Cell]]:
    """The cells of each split in order, though they come as their workers finish them."""
    learners, rows = [Shared(c) for c in candidates], Shared(data, everywhere=True)
    run_print = uuid.uuid4().hex  # workers may remember the tables of an earlier run

    def work() -> Iterator[tuple[tuple[int, int], tuple[Any, ...]]]:
        for j, split in enumerate(splits):
            shared = Shared(split)
            for i, learner in enumerate(learners):
                yield (j, i), (learner, rows, shared, f"{run_print} {j}", task)

    finished, due = cluster.each(run_in_turn, work()), 0
    cells: dict[int, dict[int, Cell]] = {}
    try:
        for (j, i), result in finished:
            cells.setdefault(j, {})[i] = Cell(failure=DIED) if result is None else result[0]
            bar.advance(note=candidates[i].name)
            while len(cells.get(due, ())) == len(candidates):
                row = cells.pop(due)
                due += 1
                yield [row[i] for i in range(len(candidates))]
    finally:
        finished.close()


def _one_split(candidates: list[Candidate], data: Data, split: Split, task: Task) -> list[Cell]:
    fold = data.fold(split)
    return [run_cell(c, fold, task) for c in candidates]


def remarks_on(result: Comparison) -> list[str]:
    """Sentences about what the splits left undefined, and about what learners warned of."""
    return _undefined(result) + _warned(result.cells)


def _undefined(result: Comparison) -> list[str]:
    """A sentence for each metric that some splits leave undefined for every learner, or every split for some."""
    notes, cells = [], result.cells
    for m in result.metrics:
        values = result.defining_values(m)
        lost, J = int(np.isnan(values).all(axis=0).sum()), values.shape[1]
        failed = all(any(c.failure for c in column) for column in cells.values())
        if lost and not failed:
            some_known = any(np.isfinite(result.values(name, m.name)).any() for name in cells)
            notes.append(_lost_splits(m, lost, J, some_known))
        if lost == J:
            continue
        without = [
            name
            for name, column, of_learner in zip(cells, cells.values(), values)
            if np.isnan(of_learner).all() and not any(c.failure for c in column)
        ]
        if without:
            needed = "probabilities" if m.needs_probabilities else NEEDED_OF_NUMBERS.get(m.needs, "")
            asks = f", which needs {needed}" if needed else ""
            notes.append(f"{', '.join(without)} cannot be judged by {m.name}{asks}: its place stays empty.")
    return notes


def _lost_splits(m: Measure, lost: int, J: int, some_known: bool) -> str:
    if lost < J:
        return f"{m.name} is not defined on {lost} of {J} splits and rests on the others."
    if m.needs in NEEDED_OF_NUMBERS and not some_known:
        return (
            f"{m.name} needs {NEEDED_OF_NUMBERS[m.needs]}, which no learner here gives. "
            "assay.decide.ConformalRegressor(learner) does, around any regressor."
        )
    on = f"on {J} of {J} splits" if J > 1 else "on these test rows"
    return f"{m.name} is not defined {on} and says nothing here."


def _warned(cells: dict[str, list[Cell]]) -> list[str]:
    """One sentence for each kind of warning a learner gave, however often its numbers and names differed."""
    notes = []
    anyone = next(iter(cells.values()))
    strange = sorted({name for cell in anyone for name in cell.unseen})
    if strange:
        splits = sum(bool(cell.unseen) for cell in anyone)
        names = ", ".join(strange[:10]) + (", ..." if len(strange) > 10 else "")
        notes.append(
            f"On {splits} of {len(anyone)} splits, test rows had categories that the training rows lack, in {names}; "
            "they count as missing."
        )
    for name, column in cells.items():
        kinds: dict[str, list[str]] = {}
        for cell in column:
            for text in cell.warnings:
                kinds.setdefault(re.sub(r"'[^']*'|\d+", "", text), []).append(text)
        sentences = [
            f"{name} warned on {len(texts)} of {len(column)} splits: {texts[0]}" for texts in kinds.values()
        ]
        notes += sentences[:MOST_WARNINGS]
        if len(sentences) > MOST_WARNINGS:
            notes.append(f"{name} gave {len(sentences) - MOST_WARNINGS} more kinds of warnings.")
    return notes
