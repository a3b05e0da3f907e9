"""DOT source: all nodes and edges, and nothing that a name could break."""

import re

from assay.tables import Column, Schema
from assay.trees.graphviz import tree_graphviz
from assay.trees.outline import outline_of
from assay.trees.tree import Tree

NASTY = 'a"b\\c\nd'
TREE = Tree.of(
    {"feature": 0, "threshold": 1.5, "children": [
        {"value": 1.0, "n": 4},
        {"feature": 0, "threshold": 2.5, "children": [{"value": 2.0, "n": 1}, {"value": 3.0, "n": 2}]},
    ]},
    [0],
)  # fmt: skip


def test_every_node_and_every_edge_is_there():
    dot = tree_graphviz(outline_of(TREE, Schema.numeric(1)))
    assert re.findall(r"^  (\d+) \[", dot, re.M) == ["0", "1", "2", "3", "4"]
    assert re.findall(r"^  (\d+) -> (\d+) \[label=\"(.*)\"\];", dot, re.M) == [
        ("0", "1", "<= 1.5"),
        ("0", "2", "> 1.5"),
        ("2", "3", "<= 2.5"),
        ("2", "4", "> 2.5"),
    ]
    assert dot.count("shape=ellipse") == 2 and dot.count("shape=box") == 3


def test_cut_at_a_depth():
    dot = tree_graphviz(outline_of(TREE, Schema.numeric(1)), max_depth=1)
    assert dot.count("->") == 2 and dot.count("dashed") == 1


def test_names_are_escaped():
    dot = tree_graphviz(outline_of(TREE, Schema([Column(NASTY)])), name=NASTY)
    assert 'label="a\\"b\\\\c\\\\nd"' in dot or 'label="a\\"b\\\\c\\nd"' in dot
    inside = re.sub(r'"(?:[^"\\]|\\.)*"', "", dot)  # without strings only the grammar is left
    assert '"' not in inside and "\\" not in inside
    assert all(line.strip() for line in dot.splitlines())
