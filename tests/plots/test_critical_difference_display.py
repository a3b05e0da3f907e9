"""Diagrams of average ranks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from assay.errors import DataError, ParameterError
from assay.plots.critical_difference_display import CriticalDifferenceDisplay
from assay.stats.significance.friedman import friedman_from_ranks
from assay.stats.significance.rank_post_hoc import compare_ranks

# Oracle: IML 19.13.2, after Demsar (2006): 14 data sets, Nemenyi CD 1.25355915, Bonferroni-Dunn CD 1.16814253.
NAMES = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
RANKS = np.array([44, 28, 40.5, 27.5]) / 14


@pytest.mark.capability("IML-19-18")
def test_diagram_of_the_book_s_four_learners():
    display = CriticalDifferenceDisplay.from_ranks(RANKS, 14, NAMES)
    assert display.cd == pytest.approx(1.25355915, abs=1e-8)
    assert_allclose(display.ranks, [3.14285714, 2, 2.89285714, 1.96428571], atol=1e-8)
    assert [NAMES[j] for j in display.order_] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    # 3.1429 - 1.9643 is less than the critical difference: no pair differs, one bar joins all
    assert_allclose(display.bars_, [(RANKS.min(), RANKS.max())])
    words = [t.get_text() for t in display.ax_.texts]
    assert "critical difference 1.25" in words and "C4.5+m+cf  1.96" in words and "3.14  C4.5" in words
    ruler = next(line for line in display.ax_.lines if np.allclose(line.get_xdata(), [1, 1 + display.cd]))
    assert_allclose(np.ptp(ruler.get_xdata()), 1.25355915, atol=1e-8)


@pytest.mark.capability("IML-19-18")
def test_a_control_has_a_band_of_one_critical_difference():
    display = CriticalDifferenceDisplay.from_ranks(RANKS, 14, NAMES, control="C4.5")
    assert display.cd == pytest.approx(1.16814253, abs=1e-8)
    band = display.ax_.collections[0].get_paths()[0].vertices[:, 0]
    assert_allclose([band.min(), band.max()], [RANKS[0] - 1.16814253, 4], atol=1e-8)  # ends with the axis
    assert display.bars_ == [] and display.control == 0
    outside = [name for name, rank in zip(NAMES, RANKS) if rank < band.min()]
    assert outside == ["C4.5+m+cf"]  # the only one that differs from the control
    assert display.ax_.get_title() == "Bonferroni-Dunn test against C4.5, level 0.05"


@pytest.mark.capability("IML-19-18")
def test_from_scores_of_five_data_sets():
    table = [
        [0.80, 0.85, 0.82],
        [0.70, 0.76, 0.74],
        [0.91, 0.90, 0.93],
        [0.65, 0.72, 0.70],
        [0.88, 0.92, 0.89],
    ]
    display = CriticalDifferenceDisplay.from_scores(table, ["1", "2", "3"])
    assert_allclose(display.ranks, [2.8, 1.4, 1.8])
    assert display.cd == pytest.approx(1.48228640, abs=1e-8)
    errors = CriticalDifferenceDisplay.from_scores(1 - np.array(table), ["1", "2", "3"], better="lower")
    assert_allclose(errors.ranks, display.ranks)


def test_tests_in_steps_have_bars_but_no_ruler():
    found = friedman_from_ranks([1.2, 2.1, 3.0, 3.7], 20, names=["a", "b", "c", "d"])
    display = CriticalDifferenceDisplay.from_post_hoc(compare_ranks(found, "holm"))
    assert display.cd is None and not any("critical" in t.get_text() for t in display.ax_.texts)
    assert_allclose(display.bars_, [(1.2, 2.1), (2.1, 3.0), (3.0, 3.7)])  # z of neighbours: at most 2.20
    against = CriticalDifferenceDisplay.from_post_hoc(compare_ranks(found, "holm", control="c"))
    assert_allclose(against.bars_, [(2.1, 3.7)])  # c and b: z = 2.20, p = 0.027, doubled by the second step


@settings(max_examples=30, deadline=None)
@given(k=st.integers(2, 9), seed=st.integers(0, 10**6))
def test_bars_in_one_lane_never_touch(k, seed):
    import matplotlib.pyplot as plt

    rng = np.random.default_rng(seed)
    table = rng.normal(size=(8, k)) + np.linspace(0, 3, k)
    display = CriticalDifferenceDisplay.from_scores(table)
    drawn = [line for line in display.ax_.lines if line.get_linewidth() == 4.5]
    assert len(drawn) == len(display.bars_) == sum(len(g) > 1 for g in display.groups)
    lanes = {}
    for line in drawn:
        lanes.setdefault(float(line.get_ydata()[0]), []).append(tuple(line.get_xdata()))
    for bars in lanes.values():
        bars.sort()
        assert all(a[1] < b[0] for a, b in zip(bars, bars[1:]))  # noqa: RUF007
    for left, right in display.bars_:
        assert right - left <= display.cd
    plt.close(display.figure_)


@pytest.mark.parametrize(
    ("names", "ranks", "options", "words"),
    [
        (["a"], [1], {}, "at least 2 learners"),
        (["a", "b"], [1, 2, 3], {}, r"2 names for ranks of shape \(3,\)"),
        (["a", "b"], [0, 3], {}, "lie from 1 to 2, got 0 to 3"),
        (["a", "b"], [1, 2], {"control": 2}, "control must be a number from 0 to 1, got 2"),
    ],
)
def test_what_are_no_ranks_is_refused(names, ranks, options, words):
    with pytest.raises((DataError, ParameterError), match=words):
        CriticalDifferenceDisplay(names, ranks, **options)


def test_a_study_is_drawn_as_it_concludes(tmp_path):
    from assay.experiments.experiment import Experiment

    learners = ["majority", "lda", "naive bayes"]
    study = Experiment(learners, ["iris", "wine"], design="3-fold", folder=tmp_path / "study").run()
    display = CriticalDifferenceDisplay.from_study(study)
    found = study.conclusion()
    assert_allclose(display.ranks, found.ranks)
    assert (
        display.names == learners
        and display.groups == found.pairs.groups
        and display.cd == found.pairs.critical
    )
    two = Experiment(["majority", "lda"], ["iris", "wine"], design="3-fold").run()
    with pytest.raises(DataError, match="three learners or more on two data sets or more"):
        CriticalDifferenceDisplay.from_study(two)
