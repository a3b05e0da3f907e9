"""Axes of plots: their range, ticks and tick labels, for matplotlib and SVG."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.types import Axes

__all__ = ["Scale"]

MAX_TICKS = 10  # of an axis that has one at each value of a curve


@dataclass(frozen=True)
class Scale:
    """From values to positions on an axis of some width, with ticks.

    Parameters
    ----------
    low, high : ends
    ticks : values with a name at the axis
    width, margin : of the line, and how much of it is left free at either end
    log : whether equal factors, not equal differences, are equally far apart
    names : of the ticks; None writes them as numbers

    Examples
    --------
    >>> from assay.plots.scale import Scale
    >>> scale = Scale.over([0.03, 0.41], width=300, margin=14)
    >>> scale.ticks, scale(0.0), scale(0.5)
    ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], 14.0, 286.0)
    """

    low: float
    high: float
    ticks: list[float]
    width: float = 1.0
    margin: float = 0.0
    log: bool = False
    names: list[str] | None = None

    @classmethod
    def over(
        cls,
        values: Iterable[float],
        width: float = 1.0,
        within: tuple[float, float] = (-np.inf, np.inf),
        margin: float = 0.0,
    ) -> Scale:
        """A scale that holds all finite values, ends on round ticks and stays within bounds."""
        finite = [float(v) for v in values if np.isfinite(v)]
        low, high = (min(finite), max(finite)) if finite else (0.0, 1.0)
        size = max(abs(low), abs(high))
        if high - low < 1e-12 * (1.0 if np.isfinite(within).all() else size or 1.0):
            pad = max(size * 0.1, 0.005 if not 0 < size < 1e-6 else 0.0)
            low, high = low - pad, high + pad
        step = _step((high - low) / 5)
        low, high = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
        low, high = max(low, within[0]), min(high, within[1])
        count = round((high - low) / step)
        digits = max(10, 3 - int(np.floor(np.log10(step))))
        ticks = [round(float(low + i * step), digits) + 0.0 for i in range(count + 1)]
        return cls(float(low), float(high), ticks, width, margin)

    @classmethod
    def close(cls, values: Iterable[float]) -> Scale:
        """A scale that holds all finite values with a small margin, for clouds of rows; ticks are round, ends are not.

        >>> from assay.plots.scale import Scale
        >>> scale = Scale.close([-1.0, 99.0])
        >>> scale.low, scale.high, scale.ticks
        (-5.0, 103.0, [0.0, 20.0, 40.0, 60.0, 80.0, 100.0])
        """
        finite = [float(v) for v in values if np.isfinite(v)]
        around = cls.over(finite)
        margin = 0.04 * (max(finite) - min(finite)) if finite else 0.0
        if margin <= 1e-12 * max(abs(around.low), abs(around.high)):
            return around
        low, high = min(finite) - margin, max(finite) + margin
        return cls(low, high, [t for t in around.ticks if low <= t <= high])

    @classmethod
    def unit(cls, width: float = 1.0) -> Scale:
        """From 0 to 1 in fifths."""
        return cls(0.0, 1.0, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], width)

    @classmethod
    def at(cls, values: ArrayLike) -> tuple[Scale, np.ndarray]:
        """A scale with ticks at the values of a curve, ten at most, and the places of all of them.

        Numbers whose steps grow with them stand by their logarithms. Words, and numbers mixed with None, stand one
        after another.

        >>> from assay.plots.scale import Scale
        >>> scale, places = Scale.at([10, 100, 1000])
        >>> scale.log, scale.names, scale.share(places).round(2)
        (True, ['10', '100', '1,000'], array([0.04, 0.5 , 0.96]))
        """
        values = np.asarray(values)
        numeric = np.issubdtype(values.dtype, np.number)
        places = values.astype(np.float64) if numeric else np.arange(len(values), dtype=np.float64)
        names = [_count(v) for v in places] if numeric else [str(v) for v in values]
        log = numeric and _grows(np.sort(places))
        ends = np.log10([places.min(), places.max()]) if log else np.array([places.min(), places.max()])
        pad = max(0.04 / 0.92 * float(np.ptp(ends)), 0.02)
        low, high = ends[0] - pad, ends[1] + pad
        low, high = (10**low, 10**high) if log else (low, high)
        every = -(-len(places) // MAX_TICKS)
        scale = cls(float(low), float(high), places[::every].tolist(), log=log, names=names[::every])
        return scale, places

    @property
    def labels(self) -> list[tuple[float, str]]:
        """The ticks with their names."""
        return list(zip(self.ticks, _tick_names(self.ticks) if self.names is None else self.names))

    def share(self, values: Any) -> Any:
        """Where values lie between the ends, from 0 to 1; beyond the ends, at the ends."""
        values, low, high = np.asarray(values, dtype=np.float64), self.low, self.high
        if self.log:
            values, low, high = np.log(np.maximum(values, low)), np.log(low), np.log(high)
        return np.clip((values - low) / (high - low), 0.0, 1.0)

    def __call__(self, value: float) -> float:
        return self.margin + float(self.share(value)) * (self.width - 2 * self.margin)

    def draw(self, ax: Axes, axis: str) -> None:
        """Give an axis ("x" or "y") of matplotlib these ends, ticks and names."""
        if self.log:
            ax.set(**{f"{axis}scale": "log"})
        getattr(ax, f"set_{axis}ticks")(self.ticks, [name for _, name in self.labels])
        getattr(ax, f"set_{axis}ticks")([], minor=True)
        ax.set(**{f"{axis}lim": (self.low, self.high)})


def _tick_names(ticks: list[float]) -> list[str]:
    """Numbers in as few digits as tell them apart, six at least."""
    for digits in range(6, 17):
        names = [f"{t:.{digits}g}" for t in ticks]
        if len(set(names)) == len(names):
            break
    return [
        name.replace("-", "−").replace("e+0", "e").replace("e+", "e").replace("e−0", "e−") for name in names
    ]


def _step(rough: float) -> float:
    """The next larger one of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9)))


def _grows(values: np.ndarray) -> bool:
    """Whether sorted values span much, in steps that grow."""
    steps = np.diff(values)
    wide = len(values) > 2 and values[0] > 0 and values[-1] >= 8 * values[0]
    return bool(wide and steps.max() >= 3 * steps.min())


def _count(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:g}"
