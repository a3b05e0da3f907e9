"""Line charts as inline SVG: axes, lines, bands, dots, bars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from markupsafe import Markup

from assay.plots.scale import Scale
from assay.report.svg import element
from assay.report.thinning import thinned

__all__ = ["Line", "chart"]

LEFT, RIGHT, TOP, BOTTOM = 44.0, 10.0, 8.0, 38.0  # margins for the labels around the plot
TOLERANCE = 0.5  # units of the drawing; a smaller shift of a line is invisible


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


def chart(
    lines: Sequence[Line],
    x: Scale,
    y: Scale,
    x_label: str,
    y_label: str,
    label: str,
    bars: Sequence[tuple[float, float, float]] = (),
    size: tuple[float, float] = (270.0, 245.0),
) -> Markup:
    """Lines over a grid.

    Parameters
    ----------
    x, y : scales of the axes
    label : what the picture shows, for readers who do not see it
    bars : (from, to, height as a share of the plot), a histogram at the bottom

    Examples
    --------
    >>> from assay.plots.scale import Scale
    >>> from assay.report.charts import Line, chart
    >>> drawn = chart([Line([0, 0.5, 1], [0, 0.5, 1])], Scale.unit(), Scale.unit(), "x", "y", "a diagonal")
    >>> drawn.count("<path"), "50L" in drawn
    (1, False)
    """
    width, height = size
    paper = (width - LEFT - RIGHT, height - TOP - BOTTOM)

    def place(u: Any) -> Any:
        return LEFT + x.share(u) * paper[0]

    def level(v: Any) -> Any:
        return TOP + (1.0 - y.share(v)) * paper[1]

    parts = [element("title", label)]
    for tick, name in x.labels:
        parts += [
            element(
                "line", x1=float(place(tick)), x2=float(place(tick)), y1=TOP, y2=TOP + paper[1], class_="grid"
            ),
            element("text", name, x=float(place(tick)), y=TOP + paper[1] + 15, text_anchor="middle"),
        ]
    for tick, name in y.labels:
        parts += [
            element(
                "line",
                x1=LEFT,
                x2=LEFT + paper[0],
                y1=float(level(tick)),
                y2=float(level(tick)),
                class_="grid",
            ),
            element("text", name, x=LEFT - 6, y=float(level(tick)) + 4, text_anchor="end"),
        ]
    middle = TOP + paper[1] / 2
    parts += [
        element(
            "text", x_label, x=LEFT + paper[0] / 2, y=height - 6, text_anchor="middle", class_="axis-name"
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
