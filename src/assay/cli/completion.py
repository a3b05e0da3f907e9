"""Tab completion: what the shell offers for learners, data sets, metrics and columns.

Nothing here may fail or take long: whatever goes wrong, the shell is offered nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = [
    "complete_columns",
    "complete_data",
    "complete_datasets",
    "complete_learners",
    "complete_metrics",
    "complete_one_learner",
]

Complete = Callable[[click.Context, click.Parameter, str], list[Any]]


def _offered(known: Callable[[click.Context], Iterable[str]], several: bool = False) -> Complete:
    """Completion by a list of words; with ``several``, of the last word of a list separated by commas."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        begun, last = "", incomplete
        if several and "," in incomplete:
            head, _, last = incomplete.rpartition(",")
            begun = head + ","
        with suppress(Exception):
            return [CompletionItem(begun + word) for word in known(ctx) if word.startswith(last)]
        return []

    return complete


def _learners(ctx: click.Context) -> Iterable[str]:
    from assay.learners import learners

    return learners()


def _datasets(ctx: click.Context) -> Iterable[str]:
    from assay.tables.data import datasets

    return datasets()


def _metrics(ctx: click.Context) -> Iterable[str]:
    from assay.metrics import measures

    return measures()


def _columns(ctx: click.Context) -> Iterable[str]:
    """The columns of the table that the command line names, from its first lines."""
    from assay.tables.data import datasets, load_dataset
    from assay.tables.readers.read import format_of, open_reader

    given = [
        ctx.params.get("data"),
        *reversed(ctx.args),
    ]  # an option without its value leaves FILE among the rest
    known = datasets()
    name = next((a for a in given if a and (Path(a).is_file() or a in known)), "")
    if name in known and not Path(name).exists():
        data = load_dataset(name)
        return [*data.X.schema.names, *([data.target_name] if data.target_name else [])]
    kind = format_of(name)
    return [] if kind in ("libsvm", "jsonl", "excel") else open_reader(name, kind).names  # not from all rows


complete_learners = _offered(_learners, several=True)
complete_one_learner = _offered(_learners)
complete_datasets = _offered(_datasets)
complete_metrics = _offered(_metrics)
complete_columns = _offered(_columns, several=True)


def complete_data(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Built-in data sets by their names, and files as the shell knows them."""
    return [*complete_datasets(ctx, param, incomplete), CompletionItem(incomplete, type="file")]
