"""Experiments: what journal, keys and order cost beside the cells themselves, and beside SQLite."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from pathlib import Path

import numpy as np

from assay.evaluate.fold import Task, run_cell
from assay.experiments.experiment import Experiment
from assay.experiments.journal import Journal
from assay.experiments.study import Study
from benchmarks.harness import Race

LEARNERS = ["majority", "lda", "naive bayes", "nearest mean"]


def tiny(sets: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Data sets so small that bookkeeping shows."""
    rng = np.random.default_rng(0)
    return {f"d{i}": (rng.normal(size=(40, 3)) + i, np.arange(40) % 2) for i in range(sets)}


def made(folder: str | None, sets: int = 5, design: str = "10x10") -> Experiment:
    return Experiment(LEARNERS, tiny(sets), design=design, folder=folder)


def cells_alone() -> None:
    """The same cells, one after the other, kept nowhere."""
    experiment = made(None)
    task = Task(experiment.metrics, None, None, 0)
    for problem in experiment.problems:
        own = [t.candidate for t in experiment.trials if t.problem is problem]
        for split in problem.splits:
            fold = problem.data.fold(split)
            for candidate in own:
                run_cell(candidate, fold, task)


def whole_experiment() -> None:
    with tempfile.TemporaryDirectory() as folder:
        made(f"{folder}/e").run()


RECORD = {
    "key": "0" * 32,
    "values": {"error": 0.1},
    "answer": ["|i1", [100], "A" * 136],
    "fit": 0.001,
    "failure": "",
}


def journal() -> None:
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder)) as journal:
        for i in range(1000):
            journal.append({**RECORD, "key": f"{i:032x}"})


def sqlite() -> None:
    """A row per record, committed at once, in the mode that survives the end of the process."""
    with tempfile.TemporaryDirectory() as folder:
        base = sqlite3.connect(f"{folder}/cells.db")
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("PRAGMA synchronous=NORMAL")
        base.execute("CREATE TABLE cells (key TEXT PRIMARY KEY, record TEXT)")
        for i in range(1000):
            base.execute("INSERT OR REPLACE INTO cells VALUES (?, ?)", (f"{i:032x}", json.dumps(RECORD)))
            base.commit()
        base.close()


def races() -> list[Race]:
    return [
        Race("experiment and its cells alone", "2,000 tiny cells", whole_experiment, cells_alone),
        Race("journal and SQLite", "1,000 records", journal, sqlite),
    ]


def growths() -> list[str]:
    """Loading a study beside running it: seconds per thousand cells."""
    import time

    notes = []
    with tempfile.TemporaryDirectory() as folder:
        made(f"{folder}/e", 10, "10x10").run()
        start = time.process_time()
        study = Study.load(f"{folder}/e")
        study.table()
        notes.append(
            f"loading a study and its table: {(time.process_time() - start) / 4:.3f} s per thousand cells"
        )
    return notes
