"""Threads, in one place: how many there may be, and work handed out to them.

Work that calls BLAS goes through `assay.core.parallel`, which also keeps BLAS from oversubscribing the machine. Small
work stays on the calling thread, which is for the caller to see to. Threads wait passively. The answer never depends on
how many there are, because work is cut by its size alone and results come back in order.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from assay.errors import place_of_user, works_for
from assay.system import after_fork
from assay.system import cores as _cores

T = TypeVar("T")
R = TypeVar("R")

__all__ = ["end_if_abandoned", "on_threads", "threads"]


def threads(limit: int | None = None) -> int:
    """How many threads to use: the machine's share of cores, or less where the surroundings ask for less.

    ``ASSAY_NUM_THREADS`` and ``OMP_NUM_THREADS`` (which joblib and Dask set in their workers) are
    respected, and so are CPU affinity and the container's quota.

    >>> from assay.threads import threads
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


def on_threads(
    function: Callable[[T], R],
    items: Sequence[T] | Iterable[T],
    n_threads: int | None = None,
    granted: int | None = None,
    within: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> list[R]:
    """``[function(item) for item in items]``, on several threads when there are several items.

    If one fails, or at Ctrl-C, those not begun are left out, and those at work end where they next say how far they
    have come (`end_if_abandoned`). ``granted`` is a number of threads that the surroundings have given to this work,
    such as those of a worker of Dask, whose tasks otherwise use one each; ``within`` makes the context in which the
    threads run.

    >>> from assay.threads import on_threads
    >>> on_threads(len, ["a", "bc"])
    [1, 2]
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

    with within():
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


_here = threading.local()  # .busy is True on our own threads, .abandoned is set when their work is
_pools: dict[int, Any] = {}  # kept: a new pool costs 0.3 ms, a waiting one 0.05


def _pool(n: int) -> Any:
    if n not in _pools:
        from concurrent.futures import ThreadPoolExecutor

        _pools[n] = ThreadPoolExecutor(n, thread_name_prefix="assay")
    return _pools[n]


after_fork(_pools.clear)  # threads do not survive a fork
