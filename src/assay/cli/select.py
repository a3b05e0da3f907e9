"""``assay select FILE --target COLUMN``: which columns to keep, why, and what error to expect with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.compare import MetricOption
from assay.cli.completion import complete_columns, complete_metrics, complete_one_learner
from assay.cli.data import data_argument, open_data, rows_to_learn, target_option, task_option
from assay.cli.jobs import check_jobs
from assay.cli.reading import Reading, table_options
from assay.cli.roles import set_apart
from assay.cli.words import counted, listed_names

if TYPE_CHECKING:
    from assay.select import NestedSelection

SEARCHES = ("forward", "backward", "floating", "exhaustive")  # around the learner
METHODS = {
    "forward": "add the column that helps the learner most, while it does",
    "backward": "drop the column that the learner misses least",
    "floating": "forward, with steps back",
    "exhaustive": "try all subsets",
    "filter": "columns by their mutual information with the target",
    "weights": "columns with large weights in a linear learner, at unit variance",
    "significance": "columns with significant weights in a linear learner",
    "lasso": "columns in the order in which they enter the lasso",
    "permutation": "columns that the learner misses on held-out rows",
    "stability": "columns chosen from most halves of the rows",
    "relevant": "columns that beat shadows made of noise",
}
WITHOUT_NUMBER = ("permutation", "stability", "relevant")
DEFAULT_LEARNER = {"classification": "logistic", "regression": "ridge"}


@click.command("select")
@data_argument
@target_option
@task_option
@click.option(
    "--learner",
    "-l",
    shell_complete=complete_one_learner,
    help="Whom the columns are for (assay learners). Default: logistic for classes, ridge for numbers.",
)
@click.option(
    "--method",
    default="forward",
    show_default=True,
    type=click.Choice(tuple(METHODS)),
    help="How columns are chosen. " + " ".join(f"{name}: {words}." for name, words in METHODS.items()),
)
@click.option(
    "--k",
    "number",
    type=click.IntRange(1),
    help="How many columns to keep. Default: as many as the method finds worth it; half of them by filter.",
)
@click.option(
    "--metric",
    "-m",
    cls=MetricOption,
    shell_complete=complete_metrics,
    help="What is judged. Default: error of classes, rmse of numbers.",
)
@click.option("--inner", default="5-fold", show_default=True, help="The splits that judge subsets.")
@click.option(
    "--outer",
    default="5-fold",
    show_default=True,
    help="The splits whose test rows judge the choice, each with a choice of its own; none leaves that out.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Rows with the same value are never split between training and test, in the outer splits.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed, the same choice."
)
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes of the outer splits.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="Write the table with the chosen columns and the target: .csv, .parquet, .jsonl ...; - is standard output.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@table_options
def command(
    data: str,
    target: str | None,
    task: str | None,
    learner: str | None,
    method: str,
    number: int | None,
    metric: str | None,
    inner: str,
    outer: str,
    group: str | None,
    seed: int,
    jobs: int,
    output: str | None,
    as_json: bool,
    reading: Reading,
) -> None:
    """Choose the columns that are worth keeping, and say why, and what error to expect with them.

    A choice looks better on the rows that made it than it is. So the whole choice is made again on the training rows of
    each outer split, and the learner is judged by the test rows, which took no part, beside the same learner with all
    columns.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set.
    """
    from assay.cli.output import check_ending, check_output
    from assay.evaluate.candidates import task_of_learners
    from assay.evaluate.metrics import DEFAULT, as_measures, task_of_metrics
    from assay.learners import KIND_OF_TASK, find_learner

    check_output(output, "--output", data)
    check_ending(output, "--output")
    if output == "-" and as_json:
        raise click.UsageError("--json and --output - cannot both be standard output.")
    check_jobs(jobs)
    if number is not None and method in WITHOUT_NUMBER:
        raise click.BadParameter(f"--method {method} finds by itself how many to keep", param_hint="--k")
    named = [] if learner is None else [learner]
    of_learner = task_of_learners(named) or task_of_metrics([metric] if metric else [])
    if learner is not None:
        find_learner(learner, KIND_OF_TASK[task or of_learner or "classification"])  # before the file is read
    dataset, aim = rows_to_learn(open_data(data, target, reading), "select", task, of_learner)
    dataset, groups = set_apart(dataset, group, "--group")
    d = dataset.X.shape[1]
    if number is not None and number > d:
        raise click.BadParameter(f"{dataset.name} has {counted(d, 'column')}", param_hint="--k")
    entry = find_learner(learner or DEFAULT_LEARNER[aim.task], KIND_OF_TASK[aim.task])
    metric = metric or DEFAULT[aim.task][0]
    as_measures([metric], "select", aim.task)
    if dataset.weights is not None:
        click.echo(f"Note: the weights of the rows of {dataset.name} are not used in selecting.", err=True)
    selector = _selector(method, entry.name, number, metric, inner, seed, aim.task, d)
    _refuse_missing(selector, dataset.X, method)
    selector.fit(dataset.X, dataset.y)
    honest, why_none = None, ""
    if outer != "none":
        honest, why_none = _honest(selector, dataset, entry.name, outer, metric, groups, seed, jobs, aim.task)
    dataset.tell_left_out()
    on_stderr = output == "-"
    _show(selector, method, entry.class_name, honest, why_none, as_json, on_stderr)
    if output:
        _write(dataset, selector.selected_, output)
        where = "standard output" if output == "-" else output
        written = f"{counted(len(selector.selected_), 'column')} and {dataset.target}"
        click.echo(f"Written to {where}: {written}.", err=as_json or on_stderr)


def _selector(
    method: str, learner: str, k: int | None, metric: str, inner: str, seed: int, task: str, d: int
) -> Any:
    """The selector that a method stands for."""
    from assay import select

    if method in SEARCHES:
        return select.SubsetSelector(
            learner, search=method, stop=k, cv=inner, scoring=metric, task=task, random_state=seed
        )
    if method == "filter":
        return select.SelectKBest("mutual information", k=k or max(1, d // 2))
    if method == "weights":
        return select.SelectByWeights(n_features=k, task=task)
    if method == "significance":
        exactly: dict[str, Any] = {} if k is None else {"alpha": 1e-300, "min_features": k}
        return select.SelectBySignificance(task=task, **exactly)
    if method == "lasso":
        return select.SelectByLassoPath(k, task=task)
    if method == "permutation":
        return select.SelectByPermutation(learner, scoring=metric, design=inner, task=task, random_state=seed)
    if method == "stability":
        return select.StabilitySelection(task=task, random_state=seed)
    return select.AllRelevantSelection(task=task, random_state=seed)


def _refuse_missing(selector: Any, table: Any, method: str) -> None:
    """A sentence in options, since nobody can put an imputer in front of a command."""
    stability = method == "stability"
    if table.complete or ("missing" in selector.takes and not stability):
        return
    import numpy as np

    names = [c.name for c, gap in zip(table.schema, np.isnan(table.values).any(axis=0)) if gap]
    raise click.UsageError(
        f"--method {method} cannot use missing values, which {listed_names(names, 5)} "
        f"{'has' if len(names) == 1 else 'have'}. Use --method forward, filter, permutation or relevant, or leave such "
        "columns out: --drop."
    )


def _honest(
    selector: Any,
    dataset: Any,
    learner: str,
    outer: str,
    metric: str,
    groups: Any,
    seed: int,
    jobs: int,
    task: str,
) -> tuple[NestedSelection | None, str]:
    """The error on rows that took no part, or why there is none: on some training rows the learner may fail."""
    from sklearn.base import clone

    from assay.errors import DataError
    from assay.select import nested_selection

    try:
        return (
            nested_selection(
                clone(selector), dataset.X, dataset.y, learner, outer, metric=metric, groups=groups,
                random_state=seed, n_jobs=jobs, task=task,
            ),
            "",
        )  # fmt: skip
    except DataError as error:
        return None, f"The error with chosen columns could not be measured: {error}"


def _show(
    selector: Any,
    method: str,
    learner: str,
    honest: NestedSelection | None,
    why_none: str,
    as_json: bool,
    on_stderr: bool,
) -> None:
    from assay.core.model_view import ModelView

    chosen = selector.selected_
    trace = getattr(selector, "trace_", None)
    if as_json:
        from assay.cli.output import echo_json

        echo_json(
            {
                "method": method,
                "learner": learner,
                "selected": chosen,
                "columns": selector.reasons(),
                "trace": None if trace is None else trace.table(),
                "outer": None
                if honest is None
                else {
                    "mean": honest.mean,
                    "low": honest.low,
                    "high": honest.high,
                    "chosen": honest.chosen,
                    "sentences": str(honest).splitlines(),
                },
            }
        )
        return
    facts = [f"chosen ({method}): {listed_names(chosen, 30) if chosen else 'no column'}"]
    if not chosen:
        facts.append(
            "No column is worth keeping by this method: the columns may tell nothing of the target, or each the "
            "same as others."
        )
    facts += str(honest).splitlines() if honest is not None else [why_none] if why_none else []
    if honest is None and chosen and not why_none:
        facts.append("Leave out --outer none for the error to expect on new rows.")
    click.echo(str(ModelView(f"Columns for {learner}", facts, selector._model_parts())), err=on_stderr)


def _write(dataset: Any, chosen: list[str], output: str) -> None:
    """The table with the chosen columns, and the target."""
    from assay.cli.output import write_columns

    table = dataset.X
    columns = table.select([table.schema.index(name) for name in chosen]).to_columns()
    write_columns({**columns, dataset.target: dataset.y.tolist()}, output)
