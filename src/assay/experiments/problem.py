"""The data sets of an experiment: built-in names, data sets, pairs of rows and classes, files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.words import one_line
from assay.errors import AssayError, DataError, ParameterError, did_you_mean
from assay.evaluate import Description, Resampling, Split
from assay.evaluate.describe import description
from assay.evaluate.fold import Data
from assay.evaluate.rows import gather
from assay.experiments.fingerprint import data_print, split_print
from assay.tables.data import Dataset, datasets, load_dataset

__all__ = ["Problem", "Splits", "named_sources"]

_ROWS, _FILE = {"X", "y", "groups", "times", "target"}, {"file", "target", "group", "time", "drop"}
_HINT = (
    "Give the name of a built-in data set, a Dataset, a pair (X, y), a dict(X=..., y=..., groups=...) or a file as "
    'dict(file="loans.csv", target="default").'
)


class Splits(Sequence[Split]):
    """All splits of n rows; training rows are stored only where they are not simply all but the test rows.

    Leave-one-out of 10,000 rows would otherwise need 800 MB.

    >>> import numpy as np
    >>> from assay.evaluate import Resampling
    >>> from assay.experiments.problem import Splits
    >>> Splits(Resampling.of("leave-one-out").splits(np.array([0, 1, 1])), 3)[1].train
    array([0, 2])
    """

    def __init__(self, splits: Iterable[Split], n: int):
        self._n = n
        self._splits: list[tuple[int, int, np.ndarray | None, np.ndarray]] = []
        for s in splits:
            complement = np.array_equal(s.train, self._complement(s.test))
            self._splits.append((s.repetition, s.fold, None if complement else s.train, s.test))

    def __len__(self) -> int:
        return len(self._splits)

    def __getitem__(self, i: Any) -> Any:
        repetition, fold, train, test = self._splits[i]
        return Split(repetition, fold, self._complement(test) if train is None else train, test)

    def _complement(self, test: np.ndarray) -> np.ndarray:
        others = np.ones(self._n, dtype=bool)
        others[test] = False
        return np.flatnonzero(others)


@dataclass
class Problem:
    """One data set of an experiment with the splits on which every learner is tested.

    Attributes
    ----------
    name : str
    data : Data
        The rows that have a class.
    design : Resampling
        As these classes allow it.
    about : Description
    notes : sentences about rows left out and folds reduced
    """

    name: str
    data: Data
    design: Resampling
    about: Description
    seed: int
    notes: list[str] = field(default_factory=list)
    raw: bool = True  # whether a learner needs the raw table

    @cached_property
    def sent(self) -> Data:
        """The rows as other processes get them: the raw table only if a learner needs it."""
        if self.raw:
            return self.data
        lean = copy(self.data)
        lean.raw = None
        return lean

    @cached_property
    def splits(self) -> Splits:
        """The same for every learner."""
        data = self.data
        return Splits(self.design.splits(data.codes, self.seed, data.groups, data.times), len(data.codes))

    @cached_property
    def print(self) -> str:
        """The fingerprint of the rows."""
        return data_print(self.data)

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """Repetition and fold of each split."""
        return [(split.repetition, split.fold) for split in self.splits]

    @cached_property
    def split_prints(self) -> list[str]:
        return [split_print(split) for split in self.splits]

    @cached_property
    def size(self) -> float:
        """Training rows times columns of one split, by which times are compared between data sets."""
        return float(len(self.splits[0].train)) * max(self.data.table.shape[1], 1)

    @classmethod
    def of(
        cls,
        name: str,
        source: Any,
        design: Resampling,
        seed: int,
        task: str | None = None,
        of_learners: str | None = None,
    ) -> Problem:
        """Read the rows, leave out those without a class or number, fit the design to the target.

        >>> from assay.evaluate import Resampling
        >>> from assay.experiments.problem import Problem
        >>> problem = Problem.of("iris", "iris", Resampling.of("10-fold"), seed=0)
        >>> len(problem.splits), problem.about.rows
        (10, 150)
        """
        parts = _opened(name, source)
        try:
            rows = gather(parts["X"], parts["y"], design, groups=parts.get("groups"), times=parts.get("times"),
                          target=parts.get("target"), task=task, of_learners=of_learners)  # fmt: skip
            data = rows.data
            fitted, changes = rows.design.fitted_to(data.codes, data.labels, data.groups, data.times)
        except AssayError as error:
            raise error.said_by(f"experiment: data {name!r}", "compare") from None
        folds = fitted.folds if fitted.kind == "folds" else 10
        about = description(data.table, data.target, name, folds)
        notes = [f"{name}: {note}" for note in rows.notes + changes]
        return cls(name, data, fitted, about, seed, notes)


def named_sources(data: Any) -> dict[str, Any]:
    """The data sets of an experiment, each with a unique name.

    >>> from assay.experiments.problem import named_sources
    >>> list(named_sources(["iris", {"file": "loans.csv", "target": "default"}, ([[1.0], [2.0]], [0, 1])]))
    ['iris', 'loans', 'data 3']
    """
    if _is_source(data):
        data = [data]
    if isinstance(data, Mapping):
        sources = {str(name): source for name, source in data.items()}
    elif isinstance(data, (list, tuple)):
        sources = {}
        for i, source in enumerate(data):
            name = _own_name(source, i)
            if name in sources:
                raise ParameterError(
                    f"two data sets are called {name!r}. Give a dict of name to data set instead.",
                    who="experiment",
                )
            sources[name] = source
    else:
        raise ParameterError(
            f"data must be a list or a dict of data sets, got {data!r}. {_HINT}", who="experiment"
        )
    if not sources:
        raise ParameterError(f"there is no data set. {_HINT}", who="experiment")
    for name, source in sources.items():
        if not _is_source(source):
            raise ParameterError(
                f"data {name!r} is {one_line(repr(source), 60)}, expected rows. {_HINT}", who="experiment"
            )
    return sources


def _is_source(value: Any) -> bool:
    if isinstance(value, (str, Path, Dataset)):
        return True
    if isinstance(value, Mapping):
        keys = set(value)
        return ("file" in keys and keys <= _FILE) or ({"X", "y"} <= keys <= _ROWS)
    if isinstance(value, (list, tuple)):
        plain = (str, Path, Dataset, Mapping)
        return len(value) == 2 and isinstance(value, tuple) and not any(isinstance(v, plain) for v in value)
    return False


def _own_name(source: Any, i: int) -> str:
    if isinstance(source, Dataset):
        return source.name
    if isinstance(source, Mapping) and "file" in source:
        source = Path(str(source["file"]))
    if isinstance(source, (str, Path)):
        return str(source) if str(source) in datasets() else Path(source).name.split(".")[0] or str(source)
    return f"data {i + 1}"


def _opened(name: str, source: Any) -> Mapping[str, Any]:
    """X, y, the name of y, groups and times of a source."""
    if isinstance(source, Dataset):
        return _whole(name, source)
    if isinstance(source, Mapping):
        return _read(name, **source) if "file" in source else source
    if isinstance(source, (tuple, list)):
        return {"X": source[0], "y": source[1]}
    if Path(source).is_file():
        return _read(name, source)
    if str(source).lower().replace("-", "_") in datasets():
        return _whole(name, load_dataset(str(source)))
    hint = did_you_mean(source, datasets())
    raise DataError(f"there is no file and no built-in data set {str(source)!r}.{hint}", who="experiment")


def _whole(name: str, dataset: Dataset) -> Mapping[str, Any]:
    if dataset.y is None:
        raise DataError(f"data {name!r} has no classes, so there is nothing to predict.", who="experiment")
    return {"X": dataset.X, "y": dataset.y, "target": dataset.target_name}


def _read(
    name: str, file: Any, target: Any = None, group: Any = None, time: Any = None, drop: Any = ()
) -> Mapping[str, Any]:
    """A file; the columns of groups and times, and those to drop, are not features."""
    from assay.tables.readers import read_table

    unused = [drop] if isinstance(drop, str) else [str(column) for column in drop]
    read = read_table(file, target="auto" if target is None else target, drop=unused)
    if read.y is None:
        raise DataError(
            f"data {name!r} does not say which column of {file} is to be predicted. Give file and target, as in "
            f'{{ file = "{file}", target = "{read.names[-1]}" }}. Columns: '
            + f"{', '.join(read.names[:30])}.",
            who="experiment",
        )
    apart = {"groups": group, "times": time}
    roles = {key: read.column(str(column)) for key, column in apart.items() if column is not None}
    X = read.X
    if roles and hasattr(X, "drop_columns"):
        X = X.drop_columns([str(column) for column in apart.values() if column is not None])
    return {"X": X if roles else read.table, "y": read.y, "target": read.target, **roles}
