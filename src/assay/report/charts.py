"""Charts as inline SVG: axes, lines, bands, dots, bars, clouds of rows, boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from markupsafe import Markup

from assay.plots.scale import Scale
from assay.report.svg import element
from assay.report.thinning import hexagons, thinned

__all__ = ["Box", "Cloud", "Line", "chart"]

LEFT, RIGHT, TOP, BOTTOM = (
    44.0,
    10.0,
    8.0,
    38.0,
)  # margins for the labels around the plot, the left one at least
AXIS_NAME = 23.0  # room that the name of the vertical axis takes beside its tick labels
TOLERANCE = 0.5  # units of the drawing; a smaller shift of a line is invisible
MAX_DOTS = 1000  # rows of a cloud that are drawn one by one
HEXAGON = 3.6  # radius of the hexagons that more rows are counted in
SHADES = 5  # of the hexagons, each about the same factor more rows than the last
TICK_LETTER = 6.8  # width of a letter of a tick label


@dataclass(frozen=True)
class Line:
    """One curve.

    Parameters
    ----------
    x, y : coordinates, in the units of the axes
    kind : class of the style sheet: "k0" to "k7" are colours, "ideal" is a dashed line of reference
    label : its name; shown when the pointer rests on it
    low, high : edges of a band around it, or empty
    dots : whether its points are marked
    """

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    kind: str = "k0"
    label: str = ""
    low: Sequence[float] | np.ndarray = field(default_factory=tuple)
    high: Sequence[float] | np.ndarray = field(default_factory=tuple)
    dots: bool = False


@dataclass(frozen=True)
class Cloud:
    """Rows as dots; of many rows, the hexagons that hold them, darker where there are more.

    Parameters
    ----------
    x, y : coordinates, in the units of the axes
    kind : class of the style sheet, as of a line
    """

    x: np.ndarray
    y: np.ndarray
    kind: str = "k0"


@dataclass(frozen=True)
class Box:
    """Quantiles of some rows at one place: whiskers, the middle half, the median.

    Parameters
    ----------
    x : where it stands, in units of the axis
    quantiles : five of them, ascending: the ends of the whiskers and of the box, the median in the middle
    width : of the box, in units of the axis
    label : shown when the pointer rests on it
    """

    x: float
    quantiles: Sequence[float] | np.ndarray
    width: float = 0.6
    label: str = ""
    kind: str = "k0"


def chart(
    lines: Sequence[Line],
    x: Scale,
    y: Scale,
    x_label: str,
    y_label: str,
    label: str,
    bars: Sequence[tuple[float, float, float]] = (),
    size: tuple[float, float] = (270.0, 245.0),
    marks: Sequence[Cloud | Box] = (),
) -> Markup:
    """Lines over a grid.

    Parameters
    ----------
    x, y : scales of the axes
    label : what the picture shows, for readers who do not see it
    bars : (from, to, height as a share of the plot), a histogram at the bottom
    marks : clouds of rows and boxes, under the lines

    Examples
    --------
    >>> from assay.plots.scale import Scale
    >>> from assay.report.charts import Line, chart
    >>> drawn = chart([Line([0, 0.5, 1], [0, 0.5, 1])], Scale.unit(), Scale.unit(), "x", "y", "a diagonal")
    >>> drawn.count("<path"), "50L" in drawn
    (1, False)
    """
    width, height = size
    left = max(LEFT, AXIS_NAME + TICK_LETTER * max((len(name) for _, name in y.labels), default=0))
    paper = (width - left - RIGHT, height - TOP - BOTTOM)

    def place(u: Any) -> Any:
        return left + x.share(u) * paper[0]

    def level(v: Any) -> Any:
        return TOP + (1.0 - y.share(v)) * paper[1]

    parts = [element("title", label)]
    crowded = TICK_LETTER * sum(len(name) + 1 for _, name in x.labels) > paper[0]
    for i, (tick, name) in enumerate(x.labels):
        at = float(place(tick))
        parts.append(element("line", x1=at, x2=at, y1=TOP, y2=TOP + paper[1], class_="grid"))
        if not (crowded and i % 2):
            parts.append(element("text", name, x=at, y=TOP + paper[1] + 15, text_anchor="middle"))
    for tick, name in y.labels:
        parts += [
            element(
                "line",
                x1=left,
                x2=left + paper[0],
                y1=float(level(tick)),
                y2=float(level(tick)),
                class_="grid",
            ),
            element("text", name, x=left - 6, y=float(level(tick)) + 4, text_anchor="end"),
        ]
    middle = TOP + paper[1] / 2
    parts += [
        element(
            "text", x_label, x=left + paper[0] / 2, y=height - 6, text_anchor="middle", class_="axis-name"
        ),
        element(
            "text", y_label, x=12, y=middle, transform=f"rotate(-90 12 {middle:g})",
            text_anchor="middle", class_="axis-name",
        ),
    ]  # fmt: skip
    for start, end, share in bars:
        bar_height = max(share, 0.0) * paper[1]
        parts.append(
            element(
                "rect", x=float(place(start)) + 0.5, width=max(float(place(end) - place(start)) - 1, 0.5),
                y=TOP + paper[1] - bar_height, height=bar_height, class_="hist",
            )
        )  # fmt: skip
    for mark in marks:
        parts += _cloud(mark, place, level) if isinstance(mark, Cloud) else _box(mark, place, level)
    for line in lines:
        parts += _drawn(line, place, level)
    return element(
        "svg", *parts, viewBox=f"0 0 {width:g} {height:g}", class_="svg chart", role="img", aria_label=label
    )


def _drawn(line: Line, place: Callable[[Any], Any], level: Callable[[Any], Any]) -> list[Markup]:
    def spots(values: Any) -> np.ndarray:
        x, y = np.asarray(line.x, dtype=np.float64), np.asarray(values, dtype=np.float64)
        finite = np.isfinite(y)
        return np.column_stack([place(x[finite]), level(y[finite])])

    middle = spots(line.y)
    title = [element("title", line.label)] if line.label else []
    parts = []
    if len(line.low) > 1:
        band_edges = [_simplified(spots(line.high)), _simplified(spots(line.low))[::-1]]
        parts.append(element("path", d=_path(np.vstack(band_edges)) + "Z", class_=f"band {line.kind}"))
    if len(middle) > 1:
        parts.append(element("path", *title, d=_path(_simplified(middle)), class_=f"curve {line.kind}"))
    if line.dots or len(middle) == 1:
        parts += [
            element("circle", cx=float(u), cy=float(v), r=3, class_=f"spot {line.kind}") for u, v in middle
        ]
    return parts


def _cloud(cloud: Cloud, place: Callable[[Any], Any], level: Callable[[Any], Any]) -> list[Markup]:
    spots = np.column_stack([place(cloud.x), level(cloud.y)])
    if len(spots) <= MAX_DOTS:
        spots = np.unique(np.round(spots * 10).astype(int), axis=0)
        dots = "".join(f"M{_number(u)} {_number(v)}h0" for u, v in spots.tolist())
        return [element("path", d=dots, class_=f"dots {cloud.kind}")]
    centres, counts = hexagons(spots, HEXAGON)
    most = np.log(max(counts.max(), 2))
    shade = np.minimum((SHADES * np.log(counts) / most).astype(int), SHADES - 1)
    return [
        element("path", d="".join(map(_hexagon, centres[shade == s])), class_=f"hex s{s} {cloud.kind}")
        for s in np.unique(shade).tolist()
    ]


def _hexagon(centre: np.ndarray) -> str:
    """One corner up, from the lower left one."""
    half, side = np.sqrt(3) / 2 * HEXAGON, HEXAGON
    x, y = centre[0] - half, centre[1] + side / 2
    slope = f"{half:.1f} {side / 2:.1f}"
    return f"M{x:.1f} {y:.1f}v{-side:.1f}l{half:.1f}{-side / 2:.1f} {slope}v{side:.1f}l-{slope}z"


def _box(box: Box, place: Callable[[Any], Any], level: Callable[[Any], Any]) -> list[Markup]:
    left, middle, right = (float(place(box.x + d)) for d in (-box.width / 2, 0, box.width / 2))
    low, lower, median, upper, high = (float(level(q)) for q in box.quantiles)
    title = [element("title", box.label)] if box.label else []
    whiskers = f"M{middle:.1f} {low:.1f}V{lower:.1f}M{middle:.1f} {upper:.1f}V{high:.1f}"
    shapes = [
        element("path", d=whiskers, class_="whisker"),
        element("rect", x=left, y=upper, width=right - left, height=max(lower - upper, 0.5)),
        element("path", d=f"M{left:.1f} {median:.1f}H{right:.1f}", class_="median"),
    ]
    return [element("g", *title, *shapes, class_=f"box {box.kind}")]


def _simplified(points: np.ndarray) -> np.ndarray:
    """The points needed to draw the line, in tenths of a unit."""
    tenths = np.round(points * 10) / 10
    moved = np.append(True, (np.diff(tenths, axis=0) != 0).any(axis=1))
    return thinned(tenths[moved], TOLERANCE)


def _path(points: np.ndarray) -> str:
    """From point to point, each written as the step from the last one, in as few letters as SVG allows."""
    tenths = np.round(points * 10).astype(int)
    steps = [(int(dx), int(dy)) for dx, dy in np.diff(tenths, axis=0) if dx or dy]
    segments = "".join("l" + _number(dx) + ("" if dy < 0 else " ") + _number(dy) for dx, dy in steps)
    return f"M{_number(tenths[0, 0])} {_number(tenths[0, 1])}{segments}"


def _number(tenths: int) -> str:
    text = f"{tenths / 10:g}"
    return text.replace("0.", ".", 1) if abs(tenths) < 10 and tenths else text
