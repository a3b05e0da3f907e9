"""The picture of a tree shows its nodes, its words and its cuts."""

import itertools

import matplotlib.pyplot as plt
import pytest
from matplotlib.patches import Ellipse, Rectangle
from sklearn.base import clone

from assay.bayes import GaussianNB
from assay.plots.tree_display import TreeDisplay, _wrapped
from assay.tables import Column, Schema
from assay.tables.data import load_german_credit, load_iris
from assay.trees.c45_classifier import C45Classifier
from assay.trees.decision_tree_classifier import DecisionTreeClassifier
from assay.trees.id3_classifier import ID3Classifier
from assay.trees.outline import outline_of
from assay.trees.tree import Tree

TREE = Tree.of(
    {"feature": 0, "threshold": 50.0, "children": [
        {"value": [1, 0], "n": 4},
        {"feature": 1, "threshold": 60000.0, "children": [{"value": [0.5, 0.5], "n": 2}, {"value": [0, 1], "n": 1}]},
    ]},
    [0, 0],
)  # fmt: skip
OUTLINE = outline_of(TREE, Schema([Column("Age"), Column("Salary")]), ["N", "Y"])


def words(display):
    return [text.get_text() for text in display.ax_.texts]


@pytest.mark.capability("C3-47", "DC-33")
def test_every_node_is_drawn_with_its_words():
    display = TreeDisplay(OUTLINE, {1: "Nancy, Jim"}).plot()
    shapes = display.ax_.patches
    assert sum(isinstance(s, Ellipse) for s in shapes) == 2
    assert sum(isinstance(s, Rectangle) and s.get_width() == 0.88 for s in shapes) == 3
    assert "Age\n7 rows" in words(display) and "N\n4\nNancy, Jim" in words(display)
    assert {"≤ 50", "> 50", "≤ 60000", "> 60000"} <= set(words(display))


def test_a_cut_tree_says_so():
    display = TreeDisplay(OUTLINE).plot(max_depth=1)
    assert "2 of 5 nodes are not drawn" in words(display)
    assert any("2 more nodes" in w for w in words(display))


def test_numbers_have_no_bars_of_classes():
    tree = Tree.of(
        {"feature": 0, "threshold": 0.0, "children": [{"value": 1 / 3, "n": 1}, {"value": 2, "n": 1}]}, [0]
    )
    display = TreeDisplay(outline_of(tree, Schema.numeric(1))).plot()
    assert len(display.ax_.patches) == 3
    assert "0.3333\n1" in words(display)


def test_from_estimator_and_what_is_no_tree():
    model = ID3Classifier().fit({"taste": ["a", "b", "b"]}, [0, 1, 1])
    display = TreeDisplay.from_estimator(model)
    assert any(w.startswith("taste") for w in words(display))
    with pytest.raises(TypeError, match="GaussianNB is no tree"):
        TreeDisplay.from_estimator(GaussianNB())


def test_given_axes_are_used():
    first = TreeDisplay(OUTLINE).plot()
    assert TreeDisplay(OUTLINE).plot(first.ax_).ax_ is first.ax_


def test_the_path_of_a_row_is_stressed():
    nodes = [node for node, _ in TREE.path([60.0, 70000.0])]
    display = TreeDisplay(OUTLINE).plot(path=nodes)
    assert [line.get_linewidth() > 2 for line in display.ax_.lines] == [False, True, False, True]


@pytest.mark.parametrize("learner", [DecisionTreeClassifier(max_depth=4), C45Classifier(max_depth=3)])
@pytest.mark.parametrize("load", [load_german_credit, load_iris])
def test_words_do_not_lie_on_each_other(learner, load):
    """Neighbouring edges of the lowest level wrote over each other."""
    data = load()
    display = TreeDisplay.from_estimator(clone(learner).fit(data.X, data.y))
    display.figure_.canvas.draw()
    boxes = [(text.get_text(), text.get_window_extent()) for text in display.ax_.texts]
    for (one, a), (other, b) in itertools.combinations(boxes, 2):
        across = min(a.x1, b.x1) - max(a.x0, b.x0)
        along = min(a.y1, b.y1) - max(a.y0, b.y0)
        assert across <= 0.5 or along <= 0.5, (one, other)
    plt.close(display.figure_)


@pytest.mark.parametrize(
    ("text", "letters", "shown"),
    [
        ("no checking", 20, "no checking"),
        ("new car, radio", 8, "new car,\nradio"),
        ("new car, radio, boat", 8, "new car,\nradio..."),
        ("unbelievable", 5, "unbel\nie..."),
    ],
)
def test_labels_in_two_lines(text, letters, shown):
    assert _wrapped(text, letters) == shown
