"""Running cells: one after the other here, in processes through joblib, or on a Dask cluster; within a time budget."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from typing import Any

from assay.core.parallel import one_blas_thread
from assay.core.progress import progress
from assay.errors import AssayError
from assay.evaluate import Split
from assay.evaluate.cluster import DIED, Cluster, Shared
from assay.evaluate.fold import Cell, Data, Task, forget_folds, run_in_turn, timed_cell
from assay.evaluate.prepared import Candidate
from assay.evaluate.work import alone, each
from assay.experiments.cells import Job
from assay.experiments.clock import Clock

__all__ = ["run_jobs"]

_DIED = "Its process died, often for want of memory, also with no other cell beside it."
Done = Callable[[Job, Cell, float], None]  # job, its result, seconds


def run_jobs(
    jobs: Sequence[Job],
    task: Task,
    done: Done,
    clock: Clock,
    n_jobs: int | None,
    budget: float | None,
    cluster: Cluster | None = None,
) -> str:
    """Run the jobs in order and hand each cell to ``done`` when it is finished; returns why it ended early, or "".

    Within a budget, a cell is started only if the time that such cells take is still left. In every process a cell
    has one BLAS thread, so its numbers do not depend on how many processes there are.
    """
    deadline = None if budget is None else time.time() + budget
    left = len(jobs)

    def note(job: Job, cell: Cell, seconds: float) -> None:
        nonlocal left
        left -= 1
        done(job, cell, seconds)
        bar.advance(note=f"{job.trial.problem.name}, {job.trial.entrant.name}")

    try:
        with progress(total=len(jobs), description="running the experiment") as bar:
            if cluster is not None:
                _on_cluster(jobs, task, note, clock, deadline, cluster)
            elif len(jobs) < 2 or alone(n_jobs):
                _here(jobs, task, note, clock, deadline)
            else:
                _elsewhere(jobs, task, note, clock, deadline, n_jobs)
    except KeyboardInterrupt:
        return "Interrupted"
    return "" if left == 0 else "The time budget was used up"


def _here(jobs: Sequence[Job], task: Task, note: Done, clock: Clock, deadline: float | None) -> None:
    with one_blas_thread():
        for job in jobs:
            if deadline is not None and time.time() + (clock.of(job) or 0.0) >= deadline:
                continue  # a shorter one may still fit
            note(job, *timed_cell(job.trial.candidate, job.trial.problem.data, job.split, _block(job), task))
    forget_folds()


def _on_cluster(
    jobs: Sequence[Job], task: Task, note: Done, clock: Clock, deadline: float | None, cluster: Cluster
) -> None:
    """On the workers of a Dask cluster; a cell whose workers die again and again has failed."""
    rows = {job.trial.problem.name: Shared(job.trial.problem.sent, everywhere=True) for job in jobs}
    splits: dict[str, Shared] = {}
    left = Counter(_block(job) for job in jobs)

    def work() -> Iterator[tuple[int, tuple[Any, ...]]]:
        for i, job in enumerate(jobs):
            seconds, block = clock.of(job) or 0.0, _block(job)
            left[block] -= 1
            if deadline is not None and time.time() + seconds >= deadline:
                continue
            latest = None if deadline is None else deadline - seconds
            split = splits.setdefault(block, Shared(job.split))
            if not left[block]:
                del splits[block]  # its last cell holds it
            yield i, (i, job.trial.candidate, rows[job.trial.problem.name], split, block, task, latest)

    finished = cluster.each(_one, work())
    try:
        for i, result in finished:
            cell, seconds = (Cell(failure=DIED), 0.0) if result is None else result[1:]
            if cell is not None:
                note(jobs[i], cell, seconds)
    finally:
        finished.close()


def _elsewhere(
    jobs: Sequence[Job], task: Task, note: Done, clock: Clock, deadline: float | None, n_jobs: int | None
) -> None:
    """In processes. If one dies, the unfinished cells are run one at a time; one that kills its own has failed."""
    left = list(range(len(jobs)))
    while left:
        out: dict[int, None] = {}
        try:
            _sent(jobs, left, out, task, note, clock, deadline, n_jobs)
            return
        except BrokenExecutor as error:
            if not out:
                raise AssayError(
                    "experiment: a worker process was ended by the system before it had a cell to run, most likely "
                    "because memory ran out. Run again, with fewer processes (n_jobs)."
                ) from error
            for i in out:
                try:
                    _sent(jobs, [i], {}, task, note, clock, deadline, n_jobs)
                except BrokenExecutor:
                    note(jobs[i], Cell(failure=_DIED), 0.0)
        left = left[left.index(max(out)) + 1 :]  # they are sent in order


def _sent(
    jobs: Sequence[Job],
    numbers: Sequence[int],
    out: dict[int, None],
    task: Task,
    note: Done,
    clock: Clock,
    deadline: float | None,
    n_jobs: int | None,
) -> None:
    """Send the jobs of these numbers to processes; ``out`` holds those that were sent and are not back."""

    def work() -> Iterator[tuple[Any, ...]]:
        for i in numbers:
            job, out[i] = jobs[i], None
            seconds = clock.of(job) or 0.0
            if deadline is not None and time.time() + seconds >= deadline:
                continue
            latest = None if deadline is None else deadline - seconds
            yield i, job.trial.candidate, job.trial.problem.sent, job.split, _block(job), task, latest

    finished = each(_one, work(), n_jobs, ordered=False)
    try:
        for i, cell, seconds in finished:
            del out[i]
            if cell is not None:
                note(jobs[i], cell, seconds)
    finally:
        finished.close()


def _one(
    i: int, candidate: Candidate, data: Data, split: Split, block: str, task: Task, latest: float | None
) -> tuple[int, Cell | None, float]:
    """One cell in a worker; None if the moment at which it had to begin has passed while it waited."""
    if latest is not None and time.time() >= latest:
        return i, None, 0.0
    return i, *run_in_turn(candidate, data, split, block, task)


def _block(job: Job) -> str:
    return f"{job.trial.problem.print} {job.trial.problem.split_prints[job.number]}"
