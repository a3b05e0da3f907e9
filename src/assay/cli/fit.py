"""``assay fit FILE --target COLUMN``: train one learner and save it."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.completion import complete_one_learner
from assay.cli.costs import refuse_options
from assay.cli.data import data_argument, open_data, rows_to_learn, target_option, task_option
from assay.cli.fit_blocks import fit_blocks
from assay.cli.reading import Reading, table_options
from assay.cli.sequences import fit_sequences, refuse_with_sequences, sequence_options
from assay.cli.words import counted
from assay.errors import did_you_mean
from assay.learners import KIND_OF_TASK
from assay.types import Estimator

DEFAULT_LEARNER = {"classification": "naive bayes", "regression": "linear regression"}


@click.command("fit")
@data_argument
@target_option
@task_option
@click.option(
    "--learner",
    "-l",
    shell_complete=complete_one_learner,
    help="Name of the learner (assay learners). Default: naive bayes for classes, linear regression for numbers.",
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; repeatable."
)
@click.option(
    "--calibrate",
    is_flag=True,
    help="Calibrate its probabilities, by cross-validation: for learners that are overconfident, or have none.",
)
@click.option(
    "--interval",
    "intervals",
    is_flag=True,
    help="Calibrate prediction intervals of numbers on rows that were not learned from, for assay predict --interval.",
)
@click.option(
    "--blocks",
    is_flag=True,
    help="Read the file in blocks, for files larger than memory; for learners that add up over rows.",
)
@click.option(
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="The model file; - is standard output.",
)
@sequence_options
@table_options
def command(
    data: str,
    target: str | None,
    task: str | None,
    learner: str | None,
    settings: tuple[str, ...],
    calibrate: bool,
    intervals: bool,
    blocks: bool,
    output: str,
    sequence: str | None,
    order: str | None,
    reading: Reading,
) -> None:
    """Train one learner on all rows of a table and save it as data (no code inside).

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set. The target holds classes (text, or few whole numbers) or numbers to predict.
    """
    from assay.cli.output import check_output, save_model
    from assay.evaluate.candidates import task_of_learners
    from assay.evaluate.oddities import task_taken
    from assay.learners import find_learner

    check_output(output, "--output", data)
    single = {
        "--task regression": task == "regression",
        "--calibrate": calibrate,
        "--interval": intervals,
        "--blocks": blocks,
    }
    refuse_with_sequences(single, order, sequence)
    if sequence is not None:
        fit_sequences(data, target, learner, settings, output, reading, sequence, order, _apply)
        return
    of_learner = None if learner is None else task_of_learners([learner])
    if learner is not None:
        find_learner(learner, KIND_OF_TASK[task or of_learner or "classification"])  # before the file is read
    if blocks:
        refuse_options(
            {"--calibrate": calibrate, "--interval": intervals}, "rows in memory", "--blocks was given"
        )
        model, words = fit_blocks(
            data,
            target,
            task,
            of_learner,
            DEFAULT_LEARNER,
            learner,
            lambda e: _in_blocks(e, settings),
            reading,
        )
        if reading.na:
            model.reading_ = {"na": list(reading.na)}
        save_model(model, output)
        click.echo(f"{words} Saved in {'standard output' if output == '-' else output}.", err=output == "-")
        return
    dataset, aim = rows_to_learn(open_data(data, target, reading), "fit", task, of_learner)
    if aim.task == "regression":
        refuse_options({"--calibrate": calibrate}, "probabilities of classes", _is_numbers(aim.name))
    else:
        refuse_options({"--interval": intervals}, "predicted numbers", f"{aim.name} holds classes")
    entry = find_learner(learner or DEFAULT_LEARNER[aim.task], KIND_OF_TASK[aim.task])
    model = entry.make()
    _apply(model, settings)
    model = _with_extras(ready(model, entry.scale), calibrate, intervals)
    model.fit(dataset.X, dataset.y, dataset.weights)
    dataset.tell_left_out()
    if aim.why:
        click.echo(f"Note: {task_taken(aim).said('command line')}", err=True)
    model.target_name_ = dataset.target
    reading_options = {"na": list(reading.na), "clean": list(dataset.cleaned)}
    if any(reading_options.values()):  # the options for training rows apply to new rows, too
        model.reading_ = {name: marks for name, marks in reading_options.items() if marks}
    save_model(model, output)
    extra = " (calibrated)" if calibrate else " (with prediction intervals)" if intervals else ""
    click.echo(
        f"{entry.class_name}{extra} learned {dataset.target} from {counted(dataset.X.shape[0], 'row')} and "
        f"{counted(dataset.X.shape[1], 'column')}; {_training_error(model, dataset.X, dataset.y)}. "
        f"Saved in {'standard output' if output == '-' else output}.",
        err=output == "-",
    )


def _is_numbers(target: str) -> str:
    return f"{target} holds numbers (a regression)"


def ready(model: Estimator, scale: bool) -> Any:
    """The learner behind the preparation it needs: missing values and new categories may come at prediction."""
    from sklearn.base import is_classifier
    from sklearn.utils import get_tags

    from assay.prepare import Prepared, PreparedRegressor

    if not scale and get_tags(model).input_tags.allow_nan:
        return model
    return (Prepared if is_classifier(model) else PreparedRegressor)(model, scale=scale)


def _in_blocks(entry: Any, settings: tuple[str, ...]) -> Any:
    """The learner, with its settings, behind the preparation it needs, which is learned from blocks as well."""
    model = entry.make()
    _apply(model, settings)
    return ready(model, entry.scale)


def _with_extras(model: Any, calibrate: bool, intervals: bool) -> Any:
    """The learner with its probabilities, or its prediction intervals, calibrated."""
    if calibrate:
        from assay.decide import CalibratedClassifierCV

        return CalibratedClassifierCV(model, ensemble=False)
    if intervals:
        from assay.decide import ConformalRegressor

        return ConformalRegressor(model, random_state=0)
    return model


def _training_error(model: Any, X: Any, y: Any) -> str:
    """How wrong the model is on the rows that it learned from."""
    if hasattr(model, "classes_"):
        return f"training error {1 - model.score(X, y):.1%}"
    from assay.evaluate.digits import shown_metric
    from assay.metrics import measures, r2_score, root_mean_squared_error

    predicted = model.predict(X)
    rmse = shown_metric(measures()["rmse"], root_mean_squared_error(y, predicted))
    return f"training RMSE {rmse}, R2 {round(r2_score(y, predicted), 4) + 0.0:.4f}"


def _apply(model: Any, settings: tuple[str, ...]) -> None:
    """name=value pairs as parameters; values are numbers (inf among them), True, False, None, lists or text."""
    import ast
    import math

    parameters = model.get_params(deep=False)
    for setting in settings:
        name, sign, text = setting.partition("=")
        if not sign:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        if name not in parameters:
            who = type(model).__name__
            raise click.BadParameter(
                f"{who} has no parameter {name!r}.{did_you_mean(name, parameters)}", param_hint="--set"
            )
        try:
            value = {"inf": math.inf, "-inf": -math.inf}.get(text) or ast.literal_eval(text)
        except (ValueError, SyntaxError):
            value = text
        model.set_params(**{name: value})
