"""Intervals of functions of the confusion table: Wilson's and the delta method's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from assay.errors import ParameterError
from assay.metrics import _tables
from assay.metrics.estimate import Estimate
from assay.metrics.measures import Measure
from assay.stats.intervals.proportion_interval import wilson_interval


def class_of(known: Measure, names: list[Any], pos_label: Any) -> int:
    """The number of the class a measure is of; -1 for the mean over classes."""
    if not known.per_class:
        return -1
    if pos_label is not None:
        if pos_label not in names:
            raise ParameterError(f"with_interval: pos_label={pos_label!r} is not among the labels {names}.")
        return names.index(pos_label)
    if len(names) > 2:
        return -1
    return names.index(1) if 1 in names else len(names) - 1


def function_of(known: Measure, k: int) -> Callable[[np.ndarray], np.ndarray]:
    if not known.per_class:
        return known.of
    if k >= 0:
        return lambda T: known.of(T)[..., k]
    return lambda T: _tables.mean_of_those_there(known.of(T))


def squares_of(cell: np.ndarray, w: np.ndarray, K: int) -> np.ndarray:
    return np.bincount(cell, weights=w * w, minlength=K * K).reshape(K, K)


def wilson(
    known: Measure, table: np.ndarray, squares: np.ndarray, k: int, value: float, alpha: float
) -> Estimate:
    success, rows = (float(v) for v in known.rate(table, k))
    _, second = (float(v) for v in known.rate(squares, k))
    n = rows * rows / second  # Kish's effective number of rows; the number itself if all weigh one
    low, high = (float(v) for v in wilson_interval(success / rows, n, alpha))
    if known.name == "f1":
        low, high = 2 * low / (1 + low), 2 * high / (1 + high)
    return Estimate(value, low, high, "Wilson", alpha)


FEW = 5  # classes: the mean of more is nearly normal, whatever the shares


def mean_of_shares(
    known: Measure, table: np.ndarray, squares: np.ndarray, value: float, alpha: float
) -> Estimate:
    """The interval of a mean over classes of shares that do not depend on each other.

    Of few classes from Wilson's interval of each (Newcombe 1998, method 10):

        mean - sqrt(sum (r_k - l_k)^2) / K  to  mean + sqrt(sum (u_k - r_k)^2) / K

    of many, whose mean is nearly normal, from the spread of shares with a row more of either kind. A class with few
    rows, all right or all wrong, widens it as it should, where the delta method sees no spread. The geometric mean has
    the same on the scale of logarithms.
    """
    from scipy.special import ndtri

    pairs = np.array([known.mean_of(table, k) for k in range(len(table))], dtype=np.float64)
    second = np.array([known.mean_of(squares, k)[1] for k in range(len(table))], dtype=np.float64)
    there = pairs[:, 1] > 0
    success, rows = pairs[there].T
    rate, n, K = success / rows, rows**2 / second[there], int(there.sum())
    geometric = known.name == "g-mean"
    low, high = (np.asarray(v) for v in wilson_interval(rate, n, alpha))
    if geometric and value == 0:  # a class was never recognised
        return Estimate(0.0, 0.0, float(np.exp(np.log(high).mean())), "Wilson, squared and added", alpha)
    if geometric:
        rate, low, high = np.log(rate), np.log(np.maximum(low, 1e-300)), np.log(high)
    gaps = rate - low, high - rate
    name = "Wilson, squared and added"
    if K > FEW:
        near = (success / rows * n + 1) / (n + 2)
        spread = (1 - near) / (near * (n + 1)) if geometric else near * (1 - near) / (n + 1)
        gaps = (float(ndtri(1 - alpha / 2)) * np.sqrt(spread),) * 2
        name = "normal, a row more of either kind in each class"
    down, up = (float(np.sqrt(np.sum(gap**2))) / K for gap in gaps)
    if geometric:
        return Estimate(value, float(value * np.exp(-down)), min(1.0, float(value * np.exp(up))), name, alpha)
    if known.name == "balanced error":
        down, up = up, down
    if known.name == "youden":
        down, up = (v * K / (K - 1) for v in (down, up))
    floor, top = known.bounds
    return Estimate(value, max(floor, value - down), min(top, value + up), name, alpha)


def gradient(g: Callable[[np.ndarray], np.ndarray], table: np.ndarray) -> tuple[np.ndarray, bool]:
    """(K, K) derivative of g by each cell that holds rows, 0 elsewhere; and whether all of them exist."""
    slope = np.zeros_like(table)
    cells = np.argwhere(table > 0)
    for part in np.array_split(cells, max(1, len(cells) * table.size // 4_000_000)):
        step = 1e-4 * table[part[:, 0], part[:, 1]]
        both = np.repeat(table[None], 2 * len(part), axis=0)
        at = np.arange(len(part))
        both[at, part[:, 0], part[:, 1]] += step
        both[at + len(part), part[:, 0], part[:, 1]] -= step
        values = g(both)
        slope[part[:, 0], part[:, 1]] = (values[: len(part)] - values[len(part) :]) / (2 * step)
    fine = bool(np.isfinite(slope).all())
    return np.nan_to_num(slope), fine


def delta(
    known: Measure,
    g: Callable[[np.ndarray], np.ndarray],
    table: np.ndarray,
    squares: np.ndarray,
    value: float,
    alpha: float,
) -> Estimate:
    from scipy.special import ndtri

    slope, fine = gradient(g, table)
    var, centre, name = float((squares * slope**2).sum()), value, "delta method"  # (1)
    low, high = known.bounds
    if not fine or var < 1e-12 or not low < value < high:  # on the edge: half a row more in each cell
        rows = np.flatnonzero(table.sum(axis=1) > 0)
        there = np.union1d(rows, np.flatnonzero(table.sum(axis=0) > 0))
        scale = squares.sum() / table.sum()
        wider = table[np.ix_(there, there)] + 0.5 * scale
        if len(there) < 2:
            return Estimate(value, alpha=alpha, why="one class only: nothing can vary")
        if known.per_class:
            small = Measure(known.name, "table", known.of, bounds=known.bounds, per_class=True)
            g = function_of(small, -1)
        slope, _ = gradient(g, wider)
        var, centre = float((wider * scale * slope**2).sum()), float(g(wider))
        name = "delta method, half a row added to each cell"
    z, s = float(ndtri(1 - alpha / 2)), np.sqrt(var)
    unit = np.clip((centre - low) / (high - low), 1e-9, 1 - 1e-9)
    half = z * s / ((high - low) * unit * (1 - unit))  # on the scale of the log odds
    odds = np.log(unit / (1 - unit))
    found = low + (high - low) / (1 + np.exp(-(odds + np.array([-half, half]))))
    return Estimate(value, float(min(found[0], value)), float(max(found[1], value)), name, alpha)
