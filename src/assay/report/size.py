"""A page smaller than a megabyte, whatever it tells: less of everything, and at last shorter names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import escape

__all__ = ["fitted", "with_short_names"]

MEGABYTE = 1_000_000
LONGEST = 60  # letters of a name, where names alone would fill the page
Room = TypeVar("Room")


def fitted(render: Callable[[Room], str], rooms: Sequence[Room], names: Iterable[str]) -> str:
    """The page in the first room that holds it; if none does, in the last one, with names cut short.

    Parameters
    ----------
    render : the page with as much of everything as a room allows
    rooms : from large to small
    names : what the user called things, which may be of any length

    Examples
    --------
    >>> from assay.report.size import fitted
    >>> fitted(lambda n: "x" * n, [2_000_000, 5], []), len(fitted(lambda n: "long" * 10**6, [1], ["long" * 10**6]))
    ('xxxxx', 64)
    """
    html = ""
    for room in rooms:
        html = render(room)
        if len(html.encode("utf-8")) < MEGABYTE:
            return html
    return with_short_names(html, names)


def with_short_names(html: str, names: Iterable[str]) -> str:
    """The page with every long name cut, and numbered so that no two become one.

    >>> from assay.report.size import with_short_names
    >>> with_short_names("<b>&amp;" + "a" * 99 + "</b>", ["&" + "a" * 99]).count("a")
    60
    """
    long = sorted({name for name in names if len(name) > LONGEST}, key=lambda name: (-len(name), name))
    for i, name in enumerate(long):
        cut = f"{name[:LONGEST]} … {i + 1}"
        for old, new in ((name, cut), (repr(name)[1:-1], repr(cut)[1:-1])):  # in sentences, and in calls
            html = html.replace(str(escape(old)), str(escape(new)))  # as text and in attributes
            html = html.replace(_as_data(old), _as_data(new))
    return html


def _as_data(name: str) -> str:
    return str(htmlsafe_json_dumps(name))[1:-1]
