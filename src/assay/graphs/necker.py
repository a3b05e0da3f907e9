"""The Necker cube: a drawing with two readings, as a field of sixteen units."""

from __future__ import annotations

from itertools import combinations
from math import exp

from assay.graphs.field import MarkovField

__all__ = ["necker_cube"]


def necker_cube(excitation: float = 1.0, inhibition: float = -2.0) -> MarkovField:
    r"""Eight corners, each with two interpretations, front or back: neighbours agree, rivals exclude each other.

    The score of a configuration is :math:`\sum w\,x_i x_j` over the links, x in {0, 1}; the potential of a link is
    :math:`e^{w x_i x_j}`. Links are the twelve edges of the cube within each reading, and the rivals at each corner.
    With an inhibition below -1.5 the two whole readings are the best configurations, of equal score.

    Examples
    --------
    >>> from assay.graphs import necker_cube
    >>> cube = necker_cube()
    >>> first = {name: int(name.startswith("first")) for name in cube.names}
    >>> round(cube.log_score(first), 6)
    12.0
    """
    corners = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    names = {(r, c): f"{r} {''.join(map(str, c))}" for r in ("first", "second") for c in corners}

    def link(weight: float) -> list[list[float]]:
        return [[1.0, 1.0], [1.0, exp(weight)]]

    potentials = []
    for reading in ("first", "second"):
        for a, b in combinations(corners, 2):
            if sum(x != y for x, y in zip(a, b)) == 1:
                potentials.append(([names[reading, a], names[reading, b]], link(excitation)))
    potentials += [([names["first", c], names["second", c]], link(inhibition)) for c in corners]
    return MarkovField({name: [0, 1] for name in names.values()}, potentials)
