"""Sequences on the command line: rows of a long table that belong together (--sequence) in an order (--order)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from assay.cli.completion import complete_columns
from assay.cli.data import LabelledTable, RowsToPredict, open_data, rows_for
from assay.cli.reading import Reading
from assay.cli.words import counted
from assay.errors import did_you_mean

__all__ = [
    "LabelledSequences",
    "fit_sequences",
    "open_sequences",
    "predict_sequences",
    "refuse_of_rows",
    "refuse_with_sequences",
    "rows_of_sequences",
    "sequence_learners",
    "sequence_options",
    "sequences_for",
]

_OPTIONS = [
    click.option(
        "--sequence",
        metavar="COLUMN",
        shell_complete=complete_columns,
        help="The column that says to which sequence a row belongs: sequences are compared, trained and predicted as a "
        "whole.",
    ),
    click.option(
        "--order",
        metavar="COLUMN",
        shell_complete=complete_columns,
        help="The column of numbers or dates by which the rows of a sequence are ordered; without it as they come.",
    ),
]


def sequence_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command --sequence and --order."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True)
class LabelledSequences:
    """Sequences of a file, and what is to be predicted: a class for each sequence, or a label for each row."""

    name: str
    X: Any
    y: np.ndarray | None
    target: str | None
    left_out: int = 0

    def tell_left_out(self) -> None:
        """A note on standard error that counts the sequences without a class."""
        if self.left_out:
            sequences = counted(self.left_out, "sequence")
            click.echo(f"Left out: {sequences} of {self.name} without a value of {self.target}.", err=True)


def refuse_with_sequences(options: dict[str, Any], order: str | None, sequence: str | None) -> None:
    """Options that have no meaning for whole sequences; --order without --sequence."""
    if order is not None and sequence is None:
        raise click.UsageError(
            "--order is about the rows of a sequence; say which belong together with --sequence."
        )
    if sequence is not None:
        for option, value in options.items():
            if value:
                raise click.UsageError(f"{option} is about single rows; leave it out with --sequence.")


def refuse_of_rows(path: str, sequence: str | None, order: str | None) -> None:
    """--sequence or --order for a model of single rows."""
    if sequence is not None or order is not None:
        option = "--order" if sequence is None else "--sequence"
        raise click.UsageError(f"{path} holds a model of single rows; leave {option} out.")


def rows_of_sequences(
    model: Any, data: str, reading: Reading, sequence: str | None, order: str | None
) -> RowsToPredict:
    """Sequences in the place of rows, and of the kept columns what the first row of each has."""
    X, columns = sequences_for(model, data, reading, sequence, order)
    order = _named_columns(model, sequence, order)[1]
    kept = {name: [values[a] for a in X.offsets[:-1]] for name, values in columns.items() if name != order}
    return RowsToPredict(X, kept)


def open_sequences(
    name: str,
    target: str | None,
    reading: Reading,
    sequence: str,
    order: str | None,
    *,
    each_row: bool = False,
    need_target: bool = True,
) -> LabelledSequences:
    """The sequences of a file and their classes.

    Parameters
    ----------
    each_row : whether each row has a label; else all rows of a sequence must have the same
    """
    for option, column in (("--sequence", sequence), ("--order", order)):
        if target is not None and column == target:
            raise click.BadParameter(f"{column} is the target", param_hint=option)
    if sequence == order:
        raise click.BadParameter(f"{order} says which rows belong together already", param_hint="--order")
    dataset = open_data(name, target, reading, need_target)
    return _cut(dataset, sequence, order, each_row)


def _column(dataset: LabelledTable, column: str, option: str) -> np.ndarray:
    """The values of a column, as categories or numbers, none of them missing."""
    names = dataset.X.schema.names
    if column not in names:
        raise click.BadParameter(
            f"there is no column {column}.{did_you_mean(column, names)}", param_hint=option
        )
    values = np.asarray(dataset.X.values[:, [names.index(column)]]).ravel()
    empty = int(np.isnan(values).sum())
    if empty:
        raise click.BadParameter(f"column {column} has {counted(empty, 'missing value')}", param_hint=option)
    return values


def _cut(dataset: LabelledTable, sequence: str, order: str | None, each_row: bool) -> LabelledSequences:
    from assay.core.targets import plain_values
    from assay.sequences import Sequences

    ids = _column(dataset, sequence, "--sequence")
    schema = dataset.X.schema
    places = np.argsort(ids, kind="stable")
    if order is not None:
        moments = _column(dataset, order, "--order")
        if schema[order].coded:
            raise click.BadParameter(
                f"column {order} holds {schema[order].kind} values such as {schema[order].categories[0]!r}, expected "
                "numbers or dates",
                param_hint="--order",
            )
        places = np.lexsort([moments, ids])
        twice = (np.diff(ids[places]) == 0) & (np.diff(moments[places]) == 0)
        if twice.any():
            at = places[int(np.argmax(twice))]
            raise click.BadParameter(
                f"sequence {_named(schema[sequence], ids[at])} has two rows at the same {order}",
                param_hint="--order",
            )
    kept = [j for j, name in enumerate(schema.names) if name not in (sequence, order)]
    if not kept:
        raise click.ClickException(f"No column of {dataset.name} is left to learn from.")
    codes, first, lengths = np.unique(ids[places], return_index=True, return_counts=True)
    table = dataset.X.select(kept)
    values = np.asarray(table.values if isinstance(table.values, np.ndarray) else table.values.toarray())
    names = [_named(schema[sequence], code) for code in codes]
    X = Sequences(values[places], np.concatenate([[0], np.cumsum(lengths)]), table.schema, names)
    if dataset.y is None:
        return LabelledSequences(dataset.name, X, None, dataset.target)
    y = np.asarray(dataset.y)[places]
    if each_row:
        return LabelledSequences(dataset.name, X, y, dataset.target)
    missing = np.array([value is None or value != value for value in plain_values(y)])
    labels, known = [], []
    for s, (a, b) in enumerate(zip(first, first + lengths)):
        values_of = {str(v): v for v, gone in zip(y[a:b], missing[a:b]) if not gone}
        if len(values_of) > 1:
            raise click.ClickException(
                f"Sequence {names[s]} of {dataset.name} has several values of {dataset.target}: "
                f"{', '.join(sorted(values_of)[:3])}. A class belongs to a whole sequence; labels of rows are learned "
                "by crf and hybrid hmm."
            )
        if values_of:
            known.append(s)
            labels.extend(values_of.values())
    left_out = len(names) - len(known)
    if not known:
        raise click.ClickException(f"No sequence of {dataset.name} has a value of {dataset.target}.")
    return LabelledSequences(dataset.name, X.take(known), np.array(labels), dataset.target, left_out)


def _named(column: Any, value: float) -> Any:
    """What a sequence is called: its category or number."""
    if column.categories:
        return str(column.categories[int(value)])
    return int(value) if float(value).is_integer() else float(value)


def sequence_learners(names: list[str] | None, X: Any) -> dict[str, Any]:
    """Classifiers of whole sequences by name: learners of tables see a line for each, models of sequences one for each
    class; all that suit and the sequence classifier if there are no names.
    """
    from assay.evaluate.learners import suitable
    from assay.learners import find_learner, is_learner
    from assay.sequences import SequenceClassifier
    from assay.tables import Table

    if names is None:
        names = [entry.name for entry in suitable(Table.of(X))] + ["sequence classifier"]
    made: dict[str, Any] = {}
    for name in names:
        if is_learner(name, "sequence model") and not is_learner(name):
            entry = find_learner(name, "sequence model")
            model = entry.make()
            made[entry.name] = (
                model if entry.multiclass else SequenceClassifier(_with_likelihoods(model, name))
            )
        else:
            made[find_learner(name).name] = name
    return made


def _with_likelihoods(model: Any, name: str) -> Any:
    from assay.sequences.sequence_labeler import SequenceLabeler

    if isinstance(model, SequenceLabeler) or not hasattr(model, "log_likelihoods"):
        raise click.UsageError(f"{name} does not classify whole sequences.")
    return model


def fit_sequences(
    data: str, target: str | None, learner: str | None, settings: tuple[str, ...], output: str, reading: Reading,
    sequence: str, order: str | None, apply: Callable[[Any, tuple[str, ...]], None],
) -> None:  # fmt: skip
    """Train a model of sequences: of each class if there is a target, else of all; or of labels of rows."""
    from assay.cli.output import save_model
    from assay.learners import find_learner
    from assay.sequences import SequenceClassifier
    from assay.sequences.sequence_labeler import SequenceLabeler

    entry = find_learner(learner or "sequence classifier", "sequence model")
    model = entry.make()
    apply(model, settings)
    labels_rows = isinstance(model, SequenceLabeler)
    supervised = labels_rows or bool(entry.multiclass)
    dataset = open_sequences(
        data, target, reading, sequence, order, each_row=labels_rows, need_target=supervised
    )
    if not supervised and dataset.y is not None:
        model, supervised = SequenceClassifier(_with_likelihoods(model, entry.name)), True
    if supervised:
        model.fit(dataset.X, dataset.y)
    else:
        model.fit(dataset.X)
    dataset.tell_left_out()
    model.target_name_ = dataset.target
    remembered = {"sequence": [sequence], "order": [] if order is None else [order], "na": list(reading.na)}
    model.reading_ = {name: marks for name, marks in remembered.items() if marks}
    save_model(model, output)
    rows = counted(len(dataset.X.values), "row")
    if supervised:
        learned = f"learned {dataset.target} from"
        error = f"training error {1 - model.score(dataset.X, dataset.y):.1%}"
    else:
        learned, error = "learned from", f"log likelihood {model.score(dataset.X):.4g}"
    click.echo(
        f"{type(model).__name__} {learned} {counted(len(dataset.X), 'sequence')} of {rows} in all; {error}. Saved in "
        f"{'standard output' if output == '-' else output}.",
        err=output == "-",
    )


def sequences_for(
    model: Any, data: str, reading: Reading, sequence: str | None, order: str | None
) -> tuple[Any, dict[str, list[Any]]]:
    """The sequences of a file as the model takes them, and for each row the columns that say what it is."""
    from assay.sequences import Sequences

    sequence, order = _named_columns(model, sequence, order)
    if sequence is None:
        raise click.UsageError("This model is of sequences: say which rows belong together with --sequence.")
    extra = tuple(c for c in (sequence, order) if c is not None and c not in reading.keep)
    rows = rows_for(model, data, replace(reading, keep=(*reading.keep, *extra)))
    frame, kept = rows.X, dict(rows.kept)
    ids = kept[sequence]
    moments = list(range(len(ids))) if order is None else _moments(kept[order], order)
    for column, values in ((sequence, ids), (order, kept.get(order or "", []))):
        if any(value is None or value == "" for value in values):
            raise click.ClickException(f"Column {column} of {data} has missing values.")
    if hasattr(frame, "column_names"):
        columns = {name: frame[name].to_pylist() for name in frame.column_names}
    else:
        columns = {c.name: list(frame.values[:, j]) for j, c in enumerate(frame.schema)}
    marker, moment = _unused("sequence", columns), _unused("order", columns)
    table = {**columns, marker: [str(v) for v in ids], moment: moments}
    X = Sequences.of(table, id=marker, order=moment, schema=model.schema_, who=type(model).__name__)
    places = sorted(range(len(ids)), key=lambda i: (str(ids[i]), moments[i]))
    return X, {name: [values[i] for i in places] for name, values in {sequence: ids, **kept}.items()}


def _named_columns(model: Any, sequence: str | None, order: str | None) -> tuple[str | None, str | None]:
    """The columns that say to which sequence a row belongs and when it was; those of training if not given."""
    remembered = getattr(model, "reading_", {})
    return tuple(  # type: ignore[return-value]
        chosen or next(iter(remembered.get(name, [])), None)
        for chosen, name in ((sequence, "sequence"), (order, "order"))
    )


def _unused(name: str, columns: dict[str, Any]) -> str:
    while name in columns:
        name += " "
    return name


def _moments(values: list[Any], column: str) -> list[Any]:
    """Numbers or dates, by which rows are ordered."""
    try:
        return [float(v) for v in values]
    except (TypeError, ValueError):
        pass
    try:
        return np.array([str(v) for v in values], dtype="datetime64[us]").astype(np.int64).tolist()
    except ValueError:
        raise click.BadParameter(
            f"column {column} holds values such as {values[0]!r}, expected numbers or dates",
            param_hint="--order",
        ) from None


def predict_sequences(
    fitted: Any, data: str, output: str | None, reading: Reading, sequence: str | None, order: str | None,
    probabilities: bool | None,
) -> None:  # fmt: skip
    """A line for each sequence with its class, or a line for each row with its label or state."""
    from assay.cli.output import numbers_for, unique_name, write_columns
    from assay.sequences import SequenceClassifier

    X, columns = sequences_for(fitted, data, reading, sequence, order)
    order = _named_columns(fitted, sequence, order)[1]
    whole = isinstance(fitted, SequenceClassifier)
    if whole:
        columns = {
            name: [values[a] for a in X.offsets[:-1]] for name, values in columns.items() if name != order
        }
    answers, has_probabilities = fitted.predict(X), hasattr(fitted, "predict_proba")
    target = getattr(fitted, "target_name_", None) or "state"
    columns[unique_name(f"predicted {target}" if target in columns else target, columns)] = answers.tolist()
    if has_probabilities and (probabilities or (probabilities is None and whole)):
        posterior = fitted.predict_proba(X)
        labels = getattr(fitted, "classes_", range(posterior.shape[1]))
        for k, label in enumerate(labels):
            columns[unique_name(f"P({label})", columns)] = numbers_for(output, posterior[:, k])
    write_columns(columns, output)
