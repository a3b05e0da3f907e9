"""Diagrams of graphs: circles and arrows, boxes, diamonds and plates, as SVG and as DOT."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from assay.errors import DataError, ParameterError
from assay.graphs.directed_graph import DirectedGraph

__all__ = ["Diagram", "network_diagram"]

SHAPES = ("ellipse", "box", "diamond", "point")
HEIGHT, GAP, LEVEL, MARGIN = (
    34.0,
    26.0,
    92.0,
    26.0,
)  # of a node, between nodes, between levels, around all, in pixels
LETTER = 7.2  # width of a letter
SWEEPS = 8  # over the levels, to untangle arrows
LONGEST_NAME = 22


@dataclass(frozen=True)
class Diagram:
    """A picture of a graph: parents above their children.

    Parameters
    ----------
    nodes : names      arcs : pairs (from, to)
    edges : pairs without a direction
    shapes : mapping of names to "ellipse" (default), "box" (decisions), "diamond" (utilities) or "point" (constants)
    observed : names that are shaded      highlight : names that stand out
    labels : mapping of names to a second line      arc_labels : mapping of arcs to a text
    plates : mapping of a text, such as "t = 1..N", to the names inside

    Examples
    --------
    >>> from assay.graphs import Diagram
    >>> line = Diagram(["w", "x", "r"], [("w", "r"), ("x", "r")], observed=["x", "r"], plates={"t = 1..N": ["x", "r"]})
    >>> print(line.to_dot())
    digraph {
      subgraph cluster_0 { label="t = 1..N"; "x"; "r"; }
      "w" [shape=ellipse];
      "x" [shape=ellipse, style=filled, fillcolor="#d9dee5"];
      "r" [shape=ellipse, style=filled, fillcolor="#d9dee5"];
      "w" -> "r";
      "x" -> "r";
    }

    See Also
    --------
    BayesianNetwork, InfluenceDiagram, DependencyGraph
    """

    nodes: Sequence[str]
    arcs: Sequence[tuple[str, str]] = ()
    edges: Sequence[tuple[str, str]] = ()
    shapes: Mapping[str, str] = field(default_factory=dict)
    observed: Sequence[str] = ()
    highlight: Sequence[str] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    arc_labels: Mapping[tuple[str, str], str] = field(default_factory=dict)
    plates: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = list(self.nodes)
        mentioned = [n for pair in (*self.arcs, *self.edges) for n in pair]
        mentioned += [*self.shapes, *self.observed, *self.highlight, *self.labels]
        mentioned += [n for inside in self.plates.values() for n in inside]
        strange = next((n for n in mentioned if n not in names), None)
        if strange is not None:
            raise DataError(f"Diagram: {strange!r} is no node. Nodes: {', '.join(names[:20])}.")
        wrong = next((s for s in self.shapes.values() if s not in SHAPES), None)
        if wrong is not None:
            raise ParameterError(f"Diagram: shapes are {', '.join(SHAPES)}, got {wrong!r}.")

    # ------------------------------------------------------------------ text

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        lines = ["digraph {"]
        for i, (text, inside) in enumerate(self.plates.items()):
            members = " ".join(f"{_quoted(n)};" for n in inside)
            lines.append(f"  subgraph cluster_{i} {{ label={_quoted(text)}; {members} }}")
        for name in self.nodes:
            look = [f"shape={self.shapes.get(name, 'ellipse')}"]
            if name in self.observed:
                look += ["style=filled", 'fillcolor="#d9dee5"']
            elif name in self.highlight:
                look += ["style=filled", 'fillcolor="#fde7c8"']
            if name in self.labels:
                look.append(f"label={_quoted(name + chr(10) + self.labels[name])}")
            lines.append(f"  {_quoted(name)} [{', '.join(look)}];")
        for a, b in self.arcs:
            label = f" [label={_quoted(self.arc_labels[a, b])}]" if (a, b) in self.arc_labels else ""
            lines.append(f"  {_quoted(a)} -> {_quoted(b)}{label};")
        lines += [f"  {_quoted(a)} -> {_quoted(b)} [dir=none];" for a, b in self.edges]
        return "\n".join([*lines, "}"])

    # ------------------------------------------------------------------ picture

    def width(self, name: str) -> float:
        """The width of a node in pixels."""
        longest = max(len(_short(name)), len(self.labels.get(name, "")))
        return max(54.0, longest * LETTER + 22.0)

    def places(self) -> dict[str, tuple[float, float]]:
        """The middle of each node."""
        levels = self._levels()
        rows: dict[int, list[str]] = {}
        for name in self.nodes:
            rows.setdefault(levels[name], []).append(name)
        around: dict[str, list[str]] = {name: [] for name in self.nodes}
        for a, b in (*self.arcs, *self.edges):
            around[a].append(b)
            around[b].append(a)
        plate = {n: i + 1 for i, inside in enumerate(self.plates.values()) for n in inside}
        x = {}
        for row in rows.values():
            x.update({name: float(i) for i, name in enumerate(row)})
        for sweep in range(SWEEPS):
            order = sorted(rows) if sweep % 2 == 0 else sorted(rows, reverse=True)
            for level in order:
                row = rows[level]
                mean = {n: sum(x[m] for m in around[n]) / len(around[n]) if around[n] else x[n] for n in row}
                row.sort(key=lambda n: (plate.get(n, 0), mean[n], list(self.nodes).index(n)))
                self._spread(row, mean, x)
        for inside in self.plates.values():
            self._move_out(set(inside), levels, x)
        left = min(x[n] - self.width(n) / 2 for n in self.nodes)
        top = MARGIN + HEIGHT / 2
        return {n: (x[n] - left + MARGIN, top + levels[n] * LEVEL) for n in self.nodes}

    def _move_out(self, inside: set[str], levels: dict[str, int], x: dict[str, float]) -> None:
        """Shift a plate to the right until no other node stands in it."""
        low, high = min(levels[n] for n in inside), max(levels[n] for n in inside)
        others = [n for n in self.nodes if n not in inside and low <= levels[n] <= high]
        if not others:
            return
        left = min(x[n] - self.width(n) / 2 for n in inside) - GAP
        shift = max(x[n] + self.width(n) / 2 for n in others) - left
        if shift > 0:
            for name in inside:
                x[name] += shift

    def _spread(self, row: list[str], wanted: dict[str, float], x: dict[str, float]) -> None:
        """Nodes of a level in their order, near where they would like to be, without overlap."""
        at = -1e18
        for name in row:
            half = self.width(name) / 2
            x[name] = max(wanted[name], at + half)
            at = x[name] + half + GAP
        shift = sum(wanted[n] - x[n] for n in row) / len(row)
        for name in row:
            x[name] += shift

    def _levels(self) -> dict[str, int]:
        parents: dict[str, list[str]] = {name: [] for name in self.nodes}
        for a, b in self.arcs:
            parents[b].append(a)
        for a, b in self.edges:  # drawn from the earlier name to the later
            first, second = sorted((a, b), key=list(self.nodes).index)
            parents[second].append(first)
        level: dict[str, int] = {}
        for name in DirectedGraph(parents, "Diagram").order:
            level[name] = max((level[p] + 1 for p in parents[name]), default=0)
        below: dict[str, list[int]] = {name: [] for name in self.nodes}
        for name, above in parents.items():
            for p in above:
                below[p].append(level[name])
        for name in self.nodes:  # a node without parents stands right above its first child
            if not parents[name] and below[name]:
                level[name] = min(below[name]) - 1
        return level

    def to_svg(self) -> str:
        """The graph as a picture."""
        places = self.places()
        width = max(x + self.width(n) / 2 for n, (x, _) in places.items()) + MARGIN
        height = max(y for _, y in places.values()) + HEIGHT / 2 + MARGIN
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
            f'height="{height:.0f}" font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(', '.join(f'{a} to {b}' for a, b in self.arcs) or 'nodes')}</title>",
            '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
            'orient="auto"><path d="M0 0L10 5L0 10z" fill="#4a5563"/></marker></defs>',
        ]
        for text, inside in self.plates.items():
            xs = [(places[n][0] - self.width(n) / 2, places[n][0] + self.width(n) / 2) for n in inside]
            ys = [places[n][1] for n in inside]
            x0, x1 = min(a for a, _ in xs) - 12, max(b for _, b in xs) + 12
            y0, y1 = min(ys) - HEIGHT / 2 - 12, max(ys) + HEIGHT / 2 + 22
            parts.append(
                f'<rect x="{x0:.1f}" y="{y0:.1f}" width="{x1 - x0:.1f}" height="{y1 - y0:.1f}" rx="6" fill="none" '
                'stroke="#8a94a3"/>'
                f'<text x="{x1 - 6:.1f}" y="{y1 - 6:.1f}" text-anchor="end" fill="#4a5563">{escape(text)}</text>'
            )
        for a, b in (*self.arcs, *self.edges):
            parts.append(self._line(a, b, places, (a, b) in self.edges))
        parts += [self._node(name, *places[name]) for name in self.nodes]
        return "".join([*parts, "</svg>"])

    def _line(self, a: str, b: str, places: dict[str, tuple[float, float]], plain: bool) -> str:
        (x, y), (u, v) = places[a], places[b]
        start, end = self.border(a, x, y, u, v), self.border(b, u, v, x, y)
        tip = "" if plain else ' marker-end="url(#tip)"'
        bend = ""
        if self.is_blocked(a, b, places):
            side = 1 if u >= x else -1
            bend = f"Q{(x + u) / 2 + side * 70:.1f} {(y + v) / 2:.1f} "
        path = f"M{start[0]:.1f} {start[1]:.1f}{bend or 'L'}{end[0]:.1f} {end[1]:.1f}"
        line = f'<path d="{path}" fill="none" stroke="#4a5563"{tip}/>'
        label = self.arc_labels.get((a, b))
        if label:
            mx, my = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            line += (
                f'<text x="{mx + 4:.1f}" y="{my:.1f}" fill="#4a5563" font-size="11" stroke="#fff" stroke-width="3" '
                f'paint-order="stroke">{escape(label)}</text>'
            )
        return line

    def is_blocked(self, a: str, b: str, places: dict[str, tuple[float, float]]) -> bool:
        """Whether another node stands on the straight line between two nodes."""
        (x, y), (u, v) = places[a], places[b]
        if abs(v - y) <= 1.5 * LEVEL:
            return False
        return any(
            abs(px - (x + (u - x) * (py - y) / (v - y))) < self.width(n) / 2 and min(y, v) < py < max(y, v)
            for n, (px, py) in places.items()
            if n not in (a, b)
        )

    def border(self, name: str, x: float, y: float, u: float, v: float) -> tuple[float, float]:
        """Where the line from the middle of a node towards a point leaves the node."""
        a, b = self.width(name) / 2, HEIGHT / 2
        if self.shapes.get(name) == "point":
            a = b = 5.0
        dx, dy = u - x, v - y
        if dx == 0 and dy == 0:
            return x, y
        shape = self.shapes.get(name, "ellipse")
        if shape == "box":
            scale = min(a / abs(dx) if dx else 1e9, b / abs(dy) if dy else 1e9)
        elif shape == "diamond":
            scale = 1.0 / (abs(dx) / (a + 8) + abs(dy) / (b + 6))
        else:
            scale = 1.0 / ((dx / a) ** 2 + (dy / b) ** 2) ** 0.5
        return x + dx * scale, y + dy * scale

    def _node(self, name: str, x: float, y: float) -> str:
        shape, half = self.shapes.get(name, "ellipse"), self.width(name) / 2
        face = "#d9dee5" if name in self.observed else "#fde7c8" if name in self.highlight else "#ffffff"
        look = f'fill="{face}" stroke="#2c3642"'
        if shape == "box":
            size = f'width="{2 * half:.1f}" height="{HEIGHT}"'
            drawn = f'<rect x="{x - half:.1f}" y="{y - HEIGHT / 2:.1f}" {size} {look}/>'
        elif shape == "diamond":
            w, h = half + 8, HEIGHT / 2 + 6
            corners = f"{x - w:.1f},{y:.1f} {x:.1f},{y - h:.1f} {x + w:.1f},{y:.1f} {x:.1f},{y + h:.1f}"
            drawn = f'<polygon points="{corners}" {look}/>'
        elif shape == "point":
            drawn = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2c3642"/>'
            return (
                f'{drawn}<text x="{x:.1f}" y="{y - 9:.1f}" text-anchor="middle">{escape(_short(name))}</text>'
            )
        else:
            drawn = f'<ellipse cx="{x:.1f}" cy="{y:.1f}" rx="{half:.1f}" ry="{HEIGHT / 2}" {look}/>'
        low = 4 if name not in self.labels else -1
        text = f'<text x="{x:.1f}" y="{y + low:.1f}" text-anchor="middle">{escape(_short(name))}</text>'
        if name in self.labels:
            label = escape(self.labels[name])
            small = 'text-anchor="middle" font-size="10" fill="#4a5563"'
            text += f'<text x="{x:.1f}" y="{y + 12:.1f}" {small}>{label}</text>'
        return drawn + text

    def _repr_svg_(self) -> str:
        return self.to_svg()


def network_diagram(network: Any, evidence: Mapping[str, Any] | None = None, **options: Any) -> Diagram:
    """The diagram of a Bayesian network; with evidence its nodes are shaded and labelled."""
    labels = dict(options.pop("labels", {}))
    for name, value in (evidence or {}).items():
        labels[name] = f"= {value}"
    observed = [*options.pop("observed", ()), *(evidence or {})]
    return Diagram(network.names, network.arcs, labels=labels, observed=observed, **options)


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
