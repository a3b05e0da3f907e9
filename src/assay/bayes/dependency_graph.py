"""The graph of a model: which quantity depends on which, as text, DOT or SVG."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from assay.bayes.counts import CountBayes
from assay.bayes.gaussian_nb import GaussianNB
from assay.bayes.joint_bayes import JointBayes
from assay.bayes.laplace_nb import LaplaceNB
from assay.bayes.naive_bayes import NaiveBayes
from assay.bayes.own_covariances import OwnCovariances
from assay.bayes.shared_covariance import SharedCovariance
from assay.errors import DataError, ParameterError
from assay.types import Estimator

__all__ = ["DependencyGraph", "dependency_graph"]

_WIDTH, _HEIGHT, _GAP, _LEVEL = 116, 34, 22, 96  # of a node, and between nodes and levels, in pixels


@dataclass(frozen=True)
class DependencyGraph:
    r"""A directed graph without cycles: an edge from a to b means that b depends on a.

    The joint distribution is the product over all nodes of P(node | its parents).

    Parameters
    ----------
    nodes : names
    edges : pairs (parent, child) of names
    labels : what is written on some edges, by pair
    root : the node that stands out, such as the class, or None

    Examples
    --------
    >>> from assay.bayes import DependencyGraph
    >>> graph = DependencyGraph(["rain", "sprinkler", "wet"], [("rain", "sprinkler"), ("rain", "wet"),
    ...                                                        ("sprinkler", "wet")])
    >>> print(graph)
    P(rain) P(sprinkler | rain) P(wet | rain, sprinkler)
    >>> graph.parents("wet")
    ['rain', 'sprinkler']
    """

    nodes: Sequence[str]
    edges: Sequence[tuple[str, str]]
    labels: Mapping[tuple[str, str], str] = field(default_factory=dict)
    root: str | None = None

    def __post_init__(self) -> None:
        nodes = [str(name) for name in self.nodes]
        edges = [(str(a), str(b)) for a, b in self.edges]
        if len(set(nodes)) < len(nodes):
            twice = next(name for name in nodes if nodes.count(name) > 1)
            raise DataError(f"DependencyGraph: two nodes are called {twice!r}. Rename one of them.")
        for edge in edges:
            for name in edge:
                if name not in nodes:
                    raise DataError(
                        f"DependencyGraph: the edge {edge[0]!r} -> {edge[1]!r} names {name!r}, which is no node. "
                        f"Nodes: {', '.join(nodes)}."
                    )
        object.__setattr__(self, "nodes", nodes)
        object.__setattr__(self, "edges", list(dict.fromkeys(edges)))
        self.levels()

    def parents(self, node: str) -> list[str]:
        """What a node depends on."""
        return [a for a, b in self.edges if b == node]

    def levels(self) -> dict[str, int]:
        """How many edges the longest way to each node has; a cycle is an error."""
        level: dict[str, int] = {}
        waiting = list(self.nodes)
        while waiting:
            ready = [name for name in waiting if all(p in level for p in self.parents(name))]
            if not ready:
                raise DataError(
                    f"DependencyGraph: the edges of {', '.join(waiting[:6])} form a cycle, so there is no order in "
                    "which each could be drawn given its parents. Turn one of them round, or leave it out."
                )
            for name in ready:
                level[name] = max((level[p] + 1 for p in self.parents(name)), default=0)
            waiting = [name for name in waiting if name not in level]
        return level

    def __str__(self) -> str:
        order = sorted(self.nodes, key=self.levels().__getitem__)
        parts = [(name, self.parents(name)) for name in order]
        return " ".join(
            f"P({name} | {', '.join(parents)})" if parents else f"P({name})" for name, parents in parts
        )

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        lines = ["digraph model {", "  node [shape=box, style=rounded];"]
        for name in self.nodes:
            look = ', style="rounded,filled", fillcolor="#fde7c8"' if name == self.root else ""
            lines.append(f"  {_quoted(name)} [label={_quoted(name)}{look}];")
        for edge in self.edges:
            label = f" [label={_quoted(self.labels[edge])}]" if edge in self.labels else ""
            lines.append(f"  {_quoted(edge[0])} -> {_quoted(edge[1])}{label};")
        return "\n".join([*lines, "}"])

    def to_svg(self) -> str:
        """The graph as a picture: parents above their children."""
        rows: dict[int, list[str]] = {}
        for name, level in self.levels().items():
            rows.setdefault(level, []).append(name)
        width = max(len(row) for row in rows.values()) * (_WIDTH + _GAP) + _GAP
        height = (max(rows) + 1) * _LEVEL
        at = {}
        for level, row in rows.items():
            left = (width - len(row) * (_WIDTH + _GAP) + _GAP) / 2
            for i, name in enumerate(row):
                at[name] = (left + i * (_WIDTH + _GAP) + _WIDTH / 2, level * _LEVEL + _LEVEL / 2)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(str(self))}</title>",
            '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
            'orient="auto"><path d="M0 0L10 5L0 10z" fill="#555"/></marker></defs>',
        ]
        for a, b in self.edges:
            (x, y), (u, v) = at[a], at[b]
            parts.append(
                f'<line x1="{x:g}" y1="{y + _HEIGHT / 2:g}" x2="{u:g}" y2="{v - _HEIGHT / 2:g}" stroke="#555" '
                'marker-end="url(#arrow)"/>'
            )
            if (a, b) in self.labels:
                words = escape(self.labels[a, b])
                parts.append(
                    f'<text x="{(x + u) / 2:g}" y="{(y + v) / 2:g}" text-anchor="middle" fill="#333">{words}</text>'
                )
        for name, (x, y) in at.items():
            face = "#fde7c8" if name == self.root else "#dbe9f8"
            parts.append(
                f'<rect x="{x - _WIDTH / 2:g}" y="{y - _HEIGHT / 2:g}" width="{_WIDTH}" height="{_HEIGHT}" rx="8" '
                f'fill="{face}" stroke="#555"/>'
            )
            short = name if len(name) <= 16 else name[:15] + "…"
            parts.append(f'<text x="{x:g}" y="{y + 4:g}" text-anchor="middle">{escape(short)}</text>')
        return "".join([*parts, "</svg>"])

    def _repr_svg_(self) -> str:
        return self.to_svg()


def dependency_graph(
    model: Estimator, target: str = "class", edges: Iterable[tuple[str, str]] | None = None
) -> DependencyGraph:
    """The graph of a fitted Bayes classifier: the class and the columns as nodes, dependencies as edges.

    Naive Bayes classifiers are stars: given the class no column depends on another. Classifiers with full covariances,
    and `JointBayes`, let each column depend on the class and on all columns before it. What a naive Bayes knows of its
    columns' worth is written on the edges: mutual information with the class, in bits.

    Parameters
    ----------
    model : a fitted Bayes classifier; with ``edges`` any fitted learner, or a list of names
    target : what the class is called
    edges : pairs (parent, child) of names, for a graph of one's own over the model's columns

    Examples
    --------
    >>> from assay.bayes import NaiveBayes, dependency_graph
    >>> from assay.tables.data import load_weather
    >>> data = load_weather()
    >>> graph = dependency_graph(NaiveBayes().fit(data.X, data.y), target="play")
    >>> print(graph)
    P(play) P(outlook | play) P(temperature | play) P(humidity | play) P(windy | play)
    >>> graph.labels["play", "outlook"]
    '0.25 bits'
    """
    names = [str(n) for n in model] if isinstance(model, (list, tuple)) else _columns_of(model)
    if target in names:
        raise ParameterError(
            f"dependency_graph: {target!r} is a column; call the class something else: target=..."
        )
    nodes = [target, *names]
    if edges is not None:
        return DependencyGraph(nodes, list(edges), root=target)
    star = [(target, name) for name in names]
    if isinstance(model, (NaiveBayes, CountBayes, GaussianNB, LaplaceNB)):
        return DependencyGraph(nodes, star, _bits(model, target), target)
    if isinstance(model, (JointBayes, OwnCovariances, SharedCovariance)):
        among = [(a, b) for j, b in enumerate(names) for a in names[:j]]
        return DependencyGraph(nodes, star + among, root=target)
    raise ParameterError(
        f"dependency_graph: {type(model).__name__} does not say which columns depend on which. Give edges=, pairs of "
        "names (parent, child)."
    )


def _columns_of(model: Any) -> list[str]:
    if not hasattr(model, "schema_"):
        raise ParameterError(
            f"dependency_graph: expected a fitted learner or a list of names, got {type(model).__name__}."
        )
    return [str(name) for name in model.schema_.names]


def _bits(model: Any, target: str) -> dict[tuple[str, str], str]:
    if not isinstance(model, NaiveBayes):
        return {}
    return {
        (target, name): f"{nats / 0.6931471805599453:.2f} bits"
        for name, nats in model.informativeness().items()
    }


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'
