"""A picture of a tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from textwrap import wrap
from typing import Any

import numpy as np

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.plots.canvas import axes_for
from assay.rulebase.conditions import Condition
from assay.trees.layout import Layout, Place, lay_out
from assay.trees.outline import Outline
from assay.trees.text import answer_word, rows, rows_word
from assay.types import Axes, Estimator

__all__ = ["TreeDisplay"]

PAPER, INK, GREY, STRESS = "#ffffff", "#15202b", "#5f6975", "#d55e00"
LABEL_POSITION = 0.58  # of the text at an edge, along it
LABEL_PAD = 2.0  # points around them
LETTER_WIDTH = 0.6  # the width of a letter as a part of its size


class TreeDisplay:
    """Ellipses are tests, boxes are leaves; a bar under each shows the shares of the classes.

    Parameters
    ----------
    outline : Outline
        What is drawn; ``model.outline()`` gives it.
    notes : dict of node to text, default None
        Lines to add to some leaves, for example their rows.

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``
    layout_ : Layout
        Which nodes are drawn, and where.

    Examples
    --------
    >>> from assay.plots import TreeDisplay
    >>> from assay.tables import Schema
    >>> from assay.trees import Tree, outline_of
    >>> tree = Tree.of({"feature": 0, "threshold": 0.8, "children": [
    ...     {"value": [1, 0], "n": 50}, {"value": [0, 1], "n": 10}]}, n_categories=[0])
    >>> display = TreeDisplay(outline_of(tree, Schema.numeric(1), ["a", "b"])).plot()
    >>> [place.node for place in display.layout_.places]
    [0, 1, 2]
    """

    def __init__(self, outline: Outline, notes: Mapping[int, str] | None = None):
        self.outline = outline
        self.notes = dict(notes or {})

    @classmethod
    def from_estimator(
        cls,
        estimator: Estimator,
        *,
        notes: Mapping[int, str] | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> TreeDisplay:
        """Draw the tree of a fitted learner; options are those of ``plot``."""
        if not hasattr(estimator, "outline"):
            raise TypeError(
                f"TreeDisplay: {type(estimator).__name__} is no tree. Of an ensemble draw one of its estimators_."
            )
        return cls(estimator.outline(), notes).plot(ax, **options)

    def plot(
        self,
        ax: Any = None,
        *,
        max_leaves: int = 30,
        max_depth: int | None = None,
        fontsize: float | None = None,
        path: Iterable[int] = (),
    ) -> TreeDisplay:
        """Draw the tree from the root down.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure that is large enough
        max_leaves, max_depth : how much of a large tree is drawn, the branches with most rows first
        fontsize : float, default None for the largest up to 10 at which the words fit
        path : nodes to stress, for example those that a row passes
        """
        layout = self.layout_ = lay_out(self.outline, max_leaves, max_depth)
        size = (max(4.0, 1.25 * layout.leaves + 0.4), 1.25 * (layout.depth + 1) + 0.3)
        self.ax_ = ax = axes_for(ax, size)
        self.figure_ = ax.figure
        self._path = frozenset(map(int, path))
        points = ax.get_position().size * self.figure_.get_size_inches() * 72
        self._unit = (
            points[0] / layout.leaves,
            points[1] / (layout.depth + 1),
        )  # of a leaf's and a level's room
        fontsize = self._fitting(layout) if fontsize is None else fontsize
        room = self._label_room(layout)
        for k, place in enumerate(layout.places):
            if place.parent >= 0:
                self._edge(place, layout, fontsize, room[k])
        bottom = min(self._place(place, fontsize) for place in layout.places)
        if layout.hidden:
            caption = f"{layout.hidden} of {len(self.outline.nodes)} nodes are not drawn"
            ax.text(0.0, 0.0, caption, transform=ax.transAxes, fontsize=fontsize, color=GREY, va="top")
        ax.set(xlim=(-0.62, layout.leaves - 0.38), ylim=(bottom - 0.08, 0.4))
        ax.axis("off")
        return self

    def _fitting(self, layout: Layout) -> float:
        """The size of letters at which the longest line and two lines fit into their shapes."""
        words = [line for place in layout.places for line in self._lines(place)]
        across, along = 0.95 * self._unit[0], 0.46 * self._unit[1]
        return float(np.clip(min(across / (0.58 * max(map(len, words))), along / 2.6), 6.0, 10.0))

    def _label_room(self, layout: Layout) -> dict[int, float]:
        """How wide the words at each edge may be, in points: as far as those of the edges beside it."""
        room = dict.fromkeys(range(len(layout.places)), self._unit[0])
        levels: dict[int, list[tuple[float, int]]] = {}
        for k, place in enumerate(layout.places):
            if place.parent >= 0:
                levels.setdefault(place.depth, []).append((self._label_at(place, layout)[0], k))
        for level in levels.values():
            level.sort()
            for (left, a), (right, b) in pairwise(level):
                gap = (right - left) * self._unit[0]
                room[a], room[b] = min(room[a], gap), min(room[b], gap)
        return room

    def _label_at(self, place: Place, layout: Layout) -> tuple[float, float]:
        """Where the words at the edge to a place stand: a little below its middle."""
        above = layout.places[place.parent]
        x = (1 - LABEL_POSITION) * above.breadth + LABEL_POSITION * place.breadth
        return x, -(1 - LABEL_POSITION) * above.depth - LABEL_POSITION * place.depth

    def _edge(self, place: Place, layout: Layout, fontsize: float, room: float) -> None:
        above = layout.places[place.parent]
        at = [above.breadth, place.breadth], [-above.depth, -place.depth]
        stress = place.node in self._path and not place.note
        self.ax_.plot(*at, color=STRESS if stress else GREY, lw=2.6 if stress else 1, zorder=1)
        x, y = self._label_at(place, layout)
        box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
        letters = int((room - 2 * LABEL_PAD) / (LETTER_WIDTH * (fontsize - 1)))
        label = _wrapped(one_line(self._label(place, above), 24), max(letters, 4))
        text = {"ha": "center", "va": "center", "fontsize": fontsize - 1, "color": GREY, "linespacing": 1.05}
        self.ax_.text(x, y, label, bbox=box, zorder=2, **text)

    def _label(self, place: Place, above: Place) -> str:
        """The words at an edge, with four digits."""
        ways = [b.condition for b in self.outline.nodes[above.node].branches if b.child == place.node]
        if not place.note and ways and isinstance(ways[0], Condition):
            return ways[0].label(self.outline.schema, digits=4, limit=2)
        return place.label

    def _place(self, place: Place, fontsize: float) -> float:
        """Draw one node; returns how far down it reaches."""
        from matplotlib.patches import Ellipse, Rectangle

        x, y, node, lines = place.breadth, -place.depth, self.outline.nodes[place.node], self._lines(place)
        room = max(0.52, 1.3 * fontsize * len(lines) / self._unit[1] + 0.16)
        top, bottom = y + 0.26, y + 0.26 - room
        if place.inner:
            self.ax_.add_patch(Ellipse((x, y), 1.1, 0.52, facecolor=PAPER, edgecolor=GREY, zorder=3))
            top, bottom = y + 0.22, y - 0.24
        else:
            edge = GREY if place.note else self.outline.colour(place.node)
            shape: dict[str, Any] = {"facecolor": PAPER, "edgecolor": edge, "lw": 1.0 if place.note else 1.8}
            style = "--" if place.hidden else "-"
            self.ax_.add_patch(Rectangle((x - 0.44, bottom), 0.88, top - bottom, ls=style, zorder=3, **shape))
        middle = (top + bottom) / 2 + 0.04
        text = {"ha": "center", "va": "center", "fontsize": fontsize, "color": INK, "linespacing": 1.15}
        self.ax_.text(x, middle, "\n".join(lines), zorder=4, **text)
        if self.outline.classes is not None and not place.note:
            left, width = x - 0.32, 0.64
            for k, share in enumerate(node.value):
                bar = Rectangle(
                    (left, bottom + 0.06), width * share, 0.045, facecolor=class_colour(k), lw=0, zorder=4
                )
                self.ax_.add_patch(bar)
                left += width * share
        return bottom

    def _lines(self, place: Place) -> list[str]:
        node = self.outline.nodes[place.node]
        if place.note:
            return [f"{place.hidden} more"]
        if place.inner:
            return [one_line(node.test, 22), f"{rows(node.n)} rows"]
        lines = [one_line(answer_word(self.outline, node, 4), 16), rows_word(self.outline, node)]
        lines += [f"{place.hidden} more nodes"] if place.hidden else []
        return lines + [line for line in self.notes.get(place.node, "").split("\n") if line]


def _wrapped(text: str, letters: int) -> str:
    """A label in lines of so many letters at most, two of them; what is left over is cut."""
    if len(text) <= letters:
        return text
    lines = wrap(text, letters, break_long_words=True)
    if len(lines) > 2:
        remainder = " ".join(lines[1:])
        lines = [lines[0], remainder[: max(letters - 3, 1)].rstrip(" ,.") + "..."]
    return "\n".join(lines)
