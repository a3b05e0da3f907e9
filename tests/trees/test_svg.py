"""The drawing of a tree: well-formed, self-contained, escaped, and nothing outside the paper."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from assay.tables import Column, Schema
from assay.tables.data import load_apples
from assay.trees.outline import outline_of
from assay.trees.svg import tree_html, tree_svg
from assay.trees.textbook_tree_classifier import TextbookTreeClassifier
from assay.trees.tree import Tree

NS = "{http://www.w3.org/2000/svg}"


def apples():
    """C3 figure 3-15: taste, then shape, then colour under the oblate branches; eight leaves."""
    fuji, guoguang = {"value": [1, 0], "n": 1}, {"value": [0, 1], "n": 1}

    def colour(a, b, c):
        return {"feature": 2, "children": [a, b, c]}

    tree = Tree.of(
        {"feature": 0, "children": [
            {"feature": 1, "children": [fuji, colour(fuji, fuji, guoguang)]},
            {"feature": 1, "children": [fuji, colour(fuji, guoguang, guoguang)]},
        ]},
        [2, 2, 3],
    )  # fmt: skip
    schema = Schema(
        [
            Column("taste", "nominal", ("sweet", "sour-sweet")),
            Column("shape", "nominal", ("round", "oblate")),
            Column("colour", "nominal", ("yellow", "yellow-green", "green")),
        ]
    )
    return tree, schema


@pytest.mark.capability("C3-47")
@pytest.mark.parametrize("direction", ["auto", "down", "right"])
def test_the_drawing_of_figure_3_15(direction):
    tree, schema = apples()
    root = ElementTree.fromstring(
        tree_svg(outline_of(tree, schema, ["Fuji", "Guoguang"]), direction=direction)
    )
    assert len(root.findall(f".//{NS}ellipse")) == 5  # taste, two shapes, two colours
    assert len(root.findall(f"./{NS}path")) == 12
    words = ["".join(text.itertext()) for text in root.iter(f"{NS}text")]
    assert [words.count(w) for w in ("taste", "shape", "colour")] == [1, 2, 2]
    assert sum(w in ("Fuji", "Guoguang") for w in words) == 8 + 2  # eight leaves, two in the legend


def all_trees():
    tree, schema = apples()
    yield outline_of(tree, schema, ["Fuji", "Guoguang"])
    numbers = Tree.of(
        {"feature": 0, "threshold": 1 / 3, "children": [{"value": -5, "n": 9}, {"value": 7, "n": 1}]}, [0]
    )
    yield outline_of(numbers, Schema([Column("a very long name of a column that goes on and on")]))
    yield outline_of(Tree.of({"value": [0.5, 0.5], "n": 2}, [0]), Schema.numeric(1), ["<b>", "&amp;"])
    yield outline_of(Tree.of({"value": 3.0, "n": 2}, [0]), Schema.numeric(1))


@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("outline", list(all_trees()), ids=range(4))
def test_everything_is_on_the_paper_and_boxes_do_not_overlap(outline, direction):
    root = ElementTree.fromstring(tree_svg(outline, direction=direction))
    width, height = float(root.get("width")), float(root.get("height"))
    boxes = []
    for e in root.iter():
        g = {
            k: float(v)
            for k, v in e.attrib.items()
            if k in ("x", "y", "width", "height", "cx", "cy", "rx", "ry")
        }
        if e.tag == f"{NS}rect":
            assert g["x"] >= 0 and g["x"] + g["width"] <= width + 0.1
            assert g["y"] >= 0 and g["y"] + g["height"] <= height + 0.1
            if e.get("rx") == "4":
                boxes.append((g["x"], g["x"] + g["width"], g["y"], g["y"] + g["height"]))
        if e.tag == f"{NS}ellipse":
            assert (
                g["rx"] <= g["cx"] <= width - g["rx"] + 0.1 and g["ry"] <= g["cy"] <= height - g["ry"] + 0.1
            )
            boxes.append((g["cx"] - g["rx"], g["cx"] + g["rx"], g["cy"] - g["ry"], g["cy"] + g["ry"]))
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[1] <= b[0] or b[1] <= a[0] or a[3] <= b[2] or b[3] <= a[2]


def test_names_are_escaped_and_the_drawing_stands_alone():
    nasty = "<script>alert('x')</script>\"&\n"
    tree = Tree.of({"feature": 0, "children": [{"value": [1, 0], "n": 1}, {"value": [0, 1], "n": 1}]}, [2])
    schema = Schema([Column(nasty, "nominal", (nasty, "b"))])
    drawing = tree_svg(outline_of(tree, schema, [nasty, "b"]), notes={1: nasty})
    ElementTree.fromstring(drawing)
    assert "<script" not in drawing
    assert not re.search(r"(href|src|url\()", drawing)


def test_a_large_tree_is_cut_with_a_note():
    def full(level):
        if level == 8:
            return {"value": float(level), "n": 1}
        return {"feature": 0, "threshold": float(level), "children": [full(level + 1), full(level + 1)]}

    outline = outline_of(Tree.of(full(0), [0]), Schema.numeric(1))
    drawing = tree_svg(outline)
    assert f"{len(outline.nodes) - (2 * 60 - 1)} of {len(outline.nodes)} nodes are not drawn" in drawing
    assert drawing.count("stroke-dasharray") > 0
    assert "not drawn" not in tree_svg(outline, max_leaves=256)


def test_exact_conditions_stand_in_the_titles():
    tree = Tree.of(
        {"feature": 0, "threshold": 1 / 3, "children": [{"value": 1, "n": 9}, {"value": 7, "n": 1}]}, [0]
    )
    drawing = tree_svg(outline_of(tree, Schema.numeric(1)))
    assert "<title>x0 &lt;= 0.3333333333333333</title>≤ 0.333333" in drawing


def test_rows_can_be_noted_in_the_leaves():
    tree = Tree.of(
        {"feature": 0, "threshold": 50.0, "children": [{"value": 1, "n": 2}, {"value": 0, "n": 1}]}, [0]
    )
    words = tree_svg(outline_of(tree, Schema([Column("Age")])), notes={1: "Nancy, Jim\nAllen"})
    assert ">Nancy, Jim</text>" in words and ">Allen</text>" in words


def test_unknown_directions_are_refused():
    with pytest.raises(ValueError, match="'auto', 'down' or 'right', got 'up'"):
        tree_svg(outline_of(Tree.of({"value": 1.0, "n": 2}, [0]), Schema.numeric(1)), direction="up")


def test_the_path_of_a_row_is_stressed():
    tree, schema = apples()
    nodes = [node for node, _ in tree.path([1.0, 0.0, 1.0])]
    drawing = tree_svg(outline_of(tree, schema, ["Fuji", "Guoguang"]), path=nodes)
    assert (
        drawing.count('stroke="#d55e00"') == len(nodes) + len(nodes) - 1
    )  # nodes and the edges between them
    assert drawing.replace(
        'stroke="#d55e00" stroke-width="3"', 'stroke="#737d89" stroke-width="1.2"'
    ) == tree_svg(outline_of(tree, schema, ["Fuji", "Guoguang"]))


def test_html_for_notebooks_scrolls_and_is_escaped():
    tree, schema = apples()
    html = tree_html(outline_of(tree, schema, ["Fuji", "Guoguang"]), "<b>", max_depth=1)
    assert html.startswith('<div class="assay-tree" style="overflow-x:auto"><p>&lt;b&gt;</p><svg')
    assert "max-width" not in html and "not drawn" in html
    ElementTree.fromstring(html)


@pytest.mark.capability("C3-47")
@pytest.mark.parametrize(
    ("column", "rows"),
    [
        ("colour", {"yellow": "1, 7", "yellow-green": "2, 4, 6, 8, 10", "green": "3, 5, 9"}),
        ("taste", {"sweet": "1, 4, 9", "sour-sweet": "2, 3, 5, 6, 7, 8, 10"}),
    ],
)
def test_the_two_splits_of_figure_3_16(column, rows):
    """C3 figure 3-16: the ten apples after a split by colour and after one by taste, rows listed in the leaves."""
    data = load_apples()
    frame = {column: data.X.to_columns()[column]}
    model = TextbookTreeClassifier(max_depth=1).fit(frame, data.y)
    leaf = model.apply(frame)
    notes = {i: ", ".join(str(r + 1) for r in np.flatnonzero(leaf == i)) for i in np.unique(leaf)}
    root = ElementTree.fromstring(tree_svg(model.outline(), notes=notes))
    words = ["".join(text.itertext()) for text in root.iter(f"{NS}text")]
    assert words.count(column) == 1
    for branch in model.outline().nodes[0].branches:
        assert notes[branch.child] == rows[branch.label]
        assert rows[branch.label] in words


def test_a_notebook_shows_the_drawing_of_a_fitted_tree():
    model = TextbookTreeClassifier()
    assert "assay-tree" not in model._repr_mimebundle_()["text/html"]
    shown = model.fit([[0.0], [1.0]], ["a", "b"])._repr_mimebundle_()
    assert '<div class="assay-tree"' in shown["text/html"] and "<ellipse" in shown["text/html"]
    assert '<div class="assay-tree"' in model._repr_html_() and shown["text/plain"] == str(model)
