"""``assay describe FILE``: what is in a table, and what looks wrong."""

from __future__ import annotations

import click

from assay.cli.data import data_argument, open_data, target_option


@click.command("describe", short_help="What is in a table.")
@data_argument
@target_option
def command(data: str, target: str | None) -> None:
    """What is in a table: columns, kinds, holes, classes, and what looks wrong.

    FILE is a CSV, Parquet, ARFF or LIBSVM file, or the name of a built-in data set. With --target also the
    classes, and columns that give them away.
    """
    from assay.evaluate import describe

    found = open_data(data, target, need_target=False)
    click.echo(str(describe(found.X, found.y, name=found.name, target=found.target)))
