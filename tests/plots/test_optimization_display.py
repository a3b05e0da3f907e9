"""The picture of a search."""

import numpy as np
from numpy.testing import assert_array_equal

from assay.plots import OptimizationDisplay
from assay.tuning import BayesianOptimization, Real


def test_tries_and_the_best_so_far():
    display = OptimizationDisplay(
        values=[np.nan, 3.0, 5.0, np.nan, 1.0], kinds=["initial", "initial", "model", "model", "model"]
    ).plot(name="loss")
    assert_array_equal(display.line_.get_ydata(), [np.nan, 3, 3, 3, 1])
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["first design", "suggested", "failed", "best so far"]
    assert len(display.points_[2].get_offsets()) == 2
    assert display.ax_.get_ylabel() == "loss"


def test_a_search_is_drawn_as_it_went():
    search = BayesianOptimization({"x": Real(0, 1)}, n_initial=3).minimize(lambda x: x, 5)
    display = OptimizationDisplay.from_search(search)
    assert_array_equal(display.line_.get_ydata(), search.best_so_far)
    assert [len(points.get_offsets()) for points in display.points_] == [3, 2]


def test_nothing_tried_is_an_empty_picture():
    assert len(OptimizationDisplay(values=[]).plot().line_.get_ydata()) == 0
