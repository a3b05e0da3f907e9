"""``assay predict MODEL FILE``: answer for each row of a table."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import click

from assay.cli.costs import cost_option, decision_rule, reject_option
from assay.cli.data import data_argument, rows_for


@click.command("predict", short_help="Answer for each row of a table with a saved model.")
@click.argument("model", type=click.Path(dir_okay=False))
@data_argument
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False), help="CSV file; without it, standard output."
)
@click.option(
    "--probabilities/--labels-only", default=True, show_default=True, help="Also one column a class."
)
@cost_option
@reject_option
def command(
    model: str,
    data: str,
    output: str | None,
    probabilities: bool,
    cost: tuple[str, ...],
    reject: float | None,
) -> None:
    """Answer for each row of a table with a model saved by assay fit.

    The table needs the columns that the model was trained on, in any order; if the column to predict is there
    too, it is left out. With costs the answer is the one of least expected cost, and with --reject rows whose
    expected cost is not below it are answered "reject".
    """
    from assay import load

    fitted = load(model)
    rows = rows_for(fitted, data)
    posterior = fitted.predict_proba(rows)
    rule = decision_rule(fitted, cost, reject)
    answers = fitted.classes_[posterior.argmax(axis=1)] if rule is None else rule.predict(rows)
    columns: dict[str, Any] = {getattr(fitted, "target_name_", None) or "prediction": answers}
    if probabilities:
        columns |= {
            f"P({label})": [f"{p:.6g}" for p in posterior[:, k]] for k, label in enumerate(fitted.classes_)
        }
    _write(columns, output)


def _write(columns: dict[str, Any], output: str | None) -> None:
    import csv

    from assay.tables.whole_files import whole_file

    with whole_file(output) if output else nullcontext(sys.stdout) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values()))
