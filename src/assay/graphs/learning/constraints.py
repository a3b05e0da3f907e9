"""What an expert knows of a structure: required and forbidden arcs, and tiers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.errors import ParameterError, did_you_mean
from assay.graphs.directed_graph import DirectedGraph

__all__ = ["Constraints"]


class Constraints:
    """Which arcs a structure may have, and which it must have.

    Parameters
    ----------
    names : list of d names
    required, forbidden : pairs (parent, child)
    tiers : list of lists of names, causes first: no arc goes from a later tier to an earlier one
    who : str, the function that speaks in errors

    Attributes
    ----------
    names : list of d names
    allowed : (d, d) bool      required : (d, d) bool; entry (i, j) is the arc from i to j
    """

    def __init__(
        self,
        names: list[str],
        required: Sequence[tuple[str, str]] = (),
        forbidden: Sequence[tuple[str, str]] = (),
        tiers: Sequence[Sequence[str]] | None = None,
        who: str = "learn_structure",
    ):
        d = len(names)
        place = {name: i for i, name in enumerate(names)}

        def at(name: str) -> int:
            if name not in place:
                raise ParameterError(f"{who}: there is no column {name!r}.{did_you_mean(name, names)}")
            return place[name]

        self.names = list(names)
        self.allowed = ~np.eye(d, dtype=bool)
        self.required = np.zeros((d, d), bool)
        for a, b in forbidden:
            self.allowed[at(a), at(b)] = False
        level: dict[int, int] = {}
        for t, tier in enumerate(tiers or ()):
            for name in tier:
                if at(name) in level:
                    raise ParameterError(f"{who}: {name!r} stands in two tiers.")
                level[at(name)] = t
        for i, t in level.items():
            for j, u in level.items():
                if t > u:
                    self.allowed[i, j] = False
        for a, b in required:
            i, j = at(a), at(b)
            if not self.allowed[i, j]:
                raise ParameterError(
                    f"{who}: the arc {a} -> {b} is required and cannot be: it is forbidden, or goes from a later tier "
                    "to an earlier one."
                )
            self.required[i, j] = True
        parents = {
            name: [names[i] for i in np.flatnonzero(self.required[:, j])] for j, name in enumerate(names)
        }
        DirectedGraph(parents, who)  # refuses a cycle

    @property
    def empty(self) -> bool:
        """Whether every structure keeps to them."""
        return not self.required.any() and int(self.allowed.sum()) == self.allowed.size - len(self.allowed)
