"""What has been made of each block of rows, kept to be added up and changed pass after pass.

``Source.keep`` makes it; where it stays depends on where the rows come from: in memory, in a block store on disk, or
on the workers of a cluster. The sums come in the order of the blocks, so that they do not depend on threads or workers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import reduce
from itertools import islice
from operator import add
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from assay.core.block_store import BlockStore
from assay.core.parallel import end_if_abandoned, in_threads, threads
from assay.errors import DataError

__all__ = ["Addable", "Arrays", "Kept", "KeptInMemory", "KeptOnDisk", "KeptOnWorkers", "tree_sum"]

Arrays = dict[str, np.ndarray]


class Addable(Protocol):
    """Whatever knows +."""

    def __add__(self, other: Any, /) -> Any: ...


S = TypeVar("S", bound=Addable)


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

        ``changes`` names those of them that f does change, default None for any: workers copy these alone.
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
        return reduce(add, in_threads(lambda block: f(dict(block[0])), self._open()))

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        def of_block(block: tuple[Arrays, Arrays]) -> S:
            fixed, changing = block
            return f(
                {**fixed, **{name: a for name, a in changing.items() if changes is None or name in changes}}
            )

        return reduce(add, in_threads(of_block, self._open()))

    def close(self) -> None:
        self._blocks = None


class KeptOnDisk(Kept):
    """Blocks in a store on disk, as many mapped at a time as there are threads."""

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
        return self._pass(lambda i: f(self.store.read(i)))

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        def of_block(i: int) -> S:
            names = self.store.names(i) if self._writable is None else self._writable
            return f(self.store.read(i, [name for name in names if changes is None or name in changes]))

        return self._pass(of_block)

    def _pass(self, part: Callable[[int], S]) -> S:
        """Sums in order, a few blocks at work at a time, so that no more than their parts wait to be added."""
        numbers = iter(range(len(self.store)))
        total: S | None = None
        while some := list(islice(numbers, 2 * threads())):
            end_if_abandoned()
            for value in in_threads(part, some):
                total = value if total is None else add(total, value)
        assert total is not None
        return total

    def close(self) -> None:
        self.store.close()


class KeptOnWorkers(Kept):
    """Blocks as persisted Dask objects: they stay on the workers that made them, and only sums travel, in a tree.

    Parameters
    ----------
    tasks : delayed objects, each the arrays of one block
    writable : names of the arrays that an update may change, None for all
    """

    def __init__(self, tasks: Iterable[Any], writable: Sequence[str] | None):
        from dask.base import persist
        from dask.delayed import delayed

        part = delayed(_some, pure=False)
        self._names = None if writable is None else frozenset(writable)
        whole = list(tasks)
        if not whole:
            raise no_blocks()
        states = [part(task, self._names, changing) for changing in (False, True) for task in whole]
        states = list(persist(*states))  # type: ignore[no-untyped-call]
        self._fixed: list[Any] | None = states[: len(whole)]
        self._changing: list[Any] = states[len(whole) :]

    def _open(self) -> list[Any]:
        if self._fixed is None:
            raise DataError("These blocks of rows have been released; keep them anew.")
        return self._fixed

    def add_up(self, f: Callable[[Arrays], S]) -> S:
        from dask.delayed import delayed

        task = delayed(lambda fixed, changing: f(_locked({**fixed, **changing})), pure=False)
        total: S = tree_sum(list(map(task, self._open(), self._changing))).compute()
        return total

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        from dask.base import persist
        from dask.delayed import delayed

        def change(fixed: Arrays, changing: Arrays) -> tuple[Arrays, S]:
            copies = {
                name: np.array(array)
                for name, array in changing.items()
                if changes is None or name in changes
            }
            return {**changing, **copies}, f({**_locked(fixed), **_locked(changing), **copies})

        task = delayed(change, pure=False, nout=2)
        pairs = [task(*pair) for pair in zip(self._open(), self._changing)]
        goals = [*(state for state, _ in pairs), tree_sum([part for _, part in pairs])]
        *states, total = persist(*goals)  # type: ignore[no-untyped-call]
        result: S = total.compute()  # first, so that an error leaves the blocks as they were
        self._changing = states
        return result

    def close(self) -> None:
        self._fixed, self._changing = None, []


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


def _some(arrays: Mapping[str, np.ndarray], writable: frozenset[str] | None, changing: bool) -> Arrays:
    return {name: a for name, a in arrays.items() if (writable is None or name in writable) == changing}


def _locked(arrays: Mapping[str, np.ndarray]) -> Arrays:
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
