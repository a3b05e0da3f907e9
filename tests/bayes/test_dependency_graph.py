"""Graphs of models: stars of naive Bayes, complete graphs of joint ones, graphs of one's own."""

import re
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from assay.bayes import (
    BernoulliNB,
    DependencyGraph,
    GaussianNB,
    JointBayes,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    QuadraticDiscriminantAnalysis,
    dependency_graph,
)
from assay.errors import DataError, ParameterError
from assay.tables.data import load_apples
from assay.trees import DecisionTreeClassifier


@pytest.mark.capability("BC-45")
@pytest.mark.parametrize("learner", [NaiveBayes, GaussianNB, BernoulliNB])
def test_a_naive_bayes_of_the_user_is_a_star(learner):
    """BC figure 5.4.1: one edge from the class to each column, none between columns."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, size=(30, 3)).astype(float), columns=["a", "b & <c>", 'd"'])
    graph = dependency_graph(learner().fit(X, rng.integers(0, 2, 30)), target="y")
    assert graph.nodes == ["y", "a", "b & <c>", 'd"'] and graph.root == "y"
    assert graph.edges == [("y", "a"), ("y", "b & <c>"), ("y", 'd"')]
    assert all(graph.parents(name) == ["y"] for name in X.columns) and graph.parents("y") == []


@pytest.mark.capability("BC-45")
def test_the_picture_holds_the_graph():
    data = load_apples()
    graph = dependency_graph(NaiveBayes().fit(data.X, data.y), target="variety")
    svg = ElementTree.fromstring(graph.to_svg())
    space = "{http://www.w3.org/2000/svg}"
    words = [text.text for text in svg.iter(f"{space}text")]
    assert len(list(svg.iter(f"{space}rect"))) == 5 and len(list(svg.iter(f"{space}line"))) == 4
    assert set(graph.nodes) < set(words)
    box = {
        name: (float(r.get("x")), float(r.get("y")))
        for r, name in zip(svg.iter(f"{space}rect"), [w for w in words if not w.endswith("bits")])
    }
    assert len(set(box.values())) == 5 and all(
        box["variety"][1] < box[name][1] for name in data.X.schema.names
    )
    ends = [[float(line.get(end)) for end in ("x1", "y1", "x2", "y2")] for line in svg.iter(f"{space}line")]
    rect = next(svg.iter(f"{space}rect"))
    half, height = float(rect.get("width")) / 2, float(rect.get("height"))
    for (x1, y1, x2, y2), (a, b) in zip(ends, graph.edges):  # from below the parent to above the child
        assert_allclose([x1, y1], [box[a][0] + half, box[a][1] + height], rtol=1e-12)
        assert_allclose([x2, y2], [box[b][0] + half, box[b][1]], rtol=1e-12)
    edges = re.findall(r'"(.*?)" -> "(.*?)"', graph.to_dot())
    assert edges == graph.edges == [("variety", name) for name in data.X.schema.names]
    assert graph.labels["variety", "colour"] == "0.61 bits"  # C3: the gain of colour is 0.6100 bits
    assert graph._repr_svg_() == graph.to_svg()


def test_joint_models_have_edges_between_columns():
    X = np.random.default_rng(0).normal(size=(40, 3))
    y = np.arange(40) % 2
    for model in (LinearDiscriminantAnalysis(), QuadraticDiscriminantAnalysis(), JointBayes()):
        graph = dependency_graph(model.fit(X.round() if isinstance(model, JointBayes) else X, y))
        assert set(graph.edges) == {
            *(("class", f"x{j}") for j in range(3)), ("x0", "x1"), ("x0", "x2"), ("x1", "x2")
        }  # fmt: skip
        assert str(graph) == "P(class) P(x0 | class) P(x1 | class, x0) P(x2 | class, x0, x1)"


def test_edges_of_one_s_own_and_their_faults():
    tree = DecisionTreeClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    graph = dependency_graph(tree, edges=[("class", "x0"), ("x0", "x1")])
    assert str(graph) == "P(class) P(x0 | class) P(x1 | x0)" and graph.levels() == {
        "class": 0,
        "x0": 1,
        "x1": 2,
    }
    assert dependency_graph(["u", "v"], "t", [("t", "u"), ("u", "v")]).parents("v") == ["u"]
    with pytest.raises(ParameterError, match="does not say which columns depend on which"):
        dependency_graph(tree)
    with pytest.raises(DataError, match="form a cycle"):
        dependency_graph(tree, edges=[("x0", "x1"), ("x1", "x0")])
    with pytest.raises(DataError, match="names 'z', which is no node"):
        dependency_graph(tree, edges=[("z", "x1")])
    with pytest.raises(DataError, match="two nodes are called 'a'"):
        DependencyGraph(["a", "a"], [])
    with pytest.raises(ParameterError, match="'x0' is a column"):
        dependency_graph(tree, target="x0")
    with pytest.raises(ParameterError, match="expected a fitted learner"):
        dependency_graph(7)


def test_dot_quotes_what_needs_it():
    dot = DependencyGraph(['say "hi"', "back\\slash"], [('say "hi"', "back\\slash")]).to_dot()
    assert '"say \\"hi\\"" -> "back\\\\slash"' in dot
