"""``assay datasets``: the built-in data."""

from __future__ import annotations

import click


@click.command("datasets", short_help="The built-in data sets.")
@click.argument("name", required=False)
@click.option(
    "--save", type=click.Path(dir_okay=False, writable=True), help="Write it as CSV or ARFF, by the ending."
)
def command(name: str | None, save: str | None) -> None:
    """The built-in data sets; with a NAME, what that one is, and with --save, a copy as a file."""
    from assay.cli.data import load_built_in
    from assay.tables.data import datasets

    if name is None and save:
        raise click.UsageError(
            "Which data set is to be saved? Give its NAME.", ctx=click.get_current_context()
        )
    if name is None:
        listed = datasets()
        width = max(len(key) for key in listed)
        for key, line in listed.items():
            click.echo(f"  {key:<{width}}  {line}")
        return
    found = load_built_in(name)
    if save:
        from assay.cli.data import write_data

        write_data(found, save)
        click.echo(f"{name} is written to {save}.")
    else:
        click.echo(str(found))
