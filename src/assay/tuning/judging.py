"""Settings of a learner, judged on the same splits: here or in processes, with a journal of what is known."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import BrokenExecutor
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from assay.evaluate.candidates import varied
from assay.evaluate.design import Split
from assay.evaluate.fold import Cell, Data, Fold, Task, run_cell
from assay.evaluate.prepared import Candidate
from assay.evaluate.work import alone, each
from assay.tables import Table

__all__ = ["Judge", "Judgement"]

DIED = "Its process died, often for want of memory, also with no other fit beside it."


@dataclass(frozen=True)
class Judgement:
    """A setting and what came of it.

    Attributes
    ----------
    setting : dict      mean : of the metric over the splits, NaN if it failed
    share : of the training rows of each split that it was fitted to
    seconds : of all fits and predictions, NaN where the journal has the values
    failure : why it failed, or ""
    """

    setting: dict[str, Any]
    mean: float
    share: float = 1.0
    seconds: float = float("nan")
    failure: str = ""


class Judge:
    """Fits settings of a learner to the training rows of splits and measures them on the test rows.

    With a folder, every finished fit is written to a journal there: what is known is not done again, also by another
    process after this one was killed. The journal is found by a fingerprint of rows, splits, learner and metric, so one
    folder serves many searches.

    Parameters
    ----------
    learner : a learner or its short name      data : Data      splits : the inner splits
    task : metric, costs and seed      who : for error messages
    n_jobs : processes, one split each      folder : of the journals, or None
    in_order : whether training rows are in order of time, so that the last ones are the most alike to test rows
    """

    def __init__(
        self,
        learner: Any,
        data: Data,
        splits: list[Split],
        task: Task,
        who: str,
        *,
        n_jobs: int | None = None,
        folder: str | Path | None = None,
        in_order: bool = False,
    ):
        self.learner, self.data, self.splits, self.task, self.who = learner, data, splits, task, who
        self.n_jobs, self.in_order = n_jobs, in_order
        self.here = alone(n_jobs)
        self._folds: dict[tuple[int, float], Fold] = {}
        self._journal = None if folder is None else self._opened(Path(folder))

    def _opened(self, folder: Path) -> Any:
        from assay import __version__
        from assay.experiments.fingerprint import data_print, digest, settings_text, split_print
        from assay.experiments.journal import Journal

        (metric,) = self.task.metrics
        loss = "" if self.task.loss is None else settings_text(self.task.loss.costs)
        search = digest(
            __version__,
            data_print(self.data),
            *(split_print(split) for split in self.splits),
            settings_text(self.learner),
            metric.name,
            loss,
            repr(self.task.reject),
            str(self.task.seed),
        )
        return Journal(folder / search, needs=("value", "failure"), who="search")

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *error: object) -> None:
        if self._journal is not None:
            self._journal.close()

    def candidates(self, settings: list[dict[str, Any]]) -> list[Candidate]:
        """The learner with each of the settings, and what it needs in front."""
        return varied(self.learner, settings, self.data.table, self.who, self.data.target.task)

    def judge(
        self,
        settings: list[dict[str, Any]],
        candidates: list[Candidate],
        share: float = 1.0,
        known: list[list[float]] | None = None,
    ) -> list[Judgement]:
        """The mean of the metric of each setting over the splits.

        ``known`` is given a list of values for each finished split, in which an interruption leaves what there is.
        """
        (metric,) = self.task.metrics
        rows, failures, seconds = (
            [] if known is None else known,
            [""] * len(settings),
            np.zeros(len(settings)),
        )
        for cells in self._cells(candidates, share):
            for i, cell in enumerate(cells):
                failures[i] = failures[i] or cell.failure
                seconds[i] += cell.fit_seconds + cell.predict_seconds
            rows.append([cell.values.get(metric.name, np.nan) for cell in cells])
        means = mean_of_defined(np.array(rows), [i for i, why in enumerate(failures) if why])
        for i, mean in enumerate(means):
            if np.isnan(mean) and not failures[i]:
                failures[i] = f"{metric.name} is not defined on the inner splits"
        return [
            Judgement(setting, float(mean), share, float(spent), why)
            for setting, mean, spent, why in zip(settings, means, seconds, failures, strict=True)
        ]

    def _cells(self, candidates: list[Candidate], share: float) -> Any:
        """The cells of all candidates, split by split; those in the journal are not run again."""
        keys = [self._keys(candidates, number, share) for number in range(len(self.splits))]
        missing = [[i for i, key in enumerate(of_split) if self._recorded(key) is None] for of_split in keys]
        fresh = self._fresh(candidates, share, missing)
        for of_split, some in zip(keys, missing, strict=True):
            done = dict(zip(some, next(fresh), strict=True)) if some else {}
            for i, cell in done.items():
                if cell.failure != DIED:  # with more memory it may go well the next time
                    self._record(of_split[i], cell)
            yield [done.get(i) or self._recorded(key) for i, key in enumerate(of_split)]

    def _fresh(
        self, candidates: list[Candidate], share: float, missing: list[list[int]]
    ) -> Generator[list[Cell]]:
        """The cells that are not known, of each split that lacks some.

        If a process dies, what is unfinished is run again, one setting at a time; one that kills its own has failed.
        """

        def work(number: int, some: list[int]) -> tuple[Any, ...]:
            part = self._part(number, share, any(c.raw for c in candidates))
            return [candidates[i] for i in some], *part, self.task

        jobs = [(number, some) for number, some in enumerate(missing) if some]
        finished = 0
        try:
            for cells in each(run_cells, (work(*job) for job in jobs), self.n_jobs):
                finished += 1
                yield cells
        except BrokenExecutor:
            for number, some in jobs[finished:]:
                yield [self._alone(work(number, [i])) for i in some]

    def _alone(self, work: tuple[Any, ...]) -> Cell:
        try:
            ((cell,),) = each(run_cells, [work], self.n_jobs)
        except BrokenExecutor:
            return Cell(failure=DIED)
        return cell

    def _part(self, number: int, share: float, raw: bool) -> tuple[Any, Any]:
        """What a fold is made of: itself, in this process; elsewhere the rows and the split."""
        if not self.here:
            sent = copy(self.data)
            if not raw and not isinstance(sent.raw, Table):
                sent.raw = None  # nobody needs the rows as they came
            return sent, self._split(number, share)
        if (number, share) not in self._folds:
            if share < 1.0:
                return self.data.fold(self._split(number, share)), None
            self._folds[number, share] = self.data.fold(self.splits[number])
        return self._folds[number, share], None

    def _split(self, number: int, share: float) -> Split:
        split = self.splits[number]
        if share >= 1.0:
            return split
        some = _some_rows(self.data.codes[split.train], share, self.task.seed, self.in_order)
        return split._replace(train=split.train[some])

    # ---------------------------------------------------------------- the journal

    def _keys(self, candidates: Sequence[Candidate], number: int, share: float) -> list[str]:
        if self._journal is None:
            return [""] * len(candidates)
        from assay.experiments.fingerprint import digest, settings_text

        texts = [settings_text(c.seeded(self.task.seed)) for c in candidates]
        return [digest(text, str(number), repr(share)) for text in texts]

    def _recorded(self, key: str) -> Cell | None:
        record = None if self._journal is None else self._journal.records.get(key)
        if record is None:
            return None
        (metric,) = self.task.metrics
        value = np.nan if record["value"] is None else float(record["value"])
        return Cell({} if record["failure"] else {metric.name: value}, failure=record["failure"])

    def _record(self, key: str, cell: Cell) -> None:
        if self._journal is None:
            return
        (metric,) = self.task.metrics
        value = float(cell.values.get(metric.name, np.nan))
        finite = bool(np.isfinite(value))
        self._journal.append({"key": key, "value": value if finite else None, "failure": cell.failure})


def run_cells(candidates: list[Candidate], part: Any, split: Split | None, task: Task) -> list[Cell]:
    """The cells of one split; ``part`` is its fold, or the rows of which the split makes one."""
    fold = part if split is None else part.fold(split)
    return [run_cell(candidate, fold, task) for candidate in candidates]


def mean_of_defined(values: np.ndarray, failed: list[int]) -> np.ndarray:
    """(m,) means over the splits, (J, m), that define the metric; NaN for settings that failed.

    >>> import numpy as np
    >>> from assay.tuning.judging import mean_of_defined
    >>> mean_of_defined(np.array([[0.2, 0.5], [np.nan, 0.7]]), [])
    array([0.2, 0.6])
    """
    finite = np.isfinite(values)
    counts = finite.sum(axis=0)
    means = np.where(counts, np.where(finite, values, 0.0).sum(axis=0) / np.maximum(counts, 1), np.nan)
    means[failed] = np.nan
    return means


def _some_rows(codes: np.ndarray, share: float, seed: int, in_order: bool) -> np.ndarray:
    """The numbers of a share of the rows: the last ones if they are in order, else as many of each class at random.

    A larger share holds all rows of a smaller one, and each share a row of every class.
    """
    m = max(1, int(np.ceil(share * len(codes))))
    if in_order:
        return np.arange(len(codes) - m, len(codes))
    shuffled = np.random.default_rng([seed, len(codes)]).permutation(len(codes))
    place = np.empty(len(codes))
    for k in np.unique(codes):
        of_class = shuffled[codes[shuffled] == k]
        place[of_class] = np.arange(len(of_class)) / len(of_class)
    return np.sort(np.argsort(place, kind="stable")[:m])
