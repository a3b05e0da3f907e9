"""Which part of impossible evidence is impossible by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["smallest_conflict"]


def smallest_conflict(evidence: Mapping[str, Any], possible: Callable[[dict[str, Any]], bool]) -> str:
    """A part of the evidence that has probability 0 and of which each smaller part has not, in words.

    Parameters
    ----------
    evidence : mapping of names to states, not possible as a whole
    possible : function of some of the evidence

    Examples
    --------
    >>> from assay.graphs.conflict import smallest_conflict
    >>> smallest_conflict({"a": 1, "b": 0, "c": 1}, lambda some: not {"a", "c"} <= set(some))
    'a=1 and c=1 together have probability 0'
    """
    core = dict(evidence)
    for name in list(core):
        fewer = {n: v for n, v in core.items() if n != name}
        if fewer and not possible(fewer):
            core = fewer
    words = [f"{name}={value}" for name, value in core.items()]
    if len(words) == 1:
        return f"{words[0]} has probability 0"
    return f"{', '.join(words[:-1])} and {words[-1]} together have probability 0"
