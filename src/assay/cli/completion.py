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


def _offered(candidates: Callable[[click.Context], Iterable[str]], comma_separated: bool = False) -> Complete:
    """Completion by a list of words; with ``comma_separated``, of the last word of a list."""

    def complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        prefix, last = "", incomplete
        if comma_separated and "," in incomplete:
            head, _, last = incomplete.rpartition(",")
            prefix = head + ","
        with suppress(Exception):
            return [CompletionItem(prefix + word) for word in candidates(ctx) if word.startswith(last)]
        return []

    return complete


def _learners(ctx: click.Context) -> Iterable[str]:
    from assay.learners import KIND_OF_TASK, learners

    task = ctx.params.get("task")
    kinds = [KIND_OF_TASK[task]] if task in KIND_OF_TASK else KIND_OF_TASK.values()
    return dict.fromkeys(name for kind in kinds for name in learners(kind))


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

    arguments = [
        ctx.params.get("data"),
        *reversed(ctx.args),
    ]  # an option without its value leaves FILE in ctx.args
    built_in = datasets()
    name = next((a for a in arguments if a and (Path(a).is_file() or a in built_in)), "")
    if name in built_in and not Path(name).exists():
        data = load_dataset(name)
        return [*data.X.schema.names, *([data.target_name] if data.target_name else [])]
    kind = format_of(name)
    return [] if kind in ("libsvm", "jsonl", "excel") else open_reader(name, kind).names  # not from all rows


complete_learners = _offered(_learners, comma_separated=True)
complete_one_learner = _offered(_learners)
complete_datasets = _offered(_datasets)
complete_metrics = _offered(_metrics)
complete_columns = _offered(_columns, comma_separated=True)


def complete_data(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Built-in data sets by their names, and files as the shell knows them."""
    return [*complete_datasets(ctx, param, incomplete), CompletionItem(incomplete, type="file")]
