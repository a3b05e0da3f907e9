"""The cells of an experiment: one learner on one split of one data set, their order, and their records."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from assay.evaluate import Split
from assay.evaluate.fold import Cell
from assay.evaluate.prepared import Candidate
from assay.experiments.designs.run_order import randomised_order
from assay.experiments.fingerprint import digest, settings_text
from assay.experiments.folder import as_plain
from assay.experiments.grid import Entrant
from assay.experiments.problem import Problem

__all__ = ["FIELDS", "Job", "Trial", "as_cell", "as_record", "in_random_order"]


FIELDS = (
    "key", "data", "learner", "repetition", "fold", "values", "answer", "posterior", "kept", "fit", "predict",
    "seconds", "failure", "chosen", "chosen_score", "warnings", "unseen", "session", "at",
)  # fmt: skip  # of a record


@dataclass(frozen=True)
class Trial:
    """One learner with its settings on one data set: a cell for each split.

    Attributes
    ----------
    problem : Problem
    entrant : Entrant
    candidate : Candidate
        With the preparation it needs for the rows of this problem.
    """

    problem: Problem
    entrant: Entrant
    candidate: Candidate

    @cached_property
    def print(self) -> str:
        """The fingerprint of the learner's settings, those of its preparation included."""
        return digest(settings_text(self.candidate.estimator))

    def job(self, split: int) -> Job:
        return Job(self, split, cell_key(self.problem, self.print, split))


def cell_key(problem: Problem, learner: str, split: int) -> str:
    """The identity of a cell: rows, settings, split and seed."""
    return digest(problem.print, learner, problem.split_prints[split], str(problem.seed))


@dataclass(frozen=True)
class Job:
    """One cell that is to be run."""

    trial: Trial
    number: int
    key: str

    @property
    def split(self) -> Split:
        return self.trial.problem.splits[self.number]


def in_random_order(trials: Sequence[Trial], seed: int) -> list[Job]:
    """Every cell, blocked and randomised: repetition after repetition, the blocks of each in random order.

    A block is a split of a data set, on which every learner is tested, in random order too. So drift over
    time (a warm machine, other processes) favours no learner, and a run that ends early has whole repetitions.
    """
    rng = np.random.default_rng([seed, 19])  # another stream than that of the splits
    repetitions: dict[int, list[Job]] = {}
    for trial in trials:
        for number, (repetition, _) in enumerate(trial.problem.places):
            repetitions.setdefault(repetition, []).append(trial.job(number))
    order = []
    for _, jobs in sorted(repetitions.items()):
        blocks = [f"{job.number} {job.trial.problem.name}" for job in jobs]
        order += [jobs[i] for i in randomised_order(jobs, blocks=blocks, random_state=rng)]
    return order


def as_record(job: Job, cell: Cell, seconds: float, session: int, kept: bool = True) -> dict[str, Any]:
    """A cell as JSON can hold it, numbers exact; ``kept`` is whether posteriors are stored."""
    repetition, fold = job.trial.problem.places[job.number]
    return {
        "key": job.key,
        "data": job.trial.problem.name,
        "learner": job.trial.entrant.name,
        "repetition": repetition,
        "fold": fold,
        "values": {name: None if np.isnan(v) else v for name, v in cell.values.items()},
        "answer": _packed(cell.answer),
        "posterior": _packed(cell.posterior),
        "kept": kept,
        "fit": None if np.isnan(cell.fit_seconds) else cell.fit_seconds,
        "predict": None if np.isnan(cell.predict_seconds) else cell.predict_seconds,
        "seconds": seconds,
        "failure": cell.failure,
        "chosen": as_plain(cell.chosen),
        "chosen_score": None if np.isnan(cell.chosen_score) else cell.chosen_score,
        "warnings": cell.warnings,
        "unseen": cell.unseen,
        "session": session,
        "at": round(time.time(), 3),
    }


def as_cell(record: dict[str, Any]) -> Cell:
    """The cell that a record was made from."""
    return Cell(
        values={name: np.nan if v is None else float(v) for name, v in record["values"].items()},
        answer=_unpacked(record["answer"]),
        posterior=_unpacked(record["posterior"]),
        fit_seconds=np.nan if record["fit"] is None else record["fit"],
        predict_seconds=np.nan if record["predict"] is None else record["predict"],
        failure=record["failure"],
        chosen=record["chosen"],
        chosen_score=np.nan if record["chosen_score"] is None else record["chosen_score"],
        warnings=list(record["warnings"]),
        unseen=list(record["unseen"]),
    )


def _packed(values: np.ndarray | None) -> list[Any] | None:
    if values is None:
        return None
    plain = np.ascontiguousarray(values)
    return [plain.dtype.str, list(plain.shape), b64encode(plain.tobytes()).decode()]


def _unpacked(packed: list[Any] | None) -> np.ndarray | None:
    if packed is None:
        return None
    kind, shape, text = packed
    return np.frombuffer(b64decode(text), dtype=np.dtype(kind)).reshape(shape)
