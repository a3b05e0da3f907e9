"""Scales: what they hold, where their ticks are, and that both kinds of drawing have the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.plots.canvas import axes_for
from assay.plots.scale import Scale

numbers = st.floats(-1e6, 1e6, allow_subnormal=False)


@given(st.lists(numbers, min_size=1, max_size=8))
@settings(deadline=None, max_examples=150)
def test_a_scale_holds_its_values_and_has_a_few_round_ticks(values):
    scale = Scale.over(values, 300)
    slack = 1e-8 * (scale.high - scale.low)
    assert scale.low <= min(values) + slack and scale.high >= max(values) - slack
    assert 2 <= len(scale.ticks) <= 12
    assert np.allclose(np.diff(scale.ticks), scale.ticks[1] - scale.ticks[0], rtol=1e-3)
    places = [scale(v) for v in sorted(values)]
    assert all(0 <= p <= 300 for p in places) and places == sorted(places)


def test_bounds_and_emptiness():
    scale = Scale.over([0.01, 0.4], 300, (0.0, 1.0), margin=14)
    assert scale.low == 0.0 and scale(5.0) == scale(scale.high) == 286
    assert Scale.over([np.nan], 300).ticks[0] == 0.0
    flat = Scale.over([0.3, 0.3], 300)
    assert flat.low < 0.3 < flat.high
    edge = Scale.over([1.0], 300, (0.0, 1.0))
    assert edge.high == 1.0 and edge.low < 1.0


@pytest.mark.parametrize(
    ("values", "log"),
    [
        ([57, 114, 200, 342, 570], True),  # a report's shares of the rows
        ([15, 40, 66, 93, 120], False),  # even steps
        ([0.001, 0.01, 0.1, 1.0, 10.0], True),
        ([101, 51, 25, 15, 9, 5, 3, 1], True),
        ([0, 1, 10, 100], False),
        ([12, 640], False),
    ],
)
def test_values_whose_steps_grow_stand_by_their_logarithms(values, log):
    scale, places = Scale.at(values)
    assert scale.log is log and places.tolist() == values
    share = scale.share(places)
    assert 0 < share.min() < share.max() < 1
    if log:
        assert_allclose(
            np.diff(share) / np.diff(np.log(values)), np.diff(share)[0] / np.diff(np.log(values))[0]
        )


def test_words_stand_one_after_another_and_many_values_have_few_ticks():
    scale, places = Scale.at(np.array(["gini", None, "entropy"], dtype=object))
    assert places.tolist() == [0, 1, 2] and scale.names == ["gini", "None", "entropy"] and not scale.log
    assert len(Scale.at(np.arange(1, 60))[0].ticks) <= 10


@pytest.mark.parametrize("scale", [Scale.at([1, 10, 100, 1000])[0], Scale.over([-0.2, 0.31]), Scale.unit()])
def test_an_axis_of_matplotlib_has_the_ends_ticks_and_places_of_the_scale(scale):
    ax = axes_for(None, (4, 3))
    scale.draw(ax, "x")
    assert ax.get_xlim() == (scale.low, scale.high)
    assert [text.get_text() for text in ax.get_xticklabels()] == [name for _, name in scale.labels]
    drawn = ax.transData.transform([(t, 0.5) for t in scale.ticks])[:, 0]
    ends = ax.transAxes.transform([(0, 0), (1, 0)])[:, 0]
    assert_allclose((drawn - ends[0]) / (ends[1] - ends[0]), scale.share(scale.ticks), atol=1e-9)
