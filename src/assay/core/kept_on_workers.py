"""What is kept of blocks of rows on the workers of a Dask cluster.

What was made of a block is a task like any other: Dask makes it again when its worker dies. What passes change is not:
a *keeper* (an actor of Dask) on each worker has it, and adds up the blocks of this worker, so that a pass is one call
for each worker, past the queues of the scheduler, and one sum comes back. Keepers count the changes that they have
made. The caller keeps a journal of them: a keeper that takes the place of a lost one goes through it, and one that is
asked for a change that it has made already, since another was lost in the same pass, gives the answer that it gave.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np

from assay.core.kept import Addable, Arrays, Kept, locked, no_blocks, sum_of_few
from assay.core.parallel import in_threads
from assay.errors import DataError

__all__ = ["KeptOnWorkers"]

S = TypeVar("S", bound=Addable)

_Names = tuple[str, ...] | None  # of arrays that change, None for all that may

WAYS = 8  # keepers that are asked by the caller, and by each keeper in turn
LOSSES = 3  # passes in a row that may fail because workers die
LOOK_SECONDS = 5.0  # after which the caller of a pass looks whether all keepers are still there


class KeptOnWorkers(Kept):
    """Blocks on the workers that made them; only sums travel.

    Parameters
    ----------
    tasks : delayed objects, each the arrays of one block
    writable : names of the arrays that an update may change, None for all
    """

    def __init__(self, tasks: Iterable[Any], writable: Sequence[str] | None):
        from distributed import get_client

        whole = list(tasks)
        if not whole:
            raise no_blocks()
        self._client: Any = get_client()
        self._writable = writable
        self._blocks: list[Any] | None = self._client.compute(whole)  # type: ignore[no-untyped-call]
        self._journal: list[bytes] = []  # the updates so far
        self._keepers: list[_Hired] = []

    def add_up(self, f: Callable[[Arrays], S]) -> S:
        total: S = self._pass(f, ())
        return total

    def update(self, f: Callable[[Arrays], S], changes: Collection[str] | None = None) -> S:
        total: S = self._pass(f, None if changes is None else tuple(changes))
        return total

    def _pass(self, f: Callable[[Arrays], Any], changes: _Names) -> Any:
        from distributed.protocol import pickle

        if self._blocks is None:
            raise DataError("These blocks of rows have been released; keep them anew.")
        work = pickle.dumps((f, changes))  # type: ignore[no-untyped-call]
        try:
            total = self._total(work)
        except BaseException:  # Ctrl-C too
            if changes != ():
                self._keepers = []  # some may have made, or still make, a change that the journal lacks
            raise
        if changes != ():
            self._journal.append(work)
        return total

    def _total(self, work: bytes) -> Any:
        """What all keepers have added up, new ones in the place of those that are lost."""
        for _ in range(LOSSES + 1):
            with _aside():
                self._hire()
                step = len(self._journal)
                calls = _ask([keeper.actor for keeper in self._keepers], step, work)
                answer = reduce(add, [self._wait(call) for call in calls])
            if answer.error is not None:
                raise answer.error
            if not answer.lost:
                return answer.total
            self._dismiss_lost()
        raise DataError(
            f"Workers of the cluster die while they add up their rows, {LOSSES + 1} times. Give them more memory, "
            "or cut the rows into more partitions."
        )

    def _wait(self, call: Any) -> _Answer:
        while True:
            try:
                answer: _Answer = call.result(timeout=LOOK_SECONDS)
                return answer
            except TimeoutError:
                if any(keeper.future.status != "finished" for keeper in self._keepers):
                    return _LOST
            except Exception:  # whatever connections fail with: f's own errors are answers
                return _LOST

    def _dismiss_lost(self) -> None:
        """Let keepers go that do not answer."""
        present = []
        for keeper in self._keepers:
            try:
                if keeper.actor.changes_made().result(timeout=LOOK_SECONDS) in self._steps:
                    present.append(keeper)
            except Exception:
                continue
        self._keepers = present

    @property
    def _steps(self) -> tuple[int, int]:
        """How many changes a keeper may have made: all of the journal, and one that others have not."""
        return len(self._journal), len(self._journal) + 1

    def _hire(self) -> None:
        """A keeper for the blocks that have none, on the worker that has made them."""
        from distributed import wait

        assert self._blocks is not None
        missing = sorted(set(range(len(self._blocks))).difference(*(k.numbers for k in self._keepers)))
        if not missing:
            return
        hired = []
        for worker, threads, numbers in self._places(missing):
            future = self._client.submit(
                _Keeper,
                [self._blocks[i] for i in numbers],
                self._writable,
                threads,
                self._journal,
                actor=True,
                workers=[worker],
                allow_other_workers=True,
                pure=False,
            )
            hired.append((future, numbers))
        wait([future for future, _ in hired])  # type: ignore[no-untyped-call]
        for future, numbers in hired:
            if future.status == "finished":
                self._keepers.append(_Hired(future, future.result(), frozenset(numbers)))

    def _places(self, missing: list[int]) -> list[tuple[str, int, list[int]]]:
        """Workers, their threads, and the numbers of the blocks that they have."""
        from distributed import wait

        assert self._blocks is not None
        while True:
            some = {i: self._blocks[i] for i in missing}
            wait(list(some.values()))  # type: ignore[no-untyped-call]
            for block in some.values():
                if block.status != "finished":
                    block.result()  # raises
            threads, who_has = self._client.nthreads(), self._client.who_has(list(some.values()))
            places: dict[str, list[int]] = {}
            for i, block in some.items():
                holders = [worker for worker in who_has[block.key] if worker in threads]
                if holders:
                    worker = min(holders, key=lambda worker: len(places.get(worker, ())))
                    places.setdefault(worker, []).append(i)
            if sum(map(len, places.values())) == len(some):
                return [(worker, threads[worker], numbers) for worker, numbers in places.items()]
            time.sleep(0.05)  # a worker has just died; its blocks are being made again

    def close(self) -> None:
        self._blocks, self._keepers, self._journal = None, [], []


class _Hired(NamedTuple):
    future: Any
    actor: Any
    numbers: frozenset[int]


class _Answer(NamedTuple):
    """What keepers have added up; or that some are lost, or what went wrong."""

    total: Any = None
    lost: bool = False
    error: Exception | None = None

    def __add__(self, other: Any) -> _Answer:
        for answer in (self, other):
            if answer.error is not None:
                return _Answer(error=answer.error)
        return _LOST if self.lost or other.lost else _Answer(self.total + other.total)


_LOST = _Answer(lost=True)


def _ask(keepers: Sequence[Any], step: int, work: bytes) -> list[Any]:
    """Calls that are on their way, each to one keeper, who asks others."""
    size = -(-len(keepers) // WAYS) if keepers else 1
    calls = []
    for a in range(0, len(keepers), size):
        try:
            calls.append(keepers[a].add_up(step, work, list(keepers[a + 1 : a + size])))
        except RuntimeError:  # Dask knows already that it is gone
            calls.append(_Gone())
    return calls or [_Gone()]


class _Gone:
    def result(self, timeout: float | None = None) -> _Answer:
        return _LOST


class _Keeper:
    """Some blocks on their worker, and what has become of their arrays."""

    def __init__(
        self, blocks: Sequence[Arrays], writable: Sequence[str] | None, threads: int, journal: Sequence[bytes]
    ):
        self._threads, self._made, self._latest = threads, 0, _LOST
        self._blocks = [
            (
                locked(arrays),
                {name: np.array(a) for name, a in arrays.items() if writable is None or name in writable},
            )
            for arrays in blocks
        ]
        for work in journal:
            self._change_again(*_loads(work))

    def _change_again(self, f: Callable[[Arrays], Any], changes: _Names) -> None:
        again = getattr(f, "again", f)
        in_threads(lambda block: again(_opened(block, changes)), self._blocks, granted=self._threads)
        self._made += 1

    def changes_made(self) -> int:
        return self._made

    def add_up(self, step: int, work: bytes, others: Sequence[Any]) -> _Answer:
        """The sum of these blocks and those of the other keepers, all of whom have made so many changes."""
        calls = _ask(others, step, work) if others else []
        answer = self._own(step, work)
        for call in calls:
            try:
                answer += call.result()
            except Exception:  # as in KeptOnWorkers
                answer += _LOST
        return answer

    def _own(self, step: int, work: bytes) -> _Answer:
        f, changes = _loads(work)
        if self._made == step + 1 and changes != ():
            return self._latest
        if self._made != step:
            return _LOST
        try:
            answer = _Answer(self._sum(f, changes))
        except Exception as error:
            if changes != ():
                self._made = -1  # nobody knows what has changed
            return _Answer(error=error)
        if changes != ():
            self._made, self._latest = step + 1, answer
        return answer

    def _sum(self, f: Callable[[Arrays], Any], changes: _Names) -> Any:
        return sum_of_few(lambda block: f(_opened(block, changes)), self._blocks, self._threads)


def _opened(block: tuple[Arrays, Arrays], changes: _Names) -> Arrays:
    """The arrays of a block, of which those with these names can be changed."""
    fixed, changing = block
    some = {name: a for name, a in changing.items() if changes is None or name in changes}
    return {**fixed, **locked(changing), **some}


def _loads(work: bytes) -> Any:
    from distributed.protocol import pickle

    return pickle.loads(work)  # type: ignore[no-untyped-call]


@contextmanager
def _aside() -> Iterator[None]:
    """Where the caller is itself a task of the cluster, another may have its place while it waits."""
    from distributed import get_worker, worker_client

    try:
        get_worker()
    except ValueError:
        yield
        return
    with worker_client():
        yield
