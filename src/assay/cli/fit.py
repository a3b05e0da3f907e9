"""``assay fit FILE --target COLUMN``: train one learner and save it."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.completion import complete_one_learner
from assay.cli.data import data_argument, need_classes, open_data, target_option
from assay.cli.reading import Reading, table_options
from assay.cli.words import counted
from assay.errors import did_you_mean
from assay.types import Estimator


@click.command("fit", short_help="Train one learner on a table and save it.")
@data_argument
@target_option
@click.option(
    "--learner",
    "-l",
    default="naive bayes",
    show_default=True,
    shell_complete=complete_one_learner,
    help="Name of the learner (assay learners).",
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
    "--output",
    "-o",
    required=True,
    type=click.Path(dir_okay=False, writable=True, allow_dash=True),
    help="The model file; - is standard output.",
)
@table_options
def command(
    data: str,
    target: str | None,
    learner: str,
    settings: tuple[str, ...],
    calibrate: bool,
    output: str,
    reading: Reading,
) -> None:
    """Train one learner on all rows of a table and save it as data (no code inside).

    FILE is a CSV, TSV, Parquet, ARFF, LIBSVM, JSON lines, Feather or Excel file (also packed), - for standard input,
    or the name of a built-in data set. The target holds classes: text, or few whole numbers.
    """
    from assay.cli.output import check_folder, save_model
    from assay.learners import find_learner

    check_folder(output, "--output")
    entry = find_learner(learner)
    model = entry.make()
    _apply(model, settings)
    dataset = open_data(data, target, reading)
    need_classes(dataset, "fit")
    model = ready(model, entry.scale)
    if calibrate:
        from assay.decide import CalibratedClassifierCV

        model = CalibratedClassifierCV(model, ensemble=False)
    model.fit(dataset.X, dataset.y, dataset.weights)
    model.target_name_ = dataset.target
    reading_options = {"na": list(reading.na), "clean": list(dataset.cleaned)}
    if any(reading_options.values()):  # the options for training rows apply to new rows, too
        model.reading_ = {name: marks for name, marks in reading_options.items() if marks}
    save_model(model, output)
    calibrated = ", calibrated" if calibrate else ""
    click.echo(
        f"{entry.class_name}{calibrated} learned {dataset.target} from {counted(dataset.X.shape[0], 'row')} and "
        f"{counted(dataset.X.shape[1], 'column')}; training error {1 - model.score(dataset.X, dataset.y):.1%}. "
        f"Saved in {'standard output' if output == '-' else output}.",
        err=output == "-",
    )


def ready(model: Estimator, scale: bool) -> Any:
    """The learner behind the preparation it needs: missing values and new categories may come at prediction."""
    from sklearn.utils import get_tags

    from assay.prepare import Prepared

    return Prepared(model, scale=scale) if scale or not get_tags(model).input_tags.allow_nan else model


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
