"""``assay tune FILE --target COLUMN --learner NAME``: search for a learner's parameters, honestly."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from assay.cli.compare import MetricOption
from assay.cli.completion import complete_columns, complete_metrics, complete_one_learner
from assay.cli.costs import cost_option, loss_from, refuse_options, reject_option
from assay.cli.data import data_argument, open_data, rows_to_learn, target_option, task_option
from assay.cli.jobs import check_jobs
from assay.cli.reading import Reading, table_options
from assay.cli.roles import set_apart
from assay.cli.seconds import Seconds
from assay.cli.sequences import (
    LabelledSequences,
    open_sequences,
    refuse_with_sequences,
    sequence_learners,
    sequence_options,
)
from assay.cli.words import counted

if TYPE_CHECKING:
    from assay.tuning import Nested

SHOWN = 10  # settings in the table of tries
MOST_STATES = 8  # of a chain, that are tried if nobody says how many
SEARCHES = {
    "bayes": "a Gaussian process of the values so far suggests the next one",
    "tree": "two densities, of good settings and of the others, suggest it: for many parameters",
    "random": "drawn at random",
    "halving": "drawn at random, judged on few rows, the best third on three times as many, and so on",
}


@click.command("tune")
@data_argument
@target_option
@task_option
@click.option(
    "--learner",
    "-l",
    required=True,
    shell_complete=complete_one_learner,
    help="Name of the learner (assay learners).",
)
@click.option(
    "--space",
    "-s",
    "spaces",
    multiple=True,
    metavar="NAME=RANGE",
    help="Where to look for a parameter: C=0.01..100,log, depth=1..20, or values: weights=uniform,distance; "
    "repeatable. Default: ranges that are known to be good for the learner.",
)
@click.option(
    "--search",
    default="bayes",
    show_default=True,
    type=click.Choice(tuple(SEARCHES)),
    help="How settings are chosen. " + " ".join(f"{name}: {words}." for name, words in SEARCHES.items()),
)
@click.option("--n", "n_iter", default=30, show_default=True, type=click.IntRange(1), help="Settings to try.")
@click.option(
    "--metric",
    "-m",
    cls=MetricOption,
    shell_complete=complete_metrics,
    help="What is made best. Default: error of classes, rmse of numbers.",
)
@cost_option
@reject_option
@click.option("--inner", help="The splits that judge a setting. Default: 5-fold; with --time 3-time.")
@click.option(
    "--outer",
    help="The splits whose test rows judge the whole search, each with a search of its own; none leaves that out. "
    "Default: 5-fold; with --time 5-time.",
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
    help="Time of each row: settings are judged, and learners tested, on rows later than the training rows.",
)
@click.option(
    "--weight",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Weight of each row, in training and in the metric.",
)
@click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="The same seed, the same search."
)
@click.option(
    "--budget",
    type=Seconds(),
    help="Begin no further setting after so long, in all searches together: 90s, 5m, 1h.",
)
@click.option(
    "--jobs", "-j", default=1, show_default=True, help="Processes; the result does not depend on it."
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False),
    help="Write every finished fit down here. The same command again goes on where an earlier one was stopped.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="The model file of the tuned learner; - is standard output.",
)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, writable=True),
    help="Write all tries: .csv, .parquet, .jsonl ...",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@sequence_options
@table_options
def command(
    data: str,
    target: str | None,
    task: str | None,
    learner: str,
    spaces: tuple[str, ...],
    search: str,
    n_iter: int,
    metric: str | None,
    cost: tuple[str, ...],
    reject: float | None,
    inner: str | None,
    outer: str | None,
    group: str | None,
    time: str | None,
    weight: str | None,
    seed: int,
    budget: float | None,
    jobs: int,
    folder: str | None,
    output: str | None,
    save: str | None,
    as_json: bool,
    sequence: str | None,
    order: str | None,
    reading: Reading,
) -> None:
    """Try settings of a learner that a search suggests, and keep the best.

    The best setting looks better on the splits that chose it than it is. So the whole search is repeated on the
    training rows of each outer split, and judged by the test rows, which took no part: that is the error to expect.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set.
    """
    from assay.cli.output import check_ending, check_output
    from assay.errors import spoken_as
    from assay.evaluate.candidates import task_of_learners
    from assay.evaluate.design import Resampling
    from assay.evaluate.metrics import DEFAULT, as_measures, task_of_metrics
    from assay.learners import KIND_OF_TASK, find_learner
    from assay.tuning import Tuned, TunedRegressor, default_space, nested

    check_output(output, "--output", data)
    check_output(save, "--save", data)
    check_ending(save, "--save")
    if output == "-" and as_json:
        raise click.UsageError("--json and --output - cannot both be standard output.")
    check_jobs(jobs)
    if budget is not None and budget <= 0:
        raise click.BadParameter("a time above 0 is needed", param_hint="--budget")
    inner = inner or ("3-time" if time else "5-fold")
    outer = outer or ("5-time" if time else "5-fold")
    for option, splits in (("--inner", inner), ("--outer", outer)):  # before a search of minutes
        if splits != "none" or option == "--inner":
            with spoken_as(option):
                Resampling.of(splits)
    single = {"--group": group, "--time": time, "--weight": weight, "--task regression": task == "regression"}
    refuse_with_sequences(single, order, sequence)
    if sequence is not None:
        _tune_sequences(
            open_sequences(data, target, reading, sequence, order), learner, _ranges(spaces), outer,
            {"inner": inner, "metric": metric, "n_iter": n_iter, "search": search, "reject": reject, "folder": folder},
            cost=cost, seed=seed, budget=budget, jobs=jobs, output=output, save=save, as_json=as_json,
            reading={"sequence": [sequence], "order": [order] if order else [], "na": list(reading.na)},
        )  # fmt: skip
        return
    of_learner = task_of_learners([learner]) or task_of_metrics([metric] if metric else [])
    find_learner(learner, KIND_OF_TASK[task or of_learner or "classification"])  # before the file is read
    dataset, aim = rows_to_learn(open_data(data, target, reading), "tune", task, of_learner)
    if aim.task == "regression":
        refuse_options(
            {"--cost": cost, "--reject": reject}, "classes", f"{aim.name} holds numbers (a regression)"
        )
    dataset, groups = set_apart(dataset, group, "--group")
    dataset, times = set_apart(dataset, time, "--time")
    dataset, weights = set_apart(dataset, weight, "--weight")
    if weights is None and dataset.weights is not None:
        weights = dataset.weights
        click.echo(
            f"The rows of {dataset.name} have weights; they count in learning and in the metric.", err=True
        )
    entry = find_learner(learner, KIND_OF_TASK[aim.task])
    loss = loss_from(cost, aim.labels.tolist())
    decisions = loss is not None or reject is not None
    metric = metric or ("cost" if decisions else DEFAULT[aim.task][0])
    (measure,) = as_measures([metric], "tune", aim.task)
    ranges = _ranges(spaces) or default_space(learner, *dataset.X.shape, aim.task)
    of_classes: dict[str, Any] = {} if aim.task == "regression" else {"loss": loss, "reject": reject}
    splits_of = 0 if outer == "none" else Resampling.of(outer).count(dataset.X.shape[0], groups)
    share = None if budget is None else budget / (splits_of + 1)
    make = TunedRegressor if aim.task == "regression" else Tuned
    begun = perf_counter()
    model = make(
        entry.name, ranges, inner, metric, seed, n_iter, search=search, budget=share, n_jobs=jobs, folder=folder,
        **of_classes,
    ).fit(dataset.X, dataset.y, weights, groups=groups, times=times)  # fmt: skip
    over = share is not None and perf_counter() - begun >= share
    outcome = None
    if outer != "none":
        outcome = nested(
            entry.name, ranges, dataset.X, dataset.y, outer, inner, metric=metric, groups=groups, times=times,
            random_state=seed, n_jobs=jobs, task=aim.task, n_iter=n_iter, search=search, sample_weight=weights,
            loss=loss, reject=reject, budget=None if share is None else share * splits_of, folder=folder,
        )  # fmt: skip
    dataset.tell_left_out()
    _show(model, entry.class_name, measure, outcome, as_json, output == "-", over)
    if save:
        _save(model, measure.name, save)
        click.echo(f"The tries are in {save}.", err=as_json or output == "-")
    if output:
        _keep(model, dataset, reading, output)
        rows = counted(dataset.X.shape[0], "row")
        where = "standard output" if output == "-" else output
        click.echo(
            f"The tuned {entry.name}, fitted to all {rows}, is in {where}.", err=as_json or output == "-"
        )


def _tune_sequences(
    dataset: LabelledSequences, learner: str, ranges: dict[str, Any], outer: str, how: dict[str, Any], *,
    cost: tuple[str, ...], seed: int, budget: float | None, jobs: int, output: str | None, save: str | None,
    as_json: bool, reading: dict[str, list[str]],
) -> None:  # fmt: skip
    """The same for whole sequences: the model of each class is tuned, and folds hold sequences."""
    from assay.cli.output import save_model
    from assay.evaluate.design import Resampling
    from assay.evaluate.metrics import DEFAULT, as_measures
    from assay.tuning import Tuned, Whole, nested

    (name, base), *_ = sequence_learners([learner], dataset.X).items()
    if isinstance(base, str):
        raise click.UsageError(
            f"{name} is a learner of tables; leave --sequence out, or name a model of sequences."
        )
    inside = getattr(base, "estimator", None)
    if not ranges:
        if "n_components" not in (inside.get_params() if inside is not None else {}):
            raise click.UsageError(
                f"nobody knows where to look for parameters of {name}: say it with --space."
            )
        ranges = {"n_components": Whole(1, MOST_STATES)}
    if inside is not None:
        ranges = {f"estimator__{parameter}": values for parameter, values in ranges.items()}
    loss = loss_from(cost, sorted({str(label) for label in np.asarray(dataset.y).tolist()}))
    decisions = loss is not None or how["reject"] is not None
    how["metric"] = how["metric"] or ("cost" if decisions else DEFAULT["classification"][0])
    (measure,) = as_measures([how["metric"]], "tune", "classification")
    splits_of = 0 if outer == "none" else Resampling.of(outer).count(len(dataset.X))
    share = None if budget is None else budget / (splits_of + 1)
    model = Tuned(base, ranges, random_state=seed, budget=share, n_jobs=jobs, loss=loss, **how)
    begun = perf_counter()
    model.fit(dataset.X, dataset.y)
    over = share is not None and perf_counter() - begun >= share
    outcome = None
    if outer != "none":
        outcome = nested(
            base, ranges, dataset.X, dataset.y, outer, random_state=seed, n_jobs=jobs, loss=loss,
            budget=None if share is None else share * splits_of, **how,
        )  # fmt: skip
    dataset.tell_left_out()
    _show(model, name, measure, outcome, as_json, output == "-", over)
    if save:
        _save(model, measure.name, save)
        click.echo(f"The tries are in {save}.", err=as_json or output == "-")
    if output:
        best = model.best_estimator_
        best.target_name_ = dataset.target
        best.reading_ = {option: marks for option, marks in reading.items() if marks}
        save_model(best, output)
        where = "standard output" if output == "-" else output
        click.echo(
            f"The tuned {name}, fitted to all {counted(len(dataset.X), 'sequence')}, is in {where}.",
            err=as_json or output == "-",
        )


def _ranges(spaces: tuple[str, ...]) -> dict[str, Any]:
    """The options --space as parameters with their ranges.

    >>> from assay.cli.tune import _ranges
    >>> _ranges(("C=0.1..10,log", "k=1..9", "weights=uniform,distance"))
    {'C': Real(low=0.1, high=10.0, log=True, when=None), 'k': Whole(low=1, high=9, log=False, when=None), \
'weights': Category(values=['uniform', 'distance'], when=None)}
    """
    from assay.errors import ParameterError
    from assay.tuning import Category, Real, Whole

    ranges: dict[str, Any] = {}
    for text in spaces:
        name, sign, what = text.partition("=")
        if not sign or not name or not what:
            raise click.BadParameter(
                f"{text!r} is not NAME=RANGE, such as C=0.01..100,log", param_hint="--space"
            )
        ends, _, scale = what.partition(",")
        low, dots, high = ends.partition("..")
        try:
            if dots and scale in ("", "log"):
                first, last, log = _value(low), _value(high), scale == "log"
                if not all(isinstance(v, (int, float)) for v in (first, last)):
                    raise click.BadParameter(f"{ends!r} is no range of two numbers", param_hint="--space")
                whole = isinstance(first, int) and isinstance(last, int)
                ranges[name] = Whole(first, last, log) if whole else Real(float(first), float(last), log)
            else:
                ranges[name] = Category([_value(v) for v in what.split(",")])
        except ParameterError as error:
            raise click.BadParameter(f"{text!r}: {error}", param_hint="--space") from None
    return ranges


def _value(text: str) -> Any:
    """A number, True, False or None, or the text."""
    import ast

    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError):
        return text.strip()


def _tries(model: Any) -> list[tuple[dict[str, Any], float]]:
    """The settings with the best first; those that failed last."""
    import numpy as np

    sign = model._measure().sign
    return sorted(model.results_, key=lambda r: sign * r[1] if np.isfinite(r[1]) else np.inf)


def _show(
    model: Any,
    class_name: str,
    measure: Any,
    outcome: Nested | None,
    as_json: bool,
    on_stderr: bool,
    over: bool = False,
) -> None:
    """The best settings and what to expect of them; ``over`` tells that the time of the search was."""
    from assay.core.explanation import Section
    from assay.core.model_view import ModelView
    from assay.evaluate.digits import shown_metric

    tries, shares = _tries(model), _shares(model)
    if as_json:
        from assay.cli.output import echo_json

        echo_json(
            {
                "learner": class_name,
                "metric": measure.name,
                "best_setting": model.best_params_,
                "best_inner": model.best_score_,
                "tries": [
                    {
                        "setting": t["setting"],
                        measure.name: t["value"],
                        "share": t["share"],
                        "failure": t["failure"],
                    }
                    for t in model.history_
                ],
                "importances": shares,
                "outer": None
                if outcome is None
                else {
                    "mean": outcome.mean,
                    "low": outcome.low,
                    "high": outcome.high,
                    "chosen": outcome.chosen,
                    "sentences": str(outcome).splitlines(),
                },
            }
        )
        return
    names = list(dict.fromkeys(name for setting, _ in tries for name in setting))
    lines: list[list[Any]] = [
        [*(setting.get(name, "") for name in names), shown_metric(measure, mean)]
        for setting, mean in tries[:SHOWN]
    ]
    more = f"{len(tries) - SHOWN} more were tried." if len(tries) > SHOWN else ""
    fewer = sum(t["share"] < 1 for t in model.history_)
    if fewer:
        more = f"{more} {counted(fewer, 'fit')} to fewer rows said which settings to judge by all of them.".strip()
    parts: list[Any] = [
        Section(f"Best of {counted(len(tries), 'setting')}", [*names, f"{measure.name} (inner)"], lines, more)
    ]
    if len(shares) > 1:
        order = sorted(shares, key=lambda name: -shares[name])
        mattered = [[name, f"{shares[name]:.0%}"] for name in order]
        parts.append(
            Section("What mattered", ["parameter", "share of the variance that it explains alone"], mattered)
        )
    facts = [f"best setting: {_words(model.best_params_)}"]
    if over and model.search != "halving" and len(tries) < model.n_iter:
        facts.append(
            f"{len(tries)} of {counted(model.n_iter, 'setting')} were judged: the share of --budget of this search, "
            f"{model.budget:.3g} s, was over."
        )
    failures = [t["failure"] for t in model.history_ if t["failure"]]
    if failures:
        facts.append(
            f"{counted(len(failures), 'setting')} could not be judged and were left out: {failures[0]}"
        )
    facts += [] if outcome is None else str(outcome).splitlines()
    if outcome is None:
        facts.append(
            f"On the inner splits, which chose it, its {measure.name} is {shown_metric(measure, model.best_score_)}: "
            "too good to be expected of new rows. Leave out --outer none for the honest one."
        )
    click.echo(str(ModelView(f"{class_name}, tuned", facts, parts)), err=on_stderr)


def _words(setting: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in setting.items())


def _shares(model: Any) -> dict[str, float]:
    """Which parameters mattered; nothing if too few settings have a value."""
    from assay.errors import DataError

    if model.search == "halving":
        return {}  # few settings are judged by all rows
    try:
        return model.optimization().importances()
    except DataError:
        return {}


def _save(model: Any, metric: str, path: str) -> None:
    from assay.cli.output import unique_name, write_columns

    tries = model.history_
    names = list(dict.fromkeys(name for t in tries for name in t["setting"]))
    columns: dict[str, Any] = {}
    for name in names:
        values = [t["setting"].get(name) for t in tries]
        plain = all(v is None or (isinstance(v, (int, float)) and not isinstance(v, bool)) for v in values)
        columns[name] = values if plain else [None if v is None else str(v) for v in values]
    columns[unique_name(metric, set(columns))] = [t["value"] for t in tries]
    if any(t["share"] < 1 for t in tries):
        columns[unique_name("share of rows", set(columns))] = [t["share"] for t in tries]
    write_columns(columns, path)


def _keep(model: Any, dataset: Any, reading: Reading, output: str) -> None:
    """Save the tuned learner as ``assay fit`` saves one."""
    from assay.cli.output import save_model

    model.set_params(folder=None, n_jobs=None)  # where it was fitted is no part of the model
    model.target_name_ = dataset.target
    reading_options = {"na": list(reading.na), "clean": list(dataset.cleaned)}
    if any(reading_options.values()):
        model.reading_ = {name: marks for name, marks in reading_options.items() if marks}
    save_model(model, output)
