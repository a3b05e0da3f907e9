"""Where a command's table comes from: a file, or a built-in data set by its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from assay.cli.words import counted, did_you_mean
from assay.tables import Table

__all__ = ["Data", "data_argument", "load_built_in", "open_data", "rows_for", "target_option", "write_data"]

data_argument: Callable[[Any], Any] = click.argument("data", metavar="FILE")
target_option: Callable[[Any], Any] = click.option(
    "--target",
    "-t",
    metavar="COLUMN",
    help="The column to predict; the last one of an ARFF file if not given.",
)


@dataclass(frozen=True)
class Data:
    """A table, and what is to be predicted from it."""

    name: str
    X: Table
    y: np.ndarray | None
    target: str | None
    weights: np.ndarray | None = None

    @property
    def labels(self) -> list[object]:
        """The class of each row; empty if nothing is to be predicted."""
        return [] if self.y is None else self.y.tolist()


def open_data(name: str, target: str | None, need_target: bool = True) -> Data:
    """The table of a file or of a built-in data set, its target apart."""
    if not Path(name).exists():
        found = _built_in(name, target)
        if need_target and found.y is None:
            raise click.ClickException(
                f"{name} has nothing to predict; assay describe {name} shows what it holds."
            )
        return found
    from assay.tables.readers import read_table

    read = read_table(name, target=target if target is not None or not need_target else "auto")
    if need_target and read.y is None:
        columns = ", ".join(read.names[:30])
        raise click.UsageError(
            f"Which column of {name} is to be predicted? Give --target. Columns: {columns}"
        )
    _some_rows(name, len(read))
    found = Data(Path(name).name, _full(read.table), read.y, read.target, read.weights)
    return _labelled(found) if need_target else found


def _labelled(found: Data) -> Data:
    """Without the rows that have no label, and says so; classes 1.0 and 2.0 are 1 and 2."""
    missing = np.array([v is None or v != v for v in found.y])  # type: ignore[union-attr]
    if not missing.any():
        return replace(found, y=_whole(found.y))  # type: ignore[arg-type]
    if missing.all():
        raise click.ClickException(f"Column {found.target!r} of {found.name} is empty.")
    click.echo(
        f"Left out: {counted(int(missing.sum()), 'row')} of {found.name} without a value of {found.target}.",
        err=True,
    )
    kept = np.flatnonzero(~missing)
    weights = None if found.weights is None else found.weights[kept]
    return replace(found, X=found.X[kept], y=_whole(found.y[kept]), weights=weights)  # type: ignore[index]


def _whole(y: np.ndarray) -> np.ndarray:
    whole = y.dtype.kind == "f" and (y == np.floor(y)).all() and np.abs(y).max() < 2**53
    return y.astype(np.int64) if whole else y


def _built_in(name: str, target: str | None) -> Data:
    data = load_built_in(name)
    if target is not None and target != data.target_name:
        raise click.BadParameter(
            f"{name} predicts {data.target_name!r}, not {target!r}", param_hint="--target"
        )
    return Data(data.name, data.X, data.y, data.target_name)


def load_built_in(name: str) -> Any:
    """The built-in data set of that name, or a sentence that says what there is instead."""
    from assay.tables.data import datasets, load_dataset

    known = datasets()
    if name.lower().replace("-", "_") in known:
        return load_dataset(name)
    if Path(name).suffix or "/" in name:
        raise click.ClickException(f"There is no file {name}.")
    raise click.ClickException(
        f"There is no file and no built-in data set {name}.{did_you_mean(name, known)}"
    )


def rows_for(model: Any, name: str) -> Any:
    """The rows of a file or of a built-in data set as the model takes them.

    A column to predict that came along is left out; the model's schema, not the file's, says what each column is.
    """
    if not hasattr(model, "schema_"):
        raise click.ClickException("This model file does not hold a learner of tables.")
    if not Path(name).exists():
        return _built_in(name, None).X
    from assay.tables.readers import read_table
    from assay.tables.readers.read import format_of

    options: dict[str, dict[str, Any]] = {
        "libsvm": {"width": len(model.schema_)},  # its last columns may be empty, and then are not told
        "csv": {"text": [c.name for c in model.schema_ if c.coded]},  # 007 is a category, also among numbers
    }
    X = read_table(name, **options.get(format_of(name), {})).X
    _some_rows(name, X.shape[0])
    target = getattr(model, "target_name_", None)
    if isinstance(X, Table):
        return _full(X)
    if target not in X.column_names or target in model.schema_.names:
        return X
    return X.drop_columns([target])


def _some_rows(name: str, n: int) -> None:
    if not n:
        raise click.ClickException(f"{name} names its columns, but has no rows.")


def _full(X: Table) -> Table:
    """A sparse table with its zeros written out, as most learners need it, where that takes no more than 400 MB."""
    n, d = X.shape
    return X if isinstance(X.values, np.ndarray) or n * d > 5e7 else replace(X, values=X.values.toarray())


def write_data(data: Any, path: str) -> None:
    """A built-in data set as a CSV or ARFF file, by the path's ending."""
    from assay.tables.writers import write_arff, write_csv

    writers: dict[str, Any] = {".csv": write_csv, ".arff": write_arff}
    write = writers.get(Path(path).suffix.lower())
    if write is None:
        raise click.BadParameter(f"{path} should end in .csv or .arff", param_hint="--save")
    write(data.frame("pyarrow"), path)
