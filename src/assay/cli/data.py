"""Where a command's table comes from: a file, standard input, or a built-in data set by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
    from assay.tables.readers.blocks import Blocks
    from assay.tables.sampling import Sample

__all__ = [
    "LabelledTable",
    "RowsToPredict",
    "blocks_for",
    "built_in_with",
    "data_argument",
    "labelled_blocks",
    "load_built_in",
    "open_data",
    "rows_for",
    "rows_to_learn",
    "sampled_data",
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
    kept: dict[str, Any] = field(default_factory=dict)


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
    if not read.names:
        besides = f" besides {read.target}" if read.target else ""
        raise click.ClickException(f"{source} has no column{besides}; there is nothing to learn from.")
    if read.cleaned is not None:
        click.echo(f"Cleaned: {read.cleaned}".replace("\n", "\nCleaned: "), err=True)
    _known_columns(reading.keep, [*read.names, *([read.target] if read.target else [])], "--keep")
    table = read.table
    if reading.keep:
        table = _without(table, reading.keep, source)
    cleaned = () if read.cleaned is None else tuple(read.cleaned.done)
    return LabelledTable(Path(source).name, _full(table), read.y, read.target, read.weights, cleaned)


def sampled_data(
    name: str, target: str | None, reading: Reading, n: int, seed: int
) -> tuple[LabelledTable, Sample]:
    """The same for some rows, drawn at random while the file is read block by block."""
    from assay.tables.readers.column_options import ColumnOptions
    from assay.tables.readers.read import FileData, labels
    from assay.tables.sampling import sample_blocks

    blocks, target = labelled_blocks(name, target, replace(reading, clean=()), "--sample")
    source = _called(name)
    sample = sample_blocks(_counted(blocks, f"drawing rows of {source}"), n, seed, target)
    frame, cleaned = sample.frame, tuple[str, ...]()
    if reading.clean:
        wishes = ColumnOptions.of((), (), (), (), reading.options()["clean"])
        frame, report = wishes.apply(frame, source)
        if report is not None:
            click.echo(f"Cleaned: {report}".replace("\n", "\nCleaned: "), err=True)
            cleaned = tuple(report.done)
    X = frame.drop_columns([target])
    table = FileData(X, None, None, target, name, blocks.format).table
    if reading.keep:
        table = _without(table, reading.keep, source)
    return LabelledTable(Path(source).name, table, labels(frame[target]), target, None, cleaned), sample


def labelled_blocks(name: str, target: str | None, reading: Reading, option: str) -> tuple[Blocks, str]:
    """The blocks of a file, and the column to predict."""
    from assay.tables.readers import read_blocks

    if not is_file(name):
        raise click.UsageError(
            f"{name} is a built-in data set, which fits into memory; {option} is about files."
        )
    blocks = read_blocks(name, rows=BLOCK_ROWS, **reading.options())
    if target is None and blocks.format == "arff":
        target = blocks.names[-1]
    if target is None:
        columns = ", ".join(blocks.names[:30])
        raise click.UsageError(
            f"Which column of {_called(name)} is to be predicted? Give --target. Columns: {columns}"
        )
    _known_columns([target], blocks.names, "--target")
    _known_columns(reading.keep, blocks.names, "--keep")
    return blocks, target


def _counted(blocks: Any, description: str) -> Iterator[Any]:
    """The blocks of a file, with progress."""
    from assay.core.progress import progress

    done = 0
    with progress(blocks.count, description) as bar:
        for block in blocks:
            yield block
            done += block.num_rows
            bar.advance(block.num_rows, note=f"{done:,} rows")


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


BLOCK_ROWS = 65536  # rows of a large file that are in memory at a time
LARGE_FILE_BYTES = 32 << 20  # from here on a file is read in blocks; packed ones count ten times
BLOCK_FORMATS = ("csv", "parquet", "arff", "jsonl", "feather")


def rows_for(model: Estimator, name: str, reading: Reading | None = None) -> RowsToPredict:
    """The rows of a file or of a built-in data set as the model takes them.

    The model's schema, not the file's, says which columns are used and what each of them is. Columns that the model
    does not know are ignored, and a note names them; the column to predict, if it came along, needs no note.
    """
    return next(iter(_NewRows(model, name, reading or Reading()).whole()))


def blocks_for(model: Estimator, name: str, reading: Reading | None = None) -> Iterator[RowsToPredict]:
    """The same rows one block after the other, if the file is large and has no columns to be cleaned; else at once."""
    rows = _NewRows(model, name, reading or Reading())
    return rows.blocks() if rows.large else rows.whole()


class _NewRows:
    """The rows of a file or of a built-in data set, as a model takes them."""

    def __init__(self, model: Any, name: str, reading: Reading):
        if not hasattr(model, "schema_"):
            raise click.ClickException("This model file does not hold a learner of tables.")
        self.model, self.name, self.reading = model, name, reading
        remembered = getattr(model, "reading_", {})
        self.cleaned = reading.clean or remembered.get("clean", ())
        self.na = reading.na or tuple(remembered.get("na", ()))
        if is_file(name):
            from assay.tables.readers.origin import Origin
            from assay.tables.readers.read import format_of

            self.origin = Origin.of(name)
            self.kind = reading.format or format_of(self.origin)

    @property
    def large(self) -> bool:
        """Whether the file is to be read in blocks."""
        if not is_file(self.name) or self.kind not in BLOCK_FORMATS or self.cleaned:
            return False
        size = self.origin.path.stat().st_size * (10 if self.origin.is_packed else 1)
        return size > LARGE_FILE_BYTES

    def options(self) -> dict[str, Any]:
        """How the file is read."""
        coded = [c.name for c in self.model.schema_ if c.coded]
        special: dict[str, dict[str, Any]] = {
            "libsvm": {
                "width": len(self.model.schema_)
            },  # its last columns may be empty, and then are not in the file
            "csv": {"text": [*coded, *self.reading.keep]},  # 007 is a category, also among numbers
        }
        return special.get(self.kind, {}) | replace(self.reading, na=self.na, clean=()).options()

    def whole(self) -> Iterator[RowsToPredict]:
        """All rows at once."""
        if not is_file(self.name):
            yield self._built_in()
            return
        from assay.tables.readers import read_table

        read = read_table(self.origin, **self.options())
        _some_rows(_called(self.name), len(read))
        yield RowsToPredict(_full(read.X)) if isinstance(read.X, Table) else self._taken(read.X)

    def blocks(self) -> Iterator[RowsToPredict]:
        """Block by block, with progress."""
        from assay.tables.readers import read_blocks

        source, done = read_blocks(self.origin, rows=BLOCK_ROWS, **self.options()), 0
        for frame in _counted(source, f"predicting {_called(self.name)}"):
            yield self._taken(frame, done)
            done += frame.num_rows
        _some_rows(_called(self.name), done)

    def _built_in(self) -> RowsToPredict:
        data = load_built_in(self.name)
        names = [*data.X.schema.names, *filter(None, [data.target_name])]
        kept = _kept(data.frame("pyarrow"), self.reading.keep, names)
        target = getattr(self.model, "target_name_", None)
        if data.target_name in self.model.schema_.names and target in data.feature_names:
            data = data.with_target(target)
        X = _used(self.model, data.X, data.feature_names, self.reading, data.target_name)
        return RowsToPredict(X, kept)

    def _taken(self, frame: Any, first_row: int = 0) -> RowsToPredict:
        """Rows of a file, of which ``first_row`` came before, as the model takes them; notes come with the first."""
        from assay.tables.cleaning import clean
        from assay.tables.readers.column_options import ColumnOptions

        names, schema = frame.column_names, self.model.schema_
        kept = _kept(frame, self.reading.keep, names, self.large)
        target = getattr(self.model, "target_name_", None)
        X = _used(self.model, frame, names, self.reading, target, tell=first_row == 0)
        if self.cleaned:
            to_clean = [name for name in X.column_names if name in self.cleaned or self.cleaned == ("all",)]
            X, _ = clean(X, to_clean, like=schema)
        numbers = [c.name for c in schema if not c.coded and not c.date and c.name in names]
        X, _ = ColumnOptions.of((), (), numbers, ()).apply(X, self.origin, None, first_row)
        return RowsToPredict(X, kept)


def _used(
    model: Any, X: Any, names: Sequence[str], reading: Reading, target: str | None, tell: bool = True
) -> Any:
    """The columns that the model knows, if it knows columns by name; the others are named in a note."""
    model_columns = set(model.schema_.names)
    if not model.schema_.named or not model_columns <= set(names):
        return X  # columns by position, or some are missing: the model says which
    extra = [name for name in names if name not in model_columns]
    ignored = [name for name in extra if name != target and name not in reading.keep]
    if ignored and tell:
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


def _kept(frame: Any, keep: Sequence[str], names: Sequence[str], arrow: bool = False) -> dict[str, Any]:
    """The columns to keep, as lists, or as they are, so that they have one type in all blocks."""
    _known_columns(keep, names, "--keep")
    if not arrow:
        return {name: frame[name].to_pylist() for name in keep}
    from pyarrow import types

    columns = {name: frame[name] for name in keep}
    return {
        name: c.cast(c.type.value_type) if types.is_dictionary(c.type) else c for name, c in columns.items()
    }


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
