"""Threads over native code and BLAS blocks, in one place, so that they never make it slower.

Small work stays on the calling thread. While our threads run, BLAS gets one thread each, so the machine
is never oversubscribed. Threads wait passively. The answer never depends on how many there are, because
work is cut by its size alone and results come back in order.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from assay.errors import place_of_user, works_for
from assay.system import after_fork
from assay.system import cores as _cores

T = TypeVar("T")
R = TypeVar("R")

__all__ = ["end_if_abandoned", "end_with", "in_threads", "threads"]

PARENT_CHECK_SECONDS = 0.5  # between two checks whether the process that gave the work still runs


def threads(limit: int | None = None) -> int:
    """How many threads to use: the machine's share of cores, or less where the surroundings ask for less.

    ``ASSAY_NUM_THREADS`` and ``OMP_NUM_THREADS`` (which joblib and Dask set in their workers) are
    respected, and so are CPU affinity and the container's quota.

    >>> from assay.core.parallel import threads
    >>> threads(limit=1)
    1
    """
    wanted = [_cores()]
    for variable in ("ASSAY_NUM_THREADS", "OMP_NUM_THREADS"):
        text = os.environ.get(variable, "")
        if text.isdigit() and int(text) > 0:
            wanted.append(int(text))
            break
    if limit is not None:
        wanted.append(max(1, limit if limit > 0 else _cores() + 1 + limit))
    return max(1, min(wanted))


def in_threads(
    function: Callable[[T], R],
    items: Sequence[T] | Iterable[T],
    n_threads: int | None = None,
    granted: int | None = None,
) -> list[R]:
    """``[function(item) for item in items]``, on several threads when there are several items.

    If one fails, or at Ctrl-C, those not begun are left out, and those at work end where they next say how far they
    have come (`end_if_abandoned`). ``granted`` is a number of threads that the surroundings have given to this work, such
    as those of a worker of Dask, where each task is else told to use one.

    >>> from assay.core.parallel import in_threads
    >>> in_threads(lambda v: v * v, [1, 2, 3])
    [1, 4, 9]
    """
    items = list(items)
    n = 1 if len(items) < 2 else min(granted or threads(n_threads), len(items))
    if n <= 1 or getattr(_here, "busy", False):  # one of our threads starts no others
        return [function(item) for item in items]

    abandoned, place = threading.Event(), place_of_user()

    def task(item: T) -> R:
        _here.busy, _here.abandoned = True, abandoned
        works_for(place)
        return function(item)

    with one_blas_thread():
        try:
            return list(_pool(n).map(task, items))
        except BaseException:
            abandoned.set()
            raise


def end_if_abandoned() -> None:
    """End the work of this thread with a KeyboardInterrupt if nobody waits for it any more.

    Every step of progress asks; a loop that shows none may ask by itself. Else work that was interrupted would go on
    behind the user's back, and the program could not end before it.
    """
    abandoned = getattr(_here, "abandoned", None)
    if abandoned is not None and abandoned.is_set():
        raise KeyboardInterrupt("the work was given up")


def end_with(parent: int) -> None:
    """End this process as soon as ``parent``, the process that started it, is gone; else nothing happens.

    A worker calls it with the number of the process that gave it work. Without it, workers whose parent was killed
    would go on computing what nobody waits for. On other machines and in the parent itself there is nothing to watch.

    >>> import os
    >>> from assay.core.parallel import end_with
    >>> end_with(os.getpid())  # this very process: nothing to watch
    """
    if os.getppid() != parent or _watched:
        return
    _watched.add(parent)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_SECONDS)
        os._exit(1)

    threading.Thread(target=watch, name="assay-parent", daemon=True).start()


_watched: set[int] = set()  # the parent, once somebody looks after it
_here = threading.local()  # .busy is True on our own threads, .abandoned is set when their work is
_pools: dict[int, Any] = {}  # kept: a new pool costs 0.3 ms, a waiting one 0.05


def _pool(n: int) -> Any:
    if n not in _pools:
        from concurrent.futures import ThreadPoolExecutor

        _pools[n] = ThreadPoolExecutor(n, thread_name_prefix="assay")
    return _pools[n]


after_fork(_pools.clear)  # threads do not survive a fork
after_fork(_watched.clear)


def one_blas_thread() -> Any:
    """A context in which BLAS uses one thread per caller."""
    return _controller().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _controller() -> Any:
    import numpy.linalg  # noqa: F401  BLAS must be loaded before it can be found
    import scipy.linalg.blas  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
