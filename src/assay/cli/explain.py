"""``assay explain MODEL FILE --row 17``: why a model answers as it does."""

from __future__ import annotations

import click

from assay.cli.data import data_argument, rows_for
from assay.cli.reading import Reading, table_options
from assay.cli.words import counted


@click.command("explain", short_help="Why a saved model answers as it does for one row.")
@click.argument("model", type=click.Path(dir_okay=False, allow_dash=True))
@data_argument
@click.option("--row", "-r", default=1, show_default=True, type=click.IntRange(min=1), help="Counted from 1.")
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True), help="Write the explanation as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@table_options
def command(model: str, data: str, row: int, html: str | None, as_json: bool, reading: Reading) -> None:
    """Why a saved model answers as it does for one row of a table: its own reasoning, step by step."""
    from assay.cli.output import check_folder, echo_json, load_model

    check_folder(html, "--html")
    if model == data == "-":
        raise click.UsageError("Model and table cannot both come from standard input.")
    fitted = load_model(model)
    rows = rows_for(fitted, data, reading)
    n = rows.X.shape[0]
    if row > n:
        raise click.BadParameter(f"there is no row {row}; {data} has {counted(n, 'row')}", param_hint="--row")
    if not hasattr(fitted, "explain"):
        raise click.ClickException("This learner does not explain its answers.")
    explanation = fitted.explain(rows.X[row - 1 : row])
    kept = {name: values[row - 1] for name, values in rows.kept.items()}
    if html:
        from assay.cli.page import page
        from assay.tables.whole_files import write_whole

        write_whole(html, page("Explanation", explanation.to_html()))
        click.echo(f"Row {row} of {data} is explained in {html}.")
    elif as_json:
        echo_json({**explanation.to_dict(), **({"kept": kept} if kept else {})})
    else:
        if kept:
            click.echo(", ".join(f"{name} = {value}" for name, value in kept.items()))
        click.echo(str(explanation))
