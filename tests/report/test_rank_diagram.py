"""Average ranks and their diagram."""

import re

import numpy as np
from numpy.testing import assert_allclose
from scipy.stats import rankdata

from assay.plots import CriticalDifferenceDisplay
from assay.report.rank_diagram import average_ranks, rank_diagram

# 5 data sets x 3 algorithms, IML 19.13.2: average ranks 2.8, 1.4, 1.8
TABLE = np.array([[.80, .85, .82], [.70, .76, .74], [.91, .90, .93], [.65, .72, .70], [.88, .92, .89]])  # fmt: skip


def test_average_ranks_of_the_book():
    assert_allclose(average_ranks(TABLE, "higher"), [2.8, 1.4, 1.8], rtol=1e-12)
    assert_allclose(average_ranks(1 - TABLE, "lower"), [2.8, 1.4, 1.8], rtol=1e-12)


def test_average_ranks_are_those_of_scipy_with_ties_and_gaps():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, size=(50, 6)) / 4
    values[3, 2] = np.nan
    whole = np.delete(values, 3, axis=0)
    assert_allclose(average_ranks(values, "lower"), rankdata(whole, axis=1).mean(axis=0), rtol=1e-12)


def test_rounding_noise_does_not_break_ties():
    assert_allclose(average_ranks(np.array([[0.1 + 0.2, 0.3, 0.4]]), "lower"), [1.5, 1.5, 3])


def test_the_best_stands_at_the_left_as_in_the_display_and_bars_join_their_members():
    svg = str(
        rank_diagram(["worst", "best", "<mid>"], [2.8, 1.4, 1.8], [[1, 2], [0]], "ranks", distance=1.48)
    )
    ends = dict(re.findall(r'text-anchor="(start|end)" class="who">(\S+)', svg))
    assert ends["start"].startswith("worst")
    knots = [float(x) for x in re.findall(r'<circle cx="([\d.]+)"', svg)]
    assert len(knots) == 2 and knots[0] < knots[1]  # rank 1.4 left of 1.8; the group of one has no bar
    assert "&lt;mid&gt;" in svg and "critical difference 1.48" in svg
    display = CriticalDifferenceDisplay(
        ["worst", "best", "<mid>"], [2.8, 1.4, 1.8], [[1, 2], [0]], cd=1.48
    ).plot()
    beside = {text.get_text(): text.get_ha() for text in display.ax_.texts}
    assert (
        beside["best  1.40"] == "right" and beside["2.80  worst"] == "left"
    )  # names left and right of the axis
    assert display.bars_ == [(1.4, 1.8)] and display.ax_.get_xlim()[0] < display.ax_.get_xlim()[1]


def test_many_and_long_names_stay_on_the_paper():
    names = [f"a learner with a name that never ends, number {i}" for i in range(40)]
    svg = str(rank_diagram(names, np.arange(1, 41.0), [list(range(40))], "many"))
    assert svg.count('class="who"') == 40 and "…" in svg
    ticks = re.findall(r'text-anchor="middle">(\d+)</text>', svg)
    assert len(ticks) <= 13
    places = [float(x) for x in re.findall(r'cx="([\d.]+)"', svg)]
    assert min(places) >= 0 and max(places) <= float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1])


def test_names_that_differ_late_are_told_apart():
    names = [f"knn(n_neighbors={k}, weights={w})" for k in (1, 15) for w in ("uniform", "distance")]
    svg = str(rank_diagram(names, [1, 2, 3, 4.0], [], "four"))
    shown = re.findall(r'class="who">(.*?)  ', svg)
    assert sorted(shown) == sorted(names)
    assert float(re.search(r'viewBox="0 0 ([\d.]+)', svg)[1]) > 760
