"""Effects of factors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.experiments.designs.effects import effects
from assay.experiments.designs.factorial import full_factorial
from assay.plots.effects_display import EffectsDisplay

DESIGN = full_factorial({"heat": [160, 180], "dose": [20, 40], "kind": ["a", "b"]})
Y = np.array([60.0, 72, 54, 68, 52, 83, 45, 80])


def test_dots_are_the_sizes_against_the_quantiles():
    display = EffectsDisplay.from_runs(DESIGN, Y)
    found = effects(DESIGN, Y)
    _, size, quantile = zip(*found.half_normal())
    assert_allclose(display.lines_[0].get_offsets(), np.column_stack([size, quantile]))
    told = {t.get_text() for t in display.ax_.texts} - {"margin of one effect"}
    assert (
        told == {name for name, active in zip(found.names, found.active) if active} == {"heat", "heat*kind"}
    )


def test_main_effects_run_from_the_mean_at_low_to_the_mean_at_high():
    display = EffectsDisplay.from_runs(DESIGN, Y, kind="main")
    for j, line in enumerate(display.lines_):
        low, high = (Y[DESIGN.coded[:, j] == side].mean() for side in (-1, 1))
        assert_allclose(line.get_ydata(), [low, high])
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["heat", "dose", "kind"]
    assert [t.get_text() for t in display.ax_.texts] == ["160", "180", "20", "40", "a", "b"]


def test_interactions_are_means_of_cells():
    display = EffectsDisplay.from_runs(DESIGN, Y, kind="interaction")  # the largest: heat and kind
    coded = DESIGN.coded
    for line, kind in zip(display.lines_, (-1, 1)):
        cells = [Y[(coded[:, 0] == heat) & (coded[:, 2] == kind)].mean() for heat in (-1, 1)]
        assert_allclose(line.get_ydata(), cells)
    assert [t.get_text() for t in display.ax_.get_legend().get_texts()] == ["kind: a", "kind: b"]
    other = EffectsDisplay.from_runs(DESIGN, Y, kind="interaction", pair=("dose", "heat"))
    assert other.ax_.get_xlabel() == "dose"


def test_replicates_and_bare_matrices():
    twice = np.column_stack([Y, Y + np.arange(8) % 3])
    display = EffectsDisplay.from_runs(DESIGN.coded, twice, kind="main")
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["A", "B", "C"]
    shown = EffectsDisplay.from_runs(DESIGN, twice, kind="interaction", pair=("heat", "kind"))
    assert_allclose(shown.lines_[0].get_ydata()[0], twice[[0, 2]].mean())


def test_what_cannot_be_drawn_is_refused():
    alone = EffectsDisplay(effects(DESIGN, Y))
    with pytest.raises(DataError, match="needs the runs"):
        alone.plot(kind="interaction")
    with pytest.raises(ParameterError, match="kind must be one of half-normal, main, interaction, got 'pie'"):
        alone.plot(kind="pie")
    with pytest.raises(ParameterError, match=r"no factor 'cold'\. Factors: heat, dose, kind"):
        EffectsDisplay.from_runs(DESIGN, Y, kind="interaction", pair=("cold", "heat"))
    with pytest.raises(ParameterError, match="two different factors"):
        EffectsDisplay.from_runs(DESIGN, Y, kind="interaction", pair=("heat", "heat"))


def test_no_effect_at_all_is_drawn():
    display = EffectsDisplay.from_runs(full_factorial(2), [1.0, 1, 1, 1])
    assert_allclose(display.lines_[0].get_offsets()[:, 0], 0)
    display.figure_.canvas.draw()
