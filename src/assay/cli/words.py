"""Words for people: counted things, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["counted", "did_you_mean"]


def counted(n: int, thing: str) -> str:
    """A number and its noun.

    >>> from assay.cli.words import counted
    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence with the nearest known words, or all of them if they are few.

    >>> from assay.cli.words import did_you_mean
    >>> did_you_mean("churm", ["churn", "age", "income"])
    ' Did you mean churn?'
    >>> did_you_mean("zebra", ["churn", "age"])
    ' There are: churn, age.'
    """
    from difflib import get_close_matches

    known = list(known)
    near = get_close_matches(word, known, n=3, cutoff=0.6)
    if near:
        return f" Did you mean {' or '.join(near)}?"
    shown = ", ".join(known[:20]) + (", ..." if len(known) > 20 else "")
    return f" There are: {shown}." if known else ""
