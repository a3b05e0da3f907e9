"""Models of sequences as graphs: what depends on what, row by row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.errors import DataError, ParameterError
from assay.plots.canvas import axes_for
from assay.plots.looks import FAINT, INK, PALE, draw_literally
from assay.types import Axes

if TYPE_CHECKING:
    from assay.sequences import DynamicNetwork

__all__ = ["ChainGraphDisplay"]

RADIUS = 0.24  # of a node

# Lines of nodes from top to bottom; arcs within a row; arcs from a row to the next; which nodes are observed.
KINDS: dict[str, tuple[list[str], list[tuple[str, str]], list[tuple[str, str]], set[str]]] = {
    "hidden Markov model": (["q", "x"], [("q", "x")], [("q", "q")], {"x"}),
    "input-output": (["q", "y", "x"], [("q", "y"), ("x", "y")], [("q", "q")], {"x", "y"}),
    "mixture of experts": (["q", "y", "x"], [("q", "y"), ("x", "y")], [("q", "q"), ("x", "q")], {"x", "y"}),
    "autoregressive": (["q", "x"], [("q", "x")], [("q", "q"), ("x", "x")], {"x"}),
    "factorial": (["q1", "q2", "x"], [("q1", "x"), ("q2", "x")], [("q1", "q1"), ("q2", "q2")], {"x"}),
    "coupled": (
        ["x1", "q1", "q2", "x2"],
        [("q1", "x1"), ("q2", "x2")],
        [("q1", "q1"), ("q2", "q2"), ("q1", "q2"), ("q2", "q1")],
        {"x1", "x2"},
    ),
    "switching": (
        ["s", "q1", "q2", "x"],
        [("s", "x"), ("q1", "x"), ("q2", "x")],
        [("s", "s"), ("q1", "q1"), ("q2", "q2")],
        {"x"},
    ),
}


class ChainGraphDisplay:
    """A model of sequences unrolled over some rows: hidden variables white, observed ones shaded.

    Parameters
    ----------
    nodes : names of the variables of a row, from top to bottom
    within : pairs (parent, child) of the same row
    between : pairs (parent, child) from a row to the next
    observed : names that are shaded
    rows : how many are drawn

    Attributes
    ----------
    arcs_ : list of what was drawn      ax_, figure_ : matplotlib axes and figure, after ``plot``

    Examples
    --------
    >>> from assay.plots import ChainGraphDisplay
    >>> display = ChainGraphDisplay.of_kind("coupled", rows=2)
    >>> len(display.arcs_)
    8
    """

    def __init__(
        self,
        nodes: Sequence[str],
        within: Sequence[tuple[str, str]],
        between: Sequence[tuple[str, str]],
        *,
        observed: Sequence[str] | Mapping[str, Any] | set[str] = (),
        rows: int = 3,
    ):
        self.nodes, self.within, self.between = list(nodes), list(within), list(between)
        self.observed, self.rows = set(observed), rows
        unknown = [n for pair in (*self.within, *self.between) for n in pair if n not in self.nodes]
        if unknown or rows < 1:
            raise DataError(
                f"ChainGraphDisplay: arcs name {unknown[0]!r}, which is no node."
                if unknown
                else "ChainGraphDisplay: at least one row must be drawn."
            )

    @classmethod
    def of_kind(cls, kind: str, *, rows: int = 3, ax: Axes | None = None) -> ChainGraphDisplay:
        """Draw a kind of hidden Markov model.

        Parameters
        ----------
        kind : "hidden Markov model", "input-output", "mixture of experts", "autoregressive", "factorial", "coupled" or
            "switching"
        rows : how many are drawn
        """
        if kind not in KINDS:
            raise ParameterError(f"ChainGraphDisplay: kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        nodes, within, between, observed = KINDS[kind]
        return cls(nodes, within, between, observed=observed, rows=rows).plot(ax)

    @classmethod
    def from_network(
        cls, network: DynamicNetwork, *, observed: Sequence[str] = (), rows: int = 2, ax: Axes | None = None
    ) -> ChainGraphDisplay:
        """Draw a dynamic network, unrolled.

        Parameters
        ----------
        network : `DynamicNetwork`
        observed : names that are shaded
        rows : how many are drawn
        """
        variables = network.variables.values()
        within = [(p, v.name) for v in variables for p in v.parents]
        between = [(p, v.name) for v in variables for p in v.before]
        return cls(list(network.variables), within, between, observed=observed, rows=rows).plot(ax)

    def plot(self, ax: Axes | None = None) -> ChainGraphDisplay:
        """Draw nodes and arcs.

        Parameters
        ----------
        ax : matplotlib axes, default None for a new figure
        """
        from matplotlib.patches import Circle, FancyArrowPatch

        height, wide = len(self.nodes), max(len(name) for name in self.nodes) > 3
        self.ax_ = ax = axes_for(ax, (1.0 + 1.5 * self.rows, 0.8 + 0.95 * height))
        self.figure_ = ax.figure
        gap = 1.8 if wide else 1.3
        place = {(n, t): (gap * t, -float(i)) for i, n in enumerate(self.nodes) for t in range(self.rows)}
        self.arcs_: list[Any] = []

        def arc(a: tuple[str, int], b: tuple[str, int]) -> None:
            far = abs(self.nodes.index(a[0]) - self.nodes.index(b[0])) > 1
            bend = 0.35 if far and a[1] == b[1] else 0.0
            (x, y), (u, v) = place[a], place[b]
            share = RADIUS / math.hypot(u - x, v - y)
            dx, dy = share * (u - x), share * (v - y)
            arrow = FancyArrowPatch(
                (x + dx, y + dy),
                (u - dx, v - dy),
                arrowstyle="-|>",
                mutation_scale=11,
                color=FAINT,
                lw=1.1,
                shrinkA=0,
                shrinkB=0,
                connectionstyle=f"arc3,rad={bend}",
            )
            ax.add_patch(arrow)
            self.arcs_.append(arrow)

        for t in range(self.rows):
            for parent, child in self.within:
                arc((parent, t), (child, t))
            if t:
                for parent, child in self.between:
                    arc((parent, t - 1), (child, t))
        for (name, _), at in place.items():
            face = PALE if name in self.observed else "white"
            ax.add_patch(Circle(at, RADIUS, facecolor=face, edgecolor=INK, lw=1.2, zorder=3))
            if wide:
                ax.text(
                    at[0] + RADIUS + 0.06, at[1] + RADIUS, name, ha="left", va="center", fontsize=8, zorder=4
                )
            else:
                ax.text(at[0], at[1], name, ha="center", va="center", fontsize=9, zorder=4)
        for t in range(self.rows):
            offset = t - self.rows + 1
            label = "t" if offset == 0 else f"t - {-offset}"
            ax.text(gap * t, -height + 0.35, label, ha="center", va="top", color=FAINT, fontsize=9)
        ax.set(
            xlim=(-0.6, gap * (self.rows - 1) + (1.2 if wide else 0.6)),
            ylim=(-height + 0.0, 0.6),
            aspect="equal",
        )
        ax.axis("off")
        draw_literally(ax)
        return self
