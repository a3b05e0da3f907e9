"""Scales and drawings."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest

from assay.plots.scale import Scale
from assay.report.svg import axis, class_bar, element, share_bar, whisker


def test_a_drawing_is_well_formed_and_escapes_names():
    scale = Scale.over([0, 1], 300)
    evil = '"><script>&'
    for svg in (whisker(scale, 0.5, 0.4, 0.6, [0.1, 0.9], label=evil), class_bar([(evil, 3), ("b", 0)]), axis(scale),
                share_bar(0.5)):  # fmt: skip
        root = ET.fromstring(str(svg))
        assert root.tag == "svg" and not list(root.iter("script"))


def test_a_whisker_shows_mean_ends_and_single_values():
    scale = Scale.over([0, 1], 300)
    root = ET.fromstring(str(whisker(scale, 0.5, 0.25, 0.75, [0.1, 0.9, np.nan], kind="best")))
    dot = next(root.iter("circle"))
    assert float(dot.get("cx")) == pytest.approx(scale(0.5), abs=0.01)
    lines = [line for line in root.iter("line") if line.get("class") == "whisker"]
    assert len(lines) == 3
    assert float(lines[0].get("x1")) == pytest.approx(scale(0.25), abs=0.01)
    assert sum(line.get("class") == "mark" for line in root.iter("line")) == 2


@pytest.mark.parametrize(("mean", "tip"), [(3.0, 297.0), (-3.0, 3.0)])
def test_a_mean_off_the_scale_is_an_arrow_at_its_edge(mean, tip):
    root = ET.fromstring(str(whisker(Scale.over([0, 1], 300), mean, mean - 1, mean + 1)))
    assert not list(root.iter("circle"))
    points = next(root.iter("polygon")).get("points").split()
    assert float(points[1].split(",")[0]) == tip


def test_without_an_interval_there_is_only_the_dot():
    root = ET.fromstring(str(whisker(Scale.over([0, 1], 300), 0.5, np.nan, np.nan)))
    assert len(list(root.iter("circle"))) == 1
    assert not [line for line in root.iter("line") if line.get("class") == "whisker"]


def test_the_class_bar_is_cut_in_proportion():
    root = ET.fromstring(str(class_bar([("a", 30), ("b", 10)], width=400)))
    widths = [float(r.get("width")) for r in root.iter("rect")]
    assert widths == [298.5, 98.5]
    assert [t.text for t in root.iter("text")] == ["a 75%", "b 25%"]


def test_attributes_are_escaped_and_none_left_out():
    assert element("rect", x=1.50, y=None, class_="a b") == '<rect x="1.5" class="a b"></rect>'
    assert "&#34;" in element("text", "x", title='"')
