"""A picture of a tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assay.core.palette import class_colour
from assay.core.words import one_line
from assay.plots.canvas import axes_for
from assay.trees.layout import Layout, Place, lay_out
from assay.trees.outline import Outline
from assay.trees.text import answer_word, rows, rows_word

__all__ = ["TreeDisplay"]

PAPER, INK, GREY = "#ffffff", "#15202b", "#5f6975"


class TreeDisplay:
    """Ellipses test a column, boxes answer; a bar under each shows the shares of the classes.

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
        cls, estimator: Any, *, notes: Mapping[int, str] | None = None, ax: Any = None, **options: Any
    ) -> TreeDisplay:
        """Draw the tree of a fitted learner; options are those of ``plot``."""
        if not hasattr(estimator, "outline"):
            raise TypeError(
                f"TreeDisplay: {type(estimator).__name__} is no tree. Of an ensemble draw one of its estimators_."
            )
        return cls(estimator.outline(), notes).plot(ax, **options)

    def plot(
        self, ax: Any = None, *, max_leaves: int = 30, max_depth: int | None = None, fontsize: float = 9.0
    ) -> TreeDisplay:
        """Draw the tree from the root down.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure that is large enough
        max_leaves, max_depth : how much of a large tree is drawn, the branches with most rows first
        fontsize : float
        """
        layout = self.layout_ = lay_out(self.outline, max_leaves, max_depth)
        size = (max(4.0, 1.25 * layout.leaves + 0.4), 1.25 * (layout.depth + 1) + 0.3)
        self.ax_ = ax = axes_for(ax, size)
        self.figure_ = ax.figure
        for place in layout.places:
            if place.parent >= 0:
                self._edge(place, layout, fontsize)
        for place in layout.places:
            self._place(place, fontsize)
        if layout.hidden:
            said = f"{layout.hidden} of {len(self.outline.nodes)} nodes are not drawn"
            ax.text(0.0, 0.0, said, transform=ax.transAxes, fontsize=fontsize, color=GREY, va="top")
        ax.set(xlim=(-0.62, layout.leaves - 0.38), ylim=(-layout.depth - 0.5, 0.45))
        ax.axis("off")
        return self

    def _edge(self, place: Place, layout: Layout, fontsize: float) -> None:
        above = layout.places[place.parent]
        self.ax_.plot(
            [above.breadth, place.breadth], [-above.depth, -place.depth], color=GREY, lw=1, zorder=1
        )
        x = 0.42 * above.breadth + 0.58 * place.breadth
        y = -0.42 * above.depth - 0.58 * place.depth
        box = {"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}
        label = one_line(place.label, 24)
        self.ax_.text(
            x, y, label, ha="center", va="center", fontsize=fontsize - 1, color=GREY, bbox=box, zorder=2
        )

    def _place(self, place: Place, fontsize: float) -> None:
        from matplotlib.patches import Ellipse, Rectangle

        x, y, node = place.breadth, -place.depth, self.outline.nodes[place.node]
        if place.inner:
            self.ax_.add_patch(Ellipse((x, y), 1.1, 0.5, facecolor=PAPER, edgecolor=GREY, zorder=3))
            said = [one_line(node.test, 22), f"{rows(node.n)} rows"]
        else:
            style = "--" if place.hidden else "-"
            edge = GREY if place.note else self.outline.colour(place.node)
            width = 1.0 if place.note else 1.8
            self.ax_.add_patch(
                Rectangle(
                    (x - 0.44, y - 0.26),
                    0.88,
                    0.52,
                    facecolor=PAPER,
                    edgecolor=edge,
                    lw=width,
                    ls=style,
                    zorder=3,
                )
            )
            said = [f"{place.hidden} more"] if place.note else self._said(place)
        self.ax_.text(
            x,
            y + 0.04,
            "\n".join(said),
            ha="center",
            va="center",
            fontsize=fontsize,
            color=INK,
            zorder=4,
            linespacing=1.15,
        )
        if self.outline.classes is not None and not place.note:
            left, width = x - 0.32, 0.64
            for k, share in enumerate(node.value):
                bar = Rectangle(
                    (left, y - 0.2), width * share, 0.045, facecolor=class_colour(k), lw=0, zorder=4
                )
                self.ax_.add_patch(bar)
                left += width * share

    def _said(self, place: Place) -> list[str]:
        node = self.outline.nodes[place.node]
        said = [one_line(answer_word(self.outline, node, 4), 16), rows_word(self.outline, node)]
        said += [f"{place.hidden} more nodes"] if place.hidden else []
        return said + [line for line in self.notes.get(place.node, "").split("\n") if line]
