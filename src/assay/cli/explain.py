"""``assay explain MODEL FILE --row 17``: why a model answers as it does."""

from __future__ import annotations

import click

from assay.cli.data import data_argument, rows_for
from assay.cli.page import page
from assay.cli.words import counted


@click.command("explain", short_help="Why a saved model answers as it does for one row.")
@click.argument("model", type=click.Path(dir_okay=False))
@data_argument
@click.option("--row", "-r", default=1, show_default=True, type=click.IntRange(min=1), help="Counted from 1.")
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True), help="Write the explanation as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(model: str, data: str, row: int, html: str | None, as_json: bool) -> None:
    """Why a saved model answers as it does for one row of a table: its own reasoning, step by step."""
    from assay import load
    from assay.tables.whole_files import write_whole

    fitted = load(model)
    rows = rows_for(fitted, data)
    n = rows.shape[0]
    if row > n:
        raise click.BadParameter(f"there is no row {row}; {data} has {counted(n, 'row')}", param_hint="--row")
    explanation = fitted.explain(rows[row - 1 : row])
    if html:
        write_whole(html, page("Explanation", explanation.to_html()))
        click.echo(f"Row {row} of {data} is explained in {html}.")
    elif as_json:
        import json

        click.echo(json.dumps(explanation.to_dict(), indent=2, ensure_ascii=False, default=str))
    else:
        click.echo(str(explanation))
