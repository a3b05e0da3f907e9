"""A tree as source for Graphviz."""

from __future__ import annotations

from assay.core.palette import ink_on
from assay.core.words import one_line
from assay.trees.outline import Outline
from assay.trees.text import answer_word, rows_word

__all__ = ["tree_graphviz"]


def tree_graphviz(outline: Outline, *, max_depth: int | None = None, name: str = "tree") -> str:
    r"""DOT source: ellipses test, boxes answer, filled with the colour of their class or the shade of their number.

    Parameters
    ----------
    outline : Outline
    max_depth : int, default None
        Draw the tests up to this depth; None draws all.
    name : str
        What the graph is called.

    Examples
    --------
    >>> from assay.tables import Schema
    >>> from assay.trees.graphviz import tree_graphviz
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 0.8, "children": [
    ...     {"value": [1, 0], "n": 50}, {"value": [0, 1], "n": 10}]}, n_categories=[0])
    >>> print(tree_graphviz(outline_of(tree, Schema.numeric(1), ["a", "b"])))
    digraph "tree" {
      node [fontname="Helvetica", fontsize=11];
      edge [fontname="Helvetica", fontsize=10];
      0 [shape=ellipse, label="x0"];
      1 [shape=box, style=filled, fillcolor="#0072b2", fontcolor="#ffffff", label="a\n50"];
      2 [shape=box, style=filled, fillcolor="#e69f00", fontcolor="#15202b", label="b\n10"];
      0 -> 1 [label="<= 0.8"];
      0 -> 2 [label="> 0.8"];
    }
    """
    depth = outline.depth
    shown = [i for i in range(len(outline.nodes)) if max_depth is None or depth[i] <= max_depth]
    lines = [
        f"digraph {_quoted(name)} {{",
        '  node [fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=10];',
    ]
    edges = []
    for i in shown:
        node = outline.nodes[i]
        if node.is_leaf or depth[i] == max_depth:
            lines.append(f"  {i} [{_leaf(outline, i)}];")
            continue
        lines.append(f"  {i} [shape=ellipse, label={_quoted(node.test)}];")
        edges += [f"  {i} -> {b.child} [label={_quoted(b.label.replace('≤', '<='))}];" for b in node.branches]
    return "\n".join([*lines, *edges, "}"])


def _leaf(outline: Outline, i: int) -> str:
    node, colour = outline.nodes[i], outline.colour(i)
    label = _quoted(f"{answer_word(outline, node)}\n{rows_word(outline, node)}")
    style = "style=filled" if node.is_leaf else 'style="filled,dashed"'
    return f'shape=box, {style}, fillcolor="{colour}", fontcolor="{ink_on(colour)}", label={label}'


def _quoted(text: str) -> str:
    r"""A DOT string: quotes and backslashes escaped, a new line as \n."""
    lines = [one_line(line).replace("\\", "\\\\").replace('"', '\\"') for line in text.split("\n")]
    return '"' + "\\n".join(lines) + '"'
