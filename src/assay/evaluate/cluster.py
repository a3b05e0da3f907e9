"""Cells on a Dask cluster: data is sent once, a worker that dies costs the cells it was running and nothing else.

A cell is a task. It is handed out when a worker has room for it, so that a budget or Ctrl-C leaves little behind. The
scheduler runs the cells of a dead worker elsewhere. What was lost with a worker (rows that were nowhere else) is sent
again. A cell that is on several workers when they die is a suspect: it is run once more with no other beside it, and if
its worker dies again, it has failed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from assay.errors import AssayError, MissingExtraError, ParameterError

__all__ = ["DIED", "Cluster", "Shared", "check_one_place", "connected"]

Name = TypeVar("Name")
R = TypeVar("R")

DIED = "Its worker died each time it was run, often for want of memory, also with no other cell beside it."
MOST_LOSSES = 3  # how often a cell may be lost with its rows before it is run with no other beside it
MOST_SENDINGS = 10  # of a value, while workers die
SENDING_SECONDS = 0.5  # between two of them
CHECK_SECONDS = 2.0  # between two looks at the workers while nothing is finished
PATIENCE_SECONDS = 60.0  # for which there may be no workers at all: they may be starting again
CONNECT_SECONDS = 10.0  # to find the scheduler
CLOSE_SECONDS = 1.0  # to give up a connection that was not made


class Shared:
    """An argument that many cells have in common: it is sent to the workers once.

    Parameters
    ----------
    value : what is sent
    everywhere : whether to all workers at once, rather than to one, from which the others get it
    """

    def __init__(self, value: Any, everywhere: bool = False):
        self.value, self.everywhere = value, everywhere
        self.future: Any = None


@dataclass
class _Cell:
    name: Any
    arguments: tuple[Any, ...]
    losses: int = 0
    alone: bool = False


class Cluster:
    """The workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client, not an asynchronous one
    """

    def __init__(self, client: Any):
        self.client = client

    def each(
        self, function: Callable[..., R], work: Iterable[tuple[Name, tuple[Any, ...]]]
    ) -> Generator[tuple[Name, R | None]]:
        """The name of each piece of work and ``function(*arguments)``, as soon as it is finished.

        None stands for work whose worker died, again and again. Closing the generator cancels what is not finished.
        """
        pending = iter(work)
        running: dict[Any, _Cell] = {}
        suspects: list[_Cell] = []
        finished: SimpleQueue[Any] = SimpleQueue()
        room, looked, more = self._room(), time.monotonic(), True

        def begin(cell: _Cell) -> None:
            arguments = [self._sent(a) if isinstance(a, Shared) else a for a in cell.arguments]
            future = self.client.submit(function, *arguments, pure=False)
            running[future] = cell
            future.add_done_callback(finished.put)

        try:
            while True:
                while more and not suspects and len(running) < room:
                    piece = next(pending, None)
                    more = piece is not None
                    if piece is not None:
                        begin(_Cell(*piece))
                if suspects and not running:
                    begin(suspects.pop())
                if not running:
                    return
                future = self._next(finished)
                try:
                    fate, result = self._outcome(future)
                finally:
                    future.release()  # a traceback may hold the future for long; the workers need not hold its result
                cell = running.pop(future)  # last: whenever Ctrl-C comes, a future is released or among these
                if fate == "finished":
                    yield cell.name, result
                elif fate == "lost" and cell.losses < MOST_LOSSES:
                    cell.losses += 1
                    begin(cell)
                elif cell.alone:
                    yield cell.name, None
                else:
                    cell.alone, cell.losses = True, 0
                    suspects.append(cell)
                if time.monotonic() - looked > CHECK_SECONDS:  # workers come and go
                    room, looked = max(1, self._room(wait=False)), time.monotonic()
        finally:
            try:
                if running:
                    self.client.cancel(list(running), force=True)
            finally:
                for future in running:
                    future.release()

    def _sent(self, shared: Shared) -> Any:
        """The future of an argument, sent again if it was lost with its workers."""
        if shared.future is None or shared.future.status in ("cancelled", "lost"):
            shared.future = self._scattered(shared)
        return shared.future

    def _scattered(self, shared: Shared) -> Any:
        """The future of a value that is sent; again where a worker dies while it is given its copy."""
        further = MOST_SENDINGS
        while True:
            try:
                [future] = self.client.scatter([shared.value], broadcast=shared.everywhere, hash=False)
                return future
            except (
                OSError,
                TimeoutError,
                KeyError,
            ):  # KeyError: the scheduler itself still counted on the worker
                further -= 1
                if not further:
                    raise
                time.sleep(SENDING_SECONDS)  # until the scheduler knows which workers are left
                self._room()

    def _next(self, finished: SimpleQueue[Any]) -> Any:
        """The next future that is finished, one way or the other; an error if there are no workers any more."""
        idle = 0.0
        while True:
            try:
                return finished.get(timeout=CHECK_SECONDS)
            except Empty:
                idle = 0.0 if self._threads() else idle + CHECK_SECONDS
                if idle >= PATIENCE_SECONDS:
                    raise no_workers() from None

    def _outcome(self, future: Any) -> tuple[str, Any]:
        """("finished", result), ("killed", None) with its workers, or ("lost", None) with its arguments."""
        from asyncio import CancelledError
        from concurrent.futures import CancelledError as Cancelled

        from distributed import KilledWorker

        if future.status in ("cancelled", "lost"):
            return "lost", None
        if future.status == "error":  # asked for, not raised: a traceback would hold the future
            error = future.exception()
            if isinstance(error, KilledWorker):
                return "killed", None
            raise AssayError(
                f"A worker of the Dask cluster could not run a cell: {type(error).__name__}: {error}",
                remedy="Workers need the same versions of Python and Assay, and the modules of your own learners.",
            ) from error
        try:
            return "finished", future.result()
        except (CancelledError, Cancelled):
            return "lost", None
        except KilledWorker:  # its worker died before the result was fetched, and so did the next one
            return "killed", None

    def _threads(self) -> dict[str, int]:
        threads: dict[str, int] = self.client.nthreads()
        return threads

    def _room(self, wait: bool = True) -> int:
        """How many cells are out at a time: one for each thread, and one that waits for each worker."""
        threads = self._threads()
        if not threads and wait:
            try:
                self.client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
            except TimeoutError:
                raise no_workers() from None
            threads = self._threads()
        return sum(threads.values()) + len(threads)


def no_workers() -> AssayError:
    """The error for a cluster without workers."""
    return AssayError(
        f"The Dask cluster has had no workers for {PATIENCE_SECONDS:.0f} seconds.",
        remedy="Start some (dask worker ADDRESS), and run again.",
    )


def check_one_place(n_jobs: int | None, client: Any, who: str) -> None:
    """Refuse processes here and a cluster in one call."""
    if client is not None and n_jobs not in (None, 1):
        raise ParameterError(
            f"n_jobs={n_jobs} is about processes here, and client about workers elsewhere; choose one.",
            who=who,
        )


@contextmanager
def connected(client: Any, who: str) -> Iterator[Cluster | None]:
    """The cluster of a client, or of the address of a scheduler, which is left again at the end; None for None."""
    if client is None:
        yield None
        return
    try:
        from distributed import Client
    except ImportError:
        raise MissingExtraError('A Dask cluster needs one more package: pip install "assay[dask]".') from None
    if isinstance(client, Client) and not client.asynchronous:
        yield Cluster(client)
        return
    if not isinstance(client, str):
        raise ParameterError(
            f"client must be a distributed.Client (not an asynchronous one) or the address of a Dask scheduler, got "
            f"{client!r}.",
            who=who,
        )
    connection = Client.__new__(Client)  # in two steps, so that one that finds nobody can be closed at once
    try:
        Client.__init__(connection, client, set_as_default=False, timeout=CONNECT_SECONDS)  # type: ignore[no-untyped-call]
    except Exception as error:  # who answers and is no scheduler may cause any
        with suppress(Exception):
            connection.close(timeout=CLOSE_SECONDS)  # type: ignore[no-untyped-call]
        raise ParameterError(
            f"no Dask scheduler answers at {client}.",
            who=who,
            remedy="Give its address, such as tcp://host:8786.",
        ) from error
    with connection:
        yield Cluster(connection)
