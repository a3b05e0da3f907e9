"""Where a command's table comes from: a file, standard input, or a built-in data set by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from assay.cli.completion import complete_columns, complete_data
from assay.cli.reading import Reading, is_file
from assay.cli.words import counted, listed_names
from assay.errors import did_you_mean
from assay.learners import KIND_OF_TASK
from assay.tables import Table
from assay.types import Estimator

if TYPE_CHECKING:
    from assay.evaluate.target import Target

__all__ = [
    "LabelledTable",
    "RowsToPredict",
    "built_in_with",
    "data_argument",
    "load_built_in",
    "open_data",
    "rows_for",
    "rows_to_learn",
    "target_option",
    "task_option",
    "without_extra",
    "write_data",
]

data_argument: Callable[[Any], Any] = click.argument("data", metavar="FILE", shell_complete=complete_data)
target_option: Callable[[Any], Any] = click.option(
    "--target",
    "-t",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="The column to predict; the last one of an ARFF file if not given.",
)
task_option: Callable[[Any], Any] = click.option(
    "--task",
    type=click.Choice(tuple(KIND_OF_TASK)),
    help="Whether the target holds classes (classification) or numbers (regression). Without it: numbers with "
    "fractions, or more than 20 distinct whole ones (10 if there are fewer than two rows for each), are a regression.",
)


@dataclass(frozen=True)
class LabelledTable:
    """A table, and what is to be predicted from it."""

    name: str
    X: Table
    y: np.ndarray | None
    target: str | None
    weights: np.ndarray | None = None
    cleaned: tuple[str, ...] = ()
    left_out: int = 0

    def tell_left_out(self) -> None:
        """A note on standard error that counts the rows without a target."""
        if self.left_out:
            rows = counted(self.left_out, "row")
            click.echo(f"Left out: {rows} of {self.name} without a value of {self.target}.", err=True)


@dataclass(frozen=True)
class RowsToPredict:
    """Rows to predict: as the model takes them, and the columns that are copied into the output."""

    X: Any
    kept: dict[str, list[Any]] = field(default_factory=dict)


def open_data(
    name: str, target: str | None, reading: Reading | None = None, need_target: bool = True
) -> LabelledTable:
    """The table of a file, of standard input or of a built-in data set, and its target."""
    reading = reading or Reading()
    if not is_file(name):
        dataset = _built_in(name, target, reading)
        if need_target and dataset.y is None:
            raise click.ClickException(
                f"{name} has nothing to predict; assay describe {name} shows what it holds."
            )
        return dataset
    from assay.tables.readers import read_table

    read = read_table(name, target="auto" if target is None else target, **reading.options())
    source = _called(name)
    if need_target and read.y is None:
        columns = ", ".join(read.names[:30])
        raise click.UsageError(
            f"Which column of {source} is to be predicted? Give --target. Columns: {columns}"
        )
    _some_rows(source, len(read))
    if read.cleaned is not None:
        click.echo(f"Cleaned: {read.cleaned}".replace("\n", "\nCleaned: "), err=True)
    _known_columns(reading.keep, [*read.names, *([read.target] if read.target else [])], "--keep")
    table = read.table
    if reading.keep:
        table = _without(table, reading.keep, source)
    cleaned = () if read.cleaned is None else tuple(read.cleaned.done)
    return LabelledTable(Path(source).name, _full(table), read.y, read.target, read.weights, cleaned)


def _called(name: str) -> str:
    return "standard input" if name == "-" else name


def rows_to_learn(
    dataset: LabelledTable,
    command: str,
    task: str | None = None,
    of_learners: str | None = None,
    lenient: bool = False,
) -> tuple[LabelledTable, Target]:
    """The rows that have a class or a number, and what the target is taken for.

    Parameters
    ----------
    command : who asks, for messages
    task : what ``--task`` says
    of_learners : the task of the learners and metrics that were named
    lenient : whether one class or one number throughout will do, as for test rows
    """
    from assay.evaluate.target import as_target

    aim = as_target(dataset.y, len(dataset.X), command, lenient, dataset.target, task, of_learners)
    known = np.flatnonzero(aim.labelled)
    left_out = len(aim.codes) - len(known)
    X, weights = dataset.X, dataset.weights
    if left_out:
        aim, X, weights = aim.take(known), X[known], None if weights is None else weights[known]
    y = aim.labels[aim.codes] if aim.numbers is None else aim.numbers
    return replace(dataset, X=X, y=y, weights=weights, left_out=left_out), aim


def _built_in(name: str, target: str | None, reading: Reading) -> LabelledTable:
    data = built_in_with(name, reading)
    if target is not None and target != data.target_name:
        names = data.feature_names
        if target not in names:
            predicts = f"predicts {data.target_name!r}" if data.target_name else "has no target of its own"
            raise click.BadParameter(
                f"{name} {predicts} and has no column {target!r}.{did_you_mean(target, names)}",
                param_hint="--target",
            )
        data = data.with_target(target)
    return LabelledTable(data.name, data.X, data.y, data.target_name)


def built_in_with(name: str, reading: Reading) -> Any:
    """The built-in data set of that name, its columns as the options say."""
    data = load_built_in(name)
    about_files = reading.about_files()
    if about_files:
        raise click.UsageError(f"{name} is a built-in data set; {about_files[0]} is about files.")
    names = data.X.schema.names
    for option in ("drop", "keep", "nominal", "numeric"):
        _known_columns(getattr(reading, option), [*names, *filter(None, [data.target_name])], f"--{option}")
    kinds: dict[str, Any] = {c: kind for kind in ("nominal", "numeric") for c in getattr(reading, kind)}
    if data.target_name in [*reading.drop, *reading.keep]:
        data = replace(data, y=None, target_name=None, classes=())
    elif kinds.pop(data.target_name, "") == "nominal" and data.y is not None:
        data = replace(data, y=np.array([str(v) for v in data.y], dtype=object), classes=())
    if kinds:
        frame = data.frame("pyarrow").select(names)
        data = replace(data, X=Table.of(frame, kinds, who=name))
    if reading.drop or reading.keep:
        data = replace(data, X=_without(data.X, [*reading.drop, *reading.keep], name))
    return data


def load_built_in(name: str) -> Any:
    """The built-in data set of that name, or a sentence that says what there is instead."""
    from assay.tables.data import datasets, load_dataset

    built_in = datasets()
    if name.lower().replace("-", "_") in built_in:
        return load_dataset(name)
    if Path(name).suffix or "/" in name:
        raise click.ClickException(f"There is no file {name}.")
    raise click.ClickException(
        f"There is no file and no built-in data set {name}.{did_you_mean(name, built_in)}"
    )


def rows_for(model: Estimator, name: str, reading: Reading | None = None) -> RowsToPredict:
    """The rows of a file or of a built-in data set as the model takes them.

    The model's schema, not the file's, says which columns are used and what each of them is. Columns that the model
    does not know are ignored, and a note names them; the column to predict, if it came along, needs no note.
    """
    reading = reading or Reading()
    if not hasattr(model, "schema_"):
        raise click.ClickException("This model file does not hold a learner of tables.")
    if not is_file(name):
        data = load_built_in(name)
        frame = data.frame("pyarrow")
        names = [*data.X.schema.names, *filter(None, [data.target_name])]
        kept = _kept(frame, reading.keep, names)
        target = getattr(model, "target_name_", None)
        if data.target_name in model.schema_.names and target in data.feature_names:
            data = data.with_target(target)
        return RowsToPredict(_used(model, data.X, data.feature_names, reading, data.target_name), kept)
    from assay.tables.cleaning import clean
    from assay.tables.readers import read_table
    from assay.tables.readers.column_options import ColumnOptions
    from assay.tables.readers.origin import Origin
    from assay.tables.readers.read import format_of

    origin = Origin.of(name)
    coded = [c.name for c in model.schema_ if c.coded]
    special: dict[str, dict[str, Any]] = {
        "libsvm": {
            "width": len(model.schema_)
        },  # its last columns may be empty, and then are not in the file
        "csv": {"text": [*coded, *reading.keep]},  # 007 is a category, also among numbers
    }
    remembered = getattr(model, "reading_", {})
    kind = reading.format or format_of(origin)
    options = replace(reading, na=reading.na or tuple(remembered.get("na", ())), clean=()).options()
    read = read_table(origin, **special.get(kind, {}), **options)
    _some_rows(_called(name), len(read))
    if isinstance(read.X, Table):
        return RowsToPredict(_full(read.X))
    names = read.X.column_names
    kept = _kept(read.X, reading.keep, names)
    target = getattr(model, "target_name_", None)
    X = _used(model, read.X, names, reading, target)
    cleaned = reading.clean or remembered.get("clean", ())
    if cleaned:
        to_clean = [name for name in X.column_names if name in cleaned or cleaned == ("all",)]
        X, _ = clean(X, to_clean, like=model.schema_)
    numbers = [c.name for c in model.schema_ if not c.coded and not c.date and c.name in names]
    X, _ = ColumnOptions.of((), (), numbers, ()).apply(X, origin)
    return RowsToPredict(X, kept)


def _used(model: Any, X: Any, names: Sequence[str], reading: Reading, target: str | None) -> Any:
    """The columns that the model knows, if it knows columns by name; the others are named in a note."""
    model_columns = set(model.schema_.names)
    if not model.schema_.named or not model_columns <= set(names):
        return X  # columns by position, or some are missing: the model says which
    extra = [name for name in names if name not in model_columns]
    ignored = [name for name in extra if name != target and name not in reading.keep]
    if ignored:
        click.echo(
            f"Note: the model does not use {listed_names(ignored)}; "
            f"{'it was' if len(ignored) == 1 else 'they were'} ignored.",
            err=True,
        )
    if not extra:
        return X
    return _without(X, extra, "") if isinstance(X, Table) else X.drop_columns(extra)


def without_extra(X: Table, names: Sequence[str]) -> Table:
    """The columns of these names alone, if all are present; else all, so that the model names the missing ones."""
    extra = [column.name for column in X.schema if column.name not in names]
    return _without(X, extra, "") if extra and len(extra) == len(X.schema) - len(names) else X


def _kept(frame: Any, keep: Sequence[str], names: Sequence[str]) -> dict[str, list[Any]]:
    _known_columns(keep, names, "--keep")
    return {name: frame[name].to_pylist() for name in keep}


def _known_columns(columns: Sequence[str], names: Sequence[str], option: str) -> None:
    for column in columns:
        if column not in names:
            raise click.BadParameter(
                f"there is no column {column}.{did_you_mean(column, names)}", param_hint=option
            )


def _without(X: Table, columns: Sequence[str], name: str) -> Table:
    chosen = [j for j, column in enumerate(X.schema) if column.name not in columns]
    if not chosen:
        raise click.ClickException(f"No column of {name} is left to learn from.")
    if len(chosen) == len(X.schema):
        return X
    return X.select(chosen)


def _some_rows(name: str, n: int) -> None:
    if not n:
        raise click.ClickException(f"{name} names its columns, but has no rows.")


def _full(X: Table) -> Table:
    """A sparse table with its zeros written out, as most learners need it, where that takes no more than 400 MB."""
    n, d = X.shape
    return X if isinstance(X.values, np.ndarray) or n * d > 5e7 else X.replaced(values=X.values.toarray())


def write_data(data: Any, path: str) -> None:
    """A built-in data set as a file, its format by the path's ending."""
    from assay.cli.output import check_ending
    from assay.tables.writers import write_table

    check_ending(path, "--save")
    write_table(data.frame("pyarrow"), path)
