"""Which part of impossible evidence is impossible by itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from assay.errors import DataError

__all__ = ["smallest_conflict"]


def smallest_conflict(evidence: Mapping[str, Any], possible: Callable[[dict[str, Any]], bool]) -> str:
    """A part of the evidence that has probability 0 and of which each smaller part has not, in words.

    The last member of a conflict ends the shortest impossible beginning of the evidence, which is bisected; with it
    known, the same finds the member before. So a conflict of k among n pieces takes k log n questions. A part that is
    too large to ask about counts as possible.

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

    def may_be(names: list[str]) -> bool:
        try:
            return not names or possible({n: v for n, v in evidence.items() if n in set(names)})
        except DataError as error:
            if error.code != "too-large":
                raise
            return True

    core: list[str] = []
    left = list(evidence)
    while left and may_be(core):
        few, many = 0, len(left)  # core and that many of those left: possible, impossible
        while many - few > 1:
            middle = (few + many) // 2
            if may_be(core + left[:middle]):
                few = middle
            else:
                many = middle
        core.append(left[many - 1])
        left = left[: many - 1]
    words = [f"{name}={value}" for name, value in evidence.items() if name in core]
    if len(words) == 1:
        return f"{words[0]} has probability 0"
    return f"{', '.join(words[:-1])} and {words[-1]} together have probability 0"
