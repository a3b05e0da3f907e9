"""``assay learners``: the names that other commands take."""

from __future__ import annotations

from collections import Counter
from inspect import signature
from itertools import groupby

import click

from assay.cli.completion import complete_one_learner
from assay.learners import KINDS, Entry, all_learners, find_learner, learners


@click.command("learners", short_help="The learners by name.")
@click.argument("name", required=False, shell_complete=complete_one_learner)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default=KINDS[0],
    show_default=True,
    help="Learners of another kind, to be used in Python.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, kind: str, as_json: bool) -> None:
    """The learners by the names that other commands take; with a NAME, its parameters."""
    from assay.cli.output import echo_json

    if name is None and as_json:
        echo_json([_record(entry) for entry in learners(kind).values()])
    elif name is None:
        _list(kind)
    else:
        _parameters(name, kind, as_json)


def _record(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "class": f"assay.{entry.room}.{entry.class_name}",
        "description": entry.summary,
        "other_names": entry.also,
        "tried_by_default": entry.suits,
        "scaled": entry.scale,
        "multiclass": entry.multiclass,
    }


def _list(kind: str) -> None:
    """The names room by room; a star for those that compare tries by itself."""
    entries = learners(kind)
    width = max(map(len, entries))
    for room, members in groupby(entries.values(), lambda entry: entry.room):
        click.echo(room)
        for entry in members:
            star = " " if entry.suits == "on request" else "*"
            click.echo(f"{star} {entry.name:<{width}}  {entry.summary}{_classes(entry.multiclass)}")
    if kind == KINDS[0]:
        counts = Counter(entry.kind for entry in all_learners())
        other_kinds = ", ".join(f"{other} ({counts[other]})" for other in KINDS[1:])
        click.echo("\n* compare tries it where the table suits it, unless learners are named.")
        click.echo(f"Of other kinds, for Python (--kind): {other_kinds}.")


def _parameters(name: str, kind: str, as_json: bool) -> None:
    from assay.cli.output import echo_json

    entry = find_learner(name, kind)
    cls = entry.load()
    defaults = {p.name: p.default for p in signature(cls).parameters.values()} | dict(cls.card.settings)
    accepts = getattr(cls, "accepts", {})
    parameters = {
        parameter: (accepted.words if (accepted := accepts.get(parameter)) else "anything", value)
        for parameter, value in defaults.items()
    }
    if as_json:
        entries = [
            {"name": k, "accepts": words, "default": value} for k, (words, value) in parameters.items()
        ]
        echo_json({"name": entry.name, "class": _record(entry)["class"], "parameters": entries})
        return
    click.echo(f"{name} is assay's {entry.class_name}. Parameters for --set NAME=VALUE:")
    for parameter, (words, value) in parameters.items():
        click.echo(f"  {parameter:<16} {words} (default {value!r})")


def _classes(multiclass: str) -> str:
    """How more than two classes are handled, where that is not by one model of all."""
    return "" if multiclass in ("native", "") else f" ({multiclass})"
