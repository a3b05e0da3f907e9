"""Keep a page below a megabyte: tighter limits on its contents, then shorter names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import escape

__all__ = ["with_short_names", "within_size"]

MEGABYTE = 1_000_000
MAX_NAME_LENGTH = 60  # letters, where names alone would fill the page
Limits = TypeVar("Limits")


def within_size(render: Callable[[Limits], str], choices: Sequence[Limits], names: Iterable[str]) -> str:
    """The page by the first limits that keep it small enough; else by the last ones, with names cut short.

    Parameters
    ----------
    render : the page within limits
    choices : limits, from loose to tight
    names : names given by the user, of any length

    Examples
    --------
    >>> from assay.report.size import within_size
    >>> within_size(lambda n: "x" * n, [2_000_000, 5], [])
    'xxxxx'
    """
    html = ""
    for limits in choices:
        html = render(limits)
        if len(html.encode("utf-8")) < MEGABYTE:
            return html
    return with_short_names(html, names)


def with_short_names(html: str, names: Iterable[str]) -> str:
    """The page with every long name cut, and numbered so that no two become one.

    >>> from assay.report.size import with_short_names
    >>> with_short_names("<b>&amp;" + "a" * 99 + "</b>", ["&" + "a" * 99]).count("a")
    60
    """
    long = sorted(
        {name for name in names if len(name) > MAX_NAME_LENGTH}, key=lambda name: (-len(name), name)
    )
    for i, name in enumerate(long):
        cut = f"{name[:MAX_NAME_LENGTH]} … {i + 1}"
        for old, new in ((name, cut), (repr(name)[1:-1], repr(cut)[1:-1])):  # in sentences, and in calls
            html = html.replace(str(escape(old)), str(escape(new)))  # as text and in attributes
            html = html.replace(_as_data(old), _as_data(new))
    return html


def _as_data(name: str) -> str:
    return str(htmlsafe_json_dumps(name))[1:-1]
