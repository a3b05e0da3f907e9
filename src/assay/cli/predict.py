"""``assay predict MODEL FILE``: predict each row of a table."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.costs import cost_option, decision_rule, refuse_options, reject_option
from assay.cli.data import blocks_for, data_argument
from assay.cli.reading import Reading, table_options
from assay.cli.sequences import predict_sequences, refuse_of_rows, refuse_with_sequences, sequence_options
from assay.errors import spoken_as

BATCH_SIZE = 256  # rows that are explained together: ensembles go over their trees once for all of them


@click.command("predict")
@click.argument("model", type=click.Path(dir_okay=False, allow_dash=True))
@data_argument
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="The predictions as .csv, .tsv, .parquet, .jsonl, .feather or .arff; without it, CSV on standard output.",
)
@click.option(
    "--probabilities/--labels-only",
    default=None,
    help="Whether to write the probability of each class; without either: if the learner has probabilities.",
)
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    metavar="COVERAGE",
    help="Also the ends of an interval that contains the number with this probability, such as 0.9.",
)
@click.option(
    "--reason", is_flag=True, help="Also the strongest reason for each prediction, from its explanation."
)
@cost_option
@reject_option
@sequence_options
@table_options
def command(
    model: str,
    data: str,
    output: str | None,
    probabilities: bool | None,
    interval: float | None,
    reason: bool,
    cost: tuple[str, ...],
    reject: float | None,
    sequence: str | None,
    order: str | None,
    reading: Reading,
) -> None:
    """Predict each row of a table with a model saved by assay fit.

    The table needs the columns that the model was trained on, in any order; others are ignored, and a note names
    them. --keep copies columns into the output. With costs the class of least expected cost is predicted, and with
    --reject rows whose expected cost is not below it are predicted "reject". A model of numbers writes the predicted
    number, with --interval also a lower and an upper end. A large file is read and predicted in blocks, so its size
    is limited by the disk alone; the output appears when all rows are predicted.
    """
    from assay.cli.output import check_ending, check_output, columns_file, load_model, unique_name

    check_ending(output, "--output")
    check_output(output, "--output", model, data)
    if model == data == "-":
        raise click.UsageError("Model and table cannot both come from standard input.")
    fitted = load_model(model)
    if getattr(fitted, "takes_sequences", False):
        refuse_with_sequences(
            {"--interval": interval, "--reason": reason, "--cost": cost, "--reject": reject},
            None,
            "a model of sequences",
        )
        with spoken_as(model, type(fitted).__name__):
            predict_sequences(fitted, data, output, reading, sequence, order, probabilities)
        return
    refuse_of_rows(model, sequence, order)
    blocks = blocks_for(fitted, data, reading)
    if not hasattr(fitted, "predict"):
        raise click.ClickException(f"{model} holds a {type(fitted).__name__}, which predicts nothing.")
    of_classes = hasattr(fitted, "classes_")
    if of_classes:
        refuse_options({"--interval": interval}, "predicted numbers", f"{model} predicts classes")
    else:
        class_options = {"--probabilities": probabilities, "--cost": cost, "--reject": reject}
        refuse_options(class_options, "classes", f"{model} predicts numbers")
    notes: set[str] = set()  # said once, however many blocks there are
    with columns_file(output) as write:
        for rows in blocks:
            if of_classes:
                answers = _classes(model, fitted, rows.X, output, probabilities, cost, reject)
            else:
                answers = _numbers(model, fitted, rows.X, output, interval, notes)
            columns: dict[str, Any] = dict(rows.kept)
            target = getattr(fitted, "target_name_", None) or "prediction"
            first = f"predicted {target}" if target in columns else target
            for name, values in answers.items():
                columns[unique_name(name or first, columns)] = values
            if reason:
                columns[unique_name("reason", columns)] = _reasons(fitted, rows.X, rows.X.shape[0])
            write(columns)


def _classes(
    path: str,
    fitted: Any,
    X: Any,
    output: str | None,
    probabilities: bool | None,
    cost: tuple[str, ...],
    reject: float | None,
) -> dict[str, list[Any]]:
    """The columns of the answers: classes ("" is the name of the target), then probabilities."""
    from assay.cli.output import numbers_for

    rule = decision_rule(fitted, cost, reject)
    has_probabilities = hasattr(fitted, "predict_proba")
    if (probabilities or rule is not None) and not has_probabilities:
        raise click.UsageError("This learner gives no probabilities; fit it with --calibrate to have them.")
    with spoken_as(path, type(fitted).__name__):
        posterior = fitted.predict_proba(X) if has_probabilities else None
        if rule is not None:
            predictions = rule.predict(X)
        else:
            predictions = (
                fitted.predict(X) if posterior is None else fitted.classes_[posterior.argmax(axis=1)]
            )
    columns = {"": predictions.tolist()}
    if posterior is not None and probabilities is not False:
        for k, label in enumerate(fitted.classes_):
            columns[f"P({label})"] = numbers_for(output, posterior[:, k])
    return columns


def _numbers(
    path: str, fitted: Any, X: Any, output: str | None, coverage: float | None, notes: set[str]
) -> dict[str, list[Any]]:
    """The columns of the answers: numbers ("" is the name of the target), then the ends of the intervals."""
    import numpy as np

    from assay.cli.output import numbers_for

    if coverage is not None and not hasattr(fitted, "predict_interval"):
        learner = type(getattr(fitted, "estimator_", fitted)).__name__
        raise click.UsageError(
            f"{path} holds a {learner}, which has no prediction intervals of its own. Have them calibrated when it is "
            "trained: assay fit ... --interval."
        )
    with spoken_as(path, type(fitted).__name__):
        columns = {"": numbers_for(output, fitted.predict(X))}
        if coverage is not None:
            ends = fitted.predict_interval(X, coverage=coverage)
            if doubt := fitted._interval_doubt(coverage) if hasattr(fitted, "_interval_doubt") else "":
                _tell(
                    f"the intervals {doubt}: they hold fewer than {coverage:.0%} of the numbers. Have them calibrated "
                    "when it is trained: assay fit ... --interval.",
                    notes,
                )
            own_coverage = getattr(fitted, "coverage", None)
            if np.isinf(ends).any() and coverage == own_coverage:  # else the model says so
                _tell(
                    f"{path} was calibrated on too few rows for the coverage {coverage:g}, so ends are infinite. "
                    "Ask for a lower coverage, or train on more rows.",
                    notes,
                )
            columns |= {
                "lower": numbers_for(output, ends[:, 0]),
                "upper": numbers_for(output, ends[:, 1]),
            }
    return columns


def _tell(note: str, notes: set[str]) -> None:
    """Print a note unless an earlier block had it."""
    if note not in notes:
        notes.add(note)
        click.echo(f"Note: {note}", err=True)


def _reasons(fitted: Any, X: Any, n: int) -> list[str]:
    from assay.cli.reasons import reason
    from assay.core.explanation import Explanation
    from assay.core.progress import progress

    if not hasattr(fitted, "explain"):
        raise click.UsageError("This learner does not explain its predictions.")
    reasons: list[str] = []
    numbers = not hasattr(fitted, "classes_")
    with progress(total=n, description="explaining predictions") as bar:
        for start in range(0, n, BATCH_SIZE):
            explained = fitted.explain(X[start : start + BATCH_SIZE])
            explanations = [explained] if isinstance(explained, Explanation) else explained
            reasons += [reason(explanation, numbers) for explanation in explanations]
            bar.advance(len(explanations))
    return reasons
