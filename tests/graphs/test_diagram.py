"""Diagrams: networks, plates, decisions."""

import xml.etree.ElementTree as ElementTree

import pytest

from assay.errors import AssayError
from assay.graphs import Diagram, load_network

SVG = "{http://www.w3.org/2000/svg}"


def drawn(diagram):
    return ElementTree.fromstring(diagram.to_svg())


@pytest.mark.capability("IML-14-11")
def test_networks_and_plates():
    """Naive Bayes, Bayesian regression with its plate, classification with a loss as decision."""
    naive = Diagram(
        ["class", "x1", "x2", "x3"], [("class", f"x{j}") for j in (1, 2, 3)], observed=["x1", "x2", "x3"]
    )
    picture = drawn(naive)
    assert len(picture.findall(f"{SVG}ellipse")) == 4 and len(picture.findall(f"{SVG}path")) == 3
    regression = Diagram(
        ["α", "w", "x", "r", "β"],
        [("α", "w"), ("w", "r"), ("x", "r"), ("β", "r")],
        shapes={"α": "point", "β": "point"},
        observed=["x", "r"],
        plates={"t = 1..N": ["x", "r"]},
    )
    texts = [e.text for e in drawn(regression).iter(f"{SVG}text")]
    assert "t = 1..N" in texts and drawn(regression).find(f"{SVG}rect") is not None
    assert "subgraph cluster_0" in regression.to_dot()
    arcs = [("x", "choice"), ("class", "loss"), ("choice", "loss"), ("class", "x")]
    loss = Diagram(["x", "class", "choice", "loss"], arcs,
                   shapes={"choice": "box", "loss": "diamond"})  # fmt: skip
    assert drawn(loss).find(f"{SVG}polygon") is not None


def test_nodes_do_not_overlap_and_parents_stand_above():
    network = load_network("asia")
    diagram = network.diagram(evidence={"smoke": "yes"})
    places = diagram.places()
    for a in network.names:
        for b in network.names:
            if a < b and places[a][1] == places[b][1]:
                assert abs(places[a][0] - places[b][0]) >= (diagram.width(a) + diagram.width(b)) / 2
    assert all(places[a][1] < places[b][1] for a, b in network.arcs)
    assert "= yes" in diagram.to_svg() and "<script" not in Diagram(["<script>"]).to_svg()


def test_wrong_diagrams_are_refused():
    with pytest.raises(AssayError, match="no node"):
        Diagram(["a"], [("a", "b")])
    with pytest.raises(AssayError, match="shapes are"):
        Diagram(["a"], shapes={"a": "star"})
