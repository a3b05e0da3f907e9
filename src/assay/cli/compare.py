"""``assay compare FILE --target COLUMN``: which learners are worth having."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import numpy as np

from assay.cli.completion import complete_columns, complete_learners, complete_metrics
from assay.cli.costs import a_number, cost_option, loss_from, refuse_options, reject_option
from assay.cli.data import (
    data_argument,
    open_data,
    rows_to_learn,
    sampled_data,
    target_option,
    task_option,
    without_extra,
)
from assay.cli.jobs import check_jobs, dask_option
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


class MetricOption(click.Option):
    """An option whose help names all measures, which are looked up only when help is asked for."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from assay.metrics import measures

        record = super().get_help_record(ctx)
        classes, numbers = (", ".join(measures(task)) for task in ("classification", "regression"))
        return record and (
            record[0],
            f"{record[1]} Of classes: {classes}; of one class, as in 'recall of yes'. Of numbers: {numbers}. Or a "
            "scorer of scikit-learn.",
        )


@click.command("compare")
@data_argument
@target_option
@task_option
@click.option(
    "--learners",
    "--learner",
    "-l",
    multiple=True,
    shell_complete=complete_learners,
    help="Names separated by commas, or the option again (assay learners); default: all that fit the table.",
)
@click.option(
    "--design",
    help="Resampling: 3x10 (repetitions x folds; the default), 10-fold, 5x2, holdout, 20xholdout(0.25), "
    "leave-one-out, leave-one-group-out, bootstrap(200), 5-time (the default with --time), 5-time(gap=10,window=500).",
)
@click.option(
    "--group",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Rows with the same value (a patient, a client) are never split between training and test.",
)
@click.option(
    "--time",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Time of each row: learners train on earlier rows and are tested on later ones.",
)
@click.option(
    "--weight",
    metavar="COLUMN",
    shell_complete=complete_columns,
    help="Weight of each row, in training and in the metrics.",
)
@click.option("--test", metavar="FILE", help="Test once, on the rows of this file, instead of splitting.")
@click.option(
    "--metric",
    "-m",
    "metrics",
    multiple=True,
    cls=MetricOption,
    shell_complete=complete_metrics,
    help="What is measured; repeatable, the first one ranks. Default: error of classes; rmse, mae and r2 of numbers.",
)
@click.option("--calibrate", is_flag=True, help="Calibrate each learner's probabilities, inside each fold.")
@cost_option
@reject_option
@click.option(
    "--alpha", default=0.05, show_default=True, type=click.FloatRange(0, 1, min_open=True, max_open=True)
)
@click.option(
    "--sample",
    type=click.IntRange(min=10),
    metavar="ROWS",
    help="Compare on so many rows of the file, drawn at random in one pass, each class in its share; for files larger "
    "than memory.",
)
@click.option(
    "--seed", default=0, show_default=True, help="The same seed gives the same splits (and sample)."
)
@click.option("--budget", type=Seconds(), help="Start no further split after so long: 90s, 5m, 1h.")
@click.option("--jobs", "-j", default=1, show_default=True, help="Processes.")
@dask_option
@click.option(
    "--save",
    type=click.Path(dir_okay=False, writable=True),
    help="Write the records, one per learner, split and metric: .csv, .parquet, .jsonl ...; everything: .json.",
)
@click.option("--report", type=click.Path(dir_okay=False, writable=True), help="Write an HTML report.")
@click.option(
    "--curves/--no-curves",
    default=None,
    help="Whether the report has learning curves, for which learners are fitted anew; without either: where it takes "
    "no longer than the comparison.",
)
@click.option(
    "--rope",
    type=click.FloatRange(min=0),
    callback=a_number,
    metavar="SIZE",
    help="The largest difference of the first metric that does not matter; if not given 0.01, or in units of the "
    "target a hundredth of the best value.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@sequence_options
@table_options
def command(
    data: str,
    target: str | None,
    task: str | None,
    learners: tuple[str, ...],
    design: str | None,
    group: str | None,
    time: str | None,
    weight: str | None,
    test: str | None,
    metrics: tuple[str, ...],
    calibrate: bool,
    cost: tuple[str, ...],
    reject: float | None,
    alpha: float,
    sample: int | None,
    seed: int,
    budget: float | None,
    jobs: int,
    dask: str | None,
    save: str | None,
    report: str | None,
    curves: bool | None,
    rope: float | None,
    as_json: bool,
    sequence: str | None,
    order: str | None,
    reading: Reading,
) -> None:
    """Compare learners on a table: error with interval, times, and what is not significantly worse than the best.

    The target holds classes or numbers, see --task; learners and metrics are those of the one or the other.

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set. Strings, categories, dates and missing values need no preparation; what a
    learner needs is done inside each fold. Ctrl-C ends it early and shows what is finished.
    """
    from assay.cli.output import check_ending, check_output
    from assay.evaluate import compare
    from assay.evaluate.candidates import task_of_learners
    from assay.evaluate.metrics import task_of_metrics

    for option, path in (("--report", report), ("--save", save)):
        check_output(path, option, data)
    if save and Path(save).suffix.lower() != ".json":
        check_ending(save, "--save")
    check_jobs(jobs, dask)
    if seed < 0:
        raise click.BadParameter(f"{seed} is below 0", param_hint="--seed")
    if report is None and curves is not None:
        raise click.UsageError("--curves is about the report; say where it goes with --report FILE.")
    if test and (group or time or weight):
        raise click.UsageError("--test already says which rows test; leave out --group, --time and --weight.")
    if data == test == "-":
        raise click.UsageError("FILE and --test cannot both come from standard input.")
    names = [name.strip() for name in ",".join(learners).split(",") if name.strip()] or None
    single = {
        "--group": group,
        "--time": time,
        "--weight": weight,
        "--calibrate": calibrate,
        "--sample": sample,
    }
    refuse_with_sequences({**single, "--task regression": task == "regression"}, order, sequence)
    if sequence is not None:
        _compare_sequences(
            open_sequences(data, target, reading, sequence, order),
            None if test is None else open_sequences(test, target, reading, sequence, order),
            names,
            loss=cost,
            save=save,
            report=report,
            rope=rope,
            as_json=as_json,
            settings={
                "design": design, "metrics": list(metrics), "reject": reject, "alpha": alpha, "random_state": seed,
                "n_jobs": jobs, "budget": budget, "client": dask,
            },
        )  # fmt: skip
        return
    of_learners = task_of_learners(names) or task_of_metrics(metrics)
    if sample is None:
        drawn, opened = None, open_data(data, target, reading)
    else:
        opened, drawn = sampled_data(data, target, reading, sample, seed)
    dataset, aim = rows_to_learn(opened, "compare", task, of_learners)
    if aim.task == "regression":
        refuse_options(
            {"--calibrate": calibrate, "--cost": cost, "--reject": reject},
            "classes",
            f"{aim.name} holds numbers (a regression)",
        )
    dataset, groups = set_apart(dataset, group, "--group")
    dataset, times = set_apart(dataset, time, "--time")
    dataset, weights = set_apart(dataset, weight, "--weight")
    if weights is None and dataset.weights is not None and not test:
        weights = dataset.weights
        click.echo(
            f"The rows of {dataset.name} have weights; they count in learning and in the metrics.", err=True
        )
    loss = loss_from(cost, aim.labels.tolist())
    decisions = loss is not None or reject is not None
    result = compare(
        _calibrated(names, dataset.X) if calibrate else names,
        dataset.X,
        dataset.y,
        design=design,
        groups=groups,
        times=times,
        sample_weight=weights,
        test=None if test is None else _tested(test, dataset, reading, aim.task),
        metrics=list(metrics) or (["cost", "error"] if decisions else None),
        loss=loss,
        reject=reject,
        alpha=alpha,
        random_state=seed,
        n_jobs=jobs,
        client=dask,
        budget=budget,
        name=dataset.name,
        target=dataset.target,
        task=task,
    )
    if drawn is not None:
        result.notes.insert(0, str(drawn))
        result.settings["sample"] = {
            "rows": len(drawn.rows),
            "of": drawn.total,
            "stratified": drawn.stratified,
        }
    dataset.tell_left_out()
    result.settings["command"] = shlex.join(["assay", *sys.argv[1:]])
    _show(result, 0.01 if rope is None else rope, as_json)
    if save:
        _save(result, save)
        click.echo(f"The results are in {save}.", err=as_json)
    if report:
        result.report(
            report,
            learning_curves="auto" if curves is None else curves,
            rope="auto" if rope is None else rope,
        )
        click.echo(f"The report is in {report}.", err=as_json)
    if result.interrupted:
        sys.exit(130)


def _compare_sequences(
    dataset: LabelledSequences, test: LabelledSequences | None, names: list[str] | None, *, loss: tuple[str, ...],
    save: str | None, report: str | None, rope: float | None, as_json: bool, settings: dict[str, Any],
) -> None:  # fmt: skip
    """The same for whole sequences: folds hold sequences, learners of tables see a line for each."""
    from assay.evaluate import compare

    costs = loss_from(loss, sorted({str(label) for label in np.asarray(dataset.y).tolist()}))
    decisions = costs is not None or settings["reject"] is not None
    metrics = settings.pop("metrics") or (["cost", "error"] if decisions else None)
    result = compare(
        sequence_learners(names, dataset.X), dataset.X, dataset.y, metrics=metrics, loss=costs,
        test=None if test is None else (test.X, test.y), name=dataset.name, target=dataset.target, **settings,
    )  # fmt: skip
    dataset.tell_left_out()
    result.settings["command"] = shlex.join(["assay", *sys.argv[1:]])
    _show(result, 0.01 if rope is None else rope, as_json)
    if save:
        _save(result, save)
        click.echo(f"The results are in {save}.", err=as_json)
    if report:
        result.report(report, learning_curves=False, rope="auto" if rope is None else rope)
        click.echo(f"The report is in {report}.", err=as_json)
    if result.interrupted:
        sys.exit(130)


def _calibrated(names: list[str] | None, table: Any) -> dict[str, Any]:
    """The classifiers that were named, or all that suit, each of them calibrated."""
    from assay.cli.fit import ready
    from assay.decide import CalibratedClassifierCV
    from assay.evaluate.learners import suitable
    from assay.learners import find_learner

    entries = suitable(table) if names is None else [find_learner(name) for name in names]
    return {
        entry.name: entry.name
        if entry.name == "majority"
        else CalibratedClassifierCV(ready(entry.make(), entry.scale), ensemble=False)
        for entry in entries
    }


def _show(result: Any, rope: float, as_json: bool) -> None:
    from assay.evaluate.show import as_rich, conclusion

    if as_json:
        from assay.cli.output import echo_json
        from assay.evaluate.remarks import remarks

        echo_json(
            {
                **result.to_dict(),
                "conclusion": conclusion(result),
                "remarks": [{"severity": kind, "sentence": words} for kind, words in remarks(result, rope)],
            }
        )
        return
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=120)
    console.print(as_rich(result, rope=rope))


def _tested(path: str, training: Any, reading: Reading, task: str) -> tuple[Any, Any]:
    """The rows of a second file, with their targets; columns that the training rows lack are left out."""
    second = open_data(path, training.target, replace(reading, drop=(), keep=()))
    second, _ = rows_to_learn(second, "compare", task, lenient=True)
    second.tell_left_out()
    return without_extra(second.X, training.X.schema.names), second.y


def _save(result: Any, path: str) -> None:
    """The records as a table, or everything as JSON."""
    if Path(path).suffix.lower() == ".json":
        import json

        from assay.tables.whole_files import write_whole

        write_whole(path, json.dumps(result.to_dict(), indent=1))
        return
    from assay.tables.writers import write_table

    records = result.to_arrow()
    if sample := result.settings.get("sample"):
        for name, rows in (("sampled_rows", sample["rows"]), ("file_rows", sample["of"])):
            records = records.append_column(name, [[rows] * len(records)])
    write_table(records, path)
