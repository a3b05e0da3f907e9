"""Pictures of networks: every node, arrow and plate is drawn."""

import pytest
from matplotlib.patches import Ellipse, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

from assay.graphs import Decision, Diagram, InfluenceDiagram, Utility, load_network
from assay.plots import GraphDisplay


def kinds(display, kind):
    return [patch for patch in display.ax_.patches if type(patch) is kind]


def test_a_network_with_evidence():
    network = load_network("asia")
    display = GraphDisplay.from_network(network, evidence={"smoke": "yes"})
    assert len(kinds(display, Ellipse)) == 8 and len(kinds(display, FancyArrowPatch)) == 8
    texts = [text.get_text() for text in display.ax_.texts]
    assert set(network.names) <= set(texts) and "= yes" in texts


def test_plates_boxes_and_diamonds():
    diagram = Diagram(["w", "x", "r"], [("w", "r"), ("x", "r")], edges=[("w", "x")], plates={"N": ["x", "r"]},
                      arc_labels={("w", "r"): "0.5"})  # fmt: skip
    display = GraphDisplay(diagram).plot()
    assert len(kinds(display, FancyBboxPatch)) == 1
    assert {"N", "0.5"} <= {text.get_text() for text in display.ax_.texts}
    decision = InfluenceDiagram(
        load_network("rain").nodes,
        [Decision("umbrella", ["take", "leave"], ["wet"])],
        [Utility("comfort", ["rain", "umbrella"], [[70, 0], [20, 100]])],
    )
    display = GraphDisplay.from_network(decision)
    assert len(kinds(display, Rectangle)) == 1 and len(kinds(display, Polygon)) == 1
    with pytest.raises(TypeError, match="no diagram"):
        GraphDisplay.from_network("asia")
