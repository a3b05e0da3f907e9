"""The columns of page after page, on several threads, one of which finds the next page meanwhile."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from assay.tables.readers.cells import Page
from assay.threads import end_if_abandoned, on_threads, threads

R = TypeVar("R")

CELLS = 1 << 16  # a smaller page, of about a millisecond, stays on one thread


def by_columns(
    pages: Iterator[Page], work: Callable[[Page, int], R], columns: Sequence[int]
) -> Iterator[list[R]]:
    """``[work(page, j) for j in columns]`` of each page.

    ``work`` is called for the columns of a page once what it gave for those of the page before has been taken, so it
    may go by that. It and the pages must not depend on each other. An error in a page comes when its turn comes.
    """
    following = _Following(pages)
    following.find()
    while (page := following.page()) is not None:
        results: list[Any] = [None] * len(columns)

        def convert(k: int, page: Page = page, results: list[Any] = results) -> None:
            results[k] = work(page, columns[k])

        conversions = [partial(convert, k) for k in range(len(columns))]
        if page.rows * page.width < CELLS:
            _do(deque(conversions))
            yield results
            following.find()
        else:
            _share([following.find, *conversions])
            yield results


class _Following:
    """The next page of an iterator, or the error that comes instead of it, found before it is asked for."""

    def __init__(self, pages: Iterator[Page]):
        self._pages = pages
        self._next: Page | None = None
        self._error: BaseException | None = None

    def find(self) -> None:
        try:
            self._next = next(self._pages, None)
        except Exception as error:
            self._error = error

    def page(self) -> Page | None:
        """The page that was found."""
        if self._error is not None:
            raise self._error
        return self._next


def _share(jobs: list[Callable[[], None]]) -> None:
    """Do jobs on threads, each of which takes the next one when it is done with one."""
    left = deque(jobs)
    on_threads(_do, [left] * min(threads(), len(jobs)))


def _do(jobs: deque[Callable[[], None]]) -> None:
    while jobs:
        end_if_abandoned()
        try:
            job = jobs.popleft()
        except IndexError:  # another thread was quicker
            return
        job()
