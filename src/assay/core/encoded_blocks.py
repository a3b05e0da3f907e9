"""Blocks of files, encoded once: written to disk while their columns are learned, and read from there in every pass.

A block is encoded by its own schema, since that of all blocks is not known before the last one has been read. Once it
is, the categories of a block get the numbers that they have in all of them, in place, when the block is read first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Any, Self

import numpy as np

from assay.core.block_store import LIMIT_VARIABLE, BlockStore, number_of_bytes
from assay.core.sums import Block
from assay.core.targets import EncodedLabels
from assay.tables import Schema, Table

__all__ = ["EncodedBlocks"]


@dataclass
class _Known:
    """What is known of a block beside its numbers."""

    schema: Schema
    complete: bool
    labels: np.ndarray | None
    start: int  # the number of its first row


class EncodedBlocks:
    """Encoded blocks of rows on disk, gone when they are closed.

    Examples
    --------
    >>> from assay.core.encoded_blocks import EncodedBlocks
    >>> from assay.tables import Table
    >>> one, other = Table.of({"taste": ["sweet"]}), Table.of({"taste": ["sour", "sweet"]})
    >>> with EncodedBlocks() as blocks:
    ...     blocks.append(one)
    ...     blocks.append(other)
    ...     blocks.schema = one.schema.merge(other.schema)
    ...     [block.X.values.ravel().tolist() for block in blocks]
    [[1.0], [0.0, 1.0]]
    """

    def __init__(self) -> None:
        self._store = BlockStore()
        self._known: list[_Known] = []
        self._rows = 0
        self._one_by_one = Lock()
        self._failure: BaseException | None = None
        self.schema: Schema | None = None  # of all blocks, once it is known

    @staticmethod
    def allowed() -> bool:
        """Whether the user lets blocks be written: a limit of 0 means that files are read anew in every pass."""
        limit = os.environ.get(LIMIT_VARIABLE, "").strip()
        return not limit or number_of_bytes(limit) > 0

    def append(
        self,
        table: Table,
        y: EncodedLabels | np.ndarray | None = None,
        w: Any = None,
        start: int | None = None,
    ) -> None:
        """Write one more block, which begins with the row number ``start``; None comes after those so far.

        Threads may do so in any order: the blocks are given back by their first rows.
        """
        labels = y.classes if isinstance(y, EncodedLabels) else None
        target = y.codes if isinstance(y, EncodedLabels) else y
        arrays = {"X": table.values, "y": target, "w": w}
        complete = table.complete  # looked through before the others wait
        with self._one_by_one:
            if self._failure is not None:  # of another thread
                raise self._failure
            start = self._rows if start is None else start
            try:
                self._store.append({name: array for name, array in arrays.items() if array is not None})
            except BaseException as error:
                self._failure = error
                raise
            self._known.append(_Known(table.schema, complete, labels, start))
            self._rows += len(table)

    def clear(self) -> None:
        """Forget the blocks."""
        self.close()
        self._store, self._known, self._rows, self._failure = BlockStore(), [], 0, None

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Block]:
        """The blocks as tables by the schema of all, with their targets and weights."""
        schema = self.schema
        assert schema is not None, "the schema of all blocks is known once they have been read"
        for i in sorted(range(len(self._known)), key=lambda i: self._known[i].start):
            known = self._known[i]
            strange = known.schema is not schema and known.schema != schema
            arrays = self._store.read(i, ["X"] if strange else ())
            if strange:
                _recode(arrays["X"], known.schema, schema)
            known.schema = schema
            y = arrays.get("y")
            target = y if known.labels is None or y is None else EncodedLabels(y, known.labels)
            yield Block(Table(arrays["X"], schema, known.complete), target, arrays.get("w"))

    def close(self) -> None:
        """Remove what is on disk, once nobody writes there."""
        with self._one_by_one:
            self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _recode(values: np.ndarray, old: Schema, new: Schema) -> None:
    """Give categories, in place, the numbers that they have in a schema that lists them all."""
    for j, (a, b) in enumerate(zip(old, new)):
        if not (a.coded and b.coded) or a.categories == b.categories:
            continue
        position = {value: float(code) for code, value in enumerate(b.categories)}
        codes = np.array([position[value] for value in a.categories])
        present = np.flatnonzero(~np.isnan(values[:, j]))
        if len(present):
            values[present, j] = codes[values[present, j].astype(np.intp)]
