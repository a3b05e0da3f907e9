"""``assay explain MODEL FILE --row 17``: why a model answers as it does."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.data import data_argument, rows_for
from assay.cli.reading import Reading, table_options
from assay.cli.words import counted
from assay.errors import spoken_as

ROWS_AT_ONCE = 4096  # rows whose contributions are in memory together


@click.command("explain", short_help="Why a saved model answers as it does.")
@click.argument("model", type=click.Path(dir_okay=False, allow_dash=True))
@data_argument
@click.option(
    "--row",
    "-r",
    "numbers",
    multiple=True,
    type=click.IntRange(min=1),
    help="Counted from 1; may be given several times. Without it: the first row, with --output all rows.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True),
    help="What each column contributes to each answer, as .csv, .tsv, .parquet, .jsonl, .feather or .arff.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True), help="Write the explanation as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@table_options
def command(
    model: str,
    data: str,
    numbers: tuple[int, ...],
    output: str | None,
    html: str | None,
    as_json: bool,
    reading: Reading,
) -> None:
    """Why a saved model answers as it does for rows of a table: its own reasoning, step by step."""
    import numpy as np

    from assay.cli.output import check_ending, check_folder, echo_json, load_model, unlike, write_columns
    from assay.core.explanation import Explanation
    from assay.tables.rows import take_rows

    check_ending(output, "--output")
    check_folder(output, "--output")
    check_folder(html, "--html")
    if output and (html or as_json):
        raise click.UsageError("--output writes a table of all rows: leave --html and --json out.")
    if model == data == "-":
        raise click.UsageError("Model and table cannot both come from standard input.")
    fitted = load_model(model)
    rows = rows_for(fitted, data, reading)
    n = rows.X.shape[0]
    if numbers and max(numbers) > n:
        raise click.BadParameter(
            f"there is no row {max(numbers)}; {data} has {counted(n, 'row')}", param_hint="--row"
        )
    if not hasattr(fitted, "explain"):
        raise click.ClickException("This learner does not explain its answers.")
    wanted = numbers or (range(1, n + 1) if output else (1,))
    places = np.array(wanted) - 1
    kept = [{name: values[i] for name, values in rows.kept.items()} for i in places]
    if output:
        columns: dict[str, Any] = {name: [entry[name] for entry in kept] for name in rows.kept}
        with spoken_as(model, type(fitted).__name__):
            contributions = _contributions(fitted, rows.X, places, output)
        for name, values in contributions.items():
            columns[unlike(name, columns)] = values
        write_columns(columns, output)
        return
    with spoken_as(model, type(fitted).__name__):
        explained = fitted.explain(take_rows(rows.X, places))
    several = [explained] if isinstance(explained, Explanation) else list(explained)
    if html:
        from assay.cli.page import page
        from assay.tables.whole_files import write_whole

        write_whole(html, page("Explanation", "\n".join(one.to_html() for one in several)))
        which = f"Row {wanted[0]}" if len(several) == 1 else f"{len(several)} rows"
        click.echo(f"{which} of {data} {'is' if len(several) == 1 else 'are'} explained in {html}.")
    elif as_json:
        told = [{**one.to_dict(), **({"kept": own} if own else {})} for one, own in zip(several, kept)]
        echo_json(told[0] if len(told) == 1 else told)
    else:
        for number, one, own in zip(wanted, several, kept):
            if len(several) > 1:
                click.echo(("" if number == wanted[0] else "\n") + f"Row {number}")
            if own:
                click.echo(", ".join(f"{name} = {value}" for name, value in own.items()))
            click.echo(str(one))


def _contributions(fitted: Any, X: Any, places: Any, output: str) -> dict[str, list[Any]]:
    """For each row its answer and what each column contributes to it."""
    from assay.cli.output import numbers_for
    from assay.core.explanation import Explanation
    from assay.core.progress import progress
    from assay.tables.rows import take_rows

    columns: dict[str, list[Any]] = {}
    with progress(total=len(places), description="explaining answers") as bar:
        for start in range(0, len(places), ROWS_AT_ONCE):
            some = places[start : start + ROWS_AT_ONCE]
            explained = fitted.explain(take_rows(X, some))
            block = explained.block if isinstance(explained, Explanation) else explained
            for name, values in block.to_columns().items():
                entries = values if isinstance(values, list) else numbers_for(output, values)
                columns.setdefault(name, []).extend(entries)
            bar.advance(len(some))
    return columns
