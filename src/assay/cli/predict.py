"""``assay predict MODEL FILE``: predict each row of a table."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.costs import cost_option, decision_rule, reject_option
from assay.cli.data import data_argument, rows_for
from assay.cli.reading import Reading, table_options
from assay.errors import spoken_as

BATCH_SIZE = 256  # rows that are explained together: ensembles go over their trees once for all of them


@click.command("predict", short_help="Predict each row of a table with a saved model.")
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
    "--reason", is_flag=True, help="Also the strongest reason for each prediction, from its explanation."
)
@cost_option
@reject_option
@table_options
def command(
    model: str,
    data: str,
    output: str | None,
    probabilities: bool | None,
    reason: bool,
    cost: tuple[str, ...],
    reject: float | None,
    reading: Reading,
) -> None:
    """Predict each row of a table with a model saved by assay fit.

    The table needs the columns that the model was trained on, in any order; others are ignored, and a note names
    them. --keep copies columns into the output. With costs the class of least expected cost is predicted, and with
    --reject rows whose expected cost is not below it are predicted "reject".
    """
    from assay.cli.output import (
        check_ending,
        check_folder,
        load_model,
        numbers_for,
        unique_name,
        write_columns,
    )

    check_ending(output, "--output")
    check_folder(output, "--output")
    if model == data == "-":
        raise click.UsageError("Model and table cannot both come from standard input.")
    fitted = load_model(model)
    rows = rows_for(fitted, data, reading)
    rule = decision_rule(fitted, cost, reject)
    has_probabilities = hasattr(fitted, "predict_proba")
    if (probabilities or rule is not None) and not has_probabilities:
        raise click.UsageError("This learner gives no probabilities; fit it with --calibrate to have them.")
    with spoken_as(model, type(fitted).__name__):
        posterior = fitted.predict_proba(rows.X) if has_probabilities else None
        if rule is not None:
            predictions = rule.predict(rows.X)
        else:
            predictions = (
                fitted.predict(rows.X) if posterior is None else fitted.classes_[posterior.argmax(axis=1)]
            )
    columns: dict[str, Any] = dict(rows.kept)
    target = getattr(fitted, "target_name_", None) or "prediction"
    columns[unique_name(f"predicted {target}" if target in columns else target, columns)] = (
        predictions.tolist()
    )
    if posterior is not None and probabilities is not False:
        for k, label in enumerate(fitted.classes_):
            columns[unique_name(f"P({label})", columns)] = numbers_for(output, posterior[:, k])
    if reason:
        columns[unique_name("reason", columns)] = _reasons(fitted, rows.X, len(predictions))
    write_columns(columns, output)


def _reasons(fitted: Any, X: Any, n: int) -> list[str]:
    from assay.cli.reasons import reason
    from assay.core.explanation import Explanation
    from assay.core.progress import progress

    if not hasattr(fitted, "explain"):
        raise click.UsageError("This learner does not explain its predictions.")
    reasons: list[str] = []
    with progress(total=n, description="explaining predictions") as bar:
        for start in range(0, n, BATCH_SIZE):
            explained = fitted.explain(X[start : start + BATCH_SIZE])
            explanations = [explained] if isinstance(explained, Explanation) else explained
            reasons += map(reason, explanations)
            bar.advance(len(explanations))
    return reasons
