"""``assay fit FILE --blocks``: a learner that adds up over rows, trained on a file larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from assay.cli.data import labelled_blocks
from assay.cli.reading import Reading
from assay.cli.words import counted
from assay.learners import KIND_OF_TASK, find_learner, learners

__all__ = ["fit_blocks"]


class _LabelledRows:
    """The blocks of a file without the rows that lack a target, as often as they are asked for."""

    of_files = True  # they are encoded once, where several passes are to come

    def __init__(self, blocks: Any, target: str, unused: tuple[str, ...]):
        self.blocks, self.target, self.unused = blocks, target, unused
        self.rows = self.left_out = self.number = 0

    def __iter__(self) -> Iterator[Any]:
        import pyarrow.compute as pc

        self.rows = self.left_out = self.number = 0
        for block in self.blocks:
            missing = block[self.target].is_null(nan_is_null=True)
            known = block.filter(pc.invert(missing)).drop_columns(list(self.unused))
            self.left_out += block.num_rows - known.num_rows
            if known.num_rows:
                self.rows, self.number = self.rows + known.num_rows, self.number + 1
                yield known


def fit_blocks(
    data: str,
    target: str | None,
    task: str | None,
    of_learner: str | None,
    default_learner: dict[str, str],
    learner: str | None,
    make: Callable[[Any], Any],
    reading: Reading,
) -> tuple[Any, str]:
    """The trained model, and what there is to say about it; ``make`` gives the learner of an entry."""
    from assay.evaluate.target import as_target
    from assay.tables.readers.read import labels

    if reading.clean:
        raise click.UsageError("--clean looks at whole columns; clean the file first, or leave --blocks out.")
    blocks, target = labelled_blocks(data, target, reading, "--blocks")
    rows = _LabelledRows(blocks, target, reading.keep)
    first = next(iter(rows), None)
    if first is None:
        raise click.ClickException(f"{data} has no rows with a value of {target}.")
    aim = as_target(labels(first[target]), first.num_rows, "fit", True, target, task, of_learner)
    entry = find_learner(learner or default_learner[aim.task], KIND_OF_TASK[aim.task])
    if not hasattr(entry.load(), "fit_blocks"):
        raise click.UsageError(_not_in_blocks(entry, aim.task))
    model = make(entry)
    model.fit_blocks(rows, target=target)
    model.target_name_ = target
    left_out = (
        f" Left out: {counted(rows.left_out, 'row')} without a value of {target}." if rows.left_out else ""
    )
    return model, (
        f"{entry.class_name} learned {target} from {counted(rows.rows, 'row')} and "
        f"{counted(model.n_features_in_, 'column')} in {counted(rows.number, 'block')}.{left_out}"
    )


def _not_in_blocks(entry: Any, task: str) -> str:
    able = sorted({e.name for e in learners(KIND_OF_TASK[task]).values() if hasattr(e.load(), "fit_blocks")})
    return (
        f"{entry.class_name} needs all rows in memory. In blocks learn: {', '.join(able)}. Whether others are worth "
        "more shows on a sample of the rows: assay compare --sample."
    )
