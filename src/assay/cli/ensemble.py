"""``assay ensemble FILE --target COLUMN``: many models together, and whether that beats the best of them."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from assay.cli.compare import MetricOption
from assay.cli.completion import complete_columns, complete_learners, complete_metrics
from assay.cli.costs import cost_option, loss_from, refuse_options, reject_option
from assay.cli.data import data_argument, open_data, rows_to_learn, target_option, task_option
from assay.cli.jobs import check_jobs
from assay.cli.reading import Reading, table_options
from assay.cli.roles import set_apart
from assay.cli.words import counted

if TYPE_CHECKING:
    from assay.evaluate.comparison import Comparison
    from assay.select import ModelLibrary

METHODS = {
    "selection": "the models that do best together, step by step and with replacement",
    "stacking": "a learner of the models' answers",
    "voting": "the mean answer, with weights of sum 1 that do best together",
}
OPPONENT = "best member"


@click.command("ensemble")
@data_argument
@target_option
@task_option
@click.option(
    "--learners",
    "--learner",
    "-l",
    multiple=True,
    shell_complete=complete_learners,
    help="The library: names separated by commas, or the option again (assay learners); default: all that fit the "
    "table.",
)
@click.option(
    "--variants",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    help="So many further models of each learner, with settings drawn at random from its ranges (assay tune).",
)
@click.option(
    "--method",
    default="selection",
    show_default=True,
    type=click.Choice(tuple(METHODS)),
    help="What is made of the library and saved. "
    + " ".join(f"{name}: {words}." for name, words in METHODS.items()),
)
@click.option(
    "--metric",
    "-m",
    cls=MetricOption,
    shell_complete=complete_metrics,
    help="What is made best, and compared. Default: the log loss chooses, the error compares; of numbers mse and rmse.",
)
@cost_option
@reject_option
@click.option(
    "--inner", help="The splits in which models answer for unseen rows. Default: 5-fold; with --time 3-time."
)
@click.option(
    "--outer",
    help="The splits whose test rows compare the ensemble with its best member, each with a library of its own; none "
    "leaves that out. Default: 5-fold; with --time 5-time.",
)
@click.option(
    "--group",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Rows with the same value are never split between training and test.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Time of each row: models are judged on rows later than their training rows.",
)
@click.option(
    "--weight",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Weight of each row, in training and in the metric.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed, the same ensemble."
)
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes of the outer splits.")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="The model file of the ensemble; - is standard output.",
)
@click.option("--report", type=click.Path(dir_okay=False, writable=True), help="Write an HTML report.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@table_options
def command(
    data: str,
    target: str | None,
    task: str | None,
    learners: tuple[str, ...],
    variants: int,
    method: str,
    metric: str | None,
    cost: tuple[str, ...],
    reject: float | None,
    inner: str | None,
    outer: str | None,
    group: str | None,
    time: str | None,
    weight: str | None,
    seed: int,
    jobs: int,
    output: str | None,
    report: str | None,
    as_json: bool,
    reading: Reading,
) -> None:
    """Fit a library of models, make an ensemble of it, and test whether it beats its best member.

    Every model answers for rows that it did not learn from; these answers say which models do best together. Whether
    that is better than the best model alone is tested on the test rows of outer splits, which took no part in any
    choice: if it is not, the best member is simpler.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set.
    """
    from assay.cli.output import check_output
    from assay.errors import spoken_as
    from assay.evaluate import compare
    from assay.evaluate.candidates import task_of_learners
    from assay.evaluate.design import Resampling
    from assay.evaluate.metrics import as_measures, task_of_metrics
    from assay.select import ModelLibrary
    from assay.select.members.model_library import LibraryAnswer, SharedLibrary
    from assay.tables.rows import take_rows

    check_output(output, "--output", data)
    check_output(report, "--report", data)
    if output == "-" and as_json:
        raise click.UsageError("--json and --output - cannot both be standard output.")
    check_jobs(jobs)
    inner = inner or ("3-time" if time else "5-fold")
    outer = outer or ("5-time" if time else "5-fold")
    if report and outer == "none":
        raise click.UsageError("the report is about the outer splits; leave out --outer none.")
    for option, splits in (("--inner", inner), ("--outer", outer)):  # before minutes of fits
        if splits != "none" or option == "--inner":
            with spoken_as(option):
                Resampling.of(splits)
    names = [name.strip() for name in ",".join(learners).split(",") if name.strip()] or None
    of_learners = task_of_learners(names) or task_of_metrics([metric] if metric else [])
    dataset, aim = rows_to_learn(open_data(data, target, reading), "ensemble", task, of_learners)
    if aim.task == "regression":
        refuse_options(
            {"--cost": cost, "--reject": reject}, "classes", f"{aim.name} holds numbers (a regression)"
        )
    dataset, groups = set_apart(dataset, group, "--group")
    dataset, times = set_apart(dataset, time, "--time")
    dataset, weights = set_apart(dataset, weight, "--weight")
    weights = dataset.weights if weights is None else weights
    chosen_by = metric
    if metric is not None:
        (measure,) = as_measures([metric], "ensemble", aim.task)
        chosen_by = None if measure.needs == "costs" else metric
    loss = loss_from(cost, aim.labels.tolist())
    decisions = loss is not None or reject is not None
    members = _members(names, variants, dataset.X, aim.task, seed)
    library = ModelLibrary(members, aim.task, inner, chosen_by, seed)
    result = None
    if outer != "none":
        shared = SharedLibrary(ModelLibrary(members, aim.task, inner, chosen_by, seed))
        result = compare(
            {name: LibraryAnswer(shared, name) for name in (method, OPPONENT)},
            dataset.X, dataset.y, design=outer, groups=groups, times=times, sample_weight=weights,
            metrics=[metric] if metric else ["cost", "error"] if decisions else None, loss=loss, reject=reject,
            random_state=seed, n_jobs=jobs, name=dataset.name, target=dataset.target, task=aim.task,
        )  # fmt: skip
        result.settings["command"] = shlex.join(["assay", *sys.argv[1:]])
    parts: list[Any] = [dataset.X, dataset.y, weights, groups]
    if times is not None:  # inner splits by time expect them in order
        parts = [None if part is None else take_rows(part, times.argsort(kind="stable")) for part in parts]
    library.fit(*parts)
    model = library.committee(method)
    dataset.tell_left_out()
    _show(library, model, method, result, as_json, output == "-")
    if report and result is not None:
        result.report(report, learning_curves=False)
        click.echo(f"The report is in {report}.", err=as_json or output == "-")
    if output:
        _keep(model, dataset, reading, output)
        where = "standard output" if output == "-" else output
        rows = counted(dataset.X.shape[0], "row")
        click.echo(
            f"The {method} of {counted(len(library.names), 'model')}, fitted to all {rows}, is in {where}.",
            err=as_json or output == "-",
        )


def _members(names: list[str] | None, variants: int, table: Any, task: str, seed: int) -> dict[str, Any]:
    """The learners with what they need in front, by name; and as many variants of each as its ranges allow."""
    from assay.cli.fit import ready
    from assay.errors import ParameterError
    from assay.evaluate.learners import suitable
    from assay.learners import KIND_OF_TASK, find_learner
    from assay.tuning import RandomOptimization, default_space

    kind, (n, d) = KIND_OF_TASK[task], table.shape
    if names is None:
        entries = [entry for entry in suitable(table, kind) if entry.room != "baselines"]
    else:
        entries = list({e.name: e for e in (find_learner(name, kind) for name in names)}.values())
    members = {}
    for entry in entries:
        members[entry.name] = _with_odds(ready(entry.make(), entry.scale), task)
        try:
            settings = RandomOptimization(default_space(entry.name, n, d, task), random_state=seed)
        except ParameterError:
            continue  # nothing to vary
        for number, setting in enumerate(settings.ask(variants) if variants else [], start=2):
            members[f"{entry.name} {number}"] = _with_odds(ready(entry.make(**setting), entry.scale), task)
    return members


def _with_odds(model: Any, task: str) -> Any:
    """The model; a classifier without probabilities behind a calibration, which gives it some."""
    if task == "regression" or hasattr(model, "predict_proba"):
        return model
    from assay.decide import CalibratedClassifierCV

    return CalibratedClassifierCV(model, ensemble=False)


def _weights(model: Any, library: ModelLibrary) -> dict[str, float]:
    """The weight of each model in the ensemble; of one that is stacked there are none."""
    weights = getattr(model, "weights_", None)
    return {} if weights is None else dict(zip(library.names, map(float, weights), strict=True))


def _show(
    library: ModelLibrary, model: Any, method: str, result: Comparison | None, as_json: bool, on_stderr: bool
) -> None:
    from assay.core.explanation import Section
    from assay.core.model_view import ModelView
    from assay.evaluate.digits import shown_metric
    from assay.metrics.measure import find_measure

    weights, verdict = _weights(model, library), _verdict(method, library.best, result)
    order = sorted(library.names, key=lambda name: -library._better * library.single[name])
    if as_json:
        from assay.cli.output import echo_json

        echo_json(
            {
                "method": method,
                "metric": library.metric_,
                "library": [
                    {"name": name, library.metric_: library.single[name], "weight": weights.get(name)}
                    for name in order
                ],
                "failures": library.failures,
                "best_member": library.best,
                "verdict": verdict,
                "evidence": None if result is None else result.to_dict(),
            }
        )
        return
    measure = find_measure(library.metric_)
    heads = ["model", f"{library.metric_} (unseen rows)", *(["weight"] if weights else [])]
    lines = [
        [
            name,
            shown_metric(measure, library.single[name]) if measure else library.single[name],
            *([f"{weights[name]:.3f}" if weights[name] else ""] if weights else []),
        ]
        for name in order
    ]
    facts = [f"{name} was left out: {why}" for name, why in library.failures.items()]
    title = f"Library of {counted(len(library.names), 'model')}"
    click.echo(
        str(ModelView(f"Ensemble by {method}", facts, [Section(title, heads, lines, "")])), err=on_stderr
    )
    if result is not None:
        from rich.console import Console

        from assay.evaluate.show import as_rich

        console = Console(highlight=False, stderr=on_stderr)
        if not console.is_terminal:
            console = Console(highlight=False, width=120, stderr=on_stderr)
        console.print(as_rich(result))
    click.echo(verdict, err=on_stderr)


def _verdict(method: str, best: str, result: Comparison | None) -> str:
    """Whether the ensemble beats its best member, with the test."""
    if result is None:
        return "Whether it beats its best member is not known: leave out --outer none to test it."
    failed = [name for name in (method, OPPONENT) if name in result.failures]
    if failed:
        return f"The {failed[0]} could not be judged: {result.failures[failed[0]]}"
    test = result.test(method, OPPONENT)
    means = {standing.learner: standing.mean for standing in result.ranking()}
    better = result.metrics[0].sign * (means[method] - means[OPPONENT]) < 0
    if test.significant and better:
        return f"The {method} beats its best member. {test}"
    simpler = f"The best member is simpler: assay fit --learner {best!r}."
    if test.significant:
        return f"The {method} is worse than its best member. {test} {simpler}"
    return f"The {method} is not shown to beat its best member. {test} {simpler}"


def _keep(model: Any, dataset: Any, reading: Reading, output: str) -> None:
    """Save the ensemble as ``assay fit`` saves a model."""
    from assay.cli.output import save_model

    model.target_name_ = dataset.target
    reading_options = {"na": list(reading.na), "clean": list(dataset.cleaned)}
    if any(reading_options.values()):
        model.reading_ = {name: marks for name, marks in reading_options.items() if marks}
    save_model(model, output)
