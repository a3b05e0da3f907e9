"""Charts: places on the paper, names escaped, gaps left out."""

import re

import numpy as np

from assay.plots.scale import Scale
from assay.report.charts import Line, chart


def drawn(*lines, **more):
    return str(chart(lines, Scale.unit(), Scale.unit(), "x < y", "up", "a & b", size=(256.0, 246.0), **more))


def corners(path):
    """Absolute places of a path of relative steps, as SVG reads numbers."""
    number = re.compile(r"-?(?:\d+\.?\d*|\.\d+)")
    start, *steps = path.split("l")
    places = [np.array([float(v) for v in number.findall(start)])]
    for step in steps:
        dx, dy = (float(v) for v in number.findall(step))
        places.append(places[-1] + [dx, dy])
    return np.array(places)


def test_a_line_lies_where_its_numbers_say():
    svg = drawn(Line([0, 0, 1], [0, 1, 1], "k3", "step"))
    path = re.search(r'<path d="([^"]*)" class="curve k3"><title>step</title></path>', svg)[1]
    # paper from 44 to 246 and from 8 to 208; y goes up
    np.testing.assert_allclose(corners(path), [[44, 208], [44, 8], [246, 8]], atol=0.1)


def test_rounded_steps_do_not_drift():
    x = np.linspace(0, 1, 2001)
    y = (np.sin(40 * x) + 1) / 2
    path = re.search(r'<path d="([^"]*)" class="curve', drawn(Line(x, y)))[1]
    end = corners(path)[-1]
    np.testing.assert_allclose(end, [246, 8 + (1 - y[-1]) * 200], atol=0.1)


def test_names_are_escaped():
    svg = drawn(Line([0, 1], [0, 1], "k0", "<script>"))
    assert "<script>" not in svg and "&lt;script&gt;" in svg and 'aria-label="a &amp; b"' in svg
    assert "x &lt; y" in svg


def test_gaps_are_left_out_and_a_single_point_is_a_dot():
    svg = drawn(Line([0, 0.5, 1], [0.1, np.nan, 0.9]))
    assert "nan" not in svg and len(corners(re.search(r'd="([^"]*)"', svg)[1])) == 2
    alone = drawn(Line([0.5], [0.5]))
    assert "<circle" in alone and "<path" not in alone


def test_a_band_is_closed_and_bars_stand_on_the_floor():
    svg = drawn(Line([0, 1], [0.5, 0.5], low=[0.4, 0.4], high=[0.6, 0.6]), bars=[(0.0, 0.5, 0.25)])
    band = re.search(r'<path d="([^"]*)Z" class="band k0"', svg)[1]
    np.testing.assert_allclose(corners(band), [[44, 88], [246, 88], [246, 128], [44, 128]], atol=0.1)
    bar = re.search(r'<rect x="([\d.]+)" width="([\d.]+)" y="([\d.]+)" height="([\d.]+)" class="hist"', svg)
    assert float(bar[3]) + float(bar[4]) == 208 and float(bar[4]) == 50
