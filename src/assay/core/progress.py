"""Progress: how far long work has come, for people who wait and for programs that listen.

Work that may take long says so in one of two ways:

>>> from assay.core.progress import progress, track
>>> with progress(total=3, description="folds") as bar:
...     for _ in range(3):
...         bar.advance()
>>> sum(track([1, 2, 3], "adding"))
6

In a terminal or a notebook a bar with the remaining time appears once the work has lasted a moment; in a
script, a pipe or a worker process nothing is ever printed. Work inside of other work shows no bar of its own.
A program (a window, a server) subscribes to the same events with :func:`listen`; a listener that raises an
exception stops the work, which is how it is cancelled.
"""

from __future__ import annotations

import multiprocessing
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from assay.core.parallel import end_if_abandoned

__all__ = ["Event", "Progress", "listen", "progress", "track"]

T = TypeVar("T")

BAR_DELAY_SECONDS = 0.25  # seconds before a bar appears
_EVENT_SECONDS = 0.05  # seconds between two events, so that a million small steps cost nothing

_lock = threading.RLock()
_outermost: Progress | None = None
_listeners: list[Callable[[Event], None]] = []


@dataclass(frozen=True)
class Event:
    """How far the work has come at one moment.

    Attributes
    ----------
    description : what is being done
    done, total : steps behind us, and all of them (None if nobody knows)
    note : a word on the latest step, such as the number of rows read
    seconds : since the work began
    state : "running", then once "finished" or "stopped" (by an error or by Ctrl-C)
    """

    description: str
    done: float
    total: float | None
    note: str
    seconds: float
    state: str = "running"

    @property
    def remaining(self) -> float | None:
        """Seconds that are left if the rest goes as before; None if that is not known.

        >>> from assay.core.progress import Event
        >>> Event("folds", done=2, total=10, note="", seconds=5.0).remaining
        20.0
        """
        if self.total is None or self.done <= 0:
            return None
        return self.seconds * max(self.total - self.done, 0) / self.done


class Progress:
    """Some work under way; made by :func:`progress`. Threads may share it."""

    def __init__(self, total: float | None = None, description: str = ""):
        self.total, self.description = total, description
        self.done: float = 0
        self.note = ""
        self._began = self._last_event = 0.0
        self._shown: _Bar | None = None
        self._timer: threading.Timer | None = None
        self._leads = False

    def __enter__(self) -> Self:
        global _outermost
        with _lock:
            self._leads = _outermost is None
            if self._leads:
                _outermost = self
        if self._leads:
            self._began = time.monotonic()
            try:
                self._tell("running")
                if _visible():
                    self._timer = threading.Timer(BAR_DELAY_SECONDS, self._show)
                    self._timer.daemon = True
                    self._timer.start()
            except BaseException:
                self._end()
                raise
        return self

    def advance(self, steps: float = 1, note: str | None = None) -> None:
        """Say that some steps are done, and perhaps a word on them; ends work that nobody waits for any more."""
        end_if_abandoned()
        if not self._leads:
            return
        with _lock:
            self.done += steps
            if note is not None:
                self.note = note
            now = time.monotonic()
            if now - self._last_event < _EVENT_SECONDS and self.done != self.total:
                return
            self._last_event = now
        self._tell("running")

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: Any) -> None:
        if self._leads:
            self._end()
            self._tell("finished" if kind is None else "stopped")

    def _show(self) -> None:
        with _lock:
            if _outermost is self and self._shown is None:
                self._shown = _Bar(self)

    def _end(self) -> None:
        """Give the stage free and take the bar away, also when the work was interrupted."""
        global _outermost
        if self._timer is not None:
            self._timer.cancel()
        with _lock:
            if _outermost is self:
                _outermost = None
            bar, self._shown = self._shown, None
        if bar is not None:
            bar.close()

    def _tell(self, state: str) -> None:
        if _listeners:
            event = self._event(state)
            for listener in list(_listeners):
                listener(event)

    def _event(self, state: str = "running") -> Event:
        seconds = time.monotonic() - self._began
        return Event(self.description, self.done, self.total, self.note, seconds, state)


def progress(total: float | None = None, description: str = "") -> Progress:
    """A context manager for work of ``total`` steps; call ``advance`` after each.

    Parameters
    ----------
    total : number of steps; None if it is not known beforehand
    description : what is being done, in two or three words
    """
    return Progress(total, description)


def track(steps: Iterable[T], description: str = "", total: float | None = None) -> Iterator[T]:
    """Go through ``steps`` and show how far one has come.

    Parameters
    ----------
    steps : anything to go through
    description : what is being done
    total : number of steps; None takes ``len(steps)`` if there is one
    """
    if total is None and isinstance(steps, Sized):
        total = len(steps)
    with progress(total, description) as bar:
        for step in steps:
            yield step
            bar.advance()


@contextmanager
def listen(listener: Callable[[Event], None]) -> Iterator[None]:
    """Call ``listener(event)`` for every event of work that begins or goes on within the block.

    Events come at most twenty times a second, always at the start and at the end, from whatever thread did the
    step. An exception from the listener stops the work and reaches whoever started it.

    >>> from assay.core.progress import listen, track
    >>> events = []
    >>> with listen(lambda event: events.append((event.done, event.state))):
    ...     for _ in track("ab", "letters"):
    ...         pass
    >>> events[0], events[-1]
    ((0, 'running'), (2, 'finished'))
    """
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def _visible() -> bool:
    """Whether somebody is there to see a bar: a terminal or a notebook, and not a worker process."""
    if multiprocessing.parent_process() is not None:
        return False
    return _in_notebook() or bool(getattr(sys.stderr, "isatty", bool)())


def _in_notebook() -> bool:
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return type(shell).__name__ == "ZMQInteractiveShell"


class _Bar:
    """A line in the terminal or notebook, drawn by rich; it vanishes when the work ends."""

    def __init__(self, work: Progress):
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, ProgressColumn, TextColumn
        from rich.progress import Progress as Live
        from rich.table import Column
        from rich.text import Text

        class Filled(BarColumn):
            def render(self, task: Any) -> Any:
                task.completed, task.total = work.done, work.total
                return super().render(task)

        class Words(ProgressColumn):
            def render(self, task: Any) -> Text:
                return Text(_words(work._event()))

        columns = TextColumn("{task.description}"), Filled(bar_width=24), Words(Column(no_wrap=True))
        self._live = Live(*columns, console=Console(stderr=True), transient=True)
        self._live.add_task(escape(work.description), total=work.total)
        self._live.start()

    def close(self) -> None:
        self._live.stop()


def _words(event: Event) -> str:
    """What stands behind the bar.

    >>> _words(Event("", 3, 10, "1,200 rows", 30.0))
    '3 of 10, 1,200 rows, 0:30, about 1:10 left'
    >>> _words(Event("", 3, None, "", 5.0))
    '3, 0:05'
    """
    parts = [f"{event.done:g}" if event.total is None else f"{event.done:g} of {event.total:g}"]
    parts += [event.note] if event.note else []
    parts.append(_clock(event.seconds))
    if event.remaining is not None:
        parts.append(f"about {_clock(event.remaining)} left")
    return ", ".join(parts)


def _clock(seconds: float) -> str:
    minutes, whole_seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{whole_seconds:02}" if hours else f"{minutes}:{whole_seconds:02}"
