"""Parts of messages: counts with nouns, lists of names, options instead of parameters."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["counted", "in_options", "listed_names"]


def counted(n: int, thing: str) -> str:
    """A number and its noun.

    >>> from assay.cli.words import counted
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def listed_names(names: Iterable[str], limit: int = 10) -> str:
    """Names as a list in a sentence, at most ``limit`` of them.

    >>> from assay.cli.words import listed_names
    >>> listed_names(["age"]), listed_names(["age", "job"]), listed_names("abcde", limit=2)
    ('age', 'age and job', 'a, b and 3 more')
    """
    names = list(names)
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


_OPTIONS = "drop|keep|nominal|numeric|clean|na|delimiter|encoding|target|format|task"
_LINE_ADVICE = re.compile(r"(delimiter=)(?:, \w+=)*(?: or \w+=)?")
_OBJECT = re.compile(r"(dict\([^()]*\))")
_PARAMETER = re.compile(rf"(?<![\w-])({_OPTIONS})=(?:\[?(?:'([^']*)'|\"([^\"]*)\")\]?)?")


def in_options(message: str) -> str:
    """What a message advises in parameters of Python, in the options of the command line.

    >>> from assay.cli.words import in_options
    >>> in_options('Say which encoding it is, for example encoding="latin-1".')
    'Say which encoding it is, for example --encoding latin-1.'
    >>> in_options("Leave the column out (drop=['job title']), or give delimiter=, quote= or skip=.")
    "Leave the column out (--drop 'job title'), or give --delimiter."

    What stands inside an object of Python stays, since an option could not be written there:

    >>> in_options("Give a file as dict(file='loans.csv', target='default').")
    "Give a file as dict(file='loans.csv', target='default')."
    """
    import shlex

    def option(match: re.Match[str]) -> str:
        value = match[2] if match[2] is not None else match[3]
        return f"--{match[1]}" + ("" if value is None else f" {shlex.quote(value)}")

    parts = _OBJECT.split(_LINE_ADVICE.sub(r"\1", message))  # every second one is an object
    return "".join(part if k % 2 else _PARAMETER.sub(option, part) for k, part in enumerate(parts))
