"""Pictures of selection: the rounds of a search, how often columns are chosen, strips and pairs of columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError, ParameterError
from assay.linear import Ridge
from assay.plots import (
    FeaturePairsDisplay,
    FeatureStripsDisplay,
    SelectionFrequencyDisplay,
    SelectionTraceDisplay,
)
from assay.select import Round, SelectByLassoPath, StabilitySelection, Trace, selection_frequency

X = np.random.default_rng(0).normal(size=(40, 4))
y = 2 * X[:, 1] + np.random.default_rng(1).normal(size=40)
FIRST = Round("add", (), ((0,), (1,), (2,)), np.array([[0.3], [0.1], [0.2]]) * -1, 1, True, 3)
SECOND = Round("add", (1,), ((0,), (2,)), np.array([[0.15], [0.12]]) * -1, 1, False, 5)
TRACE = Trace([FIRST, SECOND], ["age", "$pay", "size"], "error", -1, (1,))


@pytest.mark.capability("IML-6-06")
def test_every_round_shows_every_candidate_and_what_was_taken():
    display = SelectionTraceDisplay(TRACE).plot()
    assert_allclose(display.path_, [0.1, 0.1])
    grey = [mark.get_offsets() for mark in display.ax_.collections[:2]]
    assert_allclose(np.sort(grey[0][:, 1]), [0.1, 0.2, 0.3])
    assert_allclose(np.sort(grey[1][:, 1]), [0.12, 0.15])
    assert [t.get_text() for t in display.ax_.get_xticklabels()] == ["1  + $pay", "2  + size"]
    assert "5 subsets scored, 1 column chosen; hollow: not taken" in display.ax_.get_title()
    assert not display.ax_.get_xticklabels()[0].get_parse_math()
    assert [t.get_text() for t in SelectionTraceDisplay(TRACE).plot(names=False).ax_.get_xticklabels()] == [
        "1",
        "2",
    ]


def test_bars_show_how_often_columns_are_chosen_and_which_are_kept():
    result = selection_frequency(SelectByLassoPath(2), X, y, resamples=10)
    display = result.plot()
    order = display.order_
    assert_allclose([bar.get_width() for bar in display.ax_.patches], result.frequency[order])
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == [f"x{j}" for j in order]
    stable = StabilitySelection(n_pairs=5, random_state=0).fit(X, y)
    display = SelectionFrequencyDisplay.from_estimator(stable, max_columns=2)
    assert len(display.ax_.patches) == 2 and "2 columns are not shown" in display.ax_.get_xlabel()
    assert_array_equal(display.kept, stable.support_)


@pytest.mark.capability("IML-6-06")
def test_strips_have_one_axis_a_column_and_one_mark_a_class():
    display = FeatureStripsDisplay(X, np.arange(40) % 3, columns=[0, "x2"]).plot()
    assert display.names == ["x0", "x2"] and len(display.axes_) == 2
    assert [len(ax.collections) for ax in display.axes_] == [3, 3]
    assert_allclose(display.axes_[1].collections[2].get_offsets()[:, 0], X[2::3, 2])


@pytest.mark.capability("IML-6-06")
def test_pairs_share_one_column():
    display = FeaturePairsDisplay(X, np.arange(40) % 2, against="x3").plot(max_across=2)
    assert display.names == ["x0", "x1", "x2"] and display.against == "x3"
    points = display.axes_[1].collections[0].get_offsets()
    assert_allclose(points, X[0::2][:, [1, 3]])
    assert FeaturePairsDisplay(X, np.arange(40) % 2, against=0, columns=["x2"]).names == ["x2"]


def test_what_is_wrong_is_said():
    with pytest.raises(TypeError, match="has no trace_"):
        SelectionTraceDisplay.from_estimator(Ridge())
    with pytest.raises(DataError, match="no round"):
        SelectionTraceDisplay(Trace([], ["a"], "error", -1))
    with pytest.raises(TypeError, match="has no frequencies_"):
        SelectionFrequencyDisplay.from_estimator(Ridge())
    with pytest.raises(DataError, match="2 names, 1 frequencies"):
        SelectionFrequencyDisplay(["a", "b"], [0.5], [True])
    with pytest.raises(ParameterError, match="there is no column 'x9'"):
        FeatureStripsDisplay(X, np.arange(40) % 2, columns=["x9"])
    with pytest.raises(DataError, match="holds categories"):
        FeatureStripsDisplay({"a": ["u", "v"], "b": [1.0, 2.0]}, [0, 1], columns=["a"])
    with pytest.raises(DataError, match="no column beside"):
        FeaturePairsDisplay(X[:, :1], np.arange(40) % 2, against=0)
