"""Threads over native code and BLAS blocks, in one place, so that they never make it slower.

Small work stays on the calling thread. While our threads run, BLAS gets one thread each, so the machine
is never oversubscribed. Threads wait passively. The answer never depends on how many there are, because
work is cut by its size alone and results come back in order. The threads themselves are those of `assay.threads`.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from assay.system import after_fork
from assay.threads import end_if_abandoned, on_threads, threads

T = TypeVar("T")
R = TypeVar("R")

__all__ = ["end_if_abandoned", "end_with", "in_threads", "threads"]

PARENT_CHECK_SECONDS = 0.5  # between two checks whether the process that gave the work still runs


def in_threads(
    function: Callable[[T], R],
    items: Sequence[T] | Iterable[T],
    n_threads: int | None = None,
    granted: int | None = None,
) -> list[R]:
    """``[function(item) for item in items]``, on several threads when there are several items.

    If one fails, or at Ctrl-C, those not begun are left out, and those at work end where they next say how far they
    have come (`end_if_abandoned`). ``granted`` is a number of threads that the surroundings have given to this work,
    such as those of a worker of Dask, whose tasks otherwise use one each.

    >>> from assay.core.parallel import in_threads
    >>> in_threads(lambda v: v * v, [1, 2, 3])
    [1, 4, 9]
    """
    return on_threads(function, items, n_threads, granted, within=one_blas_thread)


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
