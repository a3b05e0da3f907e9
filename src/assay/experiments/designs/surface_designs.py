"""Designs from which a second-order surface can be fitted: central composite and Box-Behnken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from numbers import Real
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import ParameterError
from assay.experiments.designs.factorial import full_factorial
from assay.experiments.designs.fractional import fractional_factorial
from assay.experiments.designs.run_table import RunTable, at_levels, two_ends

__all__ = ["box_behnken", "central_composite"]

# Which factors are varied together; blocks in which every pair of factors meets equally often.
TOGETHER = {
    6: [(0, 1, 3), (1, 2, 4), (2, 3, 5), (0, 3, 4), (1, 4, 5), (0, 2, 5)],
    7: [(3, 4, 5), (0, 5, 6), (1, 4, 6), (0, 1, 3), (2, 3, 6), (0, 2, 4), (1, 2, 5)],
}


def central_composite(
    factors: Mapping[str, Any] | int | Sequence[str],
    *,
    axial: str | float = "rotatable",
    centre: int = 3,
    fraction: bool = False,
) -> RunTable:
    r"""Corners, points on the axes, and replicates of the centre: the usual design for a response surface.

    Parameters
    ----------
    factors : dict of factor to (low, high), the corners' levels; a list of names; or their number
    axial : "rotatable", "spherical", "orthogonal", "face", or a number
        Distance of the axial points from the centre, in coded units: with f corners and F factors,
        :math:`f^{1/4}` (the variance of a prediction depends on the distance only), :math:`\sqrt F`,
        the value that makes quadratic effects uncorrelated, or 1 (no level beyond low and high).
    centre : int, default 3
        How often the centre is run; the spread of these runs measures the error.
    fraction : bool, default False
        Use a fraction of resolution V as corners, which saves runs from five factors on.

    Examples
    --------
    >>> from assay.experiments import central_composite
    >>> design = central_composite(2)
    >>> len(design), design.coded[4:7].round(4).tolist()
    (11, [[-1.4142, 0.0], [1.4142, 0.0], [0.0, -1.4142]])
    """
    ends = two_ends(factors, "central_composite")
    F = len(ends)
    repeats = _repeats(centre, "central_composite")
    chosen = fractional_factorial(list(ends), resolution=5) if fraction else full_factorial(list(ends))
    corners = chosen.coded
    f = len(corners)
    n = f + 2 * F + repeats
    distances = {
        "rotatable": f**0.25,
        "spherical": F**0.5,
        "orthogonal": ((np.sqrt(f * n) - f) / 2) ** 0.5,
        "face": 1.0,
    }
    if isinstance(axial, str) and axial in distances:
        a = float(distances[axial])
    elif isinstance(axial, Real) and not isinstance(axial, bool) and 0 < axial < np.inf:
        a = float(axial)
    else:
        raise ParameterError(
            f"central_composite: axial must be one of {', '.join(distances)} or a number above 0, got {axial!r}."
        )
    axes = np.zeros((2 * F, F))
    axes[np.arange(2 * F), np.repeat(np.arange(F), 2)] = np.tile([-a, a], F)
    coded = np.vstack([corners, axes, np.zeros((repeats, F))])
    return at_levels("central composite design", ends, coded, "central_composite")


def box_behnken(factors: Mapping[str, Any] | int | Sequence[str], *, centre: int = 3) -> RunTable:
    """Few factors at their ends, the others in the middle: no run at a corner, three levels each.

    For three to five factors every pair is varied in turn, for six and seven triples are (Box and Behnken 1960);
    beyond seven pairs again.

    Parameters
    ----------
    factors : dict of factor to (low, high), a list of names, or their number; three or more
    centre : int, default 3, how often the centre is run

    Examples
    --------
    >>> from assay.experiments import box_behnken
    >>> design = box_behnken({"depth": (2, 8), "leaf": (1, 9), "rate": (0.1, 0.3)})
    >>> len(design), design.runs[0]
    (15, {'depth': 2, 'leaf': 1, 'rate': 0.2})
    """
    ends = two_ends(factors, "box_behnken")
    F = len(ends)
    if F < 3:
        raise ParameterError(f"box_behnken: needs three or more factors, got {F}. Use central_composite.")
    rows = []
    for together in TOGETHER.get(F, list(combinations(range(F), 2))):
        for signs in product((-1.0, 1.0), repeat=len(together)):
            row = np.zeros(F)
            row[list(together)] = signs[::-1]
            rows.append(row)
    coded = np.vstack([*rows, np.zeros((_repeats(centre, "box_behnken"), F))])
    return at_levels("Box-Behnken design", ends, coded, "box_behnken")


def _repeats(centre: Any, who: str) -> int:
    check_count(who, "centre", centre, low=0)
    return int(centre)
