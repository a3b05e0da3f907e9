"""The tree as text: its layout, its counts, its cuts. That it decides as the tree does is in test_outline.py."""

import pytest

from assay.tables import Column, Schema
from assay.trees.outline import outline_of
from assay.trees.text import tree_text
from assay.trees.tree import Tree

SCHEMA = Schema([Column("taste", "nominal", ("sour", "sweet, ripe")), Column("weight")])
TREE = Tree.of(
    {"feature": 0, "missing": 1, "children": [
        {"feature": 1, "threshold": 185.0, "children": [{"value": [0.25, 0.75], "n": 4}, {"value": [1, 0], "n": 2}]},
        {"value": [0.5, 0.5], "n": 2.5},
    ]},
    [2, 0],
)  # fmt: skip
OUTLINE = outline_of(TREE, SCHEMA, ["Fuji", "Guoguang"])


def test_layout_and_counts():
    assert tree_text(OUTLINE).splitlines() == [
        "taste = sour",
        "|   weight <= 185: Guoguang (3 of 4)",
        "|   weight > 185: Fuji (2)",
        "taste = 'sweet, ripe': Fuji (1.25 of 2.50)",
    ]


def test_rows_of_every_class_on_request():
    assert tree_text(OUTLINE, counts=True).splitlines()[1].endswith("Guoguang (3 of 4: 1, 3)")


def test_where_missing_values_go_on_request():
    lines = tree_text(OUTLINE, missing=True).splitlines()
    assert lines[3].startswith("taste = 'sweet, ripe' or missing: ")
    assert lines[-1] == "A missing value is spread over the branches of a node by their rows."


def test_a_cut_tree_says_what_is_left_out():
    assert tree_text(OUTLINE, max_depth=1).splitlines()[0] == "taste = sour: Fuji (3 of 6; 2 more nodes)"
    assert tree_text(OUTLINE, max_depth=0) == "Fuji (4.25 of 8.50; 4 more nodes)"


def test_a_tree_of_one_leaf():
    assert tree_text(outline_of(Tree.of({"value": 2.5, "n": 3}, [0]), Schema.numeric(1))) == "2.5 (3)"
    two = Tree.of({"value": [1 / 3, 2.0], "n": 3}, [0])
    assert tree_text(outline_of(two, Schema.numeric(1))) == "0.333333, 2 (3)"


@pytest.mark.parametrize("name", ["two\nlines", "tab\there", "\x1b[31mred"])
def test_strange_names_stay_in_their_line(name):
    tree = Tree.of(
        {"feature": 0, "threshold": 0.0, "children": [{"value": 1, "n": 1}, {"value": 2, "n": 1}]}, [0]
    )
    text = tree_text(outline_of(tree, Schema([Column(name)])))
    assert len(text.splitlines()) == 2 and text.replace("\n", "").isprintable()
