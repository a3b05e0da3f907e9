"""``assay datasets``: the built-in data."""

from __future__ import annotations

import click

from assay.cli.completion import complete_datasets


@click.command("datasets")
@click.argument("name", required=False, shell_complete=complete_datasets)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="Write it as .csv, .tsv, .arff, .parquet, .jsonl or .feather; - is standard output, as CSV.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, save: str | None, as_json: bool) -> None:
    """The built-in data sets; with a NAME, what that one is, and with --save, a copy as a file."""
    from assay.cli.data import load_built_in, write_data
    from assay.cli.output import echo_json
    from assay.tables.data import datasets

    if name is None and save:
        raise click.UsageError(
            "Which data set is to be saved? Give its NAME.", ctx=click.get_current_context()
        )
    if name is None:
        built_in = datasets()
        if as_json:
            echo_json([{"name": key, "description": line} for key, line in built_in.items()])
            return
        width = max(len(key) for key in built_in)
        for key, line in built_in.items():
            click.echo(f"  {key:<{width}}  {line}")
        return
    data = load_built_in(name)
    if save:
        write_data(data, save)
        if save != "-":
            click.echo(f"{name} is written to {save}.")
    elif as_json:
        echo_json(
            {
                "name": data.name,
                "rows": data.X.shape[0],
                "columns": [{"name": c.name, "kind": c.kind} for c in data.X.schema],
                "target": data.target_name,
                "description": data.description,
            }
        )
    else:
        click.echo(str(data))
