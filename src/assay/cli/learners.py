"""``assay learners``: the names that other commands take."""

from __future__ import annotations

import click


@click.command("learners", short_help="The learners by name.")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """The learners by the names that other commands take; with a NAME, its parameters."""
    from assay.evaluate.learners import LEARNERS, find_learner

    if name is None:
        width = max(len(key) for key in LEARNERS)
        for key, entry in LEARNERS.items():
            click.echo(f"  {key:<{width}}  {entry.description}")
        return
    model = find_learner(name).make()
    click.echo(f"{name} is assay's {type(model).__name__}. Parameters for --set NAME=VALUE:")
    for parameter, value in model.get_params(deep=False).items():
        accepted = type(model).accepts.get(parameter)
        click.echo(f"  {parameter:<16} {accepted.words if accepted else 'anything'} (default {value!r})")
