"""The most of straight lines: which plans are the best for some belief."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import linprog

__all__ = ["cross_sum", "crossings", "envelope", "envelope_of_sums"]

Vector = tuple[Any, ...]
CLEAR = 1e-13  # of products: a difference that rounding alone cannot make
ROUNDING = 1e-13  # of the largest value: what rounding leaves of two lines that are one
BELOW = 1e-9  # of the largest value, by which a plan must be better somewhere to be kept


def cross_sum(first: Sequence[Vector], second: Sequence[Vector]) -> list[Vector]:
    """All sums of one vector of each set."""
    return [tuple(x + y for x, y in zip(a, b)) for a in first for b in second]


def envelope(vectors: Sequence[Vector]) -> list[Vector]:
    """Those vectors that are the best, alone, for some probabilities of the states.

    Two states are compared exactly, whatever numbers they have; more by linear programs.

    Examples
    --------
    >>> from assay.reinforcement.envelope import envelope
    >>> envelope([(-100, 80), (-43, -46), (33, 26), (90, -100)])
    [(-100, 80), (33, 26), (90, -100)]
    """
    distinct = list(dict.fromkeys(vectors))
    if len(distinct) <= 1:
        return distinct
    size = len(distinct[0])
    if size == 1:
        return [max(distinct)]
    return _lines(distinct) if size == 2 else _hulls(distinct)


def envelope_of_sums(first: Sequence[Vector], second: Sequence[Vector]) -> list[Vector]:
    """The envelope of all sums of one vector of each set, both of them envelopes.

    Of two states it is the sum of two convex functions of p: as many lines as both have together, less one.
    """
    if len(first[0]) != 2:
        return envelope(cross_sum(first, second))
    first_ends, second_ends = crossings(first), crossings(second)
    i = j = 0
    sums = list[Vector]()
    while True:
        sums.append((first[i][0] + second[j][0], first[i][1] + second[j][1]))
        ahead = i < len(first_ends), j < len(second_ends)
        if not any(ahead):
            return sums
        if all(ahead):
            step_first, step_second = first_ends[i] <= second_ends[j], second_ends[j] <= first_ends[i]
        else:
            step_first, step_second = ahead
        i, j = i + step_first, j + step_second


def crossings(lines: Sequence[Vector]) -> list[Any]:
    """Where each line of an envelope, by rising slope, hands over to the next."""
    return [(a[1] - b[1]) / ((b[0] - b[1]) - (a[0] - a[1])) for a, b in pairwise(lines)]


def _lines(vectors: list[Vector]) -> list[Vector]:
    """Lines over p from 0 to 1, by rising slope; each must be above the others somewhere in between."""
    lines = [(v[0] - v[1], v[1], v) for v in vectors]
    slopes = sorted(lines, key=lambda line: (float(line[0]), line[0], line[1]))  # rounding keeps the order
    exact = not any(isinstance(x, (float, np.floating)) for v in vectors for x in v)
    room = 0 if exact else ROUNDING * max(abs(x) for v in vectors for x in v)
    kept: list[tuple[Any, Any, Vector]] = []
    for line in slopes:
        if kept and kept[-1][0] == line[0]:
            kept.pop()  # the same slope, and lower
        while len(kept) >= 2 and _hidden(kept[-2], kept[-1], line, room):
            kept.pop()
        kept.append(line)
    # what is best only outside of 0 to 1 goes
    while len(kept) >= 2 and kept[1][1] >= kept[0][1]:
        kept.pop(0)
    while len(kept) >= 2 and kept[-2][2][0] >= kept[-1][2][0]:
        kept.pop()
    return [v for _, _, v in kept]


def _hidden(a: Any, b: Any, c: Any, room: float) -> bool:
    """Whether the line b is nowhere above both a and c, whose slopes are below and above its own, by more than room."""
    if not room:  # floating-point numbers decide wherever their rounding cannot
        (s, i), (t, j), (u, k) = ((float(x[0]), float(x[1])) for x in (a, b, c))
        left, right = (j - i) * (u - s), (k - i) * (t - s)
        doubt = CLEAR * (abs(s) + abs(t) + abs(u)) * (abs(i) + abs(j) + abs(k))
        if abs(left - right) > doubt:
            return left < right
    slope = c[0] - a[0]
    return bool((b[1] - a[1]) * slope - (c[1] - a[1]) * (b[0] - a[0]) <= room * slope)


def _hulls(vectors: list[Vector]) -> list[Vector]:
    """For each vector a linear program: how far can it be above the others?"""
    values = np.array(vectors, dtype=np.float64)
    alone = [
        i
        for i in range(len(values))
        if not any(
            (values[j] >= values[i]).all() and ((values[j] > values[i]).any() or j < i)
            for j in range(len(values))
            if j != i
        )
    ]
    room = BELOW * max(float(np.abs(values).max()), 1e-300)
    kept = list(alone)
    for i in alone:
        others = [j for j in kept if j != i]
        if others and _lead(values[i], values[others]) <= room:
            kept.remove(i)
    return [vectors[i] for i in kept]


def _lead(vector: np.ndarray, others: np.ndarray) -> float:
    """By how much a vector is above all others at best, over the probabilities of the states."""
    S = len(vector)
    scale = max(float(np.abs(others).max()), float(np.abs(vector).max()), 1e-300)
    system = np.column_stack([(others - vector) / scale, np.ones(len(others))])
    result = linprog(
        np.append(np.zeros(S), -1.0),
        A_ub=system,
        b_ub=np.zeros(len(others)),
        A_eq=[[*np.ones(S), 0.0]],
        b_eq=[1.0],
        bounds=[(0, 1)] * S + [(None, None)],
        method="highs",
    )
    return float(-result.fun * scale) if result.success else np.inf
