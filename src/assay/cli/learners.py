"""``assay learners``: the names that other commands take."""

from __future__ import annotations

import click

from assay.cli.completion import complete_one_learner


@click.command("learners", short_help="The learners by name.")
@click.argument("name", required=False, shell_complete=complete_one_learner)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, as_json: bool) -> None:
    """The learners by the names that other commands take; with a NAME, its parameters."""
    from assay.cli.output import echo_json
    from assay.evaluate.learners import LEARNERS, find_learner, multiclass_of

    if name is None and as_json:
        echo_json(
            [
                {
                    "name": key,
                    "class": entry.where.replace(":", "."),
                    "description": entry.description,
                    "other_names": entry.other,
                    "tried_by_default": entry.suits,
                    "scaled": entry.scale,
                    "multiclass": multiclass_of(entry),
                }
                for key, entry in LEARNERS.items()
            ]
        )
        return
    if name is None:
        width = max(len(key) for key in LEARNERS)
        for key, entry in LEARNERS.items():
            click.echo(f"  {key:<{width}}  {entry.description}{_classes(multiclass_of(entry))}")
        return
    entry = find_learner(name)
    model = entry.make()
    parameters = {
        parameter: (accepted.words if (accepted := type(model).accepts.get(parameter)) else "anything", value)
        for parameter, value in model.get_params(deep=False).items()
    }
    if as_json:
        listed = [{"name": k, "accepts": words, "default": value} for k, (words, value) in parameters.items()]
        echo_json({"name": entry.name, "class": entry.where.replace(":", "."), "parameters": listed})
        return
    click.echo(f"{name} is assay's {type(model).__name__}. Parameters for --set NAME=VALUE:")
    for parameter, (words, value) in parameters.items():
        click.echo(f"  {parameter:<16} {words} (default {value!r})")


def _classes(multiclass: str) -> str:
    """How more than two classes are told apart, where that is not by one model of all."""
    return "" if multiclass in ("native", "") else f" ({multiclass})"
