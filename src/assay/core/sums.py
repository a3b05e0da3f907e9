"""The one place that adds up: memory, a stream of blocks, or a cluster.

A learner that is a sum says what one block of rows contributes (``summarize(block)``, an object that
knows ``+``) and what follows from the total. Where the rows come from is known here alone:

- :class:`Rows`: in memory, cut into blocks, on threads;
- :class:`Stream`: an iterable of blocks that can be gone through again, one block in memory at a time;
- :class:`DaskRows`: a Dask array or frame, one task a partition, added up in a tree.

Blocks are cut by their size alone and added in order, so the total does not depend on the number of
threads or workers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from functools import reduce
from operator import add
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from assay.core.parallel import in_threads
from assay.core.progress import progress
from assay.errors import DataError, MissingExtraError

__all__ = ["Block", "DaskRows", "Rows", "Source", "Stream", "is_dask"]

BLOCK_BYTES = 1 << 21  # of X in one block of an in-memory table: stays in the second-level cache or near it
ONE_BLOCK_BYTES = 1 << 22  # up to this a table is one block: threads are not worth their start


class Block(NamedTuple):
    """Some rows: X (n, d), y (n,) or None, weights (n,) or None."""

    X: Any
    y: Any = None
    w: Any = None


class Addable(Protocol):
    """Whatever knows +."""

    def __add__(self, other: Any, /) -> Any: ...


S = TypeVar("S", bound=Addable)


class Source:
    """Rows from somewhere, that can be added up as often as needed."""

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        """The sum over all blocks of ``summarize(block)``."""
        raise TypeError(f"{type(self).__name__} must say how it adds up")

    def count(self) -> int:
        """The number of rows."""
        return self.add_up(lambda block: _height(block.X))

    def take(self, rows: np.ndarray) -> Any:
        """The rows of X with these numbers, counted from 0 over all blocks, in that order.

        >>> import numpy as np
        >>> from assay.core.sums import Block, Stream
        >>> blocks = Stream([np.array([[1.0], [2.0]]), np.array([[3.0]])], Block)
        >>> blocks.take(np.array([2, 0])).tolist()
        [[3.0], [1.0]]
        """
        raise TypeError(f"{type(self).__name__} must say how it takes rows")


class Rows(Source):
    """Rows in memory.

    >>> import numpy as np
    >>> from assay.core.sums import Rows
    >>> int(Rows(np.ones((10, 2))).add_up(lambda block: block.X.sum()))
    20
    """

    def __init__(self, X: Any, y: Any = None, w: Any = None):
        self.X, self.y, self.w = X, y, w

    def blocks(self) -> list[Block]:
        """Cuts by size: whole up to four megabytes, else in pieces of about two."""
        n = self.X.shape[0]
        sparse = not isinstance(self.X, np.ndarray)
        size = (self.X.data.nbytes * 2 if sparse else self.X.nbytes) or 1
        if size <= ONE_BLOCK_BYTES:
            return [Block(self.X, self.y, self.w)]
        rows = max(256, n * BLOCK_BYTES // size)
        return [
            Block(
                self.X[a : a + rows],
                None if self.y is None else self.y[a : a + rows],
                None if self.w is None else self.w[a : a + rows],
            )
            for a in range(0, n, rows)
        ]

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        return reduce(add, in_threads(summarize, self.blocks()))

    def count(self) -> int:
        return _height(self.X)

    def take(self, rows: np.ndarray) -> Any:
        return self.X if np.array_equal(rows, np.arange(_height(self.X))) else self.X[rows]


class Stream(Source):
    """Blocks that come one after another, such as the row groups of a file.

    Parameters
    ----------
    blocks : an iterable that starts anew each time, or a function that returns one
    prepare : function from whatever the iterable yields to a Block
    description : what progress is called while the blocks go by
    total : number of blocks, if known; after one pass it is
    """

    def __init__(
        self,
        blocks: Iterable[Any] | Callable[[], Iterable[Any]],
        prepare: Callable[[Any], Block],
        description: str = "adding up blocks",
        total: int | None = None,
    ):
        if isinstance(blocks, Iterator):
            raise DataError(
                "Blocks that can be gone through only once are not enough; give a list or a function."
            )
        self._blocks, self._prepare, self._description = blocks, prepare, description
        self.total = len(blocks) if total is None and isinstance(blocks, Sized) else total

    def __iter__(self) -> Iterator[Block]:
        for raw in self._blocks() if callable(self._blocks) else self._blocks:
            yield self._prepare(raw)

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        total: S | None = None
        blocks = rows = 0
        with progress(self.total, self._description) as bar:
            for block in self:
                part = summarize(block)
                total = part if total is None else add(total, part)
                blocks, rows = blocks + 1, rows + _height(block.X)
                bar.advance(note=f"{rows:,} rows")
        if total is None:
            raise DataError("There is no block of rows to learn from.")
        self.total = blocks
        return total

    def take(self, rows: np.ndarray) -> Any:
        parts, start = [], 0
        for block in self:
            parts.append(_within(block.X, rows, start))
            start += _height(block.X)
        return _in_order(parts, rows)


class DaskRows(Source):
    """The partitions of Dask collections; each becomes one task, the sums meet in a tree.

    X, y and weights must be partitioned alike: y as a column of the same frame, or an array with the same
    chunks.
    """

    def __init__(self, X: Any, y: Any, w: Any, prepare: Callable[[Any, Any, Any], Block]):
        parts = _partitions(X)
        self._parts = [parts, *(_partitions(v) if v is not None else [None] * len(parts) for v in (y, w))]
        if len({len(p) for p in self._parts}) > 1:
            raise DataError(
                "X, y and weights are cut into different numbers of Dask partitions; rechunk them alike."
            )
        self._prepare = prepare

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        from dask.delayed import delayed

        prepare = self._prepare
        task = delayed(lambda X, y, w: summarize(prepare(X, y, w)), pure=False)
        plus = delayed(add, pure=False)
        level = [task(*part) for part in zip(*self._parts)]
        while len(level) > 1:
            level = [
                plus(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)
            ]
        total: S = level[0].compute()
        return total

    def take(self, rows: np.ndarray) -> Any:
        from dask.delayed import delayed

        prepare = self._prepare
        heights = self.add_up(lambda block: [_height(block.X)])
        starts = np.cumsum([0, *heights[:-1]]).tolist()
        task = delayed(lambda start, *part: _within(prepare(*part).X, rows, start), pure=False)
        return _in_order(delayed(list)(list(map(task, starts, *self._parts))).compute(), rows)


def _within(X: Any, rows: np.ndarray, start: int) -> Any:
    """Those of the numbered rows that lie in a block which begins with the row number ``start``, by rising number."""
    local = np.sort(rows) - start
    return X[local[(local >= 0) & (local < _height(X))]]


def _in_order(parts: Iterable[Any], rows: np.ndarray) -> Any:
    """The parts of :func:`_within` as one table, in the order of ``rows``."""
    from scipy.sparse import vstack

    parts = [part for part in parts if _height(part)]
    if not parts or sum(map(_height, parts)) != len(rows):
        raise DataError("The blocks have changed between two passes: rows are missing.")
    whole = np.concatenate(parts) if isinstance(parts[0], np.ndarray) else vstack(parts, format="csr")
    places = np.empty(len(rows), dtype=np.int64)
    places[np.argsort(rows, kind="stable")] = np.arange(len(rows))
    return whole[places]


def _height(X: Any) -> int:
    return X.shape[0] if hasattr(X, "shape") else len(X)


def is_dask(X: Any) -> bool:
    """Whether X is a Dask collection."""
    return hasattr(X, "__dask_graph__")


def _partitions(collection: Any) -> list[Any]:
    if not is_dask(collection):
        raise DataError("X is a Dask collection, so y and weights must be Dask collections too.")
    try:
        import dask  # noqa: F401
    except ImportError:
        raise MissingExtraError(
            'Dask collections need one more package: pip install "assay[dask]".'
        ) from None
    if getattr(collection, "ndim", 1) == 2 and hasattr(collection, "rechunk"):
        collection = collection.rechunk({1: -1})  # whole rows
    return list(np.ravel(np.array(collection.to_delayed(), dtype=object)))
