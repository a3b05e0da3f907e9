"""The one place that adds up: memory, a stream of blocks, or a cluster.

A learner that is a sum says what one block of rows contributes (``summarize(block)``, an object that
knows ``+``) and what follows from the total. Where the rows come from is known here alone:

- :class:`Rows`: in memory, cut into blocks, on threads;
- :class:`Stream`: an iterable of blocks that can be gone through again, one block in memory at a time, or one for each
  thread;
- :class:`DaskRows`: a Dask array or frame, one task a partition, added up in a tree.

:class:`Mapped` changes the blocks of any of them on their way.

Blocks are cut by their size alone and added in order, so the total does not depend on the number of
threads or workers.

What is needed of each block in many passes is kept: ``source.keep(make)`` calls ``make(block)`` once and holds its
arrays where the rows are, in memory, in a temporary store on disk, or on the workers (:mod:`assay.core.kept`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy, deepcopy
from functools import reduce
from itertools import islice
from operator import add
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from assay.core.kept import (
    Addable,
    Arrays,
    Kept,
    KeptInMemory,
    KeptOnDisk,
    no_blocks,
    tree_sum,
)
from assay.core.parallel import in_threads, one_blas_thread, threads
from assay.core.progress import progress
from assay.errors import DataError, MissingExtraError

__all__ = [
    "Addable",
    "Block",
    "DaskRows",
    "Kept",
    "Mapped",
    "Rows",
    "Source",
    "Stream",
    "check_dask_rows",
    "is_dask",
    "partitions",
]

BLOCK_BYTES = 1 << 21  # of X in one block of an in-memory table: stays in the second-level cache or near it
ONE_BLOCK_BYTES = 1 << 22  # up to this a table is one block: threads are not worth their start


class _Rows(NamedTuple):
    X: Any
    y: Any = None
    w: Any = None


class Block(_Rows):
    """Some rows: X (n, d), y (n,) or None, weights (n,) or None; ``start`` is the number of the first among all."""

    start: int = 0

    def at(self, start: int) -> Block:
        """The same rows, the first of which has this number."""
        same = Block(*self)
        same.start = start
        return same


S = TypeVar("S", bound=Addable)
T = TypeVar("T")


class Source:
    """Rows from somewhere, that can be added up as often as needed."""

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        """The sum over all blocks of ``summarize(block)``."""
        raise TypeError(f"{type(self).__name__} must say how it adds up")

    def count(self) -> int:
        """The number of rows."""
        return self.add_up(lambda block: _height(block.X))

    def numbered(self) -> Source:
        """The same rows, where each block knows the number of its first row (``block.start``)."""
        return self

    def take(self, rows: np.ndarray) -> Any:
        """The rows of X with these numbers, counted from 0 over all blocks, in that order.

        >>> import numpy as np
        >>> from assay.core.sums import Block, Stream
        >>> blocks = Stream([np.array([[1.0], [2.0]]), np.array([[3.0]])], Block)
        >>> blocks.take(np.array([2, 0])).tolist()
        [[3.0], [1.0]]
        """
        raise TypeError(f"{type(self).__name__} must say how it takes rows")

    def in_turn(self, step: Callable[[T, Block], T], state: T) -> T:
        """What becomes of ``state`` when ``step(state, block)`` changes it, one block after the other, in their order.

        >>> import numpy as np
        >>> from assay.core.sums import Block, Stream
        >>> blocks = Stream([np.array([[1.0], [2.0]]), np.array([[3.0]])], Block)
        >>> blocks.in_turn(lambda shape, block: shape + [block.X.shape], [])
        [(2, 1), (1, 1)]
        """
        raise TypeError(f"{type(self).__name__} must say how its blocks come in turn")

    def keep(self, make: Callable[[Block], Arrays], writable: Sequence[str] | None = None) -> Kept:
        """What ``make`` gives for each block, a dict of arrays, to be added up and changed in many passes.

        Parameters
        ----------
        make : function from a Block to a dict of arrays of plain numbers, with the same names for every block
        writable : names of the arrays that ``Kept.update`` may change, default None for all
            Arrays that stay as they are need no copy on a cluster.

        Examples
        --------
        >>> import numpy as np
        >>> from assay.core.sums import Block, Stream
        >>> source = Stream([np.array([[1.0], [2.0]]), np.array([[3.0]])], Block)
        >>> def double(arrays):
        ...     arrays["x"] *= 2
        ...     return arrays["x"].sum()
        >>> with source.keep(lambda block: {"x": block.X[:, 0].copy()}) as kept:
        ...     float(kept.update(double)), float(kept.update(double))
        (12.0, 24.0)
        """
        raise TypeError(f"{type(self).__name__} must say how it keeps what is made of its blocks")


class Rows(Source):
    """Rows in memory.

    Parameters
    ----------
    X, y, w : a table, and a target and a weight for each row or None
    pieces : into how many blocks a large table is cut, default None
        None cuts by size. With a number the blocks depend on it, so only sums that are exact may ask for it: those
        that are large themselves, and take longer to add than to make.

    Examples
    --------
    >>> import numpy as np
    >>> from assay.core.sums import Rows
    >>> int(Rows(np.ones((10, 2))).add_up(lambda block: block.X.sum()))
    20
    """

    def __init__(self, X: Any, y: Any = None, w: Any = None, pieces: int | None = None):
        self.X, self.y, self.w, self._pieces = X, y, w, pieces

    def blocks(self) -> list[Block]:
        """Cuts by size: whole up to four megabytes, else in pieces of about two, or as many as were asked for."""
        n = self.X.shape[0]
        sparse = not isinstance(self.X, np.ndarray)
        size = (self.X.data.nbytes * 2 if sparse else self.X.nbytes) or 1
        if size <= ONE_BLOCK_BYTES:
            return [Block(self.X, self.y, self.w)]
        rows = max(256, n * BLOCK_BYTES // size if self._pieces is None else -(-n // self._pieces))
        return [
            Block(
                self.X[a : a + rows],
                None if self.y is None else self.y[a : a + rows],
                None if self.w is None else self.w[a : a + rows],
            ).at(a)
            for a in range(0, n, rows)
        ]

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        return reduce(add, in_threads(summarize, self.blocks()))

    def count(self) -> int:
        return _height(self.X)

    def keep(self, make: Callable[[Block], Arrays], writable: Sequence[str] | None = None) -> Kept:
        blocks = self.blocks()
        return KeptInMemory(in_threads(make, blocks), blocks, writable)

    def in_turn(self, step: Callable[[T, Block], T], state: T) -> T:
        return reduce(step, self.blocks(), state)

    def take(self, rows: np.ndarray) -> Any:
        return self.X if np.array_equal(rows, np.arange(_height(self.X))) else self.X[rows]


class _Numbers:
    """The rows of one pass so far."""

    rows = 0

    def of(self, block: Block) -> Block:
        """The block with the number of its first row."""
        block = block.at(self.rows)
        self.rows += _height(block.X)
        return block


class Stream(Source):
    """Blocks that come one after another, such as the row groups of a file.

    Parameters
    ----------
    blocks : an iterable that starts anew each time, or a function that returns one
    prepare : function from whatever the iterable yields to a Block, or to None for one without rows
    description : what progress is called while the blocks go by
    total : number of blocks, if known; after one pass it is
    rows : number of rows, if known; after one pass it is, and another number in a later one is an error
    together : whether as many blocks as there are threads may be in memory at a time, one on each
    """

    def __init__(
        self,
        blocks: Iterable[Any] | Callable[[], Iterable[Any]],
        prepare: Callable[[Any], Block | None],
        description: str = "adding up blocks",
        total: int | None = None,
        rows: int | None = None,
        together: bool = False,
    ):
        if isinstance(blocks, Iterator):
            raise DataError(
                "Blocks that can be gone through only once are not enough; give a list or a function."
            )
        self._blocks, self._prepare, self._description = blocks, prepare, description
        self.total = len(blocks) if total is None and isinstance(blocks, Sized) else total
        self._rows, self._together = rows, together

    def __iter__(self) -> Iterator[Block]:
        numbers = _Numbers()
        for some in self._some(numbers):
            yield from self._prepared(some, numbers)

    def _some(self, numbers: _Numbers) -> Iterator[list[Any]]:
        """The blocks as they come, as many at a time as may be in memory."""
        blocks = self._blocks() if callable(self._blocks) else self._blocks
        if not isinstance(blocks, Iterable):
            raise DataError(
                f"A function of blocks must return them, in a list or one by one; it gave {blocks!r}."
            )
        unread = iter(blocks)
        while some := list(islice(unread, threads() if self._together else 1)):
            yield some
        if self._rows not in (None, numbers.rows):
            raise DataError(
                f"The blocks have changed between two passes: {self._rows:,} rows before, {numbers.rows:,} now."
            )
        self._rows = numbers.rows

    def _prepared(self, some: list[Any], numbers: _Numbers) -> list[Block]:
        blocks = in_threads(self._prepare, some)
        return [numbers.of(block) for block in blocks if block is not None and _height(block.X)]

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        def prepared_sum(block: Block) -> S:
            return summarize(cast(Block, self._prepare(block)).at(block.start))

        total: S | None = None
        blocks, numbers = 0, _Numbers()
        with progress(self.total, self._description) as bar, self._of_blas():
            for some in self._some(numbers):
                if isinstance(
                    some[0], Block
                ):  # in numbers: how many rows it has is known before it is prepared
                    parts = in_threads(prepared_sum, [numbers.of(block) for block in some])
                else:
                    parts = in_threads(summarize, self._prepared(some, numbers))
                for part in parts:
                    total = part if total is None else add(total, part)
                blocks += len(some)
                bar.advance(len(some), note=f"{numbers.rows:,} rows")
        if total is None:
            raise no_blocks()
        self.total = blocks
        return total

    def _of_blas(self) -> AbstractContextManager[Any]:
        """BLAS on one thread for blocks on threads, also where there is one thread: the sums are the same."""
        return one_blas_thread() if self._together else nullcontext()

    def keep(self, make: Callable[[Block], Arrays], writable: Sequence[str] | None = None) -> Kept:
        return KeptOnDisk(self._made(make), writable)

    def _made(self, make: Callable[[Block], Arrays]) -> Iterator[Arrays]:
        with progress(self.total, self._description) as bar:
            for blocks, block in enumerate(self, 1):
                yield make(block)
                bar.advance()
                self.total = max(self.total or 0, blocks)

    def in_turn(self, step: Callable[[T, Block], T], state: T) -> T:
        with progress(self.total, self._description) as bar:
            for block in self:
                state = step(state, block)
                bar.advance()
        return state

    def take(self, rows: np.ndarray) -> Any:
        parts, start = [], 0
        for block in self:
            parts.append(_within(block.X, rows, start))
            start += _height(block.X)
        return _in_order(parts, rows)


class DaskRows(Source):
    """The partitions of Dask collections; each becomes one task, the sums meet in a tree.

    X, y and weights must be partitioned alike: y as a column of the same frame, or an array with the same
    chunks. ``heights`` are the rows of each partition, if they are known; then partitions without rows are left out.
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        w: Any,
        prepare: Callable[[Any, Any, Any], Block],
        heights: Sequence[int] | None = None,
    ):
        parts = partitions(X)
        self._parts = [parts, *(partitions(v) if v is not None else [None] * len(parts) for v in (y, w))]
        if len({len(p) for p in self._parts}) > 1:
            raise DataError(
                "X, y and weights are cut into different numbers of Dask partitions; rechunk them alike."
            )
        self._prepare = prepare
        self._parts.append([0] * len(parts))  # the numbers of their first rows, once they are known
        self._known = heights is not None
        if heights is not None:
            self._number(heights)

    def _number(self, heights: Sequence[int]) -> None:
        """Tell the partitions that have rows the numbers of their first ones, and forget the others."""
        starts = np.cumsum([0, *heights[:-1]]).tolist()
        whole = [part for part, height in zip(zip(*self._parts[:3], starts), heights) if height]
        if not whole:
            raise no_blocks()
        self._parts = list(map(list, zip(*whole)))
        self._known = True

    def numbered(self) -> Source:
        if self._known:
            return self
        same = copy(self)
        same._number(self.add_up(lambda block: [_height(block.X)]))
        return same

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        from dask.delayed import delayed

        prepare = self._prepare
        task = delayed(lambda X, y, w, a: summarize(prepare(X, y, w).at(a)), pure=False)
        total: S = tree_sum([task(*part) for part in zip(*self._parts)]).compute()
        return total

    @contextmanager
    def encoded_once(self) -> Iterator[Source]:
        """The same rows, prepared once and held by the workers of a cluster until the end of the context.

        Without a cluster they are prepared anew in every pass: there is no one who would move to disk what memory does
        not hold.
        """
        if not _has_workers():
            yield self
            return
        from dask.base import persist
        from dask.delayed import delayed

        task, same = delayed(self._prepare, pure=False), copy(self)
        blocks = list(persist(*(task(*part) for part in zip(*self._parts[:3]))))  # type: ignore[no-untyped-call]
        nothing: list[Any] = [None] * len(blocks)
        same._parts, same._prepare = [blocks, nothing, nothing, self._parts[3]], _as_it_is
        del blocks
        try:
            yield same
        finally:
            same._parts = [[], [], [], []]  # nobody holds them any more: the workers forget them

    def keep(self, make: Callable[[Block], Arrays], writable: Sequence[str] | None = None) -> Kept:
        from dask.delayed import delayed

        prepare = self._prepare
        task = delayed(lambda X, y, w, a: make(prepare(X, y, w).at(a)), pure=False)
        tasks = [task(*part) for part in zip(*self._parts)]
        if _has_workers():
            from assay.core.kept_on_workers import KeptOnWorkers

            return KeptOnWorkers(tasks, writable)
        blocks: list[Arrays] = delayed(list)(tasks).compute()
        return KeptInMemory(blocks, [tuple(arrays.values()) for arrays in blocks], writable)

    def in_turn(self, step: Callable[[T, Block], T], state: T) -> T:
        from dask.delayed import delayed

        prepare = self._prepare

        def next_state(state: T, X: Any, y: Any, w: Any, a: int) -> T:
            return step(
                deepcopy(state), prepare(X, y, w).at(a)
            )  # a task may be run again from the same state

        task, last = delayed(next_state, pure=False), delayed(state)
        for part in zip(*self._parts):
            last = task(last, *part)
        result: T = last.compute()
        return result

    def take(self, rows: np.ndarray) -> Any:
        from dask.delayed import delayed

        numbered = cast(DaskRows, self.numbered())
        prepare = self._prepare
        task = delayed(lambda X, y, w, a: _within(prepare(X, y, w).X, rows, a), pure=False)
        return _in_order(delayed(list)(list(map(task, *numbered._parts))).compute(), rows)


def _as_it_is(block: Block, y: Any, w: Any) -> Block:
    return block


def _has_workers() -> bool:
    """Whether Dask's work is done by a cluster."""
    if "distributed" not in sys.modules:
        return False
    from distributed import get_client

    try:
        get_client()
    except ValueError:
        return False
    return True


class Mapped(Source):
    """The blocks of another source, each changed by a function that leaves the rows where they are.

    >>> import numpy as np
    >>> from assay.core.sums import Block, Mapped, Stream
    >>> source = Stream([np.array([[1.0], [2.0]]), np.array([[3.0]])], Block)
    >>> Mapped(source, lambda block: Block(10 * block.X)).take(np.array([2, 0])).tolist()
    [[30.0], [10.0]]
    """

    def __init__(self, source: Source, change: Callable[[Block], Block]):
        self._source, self._change = source, change

    def _after(self, f: Callable[[Block], T]) -> Callable[[Block], T]:
        change = self._change
        return lambda block: f(change(block).at(block.start))

    def add_up(self, summarize: Callable[[Block], S]) -> S:
        return self._source.add_up(self._after(summarize))

    def count(self) -> int:
        return self._source.count()

    def numbered(self) -> Source:
        return Mapped(self._source.numbered(), self._change)

    def keep(self, make: Callable[[Block], Arrays], writable: Sequence[str] | None = None) -> Kept:
        return self._source.keep(self._after(make), writable)

    def in_turn(self, step: Callable[[T, Block], T], state: T) -> T:
        change = self._change
        return self._source.in_turn(lambda state, block: step(state, change(block).at(block.start)), state)

    def take(self, rows: np.ndarray) -> Any:
        return self._change(Block(self._source.take(rows))).X


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


def check_dask_rows(X: Any, name: str, who: str) -> None:
    """Refuse Dask collections that are no rows of columns: series, bags, delayed objects."""
    ndim = getattr(X, "ndim", None)
    ndim = ndim if isinstance(ndim, int) else None  # every attribute of a delayed object is one more of them
    if ndim != 2 or not (hasattr(X, "columns") or hasattr(X, "map_blocks")):
        raise DataError(
            f"{name} takes Dask frames and Dask arrays of two dimensions, got a {type(X).__name__}"
            f"{'' if ndim is None else f' of {ndim}'}.",
            who=who,
            remedy="A series is a frame of one column: X.to_frame()." if ndim == 1 else "",
        )


def partitions(collection: Any) -> list[Any]:
    """The partitions of a Dask frame or array, in order, as delayed objects; an array is cut into whole rows."""
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
