"""A picture of a graph: nodes, arrows, plates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.plots.canvas import axes_for
from assay.types import Axes

if TYPE_CHECKING:
    from assay.graphs import Diagram

__all__ = ["GraphDisplay"]

INK, LINE, SHADED, BRIGHT, PAPER = "#2c3642", "#4a5563", "#d9dee5", "#fde7c8", "#ffffff"
HEIGHT = 34.0  # of a node, as in the layout
PIXELS = 72.0  # of the layout in an inch


class GraphDisplay:
    """Circles for chance, boxes for decisions, diamonds for utilities; parents stand above their children.

    Parameters
    ----------
    diagram : :class:`assay.graphs.Diagram`

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure, after ``plot``      places_ : dict of name to the middle of its node

    Examples
    --------
    >>> from assay.graphs import load_network
    >>> from assay.plots import GraphDisplay
    >>> display = GraphDisplay.from_network(load_network("sprinkler"), evidence={"wet": "yes"})
    >>> sorted(display.places_)
    ['cloudy', 'rain', 'sprinkler', 'wet']
    """

    def __init__(self, diagram: Diagram):
        self.diagram = diagram

    @classmethod
    def from_network(cls, network: Any, ax: Axes | None = None, **options: Any) -> GraphDisplay:
        """Draw a network, a classifier that is one, or an influence diagram; options are those of its ``diagram``."""
        if not hasattr(network, "diagram"):
            raise TypeError(f"GraphDisplay: {type(network).__name__} has no diagram.")
        return cls(network.diagram(**options)).plot(ax)

    def plot(self, ax: Axes | None = None) -> GraphDisplay:
        """Draw it."""
        diagram = self.diagram
        self.places_ = places = diagram.places()
        right = max(x + diagram.width(n) / 2 for n, (x, _) in places.items()) + 26
        bottom = max(y for _, y in places.values()) + HEIGHT / 2 + 26
        self.ax_ = axes_for(ax, (max(3.0, right / PIXELS), max(1.5, bottom / PIXELS)))
        self.figure_ = self.ax_.figure
        for text, inside in diagram.plates.items():
            self._plate(text, list(inside))
        for a, b in (*diagram.arcs, *diagram.edges):
            self._line(a, b)
        for name in places:
            self._node(name)
        self.ax_.set(xlim=(0, right), ylim=(bottom, 0), aspect="equal")
        self.ax_.axis("off")
        return self

    def _plate(self, text: str, inside: list[str]) -> None:
        from matplotlib.patches import FancyBboxPatch

        places, width = self.places_, self.diagram.width
        x0 = min(places[n][0] - width(n) / 2 for n in inside) - 12
        x1 = max(places[n][0] + width(n) / 2 for n in inside) + 12
        y0 = min(places[n][1] for n in inside) - HEIGHT / 2 - 12
        y1 = max(places[n][1] for n in inside) + HEIGHT / 2 + 22
        style = "round,pad=0,rounding_size=6"
        self.ax_.add_patch(
            FancyBboxPatch((x0, y0), x1 - x0, y1 - y0, boxstyle=style, fill=False, edgecolor="#8a94a3")
        )
        self.ax_.text(x1 - 6, y1 - 6, text, ha="right", va="bottom", fontsize=9, color=LINE)

    def _line(self, a: str, b: str) -> None:
        from matplotlib.patches import FancyArrowPatch

        diagram, places = self.diagram, self.places_
        start = diagram.border(a, *places[a], *places[b])
        end = diagram.border(b, *places[b], *places[a])
        style = "-" if (a, b) in diagram.edges else "-|>"
        bend = "arc3,rad=-0.35" if diagram.is_blocked(a, b, places) else "arc3"
        look: dict[str, Any] = {"color": LINE, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 11}
        self.ax_.add_patch(FancyArrowPatch(start, end, arrowstyle=style, connectionstyle=bend, **look))
        label = diagram.arc_labels.get((a, b))
        if label:
            middle = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
            paper = {"facecolor": PAPER, "edgecolor": "none", "pad": 1}
            self.ax_.text(*middle, label, fontsize=8, color=LINE, ha="center", va="center", bbox=paper)

    def _node(self, name: str) -> None:
        from matplotlib.patches import Ellipse, Polygon, Rectangle

        diagram, (x, y) = self.diagram, self.places_[name]
        face = SHADED if name in diagram.observed else BRIGHT if name in diagram.highlight else PAPER
        look: dict[str, Any] = {"facecolor": face, "edgecolor": INK, "zorder": 3}
        half, shape = diagram.width(name) / 2, diagram.shapes.get(name, "ellipse")
        patch: Any
        if shape == "box":
            patch = Rectangle((x - half, y - HEIGHT / 2), 2 * half, HEIGHT, **look)
        elif shape == "diamond":
            w, h = half + 8, HEIGHT / 2 + 6
            patch = Polygon([(x - w, y), (x, y - h), (x + w, y), (x, y + h)], **look)
        elif shape == "point":
            patch = Ellipse((x, y), 8, 8, facecolor=INK, edgecolor=INK, zorder=3)
        else:
            patch = Ellipse((x, y), 2 * half, HEIGHT, **look)
        self.ax_.add_patch(patch)
        label = diagram.labels.get(name)
        up = 13 if shape == "point" else 5 if label else 0
        self.ax_.text(x, y - up, name, ha="center", va="center", fontsize=9, zorder=4)
        if label:
            self.ax_.text(x, y + 8, label, ha="center", va="center", fontsize=7, color=LINE, zorder=4)
