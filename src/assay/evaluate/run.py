"""Running a comparison: split by split, in this process or in several, and what there is to say about it."""

from __future__ import annotations

import re
import time
from collections.abc import Generator

import numpy as np

from assay.core.progress import Progress, progress
from assay.evaluate.design import Split
from assay.evaluate.fold import Cell, Data, Task, run_cell
from assay.evaluate.metrics import Metric
from assay.evaluate.prepared import Candidate

__all__ = ["remarks_on", "run"]

MOST_WARNINGS = 3  # kinds of warnings that are told of one learner


def run(
    candidates: list[Candidate],
    data: Data,
    splits: list[Split],
    task: Task,
    n_jobs: int | None,
    deadline: float | None,
) -> tuple[list[list[Cell]], str]:
    """The cells of the finished splits, and why it ended early, or "".

    Splits are the blocks: an interruption or a used-up budget ends the run after a whole split, so that every
    learner has been tested on the same rows.
    """
    finished: list[list[Cell]] = []
    ended = ""
    with progress(total=len(splits) * len(candidates), description="comparing learners") as bar:
        if n_jobs in (None, 1):
            rows = _one_by_one(candidates, data, splits, task, bar)
        else:
            rows = _in_processes(candidates, data, splits, task, n_jobs, bar)
        try:
            for row in rows:
                finished.append(row)
                if deadline is not None and time.perf_counter() > deadline and len(finished) < len(splits):
                    ended = "The time budget was used up"
                    break
        except KeyboardInterrupt:
            if not finished:
                raise
            ended = "Interrupted"
        finally:
            rows.close()
    return finished, ended


def _one_by_one(
    candidates: list[Candidate], data: Data, splits: list[Split], task: Task, bar: Progress
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
    splits: list[Split],
    task: Task,
    n_jobs: int | None,
    bar: Progress,
) -> Generator[list[Cell]]:
    from joblib import Parallel, delayed

    work = (delayed(_one_split)(candidates, data, split, task) for split in splits)
    for row in Parallel(n_jobs=n_jobs, return_as="generator")(work):
        bar.advance(len(candidates))
        yield row


def _one_split(candidates: list[Candidate], data: Data, split: Split, task: Task) -> list[Cell]:
    fold = data.fold(split)
    return [run_cell(c, fold, task) for c in candidates]


def remarks_on(cells: dict[str, list[Cell]], metrics: list[Metric]) -> list[str]:
    """Sentences about what the splits left undefined, and about what learners warned of."""
    return _undefined(cells, metrics) + _warned(cells)


def _undefined(cells: dict[str, list[Cell]], metrics: list[Metric]) -> list[str]:
    """A sentence for each metric that some splits leave undefined for every learner."""
    notes = []
    for m in metrics:
        values = np.array([[c.values.get(m.name, np.nan) for c in column] for column in cells.values()])
        lost, J = int(np.isnan(values).all(axis=0).sum()), values.shape[1]
        failed = all(any(c.failure for c in column) for column in cells.values())
        if lost and not failed:
            rest = "rests on the others" if lost < J else "says nothing here"
            notes.append(f"{m.name} is not defined on {lost} of {J} splits and {rest}.")
    return notes


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
        said = [
            f"{name} warned on {len(texts)} of {len(column)} splits: {texts[0]}" for texts in kinds.values()
        ]
        notes += said[:MOST_WARNINGS]
        if len(said) > MOST_WARNINGS:
            notes.append(f"{name} gave {len(said) - MOST_WARNINGS} more kinds of warnings.")
    return notes
