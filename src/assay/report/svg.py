"""Small drawings as inline SVG: whiskers, axes, bars. Colours come from the page's style sheet.

Every text and attribute is escaped here, so names from the data can be passed as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup, escape

__all__ = ["Scale", "axis", "class_bar", "element", "share_bar", "whisker"]


def element(name: str, *children: str | Markup, **attributes: object) -> Markup:
    """One element; ``class_`` stands for class, an underscore for a hyphen, None leaves an attribute out.

    >>> from assay.report.svg import element
    >>> element("text", "a < b", x=1, text_anchor="end")
    Markup('<text x="1" text-anchor="end">a &lt; b</text>')
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_short(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{said}>{''.join(escape(c) for c in children)}</{name}>")


def _short(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


@dataclass(frozen=True)
class Scale:
    """From values to places on a line of some width, with round ticks.

    >>> from assay.report.svg import Scale
    >>> scale = Scale.over([0.03, 0.41], width=300)
    >>> scale.ticks
    [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
    """

    low: float
    high: float
    ticks: list[float]
    width: float
    margin: float = 14.0

    @classmethod
    def over(
        cls, values: Iterable[float], width: float, within: tuple[float, float] = (-np.inf, np.inf)
    ) -> Scale:
        """A scale that holds all finite values, ends on ticks and stays within bounds."""
        known = [float(v) for v in values if np.isfinite(v)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        if high - low < 1e-12:
            pad = max(abs(high) * 0.1, 0.005)
            low, high = low - pad, high + pad
        step = _step((high - low) / 5)
        low, high = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
        low, high = max(low, within[0]), min(high, within[1])
        count = round((high - low) / step)
        ticks = [round(float(low + i * step), 10) + 0.0 for i in range(count + 1)]
        return cls(float(low), float(high), ticks, width)

    def __call__(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.margin + share * (self.width - 2 * self.margin)


def _step(rough: float) -> float:
    """The next larger one of 1, 2, 5 times a power of ten."""
    power = 10.0 ** np.floor(np.log10(rough))
    return float(next(m * power for m in (1, 2, 5, 10) if m * power >= rough * (1 - 1e-9)))


def axis(scale: Scale, height: float = 22.0) -> Markup:
    """Tick labels, to stand over or under whiskers of the same scale."""
    labels = [
        element(
            "text",
            f"{tick:g}".replace("-", "−"),
            x=scale(tick),
            y=height - 7,
            text_anchor="middle",
            class_="tick",
        )
        for tick in scale.ticks
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
        way, x = (1, scale.width - 3) if mean > scale.high else (-1, 3)
        arrow = f"{x - way * 9:g},{h / 2 - 5.5:g} {x:g},{h / 2:g} {x - way * 9:g},{h / 2 + 5.5:g}"
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
        words = element("title", f"{label}: {n} rows, {n / total:.1%}")
        parts.append(
            element(
                "g",
                words,
                element("rect", x=x, y=0, width=max(w - 1.5, 0.5), height=34, rx=3, class_=f"class c{k % 8}"),
            )
        )
        shown = f"{label} {n / total:.0%}"
        if 7.0 * len(shown) + 16 < w:
            parts.append(element("text", shown, x=x + 9, y=22, class_=f"on c{k % 8}"))
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
    spoken = {"role": "img", "aria_label": label} if label else {"aria_hidden": "true"}
    return element("svg", *parts, viewBox=f"0 0 {width:g} {height:g}", class_=f"svg {kind}", **spoken)
