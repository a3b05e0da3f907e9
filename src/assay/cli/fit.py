"""``assay fit FILE --target COLUMN``: train one learner and save it."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.data import data_argument, open_data, target_option
from assay.cli.words import counted, did_you_mean


@click.command("fit", short_help="Train one learner on a table and save it.")
@data_argument
@target_option
@click.option(
    "--learner", "-l", default="naive bayes", show_default=True, help="Name of the learner (assay learners)."
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter of the learner; repeatable."
)
@click.option(
    "--output", "-o", required=True, type=click.Path(dir_okay=False, writable=True), help="The model file."
)
def command(data: str, target: str | None, learner: str, settings: tuple[str, ...], output: str) -> None:
    """Train one learner on all rows of a table and save it as data (no code inside).

    FILE is a CSV, Parquet, ARFF or LIBSVM file, or the name of a built-in data set.
    """
    from sklearn.utils import get_tags

    from assay import save
    from assay.evaluate.learners import find_learner
    from assay.evaluate.target import as_target
    from assay.prepare import Prepared

    entry = find_learner(learner)
    model = entry.make()
    _apply(model, settings)
    found = open_data(data, target)
    if as_target(found.y, len(found.labels), "fit", lenient=True).measured:
        raise click.ClickException(
            f"{found.target} holds numbers with fractions, expected classes. Cut it into classes first, or choose "
            "another target."
        )
    if (
        not get_tags(model).input_tags.allow_nan or entry.scale
    ):  # holes and new categories may come later, too
        model = Prepared(model, scale=entry.scale)
    model.fit(found.X, found.y, found.weights)
    model.target_name_ = found.target
    save(model, output)
    click.echo(
        f"{entry.class_name} learned {found.target} from {counted(found.X.shape[0], 'row')} and "
        f"{counted(found.X.shape[1], 'column')}; training error {1 - model.score(found.X, found.y):.1%}. "
        f"Saved in {output}."
    )


def _apply(model: Any, settings: tuple[str, ...]) -> None:
    """name=value pairs as parameters; values are numbers (inf among them), True, False, None, lists or text."""
    import ast
    import math

    known = model.get_params(deep=False)
    for setting in settings:
        name, sign, text = setting.partition("=")
        if not sign:
            raise click.BadParameter(f"{setting!r} is not NAME=VALUE", param_hint="--set")
        if name not in known:
            who = type(model).__name__
            raise click.BadParameter(
                f"{who} has no parameter {name!r}.{did_you_mean(name, known)}", param_hint="--set"
            )
        try:
            value = {"inf": math.inf, "-inf": -math.inf}.get(text) or ast.literal_eval(text)
        except (ValueError, SyntaxError):
            value = text
        model.set_params(**{name: value})
