"""A tree as a drawing: one self-contained SVG element that reads on light and on dark ground."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.trees.layout import Layout, Place, lay_out
from assay.trees.outline import Outline
from assay.trees.text import answer_word, rows, rows_word

__all__ = ["tree_html", "tree_svg"]

CHARACTER, LINE, PAD = 6.4, 15.0, 9.0  # of text at 11.5 pixels; room between text and border
PAPER, INK, GREY = "#ffffff", "#15202b", "#737d89"  # GREY has a contrast above 4 on white and on black
STRESS = "#d55e00"
FONT = "font-family:'Helvetica Neue',Helvetica,Arial,sans-serif;font-size:11.5px"
LEGEND = 10  # more classes than this have no legend: their colours repeat anyway


def tree_svg(
    outline: Outline,
    *,
    max_leaves: int = 60,
    max_depth: int | None = None,
    direction: str = "auto",
    notes: Mapping[int, str] | None = None,
    path: Iterable[int] = (),
) -> str:
    """Draw a tree: ellipses test a column, boxes answer, bars show the shares of the classes.

    Numbers at the edges have six digits; the exact condition shows when the pointer rests on the label.

    Parameters
    ----------
    outline : Outline
    max_leaves : int, default 60
        Of a larger tree the branches with most rows are drawn, and what is left out is counted.
    max_depth : int, default None
        Draw the tests up to this depth.
    direction : "down", "right" or "auto"
        "auto" lets trees of up to eight leaves grow down, larger ones to the right.
    notes : dict of node to text, default None
        Lines to add to some leaves, for example their rows.
    path : nodes, default none
        Nodes to stress, for example those that a row passes: ``[node for node, _ in tree.path(x)]``.

    Examples
    --------
    >>> from assay.tables import Schema
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.svg import tree_svg
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 0.8, "children": [
    ...     {"value": [1, 0], "n": 50}, {"value": [0, 1], "n": 10}]}, n_categories=[0])
    >>> drawing = tree_svg(outline_of(tree, Schema.numeric(1), ["a", "b"]))
    >>> drawing.count("<ellipse"), drawing.count("<title>"), drawing[:4]
    (1, 5, '<svg')
    """
    if direction not in ("auto", "down", "right"):
        raise ValueError(f"tree_svg: direction must be 'auto', 'down' or 'right', got {direction!r}.")
    layout = lay_out(outline, max_leaves, max_depth)
    down = layout.leaves <= 8 if direction == "auto" else direction == "down"
    sheet = _Sheet.of(outline, layout, down, dict(notes or {}), frozenset(map(int, path)))
    parts = [sheet.edge(p) for p in layout.places if p.parent >= 0] + [sheet.place(p) for p in layout.places]
    width, height = sheet.size()
    if outline.classes is not None and len(outline.classes) <= LEGEND:
        legend, room = _legend(outline.classes, height)
        parts.append(legend)
        width, height = max(width, room), height + 24
    if layout.hidden:
        words = f"{layout.hidden} of {len(outline.nodes)} nodes are not drawn"
        parts.append(_text(words, 8, height + 12, fill=GREY))
        width, height = max(width, CHARACTER * len(words) + 16), height + 22
    label = f"Decision tree with {len(outline.leaves)} leaves"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{label}" width="{width:.0f}" '
        f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" style="{FONT};max-width:100%;height:auto">'
        + "".join(parts)
        + "</svg>"
    )


def tree_html(outline: Outline, title: str = "", **options: Any) -> str:
    """The drawing as a piece of HTML that scrolls when it is wide, for notebooks and reports; options as in tree_svg.

    >>> from assay.tables import Schema
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.svg import tree_html
    >>> from assay.trees.tree import Tree
    >>> tree_html(outline_of(Tree.of({"value": 2.5, "n": 3}, [0]), Schema.numeric(1)), "A < B")[:67]
    '<div class="assay-tree" style="overflow-x:auto"><p>A &lt; B</p><svg'
    """
    head = f"<p>{escape(title)}</p>" if title else ""
    drawing = tree_svg(outline, **options).replace(";max-width:100%;height:auto", "", 1)
    return f'<div class="assay-tree" style="overflow-x:auto">{head}{drawing}</div>'


@dataclass(frozen=True)
class _Sheet:
    """Sizes in pixels, and where things go on the paper."""

    outline: Outline
    layout: Layout
    down: bool
    notes: dict[int, str]
    path: frozenset[int]
    box: tuple[float, float]  # of leaves
    oval: tuple[float, float]  # of tests
    label: float  # the longest label's width
    step: tuple[float, float]  # from leaf to leaf, from level to level

    @classmethod
    def of(
        cls, outline: Outline, layout: Layout, down: bool, notes: dict[int, str], path: frozenset[int]
    ) -> _Sheet:
        lines = {k: _lines(outline, p, notes) for k, p in enumerate(layout.places) if not p.inner}
        tests = [one_line(outline.nodes[p.node].test, 30) for p in layout.places if p.inner]
        box = (
            max((_width(t) for texts in lines.values() for t in texts), default=0.0) + 2 * PAD,
            max((len(texts) for texts in lines.values()), default=1) * LINE + 2 * PAD + 4,
        )
        oval = (1.25 * max((_width(t) for t in tests), default=0.0) + 3 * PAD, 2 * LINE + 2.4 * PAD)
        box, oval = (max(box[0], 74.0), box[1]), (max(oval[0], 92.0), oval[1])
        label = max((_width(p.label) for p in layout.places), default=0.0) + 6
        if down:
            step = (max(box[0], label, 0.7 * oval[0]) + 14, max(box[1], oval[1]) + 56)
        else:
            step = (max(box[1], oval[1] * 0.75) + 10, max(box[0], oval[0]) + label + 44)
        return cls(outline, layout, down, notes, path, box, oval, label, step)

    def size(self) -> tuple[float, float]:
        """Of the whole drawing: across and down the page."""
        across = (self.layout.leaves - 1) * self.step[0]
        along = self.layout.depth * self.step[1]
        widest = max(self.box[0], self.oval[0])
        tallest = max(self.box[1], self.oval[1])
        if self.down:
            return across + widest + 16, along + tallest + 16
        return along + widest + 16, across + tallest + 16

    def centre(self, p: Place) -> tuple[float, float]:
        across, along = p.breadth * self.step[0], p.depth * self.step[1]
        half = max(self.box[0], self.oval[0]) / 2 + 8, max(self.box[1], self.oval[1]) / 2 + 8
        return (half[0] + across, half[1] + along) if self.down else (half[0] + along, half[1] + across)

    def edge(self, p: Place) -> str:
        """A curve from the parent, its label where it arrives."""
        (x0, y0), (x1, y1) = self.centre(self.layout.places[p.parent]), self.centre(p)
        width, height = self.oval if p.inner else self.box
        name = f"<title>{escape(p.words)}</title>{escape(one_line(p.label))}"
        if self.down:
            y0, y1 = y0 + self.oval[1] / 2, y1 - height / 2 - 17
            bend = (y0 + y1) / 2
            path = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {bend:.1f} {x1:.1f} {bend:.1f} {x1:.1f} {y1:.1f}"
            label = _text(name, x1, y1 + 12, anchor="middle", fill=GREY, raw=True)
        else:
            x0, x1 = x0 + self.oval[0] / 2, x1 - width / 2 - self.label - 4
            bend = (x0 + x1) / 2
            path = f"M{x0:.1f} {y0:.1f}C{bend:.1f} {y0:.1f} {bend:.1f} {y1:.1f} {x1:.1f} {y1:.1f}"
            label = _text(name, x1 + 4 + self.label / 2, y1 + 4, anchor="middle", fill=GREY, raw=True)
        return f'<path d="{path}" fill="none" {self._stroke(p)}/>' + label

    def _stroke(self, p: Place) -> str:
        if p.node in self.path and not p.note:
            return f'stroke="{STRESS}" stroke-width="3"'
        return f'stroke="{GREY}" stroke-width="1.2"'

    def place(self, p: Place) -> str:
        """An ellipse for a test, a box for an answer, a dashed box where branches are left out."""
        x, y = self.centre(p)
        node = self.outline.nodes[p.node]
        if p.inner:
            rx, ry = self.oval[0] / 2, self.oval[1] / 2
            shape = f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{rx:.1f}" ry="{ry:.1f}" fill="{PAPER}" {self._stroke(p)}/>'
            texts = [one_line(node.test, 30), _rows_label(rows(node.n))]
            top, bar = y - ry + PAD, (x - 0.30 * self.oval[0], y + ry - PAD - 1, 0.6 * self.oval[0])
        else:
            width, height = self.box
            dash = ' stroke-dasharray="4 3"' if p.hidden else ""
            left, top = x - width / 2, y - height / 2
            shape = (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="4" '
                f'fill="{PAPER}" {self._stroke(p)}{dash}/>'
            )
            if not p.note:
                shape += (
                    f'<rect x="{left:.1f}" y="{top:.1f}" width="5" height="{height:.1f}" rx="2" '
                    f'fill="{self.outline.colour(p.node)}"/>'
                )
            texts = _lines(self.outline, p, self.notes)
            top, bar = top + PAD - 1, (left + PAD + 3, top + height - PAD - 1, width - 2 * PAD - 3)
        shift = 0.0 if p.inner or p.note else 2.5
        lines = [
            _text(line, x + shift, top + 11 + LINE * k, anchor="middle", bold=k == 0 and not p.note)
            for k, line in enumerate(texts)
        ]
        drawn = "" if p.note else self._bar(p.node, *bar)
        return f"<g><title>{escape(self._tooltip(p))}</title>{shape}{''.join(lines)}{drawn}</g>"

    def _bar(self, node: int, x: float, y: float, width: float) -> str:
        """The shares of the classes side by side; of a number, its place between the least and the greatest."""
        values = self.outline.nodes[node].value
        if self.outline.classes is None:
            low, high = self.outline.value_range
            at = x + width * (min(max((values[0] - low) / (high - low), 0), 1) if high > low else 0.5)
            return (
                f'<rect x="{x:.1f}" y="{y + 1:.1f}" width="{width:.1f}" height="2" fill="{GREY}" opacity="0.45"/>'
                f'<circle cx="{at:.1f}" cy="{y + 2:.1f}" r="3.2" fill="{INK}"/>'
            )
        parts = []
        for k, share in enumerate(values):
            if share > 0:
                parts.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * share:.2f}" height="4" fill="{class_colour(k)}"/>'
                )
                x += width * share
        return "".join(parts)

    def _tooltip(self, p: Place) -> str:
        """What the pointer reads on a node."""
        node = self.outline.nodes[p.node]
        if p.note:
            return f"{p.hidden} branches are not drawn"
        text = f"node {p.node}: {answer_word(self.outline, node)}, {rows(node.n)} rows"
        text = f"{one_line(node.test)}; {text}" if p.inner else text
        if self.outline.classes is not None and len(node.counts) <= 20:
            pairs = zip(self.outline.classes, node.counts)
            text += " (" + ", ".join(f"{one_line(label)} {rows(n)}" for label, n in pairs) + ")"
        return text


def _lines(outline: Outline, p: Place, notes: Mapping[int, str]) -> list[str]:
    """The lines of text in a box."""
    if p.note:
        return [f"{p.hidden} more"]
    node = outline.nodes[p.node]
    texts = [one_line(answer_word(outline, node), 26), _rows_label(rows_word(outline, node))]
    if p.hidden:
        texts.append(f"{p.hidden} more nodes")
    return texts + [one_line(line, 40) for line in notes.get(p.node, "").split("\n") if line]


def _rows_label(n: str) -> str:
    return f"{n} row" if n == "1" else f"{n} rows"


def _legend(classes: tuple[object, ...], y: float) -> tuple[str, float]:
    """A square and a name for each class, and how far to the right they reach."""
    parts, x = [], 10.0
    for k, label in enumerate(classes):
        name = one_line(label, 26)
        parts.append(
            f'<rect x="{x:.1f}" y="{y + 4:.1f}" width="10" height="10" rx="2" fill="{class_colour(k)}"/>'
        )
        parts.append(_text(name, x + 15, y + 13, fill=GREY))
        x += 15 + _width(name) + 16
    return "".join(parts), x


def _text(
    text: str,
    x: float,
    y: float,
    anchor: str = "start",
    fill: str = INK,
    bold: bool = False,
    raw: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    inner = text if raw else escape(text)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}"{weight}>{inner}</text>'


def _width(text: str) -> float:
    """About how wide a line of text is, in pixels; wide scripts take two places."""
    return CHARACTER * sum(2 if ord(c) > 0x2E7F else 1 for c in text)
