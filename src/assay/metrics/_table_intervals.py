"""Intervals of functions of the confusion table: Wilson's and the delta method's."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from assay.metrics.estimate import Estimate
from assay.stats.intervals.proportion_interval import wilson_interval

Share = Callable[[np.ndarray, int], tuple[float, float]]  # (table, class) -> part, whole


def wilson(
    share: Share,
    table: np.ndarray,
    squares: np.ndarray,
    k: int,
    value: float,
    alpha: float,
    link: Callable[[float], float] | None = None,
) -> Estimate:
    """Wilson's interval of a share of rows, or of a growing function (link) of it."""
    part, rows = (float(v) for v in share(table, k))
    if not rows > 0:
        return Estimate(value, alpha=alpha, why="there are no rows to take a share of")
    _, second = (float(v) for v in share(squares, k))
    n = max(rows * rows / second, 1.0)  # Kish's effective number of rows; the number itself if all weigh one
    low, high = (float(v) for v in wilson_interval(part / rows, n, alpha))
    if link is not None:
        low, high = link(low), link(high)
    return Estimate(value, low, high, "Wilson", alpha)


MAX_WILSON_CLASSES = (
    5  # up to which Wilson intervals are combined; the mean over more classes is nearly normal
)


def mean_of_shares(
    share: Share,
    table: np.ndarray,
    squares: np.ndarray,
    value: float,
    alpha: float,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    geometric: bool = False,
    stretch: Callable[[int], float] | None = None,
) -> Estimate:
    """The interval of a mean over classes of shares that do not depend on each other.

    Of few classes from Wilson's interval of each (Newcombe 1998, method 10):

        mean - sqrt(sum (r_k - l_k)^2) / K  to  mean + sqrt(sum (u_k - r_k)^2) / K

    of many, whose mean is nearly normal, from the spread of shares with a row more of either kind. A class with few
    rows, all right or all wrong, widens it, where the delta method has variance 0. The geometric mean has
    the same on the scale of logarithms. ``stretch(K)`` is how many times as wide as the mean's the measure's scale is.
    """
    from scipy.special import ndtri

    pairs = np.array([share(table, k) for k in range(len(table))], dtype=np.float64)
    second = np.array([share(squares, k)[1] for k in range(len(table))], dtype=np.float64)
    tested = pairs[:, 1] > 0
    part, rows = pairs[tested].T
    rate, n, K = part / rows, rows**2 / second[tested], int(tested.sum())
    low, high = (np.asarray(v) for v in wilson_interval(rate, n, alpha))
    if geometric and value == 0:  # a class was never recognised
        return Estimate(0.0, 0.0, float(np.exp(np.log(high).mean())), "Wilson, squared and added", alpha)
    if geometric:
        rate, low, high = np.log(rate), np.log(np.maximum(low, 1e-300)), np.log(high)
    gaps = rate - low, high - rate
    name = "Wilson, squared and added"
    if K > MAX_WILSON_CLASSES:
        near = (part / rows * n + 1) / (n + 2)
        spread = (1 - near) / (near * (n + 1)) if geometric else near * (1 - near) / (n + 1)
        gaps = (float(ndtri(1 - alpha / 2)) * np.sqrt(spread),) * 2
        name = "normal, a row more of either kind in each class"
    down, up = (float(np.sqrt(np.sum(gap**2))) / K for gap in gaps)
    if geometric:
        return Estimate(value, float(value * np.exp(-down)), min(1.0, float(value * np.exp(up))), name, alpha)
    if stretch is not None:
        down, up = stretch(K) * down, stretch(K) * up
    floor, top = bounds
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
    g: Callable[[np.ndarray], np.ndarray],
    table: np.ndarray,
    squares: np.ndarray,
    value: float,
    alpha: float,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """The delta method's interval of a function of tables, on the scale of the log odds between its bounds."""
    from scipy.special import ndtri

    slope, fine = gradient(g, table)
    var, centre, name = float((squares * slope**2).sum()), value, "delta method"  # (1)
    low, high = bounds
    if not fine or var < 1e-12 or not low < value < high:  # on the edge: half a row more in each cell
        present = (table.sum(axis=1) > 0) | (table.sum(axis=0) > 0)
        if present.sum() < 2:
            return Estimate(value, alpha=alpha, why="one class only: nothing can vary")
        scale = squares.sum() / table.sum()
        wider = np.where(np.outer(present, present), table + 0.5 * scale, 0.0)
        slope, _ = gradient(g, wider)
        var, centre = float((wider * scale * slope**2).sum()), float(g(wider))
        name = "delta method, half a row added to each cell"
    z, s = float(ndtri(1 - alpha / 2)), np.sqrt(var)
    unit = np.clip((centre - low) / (high - low), 1e-9, 1 - 1e-9)
    half = z * s / ((high - low) * unit * (1 - unit))  # on the scale of the log odds
    odds = np.log(unit / (1 - unit))
    ends = low + (high - low) / (1 + np.exp(-(odds + np.array([-half, half]))))
    return Estimate(value, float(min(ends[0], value)), float(max(ends[1], value)), name, alpha)
