"""What the figures of topics and binary features show is so."""

import numpy as np
import pytest
from tests.gallery.drawing import draw


@pytest.mark.capability("IML-16-30")
def test_the_plate_diagram_has_the_edges_of_the_model():
    drawn = draw("plot_topic_plates.py")
    children = {b for _, b in drawn["edges"]}
    assert {name for name in drawn["places"] if name not in children} == {r"$\alpha$", r"$\beta$"}
    assert len(drawn["edges"]) == 5 and len(drawn["plates"]) == 3


def test_all_bars_are_found():
    drawn = draw("plot_topics_of_bars.py")
    assert drawn["distance"][np.arange(10), drawn["order"]].max() < 0.1


@pytest.mark.capability("IML-16-32")
def test_the_four_shapes_are_found():
    drawn = draw("plot_indian_buffet.py")
    assert drawn["distance"].shape == (4, 4)
    assert np.abs(drawn["shapes"].reshape(4, 36) - drawn["found"]).mean(axis=1).max() < 0.12
