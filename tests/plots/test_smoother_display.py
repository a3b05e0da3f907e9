"""Figures 8-9 to 8-12 and 8-14: a smoother for three values of its parameter."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from assay.errors import DataError
from assay.plots.smoother_display import SmootherDisplay
from assay.smoothers.kernel_smoother import KernelSmoother
from assay.smoothers.regressogram import Regressogram
from assay.smoothers.running_line import RunningLine
from assay.smoothers.running_mean import RunningMean

X = np.arange(8.0)[:, None]
R = np.array([1, 2, 1.5, 4, 5, 4.5, 7, 6])
FIGURES = [
    (Regressogram(origin=0.0), [6, 3, 1]),
    (RunningMean(), [6, 3, 1]),
    (KernelSmoother(), [1, 0.5, 0.25]),
    (RunningLine(), [6, 3, 1]),
    (Regressogram(origin=0.0, degree=1), [6, 3, 1]),
]


@pytest.mark.capability("IML-8-31")
@pytest.mark.parametrize(("smoother", "values"), FIGURES)
def test_three_panels_with_the_curve_and_the_rows_as_crosses(smoother, values):
    display = SmootherDisplay.from_values(smoother, X, R, values, steps=29)
    assert len(display.axes_) == 3
    name = smoother.steered_by
    for ax, value in zip(display.axes_, values):
        rows, *pieces = ax.lines
        assert rows.get_marker() == "x" and rows.get_linestyle() == "None"
        assert_array_equal(rows.get_xydata(), np.c_[X, R])
        assert ax.get_title(loc="left") == f"{name} = {value}"
        model = type(smoother)(**{**smoother.get_params(), name: value}).fit(X, R)
        for piece in pieces:
            at, drawn = piece.get_xydata().T
            assert_allclose(drawn, model.predict(at[:, None]))
    reached = [np.r_[0.0, 7.0]] if not pieces else [p.get_xdata()[[0, -1]] for p in pieces]
    assert np.min(reached) == 0 and np.max(reached) == 7


def test_jumps_are_not_drawn():
    display = SmootherDisplay.from_values(Regressogram(origin=0.0), X, R, [2.0])
    pieces = display.axes_[0].lines[1:]
    assert len(pieces) == 4
    assert all(np.ptp(piece.get_ydata()) == 0 for piece in pieces)
    narrow = SmootherDisplay.from_values(Regressogram(origin=0.0), X, R, [0.001], steps=50)
    assert len(narrow.axes_[0].lines) == 2


def test_a_band_where_it_is_known():
    display = SmootherDisplay.from_values(RunningMean(), X, R, [2.5, 0.6], level=0.9, steps=15)
    grid, band = display.curves[0].band
    shape = display.axes_[0].collections[0].get_paths()[0].vertices
    assert_allclose(shape[:, 1].max(), band.high.max())
    assert_allclose(shape[:, 1].min(), band.low.min())
    assert np.isinf(display.curves[1].band[1].error).any()  # windows with one row


def test_own_axes_and_titles():
    import matplotlib.pyplot as plt

    ax = plt.subplots()[1]
    display = SmootherDisplay.from_smoothers([RunningMean(2.0).fit(X, R)], X, R, titles=["a mean"], axes=ax)
    assert display.axes_ == [ax] and display.figure_ is ax.figure
    assert ax.get_title(loc="left") == "a mean"
    with pytest.raises(DataError, match="one column, got 2"):
        SmootherDisplay.from_values(RunningMean(), np.c_[X, X], R, [1.0])
