"""``assay bandit FILE --action COLUMN --reward COLUMN``: what other policies would have earned, by a log."""

from __future__ import annotations

import click
import numpy as np

from assay.cli.completion import complete_columns, complete_one_learner
from assay.cli.data import data_argument, open_data
from assay.cli.reading import Reading, table_options
from assay.cli.words import counted
from assay.errors import did_you_mean
from assay.tables import Table


@click.command("bandit")
@data_argument
@click.option(
    "--action",
    "-a",
    required=True,
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="What was done in each row.",
)
@click.option(
    "--reward",
    "-r",
    required=True,
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="What it earned: a number; yes and no count as 1 and 0.",
)
@click.option(
    "--success", metavar="VALUE", help="The value of the reward column that counts as 1, all others as 0."
)
@click.option(
    "--propensity",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="The probability with which it was done. Without it, it is estimated from the other columns.",
)
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="A column with what another policy would do; may be repeated.",
)
@click.option(
    "--learner",
    "-l",
    default="forest",
    show_default=True,
    shell_complete=complete_one_learner,
    help="Who predicts what each action earns (assay learners); none judges without a model.",
)
@click.option(
    "--folds", default=5, show_default=True, type=click.IntRange(2), help="Parts for predictions out of fold."
)
@click.option(
    "--level",
    default=0.95,
    show_default=True,
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Of the intervals.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed, the same folds."
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="Write the action that the model would take in each row: .csv, .parquet, .jsonl ...; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@table_options
def command(
    data: str,
    action: str,
    reward: str,
    success: str | None,
    propensity: str | None,
    policies: tuple[str, ...],
    learner: str,
    folds: int,
    level: float,
    seed: int,
    output: str | None,
    as_json: bool,
    reading: Reading,
) -> None:
    """Judge policies by a log of decisions: who was given which offer, treatment or article, and what came of it.

    Each action taken always, all at random, the policies that columns name, and the one that takes what a learner
    expects the most of: what each would have earned, with an interval, beside what was earned. Columns that are
    neither action, reward, propensity nor policy are what is known before the decision.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), or - for standard input.
    """
    from assay.cli.output import check_ending, check_output, echo_json, write_columns
    from assay.evaluate import compare_policies
    from assay.learners import find_learner, is_learner

    check_output(output, "--output", data)
    check_ending(output, "--output")
    if output == "-" and as_json:
        raise click.UsageError("--json and --output - cannot both be standard output.")
    if output and learner == "none":
        raise click.UsageError("--output writes what the model would do: it needs a --learner.")
    if learner != "none" and not is_learner(learner, "classifier"):
        find_learner(learner, "regressor")  # before the file is read
    dataset = open_data(data, None, reading, need_target=False)
    table, columns = _all_columns(dataset), {}
    roles = [("--action", action), ("--reward", reward), *[("--policy", name) for name in policies]]
    roles += [("--propensity", propensity)] if propensity else []
    names = table.schema.names
    for option, name in roles:
        if name not in names:
            raise click.BadParameter(
                f"there is no column {name}.{did_you_mean(name, names)}", param_hint=option
            )
        if name in columns:
            raise click.BadParameter(f"{name} has two roles", param_hint=option)
        columns[name] = _values(table, name)
    known = np.array([value is not None for value in columns[action]]) & np.array(
        [value is not None for value in columns[reward]]
    )
    kept = np.flatnonzero(known)
    if len(kept) < len(known):
        click.echo(
            f"Left out: {counted(len(known) - len(kept), 'row')} of {dataset.name} without {action} or {reward}.",
            err=True,
        )
    columns = {name: [values[i] for i in kept] for name, values in columns.items()}
    context = [j for j, name in enumerate(names) if name not in columns]
    if not context and learner != "none":
        click.echo("Note: there is no other column, so no learner can tell rows apart.", err=True)
        learner = "none"
    result = compare_policies(
        table.select(context)[kept] if context else None,
        np.array([str(value) for value in columns[action]]),
        _rewards(columns[reward], reward, success),
        propensity=_numbers(columns[propensity], propensity, "--propensity") if propensity else None,
        learner=None if learner == "none" else learner,
        policies={name: _policy(columns[name], name) for name in policies},
        folds=folds,
        level=level,
        random_state=seed,
    )
    if as_json:
        echo_json({"rows": len(kept), "policies": result.to_records(), "notes": result.notes})
    else:
        head = f"{counted(len(kept), 'decision')} among {counted(len(result.actions), 'action')}"
        head += (
            f"; value: share of {reward} = {success}" if success is not None else f"; value: mean {reward}"
        )
        click.echo(f"{head}\n\n{result}", err=output == "-")
    if output and result.choices is not None:
        write_columns({"row": (kept + 1).tolist(), action: result.choices.tolist()}, output)
        where = "standard output" if output == "-" else output
        click.echo(f"Written to {where}: what the model would do in each row.", err=as_json or output == "-")


def _all_columns(dataset: object) -> Table:
    """The table with the column that the reader took for the target among the others."""
    from assay.cli.data import LabelledTable

    assert isinstance(dataset, LabelledTable)
    if dataset.y is None or dataset.target is None:
        return dataset.X
    return Table.of({**dataset.X.to_columns(), dataset.target: dataset.y.tolist()})


def _values(table: Table, name: str) -> list[object]:
    """A column in its own values: whole numbers as such, so that 1 is not 1.0; missing as None."""
    values = table.select([table.schema.names.index(name)]).to_columns()[name]
    return [int(v) if isinstance(v, float) and v.is_integer() else v for v in values]


def _policy(values: list[object], name: str) -> list[str]:
    gaps = sum(value is None for value in values)
    if gaps:
        many = f"{counted(gaps, 'row')} of those with an action and a reward"
        raise click.BadParameter(f"column {name} says nothing in {many}", param_hint="--policy")
    return [str(value) for value in values]


def _rewards(values: list[object], name: str, success: str | None) -> np.ndarray:
    if success is not None:
        if success not in (texts := [str(v) for v in values]):
            raise click.BadParameter(
                f"column {name} never holds {success}.{did_you_mean(success, sorted(set(texts)))}",
                param_hint="--success",
            )
        return np.array([float(text == success) for text in texts])
    words = {str(v).strip().lower() for v in values}
    for yes, no in (("yes", "no"), ("true", "false"), ("y", "n")):
        if words <= {yes, no}:
            return np.array([float(str(v).strip().lower() == yes) for v in values])
    return _numbers(values, name, "--reward", ", or the value that is a success: --success VALUE")


def _numbers(values: list[object], name: str, option: str, remedy: str = "") -> np.ndarray:
    gaps = [i for i, v in enumerate(values) if v is None]
    if gaps:
        many = f"{counted(len(gaps), 'row')} of those with an action and a reward"
        raise click.BadParameter(f"column {name} is missing in {many}", param_hint=option)
    odd = [v for v in values if not isinstance(v, (int, float))]
    if odd:
        raise click.BadParameter(
            f"column {name} holds {odd[0]!r}, expected numbers{remedy}", param_hint=option
        )
    return np.array(values, dtype=np.float64)
