"""Small drawings as inline SVG: whiskers, axes, bars. Colours come from the page's style sheet.

Every text and attribute is escaped here, so names from the data can be passed as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup, escape

from assay.plots.scale import Scale

__all__ = ["axis", "class_bar", "element", "share_bar", "whisker"]


MARGIN = 14.0  # at both ends of a scale: half the width of a tick label


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """One element; ``class_`` stands for class, an underscore for a hyphen, None leaves an attribute out.

    >>> from assay.report.svg import element
    >>> element("text", "a < b", x=1, text_anchor="end")
    Markup('<text x="1" text-anchor="end">a &lt; b</text>')
    """
    attribute_text = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{attribute_text}>{''.join(escape(c) for c in children)}</{name}>")


def _short(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


def axis(scale: Scale, height: float = 22.0) -> Markup:
    """Tick labels, to stand over or under whiskers of the same scale."""
    labels = [
        element(
            "text",
            name,
            x=scale(tick),
            y=height - 7,
            text_anchor="middle",
            class_="tick",
        )
        for tick, name in scale.labels
    ]
    return _drawing(scale.width, height, labels, "axis")


def whisker(
    scale: Scale,
    mean: float,
    low: float,
    high: float,
    points: Sequence[float] | np.ndarray = (),
    kind: str = "level",
    zero: float | None = None,
    label: str = "",
    region: float | None = None,
) -> Markup:
    """A dot with its interval, over faint marks of the single values.

    Parameters
    ----------
    kind : "best", "level" (not significantly worse) or "worse"; the style sheet gives it a colour
    zero : where to draw a reference line
    region : half the width of a shaded region around zero

    A mean beyond the scale becomes an arrow at its edge.
    """
    h = 30.0
    grid = [element("line", x1=scale(t), x2=scale(t), y1=0, y2=h, class_="grid") for t in scale.ticks]
    if region is not None and scale(region) > scale(-region):
        edges = scale(-region), scale(region)
        grid.append(element("rect", x=edges[0], width=edges[1] - edges[0], y=0, height=h, class_="region"))
    if zero is not None:
        grid.append(element("line", x1=scale(zero), x2=scale(zero), y1=0, y2=h, class_="zero"))
    marks = [
        element("line", x1=scale(v), x2=scale(v), y1=h - 8, y2=h - 3, class_="mark")
        for v in list(points)[:200]
        if scale.low <= v <= scale.high
    ]
    drawn = []
    if np.isfinite(mean) and not scale.low <= mean <= scale.high:  # off the scale: an arrow at its edge
        direction, x = (1, scale.width - 3) if mean > scale.high else (-1, 3)
        arrow = f"{x - direction * 9:g},{h / 2 - 5.5:g} {x:g},{h / 2:g} {x - direction * 9:g},{h / 2 + 5.5:g}"
        drawn.append(element("polygon", points=arrow, class_="dot"))
    else:
        if np.isfinite(low) and np.isfinite(high):
            ends = [v for v in (low, high) if scale.low <= v <= scale.high]
            drawn.append(element("line", x1=scale(low), x2=scale(high), y1=h / 2, y2=h / 2, class_="whisker"))
            drawn += [
                element("line", x1=scale(v), x2=scale(v), y1=h / 2 - 5, y2=h / 2 + 5, class_="whisker")
                for v in ends
            ]
        if np.isfinite(mean):
            drawn.append(element("circle", cx=scale(mean), cy=h / 2, r=5, class_="dot"))
    title = [element("title", label)] if label else []
    return _drawing(scale.width, h, [*title, *grid, *marks, element("g", *drawn, class_=kind)], "plot", label)


def class_bar(shares: Sequence[tuple[str, int]], width: float = 720.0) -> Markup:
    """One bar, cut by the rows of each class, with names where they fit."""
    total = sum(n for _, n in shares) or 1
    parts, x = [], 0.0
    for k, (label, n) in enumerate(shares):
        w = width * n / total
        title = element("title", f"{label}: {n} rows, {n / total:.1%}")
        parts.append(
            element(
                "g",
                title,
                element("rect", x=x, y=0, width=max(w - 1.5, 0.5), height=34, rx=3, class_=f"class c{k % 8}"),
            )
        )
        caption = f"{label} {n / total:.0%}"
        if 7.0 * len(caption) + 16 < w:
            parts.append(element("text", caption, x=x + 9, y=22, class_=f"on c{k % 8}"))
        x += w
    return _drawing(width, 34, parts, "classes", "rows of each class")


def share_bar(share: float, width: float = 120.0) -> Markup:
    """A thin bar from 0 to 1."""
    filled = max(1.0, width * min(max(share, 0.0), 1.0))
    return _drawing(
        width,
        10,
        [element("rect", x=0, y=2, width=width, height=6, rx=3, class_="track"),
         element("rect", x=0, y=2, width=filled, height=6, rx=3, class_="fill")],
        "bar",
    )  # fmt: skip


def _drawing(width: float, height: float, parts: Sequence[Markup], kind: str, label: str = "") -> Markup:
    accessibility = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return element("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", class_=f"svg {kind}", **accessibility)
