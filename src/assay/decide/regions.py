"""Decision regions of one variable: where a rule says what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.parameters import check_count
from assay.errors import ParameterError

__all__ = ["Region", "decision_regions"]


@dataclass(frozen=True)
class Region:
    """An interval on which one action is taken."""

    low: float
    high: float
    action: Any


def decision_regions(
    rule: Callable[[np.ndarray], Any], low: float, high: float, *, points: int = 2001
) -> list[Region]:
    """Cut an interval where the answer of a rule changes.

    The rule is asked on a grid; between neighbours with different answers the place of change is found by
    halving, down to the last bit. Regions thinner than the grid's step may be missed: raise ``points``.

    Parameters
    ----------
    rule : function of a (m,) array of places that returns (m,) labels, for example
        ``lambda x: model.predict(x[:, None])``
    low, high : ends of the interval
    points : size of the grid

    Examples
    --------
    >>> from assay.decide import decision_regions
    >>> decision_regions(lambda x: np.where(x < 0.3, "a", "b"), 0, 1)
    [Region(low=0.0, high=0.3, action='a'), Region(low=0.3, high=1.0, action='b')]
    """
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ParameterError(f"decision_regions: low must be below high, both finite, got {low} and {high}.")
    check_count("decision_regions", "points", points, low=2)
    grid = np.linspace(low, high, points)
    answers = _plain(rule(grid))
    edges: list[tuple[float, Any]] = []
    for i in range(points - 1):
        if answers[i] != answers[i + 1]:
            _cut(rule, grid[i], answers[i], grid[i + 1], answers[i + 1], edges)
    regions, start, action = [], float(low), answers[0]
    for at, following in edges:
        if at > start:
            regions.append(Region(start, at, action))
        start, action = at, following
    return [*regions, Region(start, float(high), action)]


def _cut(
    rule: Callable[[np.ndarray], Any],
    a: float,
    answer_a: Any,
    b: float,
    answer_b: Any,
    edges: list[tuple[float, Any]],
) -> None:
    """Append the places of change between a and b, which have different answers, and the answers after them."""
    while True:
        middle = 0.5 * (a + b)
        if not a < middle < b:
            edges.append((_shortest(float(a), float(b)), answer_b))
            return
        answer = _plain(rule(np.array([middle])))[0]
        if answer == answer_a:
            a = middle
        elif answer == answer_b:
            b = middle
        else:  # a third region between the two
            _cut(rule, a, answer_a, middle, answer, edges)
            a, answer_a = middle, answer


def _shortest(a: float, b: float) -> float:
    """Of two neighbouring numbers, the one written with fewer digits (0 before 4.4e-324)."""
    return a if len(repr(a)) < len(repr(b)) else b


def _plain(answers: Any) -> list[Any]:
    labels: list[Any] = np.asarray(answers).tolist()
    return labels
