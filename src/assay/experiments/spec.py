"""Experiments described by TOML files."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from assay.errors import DataError, ParameterError, did_you_mean
from assay.experiments.checklist import STEPS, Checklist
from assay.experiments.experiment import Experiment
from assay.experiments.journal import read_json
from assay.types import PathLike

__all__ = ["EXAMPLE", "experiment_from", "read_experiment", "resumed"]

EXAMPLE = """\
# An experiment. Run it:      assay experiment run {file}
# Look at it, also meanwhile: assay experiment show {folder}
# Every finished cell is kept in the folder. Stop whenever you like; run again, and it goes on.

name = "small tables"
folder = "{folder}"                # where results are kept, beside this file
design = "3x10"                    # 3 repetitions of 10-fold cross-validation; also 5x2, 20xholdout, leave-one-out
metrics = ["error", "log-loss"]    # the first one ranks; of numbers: ["r2", "rmse"]
task = "classification"            # or "regression"; without it, the targets decide
seed = 0                           # the same seed gives the same splits and the same order of runs
alpha = 0.05                       # level of tests; intervals are of 1 - alpha

# Built-in data sets by name (assay datasets), files as {{ file = "loans.csv", target = "default" }};
# add group = "column" if rows of one group must stay on one side of every split, and drop = ["id"] for columns
# that are not features.
data = ["iris", "wine", "breast_cancer", "german_credit"]

# Learners by name (assay learners). Without settings: lda = {{}}. With settings, every combination of the
# levels is tried; for chosen combinations alone, write runs = [{{ max_depth = 2 }}, {{ max_depth = 8 }}].
[learners]
majority = {{}}
"naive bayes" = {{}}
lda = {{}}

[learners.tree]
learner = "decision tree"
settings = {{ max_depth = [2, 4, 8] }}

# What is to be found out, before it is run. Steps that are missing are filled in from the above. The wording is
# kept with its time; later changes are shown.
[checklist]
aim = "Is a small tree as good as naive Bayes on small tables?"
"""

_KEYS = ("name", "folder", "design", "metrics", "task", "seed", "alpha", "data", "learners", "factors", "probabilities",
         "checklist")  # fmt: skip


def read_experiment(path: str | Path, folder: PathLike | None = None) -> Experiment:
    """The experiment that a TOML file describes; paths in it are beside it.

    Parameters
    ----------
    path : the file
    folder : folder of the experiment, if not that of the file

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay.experiments import read_experiment
    >>> path = Path(tempfile.mkdtemp()) / "small.toml"
    >>> _ = path.write_text('data = ["iris"]\\nlearners = ["lda", "majority"]\\ndesign = "5-fold"')
    >>> read_experiment(path).run().comparison("iris").best
    'lda'
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise DataError(
            f"there is no file {path}. An example to begin with: assay experiment new {path}",
            who="experiment",
        ) from None
    except (UnicodeDecodeError, IsADirectoryError):
        raise DataError(f"{path} is not a text file in UTF-8.", who="experiment") from None
    return experiment_from(text, path.absolute().parent, str(path), folder)


def experiment_from(text: str, base: Path, where: str = "experiment file", folder: Any = None) -> Experiment:
    """The experiment that a TOML text describes.

    The text is kept in the experiment's folder, so that ``resumed`` can go on without the file.
    """
    try:
        held = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{where} is not TOML: {error}.", who="experiment") from None
    _known(held, _KEYS, where)
    for key in ("data", "learners"):
        if key not in held:
            raise DataError(
                f'{where} does not say which {key}. Write {key} = ["..."] into it.', who="experiment"
            )
    for key, kind in (("name", str), ("folder", str), ("seed", int), ("probabilities", bool)):
        if key in held and type(held[key]) is not kind:
            word = {str: "text", int: "a whole number", bool: "true or false"}[kind]
            raise DataError(f"{where}: {key} must be {word}, got {held[key]!r}.", who="experiment")
    chosen = folder if folder is not None else (base / held["folder"] if "folder" in held else None)
    checklist = None
    if "checklist" in held:
        _known(held["checklist"], tuple(STEPS), f"{where}, [checklist]")
        checklist = Checklist(**held["checklist"])
    experiment = Experiment(
        _learners(held["learners"], where),
        _data(held["data"], base, where),
        design=held.get("design", "3x10"),
        metrics=held.get("metrics"),
        task=held.get("task"),
        factors=held.get("factors"),
        alpha=held.get("alpha", 0.05),
        folder=chosen,
        random_state=held.get("seed", 0),
        probabilities=held.get("probabilities", True),
        checklist=checklist,
        name=held.get("name"),
    )
    experiment.described = {"what": "assay experiment file", "base": str(base), "text": text}
    return experiment


def resumed(folder: str | Path) -> Experiment:
    """The experiment of a folder that was described by a file, ready to go on."""
    path = Path(folder)
    if not (path / "experiment.json").exists():
        raise DataError(f"there is no experiment in {path}.", who="experiment")
    if not (path / "description.json").exists():
        raise DataError(
            f"the experiment in {path} was begun from Python, so its learners are not on disk. Make the "
            "same Experiment there with this folder, and call run: finished cells are not run again.",
            who="experiment",
        )
    held = read_json(path / "description.json", "description")
    return experiment_from(str(held.get("text")), Path(str(held.get("base"))), str(path), path)


def _known(held: Any, keys: tuple[str, ...], where: str) -> None:
    if not isinstance(held, dict):
        raise DataError(f"{where} must be a table of {', '.join(keys)}.", who="experiment")
    for key in held:
        if key not in keys:
            hint = did_you_mean(key, keys)
            raise DataError(f"{where} has an entry {key!r} that is not known.{hint}", who="experiment")


def _learners(section: Any, where: str) -> Any:
    """As an Experiment takes them."""
    if isinstance(section, str):
        return [section]
    if isinstance(section, list) and all(isinstance(name, str) for name in section):
        return section
    if not isinstance(section, dict):
        raise ParameterError(
            f"{where}: learners must be a list of names, or a table [learners], got {section!r}.",
            who="experiment",
        )
    learners: dict[str, Any] = {}
    for name, entry in section.items():
        if isinstance(entry, str):
            learners[name] = entry
            continue
        _known(entry, ("learner", "settings", "runs"), f"{where}, [learners.{name}]")
        if "runs" in entry and "settings" in entry:
            raise DataError(
                f"{where}, [learners.{name}] has both settings and runs; give one of them.", who="experiment"
            )
        learner = entry.get("learner", name)
        settings = entry.get("runs", entry.get("settings"))
        learners[name] = learner if settings is None else (learner, settings)
    return learners


def _data(section: Any, base: Path, where: str) -> Any:
    """As an Experiment takes them, files beside the description."""
    if isinstance(section, str) or (isinstance(section, dict) and "file" in section):
        section = [section]
    if isinstance(section, dict):
        return {name: _source(entry, base, where) for name, entry in section.items()}
    if isinstance(section, list):
        return [_source(entry, base, where) for entry in section]
    raise DataError(
        f"{where}: data must be a list or a table of data sets, got {section!r}.", who="experiment"
    )


def _source(entry: Any, base: Path, where: str) -> Any:
    if isinstance(entry, str):
        return str(base / entry) if (base / entry).is_file() else entry
    _known(entry, ("file", "target", "group", "time", "drop"), f"{where}, data")
    if "file" not in entry:
        raise DataError(f"{where}: a data set without file: {entry!r}.", who="experiment")
    return {**entry, "file": str(base / str(entry["file"]))}
