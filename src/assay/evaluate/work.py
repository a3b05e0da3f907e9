"""Doing the same with many things, here or in other processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable
from numbers import Integral
from typing import Any, TypeVar

from assay.core.parallel import end_with
from assay.errors import ParameterError

R = TypeVar("R")

__all__ = ["alone", "each"]


def alone(n_jobs: int | None) -> bool:
    """Whether the work stays in this process; None means as joblib's surroundings say (``parallel_config``).

    >>> from assay.evaluate.work import alone
    >>> alone(None), alone(1)
    (True, True)
    """
    if n_jobs is not None and (isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0):
        raise ParameterError(f"n_jobs must be a number of processes, or -1 for all cores, got {n_jobs!r}.")
    if n_jobs == 1:
        return True
    from joblib import effective_n_jobs

    return bool(effective_n_jobs(n_jobs) == 1)


def each(
    function: Callable[..., R], work: Iterable[tuple[Any, ...]], n_jobs: int | None, ordered: bool = True
) -> Generator[R]:
    """``function(*one)`` for each, in order, or each as soon as it is finished. Closing it early ends what still runs.

    So does the end of this process, also by force: its workers do not outlive it.

    >>> from assay.evaluate.work import each
    >>> list(each(pow, [(2, 3), (3, 2)], None))
    [8, 9]
    """
    if alone(n_jobs):
        for arguments in work:
            yield function(*arguments)
        return
    from joblib import Parallel, delayed

    how = "generator" if ordered else "generator_unordered"
    here = os.getpid()
    results = Parallel(n_jobs=n_jobs, return_as=how)(
        delayed(_for_parent)(here, function, *arguments) for arguments in work
    )
    try:
        for result in results:  # noqa: UP028 ("yield from" would close them before we can say that it is wanted)
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that work was cancelled is what was wanted
            results.close()  # ends the workers if work is left


def _for_parent(parent: int, function: Callable[..., R], *arguments: Any) -> R:
    """In a worker: the work, as long as somebody waits for it."""
    end_with(parent)
    return function(*arguments)
