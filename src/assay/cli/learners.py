"""``assay learners``: the names that other commands take."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from inspect import signature
from itertools import groupby
from typing import Any

import click

from assay.cli.completion import complete_one_learner
from assay.learners import (
    KIND_OF_TASK,
    KINDS,
    Entry,
    all_learners,
    find_learner,
    is_learner,
    learners,
)

HEADINGS = {"classifier": "For classes (classification)", "regressor": "For numbers (regression)"}
TASK_KINDS = tuple(KIND_OF_TASK.values())  # the kinds that commands take by name


@click.command("learners")
@click.argument("name", required=False, shell_complete=complete_one_learner)
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="Only those of one kind. Without it: classifiers and regressors, which other commands take by name; other "
    "kinds are for Python.",
)
@click.option("--json", "as_json", is_flag=True, help="Print it as JSON.")
def command(name: str | None, kind: str | None, as_json: bool) -> None:
    """The learners by the names that other commands take; with a NAME, its parameters."""
    from assay.cli.output import echo_json

    kinds = TASK_KINDS if kind is None else (kind,)
    if name is None and as_json:
        echo_json([_record(entry) for listed in kinds for entry in learners(listed).values()])
    elif name is None:
        _list(kinds)
    else:
        _parameters(name, kinds, as_json)


def _record(entry: Entry) -> dict[str, object]:
    return {
        "name": entry.name,
        "class": f"assay.{entry.room}.{entry.class_name}",
        "kind": entry.kind,
        "description": entry.summary,
        "other_names": entry.also,
        "takes": entry.takes_words,
        "tried_by_default": entry.suits,
        "scaled": entry.scale,
        "multiclass": entry.multiclass,
    }


def _list(kinds: Sequence[str]) -> None:
    """The names of each kind, room by room; a star for those that compare tries by itself."""
    width = max(len(name) for kind in kinds for name in learners(kind))
    for kind in kinds:
        if len(kinds) > 1:
            click.echo(f"{'' if kind == kinds[0] else chr(10)}{HEADINGS[kind]}\n")
        for room, members in groupby(learners(kind).values(), lambda entry: entry.room):
            click.echo(room)
            for entry in members:
                star = " " if entry.suits == "on request" else "*"
                click.echo(f"{star} {entry.name:<{width}}  {entry.summary}{_classes(entry.multiclass)}")
    if set(kinds) <= set(TASK_KINDS):
        counts = Counter(entry.kind for entry in all_learners())
        other_kinds = ", ".join(f"{kind} ({counts[kind]})" for kind in KINDS if kind not in TASK_KINDS)
        click.echo("\n* compare tries it where the table suits it, unless learners are named.")
        click.echo(f"Of other kinds, for Python (--kind): {other_kinds}.")


def _parameters(name: str, kinds: Sequence[str], as_json: bool) -> None:
    from assay.cli.output import echo_json

    named = [kind for kind in kinds if is_learner(name, kind)] or kinds[:1]
    documents = [_described(find_learner(name, kind)) for kind in named]
    if as_json:
        echo_json(documents[0] if len(documents) == 1 else documents)
        return
    for document in documents:
        class_name = document["class"].rpartition(".")[2]
        of_kind = f", a {document['kind']}" if len(documents) > 1 else ""
        click.echo(f"{name} is assay's {class_name}{of_kind}.")
        click.echo(f"Takes as it is: {document['takes']}.")
        if document["learns"]:
            click.echo(_learning(document["learns"]))
        if document["ranges"]:
            ranges = "; ".join(f"{parameter} {words}" for parameter, words in document["ranges"].items())
            click.echo(f"assay tune tries: {ranges}.")
        click.echo("Parameters for --set NAME=VALUE:")
        width = max([16, *(len(parameter["name"]) for parameter in document["parameters"])])
        for parameter in document["parameters"]:
            click.echo(
                f"  {parameter['name']:<{width}} {parameter['accepts']} (default {parameter['default']!r})"
            )


def _ranges(entry: Entry) -> dict[str, str]:
    """Where a search looks for the parameters of a learner, for a table of 1,000 rows and 10 columns."""
    from assay.errors import ParameterError
    from assay.tuning import Category, Real, default_space

    task = {kind: task for task, kind in KIND_OF_TASK.items()}.get(entry.kind)
    try:
        space = {} if task is None else default_space(entry.name, task=task)
    except ParameterError:
        return {}  # nothing to tune
    return {
        name: " or ".join(map(str, what.values))
        if isinstance(what, Category)
        else f"{what.low:g} to {what.high:g}{' (factors)' if isinstance(what, Real) and what.log else ''}"
        for name, what in space.items()
    }


def _learning(learns: dict[str, str]) -> str:
    """The model, the loss and the optimiser as sentences."""
    from assay.core.card import OPTIMA

    optimum = learns["optimum"]
    return (
        f"Model: {learns['model']}. Loss: {learns['loss']}. Optimiser: {learns['optimizer']}. Optimum: {optimum} "
        f"({OPTIMA[optimum]})."
    )


def _described(entry: Entry) -> dict[str, Any]:
    """A learner and its parameters."""
    cls = entry.load()
    defaults = {p.name: p.default for p in signature(cls).parameters.values()} | dict(cls.card.settings)
    accepts = getattr(cls, "accepts", {})
    parameters = [
        {"name": name, "accepts": accepts[name].words if name in accepts else "anything", "default": value}
        for name, value in defaults.items()
    ]
    record = _record(entry)
    learns = cls.card.learns
    return {
        "name": entry.name,
        "class": record["class"],
        "kind": entry.kind,
        "takes": entry.takes_words,
        "learns": None if learns is None else learns._asdict(),
        "ranges": _ranges(entry),
        "parameters": parameters,
    }


def _classes(multiclass: str) -> str:
    """How more than two classes are handled, where that is not by one model of all."""
    return "" if multiclass in ("native", "") else f" ({multiclass})"
