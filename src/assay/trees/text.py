"""A tree as indented text, one line per branch."""

from __future__ import annotations

from assay.core.words import number, one_line, shorter
from assay.trees.outline import Outline, OutlineNode

__all__ = ["tree_text"]

BARS = 40  # deeper lines show their depth as a number, so that the text grows with the nodes only


def tree_text(
    outline: Outline, *, max_depth: int | None = None, counts: bool = False, missing: bool = False
) -> str:
    """The tree as C4.5 prints it: each branch's condition, and at a leaf the answer with its training rows.

    ``(47 of 48)`` are rows of the answer's class among all rows at the leaf; ``(50)`` means that all are. Numbers in
    conditions read back as exactly those that are applied.

    Parameters
    ----------
    outline : Outline
    max_depth : int, default None
        Show the tests up to this depth; None shows all.
    counts : bool, default False
        Add the rows of every class.
    missing : bool, default False
        Say which way missing values go.

    Examples
    --------
    >>> from assay.tables import Column, Schema
    >>> from assay.trees.outline import outline_of
    >>> from assay.trees.text import tree_text
    >>> from assay.trees.tree import Tree
    >>> tree = Tree.of({"feature": 0, "threshold": 0.8, "children": [
    ...     {"value": [1, 0], "n": 50}, {"feature": 1, "children": [
    ...         {"value": [0.25, 0.75], "n": 8}, {"value": [0, 1], "n": 2}]}]}, n_categories=[0, 2])
    >>> schema = Schema([Column("width"), Column("colour", "nominal", ("red", "blue"))])
    >>> print(tree_text(outline_of(tree, schema, ["a", "b"])))
    width <= 0.8: a (50)
    width > 0.8
    |   colour = red: b (6 of 8)
    |   colour = blue: b (2)
    """
    nodes, depth, parent = outline.nodes, outline.depth, outline.parent
    if nodes[0].is_leaf or max_depth == 0:
        return _answer(outline, 0, counts, cut=not nodes[0].is_leaf)
    branch_to = {branch.child: branch for node in nodes for branch in node.branches}
    lines = []
    for i in range(1, len(nodes)):
        if max_depth is not None and depth[i] > max_depth:
            continue
        level, branch = int(depth[i]) - 1, branch_to[i]
        indent = "|   " * level if level <= BARS else f"|({level}) "
        line = branch.words + (" or missing" if missing and branch.missing else "")
        cut = not nodes[i].is_leaf and max_depth is not None and depth[i] == max_depth
        if nodes[i].is_leaf or cut:
            line += ": " + _answer(outline, i, counts, cut)
        lines.append(indent + line)
    if missing and any(node.spread for node in nodes):
        lines.append("A missing value is spread over the branches of a node by their rows.")
    assert all(parent[1:] >= 0), "an outline's nodes hang on its root"
    return "\n".join(lines)


def _answer(outline: Outline, i: int, counts: bool, cut: bool) -> str:
    """What a node answers, and for how many rows that was right."""
    node = outline.nodes[i]
    answer = f"{answer_word(outline, node)} ({rows_word(outline, node)}"
    if counts and node.counts:
        answer += ": " + ", ".join(rows(c) for c in node.counts)
    more = int(outline.below[i])
    return answer + (f"; {more} more nodes)" if cut else ")")


def answer_word(outline: Outline, node: OutlineNode, digits: int = 6) -> str:
    """The answer of a node: its label, or its number or numbers to six digits."""
    if outline.classes is not None or isinstance(node.answer, str):
        return one_line(node.answer)
    if len(node.value) > 1:
        return ", ".join(shorter(v, digits) for v in node.value)
    return shorter(node.answer, digits)


def rows_word(outline: Outline, node: OutlineNode) -> str:
    """``47 of 48``: the rows of the answer's class among all; ``50`` if there are no others."""
    if outline.classes is None or not node.counts:
        return rows(node.n)
    correct = node.counts[outline.classes.index(node.answer)]
    return rows(node.n) if rows(correct) == rows(node.n) else f"{rows(correct)} of {rows(node.n)}"


def rows(n: float) -> str:
    """A number of rows, with two digits behind the point if rows have weights."""
    return number(n) if n == round(n) else f"{n:.2f}"
