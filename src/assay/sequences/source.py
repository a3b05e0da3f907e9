"""Whole sequences as a source of sums: in memory, as a stream of blocks, or on Dask."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, reduce
from operator import add
from typing import Any, TypeVar

import numpy as np

from assay.core.parallel import in_threads
from assay.core.sums import Addable, Block, DaskRows, Source, Stream, is_dask
from assay.errors import DataError
from assay.sequences.sequences import Sequences
from assay.tables import Schema

__all__ = ["SequenceRows", "check_bag", "dask_sequences", "stream_of"]

S = TypeVar("S", bound=Addable)
BLOCK_ROWS = 1 << 15  # of one block in memory; a longer sequence is a block of its own


class SequenceRows(Source):
    """Sequences in memory, cut into blocks of whole sequences; a block's y holds known states, w weights."""

    def __init__(self, X: Sequences, states: np.ndarray | None = None, weights: np.ndarray | None = None):
        self.X, self.states, self.weights = X, states, weights

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        if len(self._blocks) == 1:
            return summarize(self._blocks[0])
        return reduce(add, in_threads(summarize, self._blocks))

    def whole(self) -> Sequences | None:
        """The sequences, if they are one block of which no state is known."""
        return self.X if self.states is None and len(self._blocks) == 1 else None

    @cached_property
    def _blocks(self) -> list[Block]:
        """Cut once for all passes."""
        blocks, row, at = [], 0, 0
        for part in self.X.blocks(BLOCK_ROWS):
            rows = slice(row, row + len(part.values))
            blocks.append(
                Block(
                    part,
                    None if self.states is None else self.states[rows],
                    None if self.weights is None else self.weights[at : at + len(part)],
                )
            )
            row, at = rows.stop, at + len(part)
        return blocks


def stream_of(
    blocks: Any,
    schema: Schema | None,
    id: str | None,
    order: str | None,
    who: str,
    check: Callable[[Sequences], Sequences] = lambda X: X,
) -> Stream:
    """Blocks, each of whole sequences: lists of sequences, (X, lengths), Sequences, or long tables with an id."""
    before: list[Any] = []

    def prepare(raw: Any) -> Block:
        X = read_block(raw, schema, id, order, who)
        if id is not None:
            again = set(X.ids) & set(before)
            if again:
                raise DataError(
                    f"sequence {next(iter(again))} is in two blocks; a block must hold whole sequences.",
                    who=who,
                )
            before.extend(X.ids)
        return Block(check(X))

    class Whole(Stream):
        def add_up(self, summarize: Callable[[Block], S]) -> S:
            before.clear()
            return super().add_up(summarize)

    return Whole(blocks, prepare, f"{who}: learning")


def read_block(raw: Any, schema: Schema | None, id: str | None, order: str | None, who: str) -> Sequences:
    """One block, whatever it came as."""
    if isinstance(raw, tuple) and len(raw) == 2 and np.ndim(raw[1]) == 1 and hasattr(raw[0], "shape"):
        return Sequences.of(raw[0], raw[1], schema=schema, who=who)
    return Sequences.of(raw, id=id, order=order, schema=schema, who=who)


def check_bag(X: Any, who: str) -> None:
    """Refuse Dask frames and arrays, whose partitions may cut sequences."""
    if not is_dask(X) or hasattr(X, "columns") or hasattr(X, "chunks"):
        raise DataError(
            "sequences on Dask are a bag, one item a sequence, so that none is cut: dask.bag.from_sequence(list).",
            who=who,
        )


def dask_sequences(
    X: Any, schema: Schema | None, who: str, check: Callable[[Sequences], Sequences]
) -> DaskRows:
    """A Dask bag of sequences, each partition some of them."""
    check_bag(X, who)
    return DaskRows(
        X, None, None, lambda part, y, w: Block(check(Sequences.of(list(part), schema=schema, who=who)))
    )
