"""``assay explain MODEL FILE --row 17``: why a model predicts what it does."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.data import data_argument, rows_for
from assay.cli.reading import Reading, table_options
from assay.cli.sequences import refuse_of_rows, rows_of_sequences, sequence_options
from assay.cli.words import counted
from assay.errors import spoken_as

BATCH_SIZE = 4096  # rows whose contributions are in memory together


@click.command("explain")
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
    help="Write what each column contributes to each prediction, as .csv, .tsv, .parquet, .jsonl, .feather or .arff.",
)
@click.option(
    "--html", type=click.Path(dir_okay=False, writable=True), help="Write the explanation as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
@sequence_options
@table_options
def command(
    model: str,
    data: str,
    numbers: tuple[int, ...],
    output: str | None,
    html: str | None,
    as_json: bool,
    sequence: str | None,
    order: str | None,
    reading: Reading,
) -> None:
    """Explain the predictions of a saved model for rows of a table, by the model's own reasoning."""
    import numpy as np

    from assay.cli.output import check_ending, check_output, echo_json, load_model, unique_name, write_columns
    from assay.core.explanation import Explanation
    from assay.tables.rows import take_rows

    check_ending(output, "--output")
    check_output(output, "--output", model, data)
    check_output(html, "--html", model, data)
    if output and (html or as_json):
        raise click.UsageError("--output writes a table of all rows: leave --html and --json out.")
    if model == data == "-":
        raise click.UsageError("Model and table cannot both come from standard input.")
    fitted = load_model(model)
    if getattr(fitted, "takes_sequences", False):
        if output:
            raise click.UsageError(
                "--output writes what columns contribute; a model of sequences has no such table."
            )
        rows = rows_of_sequences(fitted, data, reading, sequence, order)
    else:
        refuse_of_rows(model, sequence, order)
        rows = rows_for(fitted, data, reading)
    n = rows.X.shape[0]
    if numbers and max(numbers) > n:
        raise click.BadParameter(
            f"there is no row {max(numbers)}; {data} has {counted(n, 'row')}", param_hint="--row"
        )
    if not hasattr(fitted, "explain"):
        raise click.ClickException("This learner does not explain its predictions.")
    row_numbers = numbers or (range(1, n + 1) if output else (1,))
    indices = np.array(row_numbers) - 1
    kept = [{name: values[i] for name, values in rows.kept.items()} for i in indices]
    if output:
        columns: dict[str, Any] = {name: [entry[name] for entry in kept] for name in rows.kept}
        with spoken_as(model, type(fitted).__name__):
            contributions = _contributions(fitted, rows.X, indices, output)
        for name, values in contributions.items():
            columns[unique_name(name, columns)] = values
        write_columns(columns, output)
        return
    with spoken_as(model, type(fitted).__name__):
        if getattr(fitted, "takes_sequences", False):
            explained = [fitted.explain(rows.X.take([i])) for i in indices]
        else:
            explained = fitted.explain(take_rows(rows.X, indices))
    explanations = [explained] if isinstance(explained, Explanation) else list(explained)
    if html:
        from assay.cli.page import page
        from assay.tables.whole_files import write_whole

        write_whole(
            html, page("Explanation", "\n".join(explanation.to_html() for explanation in explanations))
        )
        which = f"Row {row_numbers[0]}" if len(explanations) == 1 else f"{len(explanations)} rows"
        click.echo(f"{which} of {data} {'is' if len(explanations) == 1 else 'are'} explained in {html}.")
    elif as_json:
        documents = [
            {**explanation.to_dict(), **({"kept": extra_columns} if extra_columns else {})}
            for explanation, extra_columns in zip(explanations, kept)
        ]
        echo_json(documents[0] if len(documents) == 1 else documents)
    else:
        for number, explanation, extra_columns in zip(row_numbers, explanations, kept):
            if len(explanations) > 1:
                click.echo(("" if number == row_numbers[0] else "\n") + f"Row {number}")
            if extra_columns:
                click.echo(", ".join(f"{name} = {value}" for name, value in extra_columns.items()))
            click.echo(str(explanation))


def _contributions(fitted: Any, X: Any, indices: Any, output: str) -> dict[str, list[Any]]:
    """For each row its prediction and what each column contributes to it."""
    import numpy as np

    from assay.cli.output import numbers_for
    from assay.core.explanation import Explanation
    from assay.core.progress import progress
    from assay.tables.rows import take_rows

    columns: dict[str, list[Any]] = {}
    with progress(total=len(indices), description="explaining predictions") as bar:
        for start in range(0, len(indices), BATCH_SIZE):
            batch = indices[start : start + BATCH_SIZE]
            explained = fitted.explain(take_rows(X, batch))
            block = explained.block if isinstance(explained, Explanation) else explained
            for name, values in block.to_columns().items():
                if name == "answer" and not hasattr(fitted, "classes_"):
                    values = np.asarray(values)
                entries = values if isinstance(values, list) else numbers_for(output, values)
                columns.setdefault(name, []).extend(entries)
            bar.advance(len(batch))
    return columns
