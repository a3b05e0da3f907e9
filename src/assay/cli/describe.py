"""``assay describe FILE``: what is in a table, and what looks wrong."""

from __future__ import annotations

import click

from assay.cli.data import data_argument, open_data, target_option, task_option
from assay.cli.reading import Reading, table_options


@click.command("describe")
@data_argument
@target_option
@task_option
@table_options
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(data: str, target: str | None, task: str | None, reading: Reading, as_json: bool) -> None:
    """What is in a table: columns, kinds, missing values, the target, and what looks wrong.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set. With --target (of an ARFF file, its last column) also the classes or the
    numbers to predict, and columns that give them away.
    """
    from assay.evaluate import describe

    dataset = open_data(data, target, reading, need_target=False)
    if task is not None and dataset.y is None:
        raise click.UsageError("--task is about the target; name it with --target COLUMN.")
    description = describe(dataset.X, dataset.y, name=dataset.name, target=dataset.target, task=task)
    if as_json:
        from assay.cli.output import echo_json

        echo_json(description.to_dict())
    else:
        click.echo(description.to_text("command line"))
