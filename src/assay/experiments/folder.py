"""The files of an experiment besides its journal: settings, fingerprints of the rows, splits."""

from __future__ import annotations

import io
import platform
from dataclasses import asdict, dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from assay.errors import DataError, ParameterError
from assay.evaluate import Description, Finding
from assay.evaluate.describe import ColumnSummary, NumbersSummary
from assay.experiments.fingerprint import digest
from assay.experiments.journal import read_json, write_whole
from assay.experiments.problem import Problem
from assay.metrics.forms import OfOutcome
from assay.metrics.measure import Measure, find_measure

__all__ = ["Block", "Manifest", "as_plain", "check_folder", "sessions_of", "versions"]

_SAVED = ("name", "better", "words", "needs", "task", "bounds")  # of a measure
FORMAT = 1  # a folder written in a later format is refused, one of an earlier format is read


@dataclass
class Block:
    """One data set as a study needs it: its target and its splits, without its rows.

    Attributes
    ----------
    name, print : its name, and the fingerprint of its rows
    design : name of the Resampling
    about : Description
    labels : list of classes; empty for a regression
    truth : (n,) number of each row's class, or the number to predict
    tests : of each split, the test rows
    places : of each split: repetition, fold, number of training rows
    split_prints : of each split
    notes : sentences about the rows
    """

    name: str
    print: str
    design: str
    about: Description
    labels: list[Any]
    truth: np.ndarray
    tests: list[np.ndarray]
    places: list[tuple[int, int, int]]
    split_prints: list[str]
    notes: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, problem: Problem) -> Block:
        labels = [v.item() if isinstance(v, np.generic) else v for v in problem.data.labels]
        splits = problem.splits
        places = [(s.repetition, s.fold, len(s.train)) for s in splits]
        return cls(problem.name, problem.print, problem.design.name, problem.about, labels, problem.data.truth,
                   [s.test for s in splits], places, problem.split_prints, problem.notes)  # fmt: skip

    @property
    def file(self) -> str:
        return f"data-{digest(self.print, self.design)[:16]}.npz"

    def arrays(self) -> bytes:
        """The target and the splits, as a file of plain arrays."""
        buffer = io.BytesIO()
        np.savez_compressed(
            buffer,
            codes=self.truth,
            tests=np.concatenate(self.tests).astype(np.int32),
            ends=np.cumsum([len(t) for t in self.tests]),
            places=np.array(self.places, dtype=np.int64),
            prints=np.array(self.split_prints),
        )
        return buffer.getvalue()

    def to_dict(self) -> dict[str, Any]:
        about = asdict(self.about)
        return as_plain({"name": self.name, "print": self.print, "design": self.design, "labels": self.labels,
                         "file": self.file, "about": about, "notes": self.notes})  # fmt: skip

    @classmethod
    def read(cls, folder: Path, saved: dict[str, Any]) -> Block:
        path = folder / Path(str(saved["file"])).name
        try:
            with open(path, "rb") as file, np.load(file, allow_pickle=False) as held:
                truth, tests, ends = held["codes"], held["tests"].astype(np.int64), held["ends"]
                places, prints = (
                    [(int(r), int(f), int(n)) for r, f, n in held["places"]],
                    held["prints"].tolist(),
                )
        except (OSError, ValueError, KeyError, BadZipFile, EOFError) as error:
            raise DataError(
                f"{path} is missing or damaged ({error}). Run the experiment again: finished cells are "
                "not run twice.",
                who="experiment",
            ) from None
        about = dict(saved["about"])
        about["columns"] = [ColumnSummary(**c) for c in about["columns"]]
        if about.get("measured"):
            about["measured"] = NumbersSummary(**about["measured"])
        about["findings"] = [Finding.read(f) for f in about["findings"]]
        return cls(saved["name"], saved["print"], saved["design"], Description(**about), saved["labels"], truth,
                   np.split(tests, ends[:-1]), places, prints, list(saved["notes"]))  # fmt: skip


@dataclass
class Manifest:
    """All settings of an experiment, as in ``experiment.json``.

    Attributes
    ----------
    name : str
    design, metrics, alpha, seed : as in Experiment
    blocks : list of Block, one per data set
    learners : list of dicts: name, family, factors
    trials : dict of data set to dict of learner to its fingerprint, preparation and settings in words
    sessions : list of dicts: when it ran, with which versions, on how many processes, and how it ended
    """

    name: str
    design: str
    design_words: str
    metrics: list[Measure]
    alpha: float
    seed: int
    blocks: list[Block]
    learners: list[dict[str, Any]]
    trials: dict[str, dict[str, dict[str, str]]]
    sessions: list[dict[str, Any]] = field(default_factory=list)

    def key(self, block: Block, learner: str, split: int) -> str:
        """The journal's key of a cell."""
        return digest(
            block.print, self.trials[block.name][learner]["print"], block.split_prints[split], str(self.seed)
        )

    def save(self, folder: Path, arrays: bool = True) -> None:
        """Write all of it; every file is there whole or not at all."""
        for block in self.blocks if arrays else []:
            write_whole(folder / block.file, block.arrays())
        import json

        metrics = [{k: getattr(m, k) for k in _SAVED} for m in self.metrics]
        held = {
            "what": "assay experiment",
            "format": FORMAT,
            **{k: getattr(self, k) for k in ("name", "design", "design_words", "alpha", "seed")},
            "metrics": metrics,
            "data": [block.to_dict() for block in self.blocks],
            **{k: getattr(self, k) for k in ("learners", "trials", "sessions")},
        }
        write_whole(folder / "experiment.json", json.dumps(as_plain(held), indent=1, ensure_ascii=False))

    @classmethod
    def load(cls, folder: Path) -> Manifest:
        held = read_json(folder / "experiment.json", "experiment")
        if held.get("what") != "assay experiment" or not isinstance(held.get("format"), int):
            raise DataError(
                f"{folder / 'experiment.json'} was not written by an experiment.", who="experiment"
            )
        if held["format"] > FORMAT:
            raise DataError(
                f"{folder} was written by a later version of assay (format {held['format']}, this one "
                f"reads up to {FORMAT}). Install that version.",
                who="experiment",
            )
        try:
            return cls(
                **{k: held[k] for k in ("name", "design", "design_words", "alpha", "seed")},
                metrics=[_measure(m) for m in held["metrics"]],
                blocks=[Block.read(folder, saved) for saved in held["data"]],
                **{k: held[k] for k in ("learners", "trials", "sessions")},
            )
        except (KeyError, TypeError) as error:
            raise DataError(f"{folder / 'experiment.json'} is damaged: {error}.", who="experiment") from None


def sessions_of(folder: Path) -> list[dict[str, Any]]:
    """The sessions of an experiment in a folder; none if it cannot be read."""
    try:
        held = read_json(folder / "experiment.json", "experiment")
    except DataError:  # it is about to be written anew
        return []
    if isinstance(held.get("format"), int) and held["format"] > FORMAT:
        raise ParameterError(
            f"{folder} was written by a later version of assay. Install that version, or choose another "
            "folder.",
            who="experiment",
        )
    sessions = held.get("sessions")
    return sessions if isinstance(sessions, list) else []


def _measure(saved: dict[str, Any]) -> Measure:
    measure = find_measure(saved["name"])
    if measure is not None:
        return measure
    low, high = saved["bounds"]
    bounds = (-np.inf if low is None else low, np.inf if high is None else high)
    return Measure(saved["name"], OfOutcome(_measured_before), saved["better"], saved["words"], bounds=bounds)


def _measured_before(outcome: Any) -> float:
    raise ParameterError(
        "this metric came from Python code that is not part of the folder.", who="experiment"
    )


def check_folder(folder: Any) -> Path | None:
    """The path of an experiment: a new or empty folder, or one with an experiment in it.

    >>> from assay.experiments.folder import check_folder
    >>> check_folder(None) is None
    True
    """
    if folder is None:
        return None
    if not isinstance(folder, (str, PathLike)):
        raise ParameterError(f"folder must be the path of a folder, got {folder!r}.", who="experiment")
    path = Path(folder)
    if path.exists() and not path.is_dir():
        raise ParameterError(f"folder must be a folder, {path} is a file.", who="experiment")
    own_files = (path / "experiment.json", path / "cells.journal", path / "lock", path / "experiment.toml")
    if path.exists() and any(path.iterdir()) and not any(p.exists() for p in own_files):
        raise ParameterError(
            f"{path} holds other files. Choose a new folder, which the experiment has for itself.",
            who="experiment",
        )
    return path


def versions() -> dict[str, str]:
    """What ran: the versions of assay, Python and the packages on which numbers depend."""
    import scipy
    import sklearn

    import assay

    return {
        "assay": assay.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
    }


def as_plain(value: Any) -> Any:
    """Numbers, text, lists and dicts alone; NaN and infinity are None, other objects their text."""
    if isinstance(value, dict):
        return {str(k): as_plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_plain(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
