"""What has been made of each block of rows, kept to be added up and changed pass after pass.

``Source.keep`` makes it; where it stays depends on where the rows come from: in memory, in a block store on disk, or
on the workers of a cluster (:mod:`assay.core.kept_on_workers`). In memory and on disk blocks are added in their order;
each worker adds up those that it has, so what is added must not depend on it: whole numbers, exact sums, maxima.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from operator import add
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from assay.core.block_store import BlockStore
from assay.core.parallel import end_if_abandoned, in_threads, threads
from assay.errors import DataError

__all__ = [
    "Addable",
    "Arrays",
    "Kept",
    "KeptInMemory",
    "KeptOnDisk",
    "locked",
    "no_blocks",
    "sum_of_few",
    "tree_sum",
]

Arrays = dict[str, np.ndarray]


class Addable(Protocol):
    """Whatever knows +."""

    def __add__(self, other: Any, /) -> Any: ...


S = TypeVar("S", bound=Addable)
T = TypeVar("T")


class Kept:
    """Arrays of each block of a source, in the order of the blocks.

    Made by ``Source.keep``. Used as a context (``with source.keep(make) as kept:``) they are released at its end, else
    when nobody holds them any more.
    """

    def add_up(self, f: Callable[[Arrays], S]) -> S:
        """The sum over all blocks of ``f(arrays)``; the arrays cannot be written to."""
        raise TypeError(f"{type(self).__name__} must say how it adds up")

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        """The same sum, where f may change in place the arrays that were declared writable.

        ``changes`` names those of them that f does change, default None for any. Where what was changed is lost with a
        worker, all updates are made again, by ``f.again(arrays)`` if f has such a method: it changes the same and gives
        nothing that is used.
        """
        raise TypeError(f"{type(self).__name__} must say how it updates")

    def close(self) -> None:
        """Release the arrays."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class KeptInMemory(Kept):
    """Blocks in memory; threads go over them.

    Parameters
    ----------
    blocks : the arrays of each block
    lent : for each block, arrays of other owners; what shares memory with them is copied before it is changed
    writable : names of the arrays that an update may change, None for all
    """

    def __init__(
        self, blocks: Iterable[Arrays], lent: Iterable[Sequence[Any]], writable: Sequence[str] | None
    ):
        self._blocks: list[tuple[Arrays, Arrays]] | None = []
        for arrays, others in zip(blocks, lent):
            changing = {
                name: np.array(array) if _borrowed(array, others) else array
                for name, array in arrays.items()
                if writable is None or name in writable
            }
            fixed = {name: _read_only(changing.get(name, array)) for name, array in arrays.items()}
            self._blocks.append((fixed, changing))
        if not self._blocks:
            raise no_blocks()

    def _open(self) -> list[tuple[Arrays, Arrays]]:
        if self._blocks is None:
            raise DataError("These blocks of rows have been released; keep them anew.")
        return self._blocks

    def add_up(self, f: Callable[[Arrays], S]) -> S:
        return sum_of_few(lambda block: f(dict(block[0])), self._open())

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        def of_block(block: tuple[Arrays, Arrays]) -> S:
            fixed, changing = block
            return f(
                {**fixed, **{name: a for name, a in changing.items() if changes is None or name in changes}}
            )

        return sum_of_few(of_block, self._open())

    def close(self) -> None:
        self._blocks = None


class KeptOnDisk(Kept):
    """Blocks in a store on disk, as many mapped at a time as there are threads; what changes is written back."""

    def __init__(
        self, blocks: Iterable[Arrays], writable: Sequence[str] | None, limit: int | str | None = None
    ):
        self.store = BlockStore(limit)
        self._writable = writable
        try:
            for arrays in blocks:
                self.store.append(arrays)
            if not len(self.store):
                raise no_blocks()
        except BaseException:
            self.store.close()
            raise

    def add_up(self, f: Callable[[Arrays], S]) -> S:
        return sum_of_few(lambda i: f(self.store.read(i)), range(len(self.store)))

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        def of_block(i: int) -> S:
            arrays = self.store.read(i)
            names = arrays if self._writable is None else self._writable
            changing = {
                name: np.array(arrays[name])
                for name in names
                if name in arrays and (changes is None or name in changes)
            }
            part = f({**arrays, **changing})
            self.store.write(i, changing)
            return part

        return sum_of_few(of_block, range(len(self.store)))

    def close(self) -> None:
        self.store.close()


def sum_of_few(part: Callable[[T], S], blocks: Iterable[T], granted: int | None = None) -> S:
    """The sum of ``part(block)`` in order, a few blocks at work at a time, so that few parts wait to be added.

    ``granted`` is the number of threads that the surroundings have given to it, None for as many as they allow.
    """
    coming, total = iter(blocks), None
    while some := list(islice(coming, 2 * (granted or threads()))):
        end_if_abandoned()
        for value in in_threads(part, some, granted=granted):
            total = value if total is None else add(total, value)
    assert total is not None
    return total


def tree_sum(level: list[Any]) -> Any:
    """The sum of delayed objects, two neighbours at a time."""
    from dask.delayed import delayed

    plus = delayed(add, pure=False)
    while len(level) > 1:
        level = [plus(*level[i : i + 2]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)]
    return level[0]


def no_blocks() -> DataError:
    """The error for a source without blocks."""
    return DataError("There is no block of rows to learn from.")


def locked(arrays: Mapping[str, np.ndarray]) -> Arrays:
    """The same arrays, which cannot be written to."""
    return {name: _read_only(array) for name, array in arrays.items()}


def _read_only(array: np.ndarray) -> np.ndarray:
    view = np.asarray(array).view()
    view.flags.writeable = False
    return view


def _borrowed(array: np.ndarray, others: Sequence[Any]) -> bool:
    """Whether an array cannot be changed without harm: it is locked, or another owner has the same memory."""
    if not array.flags.writeable:
        return True
    return any(isinstance(other, np.ndarray) and np.may_share_memory(array, other) for other in others)
